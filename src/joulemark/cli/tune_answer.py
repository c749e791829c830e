# SPDX-License-Identifier: Apache-2.0
"""What `joulemark tune` shows: what to use, how much it gains, every candidate, what was done."""

from __future__ import annotations

import math
import shlex
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Final

import typer
from pydantic import JsonValue

from joulemark.analyse import Figure
from joulemark.analyse.derive import seconds_per_message
from joulemark.analyse.estimate import figure
from joulemark.analyse.from_elsewhere import trusted_samples
from joulemark.analyse.machine_load import load_doubts
from joulemark.cli.results import command_for_all
from joulemark.cli.shared.terminal import columns, heading, listed, sentences
from joulemark.environment import capture
from joulemark.environment.facts import limit_of_cpu_time
from joulemark.foreign import visible
from joulemark.judging import standing
from joulemark.own_code.candidates import USUAL, CompilerCandidate, SearchRequest
from joulemark.own_code.choice import MATTERS, OVERALL, FlagChoice
from joulemark.own_code.making import (
    CandidateOutcome,
    ReadyCandidate,
    RefusedCandidate,
    SameCode,
    UnreachedCandidate,
)
from joulemark.own_code.many import ManyRequest
from joulemark.own_code.many.tuning import ManyAnswer, SearchAnswer
from joulemark.records.figures import Evidence
from joulemark.store.repository import Store
from joulemark.units import format_bytes, format_percent, format_seconds


def show(
    wanted: SearchRequest, found: SearchAnswer, store: Store, store_location: str | None
) -> None:
    """Prints what a search found. Standard error has told of candidates that are not right."""
    choice = found.choice
    if choice is None or found.run_id is None:
        return
    names = {name: ready.candidate.name for name, ready in found.ready.items()}
    first, *others = answer(wanted, found, choice)
    heading(first)
    sentences(others, indent=2)
    typer.echo("")
    heading("Seconds per message over those of the best candidate")
    last = 1 + len(choice.fields)
    columns(list(_rows(found, choice, names)), right=range(1, last), prose=(last,))
    typer.echo("")
    sentences(_best(choice, names, figures_of(store, found.run_id)))
    sentences(_done(found, store, store_location))
    sentences([*filter(None, [limit_of_cpu_time(capture())])])


def figures_of(store: Store, run_id: int) -> dict[tuple[str, int], Figure]:
    """Seconds per message by implementation and length."""
    return {
        (trial.implementation, trial.workload.size_bytes): figure(
            [seconds_per_message(sample) for sample in taken],
            Evidence.MEASURED,
            clusters=[sample.generation for sample in taken],
        )
        for trial, taken in standing(trusted_samples(store, run_id)).items()
        if taken
    }


def answer(wanted: SearchRequest, found: SearchAnswer, choice: FlagChoice) -> Iterator[str]:
    """Sentences on which compiler and flags to use, how much they gain, and how sure that is."""
    names = {name: ready.candidate.name for name, ready in found.ready.items()}
    chosen = names[choice.chosen]
    first = wanted.candidates[0]
    is_usual = first.flag_set == USUAL
    usual = f"the usual flags, {first.name}" if is_usual else f"{first.name}, the first asked for"
    gap = choice.over_usual
    if gap is not None:
        yield (
            f"use {chosen}: it is {gap.ratio:.2f} times as fast as {usual} "
            f"[{gap.low:.2f}, {gap.high:.2f}]"
        )
    elif chosen != first.name:
        yield f"use {chosen}: with {usual}, the code is wrong here or could not be timed"
    elif len(found.ready) == 1:
        yield f"use {usual}: {_only_one(found)}"
    else:
        yield f"use {usual}: nothing is proven faster by {format_percent(MATTERS)} or more"
    yield f"flags: {visible(found.ready[choice.chosen].candidate.flags) or 'none'}"
    if choice.perhaps_as_good:
        others = listed([names[name] for name in choice.perhaps_as_good])
        yield (
            f"the time was too short to say how much faster one of these may be: {others}"
            if choice.may_gain == float("inf")
            else f"at most {format_percent(choice.may_gain)} is open: {others} may be faster by "
            "that much"
        )
    if unreached := _unreached(found):
        yield (
            f"the budget of {wanted.budget_s:g} s ended before {len(unreached)} of "
            f"{len(found.outcomes)} candidates were tried"
        )


def _unreached(found: SearchAnswer) -> list[str]:
    """Names of the candidates for which the budget was too short."""
    return [made.candidate.name for made in found.outcomes if isinstance(made, UnreachedCandidate)]


def _only_one(found: SearchAnswer) -> str:
    """Why nothing was compared with the one candidate that was timed."""
    if _unreached(found):
        return "no other code was tried"
    if any(isinstance(made, RefusedCandidate) for made in found.outcomes):
        return "the other candidates that are right compile to the same code"
    return "all other candidates compile to the same code"


def _rows(
    found: SearchAnswer, choice: FlagChoice, names: Mapping[str, str]
) -> Iterator[tuple[str, ...]]:
    """A line for each candidate, the fastest over all lengths first, then those without figures."""
    yield ("candidate", *(_place(place) for place in choice.fields), "")
    timed = [name for name in found.ready if name in choice.to_best]
    last = list(choice.fields)[-1]
    for name in sorted(timed, key=lambda name: choice.factors(last).get(name, math.inf)):
        ratios = [choice.factors(place).get(name) for place in choice.fields]
        cells = ["-" if ratio is None else f"{ratio:.2f}" for ratio in ratios]
        yield (names[name], *cells, "; ".join(_remarks(name, found, choice)))
    blanks = [""] * len(choice.fields)
    for made in found.outcomes:
        if isinstance(made, SameCode):
            yield (made.candidate.name, *blanks, f"same code as {made.first.name}")
        elif isinstance(made, RefusedCandidate):
            yield (made.candidate.name, *blanks, made.verdict)
        elif isinstance(made, ReadyCandidate) and made.name not in choice.to_best:
            yield (names[made.name], *blanks, _failure(made.name, found))


def _remarks(name: str, found: SearchAnswer, choice: FlagChoice) -> Iterator[str]:
    if name == choice.chosen:
        yield "to be used"
    if name == choice.usual:
        yield "usual" if found.ready[name].candidate.flag_set == USUAL else "compared with"
    places = [
        _place(place)
        for place, at in choice.fields.items()
        if place != OVERALL and name in at.perhaps_best
    ]
    if places:
        yield f"perhaps the fastest at {' and '.join(places)}"
    if name in found.fallen:
        yield f"slower: dropped after {found.fallen[name]} rounds"


def _failure(name: str, found: SearchAnswer) -> str:
    kinds = [failure.kind.value for failure in found.failures if failure.implementation == name]
    return f"{kinds[0]} while it was timed" if kinds else "not timed"


def _best(
    choice: FlagChoice, names: Mapping[str, str], figures: Mapping[tuple[str, int], Figure]
) -> Iterator[str]:
    """The best candidate at each length, those not told apart from it, and the slowest."""
    for place, at in choice.fields.items():
        if place == OVERALL:
            continue
        found = figures[at.best, place]
        others = [names[name] for name in at.perhaps_best[1:]]
        apart = f"; perhaps as fast: {listed(others)}" if others else ""
        if not others and len(choice.to_best) > 1:
            apart = ", faster than all others"
        yield (
            f"{format_bytes(place)}: {_time(found.median)} ({_time(found.low)} to "
            f"{_time(found.high)}) with {names[at.best]}{apart}"
        )
    factor, slowest, place = max(
        (ratio, name, place)
        for place in choice.fields
        if place != OVERALL
        for name, ratio in choice.factors(place).items()
    )
    if factor > 1:
        yield (
            f"slowest: {names[slowest]}, {factor:.2f} times the time of the best at "
            f"{format_bytes(place)}"
        )


def _time(seconds: float) -> str:
    return format_seconds(seconds, digits=4)


def _done(found: SearchAnswer, store: Store, store_location: str | None) -> Iterator[str]:
    """Sentences on what was tried, when candidates left, and where the samples are kept."""
    kinds = Counter(type(made) for made in found.outcomes)
    parts = [f"{kinds[ReadyCandidate]} were timed"]
    if kinds[SameCode]:
        parts.append(f"{kinds[SameCode]} compile to the code of another")
    if kinds[RefusedCandidate]:
        parts.append(f"{kinds[RefusedCandidate]} are wrong or do not compile")
    if kinds[UnreachedCandidate]:
        parts.append(f"{kinds[UnreachedCandidate]} were not tried")
    left = Counter(found.fallen.values())
    gone = [f"{count} dropped after {rounds} rounds" for rounds, count in sorted(left.items())]
    stayed = kinds[ReadyCandidate] - len(found.fallen)
    yield (
        f"{len(found.outcomes)} candidates: {', '.join(parts)} "
        f"({', '.join([*gone, f'{stayed} in all {found.rounds} rounds'])})"
    )
    if unreached := _unreached(found):
        yield f"not tried: {', '.join(unreached)}"
    tried = (made for made in found.outcomes if not isinstance(made, UnreachedCandidate))
    versions = (made.candidate.compiler.version for made in tried)
    families = {"clang" if "clang" in version else "gcc" for version in versions}
    if len(families) == 1 and (absent := {"gcc", "clang"} - families) and len(absent) == 1:
        yield f"only {families.pop()} was tried; {absent.pop()} may make faster code"
    if found.run_id is not None:
        for doubt in load_doubts(store.samples(found.run_id)):
            yield doubt.sentence
        if store_location is not None:
            yield f"every sample is kept: {command_for_all(found.run_id, store_location)}"


def _place(place: int) -> str:
    return "all" if place == OVERALL else format_bytes(place)


def add_command(wanted: SearchRequest, chosen: CompilerCandidate) -> str:
    """The command that compiles, checks and keeps the chosen candidate."""
    name, program = chosen.compiler.name, chosen.compiler.program
    words = ["joulemark", "add", *(file.given for file in wanted.code.files)]
    words += [f"-I{folder}" for folder in wanted.code.include_folders]
    words += ["--function", wanted.code.function, "--algorithm", wanted.request.algorithm.id]
    if wanted.request.signature is not None:
        words += ["--signature", wanted.request.signature.text]
    if wanted.request.context_bytes is not None:
        words += ["--context-bytes", str(wanted.request.context_bytes)]
    first = next(iter(wanted.code.files)).path.stem
    if wanted.request.variant != first:
        words += ["--name", wanted.request.variant]
    words += ["--compiler", name if shutil.which(name) == program else program]
    words += ["--flags", chosen.flags]
    return visible(shlex.join(words))


# The JSON of `joulemark tune`.

TUNE_VERSION: Final = 2
"""2: a candidate has `tried`, false where the budget was over before."""


def as_dict(wanted: SearchRequest, found: SearchAnswer, store: Store) -> Mapping[str, JsonValue]:
    """A search and its answer as JSON values; ratios are seconds over seconds, lengths in bytes."""
    choice = found.choice
    figures = {} if found.run_id is None else figures_of(store, found.run_id)
    chosen = found.ready[choice.chosen].candidate if choice else None
    places = {
        place: [found.ready[name].candidate.name for name in field.perhaps_best]
        for place, field in (choice.fields if choice else {}).items()
        if place != OVERALL
    }
    return {
        "schema_version": TUNE_VERSION,
        "algorithm": wanted.request.algorithm.id,
        "function": wanted.code.function,
        "run": found.run_id,
        "rounds": found.rounds,
        "usual": wanted.candidates[0].name,
        "chosen": _choice(choice, found) if choice else None,
        "add": add_command(wanted, chosen) if chosen else None,
        "lengths": [
            {"size_bytes": place, "best": names[0], "perhaps_best": [*names]}
            for place, names in places.items()
        ],
        "candidates": [_candidate(made, found, figures) for made in found.outcomes],
        "warnings": []
        if found.run_id is None
        else [load_doubt.sentence for load_doubt in load_doubts(store.samples(found.run_id))],
    }


def _choice(choice: FlagChoice, found: SearchAnswer) -> JsonValue:
    candidate = found.ready[choice.chosen].candidate
    return {
        "candidate": candidate.name,
        "compiler": candidate.compiler.version,
        "flags": candidate.flags,
        "is_usual": choice.is_usual,
        "over_usual": asdict(choice.over_usual) if choice.over_usual else None,
        "perhaps_as_good": [found.ready[name].candidate.name for name in choice.perhaps_as_good],
        "may_gain": choice.may_gain if math.isfinite(choice.may_gain) else None,
    }


def _candidate(
    made: CandidateOutcome, found: SearchAnswer, figures: Mapping[tuple[str, int], Figure]
) -> JsonValue:
    candidate = made.candidate
    values: dict[str, JsonValue] = {
        "candidate": candidate.name,
        "compiler": candidate.compiler.version,
        "flags": candidate.flags,
        "implementation": None,
        "tried": not isinstance(made, UnreachedCandidate),
        "same_code_as": made.first.name if isinstance(made, SameCode) else None,
        "refused": f"{made.verdict}: {made.why}" if isinstance(made, RefusedCandidate) else None,
        "left_after_rounds": None,
        "seconds_per_message": [],
        "to_best": [],
    }
    if isinstance(made, ReadyCandidate):
        gaps = found.choice.to_best.get(made.name, {}) if found.choice else {}
        failed = [
            failure.reason for failure in found.failures if failure.implementation == made.name
        ]
        values |= {
            "implementation": made.name,
            "refused": failed[0] if failed else None,
            "left_after_rounds": found.fallen.get(made.name),
            "seconds_per_message": [
                {"size_bytes": size, **figure.model_dump(mode="json")}
                for (name, size), figure in figures.items()
                if name == made.name
            ],
            "to_best": [
                {"size_bytes": None if place == OVERALL else place, **asdict(gap)}
                for place, gap in gaps.items()
            ],
        }
    return values


# The answer for a folder or a family: one table.

TUNE_MANY_VERSION: Final = 1
_SHOWN: Final = 5


def show_many(found: ManyAnswer, store_location: str | None) -> None:
    """Prints the fastest build of each implementation, and what was not built."""
    better = sum(row.gain is not None for row in found.rows)
    heading(
        f"{better} of {len(found.rows)} implementations have a better build than their default one"
    )
    typer.echo("")
    heading(f"Default build over the fastest one ({found.by}), all lengths together")
    rows = [("candidate", "fastest build", "ratio", "builds", "open", "default build")]
    for row in sorted(found.rows, key=lambda row: -(row.gain.ratio if row.gain else 1.0)):
        gap = row.gain
        ratio = "1" if gap is None else f"{gap.ratio:.2f} [{gap.low:.2f}, {gap.high:.2f}]"
        still_open = "any" if row.may_gain is None else format_percent(max(row.may_gain, 0.0))
        rows.append(
            (row.implementation, row.chosen, ratio, str(row.builds), still_open, row.default)
        )
    columns([tuple(map(visible, cells)) for cells in rows], right=(2, 3, 4), prose=(0, 1, 5))
    typer.echo("")
    sentences(_left_out(found))
    if found.run_id is not None and store_location is not None:
        sentences([f"every sample is kept: {command_for_all(found.run_id, store_location)}"])


def _left_out(found: ManyAnswer) -> Iterator[str]:
    """Sentences on builds that were not made, are not right, or have no figure."""
    yield "ratio 1: no build is told to be better than the default one by 1 % or more"
    yield "open: what another build may gain over the one that is named, at most"
    if found.builds.unreached:
        names = listed(found.builds.unreached)
        yield f"the budget was too short for all builds with {names}"
    refused = found.builds.refused
    yield from (f"not timed: {visible(text)}" for text in refused[:_SHOWN])
    if len(refused) > _SHOWN:
        yield f"not timed: {len(refused) - _SHOWN} more builds (--json has all)"
    if found.untimed:
        remedy = "longer windows (--energy-window)" if "energy" in found.by else "a longer --budget"
        yield (
            f"without a figure that is sure enough: {visible(listed(found.untimed))}; {remedy} or "
            "a quieter machine may give it"
        )


def many_as_dict(wanted: ManyRequest, found: ManyAnswer) -> Mapping[str, JsonValue]:
    """A search for many and its answer as JSON values."""
    return {
        "schema_version": TUNE_MANY_VERSION,
        "run": found.run_id,
        "by": found.by,
        "sizes_bytes": [*wanted.sizes_bytes],
        "candidates": [asdict(row) for row in found.rows],
        "builds": {name: [*builds.values()] for name, builds in found.builds.of.items()},
        "unreached": [*found.builds.unreached],
        "refused": [*found.builds.refused],
        "without_figure": [*found.untimed],
    }
