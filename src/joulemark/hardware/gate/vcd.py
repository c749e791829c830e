# SPDX-License-Identifier: Apache-2.0
"""Reads the value changes that a gate-level run wrote: one bit per net, times in picoseconds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from joulemark.errors import ImplementationError


@dataclass(frozen=True, slots=True)
class Activity:
    """Every toggle of every net in a window of time, sorted by net and then by time."""

    start: npt.NDArray[np.int64]
    """Position of the first toggle by net; one more entry at the end."""
    times_ps: npt.NDArray[np.int64]
    """Time of each toggle, from the beginning of the window."""
    initial: npt.NDArray[np.int8]
    """Value by net at the beginning of the window; each toggle changes it."""
    duration_ps: int
    unknown: int
    """Changes to or from unknown values, which count as 0."""

    def toggles(self) -> npt.NDArray[np.int64]:
        """Number of toggles by net."""
        return np.diff(self.start)

    def changes(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Net of every toggle, and its value after the toggle."""
        nets = np.repeat(np.arange(len(self.initial)), self.toggles())
        return nets, (self.initial[nets] + np.arange(len(nets)) - self.start[nets] + 1) % 2


def read_vcd(path: Path, net_count: int) -> Activity:
    """Toggles of the nets `n<number>` in a VCD that `gate.simulate` wrote."""
    with path.open(encoding="ascii") as file:
        codes: dict[str, int] = {}
        declared = 0
        for line in file:
            words = line.split()
            if words[:1] == ["$var"] and len(words) > 4:
                if words[4][0] == "n" and words[4][1:].isdigit():
                    declared += 1
                    codes[words[3]] = int(words[4][1:])
            elif words[:1] == ["$enddefinitions"]:
                break
        if not codes:
            raise ImplementationError(
                f"{path} names no net of the netlist (n0, n1, ...), so it has no toggles to count: "
                "only a VCD of this netlist's own run by Icarus Verilog is read"
            )
        if len(codes) < declared:
            raise ImplementationError(
                f"{path} has one code for several nets, whose toggles it cannot tell apart: only a "
                "VCD by Icarus Verilog is read"
            )
        return _changes(file, codes, net_count, path)


def _changes(file: Iterable[str], codes: dict[str, int], net_count: int, path: Path) -> Activity:
    value = bytearray(net_count)
    nets: list[int] = []
    times: list[int] = []
    moments: list[int] = []
    # Changes of the first moment are not toggles: they are the values when the window begins.
    settled = 0
    unknown = 0
    get = codes.get
    for line in file:
        mark = line[0]
        if mark == "#":
            if len(moments) == 1:
                settled = len(nets)
            moments.append(int(line[1:]))
        elif mark in "01xz":
            net = get(line[1:-1], -1)
            unknown += net >= 0 and mark in "xz"
            if net >= 0 and value[net] != (mark == "1"):
                value[net] ^= 1
                nets.append(net)
                times.append(moments[-1])
        elif line.startswith("$dumpoff"):
            break
    if len(moments) < 2:
        raise ImplementationError(f"{path} holds no changes of nets")
    initial = np.zeros(net_count, dtype=np.int8)
    np.add.at(initial, nets[:settled], 1)
    net_array = np.asarray(nets[settled:], dtype=np.int64)
    order = np.argsort(net_array, kind="stable")
    counts = np.bincount(net_array, minlength=net_count)
    return Activity(
        start=np.concatenate(([0], np.cumsum(counts))).astype(np.int64),
        times_ps=np.asarray(times[settled:], dtype=np.int64)[order] - moments[0],
        initial=initial % 2,
        duration_ps=moments[-1] - moments[0],
        unknown=unknown,
    )
