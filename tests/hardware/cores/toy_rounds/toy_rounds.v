// SPDX-License-Identifier: Apache-2.0
//
// A toy hash of as many clocks a block as it is told, with `init`, `next` and `ready`. LATE = 1: its
// inputs go through a register first, so that `ready` falls a clock after the pulse. The digest is
// there only while `ready` is high. Not secure.
module toy_rounds #(
    parameter [7:0] CLOCKS = 8'd66,
    parameter LATE = 0
) (
    input wire clk,
    input wire reset_n,
    input wire init,
    input wire next,
    input wire [31:0] block,
    output wire ready,
    output wire [31:0] digest
);
    reg [31:0] chain, block_late;
    reg [7:0] left;
    reg init_late, next_late;
    wire init_now = LATE != 0 ? init_late : init;
    wire next_now = LATE != 0 ? next_late : next;
    wire [31:0] block_now = LATE != 0 ? block_late : block;
    wire [31:0] mixed = (init_now ? 32'h01234567 : chain) ^ block_now;

    assign ready = left == 8'd0;
    assign digest = ready ? chain : ~chain;

    always @(posedge clk or negedge reset_n) begin
        if (!reset_n) begin
            chain <= 32'd0;
            block_late <= 32'd0;
            left <= 8'd0;
            init_late <= 1'b0;
            next_late <= 1'b0;
        end else begin
            init_late <= init;
            next_late <= next;
            block_late <= block;
            if (left != 8'd0) left <= left - 8'd1;
            else if (init_now || next_now) begin
                chain <= {mixed[26:0], mixed[31:27]} + block_now;
                left <= CLOCKS - (LATE != 0 ? 8'd2 : 8'd1);
            end
        end
    end
endmodule
