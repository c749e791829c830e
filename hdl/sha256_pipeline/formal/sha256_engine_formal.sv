// SPDX-License-Identifier: Apache-2.0
//
// Properties of `sha256_engine`'s handshakes: every block that is taken gives one result, in order,
// none is dropped or doubled, results wait until they are taken, and the engine does not lock.
//
// Ids number the blocks; the contents of blocks are left out, because the control does not depend
// on them. Open: when blocks are offered, results are taken and `wipe_i` is high.
module sha256_engine_formal #(
  parameter int unsigned STAGES = 2,
  parameter int unsigned ROUNDS = 4,
  parameter int unsigned PRECOMPUTE = 1,
  parameter int unsigned INTERLEAVE = 1
) (
  input logic clk_i,
  input logic rst_ni,
  input logic wipe_i,
  input logic block_valid_i,
  input logic hash_ready_i
);
  // Where blocks take turns, a block may wait a clock for its turn.
  localparam int unsigned Latency = (INTERLEAVE == 2) ? 135 + 1 : 64 / ROUNDS;
  localparam int unsigned Most = (INTERLEAVE == 2) ? sha256_pkg::interleaved_depth(STAGES) + 1
                                                   : STAGES + 1;

  logic block_ready, hash_valid;
  logic [3:0] taken_q, given_q, id;
  logic [7:0] waited_q;
  logic waiting_q;

  sha256_engine #(
    .STAGES(STAGES),
    .ROUNDS(ROUNDS),
    .PRECOMPUTE(PRECOMPUTE),
    .INTERLEAVE(INTERLEAVE),
    .ID_BITS(4)
  ) u_engine (
    .clk_i, .rst_ni, .wipe_i,
    .block_valid_i, .block_ready_o(block_ready),
    .block_i('0), .state_i('0), .id_i(taken_q),
    .hash_valid_o(hash_valid), .hash_ready_i, .hash_o(), .id_o(id)
  );

  // Reset is active in the first clock alone.
  logic first_q = 1'b1;
  always_ff @(posedge clk_i) first_q <= 1'b0;
  always_comb assume (rst_ni == !first_q);

  logic [3:0] under_way;
  assign under_way = taken_q - given_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      taken_q <= '0;
      given_q <= '0;
      waited_q <= '0;
      waiting_q <= 1'b0;
    end else if (wipe_i) begin
      taken_q <= '0;
      given_q <= '0;
      waited_q <= '0;
      waiting_q <= 1'b0;
    end else begin
      taken_q <= taken_q + 4'(block_valid_i && block_ready);
      given_q <= given_q + 4'(hash_valid && hash_ready_i);
      waited_q <= (under_way == '0 || hash_valid) ? '0 : waited_q + 1'b1;
      waiting_q <= hash_valid && !hash_ready_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      if (hash_valid) assert (id == given_q);  // in order, none dropped or doubled
      if (hash_valid) assert (under_way != '0);  // no result without a block
      assert (under_way <= 4'(Most));
      if (waiting_q) assert (hash_valid);  // a result waits until it is taken
      assert (waited_q <= 8'(Latency));  // a result comes in time
      cover (given_q == 4'd3);
    end
  end
endmodule
