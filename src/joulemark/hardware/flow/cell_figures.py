# SPDX-License-Identifier: Apache-2.0
"""Makes the figures of a report from mappings to a cell library; refuses a library without them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from joulemark.errors import UsageError
from joulemark.hardware.core.manifest import Core
from joulemark.hardware.export.circuit import Circuit
from joulemark.hardware.flow import mappings
from joulemark.hardware.flow.cache import MappingCache, report_key
from joulemark.hardware.flow.request import Flow
from joulemark.hardware.flow.timed_mapping import CellRequest
from joulemark.hardware.liberty.reader import read_library
from joulemark.hardware.tools.wasm_tools import Say
from joulemark.records.core_figures import CORE_FIGURES

__all__ = ["cell_figures", "require_library"]

_SUPPLY = (0.75, 1.25)
"""Lowest and highest share of a library's voltage to which its dynamic power is scaled. Corners of
libraries are a tenth of it apart; further off, leakage, delays and short-circuit currents matter
more."""


def require_library(asked: Flow) -> None:
    """Refuses a library from which the figures cannot be made.

    Raises:
        UsageError: the library cannot be read, has no power tables, or its voltage is too far off.
    """
    assert asked.liberty is not None
    library = read_library(asked.liberty)
    if asked.power and not library.has_energy:
        raise UsageError(
            f"--liberty {asked.liberty}: it has no power tables; --no-power leaves power out"
        )
    nominal_v = library.nominal_voltage_v
    low, high = (part * nominal_v for part in _SUPPLY)
    if asked.voltage_v is not None and not low <= asked.voltage_v <= high:
        raise UsageError(
            f"--voltage {asked.voltage_v:g}: the library is of {nominal_v:g} V, from which power "
            f"is scaled to {low:.3g} to {high:.3g} V; name a library of that voltage in --liberty "
            "instead"
        )


def cell_figures(
    core: Core, parameters: Mapping[str, int], asked: Flow, folder: Path,
    settings: dict[str, Any], cache: Path | None, say: Say,
    observe: Callable[[int, Circuit], None] | None,
) -> tuple[dict[str, Any], str]:  # fmt: skip
    """Figures over the mappings of a core, by their names in a report, and the library's name.

    Arguments and errors are those of `characterise.make_report`. `require_library` has accepted the
    library; the settings of the shown mapping are added to `settings`.
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
    shown = over.median
    settings |= dict(shown.settings)
    settings["glitches"] = "in; dynamic_no_glitch_w is the same without"
    figures: dict[str, Any] = {
        name: getattr(shown, name) for name in CORE_FIGURES if hasattr(shown, name)
    }
    figures["mappings"] = len(over.by_seed)
    for name, kind in CORE_FIGURES.items():
        if kind.end is not None and hasattr(shown, kind.part_of):
            figures[name] = (over.ends(kind.part_of) or (None, None))[kind.end]
    figures["fmax_hz"] = 1 / shown.period_s if shown.period_s > 0 else None
    _require_plausible(figures, asked.liberty)
    figures["modules"] = [asdict(module) for module in shown.modules]
    return figures, f"{shown.settings.get('library')}, {shown.settings.get('corner')}"


def _require_plausible(figures: Mapping[str, Any], liberty: Path) -> None:
    """Refuses a library whose values, each in its range, give a figure below zero or no number."""
    for name, value in figures.items():
        if isinstance(value, float) and not 0 <= value < math.inf:
            raise UsageError(
                f"--liberty {liberty}: its values give {value:g} for {name}; "
                "look for values that are far too large or too small"
            )
