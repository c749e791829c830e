// SPDX-License-Identifier: Apache-2.0
//
// The message schedules of all blocks in flight, each of which stays where it began: block n of the
// pipeline is in schedule n modulo STAGES, and each stage picks its words from the schedule of the
// block that it works on. Moving 512 bits from stage to stage would take a multiplexer on each of
// them.
//
// The words of a new block wait in one register (in two registers if a stage is shorter than the
// feeding), from which they go into the block's schedule one step ahead of their use.
module sha256_schedules
  import sha256_pkg::*;
#(
  parameter int unsigned STAGES = 4,
  parameter int unsigned ROUNDS = 1,
  parameter int unsigned PRECOMPUTE = 1,
  localparam int unsigned Count = 64 / (STAGES * ROUNDS),
  localparam int unsigned CountBits = (Count > 1) ? $clog2(Count) : 1,
  localparam int unsigned SlotBits = (STAGES > 1) ? $clog2(STAGES) : 1
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic advance_i,

  input  logic load_i,  // a block enters stage 0
  input  logic select_i,  // high with load_i, and otherwise only while stage 0 is idle
  input  logic [511:0] block_i,  // W0 lowest
  output logic [SlotBits-1:0] slot_o,  // the schedule that the next block will get

  // Not all bits are used: only those of stages in which a block's first sixteen words come in.
  // verilator lint_off UNUSEDSIGNAL
  input  logic [STAGES-1:0] last_i,
  input  logic [STAGES-1:0][CountBits-1:0] count_i,
  // verilator lint_on UNUSEDSIGNAL
  input  logic [STAGES-1:0][SlotBits-1:0] slot_i,  // schedule of the block in each stage
  output logic [STAGES-1:0][32*ROUNDS-1:0] words_o
);

  localparam int unsigned Lookahead = ((PRECOMPUTE == 0) ? 1 : 2) * ROUNDS;
  localparam int unsigned StageRounds = 64 / STAGES;
  // Number of stages in which a block's first sixteen words still come in.
  localparam int unsigned Feeds = (16 - Lookahead + StageRounds - 1) / StageRounds;

  logic [SlotBits-1:0] slot_q;
  logic [STAGES-1:0] next_q;  // slot_q, one-hot
  assign slot_o = slot_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_slot
    if (!rst_ni) begin
      slot_q <= '0;
      next_q <= STAGES'(1);
    end else if (advance_i && load_i && STAGES > 1) begin
      slot_q <= slot_q + 1'b1;
      next_q <= STAGES'({next_q, next_q} >> (STAGES - 1));
    end
  end

  logic [Feeds-1:0][STAGES-1:0] feeding_q;  // one-hot: the schedule whose words come in
  logic [Feeds-1:0][32*ROUNDS-1:0] feed_words;
  // Not all bits are used: the last register's words all went into the schedule.
  // verilator lint_off UNUSEDSIGNAL
  logic [Feeds:0][511:0] waiting;
  // verilator lint_on UNUSEDSIGNAL
  assign waiting[0] = block_i;

  for (genvar k = 0; k < Feeds; k++) begin : gen_feed
    // The first word that comes in while the block is in stage k, and the number of steps of ROUNDS
    // words each.
    localparam int unsigned FirstStep = Lookahead + k * StageRounds;
    localparam int unsigned Left = (16 - FirstStep) / ROUNDS;
    localparam int unsigned Steps = (Left < Count) ? Left : Count;

    logic [511:0] waiting_q;
    logic take, select;
    logic [STAGES-1:0] entering;
    if (k == 0) begin : gen_take_first
      assign take = load_i;
      assign select = select_i;
      assign entering = next_q;
    end else begin : gen_take_next
      assign take = last_i[k-1];
      assign select = last_i[k-1];
      assign entering = feeding_q[k-1];
    end

    always_ff @(posedge clk_i or negedge rst_ni) begin : p_waiting
      if (!rst_ni) begin
        waiting_q <= '0;
      end else if (advance_i && take) begin
        waiting_q <= waiting[k];
      end
    end
    assign waiting[k+1] = waiting_q;

    // The step is chosen a clock ahead.
    logic [32*ROUNDS-1:0] steps [Count];
    logic [32*ROUNDS-1:0] step_q;
    for (genvar c = 0; c < Count; c++) begin : gen_step
      assign steps[c] = waiting_q[32*(FirstStep + ((c + 1) % Steps)*ROUNDS) +: 32*ROUNDS];
    end
    always_ff @(posedge clk_i or negedge rst_ni) begin : p_step
      if (!rst_ni) begin
        step_q <= '0;
      end else if (advance_i) begin
        step_q <= select ? waiting[k][32*FirstStep +: 32*ROUNDS] : steps[count_i[k]];
      end
    end
    assign feed_words[k] = step_q;

    always_ff @(posedge clk_i or negedge rst_ni) begin : p_feeding
      if (!rst_ni) begin
        feeding_q[k] <= '0;
      end else if (advance_i) begin
        if (take) begin
          feeding_q[k] <= entering;
        end else if (count_i[k] == CountBits'(Steps - 1)) begin
          feeding_q[k] <= '0;
        end
      end
    end
  end

  // The last ROUNDS of a block's start words go in through `feed_words_i`, like later words. One
  // choice for all schedules is enough if no word comes in from the first register at the same
  // time.
  localparam bit Shared = (16 - Lookahead) / ROUNDS < Count;
  logic [32*ROUNDS-1:0] first_words;
  assign first_words =
      (select_i || !Shared) ? block_i[32*(Lookahead-ROUNDS) +: 32*ROUNDS] : feed_words[0];

  logic [STAGES-1:0][32*ROUNDS-1:0] newest;
  for (genvar b = 0; b < STAGES; b++) begin : gen_schedule
    logic start, feed;
    logic [32*ROUNDS-1:0] words;
    assign start = select_i && next_q[b];
    always_comb begin : p_feed
      feed = start;
      words = first_words;
      for (int unsigned k = 0; k < Feeds; k++) begin
        if (feeding_q[k][b]) begin
          feed = 1'b1;
          if (k > 0 || !Shared) begin
            words = feed_words[k];
          end
        end
      end
    end

    sha256_schedule #(
      .ROUNDS(ROUNDS),
      .LOOKAHEAD(Lookahead)
    ) u_schedule (
      .clk_i,
      .rst_ni,
      .advance_i,
      .start_i(start),
      .start_words_i(block_i[32*Lookahead-1:0]),
      .feed_i(feed),
      .feed_words_i(words),
      .words_o(newest[b])
    );
  end

  for (genvar s = 0; s < STAGES; s++) begin : gen_words
    assign words_o[s] = newest[slot_i[s]];
  end

endmodule
