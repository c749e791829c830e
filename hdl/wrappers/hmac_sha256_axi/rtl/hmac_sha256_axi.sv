// SPDX-License-Identifier: Apache-2.0
//
// HMAC-SHA-256 between AXI-Streams, with the key through APB (see hdl/wrappers/README.md).
//
// A message is a packet, its tag a packet of 32 bytes. Keys go between messages: write the key,
// LOAD, and wait until STATUS no longer says LOADING; messages whose first beat comes later have
// that key. The wrapper does NOT add protection of any kind to the core.
//
// All messages go through channel 0, so that tags keep their order. Messages of one block fill the
// pipeline; a longer message holds up the messages behind it while it waits for its own blocks.
module hmac_sha256_axi #(
  parameter int unsigned DATA_BITS = 32,  // bits of TDATA: 32 or 64
  // Parameters of the core, as in hmac_sha256.
  parameter int unsigned STAGES = 4,
  parameter int unsigned ROUNDS = 2,
  parameter int unsigned PRECOMPUTE = 2,
  parameter int unsigned CARRY_SAVE = 0,
  parameter int unsigned SCHEDULE = 1,
  parameter int unsigned TECHNOLOGY = 0,
  parameter int unsigned INTERLEAVE = 1
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  // Key, wiping and status: APB, see jm_apb_key.
  input  logic                   psel_i,
  input  logic                   penable_i,
  input  logic                   pwrite_i,
  input  logic [7:0]             paddr_i,
  input  logic [31:0]            pwdata_i,
  input  logic [3:0]             pstrb_i,
  output logic                   pready_o,
  output logic [31:0]            prdata_o,
  output logic                   pslverr_o,

  // Messages, a packet each: first byte in TDATA[7:0], TKEEP without gaps, and 0 if empty.
  input  logic                   s_axis_tvalid_i,
  output logic                   s_axis_tready_o,
  input  logic [DATA_BITS-1:0]   s_axis_tdata_i,
  input  logic [DATA_BITS/8-1:0] s_axis_tkeep_i,
  input  logic                   s_axis_tlast_i,

  // Tags, a packet each, in the order of the messages. TUSER with TLAST: cut short by a wipe.
  output logic                   m_axis_tvalid_o,
  input  logic                   m_axis_tready_i,
  output logic [DATA_BITS-1:0]   m_axis_tdata_o,
  output logic [DATA_BITS/8-1:0] m_axis_tkeep_o,
  output logic                   m_axis_tlast_o,
  output logic                   m_axis_tuser_o
);
  localparam int unsigned Channels = (STAGES * INTERLEAVE < 2) ? 2 : STAGES * INTERLEAVE;
  localparam int unsigned ChannelBits = $clog2(Channels);

  logic         wipe, keyed, key_valid, key_ready, word_valid, word_ready, word_last, begun;
  logic         tag_valid, tag_ready;
  logic [511:0] key, core_key;
  logic [511:0] word;
  logic [6:0]   word_bytes;
  logic [255:0] tag;
  logic [ChannelBits-1:0] unused_channel;

  jm_apb_key #(
    .KEY_BYTES(64)
  ) u_key (
    .clk_i, .rst_ni, .psel_i, .penable_i, .pwrite_i, .paddr_i, .pwdata_i, .pstrb_i, .pready_o,
    .prdata_o, .pslverr_o, .wipe_o(wipe), .keyed_i(keyed), .begun_i(begun),
    .key_valid_o(key_valid), .key_ready_i(key_ready), .key_o(key)
  );
  for (genvar b = 0; b < 64; b++) begin : gen_key
    assign core_key[8*b+:8] = key[8*(64-1-b)+:8];  // the first byte in the highest bits
  end

  jm_axis_pack #(
    .DATA_BITS(DATA_BITS), .WORD_BYTES(64), .FIRST_HIGH(1)
  ) u_pack (
    .clk_i, .rst_ni, .wipe_i(wipe), .s_axis_tvalid_i, .s_axis_tready_o, .s_axis_tdata_i,
    .s_axis_tkeep_i, .s_axis_tlast_i, .word_valid_o(word_valid), .word_ready_i(word_ready),
    .word_o(word), .word_bytes_o(word_bytes), .word_last_o(word_last), .begun_o(begun)
  );

  hmac_sha256 #(
    .STAGES(STAGES), .ROUNDS(ROUNDS), .PRECOMPUTE(PRECOMPUTE), .CARRY_SAVE(CARRY_SAVE),
    .SCHEDULE(SCHEDULE), .TECHNOLOGY(TECHNOLOGY), .INTERLEAVE(INTERLEAVE)
  ) u_core (
    .clk_i, .rst_ni, .wipe_i(wipe), .keyed_o(keyed), .key_valid_i(key_valid),
    .key_ready_o(key_ready), .key_i(core_key), .msg_valid_i(word_valid), .msg_ready_o(word_ready),
    .msg_data_i(word), .msg_bytes_i(word_bytes), .msg_last_i(word_last),
    .msg_channel_i(ChannelBits'(0)), .tag_valid_o(tag_valid), .tag_ready_i(tag_ready), .tag_o(tag),
    .tag_channel_o(unused_channel)
  );

  jm_axis_send #(
    .DATA_BITS(DATA_BITS), .TAG_BYTES(32), .PART_BYTES(32), .FIRST_HIGH(1)
  ) u_send (
    .clk_i, .rst_ni, .wipe_i(wipe), .tag_valid_i(tag_valid), .tag_ready_o(tag_ready),
    .tag_index_i(1'b0), .tag_i(tag), .tag_last_i(1'b1), .tag_bad_i(1'b0), .m_axis_tvalid_o,
    .m_axis_tready_i, .m_axis_tdata_o, .m_axis_tkeep_o, .m_axis_tlast_o, .m_axis_tuser_o
  );
endmodule
