// SPDX-License-Identifier: Apache-2.0
//
// For proofs: a model of `sha256_engine` with the same handshakes, and one byte in place of a hash:
// the chaining value's first byte, rotated, xor the block's first byte. This byte tells blocks and
// their order apart and is easy on solvers. A stage takes two clocks.
module sha256_engine #(
  parameter int unsigned HASH = 256,  // that value alone
  parameter int unsigned STAGES = 2,
  parameter int unsigned ROUNDS = 1,
  parameter int unsigned PRECOMPUTE = 1,
  parameter int unsigned CARRY_SAVE = 0,
  parameter int unsigned SCHEDULE = 1,
  parameter int unsigned ID_BITS = 3,
  parameter int unsigned TECHNOLOGY = 0,
  parameter int unsigned INTERLEAVE = 1
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic               wipe_i,
  input  logic               block_valid_i,
  output logic               block_ready_o,
  input  logic [511:0]       block_i,
  input  logic [255:0]       state_i,
  input  logic [ID_BITS-1:0] id_i,
  output logic               hash_valid_o,
  input  logic               hash_ready_i,
  output logic [255:0]       hash_o,
  output logic [ID_BITS-1:0] id_o
);
  localparam int unsigned Width = 8 + ID_BITS;

  logic [STAGES-1:0] busy_q;
  logic [STAGES-1:0] last_q;  // in the second clock of the stage
  logic [Width-1:0]  data_q[STAGES];
  logic              held_q;
  logic [Width-1:0]  result_q;
  logic              advance;
  logic              load;

  assign advance       = ~(last_q[STAGES-1] & held_q);
  assign block_ready_o = advance & (~busy_q[0] | last_q[0]);
  assign load          = block_valid_i & block_ready_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin : p_stages
    if (!rst_ni) begin
      busy_q   <= '0;
      last_q   <= '0;
      held_q   <= 1'b0;
      data_q   <= '{default: '0};
      result_q <= '0;
    end else if (wipe_i) begin
      busy_q   <= '0;
      last_q   <= '0;
      held_q   <= 1'b0;
      data_q   <= '{default: '0};
      result_q <= '0;
    end else begin
      if (hash_ready_i) held_q <= 1'b0;
      if (advance) begin
        last_q <= busy_q & ~last_q;
        busy_q <= busy_q & ~last_q;
        if (load) begin
          busy_q[0] <= 1'b1;
          data_q[0] <= {{state_i[254:248], state_i[255]} ^ block_i[511:504], id_i};
        end
        for (int unsigned s = 1; s < STAGES; s++) begin
          if (last_q[s-1]) begin
            busy_q[s] <= 1'b1;
            data_q[s] <= data_q[s-1];
          end
        end
        if (last_q[STAGES-1]) begin
          held_q   <= 1'b1;
          result_q <= data_q[STAGES-1];
        end
      end
    end
  end

  assign hash_valid_o   = held_q;
  assign {hash_o, id_o} = {result_q[Width-1 -: 8], 248'd0, result_q[ID_BITS-1:0]};
endmodule
