// SPDX-License-Identifier: Apache-2.0
//
// HMAC-SHA-256 (RFC 2104, FIPS 198-1) on two pipelined SHA-256 engines in a chain: the inner engine
// hashes the message and holds the hash in its result register, the outer engine makes the tag from
// this hash. The states that the key's block leaves in both engines (the midstates) are kept, so
// that a message costs its own blocks and one block in the outer engine, which works on other
// messages at the same time.
//
// Clocks: 64 / ROUNDS in each engine and one from engine to engine. The tag of a message of one
// block (0 to 55 bytes) is offered 2 * 64 / ROUNDS + 1 clocks after the edge that took its word;
// one such message may follow another every 64 / (STAGES * ROUNDS) clocks. README.md has the rest.
// At INTERLEAVE=2 an engine takes 135 clocks, and for the fast clock messages wait in registers
// before the inner engine (`sha256_channels`, three clocks), and tags one clock more.
//
// The core is not protected against side channels other than time, nor against faults.
//
// Source of the structure: Michail, Kakarountas, Fotopoulou, Goutis, "High-Speed and Low-Power
// Implementation of Hash Message Authentication Code through Partially Unrolled Techniques", 2005,
// Fig. 4.
module hmac_sha256 #(
  // Parameters of both engines; sha256_engine.sv explains them.
  parameter int unsigned STAGES = 4,
  parameter int unsigned ROUNDS = 2,
  parameter int unsigned PRECOMPUTE = 2,
  parameter int unsigned CARRY_SAVE = 0,
  parameter int unsigned SCHEDULE = 1,
  parameter int unsigned TECHNOLOGY = 0,
  parameter int unsigned INTERLEAVE = 1,
  // Messages of more than one block that can be open at once.
  localparam int unsigned Channels = (STAGES * INTERLEAVE < 2) ? 2 : STAGES * INTERLEAVE,
  localparam int unsigned ChannelBits = $clog2(Channels)
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  // Wipes key, midstates and every message, and overrides all other inputs; at INTERLEAVE=2 a clock
  // later. Wiping takes Channels + 1 clocks from the edge on which this input is last high; at
  // INTERLEAVE=2 it takes two more, and the engines' memories take their depth more. Words that are
  // taken on those edges are lost.
  input  logic                   wipe_i,
  // The core has a key: it holds the midstates.
  output logic                   keyed_o,

  // Key: up to 64 bytes, the first byte highest, zeros behind. The core takes it while no message
  // is open and no tag is owed; no message begins while a key waits.
  input  logic                   key_valid_i,
  output logic                   key_ready_o,
  input  logic [511:0]           key_i,

  // Message, 64 bytes a word, the first byte highest; words before the last are full. `ready`
  // follows `msg_channel_i` within the period.
  input  logic                   msg_valid_i,
  output logic                   msg_ready_o,
  input  logic [511:0]           msg_data_i,
  input  logic [6:0]             msg_bytes_i,    // 0 to 64 bytes in the last word
  input  logic                   msg_last_i,
  input  logic [ChannelBits-1:0] msg_channel_i,

  // Tag, H0 highest; within a channel tags come in the order of messages. Zero while not valid.
  output logic                   tag_valid_o,
  input  logic                   tag_ready_i,
  output logic [255:0]           tag_o,
  output logic [ChannelBits-1:0] tag_channel_o
);
  import hmac_sha256_pkg::*;
  import sha256_pkg::interleaved_depth;

  // 1: messages and tags wait in registers.
  localparam int unsigned Registered = (INTERLEAVE == 2) ? 1 : 0;

  // Bound on the messages that have begun and whose tags have not left: as many as both engines
  // hold, an open message on each channel, and a message in each of the three registers before the
  // engines.
  localparam int unsigned EngineBlocks = (INTERLEAVE == 2) ? interleaved_depth(STAGES) + 1
                                                            : STAGES + 1;
  localparam int unsigned MessagesMax = 2 * EngineBlocks + Channels + 3 * Registered;

  logic                   wipe;
  logic [ChannelBits-1:0] wipe_channel;
  logic                   hold;
  logic                   hold_next;
  logic                   key_moves;
  logic                   key_next;
  logic                   setup;
  logic                   setup_next;
  logic                   message_begins;
  logic                   tag_moves;

  // The midstates are as secret as the key.
  logic [255:0]           inner_midstate;
  logic [255:0]           outer_midstate;

  logic                   may_begin;
  logic                   block_valid;
  logic [511:0]           block;
  logic                   block_final;
  logic [ChannelBits-1:0] block_channel;
  logic [255:0]           block_state;
  logic                   chain_valid;
  logic [ChannelBits-1:0] chain_channel;
  logic [255:0]           chain_value;

  logic                   inner_ready;
  logic                   inner_hash_valid;
  logic                   inner_hash_ready;
  logic [255:0]           inner_hash;
  logic                   inner_hash_final;
  logic [ChannelBits-1:0] inner_hash_channel;

  logic                   outer_ready;
  logic                   outer_hash_valid;
  logic                   outer_hash_ready;
  logic [255:0]           outer_hash;

  assign tag_moves = tag_valid_o & tag_ready_i;

  hmac_sha256_control #(
    .CHANNELS     (Channels),
    .MESSAGES_MAX (MessagesMax),
    .REGISTERED   (Registered),
    .TECHNOLOGY   (TECHNOLOGY)
  ) u_control (
    .clk_i,
    .rst_ni,
    .wipe_i,
    .key_valid_i,
    .key_ready_o,
    .wipe_o           (wipe),
    .wipe_channel_o   (wipe_channel),
    .hold_o           (hold),
    .hold_next_o      (hold_next),
    .key_moves_o      (key_moves),
    .key_next_o       (key_next),
    .setup_o          (setup),
    .setup_next_o     (setup_next),
    .keyed_o,
    .may_begin_o      (may_begin),
    .engines_ready_i  (inner_ready & outer_ready),
    .key_hashed_i     (inner_hash_valid),
    .message_begins_i (message_begins),
    .tag_moves_i      (tag_moves)
  );

  // Inner hash

  logic       hold_channels;
  logic [2:0] hold_words;
  sha256_register_copies_ecp5 #(
    .COPIES      (4),
    .RESET_VALUE (1'b1),
    .TECHNOLOGY  (TECHNOLOGY)
  ) u_hold (
    .clk_i,
    .rst_ni,
    .next_i   (hold_next),
    .copies_o ({hold_channels, hold_words})
  );

  sha256_channels #(
    .CHANNELS      (Channels),
    .BLOCKS_BEFORE (1),
    .REGISTERED    (2 * Registered),
    .TECHNOLOGY    (TECHNOLOGY)
  ) u_channels (
    .clk_i,
    .rst_ni          (~hold_channels),
    .words_rst_ni    (~hold_words),
    .wipe_i          (wipe),
    .wipe_channel_i  (wipe_channel),
    .may_begin_i     (may_begin),
    .begins_o        (message_begins),
    .first_state_i   (inner_midstate),
    .msg_valid_i,
    .msg_ready_o,
    .msg_data_i,
    .msg_bytes_i,
    .msg_last_i,
    .msg_channel_i,
    .block_valid_o   (block_valid),
    .block_ready_i   (inner_ready),
    .block_o         (block),
    .state_o         (block_state),
    .block_last_o    (block_final),
    .block_channel_o (block_channel),
    .chain_valid_i   (chain_valid),
    .chain_channel_i (chain_channel),
    .chain_i         (chain_value)
  );

  hmac_sha256_keyed_engine #(
    .STAGES     (STAGES),
    .ROUNDS     (ROUNDS),
    .PRECOMPUTE (PRECOMPUTE),
    .CARRY_SAVE (CARRY_SAVE),
    .SCHEDULE   (SCHEDULE),
    .ID_BITS    (ChannelBits + 1),
    .TECHNOLOGY (TECHNOLOGY),
    .INTERLEAVE (INTERLEAVE),
    .PAD        (InnerPad)
  ) u_inner (
    .clk_i,
    .rst_ni,
    .hold_next_i   (hold_next),
    .key_next_i    (key_next),
    .key_moves_i   (key_moves),
    .setup_next_i  (setup_next),
    .key_i,
    .midstate_o    (inner_midstate),
    .block_valid_i (block_valid),
    .block_ready_o (inner_ready),
    .block_i       (block),
    .state_i       (block_state),
    .id_i          ({block_final, block_channel}),
    .hash_valid_o  (inner_hash_valid),
    .hash_ready_i  (inner_hash_ready),
    .hash_o        (inner_hash),
    .id_o          ({inner_hash_final, inner_hash_channel})
  );

  // The key's hash and a chaining value leave at once, a message's hash when the outer engine is
  // ready.
  logic message_hash_valid;
  assign chain_valid        = inner_hash_valid & ~setup & ~inner_hash_final;
  assign chain_channel      = inner_hash_channel;
  assign chain_value        = inner_hash;
  assign message_hash_valid = inner_hash_valid & ~setup & inner_hash_final;
  assign inner_hash_ready   = outer_ready | ~inner_hash_final | setup;

  // Outer hash

  hmac_sha256_keyed_engine #(
    .STAGES     (STAGES),
    .ROUNDS     (ROUNDS),
    .PRECOMPUTE (PRECOMPUTE),
    .CARRY_SAVE (CARRY_SAVE),
    .SCHEDULE   (SCHEDULE),
    .ID_BITS    (ChannelBits),
    .TECHNOLOGY (TECHNOLOGY),
    .INTERLEAVE (INTERLEAVE),
    .PAD        (OuterPad)
  ) u_outer (
    .clk_i,
    .rst_ni,
    .hold_next_i   (hold_next),
    .key_next_i    (key_next),
    .key_moves_i   (key_moves),
    .setup_next_i  (setup_next),
    .key_i,
    .midstate_o    (outer_midstate),
    .block_valid_i (message_hash_valid),
    .block_ready_o (outer_ready),
    .block_i       ({inner_hash, OuterPadding}),
    .state_i       (outer_midstate),
    .id_i          (inner_hash_channel),
    .hash_valid_o  (outer_hash_valid),
    .hash_ready_i  (outer_hash_ready),
    .hash_o        (outer_hash),
    .id_o          (tag_channel_o)
  );

  // The output is zero without a tag, because the outer engine's result register may hold a
  // midstate.
  if (Registered == 0) begin : gen_tag_direct
    assign outer_hash_ready = tag_ready_i | setup;
    assign tag_valid_o      = outer_hash_valid & ~setup & ~wipe;
    assign tag_o            = outer_hash & {256{tag_valid_o}};
  end else begin : gen_tag_registered
    localparam int unsigned TagCopies = 8;
    logic [TagCopies-1:0] shown;
    sha256_register_copies_ecp5 #(
      .COPIES     (TagCopies + 1),
      .TECHNOLOGY (TECHNOLOGY)
    ) u_tag_valid (
      .clk_i,
      .rst_ni   (~hold),
      .next_i   (outer_hash_valid & ~setup & ~hold_next & ~tag_moves),
      .copies_o ({tag_valid_o, shown})
    );
    assign outer_hash_ready = tag_moves | setup;
    for (genvar i = 0; i < TagCopies; i++) begin : gen_tag
      assign tag_o[32*i +: 32] = outer_hash[32*i +: 32] & {32{shown[i]}};
    end
  end

`ifndef SYNTHESIS
  logic empty;
  assign empty = ~wipe & ~setup & ~keyed_o;
  always_ff @(posedge clk_i) begin : check
    if (rst_ni && empty) begin
      assert (inner_midstate == '0 && outer_midstate == '0)
        else $error("a midstate outlived its wiping");
      assert (!inner_hash_valid && !outer_hash_valid && inner_hash == '0 && outer_hash == '0)
        else $error("a hash outlived its wiping");
    end
    if (rst_ni && !hold) begin
      assert (!(key_moves && block_valid)) else $error("a key came in beside a block");
      if (key_ready_o) begin
        assert (!inner_hash_valid && !outer_hash_valid)
          else $error("a key came in before all tags left");
      end
      assert (tag_valid_o || tag_o == '0) else $error("a secret shows on the output");
      if (setup) begin
        assert (inner_hash_valid == outer_hash_valid) else $error("the engines went apart");
      end
    end
  end
`endif
endmodule
