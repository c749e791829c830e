# SPDX-License-Identifier: Apache-2.0
# Constraints of chaskey, about its ports. Times are in nanoseconds, if
# that is the library's unit. Set the period, and when your logic drives and needs the ports.
#
# With LATCHES 1 the latches of the key are open while the clock is low and `key_valid_i` is high,
# which must have settled when the clock falls; so the duty cycle counts. Keep the two halves equal,
# or give the true waveform.
set period 20
set late_input [expr {0.25 * $period}]
set early_output [expr {0.25 * $period}]

create_clock -name clk_i -period $period -waveform [list 0 [expr {$period / 2.0}]] \
  [get_ports clk_i]

# Reset may begin at any time; it ends as the inputs change, so that recovery is checked.
set_input_delay $late_input -clock clk_i [get_ports rst_ni]
set_input_delay $late_input -clock clk_i [get_ports { \
  wipe_i key_valid_i key_i[*] msg_valid_i msg_data_i[*] msg_bytes_i[*] msg_last_i \
  tag_ready_i \
}]
set_output_delay $early_output -clock clk_i [get_ports { \
  key_ready_o msg_ready_o tag_valid_o tag_o[*] \
}]

# The clock of the key's latches is made by a gate of the clock, `key_valid_i` and registers.
set_clock_gating_check -setup 0 -hold 0
