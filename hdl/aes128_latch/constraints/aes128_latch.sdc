# SPDX-License-Identifier: Apache-2.0
# Constraints of aes128_latch, about its ports. Times are in nanoseconds, if
# that is the library's unit. Set the period, and when your logic drives and needs the ports.
#
# Two phases: flip-flops change when the clock rises, latches that are written are open while it is
# low. A path from a flip-flop to a latch has half a period, and may borrow time of the other half
# while the latch is open, so the duty cycle counts: keep the two halves equal, or give the true
# waveform.
set period 50
set late_input [expr {0.25 * $period}]
set early_output [expr {0.25 * $period}]

create_clock -name clk_i -period $period -waveform [list 0 [expr {$period / 2.0}]] \
  [get_ports clk_i]

# Reset may begin at any time; it ends as the inputs change, so that recovery is checked.
set_input_delay $late_input -clock clk_i [get_ports rst_ni]
set_input_delay $late_input -clock clk_i [get_ports { \
  wipe_i in_valid_i in_first_i in_data_i[*] in_key_i[*] out_ready_i \
}]
set_output_delay $early_output -clock clk_i [get_ports { \
  in_ready_o out_valid_o out_data_o[*] in_index_o[*] out_index_o[*] \
}]

# Clocks of latches are made by gates of the clock and registers.
set_clock_gating_check -setup 0 -hold 0

# Normal operation. Leave this line out to time the shifting of scan chains.
set_case_analysis 0 [get_ports scan_enable_i]
