// SPDX-License-Identifier: Apache-2.0
// Written by tools/package_cores.py from the sources' folder.
// Paths are from hdl/: start the tool there.
common/rtl/jm_aes_pkg.sv
common/rtl/jm_sha256_pkg.sv
common/rtl/jm_aes_sbox.sv
common/rtl/jm_aes_sbox_onehot.sv
common/rtl/jm_aes_sbox_tower.sv
common/rtl/jm_apb_key.sv
common/rtl/jm_axis_pack.sv
common/rtl/jm_axis_send.sv
common/rtl/jm_clock_gate.sv
common/rtl/jm_latch.sv
common/rtl/jm_sha_padding.sv
common/rtl/jm_word_split.sv
