// SPDX-License-Identifier: Apache-2.0
// Written by tools/package_cores.py from hmac_sha1.toml.
// Paths are from hdl/: start the tool there.
sha1_serial/rtl/sha1_serial_pkg.sv
sha1_serial/rtl/sha1_serial.sv
common/rtl/jm_sha_padding.sv
hmac_sha1/rtl/sha1_block_memory.sv
hmac_sha1/rtl/hmac_sha1.sv
