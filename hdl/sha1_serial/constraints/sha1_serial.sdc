# SPDX-License-Identifier: Apache-2.0
# Constraints of sha1_serial, about its ports. Times are in nanoseconds, if
# that is the library's unit. Set the period, and when your logic drives and needs the ports.
#
# All registers act when the clock rises, and no exception is needed. The outside memory has the
# rest of a period, between its address and its data.
set period 50
set late_input [expr {0.25 * $period}]
set early_output [expr {0.25 * $period}]

create_clock -name clk_i -period $period -waveform [list 0 [expr {$period / 2.0}]] \
  [get_ports clk_i]

# Reset may begin at any time; it ends as the inputs change, so that recovery is checked.
set_input_delay $late_input -clock clk_i [get_ports rst_ni]
set_input_delay $late_input -clock clk_i [get_ports { \
  start_valid_i last_i feed_forward_i load_valid_i load_data_i[*] wipe_i memory_data_i[*] \
  digest_ready_i \
}]
set_output_delay $early_output -clock clk_i [get_ports { \
  start_ready_o load_ready_o memory_address_o[*] memory_write_o memory_data_o[*] \
  digest_o[*] digest_valid_o \
}]
