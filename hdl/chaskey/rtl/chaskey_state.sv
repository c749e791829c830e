// SPDX-License-Identifier: Apache-2.0
//
// The state of Chaskey, half a round, and the exclusive-or of one word.
//
// Half a round adds v1 to v0 and v3 to v2. As the second half adds v3 to v0 and v1 to v2, v0 and v2
// change places after each half: then both halves are the same but for two rotations. After 24
// halves all words are in their places again.
//
// The other words pass the same adders, with 0 added, when one word of the state takes `word_i`.
// Words 1 and 3 stay in their places; words 0 and 2 change places with each of the two. So word 0
// goes first, word 2 second, each once, and words 1 and 3 at any time.
//
// Clocks: one for half a round, one for a word. Only words that change have a clock.
module chaskey_state (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             round_i,   // half a round; comes with `step_i` of all
  input  logic             second_i,  // it is the second half
  input  logic [1:0]       index_i,   // else the word that takes `word_i`
  input  logic             step_i,    // the state changes
  input  logic [31:0]      word_i,    // 0 in half a round
  output logic [3:0][31:0] state_o
);
  logic [3:0][31:0] state_q, state_d;
  logic [3:0] enable;
  logic even, odd;      // word 0 or 2, word 1 or 3 takes `word_i`
  logic first, second;  // half of a round
  logic [31:0] a0, a2, b2, sum0, sum2, turned1, turned3;

  assign even = !round_i && !index_i[0];
  assign odd = !round_i && index_i[0];
  assign enable = {4{step_i}} & {round_i || index_i == 2'd3, round_i || !index_i[0],
                                 round_i || index_i == 2'd1, round_i || !index_i[0]};

  // Of words 0 and 2, the one in front takes `word_i` on its way behind, and the other comes to the
  // front through an adder. Word 1 or 3 passes an adder alone and takes `word_i` behind it.
  assign a0 = state_q[0] & {32{!odd}};
  assign a2 = state_q[2] & {32{!odd}};
  assign b2 = state_q[3] & {32{!even}};
  chaskey_adder u_sum0 (.a_i(a0), .b_i(state_q[1]), .sum_o(sum0));
  chaskey_adder u_sum2 (.a_i(a2), .b_i(b2), .sum_o(sum2));

  assign first = round_i && !second_i;
  assign second = round_i && second_i;
  assign turned1 = ({state_q[1][26:0], state_q[1][31:27]} & {32{first}}) |
                   ({state_q[1][24:0], state_q[1][31:25]} & {32{second}}) | word_i;
  assign turned3 = ({state_q[3][23:0], state_q[3][31:24]} & {32{first}}) |
                   ({state_q[3][18:0], state_q[3][31:19]} & {32{second}}) | word_i;

  assign state_d[0] = sum2;
  assign state_d[1] = turned1 ^ sum0;
  assign state_d[2] = round_i ? {sum0[15:0], sum0[31:16]} : state_q[0] ^ word_i;
  assign state_d[3] = turned3 ^ sum2;

  for (genvar i = 0; i < 4; i++) begin : gen_word
    always_ff @(posedge clk_i or negedge rst_ni) begin : p_word
      if (!rst_ni) state_q[i] <= '0;
      else if (enable[i]) state_q[i] <= state_d[i];
    end
  end

  assign state_o = state_q;
endmodule
