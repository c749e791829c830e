// SPDX-License-Identifier: Apache-2.0
//
// Message schedule of `hmac_sha256_round`: `word_o` is W[n-1] while W[n] comes in or is computed.
//
// The words before lie in two queues of latches: 7 words, from 1 back to 7, and 10 words, from
// there to 16. In a queue no word moves: a ring of one bit says which word is the newest, and the
// next takes the place of the oldest. All four words of a sum leave latches by the same gates at
// the same time, so that the sum changes little more than once in a clock. Words that are not
// wanted are 0.
//
// The latches are open while the clock is low. `short_i` and `long_i` must have settled when the
// clock falls. A queue that is written without a step takes the same word again, and no harm is
// done.
module hmac_sha256_round_schedule (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        step_i,
  input  logic        short_i,   // W[n] is a word of a block: W[n-1] goes into the short queue
  input  logic        long_i,    // W[n-7] goes into the long queue
  input  logic        compute_i, // W[n] is computed; else it is `word_i`
  input  logic [31:0] word_i,    // 0 with `compute_i`
  output logic [31:0] word_o
);
  import jm_sha256_pkg::small_sigma0;
  import jm_sha256_pkg::small_sigma1;
  import hmac_sha256_round_pkg::*;

  localparam int unsigned Short = 7;
  localparam int unsigned Long = 10;

  logic [31:0] word1_q, word2, word7, word15, word16, sum;
  logic [31:0] short_words [Short];
  logic [31:0] long_words [Long];
  // Places that W[n-1] and W[n-7] take.
  logic [Short-1:0] short_q;
  logic [Long-1:0]  long_q;
  logic [63:0] three, four;

  for (genvar i = 0; i < Short; i++) begin : gen_short
    jm_latch #(.WIDTH(32)) u_word (
      .rst_ni, .gate_i(short_q[i] & short_i & ~clk_i), .d_i(word1_q), .q_o(short_words[i])
    );
  end
  for (genvar i = 0; i < Long; i++) begin : gen_long
    jm_latch #(.WIDTH(32)) u_word (
      .rst_ni, .gate_i(long_q[i] & long_i & ~clk_i), .d_i(word7), .q_o(long_words[i])
    );
  end

  always_comb begin
    word2 = '0;
    word7 = '0;
    word15 = '0;
    word16 = '0;
    for (int unsigned i = 0; i < Short; i++) begin
      word2 |= short_words[i] & {32{short_q[(i+1)%Short] & compute_i}};
      word7 |= short_words[i] & {32{short_q[(i+Short-1)%Short] & long_i}};
    end
    for (int unsigned i = 0; i < Long; i++) begin
      word15 |= long_words[i] & {32{long_q[(i+Long-2)%Long] & compute_i}};
      word16 |= long_words[i] & {32{long_q[(i+Long-1)%Long] & compute_i}};
    end
  end

  assign three = carry_save(word16, word7, small_sigma0(word15));
  assign four = carry_save(three[31:0], small_sigma1(word2), three[63:32]);
  hmac_sha256_round_adder u_sum (.a_i(four[31:0]), .b_i(four[63:32]), .sum_o(sum));

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      word1_q <= '0;
      short_q <= Short'(1);
      long_q <= Long'(1);
    end else if (step_i) begin
      word1_q <= word_i | (sum & {32{compute_i}});
      if (short_i) begin
        short_q <= {short_q[Short-2:0], short_q[Short-1]};
        long_q <= {long_q[Long-2:0], long_q[Long-1]};
      end
    end
  end

  assign word_o = word1_q;
endmodule
