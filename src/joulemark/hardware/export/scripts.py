# SPDX-License-Identifier: Apache-2.0
"""Writes scripts by which OpenSTA reads an exported folder."""

from __future__ import annotations

import re
from collections.abc import Iterator

from joulemark.hardware.export.circuit import Circuit
from joulemark.hardware.export.tcl import tcl_word

__all__ = ["power_script", "timing_script"]

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
