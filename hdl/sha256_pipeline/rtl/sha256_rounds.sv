// SPDX-License-Identifier: Apache-2.0
//
// ROUNDS rounds of SHA-256 or, at HASH=512, of SHA-512, and the sums that the rounds after them can
// have ready (FIPS 180-4, sections 6.2.2 and 6.4.2). Combinational.
//
// `a_all` and `e_all` show what merging rounds saves (michail2005, figures 3 and 4): a round makes
// only two new words; b, c, d and f, g, h are older values of a and e. So the h of round t + n is
// known n rounds before it is used, and so is its d. With PRECOMPUTE the sums of these with K + W
// come out of registers:
//   0  no sums: `sums_i` is not used and `sums_o` is zero
//   1  H + K + W
//   2  H + K + W and D + H + K + W
// From the fourth merged round on, a sum ahead of time would have to wait for this clock's rounds;
// there only K + W is kept and H (and D) are added beside the rounds before.
//
// CARRY_SAVE=1 adds the operands of a round in carry-save form and propagates carries once for e
// and once for a.
module sha256_rounds #(
  parameter int unsigned HASH = 256,  // 256, 512
  parameter int unsigned ROUNDS = 1,
  parameter int unsigned PRECOMPUTE = 1,
  parameter int unsigned CARRY_SAVE = 0,
  localparam int unsigned WordBits = sha_hash_pkg::word_bits(HASH)
) (
  input  logic [8*WordBits-1:0] state_i,  // a in the highest word to h in the lowest
  // Not all bits are used: the parameters decide which are.
  // verilator lint_off UNUSEDSIGNAL
  input  logic [2*WordBits*ROUNDS-1:0] sums_i,  // sums_o of the clock before
  // verilator lint_on UNUSEDSIGNAL
  // K + W of these rounds at PRECOMPUTE=0, otherwise of the next rounds.
  input  logic [WordBits*ROUNDS-1:0] kw_i,
  output logic [8*WordBits-1:0] state_o,
  output logic [2*WordBits*ROUNDS-1:0] sums_o  // per round {D+H+K+W, H+K+W}; first round lowest
);

  // a_all[3] and e_all[3] are a and e; lower indices are older (d and h are [0]), higher are newer.
  logic [WordBits-1:0] a_all [ROUNDS+4]  /* verilator split_var */;
  logic [WordBits-1:0] e_all [ROUNDS+4]  /* verilator split_var */;

  for (genvar i = 0; i < 4; i++) begin : gen_old
    assign a_all[i] = state_i[WordBits*(4+i) +: WordBits];
    assign e_all[i] = state_i[WordBits*i +: WordBits];
    assign state_o[WordBits*(4+i) +: WordBits] = a_all[ROUNDS+i];
    assign state_o[WordBits*i +: WordBits] = e_all[ROUNDS+i];
  end

  for (genvar i = 0; i < ROUNDS; i++) begin : gen_round
    // Whether the sums for this place among the rounds are complete when the clock begins.
    localparam bit Early = (ROUNDS + i <= 3) || (i == 0);

    logic [WordBits-1:0] hkw, dhkw;
    if (PRECOMPUTE == 0) begin : gen_sums_now
      assign hkw = e_all[i] + kw_i[WordBits*i +: WordBits];
      assign dhkw = a_all[i] + hkw;
    end else if (!Early) begin : gen_sums_half
      assign hkw = e_all[i] + sums_i[2*WordBits*i +: WordBits];
      assign dhkw = a_all[i] + hkw;
    end else if (PRECOMPUTE == 1) begin : gen_sums_h
      assign hkw = sums_i[2*WordBits*i +: WordBits];
      assign dhkw = a_all[i] + hkw;
    end else begin : gen_sums_dh
      assign hkw = sums_i[2*WordBits*i +: WordBits];
      assign dhkw = sums_i[2*WordBits*i + WordBits +: WordBits];
    end

    logic [WordBits-1:0] hkw_next, dhkw_next;
    if (PRECOMPUTE == 0) begin : gen_next_none
      assign hkw_next = '0;
      assign dhkw_next = '0;
    end else if (!Early) begin : gen_next_half
      assign hkw_next = kw_i[WordBits*i +: WordBits];
      assign dhkw_next = '0;
    end else begin : gen_next
      assign hkw_next = e_all[ROUNDS+i] + kw_i[WordBits*i +: WordBits];
      assign dhkw_next = (PRECOMPUTE == 1) ? '0 : a_all[ROUNDS+i] + hkw_next;
    end
    assign sums_o[2*WordBits*i +: 2*WordBits] = {dhkw_next, hkw_next};

    sha256_round #(
      .HASH(HASH),
      .PRECOMPUTE(PRECOMPUTE),
      .CARRY_SAVE(CARRY_SAVE)
    ) u_round (
      .a_i(a_all[3+i]), .b_i(a_all[2+i]), .c_i(a_all[1+i]), .d_i(a_all[i]),
      .e_i(e_all[3+i]), .f_i(e_all[2+i]), .g_i(e_all[1+i]),
      .hkw_i(hkw), .dhkw_i(dhkw),
      .a_o(a_all[4+i]), .e_o(e_all[4+i])
    );
  end

endmodule
