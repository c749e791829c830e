// SPDX-License-Identifier: Apache-2.0
// Written by tools/package_cores.py from aes128_axi.toml.
// Paths are from hdl/: start the tool there.
common/rtl/jm_aes_pkg.sv
common/rtl/jm_aes_sbox_tower.sv
common/rtl/jm_aes_sbox_onehot.sv
common/rtl/jm_aes_sbox.sv
aes128_serial/rtl/aes128_serial_registers.sv
aes128_serial/rtl/aes128_serial.sv
common/rtl/jm_clock_gate.sv
common/rtl/jm_latch.sv
aes128_latch/rtl/aes128_latch_pkg.sv
aes128_latch/rtl/aes128_latch_control.sv
aes128_latch/rtl/aes128_latch_bytes.sv
aes128_latch/rtl/aes128_latch_mix.sv
aes128_latch/rtl/aes128_latch.sv
aes128_round/rtl/aes128_round.sv
common/rtl/jm_apb_key.sv
common/rtl/jm_axis_pack.sv
common/rtl/jm_word_split.sv
common/rtl/jm_axis_send.sv
wrappers/aes128_axi/rtl/aes128_axi.sv
