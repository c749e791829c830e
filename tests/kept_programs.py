# SPDX-License-Identifier: Apache-2.0
"""Simulations of cores that several tests run: compiled once for each source and parameters."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

import pytest

from joulemark.hardware.flow import testing
from joulemark.hardware.manifest import Core
from joulemark.hardware.simulation import driving, verilator, workload
from made_once import made_once

__all__ = ["keep_programs", "kept_program"]

_COMPILED = driving.compile_core
_AS_COMPILED = ("-CFLAGS", "-O1", "--output-split", "0")
"""With all modules in one file, compiling takes less work, if not less time on many CPUs."""
_SEEN = ("aes128_cmac", "aes128_round", "aes128_serial", "ascon_mac", "hmac_sha1", "sha1_latch")
"""Cores of `hdl/` whose cocotb modules `make test` runs with parameters that other tests use."""
_TOP_SEEN = ("aes128_cmac", "sha1_latch")
"""Cores whose cocotb modules look at the top module alone, which compiles sooner."""


def kept_program(
    folder: Path, core: Core, parameters: Mapping[str, int], *, seen: bool = True
) -> Path:
    """The simulation of a core with these parameters, compiled by the test that is first to ask.

    If registers are `seen`, as cocotb modules of cores need, they are seen in all modules that the
    cocotb modules look at.
    """
    facts = [core.top, str(sorted(parameters.items())), str(seen)]
    facts += [path.read_text("utf-8") for path in core.source_paths()]
    digest = hashlib.sha256("\0".join(facts).encode()).hexdigest()[:16]

    def make(place: Path) -> None:
        if seen:
            verilator.build(
                core, parameters, place / "verilator", extra=_AS_COMPILED,
                visible=() if core.name in _TOP_SEEN else verilator.modules_with_state(core),
            )  # fmt: skip
        else:
            _COMPILED(core, parameters, place)

    return made_once(folder / digest, make) / "verilator" / core.top


def keep_programs(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on each core is compiled only once with the same sources and parameters."""

    def compile_core(core: Core, parameters: Mapping[str, int], _folder: Path) -> Path:
        return kept_program(folder, core, parameters, seen=core.name in _SEEN)

    for module in (driving, testing, workload):
        monkeypatch.setattr(module, "compile_core", compile_core)
