// SPDX-License-Identifier: Apache-2.0
//
// SHA-256 (FIPS 180-4) of messages of any length below 2^61 bytes on STAGES*INTERLEAVE channels:
// padding, one chaining value per channel, and a pipeline (`sha256_engine`) for as many independent
// blocks (michail2005, figures 2 and 5). Pieces of 64 bytes come in, the last of a message with 0
// to 64; digests go out, each with its channel, in the order of their last blocks. Pieces of one
// message are in order on one channel; channels mix freely. With HASH=1 or 512 the function is
// SHA-1 or SHA-512 (`sha1_pipeline`, `sha512_pipeline`), whose 80 rounds take the place of 64 in
// what follows; pieces of SHA-512 have 128 bytes.
//
// Clocks: a message's only piece has its digest 2 + 64/ROUNDS clocks after the edge that takes it
// (138 at INTERLEAVE=2). Messages of one block follow each other in 64/(STAGES*ROUNDS) clocks,
// whatever their channels; blocks of one message in 2 + 64/ROUNDS (140 at INTERLEAVE=2; a block of
// padding alone 3 later). If a digest is not taken, all channels stand still when the next result
// is due; at INTERLEAVE=2 when there is no room for further results.
//
// `wipe_i`: all messages are forgotten; Channels + 2 clocks (at INTERLEAVE=2 11, at STAGES=4 19)
// after the edge on which it was last high, or after a reset, all registers and memories are
// cleared. The core does NOT resist side channels.
module sha256_pipeline
  import sha256_pkg::interleaved_depth;
#(
  parameter int unsigned HASH = 256,  // 1, 256, 512, as in sha256_engine
  parameter int unsigned STAGES = 4,  // 1, 2, 4, 8
  parameter int unsigned ROUNDS = 1,  // per clock: 1, 2, 4
  parameter int unsigned PRECOMPUTE = 1,  // 0 to 2, as in sha256_engine
  parameter int unsigned CARRY_SAVE = 0,  // 0 or 1, as in sha256_engine
  parameter int unsigned TECHNOLOGY = 0,  // 0 or 1, as in sha256_engine
  parameter int unsigned SCHEDULE = 1,  // 0 or 1, as in sha256_engine
  parameter int unsigned INTERLEAVE = 1,  // 1, 2
  localparam int unsigned WordBits = sha_hash_pkg::word_bits(HASH),
  localparam int unsigned StateBits = sha_hash_pkg::state_words(HASH) * WordBits,
  localparam int unsigned BytesBits = $clog2(2 * WordBits),  // of the number of bytes in a piece
  localparam int unsigned Channels = STAGES * INTERLEAVE,
  localparam int unsigned ChannelBits = (Channels > 1) ? $clog2(Channels) : 1
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic wipe_i,

  input  logic msg_valid_i,
  output logic msg_ready_o,
  input  logic [16*WordBits-1:0] msg_data_i,  // byte 0 highest: in [511:504] of 512 bits
  input  logic [BytesBits:0] msg_bytes_i,  // 0 to 64, or 128; counts only in the last piece
  input  logic msg_last_i,
  input  logic [ChannelBits-1:0] msg_channel_i,  // below Channels

  output logic digest_valid_o,
  input  logic digest_ready_i,
  output logic [StateBits-1:0] digest_o,
  output logic [ChannelBits-1:0] digest_channel_o
);

  // The memories are cleared channel by channel, by hashes that are zero from the second clock of
  // the wiping on; so channel 0 has two turns. All modules but these registers and the engine are
  // held in reset meanwhile. At INTERLEAVE=2 the engine needs longer to clear its own memories.
  localparam int unsigned WipeClocks =
      (INTERLEAVE == 2) ? interleaved_depth(STAGES) + 2 : Channels + 1;
  localparam int unsigned WipeBits = $clog2(WipeClocks);
  logic wipe_q, wipe_nq;
  logic [WipeBits-1:0] wipe_count_q;
  logic [ChannelBits-1:0] wipe_channel;
  assign wipe_nq = !wipe_q;
  assign wipe_channel = ChannelBits'(wipe_count_q) & ChannelBits'(Channels - 1);
  always_ff @(posedge clk_i or negedge rst_ni) begin : p_wipe
    if (!rst_ni) begin
      wipe_q <= 1'b1;
      wipe_count_q <= '0;
    end else if (wipe_i) begin
      wipe_q <= 1'b1;
      wipe_count_q <= '0;
    end else if (wipe_q) begin
      wipe_q <= wipe_count_q != WipeBits'(WipeClocks - 1);
      wipe_count_q <= wipe_count_q + 1'b1;
    end
  end

  logic block_valid, block_ready, block_last;
  logic [16*WordBits-1:0] block;
  logic [StateBits-1:0] block_state;
  logic [ChannelBits-1:0] block_channel;
  logic hash_valid, hash_ready, hash_last;
  logic begins, unused;
  logic [StateBits-1:0] hash;
  logic [ChannelBits-1:0] hash_channel;

  sha256_channels #(
    .HASH(HASH),
    .CHANNELS(Channels),
    .REGISTERED((INTERLEAVE == 2) ? 2 : 1),
    .TECHNOLOGY(TECHNOLOGY)
  ) u_channels (
    .clk_i,
    .rst_ni(wipe_nq),
    .words_rst_ni({3{wipe_nq}}),
    .wipe_i(wipe_q),
    .wipe_channel_i(wipe_channel),
    .may_begin_i(1'b1),
    .begins_o(begins),
    .first_state_i(StateBits'(sha_hash_pkg::initial_state(HASH))),
    .msg_valid_i,
    .msg_ready_o,
    .msg_data_i,
    .msg_bytes_i,
    .msg_last_i,
    .msg_channel_i,
    .block_valid_o(block_valid),
    .block_ready_i(block_ready),
    .block_o(block),
    .state_o(block_state),
    .block_last_o(block_last),
    .block_channel_o(block_channel),
    .chain_valid_i(hash_valid && !hash_last),
    .chain_channel_i(hash_channel),
    .chain_i(hash)
  );

  sha256_engine #(
    .HASH(HASH),
    .STAGES(STAGES),
    .ROUNDS(ROUNDS),
    .PRECOMPUTE(PRECOMPUTE),
    .CARRY_SAVE(CARRY_SAVE),
    .ID_BITS(ChannelBits + 1),
    .TECHNOLOGY(TECHNOLOGY),
    .SCHEDULE(SCHEDULE),
    .INTERLEAVE(INTERLEAVE)
  ) u_engine (
    .clk_i,
    .rst_ni,
    .wipe_i(wipe_i || (INTERLEAVE == 1 && wipe_q)),
    .block_valid_i(block_valid),
    .block_ready_o(block_ready),
    .block_i(block),
    .state_i(block_state),
    .id_i({block_last, block_channel}),
    .hash_valid_o(hash_valid),
    .hash_ready_i(hash_ready),
    .hash_o(hash),
    .id_o({hash_last, hash_channel})
  );

  assign unused = begins;

  assign hash_ready = digest_ready_i || !hash_last;

  assign digest_valid_o = hash_valid && hash_last;
  assign digest_o = hash;
  assign digest_channel_o = hash_channel;

endmodule
