// SPDX-License-Identifier: Apache-2.0
//
// ROUNDS rounds of SHA-1, and the sums that the rounds after them can have ready (FIPS 180-4,
// section 6.1.2, step 3). Combinational. All rounds are of one phase of 20 rounds, so that f is one
// function.
//   T = (E + K + W) + ROTL5(a) + f(b, c, d);  a' = T
//
// As in `sha256_rounds`, `a_all` shows what merging rounds saves: a round makes only one new word;
// b is an older a, and c, d and e are older ones that were rotated by 30. So the e of round t + n
// is known n rounds before it is used, for up to four rounds. With PRECOMPUTE=1 its sum with K + W
// comes out of a register; with 0 `sums_i` is not used and `sums_o` is zero.
module sha1_rounds
  import sha1_pkg::*;
#(
  parameter int unsigned ROUNDS = 1,  // per clock: 1, 2
  parameter int unsigned PRECOMPUTE = 1,  // 0, 1
  parameter int unsigned PHASE = 0  // 0 to 3
) (
  input  logic [159:0] state_i,  // a in [159:128] to e in [31:0]
  // Not all bits are used: of each round only the lower half, and at PRECOMPUTE=0 none.
  // verilator lint_off UNUSEDSIGNAL
  input  logic [2*32*ROUNDS-1:0] sums_i,  // sums_o of the clock before
  // verilator lint_on UNUSEDSIGNAL
  // K + W of these rounds at PRECOMPUTE=0, otherwise of the next rounds.
  input  logic [32*ROUNDS-1:0] kw_i,
  output logic [159:0] state_o,
  output logic [2*32*ROUNDS-1:0] sums_o  // per round {zero, E+K+W}; first round lowest
);

  // a_all[4] is a; lower indices are older values of a ([0] to [2] are e, d and c before their
  // rotation), higher ones are newer.
  word_t a_all [ROUNDS+5]  /* verilator split_var */;

  for (genvar i = 0; i < 5; i++) begin : gen_old
    if (i < 3) begin : gen_rotated
      assign a_all[i] = rotate_left(state_i[32*i +: 32], 2);
      assign state_o[32*i +: 32] = rotate_left(a_all[ROUNDS+i], 30);
    end else begin : gen_plain
      assign a_all[i] = state_i[32*i +: 32];
      assign state_o[32*i +: 32] = a_all[ROUNDS+i];
    end
  end

  for (genvar i = 0; i < ROUNDS; i++) begin : gen_round
    word_t ekw, ekw_next;
    if (PRECOMPUTE == 0) begin : gen_sum_now
      assign ekw = rotate_left(a_all[i], 30) + kw_i[32*i +: 32];
      assign ekw_next = '0;
    end else begin : gen_sum_ahead
      assign ekw = sums_i[64*i +: 32];
      assign ekw_next = rotate_left(a_all[ROUNDS+i], 30) + kw_i[32*i +: 32];
    end
    assign sums_o[64*i +: 64] = {32'b0, ekw_next};

    word_t mixed;
    assign mixed = mix(PHASE, a_all[3+i], rotate_left(a_all[2+i], 30), rotate_left(a_all[1+i], 30));
    assign a_all[5+i] = (ekw + mixed) + rotate_left(a_all[4+i], 5);
  end

endmodule
