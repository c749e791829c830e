# SPDX-License-Identifier: Apache-2.0
"""From the results of a run to what the explorer keeps of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from joulemark.analyse.results import Figure, Result, ResultSet
from joulemark.records.doubt import DoubtKind
from joulemark.records.figures import FIGURES
from joulemark.report.doubt_causes import cause_of
from joulemark.report.workload import length_text, shown_name, workload_label

__all__ = ["KEPT_FIELDS", "Estimate", "Line", "RunDetails", "details_of", "lines_of"]

KEPT_FIELDS: Final = tuple(kind.field for kind in FIGURES if kind.field in Result.model_fields)
"""Figures of a result; a new line of the table of figures is kept without another entry."""


@dataclass(frozen=True, slots=True)
class Estimate:
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
    """As shown under its algorithm."""
    provider: str
    target: str
    size_bytes: int
    length: str
    """In words; of a mix the mean."""
    workload: str
    """All that a workload says besides the length."""
    doubts: tuple[str, ...]
    """Sentences."""
    causes: tuple[str, ...]
    """The same by name."""
    figures: dict[str, Estimate]
    """Those that were asked for and exist, by field."""


@dataclass(frozen=True, slots=True)
class RunDetails:
    """What a run says besides its figures."""

    warnings: list[str]
    failures: list[list[Any]]
    """Implementation, kind, reason, message bytes or None."""
    context: dict[str, Any]
    """As that of `ResultSet`, without the plan and what each implementation says of itself."""
    implementations: dict[str, dict[str, str]]
    """Provider, library version, compiler, flags of each."""


def lines_of(results: ResultSet, run: int) -> list[Line]:
    """Each result with all its figures."""
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
        causes=tuple(dict.fromkeys(
            cause.value if isinstance(cause, DoubtKind) else cause.kind.value for cause in causes
        )),
        figures={field: _kept(figure) for field, figure in figures.items() if figure is not None},
    )  # fmt: skip


def _kept(figure: Figure) -> Estimate:
    return Estimate(figure.median, figure.low, figure.high, figure.evidence.value, figure.samples)


def details_of(results: ResultSet) -> RunDetails:
    """The rest of what the pages show."""
    context = dict(results.context)
    named = context.pop("implementations", None) or {}
    shown = ("provider", "library_version", "compiler", "flags")
    return RunDetails(
        warnings=list(results.warnings),
        failures=[
            [failure.implementation, failure.kind.value, failure.reason, failure.size_bytes]
            for failure in results.failures
        ],
        context=context,
        implementations={
            name: {key: str(about.get(key) or "") for key in shown} for name, about in named.items()
        },
    )
