// SPDX-License-Identifier: Apache-2.0
//
// The outside memory of sha1_serial: 16 words, one port, read data in the clock after the address.
//
// Clock: `clk_i`. The words have no reset: the module that owns the memory overwrites them.
module sha1_block_memory (
  input  logic        clk_i,
  input  logic [3:0]  address_i,
  input  logic        write_i,
  input  logic [31:0] data_i,
  output logic [31:0] data_o
);
  logic [31:0] words [16];

  always_ff @(posedge clk_i) begin
    if (write_i) words[address_i] <= data_i;
    else data_o <= words[address_i];
  end
endmodule
