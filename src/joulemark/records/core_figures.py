# SPDX-License-Identifier: Apache-2.0
"""The table of figures of hardware cores: names, units, and the targets that have each figure.

Reports, their JSON, tables, exports, the page and studies read it. A new figure is a line here and
the code in `joulemark.hardware.flow` that computes it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, IntEnum
from typing import Any, Final

from joulemark.records import JsonObject
from joulemark.records.figures import Evidence, FigureGroup, FigureKind, FigureUnit


class FigurePlace(Enum):
    """Where a figure of a core is shown; JSON and CSV have all figures."""

    TABLES = "the page, Markdown, the tables of runs, and `joulemark core report`"
    REPORT = "`joulemark core report` alone"
    DATA = "no table"


class FigureEnd(IntEnum):
    """Which end of a range over mappings or seeds a figure is."""

    LOWEST = 0
    HIGHEST = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class CoreFigure(FigureKind):
    """One kind of figure of a core."""

    meaning: str = ""
    """Explanation where title and unit do not say all."""
    part_of: str = ""
    """Field of the figure below which this one stands."""
    end: FigureEnd | None = None
    """The end of the range of `part_of`; None if the figure is no end of a range."""
    place: FigurePlace = FigurePlace.TABLES
    evidence: Evidence = Evidence.MODELLED


_F, _U, _G = CoreFigure, FigureUnit, FigureGroup
_REPORT: Final = FigurePlace.REPORT


def _ends(
    of: str, over: str, unit: FigureUnit, group: FigureGroup, place: FigurePlace
) -> list[CoreFigure]:
    """Lowest and highest of a figure, as in `area_lowest_ge`, over mappings or seeds."""
    stem, _, suffix = of.rpartition("_")
    return [
        CoreFigure(
            f"{stem}_{end.name.lower()}_{suffix}",
            f"{end.name.lower()} of the {over}",
            unit,
            group,
            part_of=of,
            end=end,
            place=place,
        )
        for end in FigureEnd
    ]


_TABLE: Final = (
    _F(
        "clocks_per_block",
        "Clocks per block",
        _U.CLOCKS,
        _G.CORE,
        evidence=Evidence.SIMULATED,
        meaning="Between blocks of back-to-back messages of the manifest's workload.",
    ),
    _F(
        "latency_clocks",
        "Latency in clocks",
        _U.CLOCKS,
        _G.CORE,
        evidence=Evidence.SIMULATED,
        meaning="Of one message of the workload alone, last word in to first word of the result.",
    ),
    _F("luts", "LUTs", _U.COUNT, _G.FPGA),
    _F("flip_flops", "Flip-flops", _U.COUNT, _G.FPGA),
    _F("block_rams", "Block RAMs", _U.COUNT, _G.FPGA),
    _F("multipliers", "Multipliers", _U.COUNT, _G.FPGA, place=_REPORT),
    _F("seeds", "Seeds of the placer", _U.COUNT, _G.FPGA, place=FigurePlace.DATA),
    _F(
        "mappings",
        "Seeds of the mapping",
        _U.COUNT,
        _G.LIBRARY,
        place=FigurePlace.DATA,
        meaning="Figures in a cell library are medians over them.",
    ),
    _F("area_um2", "Area", _U.SQUARE_MICROMETRES, _G.LIBRARY),
    _F("area_ge", "Area in NAND2", _U.GATES, _G.CELLS, meaning="Modelled trees included."),
    *_ends("area_ge", "mappings", _U.GATES, _G.LIBRARY, FigurePlace.TABLES),
    _F(
        "storage_ge",
        "of it storage",
        _U.GATES,
        _G.CELLS,
        part_of="area_ge",
        meaning="Flip-flops, latches and clock gates.",
    ),
    _F("logic_ge", "of it logic", _U.GATES, _G.CELLS, part_of="area_ge"),
    _F(
        "clock_tree_ge",
        "of it clock tree (modelled)",
        _U.GATES,
        _G.LIBRARY,
        part_of="area_ge",
        meaning="Buffers of the clock, as a model of layout has them.",
    ),
    _F(
        "reset_tree_ge",
        "of it reset tree (modelled)",
        _U.GATES,
        _G.LIBRARY,
        part_of="area_ge",
        meaning="Buffers of resets that come in at a port; those of resets made by logic are in "
        "`logic_ge`.",
    ),
    _F("area_without_trees_ge", "without trees", _U.GATES, _G.LIBRARY, part_of="area_ge"),
    _F(
        "fmax_hz",
        "Highest clock",
        _U.HERTZ,
        _G.TIMED,
        meaning="On an FPGA the median over the seeds, in a library the reciprocal of `period_s`.",
    ),
    *_ends("fmax_hz", "seeds", _U.HERTZ, _G.FPGA, _REPORT),
    _F(
        "period_s",
        "Shortest clock period",
        _U.SECONDS,
        _G.LIBRARY,
        meaning="In which every path settles, halves of latches and the clock's modelled skew "
        "included.",
    ),
    *_ends("period_s", "mappings", _U.SECONDS, _G.LIBRARY, _REPORT),
    _F(
        "clock_skew_s",
        "of it clock skew (modelled)",
        _U.SECONDS,
        _G.LIBRARY,
        part_of="period_s",
        meaning="What the period loses by it, once in each budget.",
    ),
    _F(
        "period_without_trees_s",
        "without trees",
        _U.SECONDS,
        _G.LIBRARY,
        part_of="period_s",
        place=_REPORT,
        meaning="With an ideal clock.",
    ),
    _F(
        "throughput_bit_per_s",
        "Throughput",
        _U.BITS_PER_SECOND,
        _G.TIMED,
        meaning="At the highest clock.",
    ),
    _F("bit_per_s_per_lut", "Throughput per LUT", _U.BITS_PER_SECOND, _G.FPGA),
    _F(
        "clock_insertion_s",
        "Insertion delay of the clock tree (modelled)",
        _U.SECONDS,
        _G.LIBRARY,
        place=_REPORT,
        meaning="From the clock port to the sinks that it reaches last.",
    ),
    _F(
        "critical_path_s",
        "Critical path",
        _U.SECONDS,
        _G.LIBRARY,
        place=_REPORT,
        meaning="Of a core without latches. Paths through latches may take more than a period, or "
        "may go through latches that are never open at once.",
    ),
    _F(
        "critical_path_pin_cap_s",
        "without wires",
        _U.SECONDS,
        _G.LIBRARY,
        part_of="critical_path_s",
        place=_REPORT,
    ),
    _F("leakage_w", "Leakage", _U.WATTS, _G.LIBRARY),
    _F(
        "trees_leakage_w",
        "of it clock and reset trees (modelled)",
        _U.WATTS,
        _G.LIBRARY,
        part_of="leakage_w",
        place=_REPORT,
    ),
    _F(
        "dynamic_w",
        "Dynamic power",
        _U.WATTS,
        _G.LIBRARY,
        meaning="At `settings.clock_hz`, glitches, wires and modelled trees included.",
    ),
    _F(
        "clock_tree_w",
        "of it clock tree (modelled)",
        _U.WATTS,
        _G.LIBRARY,
        part_of="dynamic_w",
        meaning="All modelled trees.",
    ),
    _F(
        "dynamic_no_glitch_w",
        "without glitches",
        _U.WATTS,
        _G.LIBRARY,
        part_of="dynamic_w",
        place=_REPORT,
    ),
    _F(
        "dynamic_pin_cap_w",
        "without wires",
        _U.WATTS,
        _G.LIBRARY,
        part_of="dynamic_w",
        place=_REPORT,
    ),
    _F(
        "energy_per_block_j",
        "Energy per block",
        _U.JOULES,
        _G.LIBRARY,
        meaning="At `settings.clock_hz`.",
    ),
    *_ends("energy_per_block_j", "mappings", _U.JOULES, _G.LIBRARY, FigurePlace.TABLES),
    _F(
        "energy_per_block_without_trees_j",
        "without trees",
        _U.JOULES,
        _G.LIBRARY,
        part_of="energy_per_block_j",
    ),
    _F("energy_per_byte_j", "Energy per byte", _U.JOULES, _G.LIBRARY),
    _F(
        "energy_per_mac_j",
        "Energy per message",
        _U.JOULES,
        _G.LIBRARY,
        place=_REPORT,
        meaning="Of one message of the workload, its padding included.",
    ),
)
CORE_FIGURES: Final = {kind.field: kind for kind in _TABLE}
"""The figures by field, in the order of tables and exports. The field says the unit of an area."""

_IN_MEGAHERTZ: Final = {
    "fmax_mhz": "fmax_hz",
    "fmax_lowest_mhz": "fmax_lowest_hz",
    "fmax_highest_mhz": "fmax_highest_hz",
    "fmax_by_seed_mhz": "fmax_by_seed_hz",
}
"""Old names, in use until schema 2 of a core's report and schema 5 of results -> names of today."""


def with_present_names(facts: Mapping[str, Any]) -> JsonObject:
    """Figures, settings, words or reasons of a stored report under the names of today.

    Numbers under an old name were in megahertz and become hertz.
    """
    return {
        _IN_MEGAHERTZ.get(name, name): _in_hertz(fact) if name in _IN_MEGAHERTZ else fact
        for name, fact in facts.items()
    }


def _in_hertz(value: Any) -> Any:
    if isinstance(value, list):
        return [_in_hertz(item) for item in value]
    return value * 1e6 if isinstance(value, float) else value
