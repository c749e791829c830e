# SPDX-License-Identifier: Apache-2.0
# Constraints of sha1_pipeline, about its ports. Times are in nanoseconds, if
# that is the library's unit. Set the period, and when your logic drives and needs the ports.
#
# All registers act when the clock rises, and no exception is needed.
set period 20
set late_input [expr {0.25 * $period}]
set early_output [expr {0.25 * $period}]

create_clock -name clk_i -period $period -waveform [list 0 [expr {$period / 2.0}]] \
  [get_ports clk_i]

# Reset may begin at any time; it ends as the inputs change, so that recovery is checked.
set_input_delay $late_input -clock clk_i [get_ports rst_ni]
set_input_delay $late_input -clock clk_i [get_ports { \
  wipe_i msg_valid_i msg_data_i[*] msg_bytes_i[*] msg_last_i msg_channel_i[*] \
  digest_ready_i \
}]
set_output_delay $early_output -clock clk_i [get_ports { \
  msg_ready_o digest_valid_o digest_o[*] digest_channel_o[*] \
}]
