// SPDX-License-Identifier: Apache-2.0
//
// AES-128 encryption with CBC chaining for the least energy a block: a whole round in each clock,
// with latches that stop glitches.
//
// 11 clocks a block, sustained: one to load and one a round. A block, its key and its result move
// whole. The key comes with every block, as the rounds use it up. The core does NOT protect against
// side channels or faults. It is not for FPGAs (latches, gated clocks).
//
// Two phases. While the clock is high, the S-boxes work on `state_q` and `key_q`, flip-flops; while
// it is low, MixColumns and AddRoundKey work on the open latches `substituted_q` and `round_key_q`,
// whose inputs have settled. So the nets behind flip-flops, and those behind latches, change
// together. A path has half a period.
//
// Sources: FIPS 197; SP 800-38A section 6.2 (CBC).
module aes128_round #(
  parameter int unsigned SBOX = 1  // 0: tower field, 1: decoded
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         wipe_i,       // clears state, key and control, one clock later
  input  logic         scan_enable_i,  // opens the clock gates, only for scan chains; else 0
  // Block and key, byte 0 lowest. They move when valid and ready are high as the clock rises.
  input  logic         in_valid_i,
  output logic         in_ready_o,   // depends on out_ready_i while a result waits
  input  logic         in_first_i,   // not chained to the block before
  input  logic [127:0] in_data_i,
  input  logic [127:0] in_key_i,
  // Result.
  output logic         out_valid_o,
  input  logic         out_ready_i,
  output logic [127:0] out_data_o    // the state, also while not valid
);
  import jm_aes_pkg::*;

  logic wipe_q, clear_n;
  logic [3:0] round_q, round_d;  // 0: idle or done, 1 to 10: the current round
  logic full_q, full_d;          // a result waits
  logic idle, load, busy, last, advance, plain_q;
  logic clk_control, clk_state, clk_key;
  logic [15:0] gate_state, gate_key;

  block_t state_q, state_d, substituted, substituted_d, substituted_q, shifted;
  block_t key_q, round_key_d, round_key_q;
  column_t word;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) wipe_q <= 1'b0;
    else wipe_q <= wipe_i;
  end
  assign clear_n = rst_ni & ~wipe_q;

  // Control.
  assign idle = round_q == '0;
  assign in_ready_o = idle && (!full_q || out_ready_i);
  assign out_valid_o = full_q;
  assign load = in_valid_i && in_ready_o;
  assign busy = !idle;
  assign last = round_q == 4'd10;
  assign advance = load || busy;
  assign round_d = last ? '0 : round_q + 4'd1;
  assign full_d = last;

  jm_clock_gate u_control (
    .clk_i, .enable_i(advance || (full_q && out_ready_i)), .scan_enable_i, .clk_o(clk_control)
  );
  always_ff @(posedge clk_control or negedge clear_n) begin
    if (!clear_n) begin
      round_q <= '0;
      full_q <= 1'b0;
    end else begin
      round_q <= advance ? round_d : round_q;
      full_q <= full_d;
    end
  end

  // Clock low: the S-boxes' outputs, or a new block in the places that ShiftRows expects. While the
  // core waits, these latches may open on any data: no register takes it.
  for (genvar i = 0; i < 16; i++) begin : gen_byte
    jm_aes_sbox #(.STYLE(SBOX)) u_sbox (.a_i(state_q[i]), .open_i(1'b1), .q_o(substituted[i]));
    assign gate_state[i] = ~(clk_i | ~advance);
    assign gate_key[i] = ~(clk_i | ~advance);
    jm_latch u_substituted (
      .rst_ni(clear_n), .gate_i(gate_state[i]), .d_i(substituted_d[i]), .q_o(substituted_q[i])
    );
    jm_latch u_round_key (
      .rst_ni(clear_n), .gate_i(gate_key[i]), .d_i(round_key_d[i]), .q_o(round_key_q[i])
    );
  end
  jm_latch #(.WIDTH(1)) u_plain (
    .rst_ni(clear_n), .gate_i(gate_state[0]), .d_i(!busy || last), .q_o(plain_q)
  );

  always_comb begin
    substituted_d = busy ? substituted
                         : inverse_shift_rows(in_data_i ^ (state_q & {128{~in_first_i}}));
  end

  // Key schedule, FIPS 197 section 5.2.
  for (genvar i = 0; i < 4; i++) begin : gen_word
    jm_aes_sbox #(.STYLE(SBOX)) u_sbox (.a_i(key_q[12 + (i+1) % 4]), .open_i(1'b1), .q_o(word[i]));
  end
  always_comb begin
    round_key_d = key_q;
    round_key_d[3:0] ^= word;
    round_key_d[0] ^= round_constant(round_q);
    for (int unsigned i = 4; i < 16; i++) round_key_d[i] ^= round_key_d[i-4];
    if (!busy) round_key_d = in_key_i;
  end

  // Ready when the clock rises: the state and key of the next round.
  assign shifted = shift_rows(substituted_q);
  always_comb begin
    for (int unsigned c = 0; c < 4; c++) begin
      for (int unsigned r = 0; r < 4; r++) begin
        state_d[4*c + r] = round_key_q[4*c + r] ^ (plain_q ? shifted[4*c + r] :
            times_two(shifted[4*c + r] ^ shifted[4*c + (r+1) % 4]) ^ shifted[4*c + (r+1) % 4] ^
            shifted[4*c + (r+2) % 4] ^ shifted[4*c + (r+3) % 4]);
      end
    end
  end

  jm_clock_gate u_state_gate (.clk_i, .enable_i(advance), .scan_enable_i, .clk_o(clk_state));
  jm_clock_gate u_key_gate (
    .clk_i, .enable_i(advance && !last), .scan_enable_i, .clk_o(clk_key)
  );
  always_ff @(posedge clk_state or negedge clear_n) begin
    if (!clear_n) state_q <= '0;
    else state_q <= state_d;
  end
  always_ff @(posedge clk_key or negedge clear_n) begin
    if (!clear_n) key_q <= '0;
    else key_q <= round_key_q;
  end
  assign out_data_o = state_q;
endmodule
