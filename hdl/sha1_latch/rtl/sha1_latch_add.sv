// SPDX-License-Identifier: Apache-2.0
//
// Adds a byte of five words: three rows of carry-save adders and one ripple-carry row. A row's
// carry out of bit 7 belongs to the next byte; with `word_ends_i` high the byte is the last of the
// word, and the carries are dropped.
//
// The rows take the words in the order in which they arrive, so that late changes pass few gates:
// first the words that come straight from latches, then K, which is decoded, and then f, a function
// of three words.
//
// This module is in a loop of latches, which pulses that never overlap cut at every moment; so the
// warning UNOPTFLAT is off here.
/* verilator lint_off UNOPTFLAT */
module sha1_latch_add (
  input  logic       word_ends_i,
  input  logic [3:0] carry_i,
  output logic [3:0] carry_o,
  input  logic [7:0] w_i,
  input  logic [7:0] k_i,
  input  logic [7:0] e_i,
  input  logic [7:0] a_i,
  input  logic [7:0] f_i,
  output logic [7:0] sum_o
);
  logic [2:0][7:0] left, right, half, sum, carry;
  logic [8:0]      ripple;
  logic [7:0]      last_right, last_half;

  assign left  = {sum[1], sum[0], w_i};
  assign right = {{carry[1][6:0], carry_i[1]}, {carry[0][6:0], carry_i[0]}, e_i};

  assign half[0]  = left[0] ^ right[0];
  assign sum[0]   = half[0] ^ a_i;
  assign carry[0] = (left[0] & right[0]) | (a_i & (left[0] | right[0]));
  assign half[1]  = left[1] ^ right[1];
  assign sum[1]   = half[1] ^ k_i;
  assign carry[1] = (left[1] & right[1]) | (k_i & (left[1] | right[1]));
  assign half[2]  = left[2] ^ right[2];
  assign sum[2]   = half[2] ^ f_i;
  assign carry[2] = (left[2] & right[2]) | (f_i & (left[2] | right[2]));

  assign last_right = {carry[2][6:0], carry_i[2]};
  assign last_half  = sum[2] ^ last_right;
  assign ripple[0]  = carry_i[3];
  for (genvar i = 0; i < 8; i++) begin : gen_bit
    assign ripple[i+1] = (sum[2][i] & last_right[i]) | (last_half[i] & ripple[i]);
  end
  assign sum_o = last_half ^ ripple[7:0];

  assign carry_o = {ripple[8], carry[2][7], carry[1][7], carry[0][7]} & ~{4{word_ends_i}};
endmodule
/* verilator lint_on UNOPTFLAT */
