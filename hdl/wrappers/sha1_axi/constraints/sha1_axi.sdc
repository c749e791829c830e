# SPDX-License-Identifier: Apache-2.0
# Constraints of sha1_axi, about its ports. Times are in nanoseconds, if
# that is the library's unit. Set the period, and when your logic drives and needs the ports.
#
# With CORE 1 half of the core's latches are open in the clock's high half, half in its low one. Each
# is written in one of eight pulses, which a timing tool takes to come all at once. Below, no latch
# borrows, which ends every path where a latch opens, and a path between latches has half a period:
# see the constraints of sha1_latch. With CORE 0 there are no latches, and a period of 50 will do.
set period 100
set late_input [expr {0.25 * $period}]
set early_output [expr {0.25 * $period}]

create_clock -name clk_i -period $period -waveform [list 0 [expr {$period / 2.0}]] \
  [get_ports clk_i]

# Reset may begin at any time; it ends as the inputs change, so that recovery is checked.
set_input_delay $late_input -clock clk_i [get_ports rst_ni]
set_input_delay $late_input -clock clk_i [get_ports { \
  wipe_i s_axis_tvalid_i s_axis_tdata_i[*] s_axis_tkeep_i[*] s_axis_tlast_i m_axis_tready_i \
}]
set_output_delay $early_output -clock clk_i [get_ports { \
  s_axis_tready_o m_axis_tvalid_o m_axis_tdata_o[*] m_axis_tkeep_o[*] m_axis_tlast_o \
  m_axis_tuser_o \
}]

# Clocks of latches are made by gates of the clock and registers.
set_clock_gating_check -setup 0 -hold 0
set_max_time_borrow 0 [get_clocks clk_i]
set_max_delay [expr {$period / 2.0}] \
  -from [all_registers -level_sensitive -clock_pins] \
  -to [all_registers -level_sensitive -data_pins]

# Normal operation. Leave this line out to time the shifting of scan chains.
set_case_analysis 0 [get_ports scan_enable_i]
