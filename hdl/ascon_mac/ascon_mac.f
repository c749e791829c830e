// SPDX-License-Identifier: Apache-2.0
// Written by tools/package_cores.py from ascon_mac.toml.
// Paths are from hdl/: start the tool there.
ascon_mac/rtl/ascon_pkg.sv
ascon_mac/rtl/ascon_pad.sv
ascon_mac/rtl/ascon_mac.sv
