// SPDX-License-Identifier: Apache-2.0
//
// Padding of a message's last block: one bit 1 after its last byte, then zeros.
//
// Combinational. A block of 32 bytes stays unchanged: its padding is a separate block.
module ascon_pad (
  input  logic [255:0] data_i,   // first byte in bits [255:248]
  input  logic [5:0]   bytes_i,  // 0 to 32
  input  logic         last_i,   // low: all 32 bytes are message
  output logic [255:0] block_o
);
  always_comb begin : p_pad
    block_o = data_i;
    for (int unsigned index = 0; index < 32; index++) begin
      if (last_i && bytes_i <= 6'(index)) begin
        block_o[255 - 8*index -: 8] = (bytes_i == 6'(index)) ? 8'h80 : 8'h00;
      end
    end
  end
endmodule
