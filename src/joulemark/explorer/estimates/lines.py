# SPDX-License-Identifier: Apache-2.0
"""What the explorer keeps of the results of a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from joulemark.analyse.results import Figure, Result, ResultSet
from joulemark.records.doubt import DoubtKind
from joulemark.records.figures import FIGURES
from joulemark.report.notes import cause_of
from joulemark.report.workload import length_text, shown_name, workload_label

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
