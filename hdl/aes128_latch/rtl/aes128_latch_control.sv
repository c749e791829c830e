// SPDX-License-Identifier: Apache-2.0
//
// Sequence of aes128_latch: which byte stage 1 reads and what stage 2 writes in each slot.
//
// A block is 16 slots of loading (columns 0 to 3 by rows 0 to 3), then ten rounds of 20 slots: four
// for the key word (group 4), then 16 for the state (groups 0 to 3). In slot "round 10, group 4,
// row 0" the core waits, stage 2 ends the block before, and the first byte is loaded.
//
// ShiftRows moves no byte: row r of the state is found `offset * r` columns further, and the offset
// grows by one each round. Over a block it grows by 10, so it is 0 or 2 when a block begins.
module aes128_latch_control (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic scan_enable_i,  // opens both clock gates

  input  logic       in_valid_i,
  output logic       in_ready_o,
  output logic [3:0] in_index_o,

  output logic       out_valid_o,
  input  logic       out_ready_i,
  output logic [3:0] out_index_o,

  output logic                       clk_step_o,  // rises at the end of slots that are not stalled
  output logic                       clk_round_key_o,  // the same, except in slots of the key word
  output aes128_latch_pkg::control_t control_o
);
  localparam logic [2:0] KeyGroup = 3'd4;
  localparam logic [3:0] LastRound = 4'd10;

  logic [1:0] row_q, row_d, row_before;
  logic [2:0] group_q, group_d;
  logic [3:0] round_q, round_d;
  logic load_q, load_d, pending_q, pending_d, parity_q;
  logic idle, step, key_group, plain;
  logic [1:0] offset, column_before;
  logic [3:0] row_is, column_is, written_is, read_is;
  logic [3:0][3:0] place_is;

  assign row_before = row_q - 2'd1;
  assign key_group = group_q == KeyGroup;
  assign idle = key_group && round_q == LastRound && row_q == 2'd0;

  assign control_o.load = idle || (load_q && !key_group);
  assign control_o.key_slot = key_group && !idle;
  assign out_valid_o = idle ? pending_q
                            : round_q == LastRound && !key_group && {group_q, row_q} != '0;
  assign control_o.out = out_valid_o;

  assign in_ready_o = idle ? !pending_q || out_ready_i : load_q && !key_group;
  assign in_index_o = {group_q[1:0], row_q};
  assign step = control_o.load ? in_valid_i && in_ready_o : !out_valid_o || out_ready_i;

  always_comb begin
    row_d = row_q + 2'd1;
    group_d = group_q;
    if (row_q == 2'd3) group_d = key_group ? '0 : group_q + 3'd1;
    if (idle) group_d = '0;
    round_d = round_q;
    load_d = load_q;
    if (key_group && row_q == 2'd0) begin
      round_d = idle ? '0 : round_q + 4'd1;
      load_d = idle;
    end
    pending_d = idle ? pending_q && !out_ready_i
                     : step && round_q == LastRound && group_q == 3'd3 && row_q == 2'd3;
  end

  jm_clock_gate u_step (.clk_i, .enable_i(step), .scan_enable_i, .clk_o(clk_step_o));
  jm_clock_gate u_round_key (
    .clk_i, .enable_i(step && !control_o.key_slot), .scan_enable_i, .clk_o(clk_round_key_o)
  );

  always_ff @(posedge clk_step_o or negedge rst_ni) begin
    if (!rst_ni) begin
      row_q <= '0;
      group_q <= KeyGroup;
      round_q <= LastRound;
      load_q <= 1'b0;
      parity_q <= 1'b0;
    end else begin
      row_q <= row_d;
      group_q <= group_d;
      round_q <= round_d;
      load_q <= load_d;
      parity_q <= parity_q ^ idle;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) pending_q <= 1'b0;
    else pending_q <= pending_d;
  end

  // Stage 2 is in the column before while stage 1 is in row 0.
  assign offset = {round_q[1] ^ parity_q, round_q[0]};
  assign column_before = (row_q == 2'd0) ? group_q[1:0] - 2'd1 : group_q[1:0];

  always_comb begin
    for (int unsigned i = 0; i < 4; i++) begin
      row_is[i] = row_q == 2'(i);
      column_is[i] = group_q == 3'(i);
      written_is[i] = row_is[0] ? group_q == 3'(i + 1) : column_is[i];
      read_is[i] = key_group ? i == 3 : column_is[i] && !load_q;
    end
    if (idle && !pending_q) written_is = '0;
    for (int unsigned r = 0; r < 4; r++) begin
      for (int unsigned c = 0; c < 4; c++) begin
        place_is[r][c] = column_before + 2'(r) * offset == 2'(c) && written_is != '0;
      end
    end
    for (int unsigned r = 0; r < 4; r++) begin
      for (int unsigned c = 0; c < 4; c++) begin
        control_o.state_read[4*c + r] =
            row_is[r] && ((r == 0) ? group_q[1:0] == 2'(c) : place_is[r][c]);
        control_o.state_write[4*c + r] = place_is[r][c];
        control_o.key_read[4*c + r] =
            (key_group ? row_is[(r+3) % 4] : row_is[r]) && read_is[c];
      end
    end
  end

  assign plain = load_q || round_q == LastRound;
  assign control_o.row_is = row_is;
  assign control_o.key_write = written_is;
  assign control_o.loaded = load_q;
  assign control_o.key_word = row_is[0] ? group_q == '0 : key_group;
  assign control_o.mix = row_is[0] && !plain && written_is != '0;
  assign control_o.constant =
      (row_is[1] && key_group) ? jm_aes_pkg::round_constant(round_q) : '0;
  assign out_index_o = {column_before, row_before};
endmodule
