// SPDX-License-Identifier: Apache-2.0
//
// Padding of SHA-256 and SHA-1 (FIPS 180-4, section 5.1.1) for several channels: takes the pieces
// of messages, gives whole blocks. With WORD_BITS=64 it is that of SHA-512 (section 5.1.2): pieces
// and blocks have 128 bytes, the length has 16, of which the first eight are zero, and 112 takes
// the place of 56 in what follows.
//
// REGISTERED=0 gives a piece's block in the same clock. REGISTERED=1 has one register for a piece
// and a second register for the block made of it, and takes a piece every other clock at most.
//
// A last piece of more than 55 bytes needs a second block. This second block is remembered for its
// channel and given out before other pieces as soon as `channel_free_i` says that the channel's
// chaining value is there; meanwhile pieces of other channels pass. `piece_ready_o` therefore
// depends on `piece_channel_i`, and otherwise on registers alone (at REGISTERED=0 on
// `block_ready_i` too, and on `channel_free_i`, because the piece's block needs the chaining value
// at once).
//
// Messages have up to 2^61 - 1 bytes. A channel's progress between two pieces is in a small memory:
// `wipe_i` for CHANNELS clocks, with each `wipe_channel_i`, clears it; this must be done after a
// reset. All registers are cleared by `rst_ni`.
module sha256_pad #(
  parameter int unsigned WORD_BITS = 32,  // 32, 64
  parameter int unsigned CHANNELS = 4,
  parameter int unsigned BLOCKS_BEFORE = 0,  // before a message; they count in its length
  parameter int unsigned REGISTERED = 1,
  parameter int unsigned TECHNOLOGY = 0,
  localparam int unsigned ChannelBits = (CHANNELS > 1) ? $clog2(CHANNELS) : 1,
  localparam int unsigned Bytes = 2 * WORD_BITS,  // of a piece and of a block
  localparam int unsigned BytesBits = $clog2(Bytes)
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic [1:0] words_rst_ni,  // like rst_ni: for words before padding, and after it
  input  logic wipe_i,
  input  logic [ChannelBits-1:0] wipe_channel_i,

  input  logic may_begin_i,  // a message may begin; a begun message goes on anyway
  output logic begins_o,  // the first piece of a message is taken

  input  logic piece_valid_i,
  output logic piece_ready_o,
  input  logic [8*Bytes-1:0] piece_i,  // byte 0 highest
  input  logic [BytesBits:0] piece_bytes_i,  // 0 to Bytes; counts only in the last piece
  input  logic piece_last_i,
  input  logic [ChannelBits-1:0] piece_channel_i,

  input  logic [CHANNELS-1:0] channel_free_i,

  output logic block_valid_o,
  input  logic block_ready_i,
  output logic [8*Bytes-1:0] block_o,
  output logic block_first_o,
  output logic block_last_o,
  output logic [ChannelBits-1:0] block_channel_o
);

  localparam int unsigned LengthBytes = Bytes / 8;
  localparam int unsigned Eights = Bytes / 8;
  localparam int unsigned BlocksBits = 61 - BytesBits;  // of the number of blocks in a message

  // Facts about a piece, or about the empty piece that stands for a second block.
  typedef struct packed {
    logic [ChannelBits-1:0] channel;
    logic begun;  // the message has begun before this piece
    logic [BlocksBits-1:0] blocks;  // whole blocks of the message before this piece
    logic [BytesBits-1:0] tail;  // bytes in the piece, modulo Bytes
    logic full;  // the piece has all its bytes
    logic owes;  // the piece is the last one and has no room for the length
    logic last;  // its block ends the message
    // Bytes in the piece against each number, in eights and ones, without a comparator a byte.
    logic [Eights-1:0] eights_equal, eights_more;
    logic [7:0] ones_equal, ones_more;
  } facts_t;
  facts_t given, facts;

  // A channel's progress between the pieces of a message: the whole blocks so far, with
  // BLOCKS_BEFORE; and for a second block the bytes in the piece modulo Bytes. Zero between
  // messages.
  typedef struct packed {
    logic [BlocksBits-1:0] blocks;
    logic [BytesBits-1:0] tail;
  } progress_t;
  progress_t progress_q [CHANNELS];
  progress_t progress, progress_next;

  logic [CHANNELS-1:0] open_q;  // a message has begun and its last piece was not taken
  logic [CHANNELS-1:0] owed_q;  // the channel's second block must still come
  logic [CHANNELS-1:0] leaving;  // the block that waits to be taken is this channel's

  // The lowest channel that is owed a block and can have it.
  logic second_can_go, second;
  logic [ChannelBits-1:0] second_can_go_channel, second_channel;
  always_comb begin : p_second_can_go
    second_can_go = 1'b0;
    second_can_go_channel = '0;
    for (int unsigned n = 0; n < CHANNELS; n++) begin
      if (!second_can_go && owed_q[n] && channel_free_i[n] && !leaving[n]) begin
        second_can_go = 1'b1;
        second_can_go_channel = ChannelBits'(n);
      end
    end
  end

  // The piece that comes in.
  logic room, channel_takes, may_take, take, full, needs_second;
  logic [ChannelBits-1:0] channel;
  assign channel_takes = !owed_q[piece_channel_i] && (may_begin_i || open_q[piece_channel_i]) &&
                         (REGISTERED == 1 || channel_free_i[piece_channel_i]);
  assign may_take = rst_ni && !second && channel_takes;
  assign piece_ready_o = may_take && room;
  assign take = piece_valid_i && piece_ready_o;
  assign begins_o = take && !open_q[piece_channel_i];
  assign full = !piece_last_i || piece_bytes_i[BytesBits];
  // The last eighth of a block is for the length.
  assign needs_second =
      piece_last_i && (piece_bytes_i[BytesBits] || (piece_bytes_i[BytesBits-1 -: 3] == 3'd7));
  assign channel = second ? second_channel : piece_channel_i;
  assign progress = progress_q[channel];

  always_comb begin : p_given
    given.channel = channel;
    given.begun = second || open_q[piece_channel_i];
    given.blocks = progress.blocks | (given.begun ? '0 : BlocksBits'(BLOCKS_BEFORE));
    given.tail = second ? progress.tail : piece_bytes_i[BytesBits-1:0];
    given.full = !second && full;
    given.owes = !second && needs_second;
    given.last = second || (piece_last_i && !needs_second);
    for (int unsigned n = 0; n < Eights; n++) begin
      given.eights_equal[n] = piece_bytes_i[BytesBits:3] == (BytesBits-2)'(n);
    end
    for (int unsigned n = 0; n < Eights; n++) begin
      given.eights_more[n] = full;
      for (int unsigned more = n + 1; more < Eights; more++) begin
        given.eights_more[n] |= given.eights_equal[more];
      end
    end
    for (int unsigned n = 0; n < 8; n++) begin
      given.ones_equal[n] = piece_bytes_i[2:0] == 3'(n);
    end
    for (int unsigned n = 0; n < 8; n++) begin
      given.ones_more[n] = 1'b0;
      for (int unsigned more = n + 1; more < 8; more++) begin
        given.ones_more[n] |= given.ones_equal[more];
      end
    end
    if (second) begin
      // Like a last piece of no bytes, with the mark if the piece before was full; a piece of 56 to
      // 63 bytes has the mark in its own block.
      given.eights_equal = Eights'(!progress.tail[BytesBits-1]);
      given.eights_more = '0;
      given.ones_equal = 8'd1;
      given.ones_more = '0;
    end
  end

  // The block.
  logic [8*Bytes-1:0] data, padded;
  logic [8*LengthBytes-1:0] length_bits;
  assign length_bits = (8*LengthBytes)'({facts.blocks, facts.tail, 3'b000});
  for (genvar n = 0; n < Bytes; n++) begin : gen_byte
    logic covered, mark;
    logic [7:0] kept;
    assign covered =
        facts.eights_more[n/8] || (facts.eights_equal[n/8] && facts.ones_more[n%8]);
    assign mark = facts.eights_equal[n/8] && facts.ones_equal[n%8];
    assign kept = covered ? data[8*(Bytes-n) - 1 -: 8] : {mark, 7'b0};
    if (n < Bytes - LengthBytes) begin : gen_data
      assign padded[8*(Bytes-n) - 1 -: 8] = kept;
    end else begin : gen_length
      assign padded[8*(Bytes-n) - 1 -: 8] =
          facts.last ? length_bits[8*(Bytes-n) - 1 -: 8] : kept;
    end
  end

  logic move;  // the block is made and its piece forgotten
  if (REGISTERED == 1) begin : gen_registered
    // Whether the first and the second register are full, with a copy for each part of their words.
    // The contents of a register count only if it is full.
    localparam int unsigned Parts = 8;
    localparam int unsigned PartBits = 8 * Bytes / Parts;
    logic raw_valid, valid;
    logic [Parts-1:0] raw_valid_parts, valid_parts;
    sha256_register_copies_ecp5 #(
      .COPIES(Parts + 1),
      .TECHNOLOGY(TECHNOLOGY)
    ) u_raw_valid (
      .clk_i,
      .rst_ni,
      // Equals `take`, without the conditions that hold here anyway: the path from
      // `piece_channel_i` is the longest.
      .next_i(raw_valid ? valid : (second || (piece_valid_i && channel_takes))),
      .copies_o({raw_valid, raw_valid_parts})
    );
    sha256_register_copies_ecp5 #(
      .COPIES(Parts + 1),
      .TECHNOLOGY(TECHNOLOGY)
    ) u_valid (
      .clk_i,
      .rst_ni,
      .next_i(valid ? !block_ready_i : raw_valid),
      .copies_o({valid, valid_parts})
    );
    for (genvar p = 0; p < Parts; p++) begin : gen_part
      always_ff @(posedge clk_i or negedge words_rst_ni[0]) begin : p_piece
        if (!words_rst_ni[0]) begin
          data[PartBits*p +: PartBits] <= '0;
        end else if (!raw_valid_parts[p]) begin
          data[PartBits*p +: PartBits] <= piece_i[PartBits*p +: PartBits];
        end
      end
      always_ff @(posedge clk_i or negedge words_rst_ni[1]) begin : p_padded
        if (!words_rst_ni[1]) begin
          block_o[PartBits*p +: PartBits] <= '0;
        end else if (!valid_parts[p]) begin
          block_o[PartBits*p +: PartBits] <= padded[PartBits*p +: PartBits];
        end
      end
    end

    always_ff @(posedge clk_i or negedge rst_ni) begin : p_facts
      if (!rst_ni) begin
        facts <= '0;
        {block_first_o, block_last_o, block_channel_o} <= '0;
        {second, second_channel} <= '0;
      end else begin
        if (!raw_valid) facts <= given;
        if (!valid) begin
          {block_first_o, block_last_o, block_channel_o} <=
              {!facts.begun, facts.last, facts.channel};
        end
        second <= second_can_go && !(second && !raw_valid);
        second_channel <= second_can_go_channel;
      end
    end
    assign room = !raw_valid;
    assign move = raw_valid && !valid;
    for (genvar n = 0; n < CHANNELS; n++) begin : gen_leaving
      assign leaving[n] = valid && block_channel_o == ChannelBits'(n);
    end
    assign block_valid_o = valid;
  end else begin : gen_direct
    logic unused;
    assign unused = ^words_rst_ni;
    assign second = second_can_go;
    assign second_channel = second_can_go_channel;
    assign facts = given;
    assign data = piece_i;
    assign room = block_ready_i;
    assign move = block_valid_o && block_ready_i;
    assign leaving = '0;
    assign block_valid_o = second || (piece_valid_i && may_take);
    assign block_o = padded;
    assign {block_first_o, block_last_o, block_channel_o} =
        {!facts.begun, facts.last, facts.channel};
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_channels
    if (!rst_ni) begin
      open_q <= '0;
      owed_q <= '0;
    end else begin
      if (take) open_q[piece_channel_i] <= !piece_last_i;
      if (second && room) owed_q[second_channel] <= 1'b0;
      if (move && facts.owes) owed_q[facts.channel] <= 1'b1;
    end
  end

  always_comb begin : p_progress_next
    progress_next.blocks = facts.blocks + BlocksBits'(facts.full);
    progress_next.tail = facts.tail;
    if (facts.last) progress_next = '0;
  end

  always_ff @(posedge clk_i) begin : p_progress
    if (wipe_i || move) begin
      progress_q[wipe_i ? wipe_channel_i : facts.channel] <= wipe_i ? '0 : progress_next;
    end
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin : p_assert
    if (rst_ni && take && piece_last_i) begin
      assert (piece_bytes_i <= (BytesBits+1)'(Bytes)) else $error("a piece of too many bytes");
    end
    assert (!rst_ni || (open_q & owed_q) == '0) else $error("an open message is owed a block");
  end
`endif

endmodule
