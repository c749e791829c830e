// SPDX-License-Identifier: Apache-2.0
//
// AES-128 encryption between AXI-Streams on one of the three cores, with the key through APB (see
// hdl/wrappers/README.md).
//
// A packet is one or more blocks of 16 bytes. Each block is encrypted alone, and as many come out.
// Keys go between packets: write the key, LOAD, and wait until STATUS no longer says LOADING;
// packets whose first beat comes later have that key. A packet without bytes, or with a block that
// is not whole, is a fault of the sender: its whole blocks come out, then the packet ends with
// TUSER. The wrapper does NOT add protection of any kind to the core.
//
// Each core uses up its key with each block, so this module keeps the key.
module aes128_axi #(
  parameter int unsigned DATA_BITS = 32,  // bits of TDATA: 32 or 64
  parameter int unsigned CORE = 1,        // 0: aes128_serial, 1: aes128_latch, 2: aes128_round
  parameter int unsigned SBOX = 0         // 0: tower field, 1: decoded
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

  // Packets of one or more blocks: first byte in TDATA[7:0], TKEEP without gaps.
  input  logic                   s_axis_tvalid_i,
  output logic                   s_axis_tready_o,
  input  logic [DATA_BITS-1:0]   s_axis_tdata_i,
  input  logic [DATA_BITS/8-1:0] s_axis_tkeep_i,
  input  logic                   s_axis_tlast_i,

  // The same blocks encrypted. TUSER with TLAST: cut short by a wipe, or ended by a faulty packet.
  output logic                   m_axis_tvalid_o,
  input  logic                   m_axis_tready_i,
  output logic [DATA_BITS-1:0]   m_axis_tdata_o,
  output logic [DATA_BITS/8-1:0] m_axis_tkeep_o,
  output logic                   m_axis_tlast_o,
  output logic                   m_axis_tuser_o
);
  localparam int unsigned WordBytes = (CORE == 2) ? 16 : 1;
  localparam int unsigned PartBits = (CORE == 2) ? 1 : 4;

  logic         wipe, keyed, begun, key_valid, word_valid, word_ready, word_last;
  logic [127:0] key, word, core_key_q;
  logic [4:0]   word_bytes;
  logic         in_valid, in_ready, in_begins, in_ends, out_valid, out_ready, out_ends;
  logic [PartBits-1:0] out_index;
  logic [8*WordBytes-1:0] in_data, in_key, out_data;

  // A key is offered between packets, or while there is no key. One clock later, when the key
  // moves, no whole block can be there, because a block has more than one beat.
  jm_apb_key #(
    .KEY_BYTES(16)
  ) u_key (
    .clk_i, .rst_ni, .psel_i, .penable_i, .pwrite_i, .paddr_i, .pwdata_i, .pstrb_i, .pready_o,
    .prdata_o, .pslverr_o, .wipe_o(wipe), .keyed_i(keyed), .begun_i(begun),
    .key_valid_o(key_valid), .key_ready_i(1'b1), .key_o(key)
  );
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      core_key_q <= '0;
      keyed <= 1'b0;
    end else if (wipe) begin
      core_key_q <= '0;
      keyed <= 1'b0;
    end else if (key_valid) begin
      core_key_q <= key;
      keyed <= 1'b1;
    end
  end

  jm_axis_pack #(
    .DATA_BITS(DATA_BITS), .WORD_BYTES(16), .FIRST_HIGH(0), .HOLD(1)
  ) u_pack (
    .clk_i, .rst_ni, .wipe_i(wipe), .s_axis_tvalid_i, .s_axis_tready_o, .s_axis_tdata_i,
    .s_axis_tkeep_i, .s_axis_tlast_i, .word_valid_o(word_valid), .word_ready_i(word_ready),
    .word_o(word), .word_bytes_o(word_bytes), .word_last_o(word_last), .begun_o(begun)
  );

  // `u_pack` gives whole words, except perhaps a packet's last word. A bad end waits for the block
  // before it.
  logic busy_q;   // a block is in the core
  logic last_q;   // this block is its packet's last
  logic bad, bad_end, out_moves;
  assign bad = word_bytes != 5'd16;
  assign bad_end = word_valid && keyed && bad && !busy_q;
  assign in_valid = word_valid && keyed && !bad;
  assign word_ready = bad ? bad_end && out_ready : in_valid && in_ready && in_ends;
  assign out_moves = out_valid && out_ready;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q <= 1'b0;
      last_q <= 1'b0;
    end else if (wipe) begin
      busy_q <= 1'b0;
      last_q <= 1'b0;
    end else if (in_valid && in_ready && in_begins) begin
      // The block before may give its last part in the same clock.
      busy_q <= 1'b1;
      last_q <= word_last;
    end else if (out_moves && out_ends) begin
      busy_q <= 1'b0;
    end
  end

  // Words of the core: in each of the three cores byte 0 moves first and byte 15 last.
  if (CORE == 2) begin : gen_whole
    assign out_index = '0;
    assign {in_begins, in_ends, out_ends} = '1;
    assign in_data = word;
    assign in_key = core_key_q;
    aes128_round #(.SBOX(SBOX)) u_core (
      .clk_i, .rst_ni, .wipe_i(wipe), .scan_enable_i, .in_valid_i(in_valid), .in_ready_o(in_ready),
      .in_first_i(1'b1), .in_data_i(in_data), .in_key_i(in_key), .out_valid_o(out_valid),
      .out_ready_i(out_ready), .out_data_o(out_data)
    );
  end else begin : gen_bytes
    logic [3:0] in_index;
    assign in_begins = in_index == 4'd0;
    assign in_ends = in_index == 4'd15;
    assign out_ends = out_index == 4'd15;
    assign in_data = word[8*in_index+:8];
    assign in_key = core_key_q[8*in_index+:8];
    if (CORE == 0) begin : gen_serial
      logic unused;
      assign unused = scan_enable_i;  // this core has no clock gate
      aes128_serial #(.SBOX(SBOX)) u_core (
        .clk_i, .rst_ni, .wipe_i(wipe), .in_valid_i(in_valid), .in_ready_o(in_ready),
        .in_index_o(in_index), .in_first_i(1'b1), .in_data_i(in_data), .in_key_i(in_key),
        .out_valid_o(out_valid), .out_ready_i(out_ready), .out_index_o(out_index),
        .out_data_o(out_data)
      );
    end else begin : gen_latch
      aes128_latch #(.SBOX(SBOX)) u_core (
        .clk_i, .rst_ni, .wipe_i(wipe), .scan_enable_i, .in_valid_i(in_valid),
        .in_ready_o(in_ready), .in_index_o(in_index), .in_first_i(1'b1), .in_data_i(in_data),
        .in_key_i(in_key), .out_valid_o(out_valid), .out_ready_i(out_ready),
        .out_index_o(out_index), .out_data_o(out_data)
      );
    end
  end

  jm_axis_send #(
    .DATA_BITS(DATA_BITS), .TAG_BYTES(16), .PART_BYTES(WordBytes), .FIRST_HIGH(0)
  ) u_send (
    .clk_i, .rst_ni, .wipe_i(wipe), .tag_valid_i(out_valid || bad_end), .tag_ready_o(out_ready),
    .tag_index_i(out_index), .tag_i(out_data), .tag_last_i(last_q), .tag_bad_i(bad_end),
    .m_axis_tvalid_o, .m_axis_tready_i, .m_axis_tdata_o, .m_axis_tkeep_o, .m_axis_tlast_o,
    .m_axis_tuser_o
  );

`ifndef SYNTHESIS
  logic wiped_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      wiped_q <= 1'b0;
    end else begin
      wiped_q <= wipe;
      if (wiped_q) assert (core_key_q == '0 && !keyed) else $error("key not wiped");
      if (key_valid && keyed) assert (!word_valid) else $error("a key came in mid-packet");
    end
  end
`endif
endmodule
