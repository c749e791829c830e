// SPDX-License-Identifier: Apache-2.0
//
// The eight latch pulses of a round, one in every half of four clocks.
//
// Pulse 2*j fills the high half of a clock that begins with `start_i[j]` high, through a clock
// gate. Pulse 2*j+1 fills the low half of a clock in which `step_i[j]` is high: no gate with a
// latch is needed, because the clock itself hides every change of `step_i` in the high half.
//
// Moments: `start_i` settles before `clk_i` rises, as a flip-flop's input does. `step_i` settles
// before `clk_i` falls and holds until it rises.
module sha1_latch_pulses (
  input  logic       clk_i,
  input  logic       scan_enable_i,  // opens the clock gates
  input  logic [3:0] start_i,
  input  logic [3:0] step_i,
  output logic [7:0] phase_o
);
  for (genvar j = 0; j < 4; j++) begin : gen_quarter
    jm_clock_gate u_high (
      .clk_i,
      .scan_enable_i,
      .enable_i(start_i[j]),
      .clk_o   (phase_o[2*j])
    );
    assign phase_o[2*j+1] = ~clk_i & step_i[j];
  end
endmodule
