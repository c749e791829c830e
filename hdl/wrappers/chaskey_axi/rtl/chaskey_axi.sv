// SPDX-License-Identifier: Apache-2.0
//
// Chaskey-12 between AXI-Streams, with the key through APB (see hdl/wrappers/README.md).
//
// A message is a packet, its tag a packet of 16 bytes. Keys go between messages: write the key,
// LOAD, and wait until STATUS no longer says LOADING; messages whose first beat comes later have
// that key. A full beat waits until it is known whether the packet ends with it, which decides how
// the core pads. The wrapper does NOT add protection of any kind to the core.
module chaskey_axi #(
  parameter int unsigned DATA_BITS = 32,  // bits of TDATA: 32 or 64
  parameter int unsigned LATCHES = 1     // as in chaskey
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
  localparam int unsigned BeatBytes = DATA_BITS / 8;
  localparam int unsigned BytesBits = $clog2(BeatBytes + 1);

  logic                 wipe, keyed, key_valid, key_ready, begun;
  logic                 word_valid, word_ready, word_last;
  logic                 part_valid, part_ready, part_last;
  logic                 tag_valid, tag_ready;
  logic [127:0]         key, tag;
  logic [DATA_BITS-1:0] word;
  logic [BytesBits-1:0] word_bytes;
  logic [31:0]          part;
  logic [2:0]           part_bytes;

  jm_apb_key #(
    .KEY_BYTES(16)
  ) u_key (
    .clk_i, .rst_ni, .psel_i, .penable_i, .pwrite_i, .paddr_i, .pwdata_i, .pstrb_i, .pready_o,
    .prdata_o, .pslverr_o, .wipe_o(wipe), .keyed_i(keyed), .begun_i(begun),
    .key_valid_o(key_valid), .key_ready_i(key_ready), .key_o(key)
  );
  // The core has a key from the edge that takes it until a wipe.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) keyed <= 1'b0;
    else if (wipe) keyed <= 1'b0;
    else if (key_valid && key_ready) keyed <= 1'b1;
  end

  jm_axis_pack #(
    .DATA_BITS(DATA_BITS), .WORD_BYTES(BeatBytes), .FIRST_HIGH(0), .HOLD(1)
  ) u_pack (
    .clk_i, .rst_ni, .wipe_i(wipe), .s_axis_tvalid_i, .s_axis_tready_o, .s_axis_tdata_i,
    .s_axis_tkeep_i, .s_axis_tlast_i, .word_valid_o(word_valid), .word_ready_i(word_ready),
    .word_o(word), .word_bytes_o(word_bytes), .word_last_o(word_last), .begun_o(begun)
  );

  jm_word_split #(
    .WORD_BYTES(BeatBytes), .PART_BYTES(4), .FIRST_HIGH(0)
  ) u_split (
    .clk_i, .rst_ni, .wipe_i(wipe), .word_valid_i(word_valid), .word_ready_o(word_ready),
    .word_i(word), .word_bytes_i(word_bytes), .word_last_i(word_last), .part_valid_o(part_valid),
    .part_ready_i(part_ready), .part_o(part), .part_bytes_o(part_bytes), .part_last_o(part_last)
  );

  chaskey #(
    .LATCHES(LATCHES)
  ) u_core (
    .clk_i, .rst_ni, .wipe_i(wipe), .key_valid_i(key_valid), .key_ready_o(key_ready),
    .key_i(key), .msg_valid_i(part_valid), .msg_ready_o(part_ready), .msg_data_i(part),
    .msg_bytes_i(part_bytes), .msg_last_i(part_last), .tag_valid_o(tag_valid),
    .tag_ready_i(tag_ready), .tag_o(tag)
  );

  jm_axis_send #(
    .DATA_BITS(DATA_BITS), .TAG_BYTES(16), .PART_BYTES(16), .FIRST_HIGH(0)
  ) u_send (
    .clk_i, .rst_ni, .wipe_i(wipe), .tag_valid_i(tag_valid), .tag_ready_o(tag_ready),
    .tag_index_i(1'b0), .tag_i(tag), .tag_last_i(1'b1), .tag_bad_i(1'b0), .m_axis_tvalid_o,
    .m_axis_tready_i, .m_axis_tdata_o, .m_axis_tkeep_o, .m_axis_tlast_o, .m_axis_tuser_o
  );
endmodule
