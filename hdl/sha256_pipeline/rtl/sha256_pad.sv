// SPDX-License-Identifier: Apache-2.0
//
// Padding of SHA-256 (FIPS 180-4, section 5.1.1) for several channels: takes the pieces of
// messages, gives whole blocks. A piece is in one register, the block made of it in a second one;
// takes a piece every other clock at most.
//
// A last piece of more than 55 bytes needs a second block. It is remembered for its channel and
// given out before other pieces as soon as `channel_free_i` says that the channel's chaining value
// is there; meanwhile pieces of other channels pass. `piece_ready_o` therefore depends on
// `piece_channel_i`, and otherwise on registers alone.
//
// Messages of up to 2^61 - 1 bytes. What a channel has between two of its pieces is in a small
// memory: CHANNELS clocks of `wipe_i` with each `wipe_channel_i` clear it, and must do so after a
// reset. All registers are cleared by `rst_ni`.
module sha256_pad #(
  parameter int unsigned CHANNELS = 4,
  parameter int unsigned BLOCKS_BEFORE = 0,  // of a message, which count in its length
  parameter int unsigned TECHNOLOGY = 0,
  localparam int unsigned ChannelBits = (CHANNELS > 1) ? $clog2(CHANNELS) : 1
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic [1:0] words_rst_ni,  // as rst_ni: for words before padding, and after it
  input  logic wipe_i,
  input  logic [ChannelBits-1:0] wipe_channel_i,

  input  logic may_begin_i,  // a message may; one that has begun goes on in any case
  output logic begins_o,  // the first piece of a message is taken

  input  logic piece_valid_i,
  output logic piece_ready_o,
  input  logic [511:0] piece_i,  // byte 0 in [511:504]
  input  logic [6:0] piece_bytes_i,  // 64 unless it is the last piece
  input  logic piece_last_i,
  input  logic [ChannelBits-1:0] piece_channel_i,

  input  logic [CHANNELS-1:0] channel_free_i,

  output logic block_valid_o,
  input  logic block_ready_i,
  output logic [511:0] block_o,
  output logic block_first_o,
  output logic block_last_o,
  output logic [ChannelBits-1:0] block_channel_o
);

  // Between the pieces of a message: that it has begun, its whole blocks so far with those before
  // it; and for a second block the bytes in the piece modulo 64, and whether they left no room for
  // the mark.
  typedef struct packed {
    logic begun;
    logic [54:0] blocks;
    logic [5:0] tail;
    logic mark;
  } progress_t;

  progress_t progress_q [CHANNELS];
  progress_t progress, progress_next;

  logic [CHANNELS-1:0] open_q;  // a message has begun and its last piece was not taken

  // The lowest channel that is owed a block and can have it, known a clock before.
  logic [CHANNELS-1:0] owed_q;
  logic second_q, second_next;
  logic [ChannelBits-1:0] second_channel_q, second_channel_next;

  // A piece, or in its place what a second block is made of.
  logic raw_valid, raw_final_q;
  logic [ChannelBits-1:0] raw_channel_q;
  logic [511:0] raw_piece_q;
  logic raw_begun_q;
  logic [54:0] raw_blocks_q;
  logic raw_full_q;  // the piece has 64 bytes
  logic raw_owes_q;  // the piece is the last one and has no room for the length
  logic [5:0] raw_tail_q;
  // Bytes in the piece against each number, in eights and ones, without 64 comparators.
  logic [7:0] raw_eights_equal_q, raw_eights_more_q, raw_ones_equal_q, raw_ones_more_q;

  logic valid, first_q, last_q;
  logic [511:0] block_q, padded;
  logic [ChannelBits-1:0] channel_q;

  always_comb begin : p_second_next
    second_next = 1'b0;
    second_channel_next = '0;
    for (int unsigned n = 0; n < CHANNELS; n++) begin
      if (!second_next && owed_q[n] && channel_free_i[n] &&
          !(valid && channel_q == ChannelBits'(n))) begin
        second_next = 1'b1;
        second_channel_next = ChannelBits'(n);
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_second
    if (!rst_ni) begin
      second_q <= 1'b0;
      second_channel_q <= '0;
    end else begin
      second_q <= second_next && !(second_q && !raw_valid);
      second_channel_q <= second_channel_next;
    end
  end

  // Into the first register; what is in it counts only with raw_valid.
  logic take, needs_second;
  logic [ChannelBits-1:0] channel;
  assign piece_ready_o = rst_ni && !raw_valid && !second_q && !owed_q[piece_channel_i] &&
                         (may_begin_i || open_q[piece_channel_i]);
  assign take = piece_valid_i && piece_ready_o;
  assign begins_o = take && !open_q[piece_channel_i];
  assign needs_second = piece_last_i && (piece_bytes_i[6] || (piece_bytes_i[5:3] == 3'd7));
  assign channel = second_q ? second_channel_q : piece_channel_i;
  assign progress = progress_q[channel];

  logic [7:0] eights_equal, eights_more, ones_equal, ones_more;
  always_comb begin : p_bytes
    for (int unsigned n = 0; n < 8; n++) begin
      eights_equal[n] = piece_bytes_i[6:3] == 4'(n);
      ones_equal[n] = piece_bytes_i[2:0] == 3'(n);
    end
    for (int unsigned n = 0; n < 8; n++) begin
      eights_more[n] = piece_bytes_i[6];
      ones_more[n] = 1'b0;
      for (int unsigned more = n + 1; more < 8; more++) begin
        eights_more[n] |= eights_equal[more];
        ones_more[n] |= ones_equal[more];
      end
    end
  end

  // Whether the first register is full, and the second: a copy for each part of the words in them.
  localparam int unsigned Parts = 8;
  localparam int unsigned PartBits = 512 / Parts;
  logic [Parts-1:0] raw_full_parts, full_parts;
  sha256_register_copies_ecp5 #(
    .COPIES(Parts + 1),
    .TECHNOLOGY(TECHNOLOGY)
  ) u_raw_valid (
    .clk_i,
    .rst_ni,
    .next_i(raw_valid ? valid : (second_q || take)),
    .copies_o({raw_valid, raw_full_parts})
  );
  sha256_register_copies_ecp5 #(
    .COPIES(Parts + 1),
    .TECHNOLOGY(TECHNOLOGY)
  ) u_valid (
    .clk_i,
    .rst_ni,
    .next_i(valid ? !block_ready_i : raw_valid),
    .copies_o({valid, full_parts})
  );
  for (genvar p = 0; p < Parts; p++) begin : gen_part
    always_ff @(posedge clk_i or negedge words_rst_ni[0]) begin : p_piece
      if (!words_rst_ni[0]) begin
        raw_piece_q[PartBits*p +: PartBits] <= '0;
      end else if (!raw_full_parts[p]) begin
        raw_piece_q[PartBits*p +: PartBits] <= piece_i[PartBits*p +: PartBits];
      end
    end
    always_ff @(posedge clk_i or negedge words_rst_ni[1]) begin : p_padded
      if (!words_rst_ni[1]) begin
        block_q[PartBits*p +: PartBits] <= '0;
      end else if (!full_parts[p]) begin
        block_q[PartBits*p +: PartBits] <= padded[PartBits*p +: PartBits];
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_raw
    if (!rst_ni) begin
      {raw_final_q, raw_full_q, raw_owes_q} <= '0;
      {raw_channel_q, raw_begun_q, raw_blocks_q, raw_tail_q} <= '0;
      {raw_eights_equal_q, raw_eights_more_q, raw_ones_equal_q, raw_ones_more_q} <= '0;
    end else if (!raw_valid) begin
      raw_final_q <= second_q || (piece_last_i && !needs_second);
      raw_channel_q <= channel;
      raw_begun_q <= progress.begun;
      raw_blocks_q <= progress.blocks | (progress.begun ? '0 : 55'(BLOCKS_BEFORE));
      raw_full_q <= !second_q && piece_bytes_i[6];
      raw_owes_q <= !second_q && needs_second;
      raw_tail_q <= second_q ? progress.tail : piece_bytes_i[5:0];
      // A second block is as a last piece of no bytes, with or without the mark.
      raw_eights_more_q <= second_q ? '0 : eights_more;
      raw_eights_equal_q <= second_q ? {7'b0, progress.mark} : eights_equal;
      raw_ones_more_q <= second_q ? '0 : ones_more;
      raw_ones_equal_q <= second_q ? 8'd1 : ones_equal;
    end
  end

  // Into the second register.
  logic move;
  logic [63:0] length_bits;
  assign move = raw_valid && !valid;
  assign length_bits = {raw_blocks_q, raw_tail_q, 3'b000};
  for (genvar n = 0; n < 64; n++) begin : gen_byte
    logic covered, mark;
    logic [7:0] data;
    assign covered =
        raw_eights_more_q[n/8] || (raw_eights_equal_q[n/8] && raw_ones_more_q[n%8]);
    assign mark = raw_eights_equal_q[n/8] && raw_ones_equal_q[n%8];
    assign data = covered ? raw_piece_q[511 - 8*n -: 8] : {mark, 7'b0};
    if (n < 56) begin : gen_data
      assign padded[511 - 8*n -: 8] = data;
    end else begin : gen_length
      assign padded[511 - 8*n -: 8] = raw_final_q ? length_bits[63 - 8*(n - 56) -: 8] : data;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_block
    if (!rst_ni) begin
      {first_q, last_q} <= '0;
      channel_q <= '0;
    end else if (!valid) begin
      first_q <= !raw_begun_q;
      last_q <= raw_final_q;
      channel_q <= raw_channel_q;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_channels
    if (!rst_ni) begin
      open_q <= '0;
      owed_q <= '0;
    end else begin
      if (take) begin
        open_q[piece_channel_i] <= !piece_last_i;
      end
      if (second_q && !raw_valid) begin
        owed_q[second_channel_q] <= 1'b0;
      end
      if (move && raw_owes_q) begin
        owed_q[raw_channel_q] <= 1'b1;
      end
    end
  end

  always_comb begin : p_progress_next
    progress_next = '0;
    if (!raw_final_q) begin
      progress_next.begun = 1'b1;
      progress_next.blocks = raw_blocks_q + 55'(raw_full_q);
      progress_next.tail = raw_tail_q;
      progress_next.mark = raw_full_q;
    end
  end

  always_ff @(posedge clk_i) begin : p_progress
    if (wipe_i || move) begin
      progress_q[wipe_i ? wipe_channel_i : raw_channel_q] <= wipe_i ? '0 : progress_next;
    end
  end

  assign block_valid_o = valid;
  assign block_o = block_q;
  assign block_first_o = first_q;
  assign block_last_o = last_q;
  assign block_channel_o = channel_q;

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin : p_assert
    if (rst_ni && piece_valid_i && piece_ready_o) begin
      assert (piece_bytes_i <= 7'd64) else $error("a piece of more than 64 bytes");
      assert (piece_last_i || piece_bytes_i == 7'd64) else $error("a short piece not the last");
    end
  end
`endif

endmodule
