// SPDX-License-Identifier: Apache-2.0
// Written by tools/package_cores.py from hmac_sha256_round.toml.
// Paths are from hdl/: start the tool there.
common/rtl/jm_sha256_pkg.sv
common/rtl/jm_clock_gate.sv
common/rtl/jm_latch.sv
common/rtl/jm_sha_padding.sv
hmac_sha256_round/rtl/hmac_sha256_round_pkg.sv
hmac_sha256_round/rtl/hmac_sha256_round_adder.sv
hmac_sha256_round/rtl/hmac_sha256_round_store.sv
hmac_sha256_round/rtl/hmac_sha256_round_schedule.sv
hmac_sha256_round/rtl/hmac_sha256_round_constant.sv
hmac_sha256_round/rtl/hmac_sha256_round_state.sv
hmac_sha256_round/rtl/hmac_sha256_round.sv
