// SPDX-License-Identifier: Apache-2.0
//
// Proofs about `siphash`: the properties of `jm_keyed_stream_check`, with invariants that relate
// the core's registers to them.
module siphash_formal #(
  parameter int unsigned ROUNDS = 2
) (
  input logic         clk_i,
  input logic         rst_ni,
  input logic         wipe_i,
  input logic         key_valid_i,
  input logic [127:0] key_i,
  input logic         msg_valid_i,
  input logic [63:0]  msg_data_i,
  input logic [3:0]   msg_bytes_i,
  input logic         msg_last_i,
  input logic         tag_ready_i
);
  localparam int unsigned WordClocks = (ROUNDS == 1) ? 2 : 1;
  localparam int unsigned FinalClocks = 4 / ROUNDS;
  localparam logic [1:0] PhaseIdle = 2'd0, PhaseWord = 2'd1, PhaseFinal = 2'd2;

  logic        key_ready, msg_ready, tag_valid;
  logic [63:0] tag;

  siphash #(.ROUNDS(ROUNDS)) u_core (
    .clk_i, .rst_ni, .wipe_i, .key_valid_i, .key_ready_o(key_ready), .key_i,
    .msg_valid_i, .msg_ready_o(msg_ready), .msg_data_i, .msg_bytes_i, .msg_last_i,
    .tag_valid_o(tag_valid), .tag_ready_i, .tag_o(tag)
  );

  logic       word, last, final_rounds, whole;
  logic [7:0] remaining;
  always_comb begin : p_facts
    word = u_core.phase_q == PhaseWord;
    final_rounds = u_core.phase_q == PhaseFinal;
    last = word && u_core.last_q;
    whole = last || final_rounds;
    remaining = 8'(FinalClocks) - {6'd0, u_core.clock_q};
    if (word) remaining += 8'(WordClocks) + (u_core.length_due_q ? 8'(WordClocks) : 8'd0);
  end

  jm_keyed_stream_check #(
    .WORD_BYTES(8), .TAG_BITS(64), .CLOCKS(2 * WordClocks + FinalClocks)
  ) u_check (
    .clk_i, .rst_ni, .wipe_i, .key_valid_i, .key_ready_i(key_ready), .key_i,
    .msg_valid_i, .msg_ready_i(msg_ready), .msg_data_i, .msg_bytes_i, .msg_last_i,
    .tag_valid_i(tag_valid), .tag_ready_i, .tag_i(tag),
    .idle_i(u_core.phase_q == PhaseIdle), .keyed_i(u_core.key_set_q),
    .started_i(u_core.started_q), .whole_i(whole), .remaining_i(remaining)
  );

  always_comb begin : p_invariants
    if (rst_ni) begin
      assert (u_core.phase_q != 2'd3);
      if (word) assert (u_core.clock_q < 2'(WordClocks));
      if (final_rounds) assert ({1'b0, u_core.clock_q} < 3'(FinalClocks));
      if (u_core.length_due_q) assert (last);
      if (u_core.phase_q != PhaseIdle) assert (u_core.started_q);
    end
  end
endmodule
