# SPDX-License-Identifier: Apache-2.0
"""The counts in `catalogue/core_cycles` are those of the kernels of today.

They answer `joulemark budget` where a store has none, so that a kernel that became slower must not
keep its old count. `tools/core_cycles.py` writes them again.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from joulemark.firmware.build import every_implementation
from joulemark.firmware.firmware_counts import count
from joulemark.firmware.target import Target

Find = Callable[[str], Target]

QUICK = ("atmega128", "atmega328p", "cortex-m0plus", "cortex-m3", "cortex-m4", "msp430f1611")
BUILT = ("picorv32", "vexriscv", "vexriscv-min", "ibex", "serv")
"""Verilator makes these simulators, and they are slow."""
OWN = "firmware"
"""Key in `documents` of our own counts."""
CLOSE = 0.05
"""The lengths that a program lists move its code, and flash answers some places later."""
EACH = 24
"""Of so many counts `make test` looks at one, another one for each target."""


def own_counts(repository: Path, name: str) -> list[dict[str, str | int]]:
    """Counts of our kernels on a target."""
    facts = tomllib.loads((repository / f"catalogue/core_cycles/{name}.toml").read_text("utf-8"))
    found = facts["count"]
    return [entry for entry in found if entry.get("document", facts["document"]) == OWN]


def differing(target: Target, entries: list[dict[str, str | int]]) -> list[str]:
    """The counts that a simulation does not give."""
    wrong = []
    kernels = every_implementation()
    for entry in entries:
        name, size = f"{entry['algorithm']}/{entry['variant']}", int(entry["message_bytes"])
        found = count(target, kernels[name], [size]).counts[size].core_cycles
        if abs(found / int(entry["core_cycles"]) - 1) > CLOSE:
            wrong.append(f"{name} at {size}: {entry['core_cycles']}, and {found} today")
    return wrong


@pytest.mark.parametrize("name", QUICK)
def test_some_counts_are_those_of_today(runnable: Find, repository: Path, name: str) -> None:
    """One count in twenty-four, begun at another place for each target."""
    entries = own_counts(repository, name)
    assert len(entries) > EACH
    assert differing(runnable(f"mcu:{name}"), entries[QUICK.index(name) :: EACH]) == []


@pytest.mark.exhaustive
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", [*QUICK, *BUILT])
def test_all_counts_are_those_of_today(runnable: Find, repository: Path, name: str) -> None:
    """Every count of our kernels on every target."""
    assert differing(runnable(f"mcu:{name}"), own_counts(repository, name)) == []
