// SPDX-License-Identifier: Apache-2.0
//
// A toy function of one block, of as many clocks as it is told, with `start` and `done`. PAUSE = 1: a
// start in the clock of `done` is not looked at. The result is there only with `done`. Not secure.
module toy_pulse #(
    parameter [7:0] CLOCKS = 8'd1,
    parameter PAUSE = 0
) (
    input wire clk,
    input wire rst_n,
    input wire start,
    input wire [31:0] block,
    output reg done,
    output wire [31:0] result
);
    reg [31:0] state;
    reg [7:0] left;
    wire deaf = left != 8'd0 || (PAUSE != 0 && done);

    assign result = done ? state : 32'd0;

    always @(posedge clk or negedge rst_n) begin
        if (!rst_n) begin
            state <= 32'd0;
            left <= 8'd0;
            done <= 1'b0;
        end else begin
            done <= left == 8'd1;
            if (left != 8'd0) left <= left - 8'd1;
            if (start && !deaf) begin
                state <= {block[20:0], block[31:21]} + 32'h9e3779b9;
                left <= CLOCKS - 8'd1;
                if (CLOCKS == 8'd1) done <= 1'b1;
            end
        end
    end
endmodule
