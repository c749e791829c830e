# SPDX-License-Identifier: Apache-2.0
"""The figures of a report that come from mappings to a cell library, and what that must have."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from joulemark.errors import UsageError
from joulemark.hardware.core.manifest import Core
from joulemark.hardware.core.report import ModuleReport
from joulemark.hardware.export.circuit import Circuit
from joulemark.hardware.flow import mappings
from joulemark.hardware.flow.cache import MappingCache, report_key
from joulemark.hardware.flow.request import Flow
from joulemark.hardware.flow.timed_mapping import CellRequest
from joulemark.hardware.liberty.reader import read_library
from joulemark.records.core_figures import CORE_FIGURES

__all__ = ["cell_figures", "require_library"]

_SUPPLY = (0.75, 1.25)
"""Parts of a library's voltage between which its dynamic power is scaled: corners of libraries are
a tenth of it apart, and further off leakage, delays and short-circuit currents matter more."""


def require_library(asked: Flow) -> None:
    """Refuses a library that lacks what is asked for.

    Raises:
        UsageError: it cannot be read, has no power tables, or is of a voltage too far off.
    """
    assert asked.liberty is not None
    library = read_library(asked.liberty)
    if asked.power and not library.has_energy:
        raise UsageError(
            f"--liberty {asked.liberty}: it has no power tables; --no-power leaves power out"
        )
    _require_near(asked.voltage_v, library.nominal_voltage_v)


def _require_near(asked_v: float | None, nominal_v: float) -> None:
    """Refuses a supply to which the square of the voltage does not scale."""
    low, high = (part * nominal_v for part in _SUPPLY)
    if asked_v is not None and not low <= asked_v <= high:
        raise UsageError(
            f"--voltage {asked_v:g}: the library is of {nominal_v:g} V, from which power is scaled "
            f"to {low:.3g} to {high:.3g} V; name a library of that voltage in --liberty instead"
        )


def cell_figures(
    core: Core, parameters: Mapping[str, int], asked: Flow, folder: Path,
    settings: dict[str, Any], cache: Path | None, say: Callable[[str], None],
    observe: Callable[[int, Circuit], None] | None,
) -> tuple[dict[str, Any], str]:  # fmt: skip
    """Figures over the mappings of a core, by their names in a report, and the library's name.

    Args:
        core: the core.
        parameters: all of its parameters.
        asked: target and options, with a library that `require_library` let pass.
        folder: where the tools' files are left.
        settings: takes up those of the mapping that is shown.
        cache: folder of finished mappings; None keeps and uses none.
        say: told what is being done.
        observe: told of the seed and the circuit of each mapping, all of which are then made again.

    Raises:
        UnavailableError: a tool is missing; the message names its package.
        UsageError: the library's values give no figures, or the clock is too fast.
        ImplementationError: the core does not build, or RTL or netlist gives a wrong result.
    """
    assert asked.liberty is not None
    key = report_key(core, parameters, asked.model_copy(update={"mappings": None}))
    over = mappings.characterise(
        core, parameters,
        CellRequest(
            asked.liberty, clock_hz=asked.clock_hz, voltage_v=asked.voltage_v,
            mapping=asked.mapping, wire=asked.wire, with_power=asked.power, modules=asked.modules,
        ),
        folder=folder / "asic", mappings=asked.mappings, say=say, observe=observe,
        kept=MappingCache(cache if observe is None else None, key),
    )  # fmt: skip
    found = over.median
    settings |= dict(found.settings)
    settings["glitches"] = "in; dynamic_no_glitch_w is the same without"
    figures: dict[str, Any] = {
        name: getattr(found, name) for name in CORE_FIGURES if hasattr(found, name)
    }
    figures["mappings"] = len(over.by_seed)
    for name, kind in CORE_FIGURES.items():
        if kind.end is not None and hasattr(found, kind.part_of):
            figures[name] = (over.ends(kind.part_of) or (None, None))[kind.end]
    figures["fmax_hz"] = 1 / found.period_s if found.period_s > 0 else None
    _require_plausible(figures, asked.liberty)
    figures["modules"] = [ModuleReport(**asdict(module)) for module in found.modules]
    return figures, f"{found.settings.get('library')}, {found.settings.get('corner')}"


def _require_plausible(figures: Mapping[str, Any], liberty: Path) -> None:
    """Refuses a library whose values, each in its range, give a figure below zero or no number."""
    for name, value in figures.items():
        if isinstance(value, float) and not 0 <= value < math.inf:
            raise UsageError(
                f"--liberty {liberty}: its values give {value:g} for {name}; "
                "look for values that are far too large or too small"
            )
