// SPDX-License-Identifier: Apache-2.0
//
// AES-CMAC between AXI-Streams, with the key through APB (see hdl/wrappers/README.md).
//
// A message is a packet, its tag a packet of 16 bytes. Keys go between messages: write the key,
// LOAD, and wait until STATUS no longer says LOADING; messages whose first beat comes later have
// that key. The wrapper does NOT add protection of any kind to the core.
//
// The core must know whether a block is the last before it takes the block's first byte, so a block
// waits until a byte behind it or TLAST comes.
module aes128_cmac_axi #(
  parameter int unsigned DATA_BITS = 32,  // bits of TDATA: 32 or 64
  // Parameters of the core, as in aes128_cmac.
  parameter int unsigned CORE = 1,
  parameter int unsigned SBOX = 0
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   scan_enable_i,  // opens the core's clock gates, for scan chains

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
  localparam int unsigned WordBytes = (CORE == 2) ? 16 : 1;
  localparam logic [3:0] LastPart = 4'(16 / WordBytes - 1);

  logic         wipe, keyed, key_valid, key_ready, word_valid, word_ready, word_last, begun;
  logic         tag_valid, tag_ready;
  logic [127:0] key, word;
  logic [4:0]   word_bytes;
  logic [8*WordBytes-1:0] key_part, word_part, tag;
  logic         key_part_ready, start_ready, part_ready;
  logic [3:0]   tag_index;
  logic [15:0]  address;

  jm_apb_key #(
    .KEY_BYTES(16)
  ) u_key (
    .clk_i, .rst_ni, .psel_i, .penable_i, .pwrite_i, .paddr_i, .pwdata_i, .pstrb_i, .pready_o,
    .prdata_o, .pslverr_o, .wipe_o(wipe), .keyed_i(keyed), .begun_i(begun),
    .key_valid_o(key_valid), .key_ready_i(key_ready), .key_o(key)
  );

  // The key, in words of the core.
  logic [3:0] key_count_q;
  assign key_part = key[8*WordBytes*key_count_q+:8*WordBytes];
  assign key_ready = key_part_ready && key_count_q == LastPart;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      key_count_q <= '0;
      keyed <= 1'b0;
    end else if (wipe) begin
      key_count_q <= '0;
      keyed <= 1'b0;
    end else if (key_valid && key_part_ready) begin
      key_count_q <= key_ready ? '0 : key_count_q + 4'd1;
      keyed <= key_ready;
    end
  end

  jm_axis_pack #(
    .DATA_BITS(DATA_BITS), .WORD_BYTES(16), .FIRST_HIGH(0), .HOLD(1)
  ) u_pack (
    .clk_i, .rst_ni, .wipe_i(wipe), .s_axis_tvalid_i, .s_axis_tready_o, .s_axis_tdata_i,
    .s_axis_tkeep_i, .s_axis_tlast_i, .word_valid_o(word_valid), .word_ready_i(word_ready),
    .word_o(word), .word_bytes_o(word_bytes), .word_last_o(word_last), .begun_o(begun)
  );

  // A block is a piece of a message: the core gets its length, and then asks for its bytes.
  logic [4:0] left_q;  // words of the block that the core has not asked for
  logic       started_q, started;
  assign started = word_valid && !started_q && start_ready;
  assign word_ready = (started && word_bytes == '0) ||
                      (started_q && part_ready && left_q == 5'd1);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      left_q <= '0;
      started_q <= 1'b0;
    end else if (wipe) begin
      left_q <= '0;
      started_q <= 1'b0;
    end else if (started) begin
      left_q <= (CORE == 2) ? 5'd1 : word_bytes;
      started_q <= word_bytes != '0;
    end else if (started_q && part_ready) begin
      left_q <= left_q - 5'd1;
      started_q <= left_q != 5'd1;
    end
  end
  if (CORE == 2) begin : gen_whole
    logic unused;
    assign unused = ^{address, tag_index};
    assign word_part = word;
  end else begin : gen_bytes
    logic unused;
    assign unused = ^address[15:4];
    assign word_part = word[8*address[3:0]+:8];
  end

  aes128_cmac #(
    .CORE(CORE), .SBOX(SBOX)
  ) u_core (
    .clk_i, .rst_ni, .wipe_i(wipe), .scan_enable_i, .key_valid_i(key_valid),
    .key_ready_o(key_part_ready), .key_data_i(key_part), .start_valid_i(word_valid && !started_q),
    .start_ready_o(start_ready), .start_bytes_i(16'(word_bytes)), .start_last_i(word_last),
    .msg_valid_i(started_q), .msg_ready_o(part_ready), .msg_address_o(address),
    .msg_data_i(word_part), .tag_valid_o(tag_valid), .tag_ready_i(tag_ready),
    .tag_index_o(tag_index), .tag_data_o(tag)
  );

  localparam int unsigned PartBits = (CORE == 2) ? 1 : 4;
  jm_axis_send #(
    .DATA_BITS(DATA_BITS), .TAG_BYTES(16), .PART_BYTES(WordBytes), .FIRST_HIGH(0)
  ) u_send (
    .clk_i, .rst_ni, .wipe_i(wipe), .tag_valid_i(tag_valid), .tag_ready_o(tag_ready),
    .tag_index_i(PartBits'(tag_index)), .tag_i(tag), .tag_last_i(1'b1), .tag_bad_i(1'b0),
    .m_axis_tvalid_o, .m_axis_tready_i, .m_axis_tdata_o, .m_axis_tkeep_o, .m_axis_tlast_o,
    .m_axis_tuser_o
  );
endmodule
