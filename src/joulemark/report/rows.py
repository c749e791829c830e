# SPDX-License-Identifier: Apache-2.0
"""From results to the flat rows that a chart draws."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from joulemark.analyse.results import Figure, Result, ResultSet
from joulemark.records.figures import Absence
from joulemark.report.workload import length_text, shown_name, variant_of, workload_label

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class ChartQuantity:
    """A kind of figure, as a chart shows it."""

    field: str
    """Name in `Result`."""
    title: str
    """Axis title, with the unit, without the evidence word."""
    per_unit: float
    """Number of shown units in a stored unit: 1e9 for seconds that are shown as ns."""
    text: Callable[[Figure], str]
    """Function that writes a figure with its interval, for tooltips."""
    source: Callable[[Result], str] = lambda _result: ""
    """Function that gives the origin that all figures of a picture share, such as the domain."""

    def of(self, result: Result) -> Figure | None:
        """The figure of a result; None if it does not exist."""
        figure: Figure | None = getattr(result, self.field)
        return figure


def rows(
    results: ResultSet, quantity: ChartQuantity, *, logarithmic: bool, across_batches: bool = False
) -> list[Row]:
    """One row per drawable figure, in the unit that `quantity` shows.

    On logarithmic axes, zero-byte messages and intervals that touch zero cannot be drawn and are
    left out; captions say so.

    Args:
        results: of a run.
        quantity: which figure.
        logarithmic: whether it is drawn on a logarithmic axis.
        across_batches: whether workloads that differ in the batch alone are one.
    """
    drawable = [
        (result, figure)
        for result in results.results
        if (figure := quantity.of(result)) is not None
        and all(map(math.isfinite, (figure.low, figure.median, figure.high)))
        and not (logarithmic and (result.size_bytes == 0 or figure.low <= 0))
    ]
    labels = workload_labels(
        [(result, quantity.source(result), figure.evidence.value) for result, figure in drawable],
        across_batches=across_batches,
    )
    return [
        row(result, figure, quantity, label)
        for (result, figure), label in zip(drawable, labels, strict=True)
    ]


def workload_labels(
    kinds: Sequence[tuple[Result, str, str]], *, across_batches: bool = False
) -> list[str]:
    """Label of the workload of each figure, of which result, source and evidence are given.

    If a workload has figures of several sources or evidences, its labels name them, so that no two
    kinds share a picture.
    """
    plain = [workload_label(result, batch=not across_batches) for result, _, _ in kinds]
    sources: dict[str, set[str]] = {}
    evidences: dict[str, set[str]] = {}
    for label, (_, source, evidence) in zip(plain, kinds, strict=True):
        sources.setdefault(label, set()).add(source)
        evidences.setdefault(label, set()).add(evidence)
    labels = []
    for label, (_, source, evidence) in zip(plain, kinds, strict=True):
        more = [source] if len(sources[label]) > 1 else []
        more += [evidence] if len(evidences[label]) > 1 else []
        labels.append(", ".join([label, *more]))
    return labels


def missing_reason(results: ResultSet, *fields: str) -> Absence:
    """Why no result has a figure: the most frequent reason.

    Args:
        results: all without the figure.
        fields: the figure's name, then names of figures whose absence explains its own.
    """
    if not results.results:
        return Absence("Nothing was measured in this run.")
    for field in fields:
        counts = Counter(
            result.reasons[field] for result in results.results if field in result.reasons
        )
        if counts:
            return min(counts, key=lambda reason: (-counts[reason], reason.sentence))
    return Absence("No result carries this figure, and no reason was recorded.")


def row(result: Result, figure: Figure, quantity: ChartQuantity, workload: str) -> Row:
    """One figure as a row, in the unit that `quantity` shows."""
    return {
        "algorithm": result.algorithm,
        "variant": variant_of(result.implementation),
        "name": shown_name(result),
        "provider": result.provider,
        "workload": workload,
        "source": quantity.source(result),
        "evidence": figure.evidence.value,
        "bytes": result.size_bytes,
        "batch": result.batch,
        "length": length_text(result),
        "value": figure.median * quantity.per_unit,
        "low": figure.low * quantity.per_unit,
        "high": figure.high * quantity.per_unit,
        "text": quantity.text(figure),
        "samples": figure.samples,
    }
