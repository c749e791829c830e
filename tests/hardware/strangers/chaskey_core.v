// SPDX-License-Identifier: Apache-2.0
//
// Chaskey-12 of one whole block, a round a clock: `load` takes key and message, `ready` is high when
// the tag is there. The first byte of each port is in the lowest bits.
module chaskey_core (
    input wire clk,
    input wire rst_n,
    input wire load,
    input wire [127:0] key,
    input wire [127:0] msg,
    output wire ready,
    output wire [127:0] tag
);
    function automatic [31:0] rotl(input [31:0] x, input integer by);
        rotl = (x << by) | (x >> (32 - by));
    endfunction

    reg [31:0] v0, v1, v2, v3;
    reg [127:0] subkey;
    reg [3:0] left;

    wire [127:0] twice = {key[126:0], 1'b0} ^ (key[127] ? 128'h87 : 128'h0);
    wire [31:0] a0 = v0 + v1;
    wire [31:0] a1 = rotl(v1, 5) ^ a0;
    wire [31:0] a2 = v2 + v3;
    wire [31:0] a3 = rotl(v3, 8) ^ a2;
    wire [31:0] b0 = rotl(a0, 16) + a3;
    wire [31:0] b3 = rotl(a3, 13) ^ b0;
    wire [31:0] b2 = a2 + a1;
    wire [31:0] b1 = rotl(a1, 7) ^ b2;

    assign ready = left == 4'd0;
    assign tag = {v3, v2, v1, v0} ^ subkey;

    always @(posedge clk) begin
        if (!rst_n) begin
            left <= 4'd0;
            subkey <= 128'd0;
            {v3, v2, v1, v0} <= 128'd0;
        end else if (left != 4'd0) begin
            left <= left - 4'd1;
            v0 <= b0;
            v1 <= b1;
            v2 <= rotl(b2, 16);
            v3 <= b3;
        end else if (load) begin
            left <= 4'd12;
            subkey <= twice;
            {v3, v2, v1, v0} <= key ^ msg ^ twice;
        end
    end
endmodule
