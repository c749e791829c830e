// SPDX-License-Identifier: Apache-2.0
//
// Turns messages into padded blocks, and keeps for each channel what a message that is longer than
// one block needs between its blocks: its length so far and its chaining value.
//
// A block that continues a message waits until the chaining value of the block before has come
// back. The extra block of the padding goes ahead of new words. Blocks that begin a message depend
// on nothing: any number of messages of one block follow each other on one channel.
//
// Messages may have up to 2^64 - 513 bits (FIPS 180-4's limit less the key's block); a longer one
// is hashed with its length modulo 2^64 and nothing says so.
//
// Chaining values are wiped one channel a clock while `wipe_i` is high.
module hmac_sha256_blocks #(
  parameter int unsigned CHANNELS = 4,  // a power of two, at least 2
  localparam int unsigned ChannelBits = $clog2(CHANNELS)
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  // Forgets every message; CHANNELS clocks of it wipe every channel.
  input  logic                   wipe_i,
  input  logic [ChannelBits-1:0] wipe_channel_i,

  // A message may begin; one that has begun goes on in any case.
  input  logic                   may_begin_i,

  input  logic                   msg_valid_i,
  output logic                   msg_ready_o,
  input  logic [511:0]           msg_data_i,
  input  logic [6:0]             msg_bytes_i,
  input  logic                   msg_last_i,
  input  logic [ChannelBits-1:0] msg_channel_i,

  output logic                   block_valid_o,
  input  logic                   block_ready_i,
  output logic [511:0]           block_o,
  output logic                   block_first_o,
  output logic                   block_final_o,
  output logic [ChannelBits-1:0] block_channel_o,
  // Chaining value for a block that is not the first of its message.
  output logic [255:0]           chain_o,

  // The hash of a block that did not end its message.
  input  logic                   chain_valid_i,
  input  logic [ChannelBits-1:0] chain_channel_i,
  input  logic [255:0]           chain_i
);
  // Per channel: a message has begun; its last block is out and has not come back; its extra
  // block is owed; bytes of its last word, modulo 64.
  logic [CHANNELS-1:0] open_q;
  logic [CHANNELS-1:0] busy_q;
  logic [CHANNELS-1:0] extra_q;
  logic [5:0]          bytes_q[CHANNELS];
  // Full blocks so far, the key's included.
  logic [54:0]         blocks_q[CHANNELS];
  logic [255:0]        chain_q[CHANNELS];

  logic [CHANNELS-1:0]    extra_can_go;
  logic                   extra;
  logic [ChannelBits-1:0] extra_channel;
  logic                   word_can_go;
  logic                   moves;
  logic                   adds_block;
  logic [54:0]            blocks;

  assign extra_can_go = extra_q & ~busy_q;
  assign extra        = |extra_can_go;

  always_comb begin : pick_extra
    extra_channel = '0;
    for (int unsigned i = 0; i < CHANNELS; i++) begin
      if (extra_can_go[i]) extra_channel = ChannelBits'(i);
    end
  end

  assign word_can_go = ~extra & ~busy_q[msg_channel_i] & ~extra_q[msg_channel_i] &
                       (open_q[msg_channel_i] | may_begin_i) & ~wipe_i;
  assign msg_ready_o   = word_can_go & block_ready_i;
  assign block_valid_o = (extra & ~wipe_i) | (word_can_go & msg_valid_i);
  assign moves         = block_valid_o & block_ready_i;

  assign block_channel_o = extra ? extra_channel : msg_channel_i;
  assign block_first_o   = ~open_q[block_channel_o];
  assign chain_o         = chain_q[block_channel_o];

  assign adds_block = ~extra & (~msg_last_i | msg_bytes_i[6]);
  assign blocks     = (block_first_o ? 55'd1 : blocks_q[block_channel_o]) + 55'(adds_block);

  hmac_sha256_padding u_padding (
    .data_i   (msg_data_i),
    .bytes_i  (extra ? {1'b0, bytes_q[extra_channel]} : msg_bytes_i),
    .last_i   (msg_last_i),
    .extra_i  (extra),
    .blocks_i (blocks),
    .block_o,
    .final_o  (block_final_o)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin : channel_flags
    if (!rst_ni) begin
      open_q  <= '0;
      busy_q  <= '0;
      extra_q <= '0;
    end else if (wipe_i) begin
      open_q  <= '0;
      busy_q  <= '0;
      extra_q <= '0;
    end else begin
      if (chain_valid_i) busy_q[chain_channel_i] <= 1'b0;
      if (moves) begin
        open_q[block_channel_o]  <= ~block_final_o;
        busy_q[block_channel_o]  <= ~block_final_o;
        extra_q[block_channel_o] <= ~block_final_o & msg_last_i;
      end
    end
  end

  // No reset: memories, wiped before use.
  always_ff @(posedge clk_i) begin : channel_lengths
    if (wipe_i) begin
      blocks_q[wipe_channel_i] <= '0;
      bytes_q[wipe_channel_i]  <= '0;
    end else if (moves && !extra) begin
      blocks_q[msg_channel_i] <= blocks;
      bytes_q[msg_channel_i]  <= msg_bytes_i[5:0];
    end
  end

  logic [ChannelBits-1:0] write_channel;
  logic [255:0]           write_chain;
  assign write_channel = wipe_i ? wipe_channel_i : chain_channel_i;
  assign write_chain   = chain_i & {256{~wipe_i}};

  always_ff @(posedge clk_i) begin : channel_chains
    if (wipe_i || chain_valid_i) chain_q[write_channel] <= write_chain;
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin : check_channels
    if (rst_ni && !wipe_i) begin
      if (chain_valid_i) begin
        assert (busy_q[chain_channel_i])
          else $error("a chaining value came back that no message waits for");
      end
      if (moves) begin
        assert (!busy_q[block_channel_o])
          else $error("a block went out before the one that it continues came back");
      end
      assert ((extra_q & ~open_q) == '0) else $error("a closed message owes a block");
      assert ((busy_q & ~open_q) == '0) else $error("a closed message waits for a hash");
      if (msg_valid_i && msg_last_i) begin
        assert (msg_bytes_i <= 7'd64) else $error("a word has at most 64 bytes");
      end
    end
  end

  // Moments: a period after `wipe_i` has fallen.
  logic wiped_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin : check_wipe
    if (!rst_ni) begin
      wiped_q <= 1'b0;
    end else begin
      wiped_q <= wipe_i;
      if (wiped_q && !wipe_i) begin
        for (int unsigned i = 0; i < CHANNELS; i++) begin
          assert (chain_q[i] == '0) else $error("a chaining value outlived its wiping");
        end
      end
    end
  end
`endif
endmodule
