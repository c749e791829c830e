// SPDX-License-Identifier: Apache-2.0
//
// Working variables of `hmac_sha256_round`: a to g, and the sum of h, a round's constant and its word.
//
// The sum is made in the clock before its round, from g. A word with the constant 0 adds the word to
// the variable that is h next. So eight such words, H7 first, add a chaining value to the variables,
// which move on in these clocks, from h to a. `word_o` is each sum, to be kept. From variables of
// zero the same words load the value.
module hmac_sha256_round_state (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        step_i,
  input  logic        round_i,     // a round; else the variables move on
  input  logic [31:0] constant_i,
  input  logic [31:0] word_i,
  output logic [31:0] word_o       // 0 in a round
);
  import sha256_pkg::*;

  logic [31:0] a_q, b_q, c_q, d_q, e_q, f_q, g_q, ready_q;
  logic [31:0] sum_a, sum_e, sum_ready;
  logic [63:0] temporary, three_a, four_a, three_e, three_ready;

  assign temporary = carry_save(big_sigma1(e_q), choose(e_q, f_q, g_q), ready_q);
  assign three_e = carry_save(temporary[31:0], temporary[63:32], d_q);
  assign three_a = carry_save(big_sigma0(a_q), majority(a_q, b_q, c_q), temporary[31:0]);
  assign four_a = carry_save(three_a[31:0], three_a[63:32], temporary[63:32]);
  assign three_ready = carry_save(g_q, constant_i, word_i);
  jm_ripple_adder u_e (.a_i(three_e[31:0]), .b_i(three_e[63:32]), .sum_o(sum_e));
  jm_ripple_adder u_a (.a_i(four_a[31:0]), .b_i(four_a[63:32]), .sum_o(sum_a));
  jm_ripple_adder u_ready (
    .a_i(three_ready[31:0]), .b_i(three_ready[63:32]), .sum_o(sum_ready)
  );

  assign word_o = ready_q & {32{!round_i}};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {a_q, b_q, c_q, d_q, e_q, f_q, g_q, ready_q} <= '0;
    end else if (step_i) begin
      a_q <= (sum_a & {32{round_i}}) | word_o;
      b_q <= a_q;
      c_q <= b_q;
      d_q <= c_q;
      e_q <= round_i ? sum_e : d_q;
      f_q <= e_q;
      g_q <= f_q;
      ready_q <= sum_ready;
    end
  end
endmodule
