// SPDX-License-Identifier: Apache-2.0
//
// What a pipeline of blocks (`sha256_engine`) needs before it to hash messages: padding, and for
// each channel the chaining value between two blocks of its message. Gives blocks with the state
// that they start from, takes the hashes of those that are not the last of their message.
//
// REGISTERED=0 offers a block two clocks after the edge that takes its piece, 1 three: then the
// choice of its state has a clock for itself.
//
// CHANNELS clocks of `wipe_i` with each `wipe_channel_i`, in which `chain_i` is zero, clear the
// memories, and must do so after a reset; `rst_ni`, low meanwhile, clears all registers.
module sha256_channels #(
  parameter int unsigned CHANNELS = 4,
  parameter int unsigned BLOCKS_BEFORE = 0,  // of a message, which count in its length
  parameter int unsigned REGISTERED = 0,
  localparam int unsigned CHANNEL_BITS = (CHANNELS > 1) ? $clog2(CHANNELS) : 1
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic wipe_i,
  input  logic [CHANNEL_BITS-1:0] wipe_channel_i,

  input  logic may_begin_i,  // a message may; one that has begun goes on in any case
  output logic begins_o,  // the first piece of a message is taken
  input  logic [255:0] first_state_i,  // what a message starts from

  input  logic msg_valid_i,
  output logic msg_ready_o,
  input  logic [511:0] msg_data_i,  // byte 0 in [511:504]
  input  logic [6:0] msg_bytes_i,  // 0 to 64; 64 unless it is the last piece
  input  logic msg_last_i,
  input  logic [CHANNEL_BITS-1:0] msg_channel_i,

  output logic block_valid_o,
  input  logic block_ready_i,
  output logic [511:0] block_o,
  output logic [255:0] state_o,
  output logic block_last_o,
  output logic [CHANNEL_BITS-1:0] block_channel_o,

  // The hash of a block that was not the last of its message.
  input  logic chain_valid_i,
  input  logic [CHANNEL_BITS-1:0] chain_channel_i,
  input  logic [255:0] chain_i
);

  logic [CHANNELS-1:0] busy_q;  // the channel's next block waits for the one in the engine
  logic [CHANNELS-1:0] channel_free;
  logic [255:0] chain_q [CHANNELS];
  logic [255:0] state;
  logic padded_valid, padded_first, block_taken;

  assign channel_free = ~busy_q;
  assign block_taken = block_valid_o && block_ready_i;
  assign state = padded_first ? first_state_i : chain_q[block_channel_o];

  sha256_pad #(
    .CHANNELS(CHANNELS),
    .BLOCKS_BEFORE(BLOCKS_BEFORE)
  ) u_pad (
    .clk_i,
    .rst_ni,
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
    .block_ready_i(block_taken),
    .block_o,
    .block_first_o(padded_first),
    .block_last_o,
    .block_channel_o
  );

  if (REGISTERED == 1) begin : gen_registered
    logic ready_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin : p_state
      if (!rst_ni) begin
        ready_q <= 1'b0;
        state_o <= '0;
      end else begin
        ready_q <= padded_valid && !busy_q[block_channel_o] && !block_taken;
        state_o <= state;
      end
    end
    assign block_valid_o = ready_q;
  end else begin : gen_direct
    assign state_o = state;
    assign block_valid_o = padded_valid && !busy_q[block_channel_o];
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_busy
    if (!rst_ni) begin
      busy_q <= '0;
    end else begin
      if (block_taken) begin
        busy_q[block_channel_o] <= !block_last_o;
      end
      if (chain_valid_i) begin
        busy_q[chain_channel_i] <= 1'b0;
      end
    end
  end

  always_ff @(posedge clk_i) begin : p_chain
    if (wipe_i || chain_valid_i) begin
      chain_q[wipe_i ? wipe_channel_i : chain_channel_i] <= chain_i;
    end
  end

`ifndef SYNTHESIS
  logic wiped_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin : p_assert
    if (!rst_ni) begin
      wiped_q <= 1'b1;
    end else begin
      wiped_q <= 1'b0;
      if (wiped_q) begin
        assert (busy_q == '0 && block_o == '0) else $error("not wiped");
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
