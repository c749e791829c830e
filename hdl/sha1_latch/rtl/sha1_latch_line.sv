// SPDX-License-Identifier: Apache-2.0
//
// A delay line of words that arrive byte by byte, made of latches (see sha1_latch_pkg).
//
// `word_o[k]` shows slot k + 1. `slot_of` of the package says which byte a slot shows at which
// time. Synthesis drops bits of the last slots that no tap reads.
//
// Clock: none. Moments: the pulses `phase_i[0]` to `phase_i[7]` come one after another, never two
// at once, even ones in the high half of a clock and odd ones in the low half; `byte_i` is stable
// from before an odd pulse begins until after it ends. A line that feeds its own input, as both
// lines do here, is a loop of latches, which pulses that never overlap cut at every moment; so the
// warning UNOPTFLAT is off here.
/* verilator lint_off UNOPTFLAT */
module sha1_latch_line
  import sha1_latch_pkg::*;
#(
  parameter int unsigned SLOTS = 19
) (
  input  logic [7:0]             phase_i,
  input  logic [7:0]             byte_i,
  output logic [SLOTS-1:0][31:0] word_o
);
  for (genvar lane = 0; lane < 4; lane++) begin : gen_lane
    logic [7:0] chain [SLOTS+1];
    assign chain[0] = byte_i;
    for (genvar slot = 1; slot <= SLOTS; slot++) begin : gen_slot
      sha1_latch_row u_row (
        .gate_i(phase_i[phase_of(lane, slot)]),
        .d_i   (chain[slot-1]),
        .q_o   (chain[slot])
      );
      assign word_o[slot-1][8*lane+:8] = chain[slot];
    end
  end
endmodule
/* verilator lint_on UNOPTFLAT */
