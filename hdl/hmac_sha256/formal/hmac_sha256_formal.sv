// SPDX-License-Identifier: Apache-2.0
//
// Proofs about `hmac_sha256` with its engines replaced by the model in `sha256_engine.sv` here:
// whatever words come on whatever channels, whenever tags are taken, keys change and `wipe_i` is
// high,
//
// 1. the tag stream keeps the rules of a stream;
// 2. on each channel, tag k is the tag of message k: no tag is lost, made twice or mixed with
//    another (shown for any channel and any k below 8, on the model's one-byte hashes);
// 3. a tag comes at the latest `LateClocks` clocks after its message is whole, not counting the
//    clocks in which another tag waits to be taken: the core cannot lock;
// 4. a key moves only while no message is in the core;
// 5. without a key, no midstate is held.
//
// Sources are assumed to keep the rules of a stream, and words before the last to be full.
module hmac_sha256_formal
  import hmac_sha256_pkg::*;
#(
  parameter int unsigned STAGES = 2,
  // 2: more channels, and registers before the inner engine; the model's stages stay the same.
  parameter int unsigned INTERLEAVE = 1,
  localparam int unsigned ChannelBits = $clog2((STAGES*INTERLEAVE < 2) ? 2 : STAGES*INTERLEAVE)
) (
  input logic                   clk_i,
  input logic                   rst_ni,
  input logic                   wipe_i,
  input logic                   key_valid_i,
  input logic [7:0]             key_byte_i,
  input logic                   msg_valid_i,
  input logic [7:0]             msg_byte_i,
  input logic [6:0]             msg_bytes_i,
  input logic                   msg_last_i,
  input logic [ChannelBits-1:0] msg_channel_i,
  input logic                   tag_ready_i,
  // The proof holds each at one arbitrary value.
  input logic [ChannelBits-1:0] any_channel_i,
  input logic [2:0]             any_message_i
);
  // Two engines with two clocks a stage and a clock between them, twice, because an extra block
  // waits; and the registers before the engines.
  localparam int unsigned LateClocks =
      2 * (2 * 2 * STAGES + 2) + 2 * STAGES + ((INTERLEAVE == 2) ? 18 : 0);

  logic                   keyed;
  logic                   key_ready;
  logic                   msg_ready;
  logic                   tag_valid;
  logic [255:0]           tag;
  logic [ChannelBits-1:0] tag_channel;

  hmac_sha256 #(
    .STAGES     (STAGES),
    .INTERLEAVE (INTERLEAVE)
  ) u_core (
    .clk_i,
    .rst_ni,
    .wipe_i,
    .keyed_o       (keyed),
    .key_valid_i,
    .key_ready_o   (key_ready),
    .key_i         ({key_byte_i, 504'd0}),
    .msg_valid_i,
    .msg_ready_o   (msg_ready),
    .msg_data_i    ({msg_byte_i, 504'd0}),
    .msg_bytes_i,
    .msg_last_i,
    .msg_channel_i,
    .tag_valid_o   (tag_valid),
    .tag_ready_i,
    .tag_o         (tag),
    .tag_channel_o (tag_channel)
  );

  // Reset is active in the first clock alone.
  logic first_q = 1'b1;
  always_ff @(posedge clk_i) first_q <= 1'b0;
  always_comb assume (rst_ni == !first_q);

  logic [ChannelBits-1:0] channel_q;
  logic [2:0]             message_q;
  always_ff @(posedge clk_i) begin : p_arbitrary
    channel_q <= any_channel_i;
    message_q <= any_message_i;
  end
  always_comb begin : p_environment
    if (!first_q) assume (channel_q == any_channel_i && message_q == any_message_i);
    assume (msg_bytes_i <= 7'd64);
    if (!msg_last_i) assume (msg_bytes_i == 7'd64);
  end

  // A tag that is wiped stays offered for one clock more, at INTERLEAVE=2 for two.
  logic wipes;
  assign wipes = wipe_i | u_core.hold_next;

  jm_stream_check #(.WIDTH(8), .ASSUME(1)) u_keys (
    .clk_i, .rst_ni, .wipe_i(1'b0), .valid_i(key_valid_i), .ready_i(key_ready), .data_i(key_byte_i)
  );
  jm_stream_check #(.WIDTH(16 + ChannelBits), .ASSUME(1)) u_messages (
    .clk_i, .rst_ni, .wipe_i(1'b0), .valid_i(msg_valid_i), .ready_i(msg_ready),
    .data_i({msg_byte_i, msg_bytes_i, msg_last_i, msg_channel_i})
  );
  jm_stream_check #(.WIDTH(256 + ChannelBits)) u_tags (
    .clk_i, .rst_ni, .wipe_i(wipes), .valid_i(tag_valid), .ready_i(tag_ready_i),
    .data_i({tag, tag_channel})
  );

  // The model's hash.
  function automatic logic [7:0] mixed(logic [7:0] state, logic [7:0] block);
    return {state[6:0], state[7]} ^ block;
  endfunction

  // The model's midstates, from the key's first byte.
  logic [7:0] inner_midstate_q;
  logic [7:0] outer_midstate_q;
  always_ff @(posedge clk_i) begin : p_midstates
    if (key_valid_i && key_ready) begin
      inner_midstate_q <= mixed(8'h6a, key_byte_i ^ 8'h36);
      outer_midstate_q <= mixed(8'h6a, key_byte_i ^ 8'h5c);
    end
  end

  // The chosen channel: counts of its messages in and out, and the chosen message's hash.
  logic       here;
  logic       whole;
  logic       leaves;
  logic       open_q;
  logic [3:0] in_q;
  logic [3:0] out_q;
  logic [7:0] sum_q;
  logic [7:0] sum;
  logic [7:0] first_byte;
  logic [7:0] extra_byte;
  logic       has_extra;
  logic [7:0] sum_first;
  logic [7:0] expected_q;

  assign here       = msg_valid_i & msg_ready & (msg_channel_i == any_channel_i);
  assign whole      = here & msg_last_i;
  assign leaves     = tag_valid & tag_ready_i & (tag_channel == any_channel_i);
  assign first_byte = (msg_last_i && msg_bytes_i == '0) ? 8'h80 : msg_byte_i;
  assign extra_byte = (msg_bytes_i == 7'd64) ? 8'h80 : 8'h00;
  assign has_extra  = msg_last_i & (msg_bytes_i > 7'd55);
  assign sum_first  = mixed(open_q ? sum_q : inner_midstate_q, first_byte);
  assign sum        = has_extra ? mixed(sum_first, extra_byte) : sum_first;

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_count
    if (!rst_ni) begin
      {open_q, in_q, out_q} <= '0;
    end else if (wipes) begin
      {open_q, in_q, out_q} <= '0;
    end else begin
      if (here) begin
        open_q <= ~msg_last_i;
        sum_q  <= sum;
        if (whole && in_q == {1'b0, any_message_i}) expected_q <= mixed(outer_midstate_q, sum);
      end
      // The counts stop at 15: only the first eight messages are checked.
      if (whole && in_q != 4'd15) in_q <= in_q + 4'd1;
      if (leaves && out_q != 4'd15) out_q <= out_q + 4'd1;
    end
  end

  // The chosen message is whole in the core and its tag has not left.
  logic       awaited;
  logic [7:0] late_q;
  assign awaited = (in_q > {1'b0, any_message_i}) & (out_q <= {1'b0, any_message_i});
  always_ff @(posedge clk_i or negedge rst_ni) begin : p_late
    if (!rst_ni)                late_q <= '0;
    else if (wipes || !awaited) late_q <= '0;
    else if (!tag_valid)        late_q <= late_q + 8'd1;
  end

  always_comb begin : p_rules
    if (rst_ni && !wipes) begin
      if (tag_valid && tag_channel == any_channel_i && out_q == {1'b0, any_message_i}) begin
        assert (in_q > {1'b0, any_message_i});
        assert (tag[255:248] == expected_q);
      end
      assert (late_q <= 8'(LateClocks));
      if (key_ready) assert (in_q == out_q && !open_q && !tag_valid);
      if (!keyed && !u_core.setup) begin
        assert (u_core.inner_midstate == '0 && u_core.outer_midstate == '0);
      end
      if (tag_valid) assert (keyed);
    end
  end
endmodule
