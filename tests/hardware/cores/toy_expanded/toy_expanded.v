// SPDX-License-Identifier: Apache-2.0
//
// A toy block cipher that expands its key after a pulse of `init`, in five clocks, and encrypts a
// block after a pulse of `next`, in four. The key has half of its port, at the high end. Not secure.
module toy_expanded (
    input wire clk,
    input wire reset_n,
    input wire init,
    input wire next,
    output wire ready,
    input wire [63:0] key,
    input wire [31:0] block,
    output wire [31:0] result,
    output reg result_valid
);
    reg [31:0] expanded, state;
    reg [2:0] left;
    reg expands;

    assign ready = left == 3'd0;
    assign result = state;

    always @(posedge clk or negedge reset_n) begin
        if (!reset_n) begin
            expanded <= 32'd0;
            state <= 32'd0;
            left <= 3'd0;
            expands <= 1'b0;
            result_valid <= 1'b0;
        end else if (left == 3'd0) begin
            if (init) begin
                expanded <= key[63:32];
                expands <= 1'b1;
                left <= 3'd5;
                result_valid <= 1'b0;
            end else if (next) begin
                state <= block;
                expands <= 1'b0;
                left <= 3'd4;
                result_valid <= 1'b0;
            end
        end else begin
            left <= left - 3'd1;
            if (expands) expanded <= {expanded[28:0], expanded[31:29]} + 32'h9e3779b9;
            else state <= {state[24:0], state[31:25]} + expanded;
            if (left == 3'd1 && !expands) result_valid <= 1'b1;
        end
    end
endmodule
