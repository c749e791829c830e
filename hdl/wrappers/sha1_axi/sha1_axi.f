// SPDX-License-Identifier: Apache-2.0
// Written by tools/package_cores.py from sha1_axi.toml.
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
sha1_serial/rtl/sha1_serial_pkg.sv
sha1_serial/rtl/sha1_serial.sv
common/rtl/jm_sha_padding.sv
hmac_sha1/rtl/sha1_block_memory.sv
hmac_sha1/rtl/hmac_sha1.sv
common/rtl/jm_apb_key.sv
common/rtl/jm_axis_pack.sv
common/rtl/jm_word_split.sv
common/rtl/jm_axis_send.sv
wrappers/sha1_axi/rtl/sha1_serial_blocks.sv
wrappers/sha1_axi/rtl/sha1_axi.sv
