# SPDX-License-Identifier: Apache-2.0
"""`joulemark choose`: which MAC to take, of those that were measured on this machine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Final

import typer

from joulemark._core import SESSIONS_MAX
from joulemark.analyse import Result
from joulemark.analyse.assemble import result_set
from joulemark.analyse.choice import DISTURBED, Accepted, Choice, Order, Requirements, choose
from joulemark.analyse.load import OfferedLoad
from joulemark.catalogue import AlgorithmFacts, algorithms, every_algorithm
from joulemark.cli.shared.command import Command
from joulemark.cli.shared.completion import words_of
from joulemark.cli.shared.load_options import ClaimOptions, LoadOptions
from joulemark.cli.shared.measuring_options import (
    ALL_OPTION,
    DEFAULT_STORE,
    JSON_OPTION,
    STORE_OPTION,
)
from joulemark.cli.shared.terminal import columns, heading, print_json, print_text, sentences
from joulemark.environment import capture
from joulemark.environment.facts import IDENTITY_KEYS, may_be_one
from joulemark.errors import UsageError
from joulemark.records.trial import Trial
from joulemark.report.choice import (
    HEADINGS,
    as_json,
    basis_of_choice,
    call_lines,
    candidate_rows,
    headline,
    load_of_choice,
    reasons,
    requirements_text,
    shown_candidates,
)
from joulemark.report.load import load_sentence, load_text
from joulemark.store.beside_runs import SessionsPoint
from joulemark.store.repository import Store
from joulemark.units import format_bytes, parse_size

# What a store has of this machine and version for `joulemark choose`: results and sessions.


def measured_here(store: Store, size_bytes: int) -> Iterator[tuple[int, Result]]:
    """Results of MACs at that length by the runs of this machine, the newest run first.

    A run is read only where it has a trial that no newer one has.
    """
    here = capture().as_dict()
    seen: set[Trial] = set()
    for run in reversed(store.runs()):
        if not may_be_one(run.environment, here, IDENTITY_KEYS):
            continue
        trials = {
            trial
            for trial in store.sample_counts(run.id)
            if trial.workload.size_bytes == size_bytes
        }
        if not trials - seen:
            continue
        seen |= trials
        for result in result_set(store, run.id).results:
            if result.size_bytes == size_bytes:
                yield run.id, result


def points_in_sessions(store: Store, requirements: Requirements) -> list[tuple[int, SessionsPoint]]:
    """Points that this machine and version measured in that many sessions, the newest first."""
    if requirements.sessions == 1:
        return []
    here = capture().as_dict()
    found = store.sessions_points(
        size_bytes=requirements.size_bytes, sessions=sessions_in_harness(requirements)
    )
    return [
        (stored_sessions.id, stored_sessions.point)
        for stored_sessions in reversed(found)
        if may_be_one(stored_sessions.point.environment, here, IDENTITY_KEYS)
    ]


def sessions_in_harness(requirements: Requirements) -> int:
    """The number of sessions to look up, which is no more than the harness runs."""
    return min(requirements.sessions, SESSIONS_MAX)


_MOST_SESSIONS = 1_000_000
_ROWS = 10
_USUAL_BATCH = 64


def choose_mac(
    *,
    size: Annotated[str, typer.Option(help="Length of the messages: 64, 1500, 64KiB.")],
    sessions: Annotated[
        int,
        typer.Option(
            min=1,
            max=_MOST_SESSIONS,
            help="Keys in use at once. Batches with a message of each are candidates too.",
        ),
    ] = 1,
    tag_bits: Annotated[
        int, typer.Option(min=0, max=4096, help="Bits that the tag has at least.")
    ] = 0,
    status: Annotated[
        Accepted,
        typer.Option(
            autocompletion=words_of(Accepted),
            help="current; legacy takes legacy algorithms too; any takes broken ones too.",
        ),
    ] = Accepted.CURRENT,
    claims: ClaimOptions,
    by: Annotated[
        Order, typer.Option(autocompletion=words_of(Order), help="Rank by time or by energy.")
    ] = Order.TIME,
    offered: LoadOptions,
    all_of_them: Annotated[bool, ALL_OPTION] = False,
    store: Annotated[str, STORE_OPTION] = DEFAULT_STORE,
    as_json_text: Annotated[bool, JSON_OPTION] = False,
) -> None:
    """Choose a MAC: rank those measured on this machine that do what is required.

    Of each implementation the newest run counts, if it is of this machine and of this version.
    Messages of one session come one at a time; those of several sessions may go in batches. Where
    'joulemark sessions' has measured so many sessions, single messages are ranked by that: by CPU
    time, in windows that count. With --rate the answer is the part of a core that such a load
    takes, its power and its price.
    """
    requirements = Requirements(
        parse_size(size), sessions, tag_bits, status, by, claims.security_bits, claims.approved
    )
    load = offered.load()
    with Store.existing(store) as found:
        choice, facts, calls = _choose(found, requirements)
    if as_json_text:
        print_json(as_json(choice, facts, requirements, calls, load))
    else:
        _show(choice, facts, requirements, calls, load, all_of_them=all_of_them)


def _choose(
    store: Store, requirements: Requirements
) -> tuple[Choice, dict[str, AlgorithmFacts], list[tuple[str, str]]]:
    """The choice, the facts of each algorithm in question, and calls of the best candidate."""
    measured = list(measured_here(store, requirements.size_bytes))
    points = points_in_sessions(store, requirements)
    known = every_algorithm()
    there = {result.algorithm for _, result in measured}
    there |= {sessions_point.facts.implementation.partition("/")[0] for _, sessions_point in points}
    facts = {
        name: algorithm for name, algorithm in known.items() if name in there | algorithms().keys()
    }
    choice = choose(measured, facts, requirements, points)
    if not choice.ranking:
        raise UsageError(_why_none(choice, requirements))
    best = choice.ranking[0]
    best_facts = (
        dict(points)[best.run].facts
        if best.in_sessions
        else store.implementations(best.run)[best.result.implementation]
    )
    return choice, facts, list(call_lines(choice, best_facts, facts[best.result.algorithm]))


def _show(
    choice: Choice,
    facts: Mapping[str, AlgorithmFacts],
    requirements: Requirements,
    calls: Sequence[tuple[str, str]],
    load: OfferedLoad | None,
    *,
    all_of_them: bool,
) -> None:
    """Prints the cost of the load, the ranking, the reasons of those outside it, and advice."""
    heading(headline(choice, requirements))
    print_text(f"  for {requirements_text(requirements)}")
    if load is not None:
        cost = load_of_choice(choice, load)
        if cost is not None:
            print_text(f"  {load_text(load)}: {load_sentence(cost)}")
            sentences(basis_of_choice(choice, load), indent=4)
    columns(calls, prose=(1,))
    typer.echo("")
    shown = shown_candidates(choice, None if all_of_them else _ROWS)
    rows = candidate_rows(shown, choice.ranking[0], facts, requirements)
    columns([HEADINGS, *rows], indent=0, right=(2, 4, 5, 6))
    if len(shown) < len(choice.ranking):
        print_text(f"(the best variant of each algorithm; --all shows all {len(choice.ranking)})")
    if found_reasons := list(reasons(choice)):
        typer.echo("")
        heading("Not in the ranking")
        columns(found_reasons, prose=(1, 0))
    for advice, command in _advice(choice, requirements):
        print_text(f"{advice}:")
        print_text(f"  {command}")


def _advice(choice: Choice, requirements: Requirements) -> Iterator[tuple[str, str]]:
    """Reasons to measure more, each with the command that does it."""
    by_sessions = any(candidate.in_sessions for candidate in choice.ranking)
    if choice.not_measured:
        measured_by = _sessions if by_sessions else _bench
        yield "To measure them", measured_by(choice.not_measured, requirements)
    again = [
        name
        for fallen_out in choice.fallen_out
        if fallen_out.reason == DISTURBED
        for name in fallen_out.algorithms
    ]
    if again:
        yield "To measure again, at a quiet moment", _sessions(tuple(again), requirements)
    names = tuple(candidate.result.algorithm for candidate in choice.best_of_each)
    if requirements.sessions > 1 and requirements.order is Order.TIME and not by_sessions:
        many = f"{sessions_in_harness(requirements)} sessions at once"
        yield (
            f"These times are of messages under a single key; to measure {many}",
            _sessions(names, requirements),
        )
    if requirements.sessions > 1 and not any(
        candidate.result.batch > 1 for candidate in choice.ranking
    ):
        most = min(_USUAL_BATCH, 1 << requirements.sessions.bit_length() - 1)
        command = f"{_bench(names, requirements)} --batch {most} --key distinct"
        yield f"To measure batches of up to {most} messages, each under its own key", command


def _why_none(choice: Choice, requirements: Requirements) -> str:
    """Why there is no candidate, and the command that makes some."""
    if not choice.not_measured:
        return f"no MAC of the catalogue does all of this: {requirements_text(requirements)}"
    length = format_bytes(requirements.size_bytes)
    figure = "energy" if requirements.order is Order.ENERGY else "time"
    return (
        f"no {figure} of a MAC that would do was measured here at {length}; measure with "
        f"'{_bench(choice.not_measured, requirements)}'"
    )


def _sessions(names: tuple[str, ...], requirements: Requirements) -> str:
    return (
        f"joulemark sessions {' '.join(names)} --sessions {sessions_in_harness(requirements)} "
        f"--size {requirements.size_bytes}"
    )


def _bench(names: tuple[str, ...], requirements: Requirements) -> str:
    energy = " --energy" if requirements.order is Order.ENERGY else ""
    return f"joulemark bench {' '.join(names)} --size {requirements.size_bytes}{energy}"


COMMAND: Final = Command(
    choose_mac,
    (
        "joulemark choose --size 64",
        "joulemark choose --size 64 --sessions 100 --tag-bits 96 --status current",
        "joulemark choose --size 64 --rate 1M --watts-per-core 15 --core-hour 0.04",
        "joulemark choose --size 1500 --by energy --json",
    ),
)
