// SPDX-License-Identifier: Apache-2.0
//
// A clock that stands still in periods that begin with `enable_i` low.
//
// The enable is held in a latch that is open while the clock is low, so that a change of the
// enable can neither cut a pulse short nor make one. Mapping replaces this module by the
// integrated clock gate of the cell library. On FPGAs use clock enables instead.
//
// `scan_enable_i` lets every pulse through, for shifting scan chains; else it is 0. Mapping takes
// the library's gate with a test pin, or a gate without this pin where the core ties
// `scan_enable_i` to 0.
//
// Moments: `enable_i` and `scan_enable_i` must have settled when `clk_i` rises, as the input of a
// flip-flop must.
module jm_clock_gate (
  input  logic clk_i,
  input  logic enable_i,
  input  logic scan_enable_i,
  output logic clk_o
);
  logic enable_held;

  // Open while the clock is low.
  always_latch begin
    if (!clk_i) enable_held = enable_i | scan_enable_i;
  end

  assign clk_o = clk_i & enable_held;
endmodule
