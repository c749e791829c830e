# SPDX-License-Identifier: Apache-2.0
"""The planner: the meaning of patterns, the trials, and the order of the rounds."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from joulemark.errors import UsageError
from joulemark.measure.plan import Effort, Plan, Precision, trials_for, williams_rows
from joulemark.measure.selection import base_name, select, twin_number
from joulemark.records import ImplementationFacts
from joulemark.records.trial import KeySetup, Trial, Workload

KNOWN = [
    "hmac-sha1/portable",
    "hmac-sha256/auto",
    "hmac-sha256/castellon2022_standard",
    "hmac-sha256/mcu8",
    "hmac-sha256/openssl_mac_reinit",
    "hmac-sha256/portable",
    "hmac-sha256/shani",
    "sha256/portable",
]


def facts(name: str, kind: str) -> ImplementationFacts:
    """An implementation with nothing special about it."""
    return ImplementationFacts(
        implementation=name, kind=kind, provider="joulemark", library_version="1", compiler="c",
        flags="", cpu_features=(), lanes=1, constant_time=True, block_bytes=16, output_bytes=16,
        key_bytes_min=16, key_bytes_max=16, key_bytes=16,
    )  # fmt: skip


def plan(competitors: int, groups: int, rounds: int, generations: int = 2) -> Plan:
    """Groups of trials that differ in size, competitors that differ in variant."""
    trials = [
        Trial(f"a/v{variant}", Workload(16 << group))
        for group in range(groups)
        for variant in range(competitors)
    ]
    return Plan(tuple(trials), Effort(rounds, 1000, min(generations, rounds)))


@pytest.mark.parametrize(
    ("patterns", "chosen"),
    [
        (["hmac-sha256"], ["openssl_mac_reinit", "portable", "shani"]),
        (["hmac-sha256/auto"], ["auto"]),
        (["hmac-sha256/*sh*"], ["shani"]),
        (["hmac-sha256/castellon2022_standard"], ["castellon2022_standard"]),
        (["*/castellon2022*"], ["castellon2022_standard"]),
        (["hmac-*/openssl_*"], ["openssl_mac_reinit"]),
        (["hmac-sha256/mcu8"], ["mcu8"]),
        (["*/mcu*"], ["mcu8"]),
        (["hmac-sha256", "*/mcu8"], ["mcu8", "openssl_mac_reinit", "portable", "shani"]),
        (["hmac-sha256/shani#2", "hmac-sha256/shani"], ["shani", "shani#2"]),
    ],
)
def test_patterns(patterns: list[str], chosen: list[str]) -> None:
    """A pattern is an algorithm, an implementation or a glob; some code is chosen by name only."""
    assert select(patterns, KNOWN) == [f"hmac-sha256/{variant}" for variant in chosen]


def test_small_machines_have_their_variants_without_being_asked() -> None:
    """On a microcontroller `mcu8` competes with the others; on the host it does not."""
    chosen = select(["hmac-sha256"], KNOWN, small_machine=True)
    assert "hmac-sha256/mcu8" in chosen
    assert set(chosen) - {"hmac-sha256/mcu8"} == set(select(["hmac-sha256"], KNOWN))


@pytest.mark.parametrize(
    ("pattern", "offered"),
    [
        ("hmac-sha265", "hmac-sha256"),
        ("hmac-sha256/shany", "hmac-sha256/shani"),
        ("sha", "sha256"),
    ],
)
def test_unknown_names_offer_near_ones(pattern: str, offered: str) -> None:
    """An unknown name is refused, and the refusal offers the name that was probably meant."""
    with pytest.raises(UsageError, match=offered):
        select([pattern], KNOWN)


@pytest.mark.parametrize("twin", ["x#", "x#0", "x#-1", "x#two"])
def test_twins_are_numbered_from_one(twin: str) -> None:
    """Only a whole number from 1 on may stand after the # of a twin."""
    with pytest.raises(UsageError, match="NAME#2"):
        twin_number(twin)
    assert (base_name("x#3"), twin_number("x#3"), twin_number("x")) == ("x", 3, 1)


def test_workloads_that_do_not_exist_are_left_out() -> None:
    """A cipher takes whole blocks; a hash has no key to renew; a MAC takes everything."""
    workloads = [Workload(0), Workload(5), Workload(32), Workload(32, key_setup=KeySetup.FRESH)]
    sizes = {
        kind: [(t.workload.size_bytes, t.workload.key_setup.value)
               for t in trials_for([facts(f"x/{kind}", kind)], workloads)]
        for kind in ("hash", "mac", "cipher")
    }  # fmt: skip
    assert sizes["hash"] == [(0, "kept"), (5, "kept"), (32, "kept")]
    assert sizes["mac"] == [(0, "kept"), (5, "kept"), (32, "kept"), (32, "fresh")]
    assert sizes["cipher"] == [(32, "kept"), (32, "fresh")]


@settings(max_examples=40, deadline=None)
@given(
    competitors=st.integers(1, 7), groups=st.integers(1, 4), rounds=st.integers(1, 25),
    seed=st.integers(0, 2**32 - 1),
)  # fmt: skip
def test_rounds_are_whole_balanced_and_grouped(
    competitors: int, groups: int, rounds: int, seed: int
) -> None:
    """Each round holds each trial once; competitors are neighbours; no place favours anyone."""
    made = plan(competitors, groups, rounds)
    taken = list(made.rounds(seed))
    assert [number for number, _ in taken] == list(range(rounds))
    places: Counter[tuple[Trial, int]] = Counter()
    for _, trials in taken:
        assert sorted(trials) == sorted(made.trials)
        for start in range(0, len(trials), competitors):
            group = trials[start : start + competitors]
            assert len({trial.workload for trial in group}) == 1
            places.update((trial, place) for place, trial in enumerate(group))
    square = competitors * (2 if competitors % 2 and competitors > 1 else 1)
    full_squares, each = rounds // square, square // competitors
    for trial in made.trials:
        for place in range(competitors):
            assert full_squares * each <= places[trial, place] <= (full_squares + 1) * each


@pytest.mark.parametrize("competitors", range(1, 10))
def test_each_competitor_follows_each_other_equally_often(competitors: int) -> None:
    """In the rows of a Williams square each competitor follows each other equally often."""
    members = list(plan(competitors, 1, 1).trials)
    rows = williams_rows(members, random.Random(competitors))
    assert len(rows) == (
        competitors if competitors % 2 == 0 or competitors == 1 else 2 * competitors
    )
    places = Counter((trial, place) for row in rows for place, trial in enumerate(row))
    assert len(places) == competitors**2
    assert len(set(places.values())) == 1
    followers = Counter(pair for row in rows for pair in pairwise(row))
    assert len(followers) == competitors * (competitors - 1)
    assert len(set(followers.values())) <= 1


def test_blocks_go_on_where_the_one_before_ended() -> None:
    """Rounds and generations of processes go on counting in later blocks; trials may leave."""
    made = plan(3, 2, 6, generations=3)
    first, second = made.groups().values()
    staying = {*first, second[0]}
    taken = list(made.rounds(5, 1, staying))
    assert [number for number, _ in taken] == list(range(6, 12))
    assert [made.generation(number) for number, _ in taken] == [3, 3, 4, 4, 5, 5]
    assert all(set(trials) == staying for _, trials in taken)
    assert all(set(trials) == set(first) for _, trials in made.rounds(5, 1, frozenset(first)))
    assert taken != list(made.rounds(5, 2, staying))


def test_order_follows_the_seed() -> None:
    """The same seed gives the same order, so that a killed run goes on as it began."""
    made = plan(4, 3, 9)
    assert list(made.rounds(7)) == list(made.rounds(7))
    assert list(made.rounds(7)) != list(made.rounds(8))


def test_digest_tells_plans_apart() -> None:
    """Anything that changes what is measured changes the digest."""
    made = plan(2, 2, 9)
    others = [
        *(
            replace(made, effort=replace(made.effort, **change))
            for change in (
                {"rounds": 10},
                {"window_ns": 999},
                {"generations": 3},
                {"windows": 2},
                {"retakes": 1},
                {"precision": Precision(0.01, 60)},
            )
        ),
        replace(made, code_digest="other code"),
        replace(made, trials=made.trials[:-1]),
    ]
    digests = {each_plan.digest() for each_plan in [made, *others]}
    assert len(digests) == 1 + len(others)
    assert plan(2, 2, 9).digest() == made.digest()


def test_digest_stays() -> None:
    """A run that an earlier version began goes on, so the digest of a plan never changes."""
    effort = Effort(30, 200_000, 10, precision=Precision(0.01, 60.0), visits=7)
    made = Plan((Trial("sha256/shani", Workload(64)),), effort, "c0de")
    assert made.digest() == "666b753955e92159f2a1f6b8e4be0950e5cbb2621dc1dd6438aeb27ef3dff0a9"


@pytest.mark.parametrize(("rounds", "generations"), [(20, 10), (20, 7), (5, 5), (3, 1)])
def test_generations_share_the_rounds_evenly(rounds: int, generations: int) -> None:
    """Every generation has rounds, in order, and their numbers of rounds differ by at most one."""
    made = plan(1, 1, rounds, generations)
    counted = Counter(made.generation(index) for index in range(rounds))
    assert sorted(counted) == list(range(generations))
    assert max(counted.values()) - min(counted.values()) <= 1
    order = [made.generation(index) for index in range(rounds)]
    assert order == sorted(order)
