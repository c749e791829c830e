// SPDX-License-Identifier: Apache-2.0
//
// SHA-1 between AXI-Streams on one of the two cores (see hdl/wrappers/README.md).
//
// A message is a packet, its digest a packet of 20 bytes; this module adds the padding. There is no
// key and so no APB port: `wipe_i` is a port. jm_axis_pack and jm_axis_send say how a wipe ends
// packets in progress.
module sha1_axi #(
  parameter int unsigned DATA_BITS = 32,  // bits of TDATA: 32 or 64
  parameter int unsigned CORE = 1         // 0: sha1_serial, with its memory; 1: sha1_latch
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   wipe_i,         // forgets every message and digest
  input  logic                   scan_enable_i,  // opens the core's clock gates, for scan chains

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
  localparam int unsigned BeatBytes = DATA_BITS / 8;
  localparam int unsigned TagBytes = (CORE == 0) ? 4 : 1;  // in a digest's part

  logic        wipe, wipe_q, unused_begun;
  logic        word_valid, word_ready, word_last, part_valid, part_ready, part_last;
  logic        padded_valid, padded_ready, padded_last, tag_valid, tag_ready;
  logic [DATA_BITS-1:0] word;
  logic [$clog2(BeatBytes+1)-1:0] word_bytes;
  logic [31:0] part, padded;
  logic [2:0]  part_bytes;
  logic [8*TagBytes-1:0] tag;

  // The core acts on a wipe one clock later, so both stream modules are wiped one clock longer.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) wipe_q <= 1'b0;
    else wipe_q <= wipe_i;
  end
  assign wipe = wipe_i || wipe_q;

  jm_axis_pack #(
    .DATA_BITS(DATA_BITS), .WORD_BYTES(BeatBytes), .FIRST_HIGH(1)
  ) u_pack (
    .clk_i, .rst_ni, .wipe_i(wipe), .s_axis_tvalid_i, .s_axis_tready_o, .s_axis_tdata_i,
    .s_axis_tkeep_i, .s_axis_tlast_i, .word_valid_o(word_valid), .word_ready_i(word_ready),
    .word_o(word), .word_bytes_o(word_bytes), .word_last_o(word_last), .begun_o(unused_begun)
  );

  jm_word_split #(
    .WORD_BYTES(BeatBytes), .PART_BYTES(4), .FIRST_HIGH(1)
  ) u_split (
    .clk_i, .rst_ni, .wipe_i(wipe), .word_valid_i(word_valid), .word_ready_o(word_ready),
    .word_i(word), .word_bytes_i(word_bytes), .word_last_i(word_last), .part_valid_o(part_valid),
    .part_ready_i(part_ready), .part_o(part), .part_bytes_o(part_bytes), .part_last_o(part_last)
  );

  jm_sha_padding u_padding (
    .clk_i, .rst_ni, .wipe_i(wipe), .prefix_i(1'b0), .data_i(part), .bytes_i(part_bytes),
    .last_i(part_last), .valid_i(part_valid), .ready_o(part_ready), .word_o(padded),
    .last_o(padded_last), .valid_o(padded_valid), .ready_i(padded_ready)
  );

  if (CORE == 0) begin : gen_serial
    logic unused;
    assign unused = scan_enable_i;  // this core has no clock gate
    sha1_serial_blocks u_core (
      .clk_i, .rst_ni, .wipe_i(wipe), .word_valid_i(padded_valid), .word_ready_o(padded_ready),
      .word_i(padded), .word_last_i(padded_last), .digest_valid_o(tag_valid),
      .digest_ready_i(tag_ready), .digest_o(tag)
    );
  end else begin : gen_latch
    // Each word's lowest byte first. The core takes `last_i` with a block's last byte; only then
    // does the padding know whether the message ends.
    logic       byte_valid, byte_ready, byte_last, unused_bytes;
    logic [7:0] padded_byte, digest;
    jm_word_split #(
      .WORD_BYTES(4), .PART_BYTES(1)
    ) u_bytes (
      .clk_i, .rst_ni, .wipe_i(wipe), .word_valid_i(padded_valid), .word_ready_o(padded_ready),
      .word_i(padded), .word_bytes_i(3'd4), .word_last_i(padded_last), .part_valid_o(byte_valid),
      .part_ready_i(byte_ready), .part_o(padded_byte), .part_bytes_o(unused_bytes),
      .part_last_o(byte_last)
    );
    sha1_latch #(
      .CHAINING(1)
    ) u_core (
      .clk_i, .rst_ni, .wipe_i(wipe), .scan_enable_i, .data_i(padded_byte),
      .data_valid_i(byte_valid), .last_i(byte_last), .data_ready_o(byte_ready), .digest_o(digest),
      .digest_valid_o(tag_valid), .digest_ready_i(tag_ready)
    );
    // The digest changes as latches open when the clock rises; latches that are open while the
    // clock is low hold the digest for the flip-flops behind.
    sha1_latch_row u_digest (.gate_i(~clk_i), .d_i(digest), .q_o(tag));
  end

  jm_axis_send #(
    .DATA_BITS(DATA_BITS), .TAG_BYTES(20), .PART_BYTES(TagBytes), .FIRST_HIGH(1), .LAST_FIRST(1)
  ) u_send (
    .clk_i, .rst_ni, .wipe_i(wipe), .tag_valid_i(tag_valid), .tag_ready_o(tag_ready),
    .tag_index_i('0), .tag_i(tag), .tag_last_i(1'b1), .tag_bad_i(1'b0), .m_axis_tvalid_o,
    .m_axis_tready_i, .m_axis_tdata_o, .m_axis_tkeep_o, .m_axis_tlast_o, .m_axis_tuser_o
  );
endmodule
