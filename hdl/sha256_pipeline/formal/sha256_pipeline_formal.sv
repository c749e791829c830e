// SPDX-License-Identifier: Apache-2.0
//
// Properties of `sha256_pipeline`'s control: each message on each channel gives one digest on that
// channel, none lost, none twice, none early; digests wait; the core does not lock.
//
// Pieces of messages come on any channel, in any mixture, of any length, with pauses; digests are
// taken at any time. The contents of pieces are left out, because the control does not depend on
// them. An arbitrary channel is also counted alone. CLOCKS bounds the clocks that two blocks of one
// message, and the blocks that may be before them, take with the model of the engine, whose stages
// take two clocks each.
module sha256_pipeline_formal #(
  parameter int unsigned STAGES = 2,
  parameter int unsigned CLOCKS = 20,
  localparam int unsigned ChannelBits = (STAGES > 1) ? $clog2(STAGES) : 1
) (
  input logic                    clk_i,
  input logic                    rst_ni,
  input logic                    wipe_i,
  input logic                    msg_valid_i,
  input logic [6:0]              msg_bytes_i,
  input logic                    msg_last_i,
  input logic [ChannelBits-1:0] msg_channel_i,
  input logic                    digest_ready_i,
  input logic [ChannelBits-1:0] any_channel_i
);
  logic                    msg_ready, digest_valid;
  logic [ChannelBits-1:0] digest_channel;

  sha256_pipeline #(.STAGES(STAGES)) u_core (
    .clk_i, .rst_ni, .wipe_i,
    .msg_valid_i, .msg_ready_o(msg_ready), .msg_data_i('0), .msg_bytes_i, .msg_last_i,
    .msg_channel_i,
    .digest_valid_o(digest_valid), .digest_ready_i, .digest_o(), .digest_channel_o(digest_channel)
  );

  // Reset is active in the first clock alone; the chosen channel stays the same.
  logic                    first_q = 1'b1;
  logic [ChannelBits-1:0] channel_q;
  always_ff @(posedge clk_i) begin : p_start
    first_q <= 1'b0;
    channel_q <= any_channel_i;
  end
  always_comb begin : p_assumptions
    assume (rst_ni == !first_q);
    if (!first_q) assume (any_channel_i == channel_q);
    assume (32'(msg_channel_i) < STAGES && 32'(any_channel_i) < STAGES);
    assume (msg_bytes_i <= 7'd64 && (msg_last_i || msg_bytes_i == 7'd64));
  end

  // `wipe_i` acts one clock later.
  logic wipe_q, wiped;
  always_ff @(posedge clk_i or negedge rst_ni) begin : p_clear
    if (!rst_ni) wipe_q <= 1'b1;
    else wipe_q <= wipe_i;
  end
  assign wiped = wipe_i || wipe_q;

  jm_stream_check #(.WIDTH(8 + ChannelBits), .ASSUME(1)) u_pieces (
    .clk_i, .rst_ni, .wipe_i(wiped), .valid_i(msg_valid_i), .ready_i(msg_ready),
    .data_i({msg_bytes_i, msg_last_i, msg_channel_i})
  );
  jm_stream_check #(.WIDTH(ChannelBits)) u_digests (
    .clk_i, .rst_ni, .wipe_i(wiped), .valid_i(digest_valid), .ready_i(digest_ready_i),
    .data_i(digest_channel)
  );

  logic whole, given;
  assign whole = msg_valid_i && msg_ready && msg_last_i;
  assign given = digest_valid && digest_ready_i;

  // All channels together: a digest comes out in bounded time.
  logic [7:0] unused_messages, unused_waited, unused_here, unused_waited_here;
  jm_one_for_one #(.MESSAGES(2 * STAGES + 3), .CLOCKS(CLOCKS)) u_all (
    .clk_i, .rst_ni, .wipe_i(wiped), .message_i(whole), .result_valid_i(digest_valid),
    .result_i(given), .messages_o(unused_messages), .waited_o(unused_waited)
  );
  // The chosen channel: each of its digests belongs to one of its messages.
  logic here;
  assign here = digest_channel == any_channel_i;
  jm_one_for_one #(.MESSAGES(2 * STAGES + 3), .CLOCKS(255)) u_one (
    .clk_i, .rst_ni, .wipe_i(wiped), .message_i(whole && msg_channel_i == any_channel_i),
    .result_valid_i(digest_valid && here), .result_i(given && here),
    .messages_o(unused_here), .waited_o(unused_waited_here)
  );

  // The assumptions leave room: two digests come, with a message whose padding takes a second
  // block.
  logic [1:0] given_q;
  logic       second_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin : p_given
    if (!rst_ni) begin
      given_q <= '0;
      second_q <= 1'b0;
    end else begin
      if (given && given_q != 2'd3) given_q <= given_q + 2'd1;
      if (whole && msg_bytes_i > 7'd55) second_q <= 1'b1;
    end
  end
  always_comb cover (given_q == 2'd2 && second_q);
endmodule
