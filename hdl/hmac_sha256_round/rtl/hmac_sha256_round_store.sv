// SPDX-License-Identifier: Apache-2.0
//
// Chaining values of `hmac_sha256_round`, in latches: the inner and the outer of the key, and that
// of the message, which is in the end its tag. A word is read or written in a clock.
//
// No choice reads zeros. A word that is written goes into latches that are open while the clock is
// low; `write_i` and `write_index_i` must have settled when the clock falls. While nothing is
// written `word_i` should stand still, since it reaches all latches.
module hmac_sha256_round_store (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic [2:0]  write_i,        // inner, outer, message: at most one
  input  logic [2:0]  write_index_i,
  input  logic [31:0] word_i,
  input  logic [2:0]  read_i,         // inner, outer, message, or none for the initial value
  input  logic        initial_i,      // SHA-256's initial hash value
  input  logic [2:0]  read_index_i,
  output logic [31:0] word_o
);
  import jm_sha256_pkg::*;

  logic [23:0] gate, select;
  logic [31:0] words [24];
  logic [7:0]  select_initial;

  for (genvar i = 0; i < 8; i++) begin : gen_index
    assign select_initial[i] = initial_i & (read_index_i == 3'(i));
    for (genvar k = 0; k < 3; k++) begin : gen_value
      assign gate[8*k+i] = write_i[k] & (write_index_i == 3'(i)) & ~clk_i;
      assign select[8*k+i] = read_i[k] & (read_index_i == 3'(i));
      jm_latch #(.WIDTH(32)) u_word (
        .rst_ni, .gate_i(gate[8*k+i]), .d_i(word_i), .q_o(words[8*k+i])
      );
    end
  end

  always_comb begin
    word_o = '0;
    for (int unsigned i = 0; i < 24; i++) word_o |= words[i] & {32{select[i]}};
    for (int unsigned i = 0; i < 8; i++) begin
      word_o |= InitialState[32*(7-i)+:32] & {32{select_initial[i]}};
    end
  end
endmodule
