# SPDX-License-Identifier: Apache-2.0
"""Writes all files of a core's export into one folder, with a manifest."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from joulemark.hardware.export.circuit import Circuit
from joulemark.hardware.export.contents import manifest_of
from joulemark.hardware.export.folder import new_folder
from joulemark.hardware.export.names import Names
from joulemark.hardware.export.saif import saif_lines
from joulemark.hardware.export.scripts import power_script, timing_script
from joulemark.hardware.export.sdc import sdc_lines
from joulemark.hardware.export.sdf import clock_sdf_lines, sdf_lines
from joulemark.hardware.export.testbench import cell_model_lines, testbench_lines
from joulemark.hardware.export.vcd import vcd_lines
from joulemark.hardware.export.verilog_netlist import verilog_lines
from joulemark.hardware.gate.bench import EXPECTED, STIMULUS, expected_text, stimulus_text

__all__ = ["MANIFEST", "OPTION", "export_circuit"]

OPTION: Final = "--export"
MANIFEST: Final = "manifest.json"


def export_circuit(circuit: Circuit, path: Path) -> list[str]:
    """Writes the files into a folder, new or empty, and returns their names.

    Raises:
        UsageError: the folder cannot be written, or is not empty.
    """
    names = Names(circuit.netlist)
    with new_folder(OPTION, path) as folder:
        files = []
        for name, about, lines in _files(circuit, names):
            digest = _write(folder / name, lines)
            files.append(
                {
                    "name": name, "about": about, "sha256": digest,
                    "bytes": (folder / name).stat().st_size,
                }
            )  # fmt: skip
        facts = manifest_of(circuit, names, files)
        _write(folder / MANIFEST, [json.dumps(facts, indent=2, ensure_ascii=False)])
        return [*(str(file["name"]) for file in files), MANIFEST]


def _files(circuit: Circuit, names: Names) -> Iterator[tuple[str, str, Iterable[str]]]:
    """Name, meaning and lines of every file but the manifest."""
    yield (
        "netlist.v", "the netlist after buffering, cells of the library",
        verilog_lines(circuit, names),
    )  # fmt: skip
    yield (
        "shortest.sdc", "constraints at the shortest clock period that the report states",
        sdc_lines(circuit, names, circuit.period_s, "the shortest period with an ideal clock"),
    )  # fmt: skip
    yield (
        "workload.sdc", "the same at the clock of the gate-level run (--clock)",
        sdc_lines(circuit, names, 1 / circuit.clock_hz, "that of the gate-level run (--clock)"),
    )  # fmt: skip
    yield (
        "clock.sdf", "no delay in cells of the clock: to be read after the constraints",
        clock_sdf_lines(circuit, names),
    )  # fmt: skip
    yield (
        "delays.sdf", "the delays of the gate-level run, one rise and one fall for each output",
        sdf_lines(circuit, names),
    )  # fmt: skip
    yield (
        "testbench.v", "plays the messages of the sources and compares every output",
        testbench_lines(circuit),
    )  # fmt: skip
    yield "cells.v", "models of the cells, for the test bench", cell_model_lines(circuit)
    yield (
        STIMULUS, "inputs by clock period, read by the test bench",
        stimulus_text(circuit.netlist, circuit.core.clock, circuit.recording).splitlines(),
    )  # fmt: skip
    yield (
        EXPECTED, "outputs by clock period, compared by the test bench",
        expected_text(circuit.netlist, circuit.recording).splitlines(),
    )  # fmt: skip
    yield "timing.tcl", "reads netlist and constraints into OpenSTA", timing_script(circuit)
    if circuit.workload is not None:
        yield (
            "activity.saif", "toggles and time at 1 of every net in the window",
            saif_lines(circuit, names, circuit.workload),
        )  # fmt: skip
        yield (
            "activity.vcd", "every change of every net in the window",
            vcd_lines(circuit, names, circuit.workload),
        )  # fmt: skip
        yield (
            "power.tcl", "reads netlist and activity into an OpenSTA that has read_saif",
            power_script(circuit),
        )  # fmt: skip


def _write(path: Path, lines: Iterable[str]) -> str:
    """Writes lines and returns the digest of the file."""
    digest = hashlib.sha256()
    with path.open("wb") as out:
        for line in lines:
            raw = f"{line}\n".encode()
            digest.update(raw)
            out.write(raw)
    return digest.hexdigest()
