// SPDX-License-Identifier: Apache-2.0
//
// Sixteen bytes in flip-flops, one writing and one reading port, and a second reading port for
// column 0 (bytes 0 to 3). Byte 4c + r is row r of column c.
//
// Each byte has its own enable, from which mapping makes its clock gate. `read_data_o` is 0 while
// `read_i` is low.
module aes128_serial_registers (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       write_i,
  input  logic [3:0] write_index_i,
  input  logic [7:0] write_data_i,
  input  logic       read_i,
  input  logic [3:0] read_index_i,
  output logic [7:0] read_data_o,
  input  logic [1:0] first_row_i,
  output logic [7:0] first_data_o
);
  logic [15:0][7:0] bytes_q;

  for (genvar i = 0; i < 16; i++) begin : gen_byte
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) bytes_q[i] <= '0;
      else if (write_i && write_index_i == 4'(i)) bytes_q[i] <= write_data_i;
    end
  end

  always_comb begin
    read_data_o = '0;
    for (int unsigned i = 0; i < 16; i++) begin
      read_data_o |= bytes_q[i] & {8{read_i && read_index_i == 4'(i)}};
    end
    first_data_o = bytes_q[{2'b00, first_row_i}];
  end
endmodule
