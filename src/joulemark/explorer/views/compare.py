# SPDX-License-Identifier: Apache-2.0
"""Two runs, or the newest runs of two machines, with the verdicts of `joulemark compare`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from joulemark.analyse.compare import RunComparison, compare_runs
from joulemark.analyse.from_elsewhere import trusted_samples
from joulemark.analyse.gate import environment_differences, machines_sentence
from joulemark.analyse.gate_report import workload_words
from joulemark.analyse.verdict import Comparison, Verdict
from joulemark.environment.facts import MACHINE_KEYS
from joulemark.errors import UsageError
from joulemark.explorer.estimates import THRESHOLD
from joulemark.explorer.estimates.holdings import Holdings
from joulemark.explorer.estimates.known import KnownRuns
from joulemark.explorer.views import Form, FormChoice, Page, Query, Rows, one_of, whole
from joulemark.explorer.views.charts import RATIOS_CAPTION, ratios
from joulemark.explorer.views.history import ratio_text
from joulemark.explorer.views.parts import MOST_ROWS, hidden_note, moment, verdict_cell
from joulemark.report import (
    Address,
    Cell,
    Chart,
    Facts,
    Heading,
    JsonObject,
    Notes,
    Part,
    Table,
    interval_cell,
)
from joulemark.units import format_percent

COLUMNS: Final = (
    "before",
    "after",
    "implementation",
    "target",
    "size_bytes",
    "workload",
    "ratio",
    "low",
    "high",
    "level",
    "p_value",
    "p_adjusted",
    "verdict",
    "evidence",
)
_COLOURS: Final = {
    Verdict.SLOWER: 3,
    Verdict.PERHAPS_SLOWER: 1,
    Verdict.FASTER: 2,
    Verdict.PERHAPS_FASTER: 4,
}
_OTHER_COLOUR: Final = 5
"""Index in the palette for all other verdicts."""
_MOST_OPTIONS: Final = 100


def compare(holdings: Holdings, query: Query) -> Page:
    """The comparison of `before` and `after`: numbers of runs, or slugs of machines."""
    known = holdings.known()
    before, after = (one_of(query, name) for name in ("before", "after"))
    if before is None or after is None:
        form = _form(known, ("", ""))
        return Page("Compare", [form], address=Address.of("compare"), lead="Choose two runs.")
    numbers, notes = _runs(known, before, after)
    comparison = compare_runs(
        *(trusted_samples(holdings.store, number) for number in numbers), threshold=THRESHOLD
    )
    lines = comparison.comparisons
    if not lines:
        raise UsageError(f"runs {numbers[0]} and {numbers[1]} share no trial that has samples")
    rows = [_row(line, numbers) for line in lines]
    spec = ratios(rows, f"time of run {numbers[1]} over that of run {numbers[0]}")
    blocks: list[Part] = [
        Chart("Ratios", RATIOS_CAPTION, spec, "there is no line."),
        *_common(comparison),
        *([Notes("Before you read the ratios", notes, warning=True)] if notes else []),
        _table(lines),
        *_unshared(comparison),
        _form(known, (before, after)),
    ]
    counts = Counter(line.verdict for line in lines)
    verdicts = ", ".join(f"{count} {verdict}" for verdict, count in counts.most_common())
    old, new = (known.runs[number] for number in numbers)
    return Page(
        f"Run {new.id} against run {old.id}",
        blocks,
        address=Address.of("compare", before=before, after=after),
        lead=f"Run {new.id} of {moment(new.started_at)} UTC against run {old.id} of "
        f"{moment(old.started_at)} UTC: {verdicts}.",
        data=Rows(len(rows), lambda: [{name: row[name] for name in COLUMNS} for row in rows]),
        columns=COLUMNS,
    )


def pair_of_machines(known: KnownRuns, before: str, after: str) -> tuple[int, int] | None:
    """The newest runs of two machines that share most trials; None if they share none."""
    newest: list[dict[str, int]] = []
    for slug in (before, after):
        of_it: dict[str, int] = {}
        for run in known.newest_first(machine=slug):
            if run.finished_at is not None:
                for name in run.algorithms:
                    of_it.setdefault(name, run.id)
        newest.append(of_it)
    pairs = {(newest[0][name], newest[1][name]) for name in newest[0].keys() & newest[1].keys()}

    def shared(pair: tuple[int, int]) -> int:
        first, second = (set(known.runs[number].trials) for number in pair)
        return len(first & second)

    # Of equal pairs the one with the newest runs.
    places = {number: place for place, number in enumerate(known.runs)}
    best = max(
        pairs, key=lambda pair: (shared(pair), *(places[number] for number in pair)), default=None
    )
    return None if best is None or not shared(best) else best


def _runs(known: KnownRuns, before: str, after: str) -> tuple[tuple[int, int], list[str]]:
    """Numbers of the two runs, and notes that a reader of the ratios needs."""
    machines = [text in known.machines for text in (before, after)]
    if all(machines):
        pair = pair_of_machines(known, before, after)
        if pair is None:
            raise UsageError("the two machines have no finished runs that share a trial")
        numbers = pair
    elif any(machines):
        raise UsageError("before, after: give two runs or two machines, not one of each")
    else:
        numbers = (whole(before, "before"), whole(after, "after"))
    for number in numbers:
        if number not in known.runs:
            raise UsageError(f"there is no run {number} in the store")
    if numbers[0] == numbers[1]:
        raise UsageError(f"run {numbers[0]} cannot be compared with itself; choose another run")
    first, second = (known.runs[number].environment for number in numbers)
    sentence = machines_sentence(environment_differences(first, second, MACHINE_KEYS))
    return numbers, [] if sentence is None else [sentence]


def _row(comparison: Comparison, numbers: tuple[int, int]) -> JsonObject:
    workload = workload_words(comparison.workload)
    return {
        "before": numbers[0],
        "after": numbers[1],
        "implementation": comparison.contender,
        "target": comparison.target,
        "size_bytes": comparison.workload.size_bytes,
        "workload": workload,
        "ratio": comparison.ratio,
        "low": comparison.low,
        "high": comparison.high,
        "level": comparison.level,
        "p_value": comparison.p_value,
        "p_adjusted": comparison.p_adjusted,
        "verdict": str(comparison.verdict),
        "evidence": "measured",
        "label": f"{comparison.contender}, {workload}",
        "text": ratio_text(comparison.ratio, comparison.low, comparison.high),
        "colour": _COLOURS.get(comparison.verdict, _OTHER_COLOUR),
    }


def _table(lines: Sequence[Comparison]) -> Table:
    shown = sorted(lines, key=lambda line: -abs(line.ratio - 1))[:MOST_ROWS]
    rows = [
        (
            Cell(f"{line.contender}, {workload_words(line.workload)}", small=" ".join(line.notes)),
            interval_cell(ratio_text(line.ratio, line.low, line.high), "", line.ratio),
            verdict_cell(str(line.verdict)),
            Cell(f"{line.p_adjusted:.2g}", key=line.p_adjusted),
            Cell(str(line.generations)),
        )
        for line in shown
    ]
    headings = (
        Heading("Trial"),
        Heading("Time after over before", number=True, evidence="measured"),
        Heading("Verdict"),
        Heading("p, adjusted", number=True),
        Heading("Generations", number=True),
    )
    caption = (
        f"Verdicts of joulemark compare, threshold {format_percent(THRESHOLD)}, alpha 5 % over all "
        "lines together."
    )
    return Table(
        "Verdicts", headings, rows, caption=caption, notes=hidden_note(len(shown), len(lines))
    )


def _common(comparison: RunComparison) -> list[Part]:
    shift = comparison.common_shift
    if shift is None or shift.trials < 2:
        return []
    text = ratio_text(shift.ratio, shift.low, shift.high)
    rows = [
        ("All trials together", f"{text}, of {shift.trials} trials"),
        ("How far single trials stray from that", format_percent(shift.spread)),
    ]
    return [Facts("What all trials share", rows)]


def _unshared(comparison: RunComparison) -> list[Part]:
    unshared = (
        ("Only in the run before", comparison.missing),
        ("Only in the run after", comparison.added),
    )
    return [
        Notes(title, [", ".join(sorted({trial.implementation for trial in trials}))])
        for title, trials in unshared
        if trials
    ]


def _form(known: KnownRuns, chosen: tuple[str, str]) -> Form:
    options = [
        *(
            (str(run.id), f"run {run.id}, {moment(run.started_at)}")
            for run in known.newest_first()[:_MOST_OPTIONS]
        ),
        *(
            (machine.slug, f"newest of {machine.short}")
            for machine in known.newest_machines(_MOST_OPTIONS)
        ),
    ]
    values = {value for value, _ in options}
    options += [(run, f"run {run}") for run in dict.fromkeys(chosen) if run and run not in values]
    fields = [
        FormChoice(name, label, options, [run])
        for name, label, run in zip(("before", "after"), ("Before", "After"), chosen, strict=True)
    ]
    return Form("Which two", Address.of("compare"), fields, button="Compare")
