// SPDX-License-Identifier: Apache-2.0
//
// The two new words of one round of SHA-256 (FIPS 180-4, section 6.2.2, step 3). Combinational.
//   T1 = (H + K + W) + Sigma1(e) + Ch(e, f, g);  e' = d + T1;  a' = T1 + Sigma0(a) + Maj(a, b, c)
module sha256_round
  import sha256_pkg::*;
#(
  parameter int unsigned PRECOMPUTE = 1,
  parameter int unsigned CARRY_SAVE = 0,
  parameter int unsigned TECHNOLOGY = 0
) (
  input  word_t a_i, b_i, c_i,
  input  word_t e_i, f_i, g_i,
  input  word_t hkw_i,
  // Not all used: d_i at PRECOMPUTE=2, dhkw_i below it.
  // verilator lint_off UNUSEDSIGNAL
  input  word_t d_i,
  input  word_t dhkw_i,
  // verilator lint_on UNUSEDSIGNAL
  output word_t a_o,
  output word_t e_o
);

  word_t sigma0, sigma1;
  assign sigma0 = big_sigma0(a_i);
  assign sigma1 = big_sigma1(e_i);

  if (CARRY_SAVE == 0) begin : gen_carry_propagate
    word_t t1, t1_part, t2;
    sha256_adder #(
      .FUNCTION(1), .TECHNOLOGY(TECHNOLOGY)
    ) u_t1_part (.x_i(hkw_i), .b_i(e_i), .c_i(f_i), .d_i(g_i), .sum_o(t1_part));
    sha256_adder #(
      .TECHNOLOGY(TECHNOLOGY)
    ) u_t1 (.x_i(t1_part), .b_i(sigma1), .c_i('0), .d_i('0), .sum_o(t1));
    sha256_adder #(
      .FUNCTION(2), .TECHNOLOGY(TECHNOLOGY)
    ) u_t2 (.x_i(sigma0), .b_i(a_i), .c_i(b_i), .d_i(c_i), .sum_o(t2));
    sha256_adder #(
      .TECHNOLOGY(TECHNOLOGY)
    ) u_a (.x_i(t1), .b_i(t2), .c_i('0), .d_i('0), .sum_o(a_o));
    if (PRECOMPUTE < 2) begin : gen_e_from_t1
      sha256_adder #(
        .TECHNOLOGY(TECHNOLOGY)
      ) u_e (.x_i(d_i), .b_i(t1), .c_i('0), .d_i('0), .sum_o(e_o));
    end else begin : gen_e_from_dhkw
      word_t e_part;
      sha256_adder #(
        .FUNCTION(1), .TECHNOLOGY(TECHNOLOGY)
      ) u_e_part (.x_i(dhkw_i), .b_i(e_i), .c_i(f_i), .d_i(g_i), .sum_o(e_part));
      sha256_adder #(
        .TECHNOLOGY(TECHNOLOGY)
      ) u_e (.x_i(e_part), .b_i(sigma1), .c_i('0), .d_i('0), .sum_o(e_o));
    end
  end else begin : gen_carry_save
    // Each pair is {carry word already shifted, sum word}.
    word_t ch, maj;
    logic [63:0] t1, e_pair, a_first, a_pair;
    assign ch = choose(e_i, f_i, g_i);
    assign maj = majority(a_i, b_i, c_i);
    assign t1 = carry_save(hkw_i, sigma1, ch);
    assign a_first = carry_save(sigma0, maj, t1[31:0]);
    assign a_pair = carry_save(a_first[31:0], a_first[63:32], t1[63:32]);
    assign a_o = a_pair[31:0] + a_pair[63:32];
    if (PRECOMPUTE < 2) begin : gen_e_from_d
      assign e_pair = carry_save(d_i, t1[31:0], t1[63:32]);
    end else begin : gen_e_from_dhkw
      assign e_pair = carry_save(dhkw_i, sigma1, ch);
    end
    assign e_o = e_pair[31:0] + e_pair[63:32];
  end

endmodule
