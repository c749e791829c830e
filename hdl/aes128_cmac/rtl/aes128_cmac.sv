// SPDX-License-Identifier: Apache-2.0
//
// AES-CMAC of messages of any length on one of the AES-128 block cores.
//
// The core keeps the key and L = AES(key, 0), from which wires make both subkeys, until the key
// changes or `wipe_i`. It pads. A message costs max(1, ceil(bytes / 16)) blocks of the block core
// and two clocks. A message may come in pieces; all but the last have whole blocks, and each
// further piece costs two clocks more. The message lies in a memory that answers `msg_address_o`;
// with the cores 1 and 2 the addresses come in order, so a stream will do. The core does NOT
// protect against side channels or faults.
//
// Sources: RFC 4493; SP 800-38B.
module aes128_cmac #(
  parameter int unsigned CORE = 1,  // 0: aes128_serial, 1: aes128_latch, 2: aes128_round
  parameter int unsigned SBOX = 0,  // 0: tower field, 1: decoded
  localparam int unsigned LengthBits = 16,
  localparam int unsigned WordBytes = (CORE == 2) ? 16 : 1,
  localparam int unsigned WordBits = 8 * WordBytes
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic                  wipe_i,       // clears key, subkeys and core
  input  logic                  scan_enable_i,  // opens the core's clock gates, for scan chains
  // Key, byte 0 first and in the lowest bits; taken while no message is in the core.
  input  logic                  key_valid_i,
  output logic                  key_ready_o,  // low while start_valid_i is high: messages go first
  input  logic [WordBits-1:0]   key_data_i,
  // A message, or a piece of a message, begins.
  input  logic                  start_valid_i,
  output logic                  start_ready_o,
  input  logic [LengthBits-1:0] start_bytes_i,  // the piece's length; 0 only for a last piece
  input  logic                  start_last_i,   // the message's last piece; others: whole blocks
  // Words of the message; bytes behind its end may be anything.
  input  logic                  msg_valid_i,
  output logic                  msg_ready_o,    // does not wait for msg_valid_i
  output logic [LengthBits-1:0] msg_address_o,  // address of the word's first byte
  input  logic [WordBits-1:0]   msg_data_i,
  // Tag.
  output logic                  tag_valid_o,
  input  logic                  tag_ready_i,
  output logic [3:0]            tag_index_o,
  output logic [WordBits-1:0]   tag_data_o
);
  typedef enum logic [2:0] {Keyless, SubkeyIn, SubkeyOut, Ready, Blocks, Tag} state_e;
  typedef logic [15:0][7:0] block_t;

  localparam logic [3:0] LastWord = 4'(16 / WordBytes - 1);

  state_e state_q, state_d;
  logic wipe_q, clear_n;
  logic [3:0] count_q;             // words of the block that moved
  logic [LengthBits-1:0] left_q;   // bytes from the beginning of the block to the piece's end
  logic [LengthBits-1:0] base_q;   // address of the block
  logic last_q;                    // the piece is a message's last, or no message is open
  logic first_q, last_block, piece_end, moved, block_end, wanted;
  block_t key_q, l_q, subkey_one, subkey_two, subkey;

  logic in_valid, in_ready, in_first, out_valid, out_ready;
  logic [3:0] in_index, out_index;
  logic [WordBits-1:0] in_data, in_key, out_data, padded;

  // Twice the block as a polynomial, byte 0 the highest (RFC 4493 section 2.3).
  function automatic block_t doubled(block_t a);
    block_t result;
    for (int unsigned i = 0; i < 16; i++) begin
      result[i] = {a[i][6:0], (i < 15) ? a[(i+1) % 16][7] : 1'b0};
    end
    result[15] ^= {a[0][7], 4'b0000, {3{a[0][7]}}};
    return result;
  endfunction

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) wipe_q <= 1'b0;
    else wipe_q <= wipe_i;
  end
  assign clear_n = rst_ni & ~wipe_q;

  // Sequence.
  assign start_ready_o = state_q == Ready;
  assign key_ready_o = state_q == Keyless || (state_q == Ready && !start_valid_i && last_q);
  assign piece_end = left_q <= LengthBits'(16);
  assign last_block = piece_end && last_q;
  assign block_end = moved && count_q == LastWord;

  always_comb begin
    unique case (state_q)
      SubkeyIn, Blocks: moved = in_valid && in_ready;
      SubkeyOut, Tag: moved = out_valid && out_ready;
      Keyless, Ready: moved = key_valid_i && key_ready_o;
      default: moved = 1'b0;
    endcase
  end

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      Keyless: if (block_end) state_d = SubkeyIn;
      SubkeyIn: if (block_end) state_d = SubkeyOut;
      SubkeyOut: if (block_end) state_d = Ready;
      Ready: begin
        if (start_valid_i) state_d = Blocks;
        else if (moved) state_d = block_end ? SubkeyIn : Keyless;
      end
      Blocks: if (block_end && piece_end) state_d = last_q ? Tag : Ready;
      Tag: if (block_end) state_d = Ready;
      default: state_d = Keyless;
    endcase
  end

  always_ff @(posedge clk_i or negedge clear_n) begin
    if (!clear_n) begin
      state_q <= Keyless;
      count_q <= '0;
      left_q <= '0;
      base_q <= '0;
      first_q <= 1'b1;
      last_q <= 1'b1;
    end else begin
      state_q <= state_d;
      if (moved) count_q <= block_end ? '0 : count_q + 4'd1;
      if (start_valid_i && start_ready_o) begin
        left_q <= start_bytes_i;
        base_q <= '0;
        first_q <= last_q;
        last_q <= start_last_i;
      end else if (state_q == Blocks && block_end) begin
        left_q <= left_q - LengthBits'(16);
        base_q <= base_q + LengthBits'(16);
        first_q <= 1'b0;
      end
    end
  end

  // Key and L, written word by word.
  for (genvar i = 0; i < 16; i++) begin : gen_byte
    localparam int unsigned Lane = 8 * (i % WordBytes);
    always_ff @(posedge clk_i or negedge clear_n) begin
      if (!clear_n) begin
        key_q[i] <= '0;
        l_q[i] <= '0;
      end else begin
        if (key_valid_i && key_ready_o && count_q == 4'(i / WordBytes)) begin
          key_q[i] <= key_data_i[Lane+:8];
        end
        if (state_q == SubkeyOut && moved && out_index == 4'(i / WordBytes)) begin
          l_q[i] <= out_data[Lane+:8];
        end
      end
    end
  end
  assign subkey_one = doubled(l_q);
  assign subkey_two = doubled(subkey_one);
  assign subkey = (left_q == LengthBits'(16)) ? subkey_one : subkey_two;

  // Words for the core: message, padding, and the subkey with the last block.
  always_comb begin
    for (int unsigned lane = 0; lane < WordBytes; lane++) begin
      automatic logic [LengthBits-1:0] place = LengthBits'(in_index) * LengthBits'(WordBytes) +
                                               LengthBits'(lane);
      padded[8*lane+:8] = (place < left_q) ? msg_data_i[8*lane+:8]
                                           : (place == left_q) ? 8'h80 : 8'h00;
      in_key[8*lane+:8] = key_q[place[3:0]];
      in_data[8*lane+:8] = padded[8*lane+:8] ^ (subkey[place[3:0]] & {8{last_block}});
    end
    if (state_q != Blocks) in_data = '0;
  end
  assign msg_address_o = base_q + LengthBits'(in_index) * LengthBits'(WordBytes);
  assign wanted = msg_address_o - base_q < left_q;
  assign in_valid = state_q == SubkeyIn || (state_q == Blocks && (!wanted || msg_valid_i));
  assign in_first = first_q || state_q != Blocks;
  assign msg_ready_o = state_q == Blocks && wanted && in_ready;

  // Results of all blocks but the last serve only for chaining.
  assign tag_valid_o = state_q == Tag && out_valid;
  assign out_ready = (state_q == Tag) ? tag_ready_i : 1'b1;
  assign tag_index_o = out_index;
  assign tag_data_o = out_data & {WordBits{tag_valid_o}};

  if (CORE == 0) begin : gen_serial
    logic unused;
    assign unused = scan_enable_i;  // this core has no clock gate
    aes128_serial #(.SBOX(SBOX)) u_core (
      .clk_i, .rst_ni, .wipe_i, .in_valid_i(in_valid), .in_ready_o(in_ready),
      .in_index_o(in_index), .in_first_i(in_first), .in_data_i(in_data), .in_key_i(in_key),
      .out_valid_o(out_valid), .out_ready_i(out_ready), .out_index_o(out_index),
      .out_data_o(out_data)
    );
  end else if (CORE == 1) begin : gen_latch
    aes128_latch #(.SBOX(SBOX)) u_core (
      .clk_i, .rst_ni, .wipe_i, .scan_enable_i, .in_valid_i(in_valid), .in_ready_o(in_ready),
      .in_index_o(in_index), .in_first_i(in_first), .in_data_i(in_data), .in_key_i(in_key),
      .out_valid_o(out_valid), .out_ready_i(out_ready), .out_index_o(out_index),
      .out_data_o(out_data)
    );
  end else begin : gen_round
    assign in_index = '0;
    assign out_index = '0;
    aes128_round #(.SBOX(SBOX)) u_core (
      .clk_i, .rst_ni, .wipe_i, .scan_enable_i, .in_valid_i(in_valid), .in_ready_o(in_ready),
      .in_first_i(in_first), .in_data_i(in_data), .in_key_i(in_key), .out_valid_o(out_valid),
      .out_ready_i(out_ready), .out_data_o(out_data)
    );
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (wipe_q && rst_ni) assert (key_q == '0 && l_q == '0 && state_q == Keyless);
  end
`endif
endmodule
