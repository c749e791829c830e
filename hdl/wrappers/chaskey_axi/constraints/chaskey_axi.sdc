# SPDX-License-Identifier: Apache-2.0
# Constraints of chaskey_axi, about its ports. Times are in nanoseconds, if
# that is the library's unit. Set the period, and when your logic drives and needs the ports.
#
# `prdata_o` and `pslverr_o` follow the APB inputs within the period.
# With LATCHES 1 the latches of the key are open while the clock is low: the duty cycle counts. Give
# the true waveform, or equal halves.
set period 20
set late_input [expr {0.25 * $period}]
set early_output [expr {0.25 * $period}]

create_clock -name clk_i -period $period -waveform [list 0 [expr {$period / 2.0}]] \
  [get_ports clk_i]

# Reset may begin at any time; it ends as the inputs change, so that recovery is checked.
set_input_delay $late_input -clock clk_i [get_ports rst_ni]
set_input_delay $late_input -clock clk_i [get_ports { \
  psel_i penable_i pwrite_i paddr_i[*] pwdata_i[*] pstrb_i[*] s_axis_tvalid_i \
  s_axis_tdata_i[*] s_axis_tkeep_i[*] s_axis_tlast_i m_axis_tready_i \
}]
set_output_delay $early_output -clock clk_i [get_ports { \
  pready_o prdata_o[*] pslverr_o s_axis_tready_o m_axis_tvalid_o m_axis_tdata_o[*] \
  m_axis_tkeep_o[*] m_axis_tlast_o m_axis_tuser_o \
}]

# The clock of the key's latches is made by a gate of the clock and registers.
set_clock_gating_check -setup 0 -hold 0
