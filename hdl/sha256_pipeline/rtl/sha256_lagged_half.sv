// SPDX-License-Identifier: Apache-2.0
//
// The a half of `sha256_lagged_round`: T1(t-1) and a(t-1). Combinational.
module sha256_lagged_half
  import sha256_pkg::*;
#(
  parameter int unsigned CARRY_SAVE = 0,
  parameter int unsigned TECHNOLOGY = 0
) (
  input  word_t a2_i, a3_i, a4_i,  // a(t-2), a(t-3), a(t-4)
  input  word_t t1_i,  // T1(t-2)
  input  word_t e0_i,  // e(t)
  output word_t t1_o,
  output word_t a_o
);

  sha256_adder #(
    .FUNCTION(3), .TECHNOLOGY(TECHNOLOGY)
  ) u_t1 (.x_i(e0_i), .b_i(a4_i), .c_i('0), .d_i('0), .sum_o(t1_o));

  if (CARRY_SAVE == 0) begin : gen_carry_propagate
    word_t a_part;
    sha256_adder #(
      .FUNCTION(2), .TECHNOLOGY(TECHNOLOGY)
    ) u_a_part (.x_i(t1_i), .b_i(a2_i), .c_i(a3_i), .d_i(a4_i), .sum_o(a_part));
    sha256_adder #(
      .TECHNOLOGY(TECHNOLOGY)
    ) u_a (.x_i(a_part), .b_i(big_sigma0(a2_i)), .c_i('0), .d_i('0), .sum_o(a_o));
  end else begin : gen_carry_save
    logic [63:0] a_pair;
    assign a_pair = carry_save(t1_i, majority(a2_i, a3_i, a4_i), big_sigma0(a2_i));
    assign a_o = a_pair[31:0] + a_pair[63:32];
  end

endmodule
