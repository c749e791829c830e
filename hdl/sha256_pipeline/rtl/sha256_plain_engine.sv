// SPDX-License-Identifier: Apache-2.0
//
// `sha256_engine` with INTERLEAVE=1: a block in each stage, ROUNDS rounds merged in a clock
// (michail2005, figures 3 and 4). Contract and clocks are in `sha256_engine`.
module sha256_plain_engine
  import sha_hash_pkg::*;
#(
  parameter int unsigned HASH = 256,  // 1, 256, 512
  parameter int unsigned STAGES = 4,  // 1, 2, 4, 8
  parameter int unsigned ROUNDS = 1,  // per clock: 1, 2, 4
  // Sums made one clock ahead: 0 none, 1 H+K+W, 2 also D+H+K+W.
  parameter int unsigned PRECOMPUTE = 1,
  parameter int unsigned CARRY_SAVE = 0,  // 1: carry-save adders within a round
  parameter int unsigned ID_BITS = 3,
  parameter int unsigned SCHEDULE = 1,  // message words: 0 move with the block, 1 stay in place
  localparam int unsigned WordBits = word_bits(HASH),
  localparam int unsigned StateBits = state_words(HASH) * WordBits
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic wipe_i,

  input  logic block_valid_i,
  output logic block_ready_o,
  input  logic [16*WordBits-1:0] block_i,  // word 0 highest
  input  logic [StateBits-1:0] state_i,  // chaining value, H0 highest
  input  logic [ID_BITS-1:0] id_i,

  output logic hash_valid_o,
  input  logic hash_ready_i,
  output logic [StateBits-1:0] hash_o,
  output logic [ID_BITS-1:0] id_o
);

  localparam int unsigned Count = rounds_of(HASH) / (STAGES * ROUNDS);
  localparam int unsigned CountBits = (Count > 1) ? $clog2(Count) : 1;
  localparam int unsigned SlotBits = (STAGES > 1) ? $clog2(STAGES) : 1;
  localparam int unsigned TagBits = ID_BITS + SlotBits;
  localparam int unsigned SumBits = 2*WordBits*ROUNDS;

  // This register resets all others; it is active high, like the resets of an ECP5's flip-flops.
  logic wipe_q, wipe_nq;
  assign wipe_nq = !wipe_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin : p_wipe
    if (!rst_ni) begin
      wipe_q <= 1'b1;
    end else begin
      wipe_q <= wipe_i;
    end
  end

  // Inputs of stage s; at [STAGES] the outputs of the last stage.
  logic [STAGES:0][StateBits-1:0] state, chain;
  // Not all bits are used: the parameters decide which are; the last stage's sums are not.
  // verilator lint_off UNUSEDSIGNAL
  logic [STAGES:0][SumBits-1:0] sums;
  // verilator lint_on UNUSEDSIGNAL
  logic [STAGES:0][TagBits-1:0] tag;
  logic [STAGES:0] load;
  logic [STAGES-1:0] busy, last, last_next;
  // Not all bits are used: at SCHEDULE=0 a block has no slot.
  // verilator lint_off UNUSEDSIGNAL
  logic [STAGES-1:0][CountBits-1:0] count;
  logic [STAGES-1:0][SlotBits-1:0] slot;
  // verilator lint_on UNUSEDSIGNAL
  logic [STAGES-1:0][WordBits*ROUNDS-1:0] words;
  logic [SlotBits-1:0] slot_next;
  logic held_q, held_next;  // a result waits; a result waits in the next clock
  logic stall_q, advance;
  logic free_q;

  // All control signals of many registers come out of registers. The pipeline holds while the last
  // stage would need the place of a result that is still there when the clock begins.
  always_ff @(posedge clk_i or negedge wipe_nq) begin : p_control
    if (!wipe_nq) begin
      stall_q <= 1'b0;
      free_q <= 1'b1;
    end else begin
      stall_q <= last_next[STAGES-1] && held_next;
      free_q <= last_next[0] || (free_q && !load[0]);
    end
  end

  assign advance = !stall_q;
  assign block_ready_o = wipe_nq && advance && free_q;

  // Inputs of stage 0: the block's words, earliest word lowest, and the first rounds' sums.
  logic [16*WordBits-1:0] block_words;
  for (genvar i = 0; i < 16; i++) begin : gen_block_words
    assign block_words[WordBits*i +: WordBits] = block_i[WordBits*(15-i) +: WordBits];
  end
  assign load[0] = block_valid_i && block_ready_o;
  assign state[0] = state_i;
  assign chain[0] = state_i;
  assign tag[0] = {slot_next, id_i};
  for (genvar i = 0; i < ROUNDS; i++) begin : gen_first_sums
    if (PRECOMPUTE == 0) begin : gen_none
      assign sums[0][2*WordBits*i +: 2*WordBits] = '0;
    end else begin : gen_some
      logic [WordBits-1:0] kw;
      assign kw = WordBits'(round_constant(HASH, i)) + block_words[WordBits*i +: WordBits];
      if (ROUNDS + i > 3 && i > 0) begin : gen_half
        assign sums[0][2*WordBits*i +: 2*WordBits] = {WordBits'(0), kw};
      end else begin : gen_whole
        logic [WordBits-1:0] hkw, dhkw;
        assign hkw = state_i[WordBits*i +: WordBits] + kw;
        if (PRECOMPUTE == 1) begin : gen_h
          assign dhkw = '0;
        end else begin : gen_dh
          assign dhkw = state_i[WordBits*(4+i) +: WordBits] + hkw;
        end
        assign sums[0][2*WordBits*i +: 2*WordBits] = {dhkw, hkw};
      end
    end
  end

  for (genvar s = 0; s < STAGES; s++) begin : gen_stage
    sha256_stage #(
      .HASH(HASH),
      .STAGE(s),
      .STAGES(STAGES),
      .ROUNDS(ROUNDS),
      .PRECOMPUTE(PRECOMPUTE),
      .CARRY_SAVE(CARRY_SAVE),
      .TAG_BITS(TagBits)
    ) u_stage (
      .clk_i,
      .rst_ni(wipe_nq),
      .advance_i(advance),
      .load_i(load[s]),
      .select_i((s == 0) ? free_q : load[s]),
      .state_i(state[s]),
      .sums_i(sums[s]),
      .chain_i(chain[s]),
      .tag_i(tag[s]),
      .words_i(words[s]),
      .state_o(state[s+1]),
      .sums_o(sums[s+1]),
      .chain_o(chain[s+1]),
      .tag_o(tag[s+1]),
      .count_o(count[s]),
      .busy_o(busy[s]),
      .last_o(last[s]),
      .last_next_o(last_next[s])
    );
    assign load[s+1] = last[s];
    assign slot[s] = tag[s+1][TagBits-1 -: SlotBits];
  end

  if (SCHEDULE == 1) begin : gen_schedules
    sha256_schedules #(
      .STAGES(STAGES),
      .ROUNDS(ROUNDS),
      .PRECOMPUTE(PRECOMPUTE)
    ) u_schedules (
      .clk_i,
      .rst_ni(wipe_nq),
      .advance_i(advance),
      .load_i(load[0]),
      .select_i(free_q),
      .block_i(block_words),
      .slot_o(slot_next),
      .last_i(last),
      .count_i(count),
      .slot_i(slot),
      .words_o(words)
    );
  end else begin : gen_moving
    // Not all bits are used: nothing follows the last stage.
    // verilator lint_off UNUSEDSIGNAL
    logic [STAGES:0][16*WordBits-1:0] window;
    // verilator lint_on UNUSEDSIGNAL
    assign window[0] = block_words;
    assign slot_next = '0;
    for (genvar s = 0; s < STAGES; s++) begin : gen_window
      sha256_schedule_moving #(
        .HASH(HASH),
        .ROUNDS(ROUNDS),
        .PRECOMPUTE(PRECOMPUTE)
      ) u_schedule (
        .clk_i,
        .rst_ni(wipe_nq),
        .enable_i(advance && (load[s] || busy[s])),
        .load_i(load[s]),
        .window_i(window[s]),
        .window_o(window[s+1]),
        .words_o(words[s])
      );
    end
  end

  // The last stage's result waits here, beside the chaining value that is added to it.
  logic [StateBits-1:0] result_q, result_chain_q;
  logic [ID_BITS-1:0] id_q;
  logic result_taken;
  assign result_taken = hash_valid_o && hash_ready_i;
  assign held_next = (load[STAGES] && advance) || (held_q && !result_taken);

  always_ff @(posedge clk_i or negedge wipe_nq) begin : p_held
    if (!wipe_nq) begin
      held_q <= 1'b0;
    end else begin
      held_q <= held_next;
    end
  end

  always_ff @(posedge clk_i or negedge wipe_nq) begin : p_result
    if (!wipe_nq) begin
      result_q <= '0;
      result_chain_q <= '0;
      id_q <= '0;
    end else if (load[STAGES] && advance) begin
      result_q <= state[STAGES];
      result_chain_q <= chain[STAGES];
      id_q <= tag[STAGES][ID_BITS-1:0];
    end
  end

  for (genvar i = 0; i < state_words(HASH); i++) begin : gen_hash
    assign hash_o[WordBits*i +: WordBits] =
        result_q[WordBits*i +: WordBits] + result_chain_q[WordBits*i +: WordBits];
  end
  assign hash_valid_o = held_q;
  assign id_o = id_q;

`ifndef SYNTHESIS
  logic cleared_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin : p_assert
    if (!rst_ni) begin
      cleared_q <= 1'b0;
    end else begin
      cleared_q <= wipe_i;
      assert (!(load[STAGES] && advance && held_q)) else $error("a result is lost");
      assert (!cleared_q || (!hash_valid_o && hash_o == '0 && busy == '0)) else $error("not wiped");
      for (int unsigned s = 1; s < STAGES; s++) begin
        assert (!load[s] || !busy[s] || last[s]) else $error("a block runs into another");
      end
    end
  end
`endif

endmodule
