// SPDX-License-Identifier: Apache-2.0
//
// Sixteen bytes of latches with one reading port, addressed by one-hot lines.
//
// Byte 4c + r takes `data_i[r]` while line 4c + r of `gate_i` is high. `data_o` is 0 while no line
// of `read_i` is high, so an unused port does not toggle. The bytes are cleared while `rst_ni` is
// low.
module aes128_latch_bytes (
  input  logic            rst_ni,
  input  logic [15:0]     gate_i,
  input  logic [3:0][7:0] data_i,
  input  logic [15:0]     read_i,
  output logic [7:0]      data_o
);
  logic [15:0][7:0] bytes_q;

  for (genvar i = 0; i < 16; i++) begin : gen_byte
    jm_latch #(.WIDTH(8)) u_byte (
      .rst_ni, .gate_i(gate_i[i]), .d_i(data_i[i%4]), .q_o(bytes_q[i])
    );
  end

  always_comb begin
    data_o = '0;
    for (int unsigned i = 0; i < 16; i++) data_o |= bytes_q[i] & {8{read_i[i]}};
  end

`ifndef SYNTHESIS
  always_comb begin
    if (rst_ni) begin
      assert ($onehot0(read_i));
      assert ((gate_i & read_i) == '0);  // otherwise the byte could feed itself
    end
  end
`endif
endmodule
