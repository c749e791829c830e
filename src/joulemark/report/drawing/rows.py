# SPDX-License-Identifier: Apache-2.0
"""The rows of a report's chart, and the choices among them: dropdowns, and lines that are picked.

A dropdown exists only if there is a choice. The parameter always exists, so that the page can set
`algorithm` in all charts at once and a picture without controls still says what it shows.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from joulemark.analyse import Figure, Result, ResultSet
from joulemark.report.drawing import Row, Spec, filtered
from joulemark.report.style import LIGHT, OWN_PROVIDER, is_known, rank_of_provider
from joulemark.report.words import (
    PREFERRED_SIZE_BYTES,
    default_size,
    length_text,
    shown_name,
    variant_of,
    workload_label,
)
from joulemark.units import format_bytes


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
        **({} if is_known(result.provider) else {"yours": True}),
    }


YOURS_THEN_FASTEST: Final = {"field": "order", "op": "min", "order": "ascending"}
"""Sort of the names of a chart of one length: the user's own code first, then by the value."""
ORDERED: Final = {"calculate": "datum.yours ? datum.value - 1e12 : datum.value", "as": "order"}
"""Vega transform that gives each row the field of that sort."""


def legend_order(data: Sequence[Row], across: str = "bytes") -> dict[str, list[str]]:
    """Variants of each algorithm from the highest line to the lowest, as the eye meets them."""
    order: dict[str, dict[str, tuple[int, float]]] = {}
    for row in data:
        last = order.setdefault(row["algorithm"], {})
        place = (row[across], row["value"])
        last[row["variant"]] = max(place, last.get(row["variant"], place))
    return {
        algorithm: sorted(last, key=lambda name: (-last[name][0], -last[name][1], name))
        for algorithm, last in order.items()
    }


# The dropdowns of a chart, and the line above it that names what is selected.

_NARROW = 330
"""Width of the plot, in pixels, below which the title does not fit one line."""


@dataclass(frozen=True, slots=True)
class Selection:
    """Parameters of a chart, the predicates that they set, and the words of its title."""

    parameters: list[Spec]
    predicates: list[str]
    """Vega expressions over `datum`; constant text, never built from results."""
    words: list[str] = field(default_factory=list)
    """Vega expressions, each giving one part of the title."""

    @property
    def title(self) -> Spec:
        """Title that names the choices and follows the dropdowns; in several lines on a phone."""
        line = " + ' \N{MIDDLE DOT} ' + ".join(self.words)
        lines = ", ".join(self.words)
        return {"text": {"expr": f"width < {_NARROW} ? [{lines}] : {line}"}}

    def chart(
        self, rows: Sequence[Row], layers: Sequence[Spec], parameters: Iterable[Spec], **more: Any
    ) -> Spec:
        """The whole chart, of the selected rows alone."""
        return {
            "title": self.title,
            "params": [*self.parameters, *parameters],
            "data": {"values": list(rows)},
            "transform": filtered(self.predicates),
            "width": "container",
            "layer": list(layers),
            **more,
        }


def constant(name: str, value: Any) -> Spec:
    """A parameter that no control changes."""
    return {"name": name, "value": value}


def selection(rows: Sequence[Row], algorithm: str) -> Selection:
    """The choice of algorithm and workload; it starts with the workload that has most rows."""
    names = sorted({row["algorithm"] for row in rows})
    start = algorithm if algorithm in names else names[0]
    counts = Counter(row["workload"] for row in rows)
    labels = sorted(counts, key=lambda label: (-counts[label], label))
    evidence = {row["workload"]: row["evidence"] for row in rows}
    sources = {row["workload"]: row["source"] for row in rows}
    has_sources = any(sources.values())
    return Selection(
        parameters=[
            choice("algorithm", "Algorithm ", names, start),
            choice("workload", "Workload ", labels, labels[0]),
            constant("evidence_of", evidence),
            *([constant("source_of", sources)] if has_sources else []),
            constant("palette", list(LIGHT.palette)),
        ],
        predicates=["datum.algorithm === algorithm", "datum.workload === workload"],
        words=[
            "algorithm",
            "workload",
            *(["source_of[workload]"] if has_sources else []),
            "evidence_of[workload]",
        ],
    )


def choice(
    name: str, label: str, options: Sequence[Any], start: Any, labels: Sequence[str] | None = None
) -> Spec:
    """A parameter, with a dropdown if there is more than one option."""
    parameter = constant(name, start)
    if len(options) < 2:
        return parameter
    bind = {"input": "select", "options": list(options), "name": label}
    return {**parameter, "bind": bind | ({"labels": list(labels)} if labels else {})}


def selection_at_length(
    results: Iterable[Result], rows: Sequence[Row], algorithm: str
) -> Selection:
    """The choice of algorithm and workload, and of a message length, which the title names.

    It starts at the usual length of the results of the algorithm.
    """
    chosen = selection(rows, algorithm)
    lengths = sorted({row["bytes"] for row in rows})
    start = default_size(result for result in results if result.algorithm == algorithm)
    start_or_least = start if start in lengths else lengths[0]
    words = [format_bytes(length) for length in lengths]
    length_of = {str(row["bytes"]): row["length"] for row in rows}
    size = choice("size", "Message length ", lengths, start_or_least, words)
    chosen.parameters.extend([size, constant("length_of", length_of)])
    chosen.predicates.append("datum.bytes === size")
    chosen.words.append("length_of[size]")
    return chosen


def evidence_title(title: str, rows: Iterable[Row]) -> str:
    """Axis title with its evidence word, as in "core cycles per byte (modelled)"."""
    words = sorted({row["evidence"] for row in rows})
    if len(words) == 1:
        return f"{title} ({words[0]})"
    return f"{title} (evidence: see above the chart)"


# The lines that a chart shows until the reader asks for all: ours and the best of libraries.

ENGINE: Final = "engine"
"""Our variant that chooses among the others."""
MOST: Final = 6
"""Lines that are shown at first, at most."""
BEST_ONLY: Final = "lines === 'best'"
"""Vega predicate: the reader did not ask for all lines."""
PICKED_ONLY: Final = f"!({BEST_ONLY}) || datum.picked"
"""Vega predicate over rows that `mark_picked` has marked."""
LEGEND: Final = f"{BEST_ONLY} ? [''] : (legend_of[algorithm] || {{}})[workload] || ['']"
"""Vega expression: entries of the legend. If all lines are shown, these are the variants from the
highest to the lowest. A few lines have labels instead; then the only entry has no word and, by
`LEGEND_OPACITY`, no symbol. Vega would put a legend without entries at an infinite place."""
LEGEND_OPACITY: Final = f"{BEST_ONLY} ? 0 : 1"


def mark_picked(pictured: Sequence[Row], best: Callable[[Sequence[Row]], set[str]]) -> None:
    """Marks rows with `picked`: all of up to `MOST` variants, of more only those that are `best`.

    Args:
        pictured: rows of one picture, changed in place; a lower value is better.
        best: returns the best variants of rows.
    """
    variants = {row["variant"] for row in pictured}
    chosen = variants if len(variants) <= MOST else best(pictured)
    for row in pictured:
        row["picked"] = row["variant"] in chosen


def best_at_one_length(pictured: Sequence[Row]) -> set[str]:
    """The best variant of each provider at 64 bytes, or else at the length with most rows.

    The engine, which programs call, stands for our best if the two are not told apart.
    """
    counts = Counter(row["bytes"] for row in pictured)
    common = min(counts, key=lambda size: (-counts[size], size))
    length = PREFERRED_SIZE_BYTES if PREFERRED_SIZE_BYTES in counts else common
    rivals = [row for row in pictured if row["bytes"] == length]
    best = by_provider(rivals)[:MOST]
    engine = next((row for row in rivals if row["variant"] == ENGINE), None)
    ours = next((row for row in best if row["provider"] == OWN_PROVIDER), None)
    if engine and ours and engine["low"] <= ours["high"]:
        best[best.index(ours)] = engine
    return {row["variant"] for row in best}


def by_provider(rivals: Sequence[Row]) -> list[Row]:
    """The best row of each provider: the user's own code first, then ours, then by their values."""
    best: dict[str, Row] = {}
    for row in sorted(rivals, key=lambda row: row["value"]):
        best.setdefault(row["provider"], row)
    return sorted(best.values(), key=lambda row: (rank_of_provider(row["provider"]), row["value"]))


def pick_parameters(data: Sequence[Row], across: str) -> list[Spec]:
    """The dropdown of lines, where some are not picked, and the order of the legend."""
    legends: dict[str, dict[str, list[str]]] = {}
    for (algorithm, workload), rows in pictures(data).items():
        legends.setdefault(algorithm, {})[workload] = legend_order(rows, across)[algorithm]
    everything = all(row["picked"] for row in data)
    options = ["best"] if everything else ["best", "all"]
    labels = ["best of each provider", "all"]
    return [choice("lines", "Lines ", options, "best", labels), constant("legend_of", legends)]


def pictures(data: Sequence[Row], *more: str) -> dict[tuple[str, ...], list[Row]]:
    """Rows by the choices of the dropdowns: algorithm, workload, and further values of a row."""
    groups: dict[tuple[str, ...], list[Row]] = {}
    for row in data:
        choices = tuple(row[key] for key in ("algorithm", "workload", *more))
        groups.setdefault(choices, []).append(row)
    return groups
