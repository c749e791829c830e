// SPDX-License-Identifier: Apache-2.0
//
// Latches that are transparent while `gate_i` is high and hold while it is low.
//
// Moments: `d_i` must be stable from before `gate_i` falls until after. This module is in a loop of
// latches, which pulses that never overlap cut at every moment; so the warning UNOPTFLAT is off
// here.
/* verilator lint_off UNOPTFLAT */
module sha1_latch_row #(
  parameter int unsigned WIDTH = 8
) (
  input  logic             gate_i,
  input  logic [WIDTH-1:0] d_i,
  output logic [WIDTH-1:0] q_o
);
  // This block is reported when the module is inlined, although a low gate leaves q_o unchanged.
  /* verilator lint_off NOLATCH */
  always_latch begin
    if (gate_i) q_o = d_i;
  end
  /* verilator lint_on NOLATCH */
endmodule
/* verilator lint_on UNOPTFLAT */
