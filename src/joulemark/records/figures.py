# SPDX-License-Identifier: Apache-2.0
"""Figures: the name, the unit and the group of each, why one is missing, and why one may be wrong.

Tables, exports and the page read the table of figures. A new figure of a result is a line here, a
field of `Result` or `DomainEnergy` (`joulemark.analyse`), and the code that computes it; a
test holds the table to the fields. Figures of hardware cores are in `core_figures`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, StrEnum
from typing import Final

# Why a result has no figure of some name: a kind for code to ask, a sentence for the reader.


class AbsenceKind(StrEnum):
    """The kind of reason for which a figure is missing."""

    NOT_ASKED = "not asked for"
    REFUSED = "refused"
    """The figure was computed, and is too uncertain to be stated."""
    LACKING = "lacking"
    """The counters or facts that it is computed from do not exist here, or were not taken."""


@dataclass(frozen=True, slots=True)
class Absence:
    """Why one figure is missing."""

    text: str
    kind: AbsenceKind = AbsenceKind.LACKING

    @property
    def sentence(self) -> str:
        """The text of tables and JSON, in which a refusal begins with that word."""
        return f"{self.kind.value}: {self.text}" if self.kind is AbsenceKind.REFUSED else self.text

    @staticmethod
    def from_sentence(text: str) -> Absence:
        """The absence that `sentence` described; needed for JSON, which has only the sentence."""
        for absence in (ENERGY_NOT_ASKED, MODEL_NOT_ASKED):
            if text == absence.text:
                return absence
        word, _, rest = text.partition(": ")
        refused = word == AbsenceKind.REFUSED.value
        return Absence(rest, AbsenceKind.REFUSED) if refused else Absence(text)


ENERGY_NOT_ASKED: Final = Absence(
    "energy was not asked for (bench --energy)", AbsenceKind.NOT_ASKED
)
"""Why a run without a meter has no figure in joules or watts."""
MODEL_NOT_ASKED: Final = Absence(
    "modelled joules were not asked for (bench --modelled-power)", AbsenceKind.NOT_ASKED
)
NO_COST_PER_BYTE: Final = Absence("a message of 0 bytes has no cost per byte")


# Reasons why a figure may be wrong: a kind for code to ask, a sentence for the reader.


class DoubtKind(StrEnum):
    """The kinds of doubt about one trial; the last four before `OTHER` are those of its energy."""

    TOO_FEW_SAMPLES = "too few samples"
    OUTLIERS = "outliers"
    DRIFT = "drift"
    WIDE_INTERVAL = "wide interval"
    INTERRUPTED = "interrupted"
    SHARED_CORE = "shared core"
    GIVES_UP = "gives up the CPU"
    OFF_CPU = "off CPU"
    SLOW_MEDIAN = "median far above the minimum"
    FOREIGN_CPU = "foreign CPU time"
    STEAL = "steal time"
    CORE_CLOCK = "core clock"
    VOID_WINDOWS = "void energy windows"
    FOREIGN_IN_ENERGY = "foreign CPU in energy"
    POWER_DRIFT = "power drift"
    TEMPERATURE = "temperature"
    OTHER = "other"
    """A kind in the JSON of another version."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """One reason why a figure may be wrong."""

    kind: DoubtKind
    text: str
    """Tells the user the reason, its size, and the remedy."""

    @property
    def sentence(self) -> str:
        """The text of tables and JSON: "kind: text"."""
        return self.text if self.kind is DoubtKind.OTHER else f"{self.kind.value}: {self.text}"

    @staticmethod
    def from_sentence(text: str) -> Doubt:
        """The doubt that `sentence` described; needed for JSON, which has only the sentence."""
        word, _, rest = text.partition(": ")
        known = word in {kind.value for kind in DoubtKind} - {DoubtKind.OTHER.value}
        return Doubt(DoubtKind(word), rest) if known else Doubt(DoubtKind.OTHER, text)


# The table of figures.

# The four words that say how a figure was obtained.


class Evidence(StrEnum):
    """How a figure was obtained; never mixed without the word beside it."""

    MEASURED = "measured"
    SIMULATED = "simulated"
    MODELLED = "modelled"
    PUBLISHED = "published"


class FigureUnit(Enum):
    """Unit of a figure's values; each unit is written in one way."""

    SECONDS = "s"
    JOULES = "J"
    WATTS = "W"
    JOULE_SECONDS = "J\N{MIDDLE DOT}s"
    """A product of units takes a half-high dot (SI Brochure, 9th ed., 5.2)."""
    CORE_CYCLES = "core cycles"
    TSC_TICKS = "TSC ticks"
    CLOCKS = "clocks"
    INSTRUCTIONS = "instructions"
    BYTES = "B"
    HERTZ = "Hz"
    BITS_PER_SECOND = "bit/s"
    GATES = "GE"
    """Area over the area of a two-input NAND gate."""
    SQUARE_MICROMETRES = "\N{MICRO SIGN}m\N{SUPERSCRIPT TWO}"
    COUNT = ""


class FigureGroup(StrEnum):
    """The kind of result that has a figure."""

    TIME = "time"
    """Software, as its clocks tell."""
    COUNTS = "counts"
    """Software, as counters of the machine's core cycles and TSC ticks tell."""
    CLOCKS = "clocks"
    """Only the simulation of a hardware core."""
    FIRMWARE = "firmware"
    """Only a firmware target, which has core cycles too."""
    ENERGY = "energy"
    """Each metered domain, and the result, for its headline domain."""
    MODELLED = "modelled"
    """A result whose energy is time times a power that the user stated."""
    DOMAIN = "domain"
    """Only a metered domain."""
    CORE = "every target"
    """A hardware core on every target. The groups below name targets on which a core has a
    figure."""
    FPGA = "FPGA"
    TIMED = "FPGA, cell library"
    CELLS = "generic gates, cell library"
    LIBRARY = "cell library"


@dataclass(frozen=True, slots=True)
class FigureKind:
    """One kind of figure."""

    field: str
    """Name of the figure in its record, in JSON, and in `reasons`."""
    title: str
    """The begin of headings."""
    unit: FigureUnit
    group: FigureGroup
    csv_stem: str = ""
    """First part of the names of its columns in CSV; empty if it has no columns."""
    basis: str = ""
    """Which power was subtracted, in words, or "gross"; empty where none could be."""

    @property
    def heading(self) -> str:
        """Title and basis, as in "Energy per message (gross)"."""
        return f"{self.title} ({self.basis})" if self.basis else self.title

    @property
    def short_heading(self) -> str:
        """The heading on two lines and without a capital, for narrow columns."""
        first = self.title if self.title[1:2].isupper() else self.title[0].lower() + self.title[1:]
        return f"{first}\n{self.basis}" if self.basis else first


_GROSS: Final = "gross"
_NET: Final = "net of deep idle"
_U, _G = FigureUnit, FigureGroup

FIGURES: Final = (
    FigureKind(
        "seconds_per_message", "Time per message", _U.SECONDS, _G.TIME, "time_s_per_message"
    ),
    FigureKind(
        "thread_cpu_seconds_per_message",
        "CPU time per message",
        _U.SECONDS,
        _G.TIME,
        "thread_cpu_time_s_per_message",
    ),
    FigureKind(
        "tsc_ticks_per_message",
        "TSC ticks per message",
        _U.TSC_TICKS,
        _G.COUNTS,
        "tsc_ticks_per_message",
    ),
    FigureKind(
        "tsc_ticks_per_byte", "TSC ticks per byte", _U.TSC_TICKS, _G.COUNTS, "tsc_ticks_per_byte"
    ),
    FigureKind(
        "core_cycles_per_message",
        "Core cycles per message",
        _U.CORE_CYCLES,
        _G.COUNTS,
        "core_cycles_per_message",
    ),
    FigureKind(
        "core_cycles_per_byte",
        "Core cycles per byte",
        _U.CORE_CYCLES,
        _G.COUNTS,
        "core_cycles_per_byte",
    ),
    FigureKind(
        "clocks_per_message", "Clocks per message", _U.CLOCKS, _G.CLOCKS, "clocks_per_message"
    ),
    FigureKind("clocks_per_byte", "Clocks per byte", _U.CLOCKS, _G.CLOCKS, "clocks_per_byte"),
    FigureKind(
        "key_setup_clocks", "Clocks of key set-up", _U.CLOCKS, _G.CLOCKS, "key_setup_clocks"
    ),
    FigureKind(
        "instructions_per_message",
        "Instructions per message",
        _U.INSTRUCTIONS,
        _G.FIRMWARE,
        "instructions_per_message",
    ),
    FigureKind(
        "key_setup_core_cycles",
        "Core cycles of key set-up",
        _U.CORE_CYCLES,
        _G.FIRMWARE,
        "key_setup_core_cycles",
    ),
    FigureKind("code_bytes", "Code", _U.BYTES, _G.FIRMWARE, "code_bytes"),
    FigureKind("constant_bytes", "Constants", _U.BYTES, _G.FIRMWARE, "constant_bytes"),
    FigureKind("static_ram_bytes", "Static RAM", _U.BYTES, _G.FIRMWARE, "static_ram_bytes"),
    FigureKind("state_bytes", "Key state", _U.BYTES, _G.FIRMWARE, "state_bytes"),
    FigureKind("stack_bytes", "Peak stack", _U.BYTES, _G.FIRMWARE, "stack_bytes"),
    FigureKind(
        "joules_per_byte", "Energy per byte", _U.JOULES, _G.ENERGY, "energy_j_per_byte", _NET
    ),
    FigureKind(
        "joules_per_message",
        "Energy per message",
        _U.JOULES,
        _G.ENERGY,
        "energy_j_per_message",
        _NET,
    ),
    FigureKind(
        "gross_joules_per_message",
        "Energy per message",
        _U.JOULES,
        _G.ENERGY,
        "gross_energy_j_per_message",
        _GROSS,
    ),
    FigureKind("watts", "Power", _U.WATTS, _G.ENERGY, "gross_power_w", _GROSS),
    FigureKind(
        "joule_seconds_per_message",
        "Energy-delay product per message",
        _U.JOULE_SECONDS,
        _G.ENERGY,
        "energy_delay_j_s_per_message",
        _NET,
    ),
    FigureKind(
        "modelled_joules_per_byte",
        "Modelled energy per byte",
        _U.JOULES,
        _G.MODELLED,
        "modelled_energy_j_per_byte",
    ),
    FigureKind(
        "modelled_joules_per_message",
        "Modelled energy per message",
        _U.JOULES,
        _G.MODELLED,
        "modelled_energy_j_per_message",
    ),
    FigureKind("gross_joules_per_byte", "Energy per byte", _U.JOULES, _G.DOMAIN, basis=_GROSS),
    FigureKind(
        "active_net_joules_per_message",
        "Energy per message",
        _U.JOULES,
        _G.DOMAIN,
        basis="net of active idle",
    ),
    FigureKind("net_watts", "Power", _U.WATTS, _G.DOMAIN, basis=_NET),
    FigureKind("static_watts", "Static power", _U.WATTS, _G.DOMAIN, basis="deep idle"),
    FigureKind("active_idle_watts", "Active-idle power", _U.WATTS, _G.DOMAIN),
)
"""All kinds, in the order of exports."""

_BY_FIELD: Final = {kind.field: kind for kind in FIGURES}


def figure_kind(field: str) -> FigureKind:
    """The kind of this field."""
    return _BY_FIELD[field]


def figures_in(*groups: FigureGroup) -> tuple[FigureKind, ...]:
    """The kinds of these groups, in the order of the table."""
    return tuple(kind for kind in FIGURES if kind.group in groups)


def fields_in(*groups: FigureGroup) -> tuple[str, ...]:
    """The fields of these groups, in the order of the table."""
    return tuple(kind.field for kind in figures_in(*groups))


ENERGY_FIELDS: Final = fields_in(FigureGroup.ENERGY)
"""Figures of a result that repeat those of the headline domain."""
CLOCK_FIELDS: Final = fields_in(FigureGroup.CLOCKS)
"""Figures of a result that hardware cores alone have."""
