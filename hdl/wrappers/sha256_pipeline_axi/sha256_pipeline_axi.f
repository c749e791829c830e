// SPDX-License-Identifier: Apache-2.0
// Written by tools/package_cores.py from sha256_pipeline_axi.toml.
// Paths are from hdl/: start the tool there.
common/rtl/jm_sha256_pkg.sv
sha256_pipeline/rtl/sha1_pkg.sv
sha256_pipeline/rtl/sha256_pkg.sv
sha256_pipeline/rtl/sha512_pkg.sv
sha256_pipeline/rtl/sha_hash_pkg.sv
sha256_pipeline/rtl/sha256_register_copies_ecp5.sv
sha256_pipeline/rtl/sha256_carry_cell_ecp5.sv
sha256_pipeline/rtl/sha256_adder_ecp5.sv
sha256_pipeline/rtl/sha256_adder.sv
sha256_pipeline/rtl/sha256_round.sv
sha256_pipeline/rtl/sha256_rounds.sv
sha256_pipeline/rtl/sha1_rounds.sv
sha256_pipeline/rtl/sha256_stage.sv
sha256_pipeline/rtl/sha256_schedule.sv
sha256_pipeline/rtl/sha256_schedule_moving.sv
sha256_pipeline/rtl/sha256_schedules.sv
sha256_pipeline/rtl/sha256_plain_engine.sv
sha256_pipeline/rtl/sha256_interleaved_stage.sv
sha256_pipeline/rtl/sha256_interleaved_schedule.sv
sha256_pipeline/rtl/sha256_interleaved_schedules.sv
sha256_pipeline/rtl/sha256_interleaved_engine.sv
sha256_pipeline/rtl/sha256_engine.sv
sha256_pipeline/rtl/sha256_pad.sv
sha256_pipeline/rtl/sha256_channels.sv
sha256_pipeline/rtl/sha256_pipeline.sv
common/rtl/jm_apb_key.sv
common/rtl/jm_axis_pack.sv
common/rtl/jm_word_split.sv
common/rtl/jm_axis_send.sv
wrappers/sha256_pipeline_axi/rtl/sha256_pipeline_axi.sv
