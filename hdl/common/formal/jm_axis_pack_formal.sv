// SPDX-License-Identifier: Apache-2.0
//
// Proofs about `jm_axis_pack` with 16-bit beats and 4-byte words: the rules of AXI-Stream hold at
// all times, even during a wipe, and a packet's bytes become words.
//
// Open: when beats come and words are taken, the data, the length of packets, when a wipe comes.
module jm_axis_pack_formal #(
  parameter int unsigned HOLD = 0
) (
  input logic        clk_i,
  input logic        rst_ni,
  input logic        wipe_i,
  input logic        s_axis_tvalid_i,
  input logic [15:0] s_axis_tdata_i,
  input logic [1:0]  s_axis_tkeep_i,
  input logic        s_axis_tlast_i,
  input logic        word_ready_i
);
  // Reset is active in the first clock alone.
  logic first_q = 1'b1;
  always_ff @(posedge clk_i) first_q <= 1'b0;
  always_comb assume (rst_ni == !first_q);

  logic        s_axis_tready, word_valid, word_last, begun;
  logic [31:0] word;
  logic [2:0]  word_bytes;

  jm_axis_pack #(
    .DATA_BITS(16), .WORD_BYTES(4), .HOLD(HOLD)
  ) u_pack (
    .clk_i, .rst_ni, .wipe_i, .s_axis_tvalid_i, .s_axis_tready_o(s_axis_tready), .s_axis_tdata_i,
    .s_axis_tkeep_i, .s_axis_tlast_i, .word_valid_o(word_valid), .word_ready_i, .word_o(word),
    .word_bytes_o(word_bytes), .word_last_o(word_last), .begun_o(begun)
  );

  // AXI-Stream has no wipe: an offer stays whatever happens.
  jm_stream_check #(.WIDTH(19), .ASSUME(1)) u_in (
    .clk_i, .rst_ni, .wipe_i(1'b0), .valid_i(s_axis_tvalid_i), .ready_i(s_axis_tready),
    .data_i({s_axis_tdata_i, s_axis_tkeep_i, s_axis_tlast_i})
  );
  jm_stream_check #(.WIDTH(36)) u_word (
    .clk_i, .rst_ni, .wipe_i, .valid_i(word_valid), .ready_i(word_ready_i),
    .data_i({word, word_bytes, word_last})
  );

  always_comb begin : p_sender
    if (s_axis_tvalid_i) begin
      assume (s_axis_tkeep_i != 2'b10);
      assume (s_axis_tlast_i || s_axis_tkeep_i != 2'b01);
    end
  end

  // Counts of the packet's bytes that were taken, and of those that were handed over in words. Four
  // bits are enough, since the counts differ by at most a word and a beat. A wipe clears both.
  logic [3:0] taken_q, given_q;
  logic       ended_q, forgotten_q, middle_q;
  logic       some_q;  // a word of the packet was handed over
  logic [2:0] beat_bytes;
  logic       beat, moved;
  assign beat = s_axis_tvalid_i && s_axis_tready;
  assign moved = word_valid && word_ready_i;
  assign beat_bytes = {2'b00, s_axis_tkeep_i[0]} + {2'b00, s_axis_tkeep_i[1]};
  always_ff @(posedge clk_i or negedge rst_ni) begin : p_packet
    if (!rst_ni) begin
      taken_q <= '0;
      given_q <= '0;
      ended_q <= 1'b0;
      some_q <= 1'b0;
      forgotten_q <= 1'b0;
      middle_q <= 1'b0;
    end else begin
      if (beat) middle_q <= !s_axis_tlast_i;
      if (wipe_i) begin
        taken_q <= '0;
        given_q <= '0;
        ended_q <= 1'b0;
        some_q <= 1'b0;
        forgotten_q <= beat ? !s_axis_tlast_i : middle_q;
      end else begin
        if (moved) given_q <= given_q + {1'b0, word_bytes};
        if (moved) some_q <= !word_last;
        if (moved && word_last) begin
          taken_q <= '0;
          given_q <= '0;
          ended_q <= 1'b0;
        end
        if (beat && forgotten_q) begin
          forgotten_q <= !s_axis_tlast_i;
        end else if (beat) begin
          taken_q <= ((moved && word_last) ? 4'd0 : taken_q) + {1'b0, beat_bytes};
          ended_q <= s_axis_tlast_i;
        end
      end
    end
  end

  // A word has all bytes of its packet that were taken and not yet handed over. The last word comes
  // when the packet has ended, and a packet that a wipe forgot gives no word.
  always_comb begin : p_words
    if (rst_ni && word_valid) begin
      assert (word_last == ended_q);
      assert (4'(given_q + {1'b0, word_bytes}) == taken_q);
      assert (word_last || word_bytes == 3'd4);
      if (HOLD != 0) assert (!(word_last && word_bytes == 3'd0 && some_q));
    end
    if (rst_ni && forgotten_q) assert (!word_valid && u_pack.drop_q);
    // A packet has begun when a beat of it was taken, unless a wipe forgot it.
    if (rst_ni) assert (begun == (ended_q || (middle_q && !forgotten_q)));
  end

  // Relates registers to the counts, so that the induction succeeds.
  logic [3:0] held;
  assign held = taken_q - given_q;
  always_comb begin : p_pack_invariants
    if (rst_ni) begin
      assert (u_pack.drop_q == forgotten_q && u_pack.open_q == middle_q);
      if (middle_q) assert (!ended_q);
      if (u_pack.full_q) assert (held == {1'b0, u_pack.bytes_q});
      else assert (held == {2'b00, u_pack.count_q, 1'b0} && !ended_q && !u_pack.last_q);
      if (u_pack.full_q && !u_pack.last_q) assert (u_pack.bytes_q == 3'd4);
      assert (!u_pack.last_q || u_pack.full_q);
      assert (u_pack.bytes_q <= 3'd4);
      if (forgotten_q) assert (!u_pack.full_q && u_pack.count_q == '0 && !some_q);
      if (u_pack.full_q) assert (u_pack.last_q == ended_q);
      // A word that was held back has a byte behind it.
      if (u_pack.known_q) assert (u_pack.full_q && s_axis_tvalid_i && s_axis_tkeep_i[0]);
      if (u_pack.null_q) assert (u_pack.full_q && s_axis_tvalid_i && !s_axis_tkeep_i[0]);
      if (HOLD != 0 && some_q && !u_pack.full_q && u_pack.count_q == '0) begin
        assert (s_axis_tvalid_i && s_axis_tkeep_i[0]);
      end
    end
  end

  // States that must be reachable: the end of a packet of five bytes, and of an empty packet.
  always_comb begin : p_reached
    cover (rst_ni && word_valid && word_last && word_bytes == 3'd1 && given_q == 4'd4);
    cover (rst_ni && word_valid && word_last && taken_q == '0);
  end
endmodule
