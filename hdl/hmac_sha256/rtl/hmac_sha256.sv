// SPDX-License-Identifier: Apache-2.0
//
// HMAC-SHA-256 (RFC 2104, FIPS 198-1) on two pipelined SHA-256 engines in a chain: the inner one
// hashes the message and holds its hash in its result register, the outer one makes the tag of it.
// The states that the key's block leaves in both (the midstates) are kept, so that a message costs
// its own blocks and one of the outer engine, which works on other messages at the same time.
//
// Clocks: 64 / ROUNDS in each engine and one from engine to engine. The tag of a message of one
// block (0 to 55 bytes) is offered 2 * 64 / ROUNDS + 1 clocks after the edge that took its word;
// one such message may follow another every 64 / (STAGES * ROUNDS) clocks. README.md has the rest.
// PRECOMPUTE=3 takes two clocks more in each engine.
//
// Not protected against side channels other than time, nor against faults.
//
// Source of the structure: Michail, Kakarountas, Fotopoulou, Goutis, "High-Speed and Low-Power
// Implementation of Hash Message Authentication Code through Partially Unrolled Techniques", 2005,
// Fig. 4.
module hmac_sha256 #(
  // Of both engines; sha256_engine.sv has their meaning.
  parameter int unsigned STAGES = 4,
  parameter int unsigned ROUNDS = 2,
  parameter int unsigned PRECOMPUTE = 2,
  parameter int unsigned CARRY_SAVE = 0,
  parameter int unsigned SCHEDULE = 1,
  parameter int unsigned TECHNOLOGY = 0,
  // Messages of more than one block that can be open at once.
  localparam int unsigned Channels = (STAGES < 2) ? 2 : STAGES,
  localparam int unsigned ChannelBits = $clog2(Channels)
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  // Wipes key, midstates and every message; wins over all else. Wiping takes Channels + 1 clocks
  // from the edge on which this is last high; words taken on those edges are lost.
  input  logic                   zeroize_i,
  // There is a key: midstates are held.
  output logic                   keyed_o,

  // Key: up to 64 bytes, the first one highest, zeros after it. Taken while no message is open
  // and no tag is owed; no message begins while a key waits.
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

  // Tag, H0 highest; in the order of messages within a channel. Zero while not valid.
  output logic                   tag_valid_o,
  input  logic                   tag_ready_i,
  output logic [255:0]           tag_o,
  output logic [ChannelBits-1:0] tag_channel_o
);
  import hmac_sha256_pkg::*;
  import sha256_pkg::INITIAL_STATE;

  // Messages begun whose tags have not left: at most one in each slot of both engines and in
  // their result registers, and one open on each channel.
  localparam int unsigned MessagesMax = 2 * STAGES + 2 + Channels;
  localparam int unsigned MessageBits = $clog2(MessagesMax + 1);

  typedef enum logic [1:0] {
    StWipe,   // registers and memories are being wiped; after reset too
    StEmpty,  // no key
    StSetup,  // both engines work on the key's block
    StKeyed
  } state_e;
  state_e                 state_q;
  logic [ChannelBits-1:0] wipe_channel_q;
  logic                   wipe;
  logic                   setup;

  logic                   key_waits_q;
  logic                   key_moves;
  logic                   message_begins;
  logic                   tag_moves;
  logic [MessageBits-1:0] messages_q;

  // The midstates: as secret as the key.
  logic [255:0]           inner_midstate_q;
  logic [255:0]           outer_midstate_q;

  logic                   block_valid;
  logic [511:0]           block;
  logic                   block_first;
  logic                   block_final;
  logic [ChannelBits-1:0] block_channel;
  logic [255:0]           chain;

  logic                   inner_ready;
  logic                   inner_hash_valid;
  logic                   inner_hash_ready;
  logic [255:0]           inner_hash;
  logic                   inner_hash_final;
  logic [ChannelBits-1:0] inner_hash_channel;

  logic                   outer_block_valid;
  logic                   outer_ready;
  logic                   outer_hash_valid;
  logic                   outer_hash_ready;
  logic [255:0]           outer_hash;

  // Control

  assign wipe    = (state_q == StWipe);
  assign setup   = (state_q == StSetup);
  assign keyed_o = (state_q == StKeyed);

  always_ff @(posedge clk_i or negedge rst_ni) begin : control
    if (!rst_ni) begin
      state_q        <= StWipe;
      wipe_channel_q <= '0;
    end else if (zeroize_i) begin
      state_q        <= StWipe;
      wipe_channel_q <= '0;
    end else begin
      unique case (state_q)
        StWipe: begin
          wipe_channel_q <= wipe_channel_q + 1'b1;
          if (&wipe_channel_q) state_q <= StEmpty;
        end
        StEmpty, StKeyed: if (key_moves) state_q <= StSetup;
        StSetup: if (inner_hash_valid) state_q <= StKeyed;
        default: state_q <= StWipe;
      endcase
    end
  end

  // A key that waits is seen one clock late, so that no `ready` follows a `valid`.
  assign key_ready_o = key_waits_q & (messages_q == '0) & ((state_q == StEmpty) | keyed_o) &
                       inner_ready & outer_ready;
  assign key_moves   = key_valid_i & key_ready_o;

  assign message_begins = block_valid & inner_ready & block_first;
  assign tag_moves      = tag_valid_o & tag_ready_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin : count_messages
    if (!rst_ni) begin
      key_waits_q <= 1'b0;
      messages_q  <= '0;
    end else if (wipe) begin
      key_waits_q <= 1'b0;
      messages_q  <= '0;
    end else begin
      key_waits_q <= key_valid_i & ~key_moves;
      messages_q  <= messages_q + MessageBits'(message_begins) - MessageBits'(tag_moves);
    end
  end

  // Inner hash

  hmac_sha256_blocks #(
    .CHANNELS (Channels)
  ) u_blocks (
    .clk_i,
    .rst_ni,
    .wipe_i          (wipe),
    .wipe_channel_i  (wipe_channel_q),
    .may_begin_i     (keyed_o & ~key_waits_q),
    .msg_valid_i,
    .msg_ready_o,
    .msg_data_i,
    .msg_bytes_i,
    .msg_last_i,
    .msg_channel_i,
    .block_valid_o   (block_valid),
    .block_ready_i   (inner_ready),
    .block_o         (block),
    .block_first_o   (block_first),
    .block_final_o   (block_final),
    .block_channel_o (block_channel),
    .chain_o         (chain),
    .chain_valid_i   (inner_hash_valid & ~setup & ~inner_hash_final),
    .chain_channel_i (inner_hash_channel),
    .chain_i         (inner_hash)
  );

  logic [255:0] inner_state;
  always_comb begin : pick_inner_state
    if (key_ready_o)      inner_state = INITIAL_STATE;
    else if (block_first) inner_state = inner_midstate_q;
    else                  inner_state = chain;
  end

  sha256_engine #(
    .STAGES     (STAGES),
    .ROUNDS     (ROUNDS),
    .PRECOMPUTE (PRECOMPUTE),
    .CARRY_SAVE (CARRY_SAVE),
    .SCHEDULE   (SCHEDULE),
    .ID_BITS    (ChannelBits + 1),
    .TECHNOLOGY (TECHNOLOGY)
  ) u_inner (
    .clk_i,
    .rst_ni,
    .clear_i       (wipe),
    .block_valid_i (block_valid | key_moves),
    .block_ready_o (inner_ready),
    .block_i       (key_ready_o ? (key_i ^ InnerPad) : block),
    .state_i       (inner_state),
    .id_i          ({block_final, block_channel}),
    .hash_valid_o  (inner_hash_valid),
    .hash_ready_i  (inner_hash_ready),
    .hash_o        (inner_hash),
    .id_o          ({inner_hash_final, inner_hash_channel})
  );

  // The key's hash and chaining values leave at once, a message's hash when the outer engine
  // takes it.
  assign outer_block_valid = inner_hash_valid & inner_hash_final & ~setup;
  assign inner_hash_ready  = outer_ready | ~inner_hash_final | setup;

  // Outer hash

  sha256_engine #(
    .STAGES     (STAGES),
    .ROUNDS     (ROUNDS),
    .PRECOMPUTE (PRECOMPUTE),
    .CARRY_SAVE (CARRY_SAVE),
    .SCHEDULE   (SCHEDULE),
    .ID_BITS    (ChannelBits),
    .TECHNOLOGY (TECHNOLOGY)
  ) u_outer (
    .clk_i,
    .rst_ni,
    .clear_i       (wipe),
    .block_valid_i (outer_block_valid | key_moves),
    .block_ready_o (outer_ready),
    .block_i       (key_ready_o ? (key_i ^ OuterPad) : {inner_hash, OuterPadding}),
    .state_i       (key_ready_o ? INITIAL_STATE : outer_midstate_q),
    .id_i          (inner_hash_channel),
    .hash_valid_o  (outer_hash_valid),
    .hash_ready_i  (outer_hash_ready),
    .hash_o        (outer_hash),
    .id_o          (tag_channel_o)
  );

  always_ff @(posedge clk_i) begin : midstates
    if (wipe) begin
      inner_midstate_q <= '0;
      outer_midstate_q <= '0;
    end else if (setup && inner_hash_valid) begin
      inner_midstate_q <= inner_hash;
      outer_midstate_q <= outer_hash;
    end
  end

  // The outer engine's result register may hold a midstate: hence the zeros.
  assign outer_hash_ready = tag_ready_i | setup;
  assign tag_valid_o      = outer_hash_valid & ~setup & ~wipe;
  assign tag_o            = outer_hash & {256{tag_valid_o}};

`ifndef SYNTHESIS
  logic settled_q;  // out of reset and wiped
  always_ff @(posedge clk_i or negedge rst_ni) begin : check
    if (!rst_ni) begin
      settled_q <= 1'b0;
    end else begin
      if (state_q == StEmpty) settled_q <= 1'b1;
      if (state_q == StEmpty) begin
        assert (inner_midstate_q == '0 && outer_midstate_q == '0)
          else $error("a midstate outlived its wiping");
        assert (!inner_hash_valid && !outer_hash_valid && inner_hash == '0 && outer_hash == '0)
          else $error("a hash outlived its wiping");
      end
      if (settled_q && !wipe) begin
        assert (messages_q <= MessageBits'(MessagesMax)) else $error("messages are miscounted");
        assert (!(tag_moves && messages_q == '0)) else $error("a tag without a message");
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
  end
`endif
endmodule
