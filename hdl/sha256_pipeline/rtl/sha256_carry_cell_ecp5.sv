// SPDX-License-Identifier: Apache-2.0
//
// Two bits of a carry chain of the Lattice ECP5: the cell itself for synthesis, its equations for
// simulation (those of the ECP5 family's carry mode, equal to Yosys' model of CCU2C without
// INJECT1).
module sha256_carry_cell_ecp5 #(
  parameter logic [15:0] PROPAGATE = 16'h66AA
) (
  input  logic carry_i,
  input  logic [1:0] a_i,
  input  logic [1:0] b_i,
  input  logic [1:0] c_i,
  input  logic [1:0] d_i,
  output logic [1:0] sum_o,
  output logic carry_o
);

`ifdef SYNTHESIS
  CCU2C #(
    .INIT0(PROPAGATE),
    .INIT1(PROPAGATE),
    .INJECT1_0("NO"),
    .INJECT1_1("NO")
  ) u_cell (
    .CIN(carry_i),
    .A0(a_i[0]), .B0(b_i[0]), .C0(c_i[0]), .D0(d_i[0]),
    .A1(a_i[1]), .B1(b_i[1]), .C1(c_i[1]), .D1(d_i[1]),
    .S0(sum_o[0]), .S1(sum_o[1]),
    .COUT(carry_o)
  );
`else
  logic [2:0] carry;
  assign carry[0] = carry_i;
  for (genvar i = 0; i < 2; i++) begin : gen_bit
    logic propagate;
    assign propagate = PROPAGATE[{d_i[i], c_i[i], b_i[i], a_i[i]}];
    assign sum_o[i] = propagate ^ carry[i];
    assign carry[i+1] = propagate ? carry[i] : PROPAGATE[{2'b00, b_i[i], a_i[i]}];
  end
  assign carry_o = carry[2];
`endif

endmodule

`ifdef SYNTHESIS
// An empty declaration of the vendor's cell; a tool for the ECP5 has the cell itself.
(* blackbox *)
module CCU2C #(
  parameter logic [15:0] INIT0 = 16'h0000,
  parameter logic [15:0] INIT1 = 16'h0000,
  parameter INJECT1_0 = "YES",
  parameter INJECT1_1 = "YES"
) (
  input CIN, A0, B0, C0, D0, A1, B1, C1, D1,
  output S0, S1, COUT
);
endmodule
`endif
