// SPDX-License-Identifier: Apache-2.0
// Written by tools/package_cores.py from chaskey_axi.toml.
// Paths are from hdl/: start the tool there.
common/rtl/jm_clock_gate.sv
common/rtl/jm_latch.sv
chaskey/rtl/chaskey_adder.sv
chaskey/rtl/chaskey_state.sv
chaskey/rtl/chaskey_key.sv
chaskey/rtl/chaskey.sv
common/rtl/jm_apb_key.sv
common/rtl/jm_axis_pack.sv
common/rtl/jm_word_split.sv
common/rtl/jm_axis_send.sv
wrappers/chaskey_axi/rtl/chaskey_axi.sv
