// SPDX-License-Identifier: Apache-2.0
//
// Ascon-Mac: 128-bit key and tag, messages of any length in blocks of 32 bytes.
//
// A message is a stream of blocks, its first byte in bits [255:248]. Every block has 32 bytes but
// the last, which has 0 to 32; an empty message is one last block of 0 bytes. The core pads.
//
// Clocks, with p = 12 / ROUNDS for a permutation and b = floor(n / 32) + 1 blocks for n bytes:
//   KEEP_START = 1: b p between messages back to back
//   KEEP_START = 0: (b + 1) p, since the start is computed from the key again for every message
// A tag is offered p clocks after the edge that takes the last block, 2 p if that block is full. A
// key takes p + 1 clocks; without KEEP_START the start for the next message is computed as soon as
// a tag is out, ahead of need.
//
// Moments: `ready` outputs depend on registers alone. A key that moves on the same edge as the
// first block of a message serves from the next message on. `key_ready_o` is low from a message's
// first block to its tag: a source that never pauses between messages keeps keys out.
//
// Not guaranteed: the core does not resist power analysis or faults. Its time depends only on the
// length of the message.
//
// Source: Dobraunig, Eichlseder, Mendel and Schlaeffer, "Ascon PRF, MAC, and Short-Input MAC"
// (IACR ePrint 2021/1574), section 2 and algorithm 2.
module ascon_mac
  import ascon_pkg::*;
#(
  parameter int unsigned ROUNDS = 1,     // in a clock: 1, 2, 3, 4 or 6
  parameter int unsigned KEEP_START = 1  // 1: keeps the permuted start, 320 bits, not the key
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         wipe_i,       // wipes key, state and tag; a message in progress is lost

  input  logic         key_valid_i,
  output logic         key_ready_o,
  input  logic [127:0] key_i,        // first byte in bits [127:120]

  input  logic         msg_valid_i,
  output logic         msg_ready_o,
  input  logic [255:0] msg_data_i,   // first byte in bits [255:248]; beyond msg_bytes_i any value
  input  logic [5:0]   msg_bytes_i,  // 0 to 32; counts only with the last block
  input  logic         msg_last_i,

  output logic         tag_valid_o,
  input  logic         tag_ready_i,
  output logic [127:0] tag_o         // first byte in bits [127:120]
);
  typedef enum logic [2:0] {
    PhaseIdle,   // the state waits for a block, or for a key
    PhaseStart,  // permutation of the start
    PhaseBlock,  // permutation of a block that is not the last
    PhaseFull,   // permutation of a full last block: a block of padding follows
    PhaseTag     // permutation of the padded block
  } phase_e;

  phase_e       phase_q, phase_d;
  logic [3:0]   round_q, round_d;
  logic         started_q, started_d;  // a message has begun
  logic         keyed_q;
  state_t       state_q, state_d;
  logic         tag_valid_q;
  logic [127:0] tag_q;

  state_t permuted;
  always_comb begin : p_rounds
    permuted = state_q;
    for (int unsigned index = 0; index < ROUNDS; index++) begin
      permuted = ascon_round(permuted, round_q + 4'(index));
    end
  end

  logic round_is_last, tag_done, start_done;
  assign round_is_last = round_q == 4'(PermutationRounds - ROUNDS);
  assign start_done = phase_q == PhaseStart && round_is_last;
  // A tag that is not taken holds the next tag back.
  assign tag_done = phase_q == PhaseTag && round_is_last && !tag_valid_q;

  // Whether the next message can begin when a tag is done, and its start.
  logic   start_is_kept;
  state_t next_start;

  logic take_key, take_block, take_tag;
  assign key_ready_o = phase_q == PhaseIdle && !started_q;
  assign msg_ready_o = keyed_q && (phase_q == PhaseIdle || start_done
                                   || (phase_q == PhaseBlock && round_is_last)
                                   || (tag_done && start_is_kept));
  assign take_key = key_valid_i && key_ready_o;
  assign take_block = msg_valid_i && msg_ready_o;
  assign take_tag = tag_valid_q && tag_ready_i;

  if (KEEP_START == 1) begin : gen_keep_start
    state_t kept_q;
    logic   key_due_q;  // words 1 and 2 of kept_q are a key that waits for the current tag

    assign start_is_kept = !key_due_q;
    assign next_start = key_due_q ? mac_start({kept_q[1], kept_q[2]}) : kept_q;

    always_ff @(posedge clk_i or negedge rst_ni) begin : p_kept
      if (!rst_ni) begin
        kept_q <= '0;
        key_due_q <= 1'b0;
      end else if (wipe_i) begin
        kept_q <= '0;
        key_due_q <= 1'b0;
      end else begin
        if (take_key) begin
          kept_q <= mac_start(key_i);
        end else if (start_done) begin
          kept_q <= permuted;
        end
        if (take_key && take_block) key_due_q <= 1'b1;
        else if (tag_done) key_due_q <= 1'b0;
      end
    end
  end else begin : gen_keep_key
    logic [127:0] key_q;

    assign start_is_kept = 1'b0;
    assign next_start = mac_start(key_q);

    always_ff @(posedge clk_i or negedge rst_ni) begin : p_key
      if (!rst_ni) key_q <= '0;
      else if (wipe_i) key_q <= '0;
      else if (take_key) key_q <= key_i;
    end
  end

  logic [255:0] block;
  ascon_pad u_pad (
    .data_i (msg_data_i),
    .bytes_i(msg_bytes_i),
    .last_i (msg_last_i),
    .block_o(block)
  );

  always_comb begin : p_next
    phase_d = phase_q;
    round_d = round_q + 4'(ROUNDS);
    started_d = started_q;
    state_d = permuted;
    if (phase_q == PhaseIdle) begin
      round_d = 4'd0;
      state_d = state_q;
      if (take_key) begin
        if (!take_block) begin
          phase_d = PhaseStart;
          state_d = mac_start(key_i);
        end
      end
    end else if (round_is_last) begin
      round_d = 4'd0;
      unique case (phase_q)
        PhaseFull: begin
          phase_d = PhaseTag;
          state_d[0][63] = ~permuted[0][63];
          state_d[4][0] = ~permuted[4][0];
        end
        PhaseTag: begin
          if (tag_done) begin
            phase_d = start_is_kept ? PhaseIdle : PhaseStart;
            started_d = 1'b0;
            state_d = next_start;
          end else begin
            round_d = round_q;
            state_d = state_q;
          end
        end
        default: phase_d = PhaseIdle;
      endcase
    end
    if (take_block) begin
      started_d = 1'b1;
      if (!msg_last_i) phase_d = PhaseBlock;
      else if (msg_bytes_i[5]) phase_d = PhaseFull;
      else phase_d = PhaseTag;
      for (int unsigned word = 0; word < 4; word++) begin
        state_d[word] ^= block[255 - 64*word -: 64];
      end
      state_d[4][0] ^= msg_last_i && !msg_bytes_i[5];
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_registers
    if (!rst_ni) begin
      phase_q <= PhaseIdle;
      round_q <= '0;
      started_q <= 1'b0;
      keyed_q <= 1'b0;
      state_q <= '0;
      tag_valid_q <= 1'b0;
      tag_q <= '0;
    end else if (wipe_i) begin
      phase_q <= PhaseIdle;
      round_q <= '0;
      started_q <= 1'b0;
      keyed_q <= 1'b0;
      state_q <= '0;
      tag_valid_q <= 1'b0;
      tag_q <= '0;
    end else begin
      phase_q <= phase_d;
      round_q <= round_d;
      started_q <= started_d;
      state_q <= state_d;
      if (take_key) keyed_q <= 1'b1;
      if (tag_done) begin
        tag_valid_q <= 1'b1;
        tag_q <= {permuted[0], permuted[1]};
      end else if (take_tag) begin
        tag_valid_q <= 1'b0;
      end
    end
  end

  assign tag_valid_o = tag_valid_q;
  assign tag_o = tag_q;

`ifndef SYNTHESIS
  logic was_wiped_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin : p_assertions
    if (!rst_ni) begin
      was_wiped_q <= 1'b0;
    end else begin
      was_wiped_q <= wipe_i;
      a_wipe_clears : assert (!was_wiped_q || (next_start == '0 || next_start == mac_start('0)));
      a_wipe_clears_state : assert (!was_wiped_q || (state_q == '0 && tag_q == '0 && !keyed_q
                                                   && !tag_valid_q));
      a_bytes_in_range : assert (!(take_block && msg_last_i) || msg_bytes_i <= 6'd32);
      a_round : assert (round_q <= 4'(PermutationRounds - ROUNDS));
      a_no_tag_lost : assert (!(tag_done && tag_valid_q));
    end
  end
`endif
endmodule
