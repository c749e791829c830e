// SPDX-License-Identifier: Apache-2.0
//
// A word of latches: open while `gate_i` is high, cleared while `rst_ni` is low.
//
// Mapping replaces this module by a latch with reset where the library has one.
//
// The instantiator sees to it that `gate_i` has no glitches and that `d_i` stands still while the
// gate closes. In the IHP library such a latch is 3.75 NAND2, a flip-flop 6.75. Not for FPGAs.
module jm_latch #(
  parameter int unsigned WIDTH = 8
) (
  input  logic             rst_ni,
  input  logic             gate_i,
  input  logic [WIDTH-1:0] d_i,
  output logic [WIDTH-1:0] q_o
);
  logic [WIDTH-1:0] held;

  always_latch begin
    if (!rst_ni) held = '0;
    else if (gate_i) held = d_i;
  end

  assign q_o = held;
endmodule
