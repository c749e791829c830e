# SPDX-License-Identifier: Apache-2.0
"""Two runs, or the newest runs of two machines, with the verdicts of `joulemark compare`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from joulemark.analyse.compare import RunComparison, compare_runs
from joulemark.analyse.gate import environment_differences
from joulemark.analyse.gate_report import special_words
from joulemark.analyse.runs.trusted import trusted_samples
from joulemark.analyse.verdict import Comparison, Verdict
from joulemark.environment.facts import MACHINE_DIGEST, MACHINE_KEYS
from joulemark.errors import UsageError
from joulemark.explorer.charts.ratios import CAPTION, ratios
from joulemark.explorer.estimates.gates import THRESHOLD
from joulemark.explorer.estimates.holdings import Holdings
from joulemark.explorer.page.address import Address
from joulemark.explorer.page.blocks import (
    Block,
    Cell,
    Chart,
    Choice,
    Facts,
    Form,
    Heading,
    Notes,
    Page,
    Rows,
    Table,
)
from joulemark.explorer.views.changes import ratio_text
from joulemark.explorer.views.parts import MOST_ROWS, hidden_note, moment
from joulemark.explorer.views.picks import Query, one_of, whole
from joulemark.units import format_percent

__all__ = ["COLUMNS", "compare", "pair_of_machines"]

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
_MOST_OPTIONS: Final = 100


def compare(holdings: Holdings, query: Query) -> Page:
    """The comparison of `before` and `after`: numbers of runs, or slugs of machines.

    Raises:
        UsageError: one of them is none, or they share no trial.
        StoreError: the samples cannot be read.
    """
    texts = [one_of(query, name) for name in ("before", "after")]
    if None in texts:
        return _page(holdings, ("", ""), [_form(holdings, ("", ""))], "Choose two runs.")
    before, after = (text or "" for text in texts)
    numbers, notes = _runs(holdings, before, after)
    found = compare_runs(
        *(trusted_samples(holdings.store, number) for number in numbers), threshold=THRESHOLD
    )
    if not found.comparisons:
        raise UsageError(f"runs {numbers[0]} and {numbers[1]} share no trial that has samples")
    rows = [_row(comparison, numbers) for comparison in found.comparisons]
    spec = ratios(rows, f"time of run {numbers[1]} over that of run {numbers[0]}")
    blocks: list[Block] = [
        Chart("Ratios", CAPTION, spec, "there is no line."),
        *_common(found),
        *([Notes("Before you read the ratios", notes, warning=True)] if notes else []),
        _table(found.comparisons, numbers),
        *_unshared(found),
        _form(holdings, (before, after)),
    ]
    counts = Counter(comparison.verdict for comparison in found.comparisons)
    said = ", ".join(f"{count} {verdict}" for verdict, count in counts.most_common())
    known = holdings.known()
    run, other = (known.runs[number] for number in numbers)
    lead = (
        f"Run {other.id} of {moment(other.started_at)} UTC against run {run.id} of "
        f"{moment(run.started_at)} UTC: {said}."
    )
    return replace(
        _page(holdings, (before, after), blocks, lead),
        title=f"Run {numbers[1]} against run {numbers[0]}",
        data=Rows(len(rows), lambda: [{name: row[name] for name in COLUMNS} for row in rows]),
        columns=COLUMNS,
    )


def _page(holdings: Holdings, names: tuple[str, str], blocks: Sequence[Block], lead: str) -> Page:
    del holdings
    return Page(
        Address.of("compare", before=names[0], after=names[1]), "Compare", blocks, lead=lead
    )


def pair_of_machines(holdings: Holdings, before: str, after: str) -> tuple[int, int] | None:
    """The newest runs of two machines that share most trials; None where they share none."""
    known = holdings.known()
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

    best = max(pairs, key=lambda pair: (shared(pair), pair), default=None)
    return None if best is None or not shared(best) else best


def _runs(holdings: Holdings, before: str, after: str) -> tuple[tuple[int, int], list[str]]:
    """Numbers of the two runs, and what has to be said of the pair."""
    known = holdings.known()
    machines = [text in known.machines for text in (before, after)]
    if all(machines):
        pair = pair_of_machines(holdings, before, after)
        if pair is None:
            raise UsageError("the two machines have no finished runs that share a trial")
        numbers = pair
    elif any(machines):
        raise UsageError("before, after: give two runs or two machines, not one of each")
    else:
        numbers = (whole(before, "before"), whole(after, "after"))
    for number in numbers:
        if holdings.run(number) is None:
            raise UsageError(f"there is no run {number} in the store")
    one, other = (known.runs[number].environment for number in numbers)
    differences = environment_differences(one, other, MACHINE_KEYS)
    if not differences:
        return numbers, []
    named = "; ".join(
        f"{key}: {old}, then {new}"
        for key, (old, new) in differences.items()
        if key != MACHINE_DIGEST
    )
    sentence = (
        f"The two runs are of different machines or settings ({named or 'equal in all facts'}): "
        "the ratios are those of machine and code together."
    )
    return numbers, [sentence]


def _label(comparison: Comparison) -> str:
    words = filter(None, (comparison.workload.length_text, special_words(comparison.workload)))
    return f"{comparison.contender}, {', '.join(words)}"


def _row(comparison: Comparison, numbers: tuple[int, int]) -> dict[str, Any]:
    return {
        "before": numbers[0],
        "after": numbers[1],
        "implementation": comparison.contender,
        "target": comparison.target,
        "size_bytes": comparison.workload.size_bytes,
        "workload": ", ".join(
            filter(None, (comparison.workload.length_text, special_words(comparison.workload)))
        ),
        "ratio": comparison.ratio,
        "low": comparison.low,
        "high": comparison.high,
        "level": comparison.level,
        "p_value": comparison.p_value,
        "p_adjusted": comparison.p_adjusted,
        "verdict": str(comparison.verdict),
        "evidence": "measured",
        "label": _label(comparison),
        "text": ratio_text(comparison.ratio, comparison.low, comparison.high),
        "colour": _COLOURS.get(comparison.verdict, _OTHER_COLOUR),
    }


def _table(found: Sequence[Comparison], numbers: tuple[int, int]) -> Table:
    del numbers
    shown = sorted(found, key=lambda comparison: -abs(comparison.ratio - 1))[:MOST_ROWS]
    rows = []
    for comparison in shown:
        text, _, interval = ratio_text(comparison.ratio, comparison.low, comparison.high).partition(
            " ["
        )
        rows.append(
            (
                Cell(_label(comparison), small=" ".join(comparison.notes)),
                Cell(text, f"[{interval}", key=comparison.ratio),
                Cell(str(comparison.verdict)),
                Cell(f"{comparison.p_adjusted:.2g}", key=comparison.p_adjusted),
                Cell(str(comparison.generations)),
            )
        )
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
        "Verdicts", headings, rows, caption=caption, notes=hidden_note(len(shown), len(found))
    )


def _common(found: RunComparison) -> list[Block]:
    shift = found.common_shift
    if shift is None or shift.trials < 2:
        return []
    text = ratio_text(shift.ratio, shift.low, shift.high)
    rows = [
        ("All trials together", f"{text}, of {shift.trials} trials"),
        ("How far single trials stray from that", format_percent(shift.spread)),
    ]
    return [Facts("What all trials share", rows)]


def _unshared(found: RunComparison) -> list[Block]:
    blocks: list[Block] = []
    for title, trials in (
        ("Only in the run before", found.missing),
        ("Only in the run after", found.added),
    ):
        names = sorted({trial.implementation for trial in trials})
        if names:
            blocks.append(Notes(title, [", ".join(names)]))
    return blocks


def _form(holdings: Holdings, chosen: tuple[str, str]) -> Form:
    known = holdings.known()
    options = [
        *(
            (str(run.id), f"run {run.id}, {moment(run.started_at)}")
            for run in known.newest_first()[:_MOST_OPTIONS]
        ),
        *(
            (machine.slug, f"newest of {machine.short}")
            for machine in list(known.machines.values())[::-1][:_MOST_OPTIONS]
        ),
    ]
    values = {value for value, _ in options}
    options += [(run, f"run {run}") for run in dict.fromkeys(chosen) if run and run not in values]
    fields = [
        Choice(name, label, options, [run])
        for name, label, run in zip(("before", "after"), ("Before", "After"), chosen, strict=True)
    ]
    return Form("Which two", Address.of("compare"), fields, button="Compare")
