// SPDX-License-Identifier: Apache-2.0
// Written by tools/package_cores.py from ascon_mac_axi.toml.
// Paths are from hdl/: start the tool there.
ascon_mac/rtl/ascon_pkg.sv
ascon_mac/rtl/ascon_pad.sv
ascon_mac/rtl/ascon_mac.sv
common/rtl/jm_apb_key.sv
common/rtl/jm_axis_pack.sv
common/rtl/jm_word_split.sv
common/rtl/jm_axis_send.sv
wrappers/ascon_mac_axi/rtl/ascon_mac_axi.sv
