# SPDX-License-Identifier: Apache-2.0
"""The ports of a design, and which of them clock and reset its flip-flops, as Yosys reads it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from joulemark.errors import UsageError
from joulemark.hardware.flow.place import Port, ports_of
from joulemark.hardware.synthesis.yosys import (
    YosysCell,
    YosysModule,
    modules_of,
    read_sources,
    run_yosys,
)

Level = Literal["low", "high"]
"""Level of a port that resets."""

_HEADERS: Final = {".vh", ".svh", ".h"}
_INVERTERS: Final = {"$not", "$logic_not"}
_RESETS: Final = {
    "ARST": "ARST_POLARITY",
    "ALOAD": "ALOAD_POLARITY",
    "CLR": "CLR_POLARITY",
    "SRST": "SRST_POLARITY",
}
"""Pins of Yosys' flip-flops that reset them, each with the parameter of its level."""


@dataclass(frozen=True, slots=True)
class Design:
    """The top module of some sources."""

    top: str
    ports: tuple[Port, ...]
    """In the order of the source."""
    clocks: tuple[str, ...]
    """Inputs that clock flip-flops, the one with the most first."""
    resets: Mapping[str, Level]
    """Inputs that reset flip-flops, without the clock too, and the level that does."""
    clocked_resets: Mapping[str, Level]
    """Inputs that set flip-flops to a constant as the clock steps. A start may do so, too."""

    def port(self, name: str) -> Port:
        """The port of this name."""
        return next(port for port in self.ports if port.name == name)


def include_folders(sources: Sequence[Path]) -> list[Path]:
    """Folders of the sources that have files to be included."""
    folders = dict.fromkeys(source.parent for source in sources)
    return [
        folder for folder in folders if any(file.suffix in _HEADERS for file in folder.iterdir())
    ]


def read_design(sources: Sequence[Path], top: str | None, folder: Path) -> Design:
    """Reads the sources with all parameters at their defaults; Yosys works in `folder`."""
    run_yosys(
        [
            read_sources(sources, include_folders(sources), top),
            *("write_json modules.json", "proc", "flatten", "opt_clean", "opt_dff"),
            "write_json design.json",
        ],
        folder,
        name="design",
    )
    modules = modules_of(folder / "modules.json")
    used = {cell["type"] for module in modules.values() for cell in module["cells"].values()}
    tops = sorted(modules.keys() - used)
    if not tops:
        raise UsageError("the sources have no module")
    if len(tops) > 1:
        raise UsageError(f"{', '.join(tops)} are used by no other module; name the core by --top")
    netlist = folder / "design.json"
    return _design(tops[0], ports_of(netlist, tops[0]), modules_of(netlist)[tops[0]])


def _design(top: str, ports: Sequence[Port], module: YosysModule) -> Design:
    for port in ports:
        if port.direction == "inout":
            raise UsageError(
                f"{top}: the port {port.name} is of both directions, which none of a core may be"
            )
    nets = _Inputs(module)
    clocks: Counter[str] = Counter()
    resets: dict[str, Level] = {}
    clocked: dict[str, Level] = {}
    for cell in module["cells"].values():
        if (clock := nets.source(cell, "CLK")) is not None:
            clocks[clock[0]] += len(cell["connections"].get("Q", ()))
        for pin, polarity in _RESETS.items():
            found = nets.source(cell, pin)
            if found is None:
                continue
            name, inverted = found
            high = (int(cell["parameters"].get(polarity, "1"), 2) != 0) != inverted
            (clocked if pin == "SRST" else resets).setdefault(name, "high" if high else "low")
    return Design(
        top,
        tuple(ports),
        tuple(name for name, _ in clocks.most_common()),
        {name: level for name, level in resets.items() if name not in clocks},
        {name: level for name, level in clocked.items() if name not in clocks},
    )


class _Inputs:
    """Which input of one bit stands behind a pin, through inverters."""

    def __init__(self, module: YosysModule) -> None:
        self._ports = {
            port["bits"][0]: name
            for name, port in module["ports"].items()
            if port["direction"] == "input" and len(port["bits"]) == 1
        }
        self._inverted = dict(self._inverters(module))

    @staticmethod
    def _inverters(module: YosysModule) -> Iterator[tuple[int | str, int | str]]:
        for cell in module["cells"].values():
            pins = cell["connections"]
            if cell["type"] in _INVERTERS and len(pins["A"]) == len(pins["Y"]) == 1:
                yield pins["Y"][0], pins["A"][0]

    def source(self, cell: YosysCell, pin: str) -> tuple[str, bool] | None:
        """The input, and whether its level is inverted; None if there is none."""
        bits = cell["connections"].get(pin)
        if bits is None or len(bits) != 1:
            return None
        net, inverted = bits[0], False
        for _ in self._inverted:  # no more steps, as inverters may stand in a ring
            if net in self._ports or net not in self._inverted:
                break
            net, inverted = self._inverted[net], not inverted
        return (self._ports[net], inverted) if net in self._ports else None
