// SPDX-License-Identifier: Apache-2.0
// Technology cells that Ibex instantiates and that its package leaves to each user.

module prim_buf #(parameter int Width = 1) (input logic [Width-1:0] in_i, output logic [Width-1:0] out_o);
  assign out_o = in_i;
endmodule

module prim_and2 #(parameter int Width = 1) (
  input logic [Width-1:0] in0_i, input logic [Width-1:0] in1_i, output logic [Width-1:0] out_o
);
  assign out_o = in0_i & in1_i;
endmodule

module prim_flop #(parameter int Width = 1, parameter logic [Width-1:0] ResetValue = 0) (
  input logic clk_i, input logic rst_ni, input logic [Width-1:0] d_i, output logic [Width-1:0] q_o
);
  always_ff @(posedge clk_i or negedge rst_ni) q_o <= rst_ni ? d_i : ResetValue;
endmodule

module prim_clock_gating (input logic clk_i, input logic en_i, input logic test_en_i, output logic clk_o);
  logic enabled;
  always_latch if (!clk_i) enabled = en_i | test_en_i;
  assign clk_o = enabled & clk_i;
endmodule

module prim_clock_mux2 #(parameter bit NoFpgaBufG = 0) (
  input logic clk0_i, input logic clk1_i, input logic sel_i, output logic clk_o
);
  assign clk_o = sel_i ? clk1_i : clk0_i;
endmodule
