// SPDX-License-Identifier: Apache-2.0
//
// SHA-1 byte by byte in 340 clocks a block, with the block and the state in delay lines of latches,
// for microwatts (FIPS 180-4, section 6.1; the idea of the lines is in sha1_latch_pkg).
//
// CHAINING 0: every block is a message, of up to 55 bytes. CHAINING 1: messages of any length.
//
// A reset, even of one clock, aborts; 80 clocks later every latch of the lines has been wiped and
// the core takes its first byte. `wipe_i` does the same, one clock later.
//
// Clocks: flip-flops and the clock gates act when `clk_i` rises; half of the latches are open in
// its high half, half in its low half. `digest_ready_i` must settle before `clk_i` falls, because
// it holds back pulses in the low half; `data_ready_o` follows it in the last clock of a block.
// Other inputs must settle before `clk_i` rises.
//
// Not guaranteed: resistance to side channels of any kind.
module sha1_latch
  import sha1_latch_pkg::*;
#(
  // 1: messages of any number of blocks.
  parameter int unsigned CHAINING = 0
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       wipe_i,         // aborts and wipes, as a reset does, one clock later
  input  logic       scan_enable_i,  // opens the clock gates, only for scan chains; else 0
  // Message block: words in order, each least significant byte first.
  input  logic [7:0] data_i,
  input  logic       data_valid_i,
  // With a block's last byte: the block is its message's last. Without CHAINING every block is a
  // message.
  input  logic       last_i,
  output logic       data_ready_o,
  // Digest: last byte first.
  output logic [7:0] digest_o,
  output logic       digest_valid_o,
  input  logic       digest_ready_i
);
  localparam int unsigned StateSlots = 7;

  logic [3:0] quarter, start, step_quarter;
  logic [2:0] turn, next_turn, stage;
  logic [1:0] round;
  logic       step, stall, load, schedule, chain, first, last;
  logic [7:0] phase;
  logic       wipe_q, clear_n;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) wipe_q <= 1'b0;
    else wipe_q <= wipe_i;
  end
  assign clear_n = rst_ni & ~wipe_q;

  sha1_latch_control #(
    .CHAINING(CHAINING)
  ) u_control (
    .clk_i, .rst_ni(clear_n), .data_valid_i, .last_i, .data_ready_o, .digest_valid_o,
    .digest_ready_i,
    .quarter_o(quarter), .round_o(round), .turn_o(turn), .stage_o(stage), .step_o(step),
    .stall_o(stall),
    .first_o(first), .last_o(last),
    .load_o(load), .schedule_o(schedule), .chain_o(chain), .next_turn_o(next_turn), .start_o(start)
  );

  assign step_quarter = {4{step}} & quarter;

  sha1_latch_pulses u_pulses (
    .clk_i,
    .scan_enable_i,
    .start_i(start),
    .step_i (step_quarter),
    .phase_o(phase)
  );

  // Both lines feed their own inputs: loops of latches, which pulses that never overlap cut at
  // every moment.
  /* verilator lint_off UNOPTFLAT */
  // Message schedule: the byte of W for the next clock.
  logic [MessageWords-1:0][31:0] message;
  logic [7:0] w_q, w_d, scheduled;
  logic [3:0] following;
  logic [7:0] chained;

  assign following = {quarter[2:0], quarter[3]};
  sha1_latch_message u_message (
    .phase_i (phase),
    .round_i (round),
    .byte_i  (w_q),
    .select_i({4{schedule}} & following),
    .byte_o  (scheduled),
    .word_o  (message)
  );

  assign w_d = ({8{load}} & data_i) | chained | scheduled;

  // A flip-flop in two latches, because the taps may change as soon as the clock rises.
  logic [7:0] w_held;
  logic       shift_pulse;
  sha1_latch_row u_w_held (
    .gate_i(~(clk_i | stall)),
    .d_i   (w_d),
    .q_o   (w_held)
  );
  // High in the high half of every clock in which the core works.
  assign shift_pulse = phase[0] | phase[2] | phase[4] | phase[6];
  sha1_latch_row u_w (
    .gate_i(shift_pulse),
    .d_i   (w_held),
    .q_o   (w_q)
  );

  // State: a new a of each round goes in, and is a, b, c, d, e for the rounds after.
  logic [StateSlots-1:0][31:0] state;
  logic [7:0] t, a5, b, c, d, e, a_rotated;
  logic [7:0] c_rotated, d_rotated, e_rotated, e_straight;

  sha1_latch_line #(.SLOTS(StateSlots)) u_state (
    .phase_i(phase),
    .byte_i (t),
    .word_o (state)
  );

  sha1_latch_taps #(.SLOTS(StateSlots), .LAG(1), .ROTATE(5)) u_a (
    .word_i(state), .select_i(quarter), .byte_o(a_rotated)
  );
  sha1_latch_taps #(.SLOTS(StateSlots), .LAG(2)) u_b (
    .word_i(state), .select_i(quarter), .byte_o(b)
  );
  sha1_latch_taps #(.SLOTS(StateSlots), .LAG(3), .ROTATE(30)) u_c (
    .word_i(state), .select_i(quarter), .byte_o(c_rotated)
  );
  sha1_latch_taps #(.SLOTS(StateSlots), .LAG(4), .ROTATE(30)) u_d (
    .word_i(state), .select_i(quarter), .byte_o(d_rotated)
  );
  sha1_latch_taps #(.SLOTS(StateSlots), .LAG(5), .ROTATE(30)) u_e (
    .word_i(state), .select_i(quarter), .byte_o(e_rotated)
  );
  sha1_latch_taps #(.SLOTS(StateSlots), .LAG(5)) u_e_straight (
    .word_i(state), .select_i(quarter), .byte_o(e_straight)
  );

  // The digest is e + H: a and f are zero then. They are masked here and not where the taps are
  // selected, so that all taps change at one moment, with fewer glitches in the adder.
  assign a5 = {8{~stage[2]}} & a_rotated;

  // s picks c or d; for parity it is b ^ c.
  logic [7:0] f, s;
  logic       parity, majority;
  assign parity   = stage[0];
  assign majority = stage[1] & ~stage[0];
  assign s = b ^ (({8{majority}} & d) | ({8{parity}} & c));
  assign f = {8{~stage[2]}} & (parity ? d ^ s : ((s & c) | (~s & d)));

  logic [7:0] k, sum;
  logic [3:0] carry_q, carry_d, carry_held;
  logic [1:0] index;
  assign index = {quarter[3] | quarter[2], quarter[3] | quarter[1]};
  sha1_latch_add u_add (
    .word_ends_i(quarter[3]),
    .carry_i(carry_q),
    .carry_o(carry_d),
    .w_i    (w_q),
    .k_i    (k),
    .e_i    (e),
    .a_i    (a5),
    .f_i    (f),
    .sum_o  (sum)
  );

  sha1_latch_row #(
    .WIDTH(4)
  ) u_carry_held (
    .gate_i(~clk_i & step),
    .d_i   (carry_d),
    .q_o   (carry_held)
  );
  sha1_latch_row #(
    .WIDTH(4)
  ) u_carry (
    .gate_i(shift_pulse),
    .d_i   (carry_held),
    .q_o   (carry_q)
  );

  if (CHAINING != 0) begin : gen_chain
    // The chaining value comes back without rotation, so in the first rounds c, d and e are not
    // rotated.
    logic [7:0] c_straight, d_straight;
    sha1_latch_taps #(.SLOTS(StateSlots), .LAG(3)) u_c_straight (
      .word_i(state), .select_i(quarter), .byte_o(c_straight)
    );
    sha1_latch_taps #(.SLOTS(StateSlots), .LAG(4)) u_d_straight (
      .word_i(state), .select_i(quarter), .byte_o(d_straight)
    );
    assign c = (first && round == 2'd0) ? c_straight : c_rotated;
    assign d = (first & ~round[1]) ? d_straight : d_rotated;
    assign e = ((stage[2] & turn[2]) | (first && round != 2'd3)) ? e_straight : e_rotated;
    assign k = round_constant(stage[1:0], index) & {8{~stage[2]}};
    assign t = (stage[2] & last) ? initial_value(turn, index) : sum;
    sha1_latch_chain u_chain (
      .write_i       ({4{~clk_i & stage[2]}} & step_quarter),
      .turn_i        (turn),
      .byte_i        (t),
      .next_quarter_i({4{chain}} & following),
      .next_turn_i   (next_turn),
      .read_o        (chained)
    );
  end else begin : gen_single
    logic unused;
    assign unused  = ^{first, last, chain, next_turn};
    assign c       = c_rotated;
    assign d       = d_rotated;
    assign e       = (stage[2] & turn[2]) ? e_straight : e_rotated;
    assign k       = stage[2] ? initial_value(turn, index)
        : round_constant(stage[1:0], index);
    assign t       = stage[2] ? initial_state(turn, index) : sum;
    assign chained = '0;
  end
  assign digest_o = sum;
  /* verilator lint_on UNOPTFLAT */

`ifndef SYNTHESIS
  logic filled_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      filled_q <= 1'b0;
    end else begin
      filled_q <= (stage == StageFill);
      // The first byte of the next block may be there already.
      assert (!(filled_q && stage != StageFill) || message[MessageWords-1:1] == '0
              && message[0][31:8] == '0)
      else $error("block not wiped");
      assert ($onehot0(start)) else $error("more than one pulse");
    end
  end
`endif
endmodule
