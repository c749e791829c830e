# SPDX-License-Identifier: Apache-2.0
"""Writes all files of a core's export into one folder, with a manifest."""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from joulemark import __version__
from joulemark.errors import UsageError
from joulemark.hardware.export import Circuit, Names
from joulemark.hardware.export.sdc import sdc_lines, tcl_word
from joulemark.hardware.export.simulator_files import (
    clock_sdf_lines,
    saif_lines,
    sdf_lines,
    vcd_lines,
    verilog_lines,
)
from joulemark.hardware.export.testbench import COMMANDS, cell_model_lines, testbench_lines
from joulemark.hardware.gate.simulate import EXPECTED, STIMULUS, expected_text, stimulus_text
from joulemark.hardware.gate.verilog import INPUT_DELAY_PS

# Makes the manifest of an export: its files, their sources, and how to read them.

SCHEMA_VERSION: Final = 1
_NOTES: Final = (
    """Joulemark loads a cell with the `capacitance` of the pins that it drives; a tool that takes
    rise_capacitance, fall_capacitance or their ranges finds other delays and another power.""",
    """Wires have the capacitance of the wire model, which the constraints state net by net, and no
    resistance; a tool that is told to take the library's wire-load model adds its resistance.""",
    """The clock is ideal, before a clock tree; clock.sdf takes the delay of its cells away where a
    clock net is data.""",
    """delays.sdf has mean delays, for simulation; static timing takes the library itself.""",
    """cells.v has no set-up and no hold times. Models of the library's maker may have them, and may
    take latches and flip-flops in and out of one clock edge in any order: with such models simulate
    with delays.sdf.""",
)


def manifest_of(
    circuit: Circuit, names: Names, files: Sequence[Mapping[str, object]]
) -> dict[str, object]:
    """The manifest as a JSON object; `files` has name, meaning, digest and size of each file."""
    library, settings = circuit.netlist.library, circuit.settings
    commands = {**COMMANDS, "timing": "sta -exit timing.tcl"}
    if circuit.workload is not None:
        commands["power"] = "sta -exit power.tcl"
    return {
        "schema_version": SCHEMA_VERSION,
        "joulemark": __version__,
        "core": circuit.core.name,
        "top": circuit.netlist.top,
        "parameters": dict(circuit.parameters),
        "clock_port": circuit.core.clock,
        "reset_port": circuit.core.reset,
        "library": {
            "name": library.name,
            "file": str(circuit.liberty.resolve()),
            "sha256": hashlib.sha256(circuit.liberty.read_bytes()).hexdigest(),
            "corner": library.corner,
            "voltage_v": library.nominal_voltage_v,
        },
        "mapping": circuit.netlist.mapping,
        "buffers": settings.get("buffers"),
        "wire_model": circuit.timing.wire.text,
        "clock": {"shortest_period_s": circuit.period_s, "workload_hz": circuit.clock_hz},
        "settings": dict(settings),
        "limit": _named(str(settings.get("clocking", {}).get("limit", "")), circuit, names),
        "critical_path": [_named(step, circuit, names) for step in circuit.timing.path],
        "workload": _workload(circuit),
        "files": list(files),
        "commands": commands,
        "notes": [" ".join(note.split()) for note in _NOTES],
    }


def _named(text: str, circuit: Circuit, names: Names) -> str:
    """A step of the critical path, or the clock's limit, with names of the exported netlist."""
    of_source = {
        instance.name: names.instance(index)
        for index, instance in enumerate(circuit.netlist.instances)
    }
    return " ".join(of_source.get(word, word) for word in text.split(" "))


def _workload(circuit: Circuit) -> dict[str, object] | str:
    """Figures of the gate-level run, or why there was none."""
    workload = circuit.workload
    if workload is None:
        return "power was left out (--no-power), so there is no activity.saif and no activity.vcd"
    power = workload.power
    seconds = power.duration_s
    switching = _switching_w(circuit)
    return {
        "window_clocks": workload.clocks,
        "window_messages": workload.messages,
        "duration_s": seconds,
        "input_delay_s": INPUT_DELAY_PS * 1e-12,
        "toggles": power.toggles,
        "unknown": power.unknown,
        "leakage_w": power.leakage_w,
        "switching_w": switching,
        "internal_w": power.dynamic_w - switching,
        "dynamic_w": power.dynamic_w,
    }


def _switching_w(circuit: Circuit) -> float:
    """Half of C V^2 for every toggle of every net."""
    assert circuit.workload is not None
    units = circuit.netlist.library.units
    square = 0.5 * (circuit.netlist.library.nominal_voltage_v * units.voltage_v) ** 2
    toggles = circuit.workload.activity.toggles()
    charge = sum(
        load * int(count) for load, count in zip(circuit.timing.loads, toggles, strict=True)
    )
    return charge * units.capacitance_f * square / circuit.workload.power.duration_s


# Writes scripts by which OpenSTA reads an exported folder.

_COPY = "library.lib"
_PLAIN = re.compile(r"[A-Za-z0-9_./+-]+")
_GZIP = b"\x1f\x8b"
"""How a compressed file begins (RFC 1952, 2.3.1)."""


def timing_script(circuit: Circuit) -> Iterator[str]:
    """The script that reports the slowest paths at the shortest period."""
    yield "# In this folder: sta -exit timing.tcl"
    yield from _reading(circuit)
    yield "read_sdc shortest.sdc"
    yield "read_sdf clock.sdf"
    yield "report_checks -path_delay max -digits 4"


def power_script(circuit: Circuit) -> Iterator[str]:
    """The script that reports the power of the gate-level run's activity."""
    yield "# In this folder: sta -exit power.tcl"
    yield "# For an OpenSTA that has read_saif, which 2.0.17 has not. The changes in its place:"
    yield f"# read_vcd -scope {tcl_word(circuit.netlist.top)} activity.vcd"
    yield from _reading(circuit)
    yield "read_sdc workload.sdc"
    yield "read_sdf clock.sdf"
    yield f"read_saif -scope {tcl_word(circuit.netlist.top)} activity.saif"
    yield "report_power"


def _reading(circuit: Circuit) -> Iterator[str]:
    path = str(circuit.liberty.resolve())
    library = path
    with circuit.liberty.open("rb") as file:
        compressed = file.read(len(_GZIP)) == _GZIP
    if compressed:
        yield "# Not every version reads a compressed library."
        yield f"exec gzip -dc {tcl_word(path)} > {_COPY}"
        library = _COPY
    elif _PLAIN.fullmatch(path) is None:
        yield "# Not every version reads a library with such a name."
        yield f"file copy -force {tcl_word(path)} {_COPY}"
        library = _COPY
    yield f"read_liberty {library}"
    yield "read_verilog netlist.v"
    yield f"link_design {tcl_word(circuit.netlist.top)}"


OPTION: Final = "--export"
MANIFEST: Final = "manifest.json"


def export_circuit(circuit: Circuit, path: Path) -> list[str]:
    """Writes the files into a folder, new or empty, and returns their names."""
    names = Names(circuit.netlist)
    with new_folder(OPTION, path) as folder:
        files = []
        for name, lines in _files(circuit, names).items():
            digest = _write(folder / name, lines)
            size = (folder / name).stat().st_size
            files.append({"name": name, "about": _ABOUT[name], "sha256": digest, "bytes": size})
        facts = manifest_of(circuit, names, files)
        _write(folder / MANIFEST, [json.dumps(facts, indent=2, ensure_ascii=False)])
        return [*(str(file["name"]) for file in files), MANIFEST]


_ABOUT: Final = {
    "netlist.v": "the netlist after buffering, cells of the library",
    "shortest.sdc": "constraints at the shortest clock period that the report states",
    "workload.sdc": "the same at the clock of the gate-level run (--clock)",
    "clock.sdf": "no delay in cells of the clock: to be read after the constraints",
    "delays.sdf": "the delays of the gate-level run, one rise and one fall for each output",
    "testbench.v": "plays the messages of the sources and compares every output",
    "cells.v": "models of the cells, for the test bench",
    STIMULUS: "inputs by clock period, read by the test bench",
    EXPECTED: "outputs by clock period, compared by the test bench",
    "timing.tcl": "reads netlist and constraints into OpenSTA",
    "activity.saif": "toggles and time at 1 of every net in the window",
    "activity.vcd": "every change of every net in the window",
    "power.tcl": "reads netlist and activity into an OpenSTA that has read_saif",
}
"""Meaning of every file but the manifest."""


def _files(circuit: Circuit, names: Names) -> dict[str, Iterable[str]]:
    """Lines of every file but the manifest."""
    netlist, clock, recording = circuit.netlist, circuit.core.clock, circuit.recording
    slow_s = 1 / circuit.clock_hz
    files: dict[str, Iterable[str]] = {
        "netlist.v": verilog_lines(circuit, names),
        "shortest.sdc": sdc_lines(
            circuit, names, circuit.period_s, "the shortest period with an ideal clock"
        ),
        "workload.sdc": sdc_lines(circuit, names, slow_s, "that of the gate-level run (--clock)"),
        "clock.sdf": clock_sdf_lines(circuit, names),
        "delays.sdf": sdf_lines(circuit, names),
        "testbench.v": testbench_lines(circuit),
        "cells.v": cell_model_lines(circuit),
        STIMULUS: stimulus_text(netlist, clock, recording).splitlines(),
        EXPECTED: expected_text(netlist, recording).splitlines(),
        "timing.tcl": timing_script(circuit),
    }
    if circuit.workload is not None:
        files |= {
            "activity.saif": saif_lines(circuit, names, circuit.workload),
            "activity.vcd": vcd_lines(circuit, names, circuit.workload),
            "power.tcl": power_script(circuit),
        }
    return files


def _write(path: Path, lines: Iterable[str]) -> str:
    """Writes lines and returns the digest of the file."""
    digest = hashlib.sha256()
    with path.open("wb") as out:
        for line in lines:
            raw = f"{line}\n".encode()
            digest.update(raw)
            out.write(raw)
    return digest.hexdigest()


# Makes a new folder that appears with all of its files or not at all.


def check_new_folder(option: str, path: Path) -> None:
    """Refuses a folder that could not be filled; `option` is the option that names it."""
    try:
        _refuse_occupied(option, path)
        trial = _beside(path)
        trial.mkdir()
        trial.rmdir()
    except OSError as error:
        raise _refusal(option, path, error) from None


@contextmanager
def new_folder(option: str, path: Path) -> Iterator[Path]:
    """A hidden folder beside `path`, which is renamed to `path` when all is written.

    An error leaves no folder behind; only SIGKILL leaves the hidden one.
    """
    try:
        _refuse_occupied(option, path)
        work = _beside(path)
        work.mkdir()
        try:
            yield work
            work.replace(path.resolve())
        finally:
            shutil.rmtree(work, ignore_errors=True)
    except OSError as error:
        raise _refusal(option, path, error) from None


def _refuse_occupied(option: str, path: Path) -> None:
    if path.is_dir():
        if any(path.iterdir()):
            raise UsageError(f"{option} {path}: the folder is not empty; name a new one")
    elif path.exists():
        raise UsageError(f"{option} {path} is a file; name a new folder")
    elif not path.resolve().parent.is_dir():
        raise UsageError(f"{option} {path}: there is no folder {path.resolve().parent}")


def _beside(path: Path) -> Path:
    final = path.resolve()
    return final.parent / f".{final.name}.unfinished-{os.getpid()}-{secrets.token_hex(4)}"


def _refusal(option: str, path: Path, error: OSError) -> UsageError:
    return UsageError(
        f"{option} {path} cannot be written ({error.strerror}); name a folder in another place"
    )
