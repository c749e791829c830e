// SPDX-License-Identifier: Apache-2.0
//
// A toy hash with the handshake of many published cores: `init` for the first block, `next` for the
// others, `ready` when a block may come, `digest_valid` with the result. Eight steps of one clock per
// block of 128 bits. Not secure.
module toy_hash (
    input wire clk,
    input wire reset_n,
    input wire init,
    input wire next,
    input wire [127:0] block,
    output wire ready,
    output wire [63:0] digest,
    output reg digest_valid
);
    localparam [63:0] START = 64'h0123456789abcdef;

    reg [63:0] chain, work;
    reg [127:0] left;
    reg [2:0] step;
    reg busy;
    wire [63:0] mixed = work ^ {48'd0, left[127:112]};
    wire [63:0] stepped = {mixed[50:0], mixed[63:51]} + 64'h9e3779b97f4a7c15;

    assign ready = !busy;
    assign digest = chain;

    always @(posedge clk or negedge reset_n) begin
        if (!reset_n) begin
            chain <= 64'd0;
            work <= 64'd0;
            left <= 128'd0;
            step <= 3'd0;
            busy <= 1'b0;
            digest_valid <= 1'b0;
        end else if (!busy) begin
            if (init || next) begin
                work <= init ? START : chain;
                left <= block;
                step <= 3'd0;
                busy <= 1'b1;
                digest_valid <= 1'b0;
            end
        end else begin
            work <= stepped;
            left <= {left[111:0], 16'd0};
            step <= step + 3'd1;
            if (step == 3'd7) begin
                chain <= stepped;
                busy <= 1'b0;
                digest_valid <= 1'b1;
            end
        end
    end
endmodule
