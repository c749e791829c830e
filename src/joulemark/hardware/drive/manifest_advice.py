# SPDX-License-Identifier: Apache-2.0
"""Clocks that a manifest promises, and entries of it that may make the core hang or err."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from joulemark.hardware.core.manifest import Core
from joulemark.hardware.tools import verilator

__all__ = ["PULSED", "advice", "longest_clocks", "promised_clocks", "protocol_of"]

_LONGEST_CLOCKS = 100_000
"""Clocks without a word in or out after which a core hangs if its manifest promises nothing."""
_LEAST_CLOCKS, _TIMES_PROMISED = 1000, 64
"""The same if it promises clocks: a fixed part, and a multiple of the promise."""
PULSED = ("init_next", "start_done")
"""Protocols whose cores begin on a pulse."""


def longest_clocks(core: Core, parameters: Mapping[str, int]) -> int:
    """Clocks without a word in or out after which a core hangs.

    The manifest's own number, else many times what it promises for these parameters.
    """
    if core.workload.longest_clocks is not None:
        return core.workload.longest_clocks
    promised = promised_clocks(core, parameters)
    return _LEAST_CLOCKS + _TIMES_PROMISED * promised if promised else _LONGEST_CLOCKS


def promised_clocks(core: Core, parameters: Mapping[str, int]) -> int | None:
    """The largest number of clocks that the manifest promises for these parameters."""
    promised = core.promised(parameters)
    if promised is None:
        return None
    return max(filter(None, (promised.clocks_per_block, promised.latency_clocks)), default=None)


def protocol_of(core: Core) -> str | None:
    """Protocol that the manifest's table names; None if a Python file drives the core."""
    return None if isinstance(core.adapter, str) else core.adapter.get("protocol")


def advice(core: Core, program: Path, *, hung_after: int | None = None) -> str:
    """Sentence parts about entries of the manifest's table that may make a core hang or err.

    Empty if no entry is suspect.

    Args:
        core: the core.
        program: its simulation, beside which Verilator wrote down its ports.
        hung_after: number of results before the core hung; None for a wrong result.
    """
    if isinstance(core.adapter, str):
        return ""
    ports, idle = core.adapter.get("ports", {}), core.adapter.get("idle", {})
    known = {core.clock, core.reset, *ports.values(), *idle}
    spare = [input_port for input_port in verilator.input_ports(program) if input_port not in known]
    said = ""
    if spare:
        said += (
            f"; inputs without a role stay 0: {', '.join(spare)}; "
            f"idle = {{ {spare[0]} = 1 }} in [adapter] would give one a value"
        )
    protocol = protocol_of(core)
    if protocol == "start_done" and hung_after != 0 and core.adapter.get("start_with_done", True):
        said += "; a core that takes no start in the clock of done needs start_with_done = false"
    late = hung_after is None and not core.adapter.get("settle_clocks")
    if protocol in PULSED and late:
        said += "; a core that keeps its inputs in a register first needs settle_clocks = 1"
    return said
