# SPDX-License-Identifier: Apache-2.0
"""Clocks that a manifest promises, and entries of it that may make the core hang or err."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from joulemark.hardware.core.manifest import Core
from joulemark.hardware.tools import verilator

_LONGEST_CLOCKS = 100_000
"""Clocks without a word in or out after which a core hangs if its manifest promises nothing."""
_LEAST_CLOCKS, _TIMES_PROMISED = 1000, 64
"""The same if it promises clocks: a fixed part, and a multiple of the promise."""
PULSED = ("init_next", "start_done")
"""Protocols whose cores begin on a pulse."""
_KEY_PULSE: Final = re.compile(
    r"init|expand|sched|key.*(ld|load|start|valid|we|wr|set|en)|(ld|load|start|set|wr).*key|^k?ld|load",
    re.IGNORECASE,
)
"""Names of inputs whose pulse often has a core take or expand its key."""


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
    known = {core.clock, core.reset, *ports.values()}
    inputs = [port for port in verilator.input_ports(program) if port not in known]
    said = of_key = _key_advice(core.adapter, inputs)
    spare = [port for port in inputs if port not in idle]
    if spare:
        said += f"; inputs without a role stay 0: {', '.join(spare)}"
        levels = [port for port in spare if not (of_key and _KEY_PULSE.search(port))]
        if levels:
            said += f"; idle = {{ {levels[0]} = 1 }} in [adapter] would give one a value"
    protocol = protocol_of(core)
    if protocol == "start_done" and hung_after != 0 and core.adapter.get("start_with_done", True):
        said += "; a core that takes no start in the clock of done needs start_with_done = false"
    late = hung_after is None and not core.adapter.get("settle_clocks")
    if protocol in PULSED and late:
        said += "; a core that keeps its inputs in a register first needs settle_clocks = 1"
    return said


def _key_advice(table: Mapping[str, Any], inputs: Sequence[str]) -> str:
    """What the table may lack to get a key in; `inputs` play no part, but may be idle."""
    ports = table.get("ports", {})
    protocol = table.get("protocol")
    if not table.get("key_bytes") or {"key_init", "key_valid"} & ports.keys():
        return ""
    # Most ciphers have no first block that differs from others: their init is of the key.
    if protocol == "init_next" and ports.get("init") and table.get("padding", "none") == "none":
        return (
            f"; if a pulse of {ports['init']} expands the key, the core is no init_next: give it "
            f'protocol = "start_done" with key_init = "{ports["init"]}", '
            f'start = "{ports.get("next", "next")}", and done and key_ready'
        )
    pulses = [port for port in inputs if _KEY_PULSE.search(port)]
    if pulses and protocol in PULSED:
        return (
            f"; if a pulse of {pulses[0]} has the core take or expand its key, ports needs "
            f'key_init = "{pulses[0]}", with key_ready, the output that is high then'
        )
    if protocol == "valid_ready" and pulses:
        return f'; if {pulses[0]} has the core take its key, ports needs key_valid = "{pulses[0]}"'
    return ""
