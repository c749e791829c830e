# SPDX-License-Identifier: Apache-2.0
"""Simulations of cores that several tests run: compiled once for each source and parameters."""

from __future__ import annotations

import fcntl
import hashlib
from collections.abc import Mapping
from pathlib import Path

import pytest

from joulemark.hardware.core.manifest import Core
from joulemark.hardware.drive import driving, vector_run, workload

__all__ = ["keep_programs"]

_COMPILED = driving.compiled


def keep_programs(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on a core whose sources and parameters were compiled before is not again."""

    def compiled(core: Core, parameters: Mapping[str, int], _folder: Path) -> Path:
        facts = [core.top, str(sorted(parameters.items()))]
        facts += [path.read_text("utf-8") for path in core.source_paths()]
        digest = hashlib.sha256("\0".join(facts).encode()).hexdigest()[:16]
        place = folder / digest
        place.mkdir(parents=True, exist_ok=True)
        done = place / "done"
        with (place / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not done.exists():
                _COMPILED(core, parameters, place)
                done.touch()
        return place / "verilator" / core.top

    for module in (driving, vector_run, workload):
        monkeypatch.setattr(module, "compiled", compiled)
