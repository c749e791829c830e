// SPDX-License-Identifier: Apache-2.0
//
// Proofs about `ascon_mac`: the properties of `jm_keyed_stream_check`, with invariants that relate
// the core's registers to them, and that the start of a message takes one permutation.
module ascon_mac_formal #(
  parameter int unsigned ROUNDS = 1,
  parameter int unsigned KEEP_START = 1
) (
  input logic         clk_i,
  input logic         rst_ni,
  input logic         wipe_i,
  input logic         key_valid_i,
  input logic [127:0] key_i,
  input logic         msg_valid_i,
  input logic [255:0] msg_data_i,
  input logic [5:0]   msg_bytes_i,
  input logic         msg_last_i,
  input logic         tag_ready_i
);
  localparam int unsigned PermutationClocks = 12 / ROUNDS;
  localparam logic [2:0] PhaseIdle = 3'd0, PhaseStart = 3'd1, PhaseFull = 3'd3, PhaseTag = 3'd4;

  logic         key_ready, msg_ready, tag_valid;
  logic [127:0] tag;

  ascon_mac #(.ROUNDS(ROUNDS), .KEEP_START(KEEP_START)) u_core (
    .clk_i, .rst_ni, .wipe_i, .key_valid_i, .key_ready_o(key_ready), .key_i,
    .msg_valid_i, .msg_ready_o(msg_ready), .msg_data_i, .msg_bytes_i, .msg_last_i,
    .tag_valid_o(tag_valid), .tag_ready_i, .tag_o(tag)
  );

  logic       full, whole;
  logic [7:0] done, remaining;  // clocks of the permutation so far; until the tag is offered
  always_comb begin : p_facts
    full = u_core.phase_q == PhaseFull;
    whole = full || u_core.phase_q == PhaseTag;
    done = {4'd0, u_core.round_q} / 8'(ROUNDS);
    remaining = 8'(PermutationClocks) - done + (full ? 8'(PermutationClocks) : 8'd0);
  end

  jm_keyed_stream_check #(
    .WORD_BYTES(32), .TAG_BITS(128), .CLOCKS(2 * PermutationClocks)
  ) u_check (
    .clk_i, .rst_ni, .wipe_i, .key_valid_i, .key_ready_i(key_ready), .key_i,
    .msg_valid_i, .msg_ready_i(msg_ready), .msg_data_i, .msg_bytes_i, .msg_last_i,
    .tag_valid_i(tag_valid), .tag_ready_i, .tag_i(tag),
    .idle_i(u_core.phase_q == PhaseIdle), .keyed_i(u_core.keyed_q),
    .started_i(u_core.started_q), .whole_i(whole), .remaining_i(remaining)
  );

  logic [7:0] starting_q;  // clocks that a start has taken
  always_ff @(posedge clk_i or negedge rst_ni) begin : p_starting
    if (!rst_ni) starting_q <= '0;
    else starting_q <= (u_core.phase_q == PhaseStart && !wipe_i) ? starting_q + 8'd1 : 8'd0;
  end

  always_comb begin : p_invariants
    if (rst_ni) begin
      assert (u_core.phase_q <= PhaseTag);
      assert (u_core.round_q <= 4'(12 - ROUNDS) && u_core.round_q % 4'(ROUNDS) == 4'd0);
      if (u_core.phase_q == PhaseIdle) assert (u_core.round_q == 4'd0);
      else assert (u_core.started_q == (u_core.phase_q != PhaseStart));
      if (u_core.phase_q == PhaseStart) assert (starting_q == done);
      assert (starting_q <= 8'(PermutationClocks));
    end
  end
endmodule
