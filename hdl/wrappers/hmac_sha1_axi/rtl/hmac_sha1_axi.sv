// SPDX-License-Identifier: Apache-2.0
//
// HMAC-SHA1 between AXI-Streams, with the key through APB (see hdl/wrappers/README.md).
//
// A message is a packet, its tag a packet of 20 bytes. Keys go between messages: write the key,
// LOAD, and wait until STATUS no longer says LOADING; messages whose first beat comes later have
// that key. The wrapper does NOT add protection of any kind to the core.
//
// The core would make tags without a key; this wrapper makes messages wait until there is a key.
// The core takes the key's block twice, and hashes it in between, so that LOADING lasts for more
// than 400 clocks.
module hmac_sha1_axi #(
  parameter int unsigned DATA_BITS = 32  // bits of TDATA: 32 or 64
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

  logic         wipe, keyed, begun, key_valid, key_ready, key_word_ready;
  logic         word_valid, word_ready, word_last, part_valid, part_ready, part_last;
  logic         tag_valid, tag_ready;
  logic [511:0] key;
  logic [31:0]  key_word, part, tag;
  logic [DATA_BITS-1:0] word;
  logic [$clog2(BeatBytes+1)-1:0] word_bytes;
  logic [2:0]   part_bytes;

  jm_apb_key #(
    .KEY_BYTES(64)
  ) u_key (
    .clk_i, .rst_ni, .psel_i, .penable_i, .pwrite_i, .paddr_i, .pwdata_i, .pstrb_i, .pready_o,
    .prdata_o, .pslverr_o, .wipe_o(wipe), .keyed_i(keyed), .begun_i(begun),
    .key_valid_o(key_valid), .key_ready_i(key_ready), .key_o(key)
  );

  // The key's block, twice, in words with the first byte in the highest bits.
  logic [4:0] key_count_q;
  for (genvar b = 0; b < 4; b++) begin : gen_key
    assign key_word[8*b+:8] = key[32*key_count_q[3:0]+8*(3-b)+:8];
  end
  assign key_ready = key_word_ready && key_count_q == 5'd31;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      key_count_q <= '0;
      keyed <= 1'b0;
    end else if (wipe) begin
      key_count_q <= '0;
      keyed <= 1'b0;
    end else if (key_valid && key_word_ready) begin
      key_count_q <= key_count_q + 5'd1;
      keyed <= key_ready;
    end
  end

  jm_axis_pack #(
    .DATA_BITS(DATA_BITS), .WORD_BYTES(BeatBytes), .FIRST_HIGH(1)
  ) u_pack (
    .clk_i, .rst_ni, .wipe_i(wipe), .s_axis_tvalid_i, .s_axis_tready_o, .s_axis_tdata_i,
    .s_axis_tkeep_i, .s_axis_tlast_i, .word_valid_o(word_valid), .word_ready_i(word_ready),
    .word_o(word), .word_bytes_o(word_bytes), .word_last_o(word_last), .begun_o(begun)
  );

  jm_word_split #(
    .WORD_BYTES(BeatBytes), .PART_BYTES(4), .FIRST_HIGH(1)
  ) u_split (
    .clk_i, .rst_ni, .wipe_i(wipe), .word_valid_i(word_valid && keyed), .word_ready_o(word_ready),
    .word_i(word), .word_bytes_i(word_bytes), .word_last_i(word_last), .part_valid_o(part_valid),
    .part_ready_i(part_ready), .part_o(part), .part_bytes_o(part_bytes), .part_last_o(part_last)
  );

  hmac_sha1 u_core (
    .clk_i, .rst_ni, .wipe_i(wipe), .key_i(key_word), .key_valid_i(key_valid),
    .key_ready_o(key_word_ready), .mac_i(1'b1), .data_i(part), .data_bytes_i(part_bytes),
    .data_last_i(part_last), .data_valid_i(part_valid), .data_ready_o(part_ready),
    .digest_o(tag), .digest_valid_o(tag_valid), .digest_ready_i(tag_ready)
  );

  jm_axis_send #(
    .DATA_BITS(DATA_BITS), .TAG_BYTES(20), .PART_BYTES(4), .FIRST_HIGH(1), .LAST_FIRST(1)
  ) u_send (
    .clk_i, .rst_ni, .wipe_i(wipe), .tag_valid_i(tag_valid), .tag_ready_o(tag_ready),
    .tag_index_i('0), .tag_i(tag), .tag_last_i(1'b1), .tag_bad_i(1'b0), .m_axis_tvalid_o,
    .m_axis_tready_i, .m_axis_tdata_o, .m_axis_tkeep_o, .m_axis_tlast_o, .m_axis_tuser_o
  );
endmodule
