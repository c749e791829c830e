// SPDX-License-Identifier: Apache-2.0
//
// One engine of given parameters with its test bench, for simulation only. The module offers the
// cases of the parent's table in order, takes and compares the results, and measures clocks. Stalls
// on either side come from a shift register with feedback.
module sha256_engine_check #(
  parameter int unsigned STAGES = 4,
  parameter int unsigned ROUNDS = 1,
  parameter int unsigned PRECOMPUTE = 1,
  parameter int unsigned CARRY_SAVE = 0,
  parameter int unsigned SCHEDULE = 1,
  parameter int unsigned TECHNOLOGY = 0,
  parameter int unsigned INTERLEAVE = 1,
  parameter int unsigned SEED = 1
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic wipe_i,
  input  logic run_i,  // low: offers nothing and takes nothing
  input  logic [1:0] stall_i,  // [0] source and [1] sink pause at random
  input  logic [31:0] cases_i,
  output logic [31:0] index_o,  // case asked for
  input  logic [511:0] block_i,
  input  logic [255:0] state_i,
  output logic [31:0] check_o,  // case compared
  input  logic [255:0] hash_i,
  output logic [31:0] taken_o,
  output logic [31:0] checked_o,
  output logic [31:0] wrong_o,
  output logic [31:0] interval_o,  // clocks to the last result from INTERLEAVE results before it
  output logic [31:0] latency_o  // clocks from the edge that took the first block to its result
);

  logic [15:0] chance_q;
  logic [31:0] clock_q, first_q;
  logic [1:0][31:0] last_q;  // clocks of the last results, newest first
  logic source_pause, sink_ready_q, offered_q, seen_q;
  logic block_valid, block_ready, hash_valid, hash_ready;
  logic [255:0] hash;
  logic [2:0] id;

  // An offer stays until it is taken.
  assign source_pause = stall_i[0] && (chance_q[2:0] != 3'd0);
  assign block_valid = run_i && (index_o < cases_i) && (offered_q || !source_pause);
  assign hash_ready = run_i && sink_ready_q;
  assign taken_o = index_o;
  assign checked_o = check_o;

  sha256_engine #(
    .STAGES(STAGES),
    .ROUNDS(ROUNDS),
    .PRECOMPUTE(PRECOMPUTE),
    .CARRY_SAVE(CARRY_SAVE),
    .SCHEDULE(SCHEDULE),
    .TECHNOLOGY(TECHNOLOGY),
    .INTERLEAVE(INTERLEAVE)
  ) u_engine (
    .clk_i,
    .rst_ni,
    .wipe_i,
    .block_valid_i(block_valid),
    .block_ready_o(block_ready),
    .block_i(block_valid ? block_i : 512'bx),
    .state_i(block_valid ? state_i : 256'bx),
    .id_i(index_o[2:0]),
    .hash_valid_o(hash_valid),
    .hash_ready_i(hash_ready),
    .hash_o(hash),
    .id_o(id)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_check
    if (!rst_ni) begin
      chance_q <= 16'(SEED);
      {clock_q, first_q, last_q, index_o, check_o, wrong_o, interval_o, latency_o} <= '0;
      {offered_q, sink_ready_q, seen_q} <= '0;
    end else begin
      clock_q <= clock_q + 1;
      chance_q <= {chance_q[14:0], chance_q[15] ^ chance_q[13] ^ chance_q[12] ^ chance_q[10]};
      sink_ready_q <= !stall_i[1] || (chance_q[7:5] == 3'd0);
      offered_q <= block_valid && !block_ready;
      if (wipe_i) begin
        offered_q <= 1'b0;
        check_o <= index_o + 32'(block_valid && block_ready);  // blocks in progress are lost
        seen_q <= 1'b0;
      end else if (hash_valid && hash_ready) begin
        check_o <= check_o + 1;
        wrong_o <= wrong_o + 32'(hash != hash_i || id != check_o[2:0]);
        interval_o <= clock_q - last_q[INTERLEAVE-1];
        last_q <= {last_q[0], clock_q};
      end
      if (hash_valid && !seen_q && !wipe_i) begin
        seen_q <= 1'b1;
        latency_o <= clock_q - 1 - first_q;  // the hash came with the edge before
      end
      if (block_valid && block_ready) begin
        index_o <= index_o + 1;
        if (index_o == 0) begin
          first_q <= clock_q;
        end
      end
    end
  end

endmodule
