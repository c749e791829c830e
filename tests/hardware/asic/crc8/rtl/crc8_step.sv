// SPDX-License-Identifier: Apache-2.0
//
// One byte of a CRC-8, most significant bit first. Combinational.
module crc8_step #(
  parameter int unsigned POLYNOMIAL = 7
) (
  input  logic [7:0] crc_i,
  input  logic [7:0] byte_i,
  output logic [7:0] crc_o
);
  always_comb begin
    crc_o = crc_i ^ byte_i;
    for (int i = 0; i < 8; i++) begin
      crc_o = (crc_o << 1) ^ (crc_o[7] ? 8'(POLYNOMIAL) : 8'h0);
    end
  end
endmodule
