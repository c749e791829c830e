// SPDX-License-Identifier: Apache-2.0
//
// The two new words of one round of SHA-256 (FIPS 180-4, section 6.2.2, step 3). Combinational.
//   T1 = (H + K + W) + Sigma1(e) + Ch(e, f, g);  e' = d + T1;  a' = T1 + Sigma0(a) + Maj(a, b, c)
module sha256_round
  import sha256_pkg::*;
#(
  parameter int unsigned PRECOMPUTE = 1,
  parameter int unsigned CARRY_SAVE = 0
) (
  input  word_t a_i, b_i, c_i,
  input  word_t e_i, f_i, g_i,
  input  word_t hkw_i,
  // Not all bits are used: d_i is unused at PRECOMPUTE=2, dhkw_i below 2.
  // verilator lint_off UNUSEDSIGNAL
  input  word_t d_i,
  input  word_t dhkw_i,
  // verilator lint_on UNUSEDSIGNAL
  output word_t a_o,
  output word_t e_o
);

  word_t sigma0, sigma1, ch, maj;
  assign sigma0 = big_sigma0(a_i);
  assign sigma1 = big_sigma1(e_i);
  assign ch = choose(e_i, f_i, g_i);
  assign maj = majority(a_i, b_i, c_i);

  if (CARRY_SAVE == 0) begin : gen_carry_propagate
    word_t t1, t2;
    assign t1 = (hkw_i + ch) + sigma1;
    assign t2 = sigma0 + maj;
    assign a_o = t1 + t2;
    assign e_o = (PRECOMPUTE < 2) ? d_i + t1 : (dhkw_i + ch) + sigma1;
  end else begin : gen_carry_save
    // Each pair is {carry word already shifted, sum word}.
    logic [63:0] t1, e_pair, a_first, a_pair;
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
