// SPDX-License-Identifier: Apache-2.0
//
// Message schedule of `hmac_sha256_round`: `word_o` is W[n-1] while W[n] comes in or is computed.
//
// Words 1, 2 and 16 back are in flip-flops. Between them lie two queues of latches: of 6 words, from
// word 2 back to word 7, and of 9 words, from there to word 15. In a queue no word moves: a ring of
// one bit says which word is the oldest. The newest takes the place of the one that left before.
//
// The latches are open while the clock is low. `short_i` and `queue_i` must have settled
// when the clock falls. A queue that is written without a step takes the same word again, and no harm
// is done.
module hmac_sha256_round_schedule (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        step_i,
  input  logic        short_i,   // word 2 back goes into the short queue
  input  logic        queue_i,   // word 7 back is wanted, and goes into the long queue
  input  logic        long_i,    // word 15 back is wanted
  input  logic        compute_i, // else `word_i` comes in
  input  logic [31:0] word_i,    // 0 with `compute_i`
  output logic [31:0] word_o
);
  import sha256_pkg::*;

  localparam int unsigned Short = 6;
  localparam int unsigned Long = 9;

  logic [31:0] word1_q, word2_q, word16_q, word7, word15, sum;
  logic [31:0] short [Short];
  logic [31:0] long [Long];
  logic [Short-1:0] short_oldest_q, short_newest;
  logic [Long-1:0]  long_oldest_q, long_newest;
  logic [63:0] three, four;

  // What is oldest now was next to be the oldest before.
  assign short_newest = {short_oldest_q[0], short_oldest_q[Short-1:1]};
  assign long_newest = {long_oldest_q[0], long_oldest_q[Long-1:1]};
  for (genvar i = 0; i < Short; i++) begin : gen_short
    jm_latch #(.WIDTH(32)) u_word (
      .rst_ni, .gate_i(short_newest[i] & short_i & ~clk_i), .d_i(word2_q), .q_o(short[i])
    );
  end
  for (genvar i = 0; i < Long; i++) begin : gen_long
    jm_latch #(.WIDTH(32)) u_word (
      .rst_ni, .gate_i(long_newest[i] & queue_i & ~clk_i), .d_i(word7), .q_o(long[i])
    );
  end

  always_comb begin
    word7 = '0;
    word15 = '0;
    for (int unsigned i = 0; i < Short; i++) word7 |= short[i] & {32{short_oldest_q[i] & queue_i}};
    for (int unsigned i = 0; i < Long; i++) word15 |= long[i] & {32{long_oldest_q[i] & long_i}};
  end

  assign three = carry_save(word16_q, small_sigma0(word15), word7);
  assign four = carry_save(three[31:0], three[63:32], small_sigma1(word2_q));
  jm_ripple_adder u_sum (.a_i(four[31:0]), .b_i(four[63:32]), .sum_o(sum));

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      word1_q <= '0;
      word2_q <= '0;
      word16_q <= '0;
      short_oldest_q <= Short'(1);
      long_oldest_q <= Long'(1);
    end else if (step_i) begin
      word1_q <= word_i | (sum & {32{compute_i}});
      if (short_i) begin
        word2_q <= word1_q;
        word16_q <= word15;
        short_oldest_q <= {short_oldest_q[Short-2:0], short_oldest_q[Short-1]};
        long_oldest_q <= {long_oldest_q[Long-2:0], long_oldest_q[Long-1]};
      end
    end
  end

  assign word_o = word1_q;
endmodule
