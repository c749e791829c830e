// SPDX-License-Identifier: Apache-2.0
//
// SHA-512 (FIPS 180-4, section 6.4) of messages of any length below 2^61 bytes, in the pipeline of
// michail2005: `sha256_pipeline` with HASH=512 and SCHEDULE=0, whose contract holds here with 80
// rounds in place of 64. Pieces of 128 bytes come in, the last of a message with 0 to 128; digests
// go out.
//
// Clocks: a message's only piece has its digest 2 + 80/ROUNDS clocks after the edge that takes it.
// Messages of one block follow each other in 80/(STAGES*ROUNDS) clocks, whatever their channels;
// blocks of one message in 2 + 80/ROUNDS.
//
// `wipe_i`: all messages are forgotten; STAGES + 2 clocks after the edge on which it was last high,
// or after a reset, all registers and memories are cleared. The core does NOT resist side channels.
module sha512_pipeline #(
  parameter int unsigned STAGES = 4,  // 1, 2, 4, 8
  parameter int unsigned ROUNDS = 1,  // per clock: 1, 2
  parameter int unsigned PRECOMPUTE = 1,  // 1: H+K+W is made a clock ahead
  localparam int unsigned ChannelBits = (STAGES > 1) ? $clog2(STAGES) : 1
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic wipe_i,

  input  logic msg_valid_i,
  output logic msg_ready_o,
  input  logic [1023:0] msg_data_i,  // byte 0 in [1023:1016]
  input  logic [7:0] msg_bytes_i,  // 0 to 128; counts only in the last piece
  input  logic msg_last_i,
  input  logic [ChannelBits-1:0] msg_channel_i,  // below STAGES

  output logic digest_valid_o,
  input  logic digest_ready_i,
  output logic [511:0] digest_o,
  output logic [ChannelBits-1:0] digest_channel_o
);

  sha256_pipeline #(
    .HASH(512),
    .STAGES(STAGES),
    .ROUNDS(ROUNDS),
    .PRECOMPUTE(PRECOMPUTE),
    .SCHEDULE(0)
  ) u_pipeline (
    .clk_i, .rst_ni, .wipe_i,
    .msg_valid_i, .msg_ready_o, .msg_data_i, .msg_bytes_i, .msg_last_i, .msg_channel_i,
    .digest_valid_o, .digest_ready_i, .digest_o, .digest_channel_o
  );

endmodule
