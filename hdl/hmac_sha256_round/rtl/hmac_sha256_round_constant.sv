// SPDX-License-Identifier: Apache-2.0
//
// SHA-256's constant of the round before a round. `index_i` is one more than the constant's, modulo
// 64, in Gray code.
module hmac_sha256_round_constant (
  input  logic [5:0]  index_i,
  output logic [31:0] constant_o
);
  // Each bit is a table of 64 values, which mapping makes small by itself.
  for (genvar b = 0; b < 32; b++) begin : gen_bit
    logic [63:0] column;
    for (genvar i = 0; i < 64; i++) begin : gen_round
      assign column[i ^ (i >> 1)] = jm_sha256_pkg::RoundConstants[32*((64-i)%64)+b];
    end
    assign constant_o[b] = column[index_i];
  end
endmodule
