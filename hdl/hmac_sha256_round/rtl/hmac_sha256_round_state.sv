// SPDX-License-Identifier: Apache-2.0
//
// Working variables of `hmac_sha256_round`: a to g, and the sum of h, a round's constant and its
// word.
//
// The sum is made in the clock before its round. With the constant 0, and a word of the chaining
// value, the same adder makes a word of the next chaining value, of any variable. `kept_o` is such
// a sum. From a sum with nothing e to g are loaded, then a to d, by moving on. While the variables
// stand still nothing toggles but this adder.
//
// a to d are one round behind e to h. So a and e are sums of registers alone, with no adder in
// common, and each toggles less: T1 is e less d of the round before, and d is what c was then.
module hmac_sha256_round_state (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        step_i,      // else all stand still
  input  logic        first_i,     // the round is a block's first: a to d are not behind
  input  logic        round_i,     // a round of e to h
  input  logic        late_i,      // the same round of a to d, one step later
  // Instead of a round: e takes the sum, f takes e, g takes f. Instead of a late round: the same
  // for a to d.
  input  logic        load_e_i,
  input  logic        load_a_i,
  input  logic [7:0]  select_i,    // variable that goes into the next sum, a in bit 0, or none
  input  logic [31:0] constant_i,
  input  logic [31:0] word_i,
  input  logic        keep_i,
  output logic [31:0] kept_o       // the sum, or 0
);
  import jm_sha256_pkg::big_sigma0;
  import jm_sha256_pkg::big_sigma1;
  import hmac_sha256_round_pkg::*;

  logic [31:0] a_q, b_q, c_q, d_q, e_q, f_q, g_q, sum_q;
  logic [31:0] next_a, next_e, next_sum, loaded, old_d, selected;
  logic [63:0] two_a, three_a, two_e, three_e, two_sum;

  // What leaves registers directly is added first, since the others come later: an adder whose
  // inputs come together toggles less.
  assign old_d = first_i ? d_q : c_q;
  assign two_e = carry_save(sum_q, old_d, choose(e_q, f_q, g_q));
  assign three_e = carry_save(two_e[31:0], big_sigma1(e_q), two_e[63:32]);
  hmac_sha256_round_adder u_e (.a_i(three_e[31:0]), .b_i(three_e[63:32]), .sum_o(next_e));

  // Less d: its complement and 1, in the place of the lowest carry.
  assign two_a = carry_save(e_q, ~d_q, majority(a_q, b_q, c_q));
  assign three_a = carry_save(two_a[31:0], big_sigma0(a_q), two_a[63:32] | 32'd1);
  hmac_sha256_round_adder u_a (.a_i(three_a[31:0]), .b_i(three_a[63:32]), .sum_o(next_a));

  always_comb begin
    selected = '0;
    selected |= a_q & {32{select_i[0]}};
    selected |= b_q & {32{select_i[1]}};
    selected |= c_q & {32{select_i[2]}};
    selected |= d_q & {32{select_i[3]}};
    selected |= e_q & {32{select_i[4]}};
    selected |= f_q & {32{select_i[5]}};
    selected |= g_q & {32{select_i[6]}};
    selected |= sum_q & {32{select_i[7]}};
  end
  assign two_sum = carry_save(selected, word_i, constant_i);
  hmac_sha256_round_adder u_sum (.a_i(two_sum[31:0]), .b_i(two_sum[63:32]), .sum_o(next_sum));

  assign kept_o = sum_q & {32{keep_i}};
  assign loaded = sum_q & {32{load_e_i | load_a_i}};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {a_q, b_q, c_q, d_q, e_q, f_q, g_q, sum_q} <= '0;
    end else if (step_i) begin
      sum_q <= next_sum;
      if (late_i || load_a_i) begin
        a_q <= (next_a & {32{late_i}}) | loaded;
        b_q <= a_q;
        c_q <= b_q;
        d_q <= c_q;
      end
      if (round_i || load_e_i) begin
        e_q <= (next_e & {32{round_i}}) | loaded;
        f_q <= e_q;
        g_q <= f_q;
      end
    end
  end
endmodule
