// SPDX-License-Identifier: Apache-2.0
//
// The chaining value: five words in the order in which the digest is computed, H4 first, byte by
// byte in latches.
//
// `write_i[j]`, high in the low half of a clock, writes byte j of the word of `turn_i`; `read_o` is
// byte `next_quarter_i` of the word of `next_turn_i`, or zero if no byte is picked. A byte is never
// read in the clock in which it is written.
//
// This module is in a loop of latches, which pulses that never overlap cut at every moment; so the
// warning UNOPTFLAT is off here.
/* verilator lint_off UNOPTFLAT */
module sha1_latch_chain
  import sha1_latch_pkg::*;
(
  input  logic [3:0] write_i,
  input  logic [2:0] turn_i,
  input  logic [7:0] byte_i,
  input  logic [3:0] next_quarter_i,
  input  logic [2:0] next_turn_i,
  output logic [7:0] read_o
);
  logic [7:0] read [21];

  assign read[0] = '0;
  for (genvar k = 0; k < 5; k++) begin : gen_word
    for (genvar j = 0; j < 4; j++) begin : gen_byte
      logic [7:0] held;
      sha1_latch_row u_row (
        .gate_i(write_i[j] & (turn_i == turn_of(k))),
        .d_i   (byte_i),
        .q_o   (held)
      );
      assign read[4*k+j+1] = read[4*k+j]
          | ({8{next_quarter_i[j] & (next_turn_i == turn_of(k))}} & held);
    end
  end
  assign read_o = read[20];
endmodule
/* verilator lint_on UNOPTFLAT */
