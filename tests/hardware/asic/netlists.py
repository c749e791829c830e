# SPDX-License-Identifier: Apache-2.0
"""Netlists of a few cells, and activity of their nets, written down by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from joulemark.hardware.gate.vcd import Activity
from joulemark.hardware.liberty.library import Library
from joulemark.hardware.synthesis.netlist import Instance, Netlist

__all__ = ["activity", "netlist"]


def netlist(
    library: Library,
    cells: Sequence[tuple[str, Mapping[str, int]]],
    inputs: Mapping[str, int],
    outputs: Mapping[str, int],
) -> Netlist:
    """Cells by name and net by pin; one-bit ports."""
    nets = [net for _, pins in cells for net in pins.values()]
    return Netlist(
        top="hand",
        library=library,
        instances=[
            Instance(f"u{place}", library.cell(name), dict(pins), "")
            for place, (name, pins) in enumerate(cells)
        ],
        inputs={name: [net] for name, net in inputs.items()},
        outputs={name: [net] for name, net in outputs.items()},
        net_count=max([*nets, *inputs.values(), *outputs.values()]) + 1,
    )


def activity(
    count: int, toggles: Mapping[int, Sequence[int]], initial: Mapping[int, int], duration_ps: int
) -> Activity:
    """Times of the toggles and first value by net."""
    times = [sorted(toggles.get(net, ())) for net in range(count)]
    return Activity(
        start=np.cumsum([0, *(len(time) for time in times)]),
        times_ps=np.asarray([time for of_net in times for time in of_net], dtype=np.int64),
        initial=np.asarray([initial.get(net, 0) for net in range(count)], dtype=np.int8),
        duration_ps=duration_ps,
        unknown=0,
    )
