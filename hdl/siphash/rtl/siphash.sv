// SPDX-License-Identifier: Apache-2.0
//
// SipHash-2-4 with a tag of 64 bits, for messages of any length.
//
// A message is a stream of words of up to 8 bytes, its first byte in bits [7:0]. Every word has 8
// bytes but the last, which has 0 to 8; an empty message is one last word of 0 bytes. The core adds
// the length and the final rounds. The key stays until another key or `wipe_i`.
//
// Clocks, for a message of n bytes, w = floor(n / 8) + 1 words with the length in the last one:
//   ROUNDS = 1: 2 w + 4     ROUNDS = 2: w + 2     ROUNDS = 4: w + 1
// between messages back to back. A tag is offered 6, 3 or 2 clocks after the edge that takes the
// last word (ROUNDS 1, 2 or 4), and 2, 1 or 1 clocks later if that word is full.
//
// Moments: `ready` outputs depend on registers alone. A key that moves on the same edge as the
// first word of a message is that message's key. `key_ready_o` is low from a message's first word
// to the edge that ends its final rounds: a source that never pauses between messages keeps keys
// out.
//
// Not guaranteed: the core does not resist power analysis or faults. Its time depends only on the
// length of the message.
//
// Source: Aumasson and Bernstein, "SipHash: a fast short-input PRF" (2012), section 2.
module siphash
  import siphash_pkg::*;
#(
  parameter int unsigned ROUNDS = 2  // SipRounds in a clock: 1, 2 or 4
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         wipe_i,       // wipes key, state and tag; a message in progress is lost

  input  logic         key_valid_i,
  output logic         key_ready_o,
  input  logic [127:0] key_i,        // first byte in bits [7:0]

  input  logic         msg_valid_i,
  output logic         msg_ready_o,
  input  logic [63:0]  msg_data_i,   // first byte in bits [7:0]; beyond msg_bytes_i any value
  input  logic [3:0]   msg_bytes_i,  // 0 to 8; counts only with the last word
  input  logic         msg_last_i,

  output logic         tag_valid_o,
  input  logic         tag_ready_i,
  output logic [63:0]  tag_o         // first byte in bits [7:0]
);
  localparam int unsigned WordClocks = (ROUNDS == 1) ? 2 : 1;
  localparam int unsigned FinalClocks = 4 / ROUNDS;

  typedef enum logic [1:0] {
    PhaseIdle,  // the state waits for a word
    PhaseWord,  // the two rounds of a word
    PhaseFinal  // the four rounds after the last word
  } phase_e;

  phase_e      phase_q, phase_d;
  logic [1:0]  clock_q, clock_d;      // clocks spent in this phase
  logic        started_q, started_d;  // a message has begun
  logic        last_q, last_d;        // no word comes after the current word
  logic        length_due_q, length_due_d;  // the core adds the word with the length next
  logic [7:0]  length_q, length_d;    // bytes so far, modulo 256
  logic [63:0] word_q, word_d;        // the current word, for v0
  state_t      state_q, state_d;
  logic        key_set_q;
  logic [127:0] key_q;
  logic        tag_valid_q;
  logic [63:0] tag_q;

  logic word_done, final_done;
  assign word_done = phase_q == PhaseWord && clock_q == 2'(WordClocks - 1);
  // A tag that is not taken holds the next tag back.
  assign final_done = phase_q == PhaseFinal && clock_q == 2'(FinalClocks - 1) && !tag_valid_q;

  logic take_key, take_word, take_tag;
  assign key_ready_o = phase_q == PhaseIdle && !started_q;
  assign msg_ready_o = key_set_q && (phase_q == PhaseIdle || (word_done && !last_q) || final_done);
  assign take_key = key_valid_i && key_ready_o;
  assign take_word = msg_valid_i && msg_ready_o;
  assign take_tag = tag_valid_q && tag_ready_i;

  // The word that comes in: bytes beyond the last are zero, and the length is in the top byte
  // unless the last word is full.
  logic [7:0]  length_with_word;
  logic [63:0] word_in;
  always_comb begin : p_word_in
    length_with_word = (started_q && phase_q != PhaseFinal ? length_q : 8'd0)
                       + (msg_last_i ? {4'd0, msg_bytes_i} : 8'd8);
    word_in = msg_data_i;
    if (msg_last_i) begin
      for (int unsigned index = 0; index < 8; index++) begin
        if (msg_bytes_i <= 4'(index)) word_in[8*index +: 8] = 8'd0;
      end
      if (!msg_bytes_i[3]) word_in[63:56] = length_with_word;
    end
  end

  // There are two chains, since at ROUNDS 4 the final rounds are four and a word's rounds are two.
  state_t after_word, after_final;
  if (ROUNDS == 4) begin : gen_four
    assign after_word = sip_round(sip_round(state_q));
    assign after_final = sip_round(sip_round(after_word));
  end else if (ROUNDS == 2) begin : gen_two
    assign after_word = sip_round(sip_round(state_q));
    assign after_final = after_word;
  end else begin : gen_one
    assign after_word = sip_round(state_q);
    assign after_final = after_word;
  end

  // The state for the next word, or for the final rounds.
  always_comb begin : p_state
    state_d = state_q;
    word_d = word_q;
    unique case (phase_q)
      PhaseWord: begin
        state_d = after_word;
        if (word_done) state_d[0] ^= word_q;
        if (word_done && last_q && length_due_q) begin
          word_d = {length_q, 56'd0};
          state_d[3] ^= word_d;
        end
        if (word_done && last_q && !length_due_q) state_d[2] ^= 64'hff;
      end
      PhaseFinal: begin
        if (final_done) state_d = start(key_q);
        else if (clock_q != 2'(FinalClocks - 1)) state_d = after_final;
      end
      default: if (take_key) state_d = start(key_i);
    endcase
    if (take_word) begin
      word_d = word_in;
      state_d[3] ^= word_in;
    end
  end

  always_comb begin : p_control
    phase_d = phase_q;
    clock_d = clock_q + 2'd1;
    started_d = started_q;
    last_d = last_q;
    length_due_d = length_due_q;
    length_d = length_q;
    unique case (phase_q)
      PhaseWord: begin
        if (word_done) begin
          clock_d = 2'd0;
          if (!last_q) phase_d = PhaseIdle;
          else if (length_due_q) length_due_d = 1'b0;
          else phase_d = PhaseFinal;
        end
      end
      PhaseFinal: begin
        if (final_done) begin
          phase_d = PhaseIdle;
          started_d = 1'b0;
        end else if (clock_q == 2'(FinalClocks - 1)) begin
          clock_d = clock_q;
        end
      end
      default: clock_d = 2'd0;
    endcase
    if (take_word) begin
      phase_d = PhaseWord;
      clock_d = 2'd0;
      started_d = 1'b1;
      last_d = msg_last_i;
      length_due_d = msg_last_i && msg_bytes_i[3];
      length_d = length_with_word;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_registers
    if (!rst_ni) begin
      phase_q <= PhaseIdle;
      clock_q <= '0;
      started_q <= 1'b0;
      last_q <= 1'b0;
      length_due_q <= 1'b0;
      length_q <= '0;
      word_q <= '0;
      state_q <= '0;
      key_set_q <= 1'b0;
      key_q <= '0;
      tag_valid_q <= 1'b0;
      tag_q <= '0;
    end else if (wipe_i) begin
      phase_q <= PhaseIdle;
      clock_q <= '0;
      started_q <= 1'b0;
      last_q <= 1'b0;
      length_due_q <= 1'b0;
      length_q <= '0;
      word_q <= '0;
      state_q <= '0;
      key_set_q <= 1'b0;
      key_q <= '0;
      tag_valid_q <= 1'b0;
      tag_q <= '0;
    end else begin
      phase_q <= phase_d;
      clock_q <= clock_d;
      started_q <= started_d;
      last_q <= last_d;
      length_due_q <= length_due_d;
      length_q <= length_d;
      word_q <= word_d;
      state_q <= state_d;
      if (take_key) begin
        key_set_q <= 1'b1;
        key_q <= key_i;
      end
      if (final_done) begin
        tag_valid_q <= 1'b1;
        tag_q <= after_final[0] ^ after_final[1] ^ after_final[2] ^ after_final[3];
      end else if (take_tag) begin
        tag_valid_q <= 1'b0;
      end
    end
  end

  assign tag_valid_o = tag_valid_q;
  assign tag_o = tag_q;

`ifndef SYNTHESIS
  logic was_wiped_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin : p_assertions
    if (!rst_ni) begin
      was_wiped_q <= 1'b0;
    end else begin
      was_wiped_q <= wipe_i;
      a_wipe_clears : assert (!was_wiped_q || (key_q == '0 && state_q == '0 && word_q == '0
                                             && tag_q == '0 && !key_set_q && !tag_valid_q));
      a_bytes_in_range : assert (!(take_word && msg_last_i) || msg_bytes_i <= 4'd8);
      a_phase : assert (phase_q inside {PhaseIdle, PhaseWord, PhaseFinal});
      a_no_tag_lost : assert (!(final_done && tag_valid_q));
    end
  end
`endif
endmodule
