// SPDX-License-Identifier: Apache-2.0
//
// The message's delay line and the bytes of the schedule,
// rotl(W(t-3) ^ W(t-8) ^ W(t-14) ^ W(t-16)).
//
// The further a word has come, the more seldom it moves: message slot 0 takes every word; later
// slots have two or four copies, each of which takes every second or fourth word (see
// sha1_latch_pkg). The word of round t goes into copy t mod n of n.
//
// A copy's pulse is the line's pulse of its phase, let through in one round of two or four. The
// enables of even pulses, which are high in the high half of a clock, change in phase 1; the
// enables of odd pulses change when the clock rises. So no gate can make a short pulse.
//
// W(t-14) and W(t-16) lie in two copies of the same slot, and in the other order two rounds before;
// since only their xor is wanted, each is chosen among two copies and not four.
//
// Moments: as in sha1_latch_line. `round_i` comes from flip-flops and counts rounds as they begin;
// `byte_o` is read one clock before its use. `select_i` picks the byte: one-hot, or zero for a byte
// of zeros. This module is in a loop of latches, which pulses that never overlap cut at every
// moment; so the warning UNOPTFLAT is off here.
/* verilator lint_off UNOPTFLAT */
module sha1_latch_message
  import sha1_latch_pkg::*;
(
  input  logic [7:0]                    phase_i,
  input  logic [1:0]                    round_i,
  input  logic [7:0]                    byte_i,
  input  logic [3:0]                    select_i,
  output logic [7:0]                    byte_o,
  output logic [MessageWords-1:0][31:0] word_o
);
  // The round, for even pulses.
  logic [1:0] held;
  sha1_latch_row #(
    .WIDTH(2)
  ) u_held (
    .gate_i(phase_i[1]),
    .d_i   (round_i),
    .q_o   (held)
  );

  // Pulses of one round in two, and of one round in four.
  logic [1:0][7:0] second;
  logic [3:0][7:0] fourth;
  for (genvar at = 0; at < 8; at++) begin : gen_phase
    localparam bit Odd = at % 2 != 0;
    assign second[0][at] = phase_i[at] & ~(Odd ? round_i[0] : held[0]);
    assign second[1][at] = phase_i[at] & (Odd ? round_i[0] : held[0]);
    for (genvar copy = 0; copy < 4; copy++) begin : gen_copy
      // No slot of four copies takes a byte in an odd phase.
      assign fourth[copy][at] = ~Odd & second[copy%2][at] & (held[1] == 1'(copy / 2));
    end
  end

  for (genvar slot = 0; slot < MessageSlots; slot++) begin : gen_slot
    localparam int Copies = int'(copies_of(slot));
    localparam int Before = int'(copies_of(slot == 0 ? 0 : slot - 1));
    for (genvar copy = 0; copy < Copies; copy++) begin : gen_copy
      for (genvar lane = 0; lane < 4; lane++) begin : gen_lane
        localparam int Phase = 2 * lane + 1 + message_opens(slot);
        // The count of rounds changes in phase 0 for odd pulses, before phase 2 for even ones.
        localparam int Round = copy + (Phase - (Phase % 2 == 0 ? 2 : 0)) / 8;
        logic       gate;
        logic [7:0] from;
        if (Copies == 1) begin : gen_each
          assign gate = phase_i[Phase%8];
          assign from = byte_i;
        end else begin : gen_some
          assign gate = (Copies == 2) ? second[Round%2][Phase%8] : fourth[Round%4][Phase%8];
          assign from = word_o[first_of(slot-1)+copy%Before][8*lane+:8];
        end
        sha1_latch_row u_row (
          .gate_i(gate),
          .d_i   (from),
          .q_o   (word_o[first_of(slot)+copy][8*lane+:8])
        );
      end
    end
  end

  // Bytes of rounds with an even and an odd number. Byte 0 is read in the round before.
  logic [1:0][3:0]  select;
  logic [1:0][31:0] tap3, tap8, tap14, tap16;
  assign select[0] = select_i & {{3{~round_i[0]}}, round_i[0]};
  assign select[1] = select_i & {{3{round_i[0]}}, ~round_i[0]};

  for (genvar odd = 0; odd < 2; odd++) begin : gen_parity
    for (genvar i = 0; i < 32; i++) begin : gen_bit
      localparam int Place = (i + 1) % 32;
      localparam int Slot3 = message_slot_of(i / 8, 3, Place / 8 - 1);
      localparam int Slot8 = message_slot_of(i / 8, 8, Place / 8 - 1);
      localparam int Slot16 = message_slot_of(i / 8, 16, Place / 8 - 1);
      assign tap3[odd][Place]  = word_o[first_of(Slot3)+1-odd][i];
      assign tap8[odd][Place]  = word_o[first_of(Slot8)+odd][i];
      assign tap14[odd][Place] = word_o[first_of(Slot16)+odd][i];
      assign tap16[odd][Place] = word_o[first_of(Slot16)+odd+2][i];
    end
  end

  function automatic logic [7:0] picked(logic [1:0][31:0] words, logic [1:0][3:0] by);
    logic [7:0] one;
    one = '0;
    for (int odd = 0; odd < 2; odd++) begin
      for (int j = 0; j < 4; j++) one |= words[odd][8*j+:8] & {8{by[odd][j]}};
    end
    return one;
  endfunction

  assign byte_o = picked(tap3, select) ^ picked(tap8, select)
      ^ picked(tap14, select) ^ picked(tap16, select);
endmodule
/* verilator lint_on UNOPTFLAT */
