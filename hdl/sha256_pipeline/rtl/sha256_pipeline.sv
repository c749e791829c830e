// SPDX-License-Identifier: Apache-2.0
//
// SHA-256 (FIPS 180-4) of messages of any length below 2^61 bytes on STAGES channels: padding, one
// chaining value per channel, and a pipeline (`sha256_engine`) for as many independent blocks
// (michail2005, figures 2 and 5). Pieces of 64 bytes come in, the last of a message with 0 to 64;
// digests go out, each with its channel, in the order of their last blocks. Pieces of one message
// are in order on one channel; channels mix freely.
//
// Clocks: a message's only piece has its digest 1 + 64/ROUNDS clocks after the edge that takes it
// (3 more at PRECOMPUTE=3). Messages of one block follow each other in 64/(STAGES*ROUNDS) clocks,
// whatever their channels; blocks of one message in 2 + 64/ROUNDS (3 more at PRECOMPUTE=3; a block
// of padding alone 2 later). All
// channels stand still while a digest that nobody takes is followed by another result.
//
// `clear_i`: all registers are cleared after each edge on which it is high. Does NOT resist side
// channels.
module sha256_pipeline
  import sha256_pkg::*;
#(
  parameter int unsigned STAGES = 4,  // 1, 2, 4, 8
  parameter int unsigned ROUNDS = 1,  // per clock: 1, 2, 4
  parameter int unsigned PRECOMPUTE = 1,  // 0 to 3, as in sha256_engine
  parameter int unsigned CARRY_SAVE = 0,
  parameter int unsigned TECHNOLOGY = 0,
  parameter int unsigned SCHEDULE = 1,
  localparam int unsigned CHANNEL_BITS = (STAGES > 1) ? $clog2(STAGES) : 1
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic clear_i,

  input  logic msg_valid_i,
  output logic msg_ready_o,
  input  logic [511:0] msg_data_i,  // byte 0 in [511:504]
  input  logic [6:0] msg_bytes_i,  // 0 to 64; 64 unless it is the last piece
  input  logic msg_last_i,
  input  logic [CHANNEL_BITS-1:0] msg_channel_i,  // below STAGES

  output logic digest_valid_o,
  input  logic digest_ready_i,
  output logic [255:0] digest_o,
  output logic [CHANNEL_BITS-1:0] digest_channel_o
);

  logic wipe_nq;
  always_ff @(posedge clk_i or negedge rst_ni) begin : p_wipe
    if (!rst_ni) begin
      wipe_nq <= 1'b0;
    end else begin
      wipe_nq <= !clear_i;
    end
  end

  logic [STAGES-1:0] busy_q;  // the channel's next block waits for the one in the engine
  logic [STAGES-1:0] channel_free;
  logic [STAGES-1:0] begun_q;  // its chaining value is in chain_q, else it is the initial one
  logic [STAGES-1:0][255:0] chain_q;

  logic padded_valid, padded_ready, padded_last;
  logic [511:0] padded;
  logic [CHANNEL_BITS-1:0] padded_channel;

  logic block_valid, block_ready, block_taken;
  logic [255:0] block_state;
  logic hash_valid, hash_ready, hash_last, hash_taken;
  logic [255:0] hash;
  logic [CHANNEL_BITS-1:0] hash_channel;

  assign channel_free = ~busy_q;

  sha256_pad #(
    .CHANNELS(STAGES)
  ) u_pad (
    .clk_i,
    .rst_ni(wipe_nq),
    .piece_valid_i(msg_valid_i),
    .piece_ready_o(msg_ready_o),
    .piece_i(msg_data_i),
    .piece_bytes_i(msg_bytes_i),
    .piece_last_i(msg_last_i),
    .piece_channel_i(msg_channel_i),
    .channel_free_i(channel_free),
    .block_valid_o(padded_valid),
    .block_ready_i(padded_ready),
    .block_o(padded),
    .block_last_o(padded_last),
    .block_channel_o(padded_channel)
  );

  logic [255:0] state;
  assign state = begun_q[padded_channel] ? chain_q[padded_channel] : INITIAL_STATE;
  if (PRECOMPUTE == 3) begin : gen_state_registered
    // The choice of a chaining value would be the longest path.
    logic ready_q;
    always_ff @(posedge clk_i or negedge wipe_nq) begin : p_state
      if (!wipe_nq) begin
        ready_q <= 1'b0;
        block_state <= '0;
      end else begin
        ready_q <= padded_valid && !busy_q[padded_channel] && !block_taken;
        block_state <= state;
      end
    end
    assign block_valid = ready_q;
  end else begin : gen_state
    assign block_state = state;
    assign block_valid = padded_valid && !busy_q[padded_channel];
  end
  assign block_taken = block_valid && block_ready;
  assign padded_ready = block_taken;

  sha256_engine #(
    .STAGES(STAGES),
    .ROUNDS(ROUNDS),
    .PRECOMPUTE(PRECOMPUTE),
    .CARRY_SAVE(CARRY_SAVE),
    .ID_BITS(CHANNEL_BITS + 1),
    .TECHNOLOGY(TECHNOLOGY),
    .SCHEDULE(SCHEDULE)
  ) u_engine (
    .clk_i,
    .rst_ni,
    .clear_i,
    .block_valid_i(block_valid),
    .block_ready_o(block_ready),
    .block_i(padded),
    .state_i(block_state),
    .id_i({padded_last, padded_channel}),
    .hash_valid_o(hash_valid),
    .hash_ready_i(hash_ready),
    .hash_o(hash),
    .id_o({hash_last, hash_channel})
  );

  assign hash_ready = digest_ready_i || !hash_last;
  assign hash_taken = hash_valid && hash_ready;

  for (genvar n = 0; n < STAGES; n++) begin : gen_channel
    always_ff @(posedge clk_i or negedge wipe_nq) begin : p_channel
      if (!wipe_nq) begin
        busy_q[n] <= 1'b0;
        begun_q[n] <= 1'b0;
        chain_q[n] <= '0;
      end else begin
        if (block_taken && 32'(padded_channel) == n) begin
          busy_q[n] <= !padded_last;
          begun_q[n] <= 1'b0;
        end
        if (hash_taken && !hash_last && 32'(hash_channel) == n) begin
          busy_q[n] <= 1'b0;
          begun_q[n] <= 1'b1;
          chain_q[n] <= hash;
        end
      end
    end
  end

  assign digest_valid_o = hash_valid && hash_last;
  assign digest_o = hash;
  assign digest_channel_o = hash_channel;

`ifndef SYNTHESIS
  logic cleared_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin : p_assert
    if (!rst_ni) begin
      cleared_q <= 1'b0;
    end else begin
      cleared_q <= clear_i;
      assert (!cleared_q || (busy_q == '0 && padded == '0 && chain_q == '0))
          else $error("not wiped");
      assert (!hash_valid || hash_last || busy_q[hash_channel])
          else $error("a result of a channel without a block");
    end
  end
`endif

endmodule
