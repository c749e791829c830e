# SPDX-License-Identifier: Apache-2.0
"""The recommended candidate where the truth is known: made-up times of a simulated machine."""

from __future__ import annotations

import pytest
from simulated_race import ROUNDS, Machine, equal

from joulemark.own_code.choice import (
    BLOCKS_AT_LOOKS,
    MATTERS,
    OVERALL,
    choose,
    field_of,
    gap_between,
    timings_of,
)

RUNS = 8
"""Simulated; `docs/method/comparison.md` has the counts of 200 of each kind."""


def test_where_nothing_differs_the_usual_flags_stay() -> None:
    """In run after run the usual flags stay, and no other candidate is called worse."""
    left = named = 0
    for seed in range(RUNS):
        machine = Machine(equal(4), seed=seed)
        found = machine.ended(race := machine.race())
        left += not found.is_usual
        named += bool(race.fallen)
    assert left == 0
    assert named <= 1


def test_the_fastest_is_named_as_perhaps_the_fastest() -> None:
    """In 95 of 100 runs it is among the perhaps fastest at each length and over all."""
    missed = 0
    for seed in range(RUNS):
        ns = equal(4)
        ns["c3"] = {64: 163.5, 4096: 4180.0}  # by 0.3 %, less than can be seen
        machine = Machine(ns, seed=seed)
        found = machine.ended(machine.race())
        missed += not all("c3" in at.perhaps_best for at in found.fields.values())
    assert missed <= 1


def test_one_that_is_twice_as_fast_is_chosen() -> None:
    """The choice has its gain, and no other candidate is perhaps as good."""
    ns = equal(4) | {"fast": {64: 82.0, 4096: 2098.0}}
    machine = Machine(ns)
    found = machine.ended(race := machine.race())
    assert found.chosen == "fast"
    assert found.over_usual is not None
    assert found.over_usual.low < 2 < found.over_usual.high
    assert found.over_usual.high - found.over_usual.low < 0.2
    assert found.perhaps_as_good == ()
    assert found.may_gain == 0
    assert set(race.left) == {"c0", "fast"}, "the usual one stays, to tell the gain against"
    assert machine.blocks == 1
    assert [at.best for at in found.fields.values()] == ["fast"] * 3


def test_one_that_is_twice_as_slow_leaves_at_the_first_look() -> None:
    """A candidate that leaves early still has its factor."""
    ns = equal(3) | {"slow": {64: 328.0, 4096: 8392.0}}
    machine = Machine(ns)
    found = machine.ended(race := machine.race())
    assert race.fallen["slow"] == ROUNDS
    assert machine.visits["slow"] == 2 * ROUNDS
    assert found.is_usual
    assert found.factors(64)["slow"] == pytest.approx(2, rel=0.03)
    assert found.to_best["slow"][OVERALL].slower


def test_one_that_is_fastest_at_one_length_stays() -> None:
    """The candidate stays however slow it is at another length, and loses over both lengths."""
    ns = equal(2) | {"short": {64: 82.0, 4096: 12588.0}}
    machine = Machine(ns)
    found = machine.ended(race := machine.race())
    assert "short" in race.left
    assert found.fields[64].best == "short"
    assert found.fields[4096].best != "short"
    assert found.is_usual
    assert "short" not in found.overall.perhaps_best


def test_a_gain_that_does_not_matter_is_no_reason_to_leave_the_usual_flags() -> None:
    """On a machine without noise a gain of 0.5 % is no reason to leave them; 3 % is."""
    for gain, leaves in ((0.005, False), (0.03, True)):
        ns = equal(2) | {"other": {64: 164 / (1 + gain), 4096: 4196 / (1 + gain)}}
        machine = Machine(ns, noise=1e-5, offset=1e-5)
        found = machine.ended(machine.race())
        assert found.overall.best == "other"
        assert found.is_usual is not leaves
        assert found.may_gain < 2 * MATTERS


def test_a_noisy_machine_cannot_tell() -> None:
    """A tenth more speed drowns: the usual flags stay, and the answer has the possible gain."""
    chosen = []
    for seed in range(4):
        ns = equal(3) | {"other": {64: 149.0, 4096: 3815.0}}
        machine = Machine(ns, seed=seed, noise=0.3, offset=0.5)
        found = machine.ended(machine.race())
        chosen.append(found.chosen)
        assert found.may_gain > 0.1
    assert set(chosen) == {"c0"}


def test_the_looks_are_where_they_are_said_to_be() -> None:
    """Equal candidates are looked at to the end; the budget ends a search with a look."""
    machine = Machine(equal(3), noise=0.05, offset=0.05)
    machine.ended(machine.race())
    assert machine.blocks == BLOCKS_AT_LOOKS[-1]
    ticks = iter(range(100))
    machine = Machine(equal(2) | {"slow": {64: 328.0, 4096: 8392.0}}, noise=0.03, offset=0.03)
    machine.ended(race := machine.race(budget_s=3, clock=lambda: next(ticks)))  # type: ignore[arg-type]
    assert machine.blocks == 3
    assert race.rounds_taken == 3 * ROUNDS
    assert "slow" in race.fallen


def test_no_block_begins_that_would_end_too_late() -> None:
    """A block is as long as the last one, less the share of the candidates that have left."""
    times_s = iter([0.0, 40.0, 60.0, 80.0])
    machine = Machine(equal(2) | {f"slow{n}": {64: 328.0, 4096: 8392.0} for n in range(2)},
                      noise=0.03, offset=0.03)  # fmt: skip
    machine.ended(race := machine.race(budget_s=75, clock=lambda: next(times_s)))  # type: ignore[arg-type]
    assert set(race.fallen) == {"slow0", "slow1"}
    assert machine.blocks == 2  # the second takes 20 s, and a third would end after 80 s


def test_equal_enough_is_the_end() -> None:
    """If candidates are proven equal within 1 %, more rounds could change nothing."""
    machine = Machine(equal(3), noise=1e-4, offset=1e-4)
    found = machine.ended(machine.race())
    assert machine.blocks == 1
    assert found.is_usual
    assert found.may_gain < MATTERS


def test_one_that_refuses_a_length_is_not_chosen() -> None:
    """The candidate may be the fastest at the lengths it takes, but does not serve all lengths."""
    ns = equal(2) | {"partly": {64: 82.0}}
    machine = Machine(ns)
    found = machine.ended(machine.race())
    assert found.fields[64].best == "partly"
    assert found.is_usual
    assert "partly" not in found.overall.perhaps_best


def test_without_the_usual_one_the_fastest_is_chosen() -> None:
    """The usual candidate may have crashed, for example, while it was timed."""
    ns = equal(2) | {"fast": {64: 82.0, 4096: 2098.0}}
    machine = Machine(ns)
    machine.ended(machine.race())
    timings = timings_of({trial: taken for trial, taken in machine.samples.items()
                          if trial.implementation != "c0"})  # fmt: skip
    found = choose(timings, ["c1", "fast"], "c0", 3)
    assert found is not None
    assert (found.chosen, found.over_usual) == ("fast", None)
    assert choose({}, [], "c0", 3) is None


def test_one_candidate_alone() -> None:
    """A single candidate has figures, and no other to be compared with."""
    machine = Machine(equal(1, 64))
    found = machine.ended(race := machine.race())
    assert (found.chosen, found.perhaps_as_good, found.may_gain) == ("c0", (), 0)
    assert race.fallen == {}
    assert machine.blocks == 1
    assert list(found.fields) == [64]


def test_one_start_of_the_processes_tells_nothing_apart() -> None:
    """All rounds of a start share a layout, which may be the difference; four starts can tell."""
    fast = {index: (index // 10, 0.0) for index in range(40)}
    slow = {index: (generation, 0.1) for index, (generation, _) in fast.items()}
    found = gap_between(slow, fast, 0.01)
    assert found is not None
    assert found.slower
    assert found.inverse().told
    assert found.inverse().high < 1
    assert found.inverse().ratio == pytest.approx(1 / found.ratio)
    one_start = [{index: (0, value) for index, (_, value) in gaps.items()} for gaps in (slow, fast)]
    alone = gap_between(one_start[0], one_start[1], 0.01)
    assert alone is not None
    assert not alone.told
    assert gap_between(slow, {}, 0.01) is None


def test_a_circle_leaves_everybody() -> None:
    """If each is slower than the next, in different rounds, no candidate is called slower."""

    def rounds(begin: int, value: float) -> dict[int, tuple[int, float]]:
        return {index: (index // 5, value) for index in range(begin, begin + 40)}

    places = {
        "a": rounds(0, 0.1) | rounds(80, 0.0),
        "b": rounds(0, 0.0) | rounds(40, 0.1),
        "c": rounds(40, 0.0) | rounds(80, 0.1),
    }
    assert set(field_of(places, 0.01).perhaps_best) == {"a", "b", "c"}
