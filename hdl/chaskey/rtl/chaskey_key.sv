// SPDX-License-Identifier: Apache-2.0
//
// The key, and its multiples word by word: the key, twice or four times the key in GF(2^128).
//
// A multiple is the key moved left by one or two bits, with the bits that fall out added at 0x87:
// wires and a few gates, so that no subkey is stored.
//
// LATCHES 1: the key lies in latches, which are open while `take_i` is high and the clock is low.
// `take_i` must have settled when the clock falls, and `key_i` when it rises.
module chaskey_key #(
  parameter int unsigned LATCHES = 1  // 0: flip-flops
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             take_i,
  input  logic [127:0]     key_i,
  input  logic [3:0]       select_i,  // word that is wanted, one-hot; no word is 0
  input  logic             twice_i,
  input  logic             four_i,    // at most one of the two
  output logic [31:0]      word_o
);
  logic [127:0] key;

  if (LATCHES != 0) begin : gen_latches
    jm_latch #(.WIDTH(128)) u_key (.rst_ni, .gate_i(take_i & ~clk_i), .d_i(key_i), .q_o(key));
  end else begin : gen_flip_flops
    logic [127:0] key_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) key_q <= '0;
      else if (take_i) key_q <= key_i;
    end
    assign key = key_q;
  end

  // The word with two bits of the word below. Below the lowest word is the highest, so that its
  // two bits come in again at the bottom: one of the four ones of 0x87.
  logic [33:0] wide;
  logic [1:0] out;  // bits that fall out of the lowest word's multiple, the higher one first
  logic [31:0] low, high;
  always_comb begin
    wide = '0;
    for (int unsigned i = 0; i < 4; i++) begin
      wide |= {key[32*i +: 32], key[(32*i+126) % 128 +: 2]} & {34{select_i[i]}};
    end
  end
  assign out = {wide[1] & four_i, (four_i ? wide[0] : wide[1] & twice_i)} & {2{select_i[0]}};
  assign low = {24'd0, out[0], 4'd0, out[0], out[0], 1'b0};
  assign high = {23'd0, out[1], 4'd0, out[1], out[1], 2'b0};
  assign word_o = (four_i ? wide[31:0] : twice_i ? wide[32:1] : wide[33:2]) ^ low ^ high;
endmodule
