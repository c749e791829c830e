// SPDX-License-Identifier: Apache-2.0
//
// Splits a message's wide words into a core's narrower parts, each with its count of bytes.
//
// All parts are full, except the last part of a message's last word. No part comes behind that
// word's bytes. A last word without bytes gives one part without bytes.
//
// Moments: a word moves with its last part, and no clock is lost. `word_ready_o` depends on the
// word and on `part_ready_i`. After `wipe_i` the next part is the first of a word.
module jm_word_split #(
  parameter int unsigned WORD_BYTES = 8,  // a multiple of PART_BYTES
  parameter int unsigned PART_BYTES = 4,
  parameter int unsigned FIRST_HIGH = 0,  // 1: the first part is in the word's highest bits
  localparam int unsigned Parts = WORD_BYTES / PART_BYTES,
  localparam int unsigned WordBits = $clog2(WORD_BYTES + 1),
  localparam int unsigned PartBits = $clog2(PART_BYTES + 1)
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  input  logic                    wipe_i,

  input  logic                    word_valid_i,
  output logic                    word_ready_o,
  input  logic [8*WORD_BYTES-1:0] word_i,
  input  logic [WordBits-1:0]     word_bytes_i,  // WORD_BYTES, fewer only in the last word
  input  logic                    word_last_i,

  output logic                    part_valid_o,
  input  logic                    part_ready_i,
  output logic [8*PART_BYTES-1:0] part_o,
  output logic [PartBits-1:0]     part_bytes_o,
  output logic                    part_last_o
);
  if (Parts == 1) begin : gen_same
    logic unused;
    assign unused = ^{clk_i, rst_ni, wipe_i};
    assign word_ready_o = part_ready_i;
    assign part_valid_o = word_valid_i;
    assign part_o = word_i;
    assign part_bytes_o = word_bytes_i;
    assign part_last_o = word_last_i;
  end else begin : gen_parts
    localparam int unsigned CountBits = $clog2(Parts);

    logic [CountBits-1:0] count_q, place;
    logic [WordBits-1:0] left;  // bytes of the word that are not handed over
    logic ends;

    assign left = word_bytes_i - WordBits'(count_q) * WordBits'(PART_BYTES);
    assign ends = left <= WordBits'(PART_BYTES);
    assign place = (FIRST_HIGH != 0) ? CountBits'(Parts - 1) - count_q : count_q;
    assign part_valid_o = word_valid_i;
    assign word_ready_o = part_ready_i && ends;
    assign part_o = word_i[8*PART_BYTES*place+:8*PART_BYTES];
    assign part_bytes_o = ends ? PartBits'(left) : PartBits'(PART_BYTES);
    assign part_last_o = word_last_i && ends;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) count_q <= '0;
      else if (wipe_i) count_q <= '0;
      else if (part_valid_o && part_ready_i) count_q <= ends ? '0 : count_q + CountBits'(1);
    end
  end
endmodule
