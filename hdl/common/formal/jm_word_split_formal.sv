// SPDX-License-Identifier: Apache-2.0
//
// Proofs about `jm_word_split`: a word's bytes become parts, in order, each once, and the stream of
// parts keeps the rules of streams if that of words does.
module jm_word_split_formal #(
  parameter int unsigned FIRST_HIGH = 0
) (
  input logic        clk_i,
  input logic        rst_ni,
  input logic        wipe_i,
  input logic        word_valid_i,
  input logic [31:0] word_i,
  input logic [2:0]  word_bytes_i,
  input logic        word_last_i,
  input logic        part_ready_i
);
  // Reset is active in the first clock alone.
  logic first_q = 1'b1;
  always_ff @(posedge clk_i) first_q <= 1'b0;
  always_comb assume (rst_ni == !first_q);

  logic       word_ready, part_valid, part_last;
  logic [7:0] part;
  logic       part_bytes;

  jm_word_split #(
    .WORD_BYTES(4), .PART_BYTES(1), .FIRST_HIGH(FIRST_HIGH)
  ) u_split (
    .clk_i, .rst_ni, .wipe_i, .word_valid_i, .word_ready_o(word_ready), .word_i, .word_bytes_i,
    .word_last_i, .part_valid_o(part_valid), .part_ready_i, .part_o(part),
    .part_bytes_o(part_bytes), .part_last_o(part_last)
  );

  jm_stream_check #(.WIDTH(36), .ASSUME(1)) u_words (
    .clk_i, .rst_ni, .wipe_i, .valid_i(word_valid_i), .ready_i(word_ready),
    .data_i({word_i, word_bytes_i, word_last_i})
  );
  jm_stream_check #(.WIDTH(10)) u_parts (
    .clk_i, .rst_ni, .wipe_i, .valid_i(part_valid), .ready_i(part_ready_i),
    .data_i({part, part_bytes, part_last})
  );
  always_comb begin : p_words
    assume (word_bytes_i <= 3'd4);
    if (!word_last_i) assume (word_bytes_i == 3'd4);
  end

  // Bytes of the word that were handed over.
  logic [2:0] given_q;
  logic       moved;
  assign moved = part_valid && part_ready_i;
  always_ff @(posedge clk_i or negedge rst_ni) begin : p_given
    if (!rst_ni) given_q <= '0;
    else if (wipe_i) given_q <= '0;
    else if (moved) given_q <= word_ready ? '0 : given_q + 3'(part_bytes);
  end
  always_comb begin : p_parts
    if (rst_ni && part_valid) begin
      assert (part_bytes == (word_bytes_i != '0));
      if (part_bytes) begin
        assert (part == word_i[8*((FIRST_HIGH != 0) ? 2'd3 - given_q[1:0] : given_q[1:0])+:8]);
      end
      // The word moves with its last part; no other part can be the message's last.
      assert ((word_ready && part_ready_i) == (moved && given_q + 3'(part_bytes) == word_bytes_i));
      assert (part_last == (word_last_i && given_q + 3'(part_bytes) == word_bytes_i));
    end
    // Relates registers to the count, so that the induction succeeds: the word is still offered.
    if (rst_ni) begin
      assert (3'(u_split.gen_parts.count_q) == given_q);
      if (given_q != '0) assert (u_words.waiting_q && given_q < u_words.data_q[3:1]);
    end
    cover (rst_ni && part_valid && part_last && given_q == 3'd2);
    cover (rst_ni && part_valid && part_last && !part_bytes);
  end
endmodule
