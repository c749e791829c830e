# SPDX-License-Identifier: Apache-2.0
# Constraints of hmac_sha256_round, about its ports. Times are in nanoseconds, if
# that is the library's unit. Set the period, and when your logic drives and needs the ports.
#
# The latches of chaining values and of the schedule are open while the clock is low, by registers
# that must have settled when the clock falls; so the duty cycle counts. Keep the two halves
# equal, or give the true waveform.
set period 50
set late_input [expr {0.25 * $period}]
set early_output [expr {0.25 * $period}]

create_clock -name clk_i -period $period -waveform [list 0 [expr {$period / 2.0}]] \
  [get_ports clk_i]

# Reset may begin at any time; it ends as the inputs change, so that recovery is checked.
set_input_delay $late_input -clock clk_i [get_ports rst_ni]
set_input_delay $late_input -clock clk_i [get_ports { \
  wipe_i key_valid_i key_i[*] data_valid_i data_i[*] data_bytes_i[*] data_last_i \
  digest_ready_i \
}]
set_output_delay $early_output -clock clk_i [get_ports { \
  key_ready_o data_ready_o digest_o[*] digest_valid_o \
}]

# The clocks of the latches are made by gates of the clock and registers.
set_clock_gating_check -setup 0 -hold 0
