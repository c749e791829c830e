// SPDX-License-Identifier: Apache-2.0
//
// Counts the clocks of a block: 80 rounds of four, then five rounds of four for the digest.
//
// After a reset come 20 rounds that fill every latch: the message's with zeros and the state's with
// the initial value. So a reset of one clock, and 80 clocks after it, wipe everything in the core.
//
// The 20 rounds of a kind are counted as four times `turn` plus `round`. The digest counts only
// turns, with `round` at 0; the filling counts turns and rounds at once, which meet again after 20
// rounds. `turn` counts in Johnson's code, which needs hardly any logic: 000, 001, 011, 111, 110.
module sha1_latch_control
  import sha1_latch_pkg::*;
#(
  parameter int unsigned CHAINING = 0
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  // `data_valid_i`: a message byte is there. `last_i`: the byte's block is the last of its message.
  input  logic       data_valid_i,
  input  logic       last_i,
  output logic       data_ready_o,
  output logic       digest_valid_o,
  input  logic       digest_ready_i,
  // The work of this clock, or in a clock of waiting the last work: one-hot byte of the word, turn
  // and stage (StageDigest, StageFill, otherwise the kind of round).
  output logic [3:0] quarter_o,
  output logic [2:0] turn_o,
  output logic [2:0] stage_o,
  // The round, modulo four.
  output logic [1:0] round_o,
  // The first four rounds of a block.
  output logic       first_o,
  // This block, or the filling, is followed by a new message.
  output logic       last_o,
  // `step_o`: the core works in this clock; low while it waits for either side. `stall_o`: it waits
  // for the digest's side; the byte for the next clock must not be taken then.
  output logic       step_o,
  output logic       stall_o,
  // Source of the byte for the next clock; with all three low the byte is zero.
  output logic       load_o,
  output logic       schedule_o,
  output logic       chain_o,
  // Turn of the next clock, if that clock belongs to the digest.
  output logic [2:0] next_turn_o,
  // One-hot byte of the next clock; zero if that clock will wait for a message byte.
  output logic [3:0] start_o
);
  logic       go_q, go_d;
  logic       advance;
  logic [3:0] quarter_q;
  logic [2:0] turn_q;
  logic [1:0] round_q;
  logic [2:0] stage_q;
  logic       last_q;
  logic [2:0] turn_d;
  logic       round_ends, round_last, turn_ends, turn_last, stage_ends;

  assign digest_valid_o = go_q & (stage_q == StageDigest) & last_q;
  assign stall_o        = digest_valid_o & ~digest_ready_i;
  assign step_o         = go_q & ~stall_o;

  assign round_ends = quarter_q[3];
  assign round_last = round_q == 2'd3;
  assign turn_last  = turn_q[2] & ~turn_q[0];
  assign turn_ends  = round_ends & (stage_q[2] | round_last);
  assign stage_ends = round_ends & turn_last & (round_last | (stage_q == StageDigest));

  // The message's bytes are wanted one clock before the clocks of rounds 0 to 15.
  assign load_o         = (stage_q[2] & stage_ends)
      | ((stage_q == 3'd0) & ~(turn_q[2] & (~turn_q[0] | turn_ends)));
  assign schedule_o     = ~load_o & ~stage_q[2] & ~((stage_q == 3'd3) & stage_ends);
  assign chain_o        = ((stage_q == 3'd3) & stage_ends)
      | ((stage_q == StageDigest) & ~stage_ends);
  assign next_turn_o    = turn_ends ? turn_d : turn_q;
  assign data_ready_o   = load_o & ~stall_o;
  assign advance        = (~load_o | data_valid_i) & ~stall_o;
  assign go_d           = advance | stall_o;
  assign start_o        = {4{advance}} & {quarter_q[2:0], quarter_q[3]};

  assign turn_d         = {turn_q[1] & turn_q[0], turn_q[0], ~turn_q[2]};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      go_q <= 1'b1;
    end else begin
      go_q <= go_d;
    end
  end

  if (CHAINING != 0) begin : gen_last
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        last_q <= 1'b1;
      end else if (data_valid_i && data_ready_o) begin
        last_q <= last_i;
      end
    end
  end else begin : gen_always_last
    assign last_q = 1'b1;
    logic unused;
    assign unused = last_i;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      quarter_q <= 4'b0001;
      round_q   <= '0;
    end else if (advance) begin
      quarter_q <= {quarter_q[2:0], quarter_q[3]};
      if (round_ends && stage_q != StageDigest) round_q <= round_q + 2'd1;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      turn_q  <= '0;
      stage_q <= StageFill;
    end else if (advance && turn_ends) begin
      turn_q <= turn_d;
      if (stage_ends) stage_q <= stage_q[2] ? 3'd0 : stage_q + 3'd1;
    end
  end

  assign quarter_o = quarter_q;
  assign turn_o    = turn_q;
  assign round_o   = round_q;
  assign stage_o   = stage_q;
  assign first_o   = (stage_q == 3'd0) & (turn_q == 3'b000);
  assign last_o    = last_q | (stage_q == StageFill);

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert ($onehot(quarter_q)) else $error("no or more than one byte of the word");
      assert (stage_q <= StageFill) else $error("no such stage");
      assert (turn_q != 3'b100 && turn_q != 3'b010 && turn_q != 3'b101) else $error("no such turn");
    end
  end
`endif
endmodule
