# SPDX-License-Identifier: Apache-2.0
"""Refuses a core from whose sources Yosys makes a circuit that is not the one they describe.

Yosys says so in warnings and goes on: what it then maps has fewer cells or other results than the
simulation, and every figure of it would be wrong. Each warning becomes one sentence with the file,
the line and the remedy.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from joulemark.errors import ImplementationError
from joulemark.hardware.manifest import Core
from joulemark.hardware.synthesis import (
    YosysCell,
    YosysModule,
    YosysNet,
    modules_of,
    read_command,
    run_yosys,
)

CHECK: Final = ("flatten", "opt_clean", "check -noinit")
"""Commands after `proc`, whose warnings in the log are read; the design is flat afterwards."""

_CONFLICT: Final = re.compile(r"^Warning: multiple conflicting drivers for \S+?\.\\?(.+):$")
_DRIVER: Final = re.compile(r"^\s+port \S+ of cell (\S+) \((\S+)\)$")
_UNDRIVEN: Final = re.compile(r"^Warning: Wire \S+?\.\\?(.+) is used but has no driver\.$")
_NO_LOAD: Final = re.compile(
    r"^(.+):(\d+): Warning: asynchronous load value missing for variable '\\?(.+)'$"
)
_LOOP: Final = re.compile(r"^Warning: found logic loop in module ")
_LOOP_CELL: Final = re.compile(r"^\s+cell (\S+) \(\S+\) source: ([^\s|]+)\S*$")
_LOOP_WIRE: Final = re.compile(r"^\s+wire \\?(\S+) (?:\[\d+\] )?source: \S+$")
_CHOICE: Final = "$procmux$"
"""Begins the names of the multiplexers that Yosys makes of `if` and `case` in a procedure."""
_LINE_END: Final = re.compile(r"[.-]")
"""Ends the line in `line.column-line.column`."""
_SHARED_FUNCTION: Final = re.compile(r"\b(function|task)\b(?!\s+automatic\b)[^;(]*?\b(\w+)\s*[;(]")
_COMMENT: Final = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_ASYNCHRONOUS_LOADS: Final = frozenset({"$aldff", "$aldffe"})
_BIT: Final = re.compile(r" \[\d+\]$")
_TRISTATE: Final = "$tribuf"
_LATCHES: Final = frozenset({"$dlatch", "$adlatch", "$dlatchsr", "$sr"})
_PROCEDURE: Final = re.compile(
    r"\b(always_latch|always_ff|always_comb|function|always\s*@[^;]*?\b(?:posedge|negedge)\b|always)\b"
)


@dataclass(frozen=True, slots=True)
class _Places:
    """Places in the sources, which Yosys names relative to the folder in which it ran."""

    core: Core
    ran_in: Path

    def of(self, source: str) -> str:
        """`file:line` of an attribute of Yosys, the file as the manifest would name it."""
        path, _, place = source.rpartition(":")
        if not path:
            return self.core.name
        resolved, folder = (self.ran_in / path).resolve(), self.core.folder.resolve()
        shown = resolved.relative_to(folder) if resolved.is_relative_to(folder) else resolved
        return f"{shown}:{_LINE_END.split(place)[0]}"

    def procedure(self, source: str) -> str:
        """The keyword of the procedure around a place; empty if there is none before it."""
        path, _, place = source.rpartition(":")
        text = (self.ran_in / path).read_text("utf-8", "replace")
        before = "".join(text.splitlines(keepends=True)[: int(_LINE_END.split(place)[0])])
        found = _PROCEDURE.findall(before)
        return str(found[-1]) if found else ""

    def shared_functions(self) -> dict[str, str]:
        """Names of functions and tasks in the sources that are not automatic, and their keyword."""
        texts = (path.read_text("utf-8", "replace") for path in self.core.verilog_paths())
        return {
            name: keyword
            for text in texts
            for keyword, name in _SHARED_FUNCTION.findall(_COMMENT.sub(" ", text))
        }


@dataclass(frozen=True, slots=True)
class _Problem:
    """One reason why the mapped circuit is not that of the sources."""

    place: str
    what: str
    remedy: str


def require_sound(core: Core, log: Path, netlist: Path, *, for_cells: bool = False) -> None:
    """Refuses a core about which Yosys warned in its log of reading the core and of `CHECK`.

    The netlist is the flat design after it, as JSON. With `for_cells` the core is mapped onto a
    library of cells, whose registers have no value at power-on.
    """
    module = modules_of(netlist)[core.top]
    lines = log.read_text("utf-8", "replace").splitlines()
    places = _Places(core, log.parent)
    problems = list(dict.fromkeys(_problems(places, lines, module, for_cells=for_cells)))
    if not problems:
        return
    first = problems[0]
    others = ", ".join(dict.fromkeys(each.place for each in problems[1:4]))
    more = f" (and {len(problems) - 1} more, at {others})" if len(problems) > 1 else ""
    raise ImplementationError(
        f"{core.name} cannot be mapped as it is written: {first.place}: {first.what}; "
        f"{first.remedy}{more}"
    )


def _problems(
    places: _Places, lines: list[str], module: YosysModule, *, for_cells: bool
) -> Iterator[_Problem]:
    """The problems, the gravest kind first, each once for all bits of a variable."""
    shared = places.shared_functions()
    has_latches = any(cell["type"] in _LATCHES for cell in module["cells"].values())
    conflicts = list(_conflicts(places, lines, module, shared))
    yield from conflicts or _high_impedance(places, module)
    for line in lines:
        if found := _NO_LOAD.match(line):
            function = found[3].split(".")[0]
            kind = shared.get(function) if "." in found[3] else None
            yield _Problem(
                places.of(f"{found[1]}:{found[2]}"),
                f"'{found[3]}' has no value in the branch of the asynchronous reset",
                "give it one there, or assign it in an always block without that reset"
                if kind is None
                else _automatic(kind, function),
            )
    yield from _registers(places, module, for_cells=for_cells)
    for line in lines:
        if found := _UNDRIVEN.match(line):
            name = _BIT.sub("", found[1])
            yield _Problem(
                places.of(_source(module["netnames"], name)),
                f"nothing drives '{name}'",
                "give it a driver or a constant",
            )
    yield from _clocked_latches(places, module)
    # Through open latches, Yosys' check takes the data of a memory for a loop.
    yield from _loops(places, lines, kept_alone=has_latches)


def _conflicts(
    places: _Places, lines: list[str], module: YosysModule, shared: Mapping[str, str]
) -> Iterator[_Problem]:
    """Nets with several drivers; `shared` has the functions and tasks that are not automatic."""
    for number, line in enumerate(lines):
        if not (found := _CONFLICT.match(line)):
            continue
        name = _BIT.sub("", found[1])
        drivers = []
        for following in lines[number + 1 :]:
            if not (driver := _DRIVER.match(following)):
                break
            drivers.append((driver[1], driver[2]))
        sources = (_source(module["cells"], cell) for cell, _ in drivers)
        driven_at = sorted({places.of(source) for source in sources if source}, key=_in_order)
        function = name.split(".")[0] if "." in name else ""
        said = repr(name)
        if shared and name in module["ports"] and module["ports"][name]["direction"] == "input":
            function = next(iter(shared))  # Its argument was this input before: one net with it.
            said += f", an argument of {function},"
        if function in shared:
            remedy = _automatic(shared[function], function)
        elif any(kind == _TRISTATE for _, kind in drivers):
            remedy = (
                "choose by a multiplexer in place of high impedance, for which there is no cell"
            )
        else:
            remedy = "assign it in one always block, or by one instance or assign, alone"
            if shared:
                other, kind = next(iter(shared.items()))
                remedy += (
                    f"; or, if its value comes from the {kind} {other}, declare that "
                    f"'{kind} automatic', since else all its calls share one argument"
                )
        at = f" at {' and '.join(driven_at)}" if driven_at else ""
        yield _Problem(
            places.of(_source(module["netnames"], name)), f"{said} has several drivers{at}", remedy
        )


def _high_impedance(places: _Places, module: YosysModule) -> Iterator[_Problem]:
    """Nets with one driver, which lets go of them."""
    names = _names_of_bits(module)
    for cell in module["cells"].values():
        if cell["type"] == _TRISTATE:
            name = names.get(cell["connections"]["Y"][0], "a net")
            yield _Problem(
                places.of(cell["attributes"].get("src", "").split("|")[0]),
                f"'{name}' is driven with high impedance, for which there is no cell",
                "choose by a multiplexer in its place, or give it a driver at all times",
            )


def _automatic(kind: str, name: str) -> str:
    """The remedy for a function or task whose calls share its arguments."""
    return (
        f"declare '{kind} automatic' {name}: the arguments of a {kind} that is not automatic are "
        "one variable, which clocked and other code share"
    )


def _loops(places: _Places, lines: list[str], *, kept_alone: bool) -> Iterator[_Problem]:
    """Loops of logic; with `kept_alone`, those of `always_comb` that keep a value and no others."""
    for number, line in enumerate(lines):
        if not _LOOP.match(line):
            continue
        loop = list(itertools.takewhile(lambda text: text[:1] == " ", lines[number + 1 :]))
        cells = list(filter(None, map(_LOOP_CELL.match, loop)))
        source = cells[0][2] if cells else ""
        place = places.of(source) if source else places.core.name
        if all(cell[1].startswith(_CHOICE) for cell in cells) and (
            source and places.procedure(source) == "always_comb"
        ):
            wire = next(filter(None, map(_LOOP_WIRE.match, loop)), None)
            variable = f"'{wire[1]}'" if wire else "a variable"
            yield _Problem(
                place,
                f"{variable} keeps its value where always_comb gives it none, which is a latch",
                "give it a value on every path",
            )
        elif not kept_alone:
            yield _Problem(place, "logic reads its own output", "put a register into the loop")


def _names_of_bits(module: YosysModule) -> dict[int | str, str]:
    """Bit -> the name of its net."""
    return {
        bit: name
        for name, net in sorted(module["netnames"].items(), key=lambda item: "." in item[0])
        for bit in net["bits"]
    }


def _registers(places: _Places, module: YosysModule, *, for_cells: bool) -> Iterator[_Problem]:
    """Registers of which no target has the reset, and with `for_cells` those with a start value."""
    names = _names_of_bits(module)
    for cell in module["cells"].values():
        # Yosys writes a constant bit as text, and turns loads of constants into resets later.
        if cell["type"] in _ASYNCHRONOUS_LOADS and any(
            isinstance(bit, int) for bit in cell["connections"]["AD"]
        ):
            name = names.get(cell["connections"]["Q"][0], "a register")
            yield _Problem(
                places.of(cell["attributes"].get("src", "").split("|")[0]),
                f"'{name}' takes a value that is no constant in its asynchronous reset",
                "reset it to a constant, and load the value in a clock",
            )
    for name, net in module["netnames"].items() if for_cells else ():
        if "init" in net["attributes"]:
            yield _Problem(
                places.of(_source(module["netnames"], name)),
                f"'{name}' has a start value, which no cell has",
                "reset it, or take an FPGA as the target",
            )


def _clocked_latches(places: _Places, module: YosysModule) -> Iterator[_Problem]:
    """Latches that the sources do not describe: of clocked code, and of functions."""
    for cell in module["cells"].values():
        source = cell["attributes"].get("src", "").split("|")[0]
        if cell["type"] not in _LATCHES or not source:
            continue
        kind = places.procedure(source)
        if kind == "function" or "edge" in kind or kind == "always_ff":
            yield _Problem(
                places.of(source),
                f"{'a function' if kind == 'function' else 'clocked code'} becomes a latch",
                "give the variable a value on every path",
            )


def _in_order(place: str) -> tuple[str, int]:
    """Sorts places by file and line."""
    path, _, line = place.rpartition(":")
    return path, int(line) if line.isdigit() else 0


def _source(named: Mapping[str, YosysCell] | Mapping[str, YosysNet], name: str) -> str:
    """Yosys' attribute with file and line of a net or a cell, or nothing."""
    return named[name]["attributes"].get("src", "").split("|")[0] if name in named else ""


# Looks for latches in a core before it is mapped onto an FPGA, whose cells have none.
#
# Yosys would build a latch from a lookup table that feeds itself. Such a loop has no timing, so the
# scripts of Yosys for FPGAs refuse it, but only after the whole mapping.


def require_no_latches(
    core: Core, parameters: Mapping[str, int], device_title: str, folder: Path
) -> None:
    """Refuses a core that keeps bits in latches with these parameters: an FPGA cannot hold them."""
    run_yosys(
        [
            read_command(core, parameters),
            f"hierarchy -check -top {core.top}",
            "proc",
            *CHECK,
            "write_json latches.json",
        ],
        folder,
        name="latches",
    )
    require_sound(core, folder / "latches.log", folder / "latches.json")
    cells = modules_of(folder / "latches.json")[core.top]["cells"].values()
    bits = sum(len(cell["connections"]["Q"]) for cell in cells if cell["type"] in _LATCHES)
    if bits:
        raise ImplementationError(
            f"{core.name} keeps {bits} bits in latches with these parameters, and {device_title} "
            "has none: take --target asic or generic, or a configuration without latches "
            "(joulemark core list names them)"
        )
