// SPDX-License-Identifier: Apache-2.0
//
// The front end of a pipeline of blocks (`sha256_engine`) that hashes messages: padding, and for
// each channel the chaining value between two blocks of its message. It gives blocks with the state
// that they start from, and takes the hashes of blocks that are not the last of their message.
//
// REGISTERED=0 offers a block in the clock in which its piece is offered, and takes both together.
// REGISTERED=1 has registers in `sha256_pad` and offers the block two clocks after the edge that
// takes its piece. REGISTERED=2 offers the block three clocks after that edge: the choice of its
// state has a separate clock, and so have writing and reading a chaining value in the memory.
//
// `wipe_i` for CHANNELS clocks, with each `wipe_channel_i` and with `chain_i` zero, clears the
// memories; this must be done after a reset. `rst_ni`, low meanwhile, clears all registers.
module sha256_channels #(
  parameter int unsigned HASH = 256,  // 1, 256, 512: widths of blocks and states
  parameter int unsigned CHANNELS = 4,
  parameter int unsigned BLOCKS_BEFORE = 0,  // before a message; they count in its length
  parameter int unsigned REGISTERED = 1,  // 0 to 2
  parameter int unsigned TECHNOLOGY = 0,
  localparam int unsigned ChannelBits = (CHANNELS > 1) ? $clog2(CHANNELS) : 1,
  localparam int unsigned WordBits = sha_hash_pkg::word_bits(HASH),
  localparam int unsigned StateBits = sha_hash_pkg::state_words(HASH) * WordBits,
  localparam int unsigned BytesBits = $clog2(2 * WordBits)  // of the number of bytes in a piece
) (
  input  logic clk_i,
  input  logic rst_ni,
  // Like rst_ni: for words before padding, for words after it, and for states.
  input  logic [2:0] words_rst_ni,
  input  logic wipe_i,
  input  logic [ChannelBits-1:0] wipe_channel_i,

  input  logic may_begin_i,  // a message may begin; a begun message goes on anyway
  output logic begins_o,  // the first piece of a message is taken
  input  logic [StateBits-1:0] first_state_i,  // the state that a message starts from

  input  logic msg_valid_i,
  output logic msg_ready_o,
  input  logic [16*WordBits-1:0] msg_data_i,  // byte 0 highest
  input  logic [BytesBits:0] msg_bytes_i,  // counts only in the last piece
  input  logic msg_last_i,
  input  logic [ChannelBits-1:0] msg_channel_i,

  output logic block_valid_o,
  input  logic block_ready_i,
  output logic [16*WordBits-1:0] block_o,
  output logic [StateBits-1:0] state_o,
  output logic block_last_o,
  output logic [ChannelBits-1:0] block_channel_o,

  // The hash of a block that was not the last of its message.
  input  logic chain_valid_i,
  input  logic [ChannelBits-1:0] chain_channel_i,
  input  logic [StateBits-1:0] chain_i
);

  logic [CHANNELS-1:0] busy_q;  // the channel's next block waits for its block in the engine
  logic [CHANNELS-1:0] channel_free;
  logic [StateBits-1:0] chain_q [CHANNELS];
  logic padded_valid, padded_first, block_taken;
  logic state_ready;  // the state of the block that padding offers is there
  logic chain_back;  // a chaining value goes into the memory
  logic [ChannelBits-1:0] back_channel;

  assign channel_free = ~busy_q;
  assign block_taken = block_valid_o && block_ready_i;

  sha256_pad #(
    .WORD_BITS(WordBits),
    .CHANNELS(CHANNELS),
    .BLOCKS_BEFORE(BLOCKS_BEFORE),
    .REGISTERED((REGISTERED == 0) ? 0 : 1),
    .TECHNOLOGY(TECHNOLOGY)
  ) u_pad (
    .clk_i,
    .rst_ni,
    .words_rst_ni(words_rst_ni[1:0]),
    .wipe_i,
    .wipe_channel_i,
    .may_begin_i,
    .begins_o,
    .piece_valid_i(msg_valid_i),
    .piece_ready_o(msg_ready_o),
    .piece_i(msg_data_i),
    .piece_bytes_i(msg_bytes_i),
    .piece_last_i(msg_last_i),
    .piece_channel_i(msg_channel_i),
    .channel_free_i(channel_free),
    .block_valid_o(padded_valid),
    .block_ready_i(block_ready_i && state_ready),
    .block_o,
    .block_first_o(padded_first),
    .block_last_o,
    .block_channel_o
  );

  if (REGISTERED == 2) begin : gen_registered
    // Reading the chaining value that a block continues has a separate clock.
    logic ready_q, read_q;
    logic [StateBits-1:0] read_chain_q;
    logic can_go;
    assign can_go = padded_valid && !busy_q[block_channel_o] && !block_taken;
    always_ff @(posedge clk_i or negedge rst_ni) begin : p_ready
      if (!rst_ni) begin
        {read_q, ready_q} <= '0;
      end else begin
        read_q <= can_go;
        ready_q <= can_go && (padded_first || read_q);
      end
    end
    always_ff @(posedge clk_i or negedge words_rst_ni[2]) begin : p_state
      if (!words_rst_ni[2]) begin
        {read_chain_q, state_o} <= '0;
      end else begin
        read_chain_q <= chain_q[block_channel_o];
        state_o <= padded_first ? first_state_i : read_chain_q;
      end
    end
    assign state_ready = ready_q;
    assign block_valid_o = ready_q;

    // The memory is written in every clock of a reset, with zeros once `chain_i` is zero.
    logic write_q;
    logic [ChannelBits-1:0] channel_q;
    logic [StateBits-1:0] value_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin : p_write
      if (!rst_ni) begin
        write_q <= 1'b1;
      end else begin
        write_q <= chain_valid_i;
      end
    end
    always_ff @(posedge clk_i) begin : p_value
      channel_q <= wipe_i ? wipe_channel_i : chain_channel_i;
      value_q <= chain_i;
    end
    always_ff @(posedge clk_i) begin : p_chain
      if (write_q) begin
        chain_q[channel_q] <= value_q;
      end
    end
    assign chain_back = write_q;
    assign back_channel = channel_q;
  end else begin : gen_direct
    logic unused;
    assign unused = words_rst_ni[2];
    assign state_o = padded_first ? first_state_i : chain_q[block_channel_o];
    // At REGISTERED=0 `sha256_pad` itself waits for the chaining value.
    assign state_ready = REGISTERED == 0 || !busy_q[block_channel_o];
    assign block_valid_o = padded_valid && state_ready;

    always_ff @(posedge clk_i) begin : p_chain
      if (wipe_i || chain_valid_i) begin
        chain_q[wipe_i ? wipe_channel_i : chain_channel_i] <= chain_i;
      end
    end
    assign chain_back = chain_valid_i;
    assign back_channel = chain_channel_i;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_busy
    if (!rst_ni) begin
      busy_q <= '0;
    end else begin
      if (block_taken) begin
        busy_q[block_channel_o] <= !block_last_o;
      end
      if (chain_back) begin
        busy_q[back_channel] <= 1'b0;
      end
    end
  end

`ifndef SYNTHESIS
  logic reset_q, wiped_q;  // one clock after reset, two clocks after reset
  always_ff @(posedge clk_i or negedge rst_ni) begin : p_assert
    if (!rst_ni) begin
      {reset_q, wiped_q} <= 2'b10;
    end else begin
      {reset_q, wiped_q} <= {1'b0, reset_q};
      if (reset_q) begin
        assert (busy_q == '0 && (REGISTERED == 0 || block_o == '0)) else $error("not wiped");
      end
      if (wiped_q) begin
        for (int unsigned n = 0; n < CHANNELS; n++) begin
          assert (chain_q[n] == '0) else $error("a chaining value outlived its wiping");
        end
      end
      assert (!chain_valid_i || busy_q[chain_channel_i])
          else $error("a chaining value came back that no message waits for");
      assert (!block_taken || !busy_q[block_channel_o])
          else $error("a block went out before the one that it continues came back");
    end
  end
`endif

endmodule
