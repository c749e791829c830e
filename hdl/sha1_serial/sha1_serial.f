// SPDX-License-Identifier: Apache-2.0
// Written by tools/package_cores.py from sha1_serial.toml.
// Paths are from hdl/: start the tool there.
sha1_serial/rtl/sha1_serial_pkg.sv
sha1_serial/rtl/sha1_serial.sv
