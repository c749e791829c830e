// SPDX-License-Identifier: Apache-2.0
//
// SHA-256 between AXI-Streams (see hdl/wrappers/README.md).
//
// A message is a packet, its digest a packet of 32 bytes. There is no key and so no APB port:
// `wipe_i` is a port. jm_axis_pack and jm_axis_send say how a wipe ends packets in progress.
//
// All messages go through channel 0, so that digests keep their order. Messages of one block fill
// the pipeline; a longer message holds up the messages behind it while it waits for its own blocks.
module sha256_pipeline_axi #(
  parameter int unsigned DATA_BITS = 32,  // bits of TDATA: 32 or 64
  // Parameters of the core, as in sha256_pipeline.
  parameter int unsigned STAGES = 4,
  parameter int unsigned ROUNDS = 1,
  parameter int unsigned PRECOMPUTE = 1,
  parameter int unsigned CARRY_SAVE = 0,
  parameter int unsigned SCHEDULE = 1,
  parameter int unsigned TECHNOLOGY = 0,
  parameter int unsigned INTERLEAVE = 1
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   wipe_i,  // forgets every message and digest

  // Messages, a packet each: first byte in TDATA[7:0], TKEEP without gaps, and 0 if empty.
  input  logic                   s_axis_tvalid_i,
  output logic                   s_axis_tready_o,
  input  logic [DATA_BITS-1:0]   s_axis_tdata_i,
  input  logic [DATA_BITS/8-1:0] s_axis_tkeep_i,
  input  logic                   s_axis_tlast_i,

  // Digests, a packet each, in the order of the messages. TUSER with TLAST: cut short by a wipe.
  output logic                   m_axis_tvalid_o,
  input  logic                   m_axis_tready_i,
  output logic [DATA_BITS-1:0]   m_axis_tdata_o,
  output logic [DATA_BITS/8-1:0] m_axis_tkeep_o,
  output logic                   m_axis_tlast_o,
  output logic                   m_axis_tuser_o
);
  localparam int unsigned Channels = STAGES * INTERLEAVE;
  localparam int unsigned ChannelBits = (Channels > 1) ? $clog2(Channels) : 1;

  logic         wipe, wipe_q, word_valid, word_ready, word_last, tag_valid, tag_ready;
  logic [511:0] word;
  logic [6:0]   word_bytes;
  logic [255:0] tag;
  logic         unused_begun;
  logic [ChannelBits-1:0] unused_channel;

  // The core acts on a wipe one clock later, so both stream modules are wiped one clock longer.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) wipe_q <= 1'b0;
    else wipe_q <= wipe_i;
  end
  assign wipe = wipe_i || wipe_q;

  jm_axis_pack #(
    .DATA_BITS(DATA_BITS), .WORD_BYTES(64), .FIRST_HIGH(1)
  ) u_pack (
    .clk_i, .rst_ni, .wipe_i(wipe), .s_axis_tvalid_i, .s_axis_tready_o, .s_axis_tdata_i,
    .s_axis_tkeep_i, .s_axis_tlast_i, .word_valid_o(word_valid), .word_ready_i(word_ready),
    .word_o(word), .word_bytes_o(word_bytes), .word_last_o(word_last), .begun_o(unused_begun)
  );

  sha256_pipeline #(
    .STAGES(STAGES), .ROUNDS(ROUNDS), .PRECOMPUTE(PRECOMPUTE), .CARRY_SAVE(CARRY_SAVE),
    .SCHEDULE(SCHEDULE), .TECHNOLOGY(TECHNOLOGY), .INTERLEAVE(INTERLEAVE)
  ) u_core (
    .clk_i, .rst_ni, .wipe_i(wipe), .msg_valid_i(word_valid), .msg_ready_o(word_ready),
    .msg_data_i(word), .msg_bytes_i(word_bytes), .msg_last_i(word_last),
    .msg_channel_i(ChannelBits'(0)), .digest_valid_o(tag_valid), .digest_ready_i(tag_ready),
    .digest_o(tag), .digest_channel_o(unused_channel)
  );

  jm_axis_send #(
    .DATA_BITS(DATA_BITS), .TAG_BYTES(32), .PART_BYTES(32), .FIRST_HIGH(1)
  ) u_send (
    .clk_i, .rst_ni, .wipe_i(wipe), .tag_valid_i(tag_valid), .tag_ready_o(tag_ready),
    .tag_index_i(1'b0), .tag_i(tag), .tag_last_i(1'b1), .tag_bad_i(1'b0), .m_axis_tvalid_o,
    .m_axis_tready_i, .m_axis_tdata_o, .m_axis_tkeep_o, .m_axis_tlast_o, .m_axis_tuser_o
  );
endmodule
