// SPDX-License-Identifier: Apache-2.0
//
// Engines of COMBINATIONS sets of parameters on one table of cases; for simulation only. A set is
// sixteen bits of SETS, the first set lowest: {STAGES (4 bits), ROUNDS (3), PRECOMPUTE (2),
// CARRY_SAVE, SCHEDULE, TECHNOLOGY, INTERLEAVE - 1}.
module sha256_engine_configurations #(
  parameter int unsigned CASES = 4096,
  parameter int unsigned COMBINATIONS = 1,
  parameter logic [16*COMBINATIONS-1:0] SETS = 16'b0100_001_01_0_1_0_0
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic wipe_i,
  input  logic run_i,
  input  logic [1:0] stall_i,
  input  logic [31:0] cases_i,
  input  logic write_i,
  input  logic [31:0] write_index_i,
  input  logic [1023:0] write_case_i,  // block, state, hash expected
  output logic [COMBINATIONS-1:0][31:0] checked_o,
  output logic [COMBINATIONS-1:0][31:0] wrong_o,
  output logic [COMBINATIONS-1:0][31:0] interval_o,
  output logic [COMBINATIONS-1:0][31:0] latency_o,
  output logic done_o
);

  logic [1023:0] table_q [CASES];
  always_ff @(posedge clk_i) begin : p_write
    if (write_i) begin
      table_q[write_index_i[$clog2(CASES)-1:0]] <= write_case_i;
    end
  end

  logic [COMBINATIONS-1:0] done;
  assign done_o = &done;

  for (genvar n = 0; n < COMBINATIONS; n++) begin : gen_engine
    localparam logic [15:0] Set = SETS[16*n +: 16];
    logic [31:0] index, checked_case, taken;
    assign done[n] = checked_case == cases_i;
    sha256_engine_check #(
      .STAGES(32'(Set[12:9])),
      .ROUNDS(32'(Set[8:6])),
      .PRECOMPUTE(32'(Set[5:4])),
      .CARRY_SAVE(32'(Set[3])),
      .SCHEDULE(32'(Set[2])),
      .TECHNOLOGY(32'(Set[1])),
      .INTERLEAVE(32'(Set[0]) + 1),
      .SEED(n + 1)
    ) u_check (
      .clk_i,
      .rst_ni,
      .wipe_i,
      .run_i,
      .stall_i,
      .cases_i,
      .index_o(index),
      .block_i(table_q[index[$clog2(CASES)-1:0]][1023:512]),
      .state_i(table_q[index[$clog2(CASES)-1:0]][511:256]),
      .check_o(checked_case),
      .hash_i(table_q[checked_case[$clog2(CASES)-1:0]][255:0]),
      .taken_o(taken),
      .checked_o(checked_o[n]),
      .wrong_o(wrong_o[n]),
      .interval_o(interval_o[n]),
      .latency_o(latency_o[n])
    );
  end

endmodule
