# SPDX-License-Identifier: Apache-2.0
"""Estimates of whole stores, kept in a file of caches until a run's content changes.

Here is what is kept of a run: its results, and the gate's judgement.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from joulemark.analyse import Figure, Result, ResultSet
from joulemark.analyse.from_elsewhere import RunSamples
from joulemark.analyse.gate import check
from joulemark.analyse.gate_outcome import GateCode
from joulemark.analyse.gate_report import workload_words
from joulemark.analyse.verdict import Comparison, Verdict
from joulemark.errors import UsageError
from joulemark.records.figures import FIGURES, DoubtKind, FigureUnit
from joulemark.report.words import UNIT_TEXT, cause_of, length_text, shown_name, workload_label

KEPT_FIELDS: Final = tuple(kind.field for kind in FIGURES if kind.field in Result.model_fields)
"""Figures of a result; a new line of the table of figures is kept without another entry."""
BUILD_FACTS: Final = ("provider", "library_version", "compiler", "flags")


class Estimate(NamedTuple):
    """One figure: its median and 95 % interval in the unit of its field."""

    median: float
    low: float
    high: float
    evidence: str
    samples: int


@dataclass(frozen=True, slots=True)
class Line:
    """One result: a trial of a run with its figures."""

    run: int
    algorithm: str
    implementation: str
    name: str
    """The implementation's name as shown under its algorithm."""
    provider: str
    target: str
    size_bytes: int
    length: str
    """Message length in words; of a mix the mean."""
    workload: str
    """All that a workload says besides the length."""
    doubts: tuple[str, ...]
    """Doubts about the figures, as sentences."""
    causes: tuple[str, ...]
    """Names of the causes of these doubts."""
    figures: dict[str, Estimate]
    """Field -> estimate, of the figures that were asked for and exist."""


@dataclass(frozen=True, slots=True)
class RunDetails:
    """All that pages show of a run besides its figures."""

    warnings: list[str]
    failures: list[list[Any]]
    """Implementation, kind, reason, and message length in bytes or None."""
    context: dict[str, Any]
    """The context of the `ResultSet`, without the entry `implementations`."""
    implementations: dict[str, dict[str, str]]
    """Name -> provider, library version, compiler and flags."""


def lines_of(results: ResultSet, run: int) -> list[Line]:
    """The lines of a run: each result with all its figures."""
    return [_line(result, run) for result in results.results]


def _line(result: Result, run: int) -> Line:
    figures = {field: getattr(result, field) for field in KEPT_FIELDS}
    causes = [cause_of(warning) for warning in result.warnings]
    return Line(
        run=run,
        algorithm=result.algorithm,
        implementation=result.implementation,
        name=shown_name(result),
        provider=result.provider,
        target=result.target,
        size_bytes=result.size_bytes,
        length=length_text(result),
        workload=workload_label(result),
        doubts=tuple(warning.sentence for warning in result.warnings),
        causes=tuple(
            dict.fromkeys(
                cause.value if isinstance(cause, DoubtKind) else cause.kind.value
                for cause in causes
            )
        ),
        figures={
            field: _estimate(figure) for field, figure in figures.items() if figure is not None
        },
    )


def _estimate(figure: Figure) -> Estimate:
    return Estimate(figure.median, figure.low, figure.high, figure.evidence.value, figure.samples)


def details_of(results: ResultSet) -> RunDetails:
    """The details of a run."""
    context = dict(results.context)
    implementations = context.pop("implementations", None) or {}
    return RunDetails(
        warnings=list(results.warnings),
        failures=[
            [failure.implementation, failure.kind.value, failure.reason, failure.size_bytes]
            for failure in results.failures
        ],
        context=context,
        implementations={
            name: {key: str(about.get(key) or "") for key in BUILD_FACTS}
            for name, about in implementations.items()
        },
    )


# What a view can be about: a figure of the table of figures, or several that share a unit.


@dataclass(frozen=True, slots=True)
class LineQuantity:
    """A figure, or several figures of one unit of which a line has one."""

    name: str
    """The name in addresses."""
    title: str
    unit: FigureUnit
    fields: tuple[str, ...]
    """The figures; the first that a line has is taken."""
    caption: str = ""
    """What a reader must know where figures of several kinds share the axis."""

    def of(self, line: Line) -> Estimate | None:
        """The estimate of a line; None if the line has none."""
        return next((line.figures[field] for field in self.fields if field in line.figures), None)

    def text(self, estimate: Any) -> str:
        """An estimate with its interval, as in "85.9 ns [85.1, 86.4]"."""
        return UNIT_TEXT[self.unit](estimate)


_PERIODS: Final = LineQuantity(
    "periods_per_message",
    "Periods of the clock per message",
    FigureUnit.COUNT,
    ("core_cycles_per_message", "clocks_per_message"),
    "Core cycles of a CPU and clocks of a core or a microcontroller are different clocks of "
    "different frequency: the same number of periods is not the same time.",
)
QUANTITIES: Final = {
    kind.field: LineQuantity(kind.field, kind.heading, kind.unit, (kind.field,))
    for kind in FIGURES
    if kind.field in KEPT_FIELDS
} | {_PERIODS.name: _PERIODS}
"""Name -> quantity, in the order in which they are offered; a new figure is a new quantity."""
DEFAULT_QUANTITY: Final = "seconds_per_message"


def quantity_named(name: str | None) -> LineQuantity:
    """The quantity of an address; None: the default one."""
    name = name or DEFAULT_QUANTITY
    if name not in QUANTITIES:
        raise UsageError(
            f"quantity: there is none of that name; choose one of {', '.join(QUANTITIES)}"
        )
    return QUANTITIES[name]


# The gate's judgement of a run, with an earlier run of its machine as baseline.

THRESHOLD: Final = 0.05
"""Smallest slow-down that counts, as that of `joulemark check`."""
_CHANGED: Final = (Verdict.SLOWER, Verdict.FASTER, Verdict.PERHAPS_SLOWER, Verdict.PERHAPS_FASTER)


@dataclass(frozen=True, slots=True)
class Change:
    """A trial that is faster or slower than in an earlier run."""

    run: int
    before: int
    """The earlier run."""
    algorithm: str
    implementation: str
    target: str
    size_bytes: int
    workload: str
    """As `workload_words` has it."""
    ratio: float
    """New over old seconds per message."""
    low: float
    high: float
    verdict: str
    flagged: bool
    """Whether the gate ends with `regressed` because of it."""


@dataclass(frozen=True, slots=True)
class RunGate:
    """The gate's judgement of a run against an earlier one."""

    run: int
    before: int
    """The earlier run."""
    answer: str
    """The gate's answer in words."""
    reasons: tuple[str, ...]
    changes: tuple[Change, ...]


def judge_run(
    before: RunSamples, after: RunSamples, numbers: tuple[int, int], algorithms: Sequence[str]
) -> RunGate:
    """The gate's judgement of a run by the trials of some algorithms."""
    old, new = (
        {trial: samples for trial, samples in run.samples.items() if trial.algorithm in algorithms}
        for run in (before, after)
    )
    outcome = check(
        old,
        new,
        before.environment,
        after.environment,
        threshold=THRESHOLD,
        failed=after.failed,
        absent=after.absent,
        whole=False,  # A run may ask for other trials than the one before.
    )
    judged = outcome.code is not GateCode.ENVIRONMENT_DIFFERS
    return RunGate(
        run=numbers[1],
        before=numbers[0],
        answer=outcome.answer,
        reasons=outcome.reasons,
        changes=tuple(
            _change(comparison, numbers, flagged=comparison in outcome.regressions)
            for comparison in outcome.runs.comparisons
            if judged and comparison.verdict in _CHANGED
        ),
    )


def _change(comparison: Comparison, numbers: tuple[int, int], *, flagged: bool) -> Change:
    return Change(
        run=numbers[1],
        before=numbers[0],
        algorithm=comparison.contender.partition("/")[0],
        implementation=comparison.contender,
        target=comparison.target,
        size_bytes=comparison.workload.size_bytes,
        workload=workload_words(comparison.workload),
        ratio=comparison.ratio,
        low=comparison.low,
        high=comparison.high,
        verdict=str(comparison.verdict),
        flagged=flagged,
    )
