// SPDX-License-Identifier: Apache-2.0
//
// Adds to a word another word, or a bitwise function of three words: sums that one carry chain of
// an ECP5 computes without a lookup table beside it. Combinational.
//   FUNCTION  0: x + b        1: x + Ch(b, c, d)      2: x + Maj(b, c, d)
// TECHNOLOGY=1 takes the carry cells of the Lattice ECP5, 0 is portable; both give the same sums.
module sha256_adder
  import sha256_pkg::*;
#(
  parameter int unsigned FUNCTION = 0,
  parameter int unsigned TECHNOLOGY = 0
) (
  input  word_t x_i,
  input  word_t b_i,
  input  word_t c_i,
  input  word_t d_i,
  output word_t sum_o
);

  if (TECHNOLOGY == 1) begin : gen_ecp5
    sha256_adder_ecp5 #(
      .FUNCTION(FUNCTION)
    ) u_adder (
      .x_i, .b_i, .c_i, .d_i, .sum_o
    );
  end else if (FUNCTION == 1) begin : gen_choose
    assign sum_o = x_i + choose(b_i, c_i, d_i);
  end else if (FUNCTION == 2) begin : gen_majority
    assign sum_o = x_i + majority(b_i, c_i, d_i);
  end else begin : gen_plus
    assign sum_o = x_i + b_i;
    logic unused;
    assign unused = ^{c_i, d_i};
  end

endmodule
