// SPDX-License-Identifier: Apache-2.0
// Written by tools/package_cores.py from sha1_latch.toml.
// Paths are from hdl/: start the tool there.
common/rtl/jm_clock_gate.sv
common/rtl/jm_latch.sv
sha1_latch/rtl/sha1_latch_pkg.sv
sha1_latch/rtl/sha1_latch_row.sv
sha1_latch/rtl/sha1_latch_line.sv
sha1_latch/rtl/sha1_latch_pulses.sv
sha1_latch/rtl/sha1_latch_message.sv
sha1_latch/rtl/sha1_latch_taps.sv
sha1_latch/rtl/sha1_latch_add.sv
sha1_latch/rtl/sha1_latch_chain.sv
sha1_latch/rtl/sha1_latch_control.sv
sha1_latch/rtl/sha1_latch.sv
