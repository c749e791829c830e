// SPDX-License-Identifier: Apache-2.0
//
// The message schedule of one block (FIPS 180-4, section 6.2.2, step 1), which stays in these
// sixteen words for all 64 rounds while the block moves from stage to stage. ROUNDS words in a
// clock.
//
// The block's sixteen words come in one after another (`feed_i`, from `sha256_schedules`), later
// words are computed. The newest ROUNDS words are on `words_o`. `start_i` with `feed_i` takes the
// block's first LOOKAHEAD words at once and starts afresh. The sum of the three older terms of a
// word is made one clock before (`old_sum_q`).
module sha256_schedule
  import sha256_pkg::*;
#(
  parameter int unsigned ROUNDS = 1,
  parameter int unsigned LOOKAHEAD = 2  // ROUNDS or 2 * ROUNDS
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic advance_i,
  // Not all bits are used: the last ROUNDS words come in by `feed_i`.
  // verilator lint_off UNUSEDSIGNAL
  input  logic start_i,
  input  logic [32*LOOKAHEAD-1:0] start_words_i,  // W0 lowest
  // verilator lint_on UNUSEDSIGNAL
  input  logic feed_i,
  input  logic [32*ROUNDS-1:0] feed_words_i,  // earliest word lowest
  output logic [32*ROUNDS-1:0] words_o
);

  word_t window_q [16];  // oldest word first
  word_t window_next [16];
  word_t old_sum_q [ROUNDS];
  // The window and the words after it.
  word_t all [16+ROUNDS]  /* verilator split_var */;
  word_t computed [ROUNDS]  /* verilator split_var */;

  for (genvar i = 0; i < 16; i++) begin : gen_window
    assign all[i] = window_q[i];
    if (i < 16 - LOOKAHEAD || i >= 16 - ROUNDS) begin : gen_shift
      assign window_next[i] = all[i+ROUNDS];
    end else begin : gen_load
      assign window_next[i] =
          start_i ? start_words_i[32*(i + LOOKAHEAD - 16) +: 32] : all[i+ROUNDS];
    end
  end

  for (genvar i = 0; i < ROUNDS; i++) begin : gen_word
    word_t old_sum;
    assign computed[i] = old_sum_q[i] + small_sigma1(all[14+i]);
    assign old_sum = (all[9+ROUNDS+i] + all[ROUNDS+i]) + small_sigma0(all[1+ROUNDS+i]);
    assign all[16+i] = feed_i ? feed_words_i[32*i +: 32] : computed[i];
    assign words_o[32*i +: 32] = window_q[16-ROUNDS+i];

    always_ff @(posedge clk_i or negedge rst_ni) begin : p_old_sum
      if (!rst_ni) begin
        old_sum_q[i] <= '0;
      end else if (advance_i) begin
        old_sum_q[i] <= old_sum;
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_window
    if (!rst_ni) begin
      window_q <= '{default: '0};
    end else if (advance_i) begin
      window_q <= window_next;
    end
  end

endmodule
