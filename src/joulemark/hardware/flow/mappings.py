# SPDX-License-Identifier: Apache-2.0
"""Maps a core to cells with several seeds: medians of its figures, and how far they spread.

Mapping is a search, whose end depends on its beginning, so one figure of area or energy is one
draw. The median over seeds, with the lowest and the highest, tells how much of a difference is due
to the core and how much to the draw. A figure of a core is the median of that figure over the
mappings. Modules, paths and settings have no median: they are of the mapping whose energy, or area
if there is no power, is nearest to the median.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any, Final

from joulemark.errors import UsageError
from joulemark.hardware.export.circuit import Circuit
from joulemark.hardware.flow.asic import (
    TimedMapping,
    check_clock,
    figures_of,
    map_and_time,
    simulate_rtl,
)
from joulemark.hardware.flow.cache import AsicFigures, MappingCache
from joulemark.hardware.flow.packaged_tools import Say
from joulemark.hardware.flow.request import Flow
from joulemark.hardware.liberty.reader import read_library
from joulemark.hardware.manifest import Core
from joulemark.records.core_figures import CORE_FIGURES
from joulemark.records.core_report import CoreSettings

DEFAULT_MAPPINGS: Final = 3
"""The smallest number of mappings that has a range and, as its median, one of the mappings."""
LARGE_CELLS: Final = 6_000
"""Unless a number is asked for, a core whose first mapping has more cells gets no other mapping:
a report of it would take more than two minutes."""

_SPREAD: Final = sorted(
    {kind.part_of for kind in CORE_FIGURES.values() if kind.end is not None}
    & {field.name for field in fields(AsicFigures)}
)
"""Figures whose range over mappings is stated."""

_SUPPLY = (0.75, 1.25)
"""Lowest and highest share of a library's voltage to which its dynamic power is scaled. Corners of
libraries are a tenth of it apart; further off, leakage, delays and short-circuit currents matter
more."""


def require_library(asked: Flow) -> None:
    """Refuses a library from which the figures cannot be made."""
    library = read_library(asked.library)
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


@dataclass(frozen=True, slots=True)
class MappingSpread:
    """Figures over mappings."""

    median: AsicFigures
    """Median of each number; everything else from the mapping nearest to the median."""
    by_seed: Mapping[int, AsicFigures]
    """Figures of each mapping."""

    def ends(self, name: str) -> tuple[float, float] | None:
        """Lowest and highest value of a figure; None if a mapping lacks the figure."""
        values = [getattr(asic_figures, name) for asic_figures in self.by_seed.values()]
        return None if None in values else (min(values), max(values))


def characterise(
    core: Core,
    parameters: Mapping[str, int],
    asked: Flow,
    *,
    folder: Path,
    mappings: int | None = None,
    kept: MappingCache | None = None,
    say: Say = lambda _text: None,
    observe: Callable[[int, Circuit], None] | None = None,
) -> MappingSpread:
    """Figures of a core over mappings of the seeds 1 to `mappings`.

    Unless given, there are DEFAULT_MAPPINGS, or 1 for a core of more than LARGE_CELLS cells. All
    mappings are made and timed before the core is simulated, once for all of them, so that a clock
    that one of them does not allow is refused before minutes of work. Each is kept as soon as it is
    done. `observe` is called with the seed and the circuit of each mapping that is made.
    """
    kept = kept or MappingCache(None, "")
    done: dict[int, AsicFigures] = {}
    waiting: dict[int, TimedMapping] = {}
    seed, last = 1, mappings or DEFAULT_MAPPINGS
    while seed <= last:
        figures = kept.get(seed)
        if figures is not None:
            done[seed] = figures
        else:
            say(f"mapping {seed}")
            place = folder / f"mapping{seed}"
            waiting[seed] = map_and_time(core, parameters, asked, place, seed=seed)
        if mappings is None and seed == 1:
            cells = figures.cells if figures is not None else len(waiting[1].netlist.instances)
            last = 1 if cells > LARGE_CELLS else last
        seed += 1
    if asked.power:
        periods = [asic_figures.period_s for asic_figures in done.values()]
        periods += [mapped.period_s for mapped in waiting.values()]
        check_clock(core, asked.clock_hz, max(periods))
    if waiting:
        say("simulating")
        first = next(iter(waiting.values()))
        recording = simulate_rtl(core, parameters, first.netlist, folder)
        for number in list(waiting):
            say(f"replaying the netlist of mapping {number}")
            place = folder / f"mapping{number}"
            done[number] = figures_of(
                core,
                parameters,
                waiting.pop(number),
                recording,
                asked,
                place,
                observe=observe and partial(observe, number),
            )
            kept.put(number, done[number])
    return spread_of({seed: done[seed] for seed in sorted(done)})


def spread_of(by_seed: Mapping[int, AsicFigures]) -> MappingSpread:
    """Medians of the figures of some mappings."""
    each = list(by_seed.values())
    by = "area_ge" if each[0].energy_per_block_j is None else "energy_per_block_j"
    middle = median(getattr(asic_figures, by) for asic_figures in each)
    shown = min(by_seed, key=lambda seed: abs(getattr(by_seed[seed], by) - middle))
    numbers: dict[str, Any] = {
        field.name: _median([getattr(figures, field.name) for figures in each])
        for field in fields(AsicFigures)
        if isinstance(getattr(each[0], field.name), int | float)
    }
    settings: CoreSettings = {
        **by_seed[shown].settings,
        "mappings": [
            {"seed": seed, **{name: getattr(asic_figures, name) for name in _SPREAD}}
            for seed, asic_figures in by_seed.items()
        ],
        "mapping_shown": shown,
    }
    return MappingSpread(replace(by_seed[shown], **numbers, settings=settings), by_seed)


def _median(values: Sequence[float]) -> float:
    middle = median(values)
    return int(middle) if isinstance(values[0], int) and middle == int(middle) else middle
