// SPDX-License-Identifier: Apache-2.0
// Written by tools/package_cores.py from aes128_latch.toml.
// Paths are from hdl/: start the tool there.
common/rtl/jm_aes_pkg.sv
common/rtl/jm_aes_sbox_tower.sv
common/rtl/jm_aes_sbox_onehot.sv
common/rtl/jm_aes_sbox.sv
common/rtl/jm_clock_gate.sv
common/rtl/jm_latch.sv
aes128_latch/rtl/aes128_latch_pkg.sv
aes128_latch/rtl/aes128_latch_control.sv
aes128_latch/rtl/aes128_latch_bytes.sv
aes128_latch/rtl/aes128_latch_mix.sv
aes128_latch/rtl/aes128_latch.sv
