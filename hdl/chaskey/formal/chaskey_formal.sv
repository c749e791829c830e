// SPDX-License-Identifier: Apache-2.0
//
// Proofs about `chaskey`: the properties of `jm_keyed_stream_check`, with invariants that relate
// the core's registers to them, and that an offered word does not wait for ever. No message but an
// empty one ends with a word of 0 bytes, as the core demands. The key is in flip-flops, since the
// solver has no latches; control is the same with both.
module chaskey_formal (
  input logic         clk_i,
  input logic         rst_ni,
  input logic         wipe_i,
  input logic         key_valid_i,
  input logic [127:0] key_i,
  input logic         msg_valid_i,
  input logic [31:0]  msg_data_i,
  input logic [2:0]   msg_bytes_i,
  input logic         msg_last_i,
  input logic         tag_ready_i
);
  localparam logic [2:0] PhaseIdle = 3'd0, PhaseTag = 3'd1, PhaseFirst = 3'd4, PhaseBlock = 3'd5,
                         PhaseSubkey = 3'd6, PhaseFinal = 3'd7;
  localparam logic [7:0] Longest = 8'd35;  // clocks from a last word, the first of a block

  logic         key_ready, msg_ready, tag_valid;
  logic [127:0] tag;

  chaskey #(.LATCHES(0)) u_core (
    .clk_i, .rst_ni, .wipe_i, .key_valid_i, .key_ready_o(key_ready), .key_i,
    .msg_valid_i, .msg_ready_o(msg_ready), .msg_data_i, .msg_bytes_i, .msg_last_i,
    .tag_valid_o(tag_valid), .tag_ready_i, .tag_o(tag)
  );

  logic       idle, words, block, whole;
  logic [7:0] to_words_end, to_rounds_end;  // clocks until the four words, the rounds are done
  logic [7:0] remaining;                    // until the tag of a whole message is offered
  logic [7:0] distance;                     // until a word is taken or a tag is offered
  always_comb begin : p_facts
    idle = u_core.phase_q == PhaseIdle;
    words = u_core.count_q >= 5'd24;
    to_words_end = 8'd28 - {3'd0, u_core.count_q};
    to_rounds_end = 8'd24 - {3'd0, u_core.count_q};
    block = u_core.phase_q == PhaseFirst || u_core.phase_q == PhaseBlock;
    whole = u_core.last_q && (block || u_core.phase_q >= PhaseSubkey);
    remaining = to_words_end;
    if (u_core.phase_q == PhaseSubkey) begin
      remaining = words ? to_words_end + 8'd28 : to_rounds_end + 8'd4;
    end
    if (block) remaining = to_words_end + 8'd32;
    distance = '0;
    if (idle) distance = 8'd1;
    if (u_core.phase_q == PhaseBlock && !words) distance = to_rounds_end;
    if (whole) distance = remaining;
  end

  // The core takes the first word of a message one clock after it is offered. What is idle in the
  // meaning of the check is a core without a key, or one that waits for a word.
  jm_keyed_stream_check #(
    .WORD_BYTES(4), .TAG_BITS(128), .CLOCKS(35), .WIPED_LATER(1)
  ) u_check (
    .clk_i, .rst_ni, .wipe_i, .key_valid_i, .key_ready_i(key_ready), .key_i,
    .msg_valid_i, .msg_ready_i(msg_ready), .msg_data_i, .msg_bytes_i, .msg_last_i,
    .tag_valid_i(tag_valid), .tag_ready_i, .tag_i(tag),
    .idle_i((idle && !u_core.keyed_q) || msg_ready), .keyed_i(u_core.keyed_q),
    .started_i(!idle), .whole_i(whole), .remaining_i(remaining)
  );

  always_comb if (u_check.open_q && msg_last_i) assume (msg_bytes_i != 3'd0);

  logic [7:0] waits_q;  // clocks that a word was offered to a core with a key, and no tag was
  always_ff @(posedge clk_i or negedge rst_ni) begin : p_waits
    if (!rst_ni) waits_q <= '0;
    else if (wipe_i || !u_core.keyed_q || !msg_valid_i || msg_ready || tag_valid) waits_q <= '0;
    else waits_q <= waits_q + 8'd1;
  end

  always_comb begin : p_invariants
    if (rst_ni) begin
      assert (waits_q <= Longest);
      if (u_core.keyed_q && !tag_valid) assert (waits_q + distance <= Longest);
      assert (u_core.phase_q != 3'd2 && u_core.phase_q != 3'd3);
      assert (u_core.count_q < 5'd28);
      if (u_core.wipe_q) assert (idle && !u_core.keyed_q && u_core.u_key.key == '0 && tag == '0);
      if (idle || tag_valid) assert (u_core.count_q == 5'd24);
      if (u_core.phase_q == PhaseFirst || u_core.phase_q == PhaseFinal) assert (words);
      if (u_core.phase_q == PhaseSubkey || u_core.phase_q == PhaseFinal) assert (u_core.last_q);
      if (tag_valid) assert (u_core.last_q);
      assert (u_core.open_q == u_check.open_q || u_core.wipe_q);
      if (u_check.open_q) assert (block && !u_core.last_q);
      if (u_core.phase_q == PhaseBlock && !words) assert (!u_core.last_q);
      if (!idle) assert (u_core.keyed_q && !u_core.zero_q);
      if (!tag_valid) assert (tag == '0);
    end
  end
endmodule
