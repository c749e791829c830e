// SPDX-License-Identifier: Apache-2.0
//
// The AES S-box as decoder, wires and encoder. One of 256 lines is high, before and after the
// permutation, so a look-up changes two lines and little else: low energy, few glitches.
//
// `open_i` may rise when `a_i` has settled; then one line rises and nothing glitches.
//
// The encoder works on the nibbles: 16 lines each for the high and the low half of the result.
// Source of the idea: Bertoni, Macchetti, Negri, Fragneto, "Power-efficient ASIC synthesis of
// cryptographic sboxes" (GLSVLSI 2004).
module jm_aes_sbox_onehot (
  input  logic [7:0] a_i,
  input  logic       open_i,  // low: no line is high and the result is 0
  output logic [7:0] q_o
);
  localparam logic [255:0][7:0] Table = jm_aes_pkg::sbox_table();

  logic [15:0] high_in, low_in, high_out, low_out;
  logic [255:0] line;  // by the value of the result

  always_comb begin
    for (int unsigned i = 0; i < 16; i++) begin
      high_in[i] = a_i[7:4] == 4'(i) && open_i;
      low_in[i] = a_i[3:0] == 4'(i);
    end
  end

  for (genvar value = 0; value < 256; value++) begin : gen_line
    assign line[Table[value]] = high_in[value/16] & low_in[value%16];
  end

  always_comb begin
    high_out = '0;
    low_out = '0;
    for (int unsigned value = 0; value < 256; value++) begin
      high_out[value/16] |= line[value];
      low_out[value%16] |= line[value];
    end
    q_o = '0;
    for (int unsigned i = 0; i < 16; i++) begin
      q_o[7:4] |= 4'(i) & {4{high_out[i]}};
      q_o[3:0] |= 4'(i) & {4{low_out[i]}};
    end
  end
endmodule
