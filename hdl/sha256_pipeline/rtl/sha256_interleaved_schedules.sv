// SPDX-License-Identifier: Apache-2.0
//
// The message schedules of all blocks in the interleaved pipeline, two in each of STAGES, and the
// word of each stage's next round. As in `sha256_schedules`, a schedule stays where it began.
//
// A block comes in by `accept_i`; two of its words go into its schedule at once, the others wait
// for their turn.
module sha256_interleaved_schedules
  import sha256_pkg::*;
#(
  parameter int unsigned STAGES = 4,
  parameter int unsigned FEEDS = 7,  // parts of the words that wait
  parameter int unsigned TECHNOLOGY = 0,
  localparam int unsigned SlotBits = (STAGES > 1) ? $clog2(STAGES) : 1
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic [STAGES-1:0] schedules_rst_ni,  // like rst_ni, for each schedule
  input  logic [FEEDS-1:0] feed_rst_ni,  // and for each part of the waiting words

  input  logic accept_i,
  // High with accept_i, and otherwise only where this disturbs no block. All bits are copies of one
  // signal, for each schedule and for each part of the waiting words.
  input  logic [STAGES-1:0] select_i,
  input  logic [FEEDS-1:0] feed_select_i,
  input  logic [511:0] block_i,  // W0 lowest
  output logic [SlotBits-1:0] slot_o,  // the schedule of a block accepted in this clock

  // Schedule of the block that was accepted in the clock before, of the block that enters the first
  // stage, and of the block between its halves in each stage.
  input  logic entered_i,
  input  logic [SlotBits-1:0] entered_slot_i,
  input  logic enters_i,
  input  logic [SlotBits-1:0] enters_slot_i,
  // Not all bits are used: a block that leaves the last stage needs no word.
  // verilator lint_off UNUSEDSIGNAL
  input  logic [STAGES-1:0] leaves_i,
  // verilator lint_on UNUSEDSIGNAL
  input  logic [STAGES-1:0][SlotBits-1:0] slot_i,
  output logic [STAGES-1:0][31:0] words_o
);

  // Index 0 is for the block that is accepted or fed in this clock, 1 for the other turn's block.
  logic [1:0][SlotBits-1:0] slot_q;
  logic [1:0][STAGES-1:0] next_q;  // slot_q, one-hot
  logic [1:0][STAGES-1:0] feeding_q;  // one-hot: the schedule whose words come in
  logic [1:0][3:0] number_q;  // [1]: number of the word that comes next; [0]: of the word after it
  assign slot_o = slot_q[0];

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_turns
    if (!rst_ni) begin
      slot_q <= '0;
      next_q <= {2{STAGES'(1)}};
      feeding_q <= '0;
      number_q <= '0;
    end else begin
      slot_q <= {slot_q[0], slot_q[1]};
      next_q <= {next_q[0], next_q[1]};
      feeding_q <= {feeding_q[0], feeding_q[1]};
      number_q <= {number_q[0], number_q[1] + 4'd1};
      if (accept_i) begin
        if (STAGES > 1) begin
          slot_q[1] <= slot_q[0] + 1'b1;
          next_q[1] <= STAGES'({next_q[0], next_q[0]} >> (STAGES - 1));
        end
        feeding_q[1] <= next_q[0];
        number_q[1] <= 4'd2;
      end else if (number_q[0] == '0) begin
        feeding_q[1] <= '0;
      end
    end
  end

  // Words 2 to 15 wait in two registers that change places with the turns, the next word lowest.
  // Index 0 is for the block that is accepted or fed in this clock.
  localparam int unsigned FeedBits = 448 / FEEDS;
  logic [447:0] waiting_q, waiting_next;  // words of this clock's turn; without the lowest
  assign waiting_next = waiting_q >> 32;
  for (genvar f = 0; f < FEEDS; f++) begin : gen_feed
    logic [1:0][FeedBits-1:0] part_q;
    always_ff @(posedge clk_i or negedge feed_rst_ni[f]) begin : p_waiting
      if (!feed_rst_ni[f]) begin
        part_q <= '0;
      end else begin
        part_q[0] <= part_q[1];
        part_q[1] <= feed_select_i[f] ?
            block_i[64 + FeedBits*f +: FeedBits] : waiting_next[FeedBits*f +: FeedBits];
      end
    end
    assign waiting_q[FeedBits*f +: FeedBits] = part_q[0];
  end

  word_t newest [STAGES];
  for (genvar b = 0; b < STAGES; b++) begin : gen_schedule
    logic start;
    assign start = select_i[b] && next_q[0][b];
    sha256_interleaved_schedule #(
      .TECHNOLOGY(TECHNOLOGY)
    ) u_schedule (
      .clk_i,
      .rst_ni(schedules_rst_ni[b]),
      .start_i(start),
      .start_word_i(block_i[31:0]),
      .feed_i(start || feeding_q[0][b]),
      .feed_word_i(select_i[b] ? block_i[63:32] : waiting_q[31:0]),
      .word_o(newest[b])
    );
  end

  // For each stage the schedule is chosen a clock before the word.
  for (genvar s = 0; s < STAGES; s++) begin : gen_words
    logic [SlotBits-1:0] slot, choice_q;
    word_t word_q;
    if (s == 0) begin : gen_first
      always_comb begin : p_slot
        slot = slot_i[0];
        if (entered_i) begin
          slot = entered_slot_i;
        end else if (enters_i) begin
          slot = enters_slot_i;
        end
      end
    end else begin : gen_later
      assign slot = leaves_i[s-1] ? slot_i[s-1] : slot_i[s];
    end
    always_ff @(posedge clk_i or negedge rst_ni) begin : p_word
      if (!rst_ni) begin
        choice_q <= '0;
        word_q <= '0;
      end else begin
        choice_q <= slot;
        word_q <= newest[choice_q];
      end
    end
    assign words_o[s] = word_q;
  end

endmodule
