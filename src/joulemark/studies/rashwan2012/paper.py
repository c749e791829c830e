# SPDX-License-Identifier: Apache-2.0
"""The facts of rashwan2012, and the findings about its functions, builds, sizes and cores."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Final, Literal

from pydantic import Field

from joulemark.measure.inventory import Inventory
from joulemark.stats import median
from joulemark.studies.papers import Count, Paper, PaperFacts, read_paper

# Workload and functions; the paper prints charts and no numbers.


class RashwanExperiment(PaperFacts):
    """Facts of section III."""

    sessions: Count
    smallest_bytes: Count
    largest_bytes: Count
    sizes_interpretation: str
    machine: str
    library: str
    per_thread_function: str
    per_thread_place: str

    @property
    def sizes_bytes(self) -> list[int]:
        """Powers of two from the smallest to the largest."""
        bits = range(self.smallest_bytes.bit_length() - 1, self.largest_bytes.bit_length())
        return [1 << bit for bit in bits]


class PaperFunction(PaperFacts):
    """A function that the paper measured."""

    name: str
    algorithm: str = Field(description="id in our catalogue, if the catalogue has it")


class Rashwan2012(Paper):
    """`catalogue/papers/rashwan2012.toml`."""

    experiment: RashwanExperiment
    functions: list[PaperFunction]
    beyond: list[PaperFunction] = Field(default_factory=list)
    """Functions that the paper did not measure, and that a designer would weigh today."""


rashwan2012 = cache(partial(read_paper, Rashwan2012, "rashwan2012"))
"""The facts of the paper, read once."""


Build = Literal["software-only", "hardware-assisted"]
Scope = Literal["one core", "all cores"]
ProcessingFigure = Literal["absolute", "apparent"]
FIGURES: Final[tuple[ProcessingFigure, ProcessingFigure]] = ("absolute", "apparent")
STAND_IN: Final = "OMAC1-Rijndael"
"""Function that is drawn per thread if VMAC-AES128 is not here; its charts say so."""
BUILDS: Final[tuple[Build, Build]] = ("software-only", "hardware-assisted")


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowRow:
    """Figures of one window; ticks are those of the time-stamp counter, or ns without one."""

    absolute_ticks: float
    """Absolute processing, per byte."""
    apparent_ticks: float
    """Apparent processing, per byte."""
    core_cycles_per_tick: float | None
    fairness: float
    migrations_per_s: float
    preemptions_per_s: float
    own_share: float
    window_s: float
    attempts: int
    troubles: list[str]
    """Troubles of the window; empty if the window counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionCell:
    """One function in one build on one set of cores, at one size."""

    function: str
    build: Build
    scope: Scope
    size_bytes: int
    implementation: str
    windows: list[WindowRow]
    """One for each round, at least one."""

    @property
    def good(self) -> list[WindowRow]:
        """The windows that count, on which alone figures stand."""
        return [window for window in self.windows if not window.troubles]

    def values(self, figure: ProcessingFigure, *, cycles: bool) -> list[float]:
        """Returns the figure of each window that counts per byte, in core cycles or in ticks."""
        return [
            getattr(window, f"{figure}_ticks")
            * ((window.core_cycles_per_tick or 1.0) if cycles else 1.0)
            for window in self.good
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionRow:
    """One session of a long window; ticks are per byte, and None if the session tagged nothing."""

    wall_ticks: float | None
    absolute_ticks: float | None
    apparent_ticks: float | None
    migrations: int
    preemptions: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PerThread:
    """All sessions of one long window."""

    scope: Scope
    function: str
    implementation: str
    size_bytes: int
    core_cycles_per_tick: float | None
    troubles: list[str]
    window_s: float
    sessions: list[SessionRow]


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionsStep:
    """A number of sessions that was tried on one set of cores, and what followed."""

    sessions: int
    scope: Scope
    window_s: float
    own_share: float
    troubles: list[str]
    step: str
    """A sentence: the window counts, or the next number and why, or why there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CoresCell:
    """The function of single sessions on so many cores."""

    cores: int
    cell: FunctionCell


@dataclass(frozen=True, slots=True, kw_only=True)
class KeySetupRow:
    """The set-up of a key by one function in one build, in seconds, without a message."""

    function: str
    build: Build
    implementation: str
    seconds: float
    """A message with a fresh key less a message with a kept key, by the medians."""
    low_s: float
    """The least and the most that the two intervals allow."""
    high_s: float
    message_seconds: float
    """The message of `message_bytes` with a kept key."""
    message_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherLibrary:
    """OMAC1-Rijndael of another library than the study's, at the largest size."""

    library: str
    """A key of `LIBRARIES`."""
    cell: FunctionCell


@dataclass(frozen=True, slots=True, kw_only=True)
class RashwanFindings:
    """The whole measurement."""

    cells: list[FunctionCell]
    per_thread: list[PerThread]
    absent: dict[str, str]
    """Function of the paper -> why it is not here."""
    missing: list[str]
    sessions: int
    cores: tuple[int, ...]
    """All cores; the first is the one core."""
    rounds: int
    window_s: float
    ticks_are_tsc: bool
    library: str
    """Library of the functions, a key of `LIBRARIES`."""
    beyond: list[str]
    """Functions that the paper did not measure; its claims do not speak of them."""
    asked_sessions: int
    """Number of sessions that the workflow began with."""
    steps: list[SessionsStep] = field(default_factory=list)
    by_cores: list[CoresCell] = field(default_factory=list)
    key_setups: list[KeySetupRow] = field(default_factory=list)
    elsewhere: list[OtherLibrary] = field(default_factory=list)
    hardware_threads: list[list[int]] | None = None
    """Groups of the cores that are hardware threads of one core; None if Linux does not tell."""

    @property
    def figures(self) -> list[FunctionCell]:
        """The cells of which a window counts; all others have no figure."""
        return [cell for cell in self.cells if cell.good]

    def reads_no_table(self, cell: FunctionCell) -> bool:
        """Whether a cell is our AES in plain C, which takes the same time for every key."""
        return cell.function == STAND_IN and cell.implementation.endswith("/portable")

    @property
    def void(self) -> str:
        """A sentence about the windows that do not count; empty if all count."""
        windows = [row for cell in self.cells for row in cell.windows]
        bad = [row for row in windows if row.troubles]
        kinds = sorted({kind for row in bad for kind in row.troubles})
        return (
            f" {len(bad)} of {len(windows)} windows do not count: {', '.join(kinds)}."
            if bad
            else ""
        )

    @property
    def cycles(self) -> bool:
        """Whether every window that counts has clock probes, so that figures are in core cycles."""
        beside = [row.cell for row in self.by_cores] + [row.cell for row in self.elsewhere]
        return self.ticks_are_tsc and all(
            row.core_cycles_per_tick is not None
            for cell in (*self.figures, *beside)
            for row in cell.good
        )

    @property
    def unit(self) -> str:
        """Unit of every figure per byte."""
        return "core cycles" if self.cycles else "TSC ticks" if self.ticks_are_tsc else "ns"

    @property
    def scopes(self) -> list[Scope]:
        """The sets of cores, the largest last."""
        return ["one core", "all cores"] if len(self.cores) > 1 else ["one core"]

    def cell(
        self, function: str, build: Build, scope: Scope, size_bytes: int
    ) -> FunctionCell | None:
        """Returns one cell; None if it has no figure."""
        key = (function, build, scope, size_bytes)
        return next(
            (c for c in self.figures if (c.function, c.build, c.scope, c.size_bytes) == key), None
        )

    def absolute(self, cell: FunctionCell) -> float:
        """Returns the median of absolute processing over the windows of a cell."""
        return median(cell.values("absolute", cycles=self.cycles))

    def apparent(self, cell: FunctionCell) -> float:
        """Returns the median of apparent processing over the windows of a cell."""
        return median(cell.values("apparent", cycles=self.cycles))

    def pairs(self) -> Iterator[tuple[FunctionCell, FunctionCell]]:
        """Yields the cell on one core and that on all cores, else alike."""
        for cell in self.figures:
            if cell.scope == "one core":
                other = self.cell(cell.function, cell.build, "all cores", cell.size_bytes)
                if other is not None:
                    yield cell, other

    def order(self, build: Build, scope: Scope, size_bytes: int) -> list[FunctionCell]:
        """Returns the cells of the paper's functions by absolute processing, the cheapest first."""
        key = (build, scope, size_bytes)
        cells = [c for c in self.figures if (c.build, c.scope, c.size_bytes) == key]
        return sorted((c for c in cells if c.function not in self.beyond), key=self.absolute)


def told_apart(
    cheap: FunctionCell, dear: FunctionCell, value: Callable[[FunctionCell], list[float]]
) -> bool:
    """Whether every window of the first is below every window of the second, two each or more."""
    low, high = value(cheap), value(dear)
    return min(len(low), len(high)) > 1 and max(low) < min(high)


# Libraries that a function can be taken from, each in two builds: software only, and assisted.
#
# The builds of our kernels are variants: `portable`, and the variant that `auto` stands for. The
# libraries of others choose by the CPU when they run, so both builds are one file: in the workers
# of software alone a variable hides the instructions that a CPU may lack, those of AES, SHA and
# wide vectors.

OWN: Final = "joulemark"


@dataclass(frozen=True, slots=True)
class LibraryBuilds:
    """A library with its two builds."""

    title: str
    variant: str
    """The variant that is measured, in the call style that keeps a key; empty for our kernels."""
    variables: Mapping[str, str]
    """Environment variables of workers of software alone."""
    note: str
    """A sentence about the two builds."""

    def builds(self, algorithm: str, inventory: Inventory) -> dict[Build, str] | None:
        """Returns the implementations of an algorithm by build; None if a build is missing."""
        if self.variant:
            name = f"{algorithm}/{self.variant}"
            return dict.fromkeys(BUILDS, name) if name in inventory.facts else None
        auto = inventory.facts.get(f"{algorithm}/auto")
        portable = f"{algorithm}/portable"
        if auto is None or portable not in inventory.facts:
            return None
        return dict(zip(BUILDS, (portable, f"{algorithm}/{auto.chosen}"), strict=True))


LIBRARIES: Final[dict[str, LibraryBuilds]] = {
    OWN: LibraryBuilds(
        "our kernels",
        "",
        {},
        "software-only is our variant portable, hardware-assisted is the variant that auto "
        "chooses here.",
    ),
    "openssl": LibraryBuilds(
        "OpenSSL",
        "openssl_mac_reinit",
        {"OPENSSL_ia32cap": "0:0"},
        "Both builds are the OpenSSL found here: as software alone with OPENSSL_ia32cap=0:0, by "
        "which it finds no instructions for AES or SHA and no vectors beyond SSE2.",
    ),
    "cryptopp": LibraryBuilds(
        "Crypto++",
        "cryptopp",
        {"JOULEMARK_SOFTWARE_ONLY": "1"},
        "Both builds are the Crypto++ found here, which the paper measured too: as software alone "
        "our provider sets its variables of CPU features to none beyond SSE2.",
    ),
}
"""Name on the command line -> library."""
