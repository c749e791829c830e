// SPDX-License-Identifier: Apache-2.0
//
// The message schedules of two blocks that take turns (FIPS 180-4, section 6.2.2, step 1): one word
// in a clock, for the two blocks by turns. The words stay here for all 64 rounds.
//
// A block's words 0 and 1 come in together (`start_i` with `feed_i`), and every other clock one
// more word until all sixteen are there (`feed_i`); later words are computed. The newest word of
// the block whose turn it was is on `word_o`. Each of the three additions of a word has a clock for
// itself.
module sha256_interleaved_schedule
  import sha256_pkg::*;
#(
  parameter int unsigned TECHNOLOGY = 0
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic start_i,
  input  word_t start_word_i,
  input  logic feed_i,
  input  word_t feed_word_i,
  output word_t word_o
);

  // Oldest word first; every other word is of the same block. W(t-16) is used before it would need
  // a thirtieth place.
  localparam int unsigned Places = 29;
  localparam int unsigned Newest = Places - 1;

  word_t window_q [Places];
  word_t old_part, old_part_q, old_sum, old_sum_q, computed, computed_q;

  // The additions for a word, three, two and one clocks before the word has its place. Each reads
  // the terms at the places that they have in its clock.
  sha256_adder #(
    .TECHNOLOGY(TECHNOLOGY)
  ) u_old_part (
    .x_i(window_q[Newest-10]), .b_i(window_q[0]), .c_i('0), .d_i('0), .sum_o(old_part)
  );
  sha256_adder #(
    .TECHNOLOGY(TECHNOLOGY)
  ) u_old_sum (
    .x_i(old_part_q), .b_i(small_sigma0(window_q[1])), .c_i('0), .d_i('0), .sum_o(old_sum)
  );
  sha256_adder #(
    .TECHNOLOGY(TECHNOLOGY)
  ) u_computed (
    .x_i(old_sum_q), .b_i(small_sigma1(window_q[Newest-2])), .c_i('0), .d_i('0), .sum_o(computed)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_window
    if (!rst_ni) begin
      window_q <= '{default: '0};
      {old_part_q, old_sum_q, computed_q} <= '0;
    end else begin
      old_part_q <= old_part;
      old_sum_q <= old_sum;
      computed_q <= computed;
      for (int unsigned i = 0; i < Newest; i++) begin
        window_q[i] <= (start_i && i == Newest - 2) ? start_word_i : window_q[i+1];
      end
      window_q[Newest] <= feed_i ? feed_word_i : computed_q;
    end
  end

  assign word_o = window_q[Newest-1];

endmodule
