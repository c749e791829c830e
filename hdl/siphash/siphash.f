// SPDX-License-Identifier: Apache-2.0
// Written by tools/package_cores.py from siphash.toml.
// Paths are from hdl/: start the tool there.
siphash/rtl/siphash_pkg.sv
siphash/rtl/siphash.sv
