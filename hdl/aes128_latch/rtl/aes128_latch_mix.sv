// SPDX-License-Identifier: Apache-2.0
//
// MixColumns of one column; while `mix_i` is low, the column unchanged.
//
// Written as b + 2(b + b') + (b + b') + (b'' + b'''): with the sums of neighbours held at 0 the
// column passes, and most of the network stands still until all four bytes are there.
// Source: FIPS 197 section 5.1.3.
module aes128_latch_mix (
  input  logic            mix_i,
  input  logic [3:0][7:0] column_i,
  output logic [3:0][7:0] column_o
);
  logic [3:0][7:0] sum;  // of a byte and the next byte
  logic [7:0] total;

  always_comb begin
    for (int unsigned r = 0; r < 4; r++) begin
      sum[r] = (column_i[r] ^ column_i[(r+1) % 4]) & {8{mix_i}};
    end
    total = sum[0] ^ sum[2];
    for (int unsigned r = 0; r < 4; r++) begin
      column_o[r] = column_i[r] ^ jm_aes_pkg::times_two(sum[r]) ^ total;
    end
  end
endmodule
