// SPDX-License-Identifier: Apache-2.0
//
// AES-128 encryption with CBC chaining for little power at a low clock: one S-box, state and key in
// addressed bytes of latches that stand still unless they are written.
//
// 216 clocks a block, sustained: 16 to load, then 20 a round (4 key bytes and 16 state bytes go
// through the S-box). Result bytes leave as they are made, the last one in the clock that may take
// the next block's first byte. The key comes with every block, as the rounds use it up. The core
// does NOT protect against side channels or faults. It is not for FPGAs (latches, gated clocks).
//
// Two phases: flip-flops change when the clock rises; while it is high everything settles; latches
// that are written are open while it is low. So a path may take half a period, and no latch's data
// comes from a latch that is open at the same time, except the last byte of a round key.
//
// Sources: FIPS 197; SP 800-38A section 6.2 (CBC).
module aes128_latch #(
  parameter int unsigned SBOX = 0  // 0: tower field, 1: decoded
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       wipe_i,       // clears every byte and the control, one clock later
  input  logic       scan_enable_i,  // opens the clock gates, only for scan chains; else 0
  // Block and key. A byte moves when valid and ready are high as the clock rises.
  input  logic       in_valid_i,
  output logic       in_ready_o,   // depends on out_ready_i while the last result byte waits
  output logic [3:0] in_index_o,   // index of the byte wanted: 0 to 15 in order
  input  logic       in_first_i,   // with all 16 bytes: not chained to the block before
  input  logic [7:0] in_data_i,
  input  logic [7:0] in_key_i,
  // Result, in order.
  output logic       out_valid_o,
  input  logic       out_ready_i,
  output logic [3:0] out_index_o,
  output logic [7:0] out_data_o    // 0 while not valid
);
  aes128_latch_pkg::control_t control;
  logic wipe_q, clear_n, clk_step, clk_round_key;
  logic [3:0] pulse;  // clock low in a slot of this row
  logic [15:0] state_gate, key_gate;
  logic sbox_open;

  logic [7:0] state_byte, key_byte, schedule_byte, sbox_in, sbox_out, sbox_held;
  logic [7:0] byte_q, byte_d;            // stage 1 to stage 2: from the S-box, or loaded
  logic [7:0] round_key_q, round_key_d;  // stage 1 to stage 2: a byte of the new round key
  logic [3:0][7:0] schedule_q;  // the round key's column before: last four schedule bytes
  logic [3:0][7:0] schedule_d;
  logic [2:0][7:0] column_q;    // bytes of rows 0 to 2 from the S-box
  logic [3:0][7:0] mixed, written;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) wipe_q <= 1'b0;
    else wipe_q <= wipe_i;
  end
  assign clear_n = rst_ni & ~wipe_q;

  aes128_latch_control u_control (
    .clk_i, .rst_ni(clear_n), .scan_enable_i, .in_valid_i, .in_ready_o, .in_index_o, .out_valid_o,
    .out_ready_i, .out_index_o, .clk_step_o(clk_step), .clk_round_key_o(clk_round_key),
    .control_o(control)
  );

  assign sbox_open = ~clk_i & ~control.load;
  assign pulse = ~({4{clk_i}} | ~control.row_is);
  for (genvar i = 0; i < 16; i++) begin : gen_gate
    assign state_gate[i] = pulse[0] & control.state_write[i];
    assign key_gate[i] = pulse[(i+1) % 4] & control.key_write[i/4];
  end

  aes128_latch_bytes u_state (
    .rst_ni(clear_n), .gate_i(state_gate), .data_i(written), .read_i(control.state_read),
    .data_o(state_byte)
  );
  aes128_latch_bytes u_key (
    .rst_ni(clear_n), .gate_i(key_gate), .data_i({4{round_key_q}}), .read_i(control.key_read),
    .data_o(key_byte)
  );

  // Stage 1. The S-box's input has settled when its barrier opens. The latch behind closes as the
  // clock rises and holds what the flip-flop takes, while the barrier already falls.
  always_comb begin
    schedule_byte = '0;
    for (int unsigned r = 0; r < 4; r++) schedule_byte |= schedule_q[r] & {8{control.row_is[r]}};
    round_key_d = control.load ? in_key_i : key_byte ^ schedule_byte;
    byte_d = control.load ? in_data_i ^ in_key_i ^ (state_byte & {8{~in_first_i}}) : sbox_held;
  end
  assign sbox_in = (key_byte & {8{control.key_slot}}) |
                   (state_byte & {8{~control.key_slot & ~control.load}});
  jm_aes_sbox #(.STYLE(SBOX)) u_sbox (.a_i(sbox_in), .open_i(sbox_open), .q_o(sbox_out));
  jm_latch u_sbox_out (
    .rst_ni(clear_n), .gate_i(sbox_open), .d_i(sbox_out), .q_o(sbox_held)
  );

  always_ff @(posedge clk_step or negedge clear_n) begin
    if (!clear_n) byte_q <= '0;
    else byte_q <= byte_d;
  end
  always_ff @(posedge clk_round_key or negedge clear_n) begin
    if (!clear_n) round_key_q <= '0;
    else round_key_q <= round_key_d;
  end

  // Stage 2.
  assign out_data_o = (byte_q ^ round_key_q) & {8{control.out}};

  always_comb begin
    schedule_d = {4{control.key_word ? byte_q : round_key_q}};
    schedule_d[0] ^= control.constant;
  end

  // The schedule reads 0 while a block is loaded: its first round key is added on the way in.
  for (genvar r = 0; r < 4; r++) begin : gen_row
    jm_latch u_schedule (
      .rst_ni(clear_n & ~control.loaded), .gate_i(pulse[(r+1) % 4]), .d_i(schedule_d[r]),
      .q_o(schedule_q[r])
    );
    if (r < 3) begin : gen_column
      jm_latch u_column (
        .rst_ni(clear_n), .gate_i(pulse[r+1] & ~control.key_word), .d_i(byte_q), .q_o(column_q[r])
      );
    end
  end

  aes128_latch_mix u_mix (
    .mix_i(control.mix), .column_i({byte_q & {8{control.row_is[0]}}, column_q}), .column_o(mixed)
  );
  assign written = (mixed ^ schedule_q) & {32{pulse[0]}};
endmodule
