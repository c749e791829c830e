// SPDX-License-Identifier: Apache-2.0
//
// Proofs about `siphash`: its streams keep their rules, and one message gives one tag.
//
// The sources of keys and messages are assumed to keep theirs; all else is left open: when words
// come, how long messages are, when tags are taken, when `clear_i` strikes.
module siphash_formal #(
  parameter int unsigned ROUNDS = 2
) (
  input logic         clk_i,
  input logic         rst_ni,
  input logic         clear_i,
  input logic         key_valid_i,
  input logic [127:0] key_i,
  input logic         msg_valid_i,
  input logic [63:0]  msg_data_i,
  input logic [3:0]   msg_bytes_i,
  input logic         msg_last_i,
  input logic         tag_ready_i
);
  localparam int unsigned WordClocks = (ROUNDS == 1) ? 2 : 1;
  localparam int unsigned FinalClocks = 4 / ROUNDS;
  localparam int unsigned TagClocks = 2 * WordClocks + FinalClocks;
  localparam logic [1:0] PhaseIdle = 2'd0, PhaseWord = 2'd1, PhaseFinal = 2'd2;

  logic        key_ready, msg_ready, tag_valid;
  logic [63:0] tag;

  siphash #(.ROUNDS(ROUNDS)) u_core (
    .clk_i, .rst_ni, .clear_i,
    .key_valid_i, .key_ready_o(key_ready), .key_i,
    .msg_valid_i, .msg_ready_o(msg_ready), .msg_data_i, .msg_bytes_i, .msg_last_i,
    .tag_valid_o(tag_valid), .tag_ready_i, .tag_o(tag)
  );

  // Reset in the first clock, and never again.
  logic first_q = 1'b1;
  always_ff @(posedge clk_i) first_q <= 1'b0;
  always_comb assume (rst_ni == !first_q);
  always_comb if (msg_last_i) assume (msg_bytes_i <= 4'd8);

  jm_stream_check #(.WIDTH(128), .ASSUME(1)) u_keys (
    .clk_i, .rst_ni, .clear_i, .valid_i(key_valid_i), .ready_i(key_ready), .data_i(key_i)
  );
  jm_stream_check #(.WIDTH(69), .ASSUME(1)) u_messages (
    .clk_i, .rst_ni, .clear_i, .valid_i(msg_valid_i), .ready_i(msg_ready),
    .data_i({msg_data_i, msg_bytes_i, msg_last_i})
  );
  jm_stream_check #(.WIDTH(64)) u_tags (
    .clk_i, .rst_ni, .clear_i, .valid_i(tag_valid), .ready_i(tag_ready_i), .data_i(tag)
  );

  // One message may wait behind a tag that nobody takes; hence two.
  logic [7:0] messages, waited;
  jm_one_for_one #(.MESSAGES(2), .CLOCKS(TagClocks)) u_one_for_one (
    .clk_i, .rst_ni, .clear_i,
    .message_i(msg_valid_i && msg_ready && msg_last_i),
    .result_valid_i(tag_valid), .result_i(tag_valid && tag_ready_i),
    .messages_o(messages), .waited_o(waited)
  );

  // What ties the core's registers to the counts, so that one step of induction is enough.
  logic       whole;      // a whole message is in the core, its tag not out
  logic [7:0] remaining;  // clocks until it is
  always_comb begin : p_remaining
    whole = (u_core.phase_q == PhaseWord && u_core.last_q) || u_core.phase_q == PhaseFinal;
    remaining = 8'd0;
    if (u_core.phase_q == PhaseWord) begin
      remaining = 8'(WordClocks + FinalClocks) - {6'd0, u_core.clock_q}
                  + (u_core.length_due_q ? 8'(WordClocks) : 8'd0);
    end else if (u_core.phase_q == PhaseFinal) begin
      remaining = 8'(FinalClocks) - {6'd0, u_core.clock_q};
    end
  end
  always_comb begin : p_invariants
    if (rst_ni) begin
      assert (messages == {7'd0, tag_valid} + {7'd0, whole});
      assert (u_core.phase_q != 2'd3);
      if (u_core.phase_q == PhaseWord) assert (u_core.clock_q < 2'(WordClocks));
      if (u_core.phase_q == PhaseFinal) assert ({1'b0, u_core.clock_q} < 3'(FinalClocks));
      if (u_core.length_due_q) assert (u_core.phase_q == PhaseWord && u_core.last_q);
      if (whole && !tag_valid) assert (waited + remaining <= 8'(TagClocks));
      if (u_core.phase_q != PhaseIdle) assert (u_core.started_q && u_core.key_set_q);
    end
  end

  // No key between the words of a message.
  logic open_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin : p_open_message
    if (!rst_ni) open_q <= 1'b0;
    else if (clear_i) open_q <= 1'b0;
    else if (msg_valid_i && msg_ready) open_q <= !msg_last_i;
  end
  always_comb begin : p_key_waits
    if (rst_ni) begin
      assert (!(open_q && key_ready));
      if (open_q) assert (u_core.started_q && !whole);
    end
  end

  // No state without a way on: idle, the core takes a key or, where it has one, a word.
  always_comb begin : p_open
    if (rst_ni && u_core.phase_q == PhaseIdle) begin
      assert (key_ready || u_core.started_q);
      assert (msg_ready == u_core.key_set_q);
      assert (!u_core.started_q || u_core.key_set_q);
    end
  end

  // The assumptions leave room: a message of two words and one more get their tags.
  logic [1:0] tags_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin : p_tags
    if (!rst_ni) tags_q <= '0;
    else if (tag_valid && tag_ready_i && tags_q != 2'd3) tags_q <= tags_q + 2'd1;
  end
  always_comb cover (tags_q == 2'd2 && u_core.length_q > 8'd8);
endmodule
