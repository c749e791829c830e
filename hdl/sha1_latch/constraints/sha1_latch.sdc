# SPDX-License-Identifier: Apache-2.0
# Constraints of sha1_latch, about its ports. Times are in nanoseconds, if
# that is the library's unit. Set the period, and when your logic drives and needs the ports.
#
# Half of the latches are open in the clock's high half, half in its low half. Each is written in
# one of eight pulses, the halves of four clocks. A timing tool assumes that all pulses come at
# once: it then sees loops of open latches where pulses that never overlap cut them. Below, no latch
# borrows, which ends every path where a latch opens, and a path between latches has half a period,
# the time from one pulse to the next. That is safe, and gives away the time that latches could
# lend. To use that time, give each pulse (`phase_o` of sha1_latch_pulses) a generated clock of four
# periods.
#
# `digest_ready_i` holds back pulses of the low half, and must settle while the clock is high: its
# delay must be below half a period.
set period 100
set late_input [expr {0.25 * $period}]
set early_output [expr {0.25 * $period}]

create_clock -name clk_i -period $period -waveform [list 0 [expr {$period / 2.0}]] \
  [get_ports clk_i]

# Reset may begin at any time; it ends as the inputs change, so that recovery is checked.
set_input_delay $late_input -clock clk_i [get_ports rst_ni]
set_input_delay $late_input -clock clk_i [get_ports { \
  wipe_i data_i[*] data_valid_i last_i digest_ready_i \
}]
set_output_delay $early_output -clock clk_i [get_ports { \
  data_ready_o digest_o[*] digest_valid_o \
}]

# Clocks of latches are made by gates of the clock and registers.
set_clock_gating_check -setup 0 -hold 0
set_max_time_borrow 0 [get_clocks clk_i]
set_max_delay [expr {$period / 2.0}] \
  -from [all_registers -level_sensitive -clock_pins] \
  -to [all_registers -level_sensitive -data_pins]

# Normal operation. Leave this line out to time the shifting of scan chains.
set_case_analysis 0 [get_ports scan_enable_i]
