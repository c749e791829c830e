// SPDX-License-Identifier: Apache-2.0
//
// For proofs: a MAC core with streams of keys, messages and tags gives one tag for each message,
// and never locks.
//
// This module watches the core's ports, and five facts of its registers that relate it to the
// counts, so that one step of induction is enough. Reset is active in the first clock alone. The
// sources of keys and messages are assumed to keep the rules of streams and of `msg_bytes_i`; all
// else is left open: when words come, how long messages are, when tags are taken, when `wipe_i` is
// high.
// 1. The tag stream keeps the rules of streams.
// 2. `jm_one_for_one`: a message gives one tag, within `CLOCKS` clocks in which no tag is offered.
// 3. No key moves between a message's first word and its last.
// 4. An idle core takes a key or, if it has a key, a word; not in the clock after `wipe_i` if the
//    core is wiped then (`WIPED_LATER`).
// One message may wait behind a tag that nobody takes, so at most two messages are in the core.
module jm_keyed_stream_check #(
  parameter int unsigned WORD_BYTES = 8,
  parameter int unsigned TAG_BITS = 64,
  parameter int unsigned CLOCKS = 16,
  parameter int unsigned WIPED_LATER = 0
) (
  input logic                            clk_i,
  input logic                            rst_ni,
  input logic                            wipe_i,
  input logic                            key_valid_i,
  input logic                            key_ready_i,
  input logic [127:0]                    key_i,
  input logic                            msg_valid_i,
  input logic                            msg_ready_i,
  input logic [8*WORD_BYTES-1:0]         msg_data_i,
  input logic [$clog2(WORD_BYTES+1)-1:0] msg_bytes_i,
  input logic                            msg_last_i,
  input logic                            tag_valid_i,
  input logic                            tag_ready_i,
  input logic [TAG_BITS-1:0]             tag_i,

  input logic                            idle_i,      // the core computes nothing
  input logic                            keyed_i,     // the core has a key
  input logic                            started_i,   // a message has begun
  input logic                            whole_i,     // a whole message is in, its tag not offered
  input logic [7:0]                      remaining_i  // clocks until it is offered
);
  localparam int unsigned CountBits = $clog2(WORD_BYTES + 1);

  logic first_q = 1'b1;
  always_ff @(posedge clk_i) first_q <= 1'b0;
  always_comb assume (rst_ni == !first_q);
  always_comb if (msg_last_i) assume (msg_bytes_i <= CountBits'(WORD_BYTES));

  jm_stream_check #(.WIDTH(128), .ASSUME(1)) u_keys (
    .clk_i, .rst_ni, .wipe_i, .valid_i(key_valid_i), .ready_i(key_ready_i), .data_i(key_i)
  );
  jm_stream_check #(.WIDTH(8*WORD_BYTES + CountBits + 1), .ASSUME(1)) u_messages (
    .clk_i, .rst_ni, .wipe_i, .valid_i(msg_valid_i), .ready_i(msg_ready_i),
    .data_i({msg_data_i, msg_bytes_i, msg_last_i})
  );
  jm_stream_check #(.WIDTH(TAG_BITS)) u_tags (
    .clk_i, .rst_ni, .wipe_i, .valid_i(tag_valid_i), .ready_i(tag_ready_i), .data_i(tag_i)
  );

  logic take_word, take_tag;
  assign take_word = msg_valid_i && msg_ready_i;
  assign take_tag = tag_valid_i && tag_ready_i;

  logic [7:0] messages, waited;
  jm_one_for_one #(.MESSAGES(2), .CLOCKS(CLOCKS)) u_one_for_one (
    .clk_i, .rst_ni, .wipe_i,
    .message_i(take_word && msg_last_i), .result_valid_i(tag_valid_i), .result_i(take_tag),
    .messages_o(messages), .waited_o(waited)
  );
  always_comb begin : p_counts
    if (rst_ni) begin
      assert (messages == {7'd0, tag_valid_i} + {7'd0, whole_i});
      if (whole_i && !tag_valid_i) assert (waited + remaining_i <= 8'(CLOCKS));
    end
  end

  logic open_q;  // a message has begun and has not ended
  always_ff @(posedge clk_i or negedge rst_ni) begin : p_open_message
    if (!rst_ni) open_q <= 1'b0;
    else if (wipe_i) open_q <= 1'b0;
    else if (take_word) open_q <= !msg_last_i;
  end
  always_comb begin : p_key_waits
    if (rst_ni && open_q) assert (!key_ready_i && started_i && !whole_i);
  end

  logic wiped_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin : p_wiped
    if (!rst_ni) wiped_q <= 1'b0;
    else wiped_q <= wipe_i && WIPED_LATER != 0;
  end
  always_comb begin : p_way_on
    if (rst_ni && !wiped_q) begin
      if (idle_i) assert (key_ready_i || started_i);
      if (idle_i) assert (msg_ready_i == keyed_i);
      if (started_i || !idle_i) assert (keyed_i);
    end
  end

  // The assumptions leave room: two messages, one of them of more than one word, get their tags.
  logic [1:0] tags_q;
  logic       more_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin : p_reached
    if (!rst_ni) begin
      tags_q <= '0;
      more_q <= 1'b0;
    end else begin
      if (take_tag && tags_q != 2'd3) tags_q <= tags_q + 2'd1;
      if (take_word && !msg_last_i) more_q <= 1'b1;
    end
  end
  always_comb cover (tags_q == 2'd2 && more_q);
endmodule
