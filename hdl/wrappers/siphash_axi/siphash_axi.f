// SPDX-License-Identifier: Apache-2.0
// Written by tools/package_cores.py from siphash_axi.toml.
// Paths are from hdl/: start the tool there.
siphash/rtl/siphash_pkg.sv
siphash/rtl/siphash.sv
common/rtl/jm_apb_key.sv
common/rtl/jm_axis_pack.sv
common/rtl/jm_word_split.sv
common/rtl/jm_axis_send.sv
wrappers/siphash_axi/rtl/siphash_axi.sv
