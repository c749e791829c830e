// SPDX-License-Identifier: Apache-2.0
//
// Sum of two words modulo 2^32.
//
// The carry ripples: the fewest gates, and at the clocks for which the core is meant there is time.
// A carry is written in two forms that take turns, as one cell makes each of the inverse of the
// carry before it.
module chaskey_adder (
  input  logic [31:0] a_i,
  input  logic [31:0] b_i,
  output logic [31:0] sum_o
);
  logic [31:0] carry, differ;

  assign differ = a_i ^ b_i;
  assign carry[0] = 1'b0;
  for (genvar i = 0; i < 31; i++) begin : gen_bit
    if (i % 2 == 0) begin : gen_and
      assign carry[i+1] = (a_i[i] & b_i[i]) | (differ[i] & carry[i]);
    end else begin : gen_or
      assign carry[i+1] = (a_i[i] | b_i[i]) & ~(differ[i] & ~carry[i]);
    end
  end
  assign sum_o = differ ^ carry;
endmodule
