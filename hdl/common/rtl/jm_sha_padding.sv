// SPDX-License-Identifier: Apache-2.0
//
// Makes SHA-1's padded blocks of a message (FIPS 180-4, section 5.1.1), word by word.
//
// A message is words of four bytes, first byte in the highest bits; the last word has 0 to 4 bytes,
// and an empty message is one word of 0 bytes. `prefix_i` is the number of blocks of 64 bytes, 0 or
// 1, that count in the length without being sent: 1 for HMAC's block of the key. Messages are
// shorter than 2**32 - 64 bytes.
//
// Clock: `clk_i`. No word is kept: the output is a function of the input and a few state bits.
module jm_sha_padding (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        wipe_i,
  input  logic        prefix_i,
  input  logic [31:0] data_i,
  input  logic [2:0]  bytes_i,
  input  logic        last_i,
  input  logic        valid_i,
  output logic        ready_o,
  // The padded words; `last_o` marks the last word of the message.
  output logic [31:0] word_o,
  output logic        last_o,
  output logic        valid_o,
  input  logic        ready_i
);
  typedef enum logic [1:0] {
    Data,
    Mark,
    Fill
  } state_e;

  state_e      state_q, state_d;
  logic [3:0]  index_q;
  logic [31:0] bytes_q, total;
  logic [5:0]  marked;
  // The length goes into this block, because the mark left room for it.
  logic        fits_q;
  logic        moves;

  assign valid_o = (state_q != Data) | valid_i;
  assign ready_o = (state_q == Data) & ready_i;
  assign moves   = valid_o & ready_i;
  assign total   = bytes_q + {25'd0, prefix_i, 6'd0};
  assign marked  = {bytes_i, 3'b000};
  assign last_o  = (state_q == Fill) & (index_q == 4'd15) & fits_q;

  always_comb begin
    state_d = state_q;
    word_o  = '0;
    unique case (state_q)
      Data: begin
        word_o = data_i;
        if (last_i) begin
          // Bytes beyond the last are cleared, and the mark replaces the first of them.
          word_o  = (data_i & ~(32'hFFFFFFFF >> marked)) | (32'h80000000 >> marked);
          state_d = (bytes_i == 3'd4) ? Mark : Fill;
        end
      end
      Mark: begin
        word_o  = 32'h80000000;
        state_d = Fill;
      end
      default: begin
        if (fits_q && index_q == 4'd14) word_o = {29'd0, total[31:29]};
        if (fits_q && index_q == 4'd15) word_o = {total[28:0], 3'd0};
        if (fits_q && index_q == 4'd15) state_d = Data;
      end
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= Data;
      index_q <= '0;
      bytes_q <= '0;
      fits_q  <= 1'b0;
    end else if (wipe_i) begin
      state_q <= Data;
      index_q <= '0;
      bytes_q <= '0;
      fits_q  <= 1'b0;
    end else if (moves) begin
      state_q <= state_d;
      index_q <= index_q + 4'd1;
      if (state_q == Data) bytes_q <= bytes_q + {29'd0, last_i ? bytes_i : 3'd4};
      if (last_o) bytes_q <= '0;
      if (state_q != Fill) fits_q <= (index_q != 4'd14);
      else if (index_q == 4'd15) fits_q <= 1'b1;
    end
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni && moves && state_q == Data) begin
      assert (bytes_i <= 3'd4) else $error("a word of more than four bytes");
    end
  end
`endif
endmodule
