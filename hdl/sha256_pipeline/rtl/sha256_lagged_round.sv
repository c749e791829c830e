// SPDX-License-Identifier: Apache-2.0
//
// One round of SHA-256 (FIPS 180-4, section 6.2.2) with the a half two clocks behind the e half, so
// that no path has more than two additions. Combinational. (Dadda, Macchetti and Owen, "The design
// of a high speed ASIC unit for the hash function SHA-256 (384, 512)", DATE 2004, delay a by one
// clock; here it is two.)
//
// e needs a only as d = a(t-3), which is there in time even so. With e(t), e(t-1), e(t-2) in
// registers the a half has a(t-2), a(t-3), a(t-4), and
//   e(t+1)  = DHKW(t) + Ch(e(t), e(t-1), e(t-2)) + Sigma1(e(t))
//   DHKW(t+1) = a(t-2) + e(t-2) + K(t+1) + W(t+1)
//   T1(t-1) = e(t) - a(t-4)                              since e(t) = a(t-4) + T1(t-1)
//   a(t-1)  = T1(t-2) + Maj(a(t-2), a(t-3), a(t-4)) + Sigma0(a(t-2))
// State words, highest first: a(t-2), a(t-3), a(t-4), T1(t-2), e(t), e(t-1), e(t-2), DHKW(t).
module sha256_lagged_round
  import sha256_pkg::*;
#(
  parameter int unsigned CARRY_SAVE = 0,
  parameter int unsigned TECHNOLOGY = 0
) (
  input  logic [255:0] state_i,
  input  word_t kw_i,  // K(t+1) + W(t+1)
  // In the first two rounds of a block a(t-1) is a word of the chaining value.
  input  logic override_i,
  input  word_t override_a_i,
  output logic [255:0] state_o
);

  word_t a2, a3, a4, t1, e0, e1, e2, dhkw;
  assign {a2, a3, a4, t1, e0, e1, e2, dhkw} = state_i;

  word_t e_next, dhkw_next, a_next, t1_next;

  if (CARRY_SAVE == 0) begin : gen_carry_propagate
    word_t e_part;
    sha256_adder #(
      .FUNCTION(1), .TECHNOLOGY(TECHNOLOGY)
    ) u_e_part (.x_i(dhkw), .b_i(e0), .c_i(e1), .d_i(e2), .sum_o(e_part));
    sha256_adder #(
      .TECHNOLOGY(TECHNOLOGY)
    ) u_e (.x_i(e_part), .b_i(big_sigma1(e0)), .c_i('0), .d_i('0), .sum_o(e_next));
  end else begin : gen_carry_save
    logic [63:0] e_pair;
    assign e_pair = carry_save(dhkw, choose(e0, e1, e2), big_sigma1(e0));
    assign e_next = e_pair[31:0] + e_pair[63:32];
  end

  word_t d_and_h;
  sha256_adder #(
    .TECHNOLOGY(TECHNOLOGY)
  ) u_d_and_h (.x_i(a2), .b_i(e2), .c_i('0), .d_i('0), .sum_o(d_and_h));
  sha256_adder #(
    .TECHNOLOGY(TECHNOLOGY)
  ) u_dhkw (.x_i(d_and_h), .b_i(kw_i), .c_i('0), .d_i('0), .sum_o(dhkw_next));

  sha256_lagged_half #(
    .CARRY_SAVE(CARRY_SAVE),
    .TECHNOLOGY(TECHNOLOGY)
  ) u_half (
    .a2_i(a2), .a3_i(a3), .a4_i(a4), .t1_i(t1), .e0_i(e0),
    .t1_o(t1_next), .a_o(a_next)
  );

  assign state_o = {
    override_i ? override_a_i : a_next, a2, a3, t1_next, e_next, e0, e1, dhkw_next
  };

endmodule
