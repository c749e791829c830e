# SPDX-License-Identifier: Apache-2.0
"""The choice of a MAC where some MACs were measured in sessions: which rank, which fall out."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from choice_results import SIZE_BYTES, figure, result

from joulemark.analyse.choice import DISTURBED, Choice, Order, Requirements, choose
from joulemark.catalogue import algorithms
from joulemark.records import ImplementationFacts
from joulemark.records.sample import SessionCounts, SessionsWindow
from joulemark.store.beside_runs import SessionsPoint, SessionsRound

SESSIONS = 8


def point(name: str, nanoseconds: float, *troubles: str) -> SessionsPoint:
    """Sessions whose threads spend so many ns of CPU time on a message, in three windows.

    Args:
        name: implementation.
        nanoseconds: CPU time of a message.
        *troubles: faults of the first windows, one each; further windows have none.
    """
    facts = ImplementationFacts(
        implementation=name, kind="mac", provider="joulemark", library_version="0.1.0",
        compiler="gcc", flags="-O3", cpu_features=(), lanes=1, constant_time=True, block_bytes=64,
        output_bytes=32, key_bytes_min=0, key_bytes_max=None, key_bytes=32,
    )  # fmt: skip
    session = SessionCounts(
        messages=1000, tagged_bytes=64_000, wall_ns=10**9, thread_cpu_ns=round(1000 * nanoseconds),
        ticks=2 * 10**9, voluntary_switches=0, involuntary_switches=4, migrations=0,
        chain_ticks_before=None, chain_ticks_after=None, last_bytes=64,
    )  # fmt: skip
    window = SessionsWindow(
        cores=(0,), warm_up_ns=0, window_ns=10**9, ticks_are_tsc=True, window_ticks=2 * 10**9,
        clock_ns=10**9, clock_ticks=2 * 10**9, clock_pair_ticks=20, busy_ns=None, steal_ns=None,
        stretch_messages=10, chain_adds=8192, part_bytes=(64_000,) * 8, latencies=(),
        sessions=(session,) * SESSIONS,
    )  # fmt: skip
    wrong = [*troubles, *[""] * (3 - len(troubles))]
    rounds = tuple(SessionsRound(window, (said,) if said else (), ()) for said in wrong)
    return SessionsPoint(facts, SIZE_BYTES, "", SESSIONS, rounds, {}, "0.1.0")


def chosen(results: list[Any], points: list[SessionsPoint], **requirements: Any) -> Choice:
    """The choice among results of run 1, and points of sessions numbered from 5 on."""
    wanted = Requirements(**({"size_bytes": SIZE_BYTES, "sessions": SESSIONS} | requirements))
    runs = [(1, entry) for entry in results]
    return choose(runs, algorithms(), wanted, list(enumerate(points, start=5)))


def ranked(choice: Choice) -> list[tuple[str, int, bool]]:
    """Implementation, number of the run, and whether it ran in sessions, in order of rank."""
    return [
        (candidate.result.implementation, candidate.run, candidate.in_sessions)
        for candidate in choice.ranking
    ]


def test_sessions_rank_by_the_cpu_time_of_their_threads() -> None:
    """Beside sessions a result under a single key, however fast, is no candidate."""
    choice = chosen(
        [result("cmac-aes128/aesni", 10), result("hmac-sha256/shani", 20)],
        [point("hmac-sha256/shani", 150), point("cmac-aes128/aesni", 70)],
    )
    assert ranked(choice) == [("cmac-aes128/aesni", 6, True), ("hmac-sha256/shani", 5, True)]
    assert choice.ranking[0].cost.median == pytest.approx(70e-9)


def test_what_was_not_measured_in_sessions_is_said() -> None:
    """The algorithm is listed as not measured, for the command that measures it."""
    choice = chosen([result("cmac-aes128/aesni", 10)], [point("hmac-sha256/shani", 150)])
    assert ranked(choice) == [("hmac-sha256/shani", 5, True)]
    assert "cmac-aes128" in choice.not_measured


def test_batches_under_a_key_for_each_stay_candidates() -> None:
    """A server with sessions could use such batches."""
    together = {"batch": SESSIONS, "batch_calls": True, "key_setup": "distinct"}
    choice = chosen(
        [result("hmac-sha256/engine", 40, **together)], [point("hmac-sha256/shani", 150)]
    )
    assert ranked(choice) == [("hmac-sha256/engine", 1, False), ("hmac-sha256/shani", 5, True)]


def test_without_any_sessions_single_messages_stand_for_them() -> None:
    """Without results in sessions, single messages are ranked."""
    choice = chosen([result("cmac-aes128/aesni", 10)], [])
    assert ranked(choice) == [("cmac-aes128/aesni", 1, False)]


def test_windows_that_do_not_count_are_no_figure() -> None:
    """Of three windows the third alone counts; if none does, the algorithm falls out."""
    some = chosen([], [point("hmac-sha256/shani", 150, "over-utilised", "not steady")])
    assert some.ranking[0].cost.samples == 1
    none = chosen(
        [], [point("hmac-sha256/shani", 150, *["over-utilised"] * 3), point("cmac-aes128/x", 70)]
    )
    assert ranked(none) == [("cmac-aes128/x", 6, True)]
    (why,) = [
        fallen_out.reason
        for fallen_out in none.fallen_out
        if "hmac-sha256" in fallen_out.algorithms
    ]
    assert why == DISTURBED
    assert "hmac-sha256" not in none.not_measured


def test_the_newest_point_counts() -> None:
    """The first point of an implementation counts, unless none of its windows does."""
    disturbed = point("hmac-sha256/shani", 10, *["over-utilised"] * 3)
    choice = chosen([], [disturbed, point("hmac-sha256/shani", 150), point("hmac-sha256/shani", 9)])
    assert ranked(choice) == [("hmac-sha256/shani", 6, True)]


def test_requirements_hold_in_sessions_too() -> None:
    """A legacy MAC and a short tag fall out with their reasons."""
    choice = chosen(
        [], [point("hmac-md5/portable", 1), point("siphash-2-4/portable", 2),
             point("hmac-sha256/shani", 150)],
        tag_bits=96,
    )  # fmt: skip
    assert ranked(choice) == [("hmac-sha256/shani", 7, True)]


def test_energy_is_not_known_of_sessions() -> None:
    """Points of sessions have no joules, so a ranking by energy leaves them out."""
    joules = result("cmac-aes128/aesni", 10, joules_per_message=figure(1e-6))
    choice = chosen([joules], [point("hmac-sha256/shani", 150)], order=Order.ENERGY)
    assert ranked(choice) == [("cmac-aes128/aesni", 1, False)]


def test_what_the_library_takes_is_compared_among_sessions() -> None:
    """The engine is compared with the winner in sessions; batches of the engine do not count."""
    choice = chosen([], [point("hmac-sha256/shani", 150), point("hmac-sha256/engine", 151)])
    assert choice.library_choice is choice.ranking[1]
    with_batches = replace(choice, ranking=choice.ranking[:1])
    assert with_batches.library_choice is None
