// SPDX-License-Identifier: Apache-2.0
//
// AES-128 encryption with CBC chaining as Kaps and Sunar built it: 8-bit data path, five 8-bit
// registers, state and round key in registers with gated clocks, round keys on the fly.
//
// 534 clocks a block: 19 for the first AddRoundKey-SubBytes-ShiftRows, nine times 32 for MixColumns
// and 23 for AddRoundKey-SubBytes-ShiftRows, 20 for the last AddRoundKey. The paper gives the
// stages and the sum; the README says how we read the rest. Block and key come from memory row by
// row, by index; the key comes again with every block. The core does NOT protect against side
// channels or faults.
//
// Sources: Kaps, Sunar, "Energy Comparison of AES and SHA-1 for Ubiquitous Computing" (2006),
// section 4; FIPS 197; SP 800-38A section 6.2 (CBC).
module aes128_serial #(
  parameter int unsigned SBOX = 0  // 0: tower field, 1: decoded
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       wipe_i,       // clears every register, one clock later
  // Block and key. A byte moves when valid and ready are high as the clock rises.
  input  logic       in_valid_i,
  output logic       in_ready_o,
  output logic [3:0] in_index_o,   // index of the byte wanted: 0, 4, 8, 12, 1, 5 and so on
  input  logic       in_first_i,   // with all 16 bytes: not chained to the block before
  input  logic [7:0] in_data_i,
  input  logic [7:0] in_key_i,
  // Result, in the same order.
  output logic       out_valid_o,
  input  logic       out_ready_i,
  output logic [3:0] out_index_o,
  output logic [7:0] out_data_o    // 0 while not valid
);
  typedef enum logic [1:0] {Initial, Mix, Round, Final} stage_e;

  localparam logic [4:0] KeyWord = 5'd28;  // -4: the clocks before those that take the state
  localparam logic [4:0] Drained = 5'd18;
  localparam logic [3:0] LastMixRound = 4'd9;

  stage_e stage_q, stage_d;
  logic [4:0] time_q, time_d;  // -4 to -1: key word; 0 to 15: bytes; 16 to 18: the pipeline drains
  logic [3:0] round_q;         // round of the key schedule
  logic wipe_q, clear_n;
  logic key_word, bytes, step, stage_end, mix_write, pipeline_write, pipeline_shift;
  logic [1:0] row, column, shifted_column;
  logic [3:0] place, pipeline_place, mix_place, state_write_index;
  logic state_write;

  logic [7:0] state_byte, key_byte, first_key_byte, state_in, key_in, sbox_in, sbox_out;
  logic [7:0] new_key, added, mixed, plain, unused_first;
  logic [7:0] r0_q, r1_q, r2_q, r3_q, r4_q, r1_d;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) wipe_q <= 1'b0;
    else wipe_q <= wipe_i;
  end
  assign clear_n = rst_ni & ~wipe_q;

  // Sequence.
  assign key_word = stage_q != Mix && time_q >= KeyWord;
  assign bytes = stage_q != Mix && !time_q[4];
  assign in_ready_o = stage_q == Initial && bytes;
  assign out_valid_o = stage_q == Final && bytes;
  assign step = (!in_ready_o || in_valid_i) && (!out_valid_o || out_ready_i);

  always_comb begin
    stage_d = stage_q;
    time_d = time_q + 5'd1;
    unique case (stage_q)
      Initial: stage_end = time_q == Drained;
      Round: stage_end = time_q == Drained;
      Mix: stage_end = time_q == 5'd31;
      Final: stage_end = time_q == 5'd15;
    endcase
    if (stage_end) begin
      unique case (stage_q)
        Initial: {stage_d, time_d} = {Mix, 5'd0};
        Mix: {stage_d, time_d} = {Round, KeyWord};
        Round: {stage_d, time_d} = (round_q == LastMixRound) ? {Final, KeyWord} : {Mix, 5'd0};
        Final: {stage_d, time_d} = {Initial, 5'd0};
      endcase
    end
  end

  always_ff @(posedge clk_i or negedge clear_n) begin
    if (!clear_n) begin
      stage_q <= Initial;
      time_q <= '0;
      round_q <= '0;
    end else if (step) begin
      stage_q <= stage_d;
      time_q <= time_d;
      if (stage_end) begin
        round_q <= (stage_q == Final) ? '0 : (stage_d == Mix) ? round_q : round_q + 4'd1;
      end
    end
  end

  // Places. Rows are taken one after another; four registers hold a row while it is turned.
  assign row = time_q[3:2];
  assign column = time_q[1:0];
  assign place = {column, row};
  assign mix_place = {time_q[4:3], time_q[1:0]};
  assign shifted_column = column - (row - 2'd1);
  assign pipeline_place = (stage_q == Mix || stage_q == Final) ? 4'd3
                                                               : {shifted_column, row - 2'd1};

  // Keys. R0 is the byte to the left in the row.
  assign key_in = key_word ? first_key_byte ^ sbox_out ^
                             ((column == '0) ? jm_aes_pkg::round_constant(round_q) : '0)
                           : new_key;
  assign new_key = (stage_q == Initial) ? in_key_i
                                        : key_byte ^ (r0_q & {8{column != '0}});
  aes128_serial_registers u_keys (
    .clk_i, .rst_ni(clear_n),
    .write_i(step && (key_word || bytes)),
    .write_index_i(key_word ? {2'b00, column} : place), .write_data_i(key_in),
    .read_i((key_word || bytes) && stage_q != Initial),
    .read_index_i(key_word ? {2'b11, column + 2'd1} : place), .read_data_o(key_byte),
    .first_row_i(column), .first_data_o(first_key_byte)
  );

  // Data.
  assign mix_write = stage_q == Mix && time_q[2];
  assign pipeline_write = (stage_q == Mix) ? time_q == '0
                                           : (stage_q == Final) ? time_q == KeyWord
                                                                : !key_word && time_q >= 5'd4;
  assign state_write = mix_write || pipeline_write || out_valid_o;
  assign state_write_index = pipeline_write ? pipeline_place : out_valid_o ? place : mix_place;
  assign state_in = pipeline_write ? r4_q : out_valid_o ? added : mixed;
  aes128_serial_registers u_data (
    .clk_i, .rst_ni(clear_n),
    .write_i(step && state_write), .write_index_i(state_write_index), .write_data_i(state_in),
    .read_i((stage_q == Mix) ? !time_q[2] : bytes),
    .read_index_i((stage_q == Mix) ? mix_place : place), .read_data_o(state_byte),
    .first_row_i('0), .first_data_o(unused_first)
  );

  assign plain = (stage_q == Initial) ? in_data_i ^ (state_byte & {8{~in_first_i}}) : state_byte;
  assign added = plain ^ new_key;
  assign sbox_in = key_word ? key_byte : added;
  jm_aes_sbox #(.STYLE(SBOX)) u_sbox (.a_i(sbox_in), .open_i(1'b1), .q_o(sbox_out));

  // R1 to R4: a row on its way through ShiftRows, or a column in MixColumns that turns round once.
  assign pipeline_shift = step && !key_word && stage_q != Final;
  assign r1_d = (stage_q != Mix) ? sbox_out : time_q[2] ? r4_q : state_byte;
  assign mixed = jm_aes_pkg::times_two(r4_q ^ r3_q) ^ r3_q ^ r2_q ^ r1_q;

  always_ff @(posedge clk_i or negedge clear_n) begin
    if (!clear_n) {r0_q, r1_q, r2_q, r3_q, r4_q} <= '0;
    else begin
      if (step && bytes) r0_q <= new_key;
      if (pipeline_shift) {r1_q, r2_q, r3_q, r4_q} <= {r1_d, r1_q, r2_q, r3_q};
    end
  end

  assign out_data_o = added & {8{out_valid_o}};
  assign out_index_o = place;
  assign in_index_o = place;

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (wipe_q && rst_ni) assert ({r0_q, r1_q, r2_q, r3_q, r4_q} == '0);
  end
`endif
endmodule
