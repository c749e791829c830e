# SPDX-License-Identifier: Apache-2.0
"""A core in cells over several seeded mappings: medians, and how far they spread.

Mapping is a search, and what it ends with depends on where it begins. One figure of area or energy
is one draw; the median over seeds with the lowest and the highest says how much of a difference is
the core and how much the draw. A figure of a core is the median of that figure over the mappings;
what has no median (modules, paths, settings) is of the mapping whose energy, or area where there is
no power, is nearest to the median.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any, Final, Protocol

from joulemark.hardware.core.asic_figures import AsicFigures
from joulemark.hardware.core.manifest import Core
from joulemark.hardware.export.circuit import Circuit
from joulemark.hardware.flow.asic import check_clock, figures_of, simulated
from joulemark.hardware.flow.timed_mapping import CellRequest, TimedMapping, map_and_time
from joulemark.records.core_figures import CORE_FIGURES

__all__ = ["DEFAULT_MAPPINGS", "LARGE_CELLS", "KeptMappings", "Spread", "characterise"]

DEFAULT_MAPPINGS: Final = 3
"""The fewest that have a median which is one of them, and a range."""
LARGE_CELLS: Final = 6_000
"""Cells of the first mapping above which it is the only one unless a number is asked for: more
would take a report of such a core beyond two minutes."""

_SPREAD: Final = sorted(
    {kind.part_of for kind in CORE_FIGURES.values() if kind.end is not None}
    & {field.name for field in fields(AsicFigures)}
)
"""Figures whose range over mappings is stated."""
Say = Callable[[str], None]


class KeptMappings(Protocol):
    """Where finished mappings are found again."""

    def get(self, seed: int) -> AsicFigures | None:
        """The figures of a seed, or None."""

    def put(self, seed: int, figures: AsicFigures) -> None:
        """Keeps the figures of a seed."""


class NoneKept:
    """Keeps nothing."""

    def get(self, seed: int) -> AsicFigures | None:
        """Nothing."""
        del seed
        return None

    def put(self, seed: int, figures: AsicFigures) -> None:
        """Nothing is kept."""


@dataclass(frozen=True, slots=True)
class Spread:
    """Figures over mappings."""

    median: AsicFigures
    """Median of each number; the rest of the mapping nearest to the median."""
    by_seed: Mapping[int, AsicFigures]

    def ends(self, name: str) -> tuple[float, float] | None:
        """Lowest and highest of a figure; None where some mapping has none."""
        values = [getattr(asic_figures, name) for asic_figures in self.by_seed.values()]
        return None if None in values else (min(values), max(values))


def characterise(
    core: Core,
    parameters: Mapping[str, int],
    asked: CellRequest,
    *,
    folder: Path,
    mappings: int | None = None,
    kept: KeptMappings | None = None,
    say: Say = lambda _text: None,
    observe: Callable[[int, Circuit], None] | None = None,
) -> Spread:
    """Figures of a core over mappings of the seeds 1 to `mappings`.

    All mappings are made and timed before the core is simulated, once for all of them, so that a
    clock that one of them does not allow is refused before minutes of work. Each is kept as soon as
    it is done.

    Args:
        core: The core.
        parameters: Of its top module, all of them.
        asked: Library and options.
        folder: For everything that the run leaves.
        mappings: Seeds; None: DEFAULT_MAPPINGS, or one for a core of more than LARGE_CELLS cells.
        kept: Finished mappings of an earlier run.
        say: Told what is being done.
        observe: Told of the seed and the circuit of each mapping that is made.

    Raises:
        UnavailableError: a tool is missing; the message names its package.
        UsageError: the library, mapping, wire model or clock cannot be used.
        ImplementationError: the core does not build, or RTL or netlist gives a wrong result.
    """
    kept = kept or NoneKept()
    done, waiting = _done_and_waiting(core, parameters, asked, folder, mappings, kept, say)
    if asked.with_power:
        periods = [asic_figures.period_s for asic_figures in done.values()]
        periods += [mapped.period_s for mapped in waiting.values()]
        check_clock(core, asked.clock_hz, max(periods))
    if waiting:
        say("simulating")
        first = next(iter(waiting.values()))
        recording, clocks = simulated(core, parameters, first.netlist, asked, folder)
        for number in list(waiting):
            if recording is not None:
                say(f"replaying the netlist of mapping {number}")
            place = _folder(folder, number)
            done[number] = figures_of(
                core, parameters, waiting.pop(number), recording, clocks, asked, place,
                observe=observe and partial(observe, number),
            )  # fmt: skip
            kept.put(number, done[number])
    return spread_of({seed: done[seed] for seed in sorted(done)})


def _done_and_waiting(
    core: Core, parameters: Mapping[str, int], asked: CellRequest, folder: Path,
    mappings: int | None, kept: KeptMappings, say: Say,
) -> tuple[dict[int, AsicFigures], dict[int, TimedMapping]]:  # fmt: skip
    """By seed: figures of an earlier run, and mappings that were made and timed now."""
    done: dict[int, AsicFigures] = {}
    waiting: dict[int, TimedMapping] = {}
    seed, last = 1, mappings or DEFAULT_MAPPINGS
    while seed <= last:
        found = kept.get(seed)
        if found is not None:
            done[seed] = found
        else:
            say(f"mapping {seed}")
            waiting[seed] = map_and_time(core, parameters, asked, _folder(folder, seed), seed=seed)
        if mappings is None and seed == 1:
            cells = found.cells if found is not None else len(waiting[1].netlist.instances)
            last = 1 if cells > LARGE_CELLS else last
        seed += 1
    return done, waiting


def _folder(folder: Path, seed: int) -> Path:
    return folder / f"mapping{seed}"


def spread_of(by_seed: Mapping[int, AsicFigures]) -> Spread:
    """Medians of the figures of some mappings."""
    ones = list(by_seed.values())
    by = "area_ge" if ones[0].energy_per_block_j is None else "energy_per_block_j"
    middle = median(getattr(asic_figures, by) for asic_figures in ones)
    shown = min(by_seed, key=lambda seed: abs(getattr(by_seed[seed], by) - middle))
    numbers: dict[str, Any] = {
        field.name: _median([getattr(figures, field.name) for figures in ones])
        for field in fields(AsicFigures)
        if isinstance(getattr(ones[0], field.name), int | float)
    }
    settings: dict[str, Any] = {
        **by_seed[shown].settings,
        "mappings": [
            {"seed": seed, **{name: getattr(asic_figures, name) for name in _SPREAD}}
            for seed, asic_figures in by_seed.items()
        ],
        "mapping_shown": shown,
    }
    return Spread(replace(by_seed[shown], **numbers, settings=settings), by_seed)


def _median(values: Sequence[float]) -> float:
    found = median(values)
    return int(found) if isinstance(values[0], int) and found == int(found) else found
