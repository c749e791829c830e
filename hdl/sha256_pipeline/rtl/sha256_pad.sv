// SPDX-License-Identifier: Apache-2.0
//
// Padding of SHA-256 (FIPS 180-4, section 5.1.1) for several channels: takes the pieces of
// messages, gives whole blocks. One register of a block; takes a piece every other clock at most.
//
// A last piece of more than 55 bytes needs a second block. It is remembered for its channel and
// given out before other pieces as soon as `channel_free_i` says that the channel's chaining value
// is there; meanwhile pieces of other channels pass. `piece_ready_o` therefore depends on
// `piece_channel_i`, and otherwise on registers alone.
//
// Messages of up to 2^61 - 1 bytes. All registers are cleared by `rst_ni`.
module sha256_pad #(
  parameter int unsigned CHANNELS = 4,
  localparam int unsigned CHANNEL_BITS = (CHANNELS > 1) ? $clog2(CHANNELS) : 1
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic piece_valid_i,
  output logic piece_ready_o,
  input  logic [511:0] piece_i,  // byte 0 in [511:504]
  input  logic [6:0] piece_bytes_i,  // 64 unless it is the last piece
  input  logic piece_last_i,
  input  logic [CHANNEL_BITS-1:0] piece_channel_i,

  input  logic [CHANNELS-1:0] channel_free_i,

  output logic block_valid_o,
  input  logic block_ready_i,
  output logic [511:0] block_o,
  output logic block_last_o,
  output logic [CHANNEL_BITS-1:0] block_channel_o
);

  // Per channel: blocks before this piece (and the tail, for a second block), and whether one is
  // owed. A count goes on in the clock after its piece was taken, in which none can be; so no
  // choice lies before the addition.
  logic [CHANNELS-1:0][54:0] blocks_q;
  logic [54:0] counted_q;  // blocks of channel_q before its last piece, or -1 after a message
  logic count_q;
  logic [CHANNELS-1:0][5:0] tail_q;
  logic [CHANNELS-1:0] owed_q;

  logic valid_q, last_q;
  logic [511:0] block_q;
  logic [CHANNEL_BITS-1:0] channel_q;

  // The lowest channel that is owed a block and can have it, known a clock before.
  logic second_q, second_next;
  logic [CHANNEL_BITS-1:0] second_channel_q, second_channel_next;
  always_comb begin : p_second_next
    second_next = 1'b0;
    second_channel_next = '0;
    for (int unsigned n = 0; n < CHANNELS; n++) begin
      if (!second_next && owed_q[n] && channel_free_i[n] &&
          !(valid_q && channel_q == CHANNEL_BITS'(n))) begin
        second_next = 1'b1;
        second_channel_next = CHANNEL_BITS'(n);
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_second
    if (!rst_ni) begin
      second_q <= 1'b0;
      second_channel_q <= '0;
    end else begin
      second_q <= second_next && !(second_q && !valid_q);
      second_channel_q <= second_channel_next;
    end
  end

  logic take, needs_second, final_block;
  assign piece_ready_o = rst_ni && !valid_q && !second_q && !owed_q[piece_channel_i];
  assign take = piece_valid_i && piece_ready_o;
  assign needs_second = piece_last_i && (piece_bytes_i[6] || (piece_bytes_i[5:3] == 3'd7));
  assign final_block = second_q || (piece_last_i && !needs_second);

  // Both kinds of last block end in a length, from the registers of one channel. A second block has
  // none of a piece's bytes, and begins with the mark if the piece had no room for it.
  logic [CHANNEL_BITS-1:0] channel;
  logic [54:0] blocks;
  logic [63:0] length_bits;
  assign channel = second_q ? second_channel_q : piece_channel_i;
  assign blocks = blocks_q[channel];
  assign length_bits = {blocks, second_q ? tail_q[channel] : piece_bytes_i[5:0], 3'b000};

  // piece_bytes_i against each number, without 64 comparators.
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

  logic [511:0] padded;
  for (genvar n = 0; n < 64; n++) begin : gen_byte
    logic covered, mark;
    logic [7:0] data;
    assign covered = !second_q && (eights_more[n/8] || (eights_equal[n/8] && ones_more[n%8]));
    if (n == 0) begin : gen_first
      assign mark = second_q ? (tail_q[channel] == '0) : (piece_last_i && piece_bytes_i == '0);
    end else begin : gen_later
      assign mark = !second_q && piece_last_i && eights_equal[n/8] && ones_equal[n%8];
    end
    assign data = covered ? piece_i[511 - 8*n -: 8] : {mark, 7'b0};
    if (n < 56) begin : gen_data
      assign padded[511 - 8*n -: 8] = data;
    end else begin : gen_length
      assign padded[511 - 8*n -: 8] =
          final_block ? length_bits[63 - 8*(n - 56) -: 8] : data;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_block
    if (!rst_ni) begin
      valid_q <= 1'b0;
      last_q <= 1'b0;
      block_q <= '0;
      channel_q <= '0;
    end else if (valid_q) begin
      valid_q <= !block_ready_i;
    end else if (second_q || take) begin
      valid_q <= 1'b1;
      last_q <= final_block;
      channel_q <= channel;
      block_q <= padded;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_channels
    if (!rst_ni) begin
      blocks_q <= '0;
      tail_q <= '0;
      owed_q <= '0;
      counted_q <= '0;
      count_q <= 1'b0;
    end else begin
      count_q <= 1'b0;
      if (!valid_q) begin
        counted_q <= final_block ? '1 : blocks;
      end
      if (!valid_q && (second_q || take)) begin
        count_q <= final_block || piece_bytes_i[6];
        owed_q[channel] <= !second_q && needs_second;
        if (!second_q) begin
          tail_q[channel] <= piece_bytes_i[5:0];
        end
      end
      if (count_q) begin
        blocks_q[channel_q] <= counted_q + 1'b1;
      end
    end
  end

  assign block_valid_o = valid_q;
  assign block_o = block_q;
  assign block_last_o = last_q;
  assign block_channel_o = channel_q;

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin : p_assert
    if (rst_ni && take) begin
      assert (piece_bytes_i <= 7'd64) else $error("a piece of more than 64 bytes");
      assert (piece_last_i || piece_bytes_i == 7'd64) else $error("a short piece not the last");
    end
  end
`endif

endmodule
