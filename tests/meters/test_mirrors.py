# SPDX-License-Identifier: Apache-2.0
"""Mirrored dies are found by their counters, and real sockets are never taken for mirrors."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from joulemark.errors import UsageError
from joulemark.judging.domains import disjoint
from joulemark.meters import Meter, Reading, Survey, common_moment, mirrors, with_mirrors
from joulemark.records.energy_window import Domain, DomainKind, Quantity
from joulemark.records.figures import Evidence

STEP_J = 2.0**-14
WRAP = 262_143_328_911


def _domain(name: str, kind: DomainKind = DomainKind.PACKAGE, **more: object) -> Domain:
    plain = Domain(
        id=name,
        name=name,
        kind=kind,
        quantity=Quantity.ENERGY,
        per_count=1e-6,
        resolution=STEP_J,
        wraps_at_counts=WRAP,
    )
    return replace(plain, **more)  # type: ignore[arg-type]


DIES = (_domain("die-0"), _domain("die-1"))


def _series(powers_w: Sequence[float], interval_s: float = 0.1, start: int = 0) -> list[int]:
    """Counts in whole hardware steps, from whole microjoules."""
    energy_j = start * STEP_J
    counts = []
    for power_w in (0.0, *powers_w):
        energy_j += power_w * interval_s
        counts.append(int(int(energy_j / STEP_J) * STEP_J * 1e6) % WRAP)
    return counts


def _noisy(seed: int, mean_w: float, scatter: float = 0.01, number: int = 8) -> list[float]:
    noise = random.Random(seed)
    return [mean_w * (1 + noise.uniform(-scatter, scatter)) for _ in range(number)]


def test_mirrored_dies_are_counted_once() -> None:
    """Two dies that show the package's 68 W each make 68 W, not 137 W."""
    powers_w = _noisy(1, 68.4)
    counts = {"die-0": _series(powers_w), "die-1": _series(powers_w, start=90_000)}
    found = mirrors(DIES, counts)
    assert found == {"die-1": "die-0"}
    counted = disjoint(with_mirrors(DIES, found))
    assert [domain.id for domain in counted] == ["die-0"]
    watts = sum((counts[domain.id][-1] - counts[domain.id][0]) * 1e-6 / 0.8 for domain in counted)
    assert watts == pytest.approx(68.4, rel=0.01)


def test_all_mirrors_of_one_counter_name_the_same_original() -> None:
    """Four dies that show one counter are one domain and three mirrors of it."""
    dies = tuple(_domain(f"die-{number}") for number in range(4))
    series = _series(_noisy(2, 90.0))
    found = mirrors(dies, {die.id: series for die in dies})
    assert found == {"die-1": "die-0", "die-2": "die-0", "die-3": "die-0"}


def test_two_pairs_of_mirrors_stay_two_domains() -> None:
    """Two sockets with two mirrored dies each."""
    dies = tuple(_domain(f"die-{number}") for number in range(4))
    first, second = _series(_noisy(3, 90.0)), _series(_noisy(4, 91.0))
    counts = dict(zip((die.id for die in dies), (first, second, first, second), strict=True))
    assert mirrors(dies, counts) == {"die-2": "die-0", "die-3": "die-1"}


@given(
    st.integers(0, 2**32),
    st.floats(2.0, 300.0),
    st.floats(0.005, 0.5),
    st.integers(5, 40),
)
def test_idle_sockets_with_noise_of_their_own_are_never_mirrors(
    seed: int, mean_w: float, interval_s: float, number: int
) -> None:
    """Sockets of equal mean power with 1 % of noise apart are no mirrors, at any interval."""
    first = _series(_noisy(2 * seed, mean_w, number=number), interval_s)
    second = _series(_noisy(2 * seed + 1, mean_w, number=number), interval_s)
    assert mirrors(DIES, {"die-0": first, "die-1": second}) == {}


def test_short_intervals_of_an_idle_machine_prove_nothing() -> None:
    """5 ms at 1 W are 82 steps, in which real sockets could agree, so no mirror is found."""
    series = _series(_noisy(5, 1.0, scatter=0.3), interval_s=0.005)
    assert mirrors(DIES, {"die-0": series, "die-1": series}) == {}


def test_four_updates_are_not_enough() -> None:
    """Five intervals must have moved, however large their energies."""
    powers_w = _noisy(6, 100.0, number=4)
    assert mirrors(DIES, {"die-0": _series(powers_w), "die-1": _series(powers_w)}) == {}
    powers_w.append(99.0)
    assert mirrors(DIES, {"die-0": _series(powers_w), "die-1": _series(powers_w)})


def test_intervals_without_an_update_do_not_count() -> None:
    """Intervals without an update count for nothing, since counters that stand still agree."""
    still = _series([0.0] * 20)
    assert mirrors(DIES, {"die-0": still, "die-1": still}) == {}
    mixed = _series([80.0, 0.0, 81.0, 0.0, 79.0, 0.0, 80.5])
    assert mirrors(DIES, {"die-0": mixed, "die-1": mixed}) == {}


def test_equal_steps_of_no_variation_are_no_evidence() -> None:
    """Counters that move by a constant are no mirrors: they are models, not measured loads."""
    constant = [number * 10_000_000 for number in range(12)]
    assert mirrors(DIES, {"die-0": constant, "die-1": constant}) == {}


def test_one_interval_that_differs_is_enough() -> None:
    """Counters are mirrors only if every interval agrees to two steps."""
    series = _series(_noisy(7, 60.0))
    other = [*series[:4], series[4] + 200, *series[5:]]
    assert mirrors(DIES, {"die-0": series, "die-1": other}) == {}
    near = [*series[:4], series[4] + 100, *series[5:]]
    assert mirrors(DIES, {"die-0": series, "die-1": near}) == {"die-1": "die-0"}


def test_a_drift_apart_is_seen_over_all_intervals_together() -> None:
    """One step apart in each interval is tolerated, but eight steps over all intervals are not."""
    series = _series(_noisy(8, 60.0))
    other = [count + 61 * position for position, count in enumerate(series)]
    assert mirrors(DIES, {"die-0": series, "die-1": other}) == {}


def test_a_wrap_between_two_moments_is_no_difference() -> None:
    """A wrap of one of two mirrors is no difference; without a known range no mirror is found."""
    powers_w = _noisy(9, 68.0)
    wrapping = _series(powers_w, start=2**32 - 200_000)
    assert min(wrapping) != wrapping[0]
    counts = {"die-0": _series(powers_w), "die-1": wrapping}
    assert mirrors(DIES, counts) == {"die-1": "die-0"}
    unknown = (DIES[0], replace(DIES[1], wraps_at_counts=None))
    assert mirrors(unknown, counts) == {}
    both = tuple(replace(domain, wraps_at_counts=None) for domain in DIES)
    assert mirrors(both, {"die-0": wrapping, "die-1": wrapping}) == {}


def test_coarse_counters_prove_nothing() -> None:
    """Counters of whole joules may agree by accident, so they are no mirrors."""
    coarse = tuple(replace(domain, resolution=1.0) for domain in DIES)
    series = _series(_noisy(10, 60.0))
    assert mirrors(coarse, {"die-0": series, "die-1": series}) == {}


def test_only_counters_of_one_kind_and_parent_are_compared() -> None:
    """Counters of other kinds or parents, and known twins, are not compared."""
    series = _series(_noisy(11, 60.0))
    both = {"die-0": series, "die-1": series}
    assert mirrors((DIES[0], _domain("die-1", DomainKind.CORE)), both) == {}
    assert mirrors((DIES[0], _domain("die-1", parent="die-0")), both) == {}
    assert mirrors((DIES[0], _domain("die-1", same_as="die-0")), both) == {}
    assert mirrors((DIES[0], _domain("die-1", quantity=Quantity.POWER)), both) == {}
    assert mirrors(DIES, {"die-0": series}) == {}


def test_different_numbers_of_moments_are_refused() -> None:
    """Counts at different numbers of moments cannot be compared, and are refused."""
    with pytest.raises(UsageError, match="same moments"):
        mirrors(DIES, {"die-0": [0, 1], "die-1": [0]})


class ScriptedMeter(Meter):
    """A meter that answers each reading with the next number of its script."""

    name = "scripted"
    title = "scripted"

    def __init__(self, numbers: Iterator[int]) -> None:
        self.numbers = numbers

    def survey(self) -> Survey:
        """A survey without domains."""
        return Survey()

    def read(self, domain: str) -> Reading:
        """The next number of the script."""
        return Reading(0, 0, next(self.numbers))

    def evidence(self) -> Evidence:
        """The meter is a test double."""
        return Evidence.SIMULATED


def test_a_common_moment_has_no_update_within_it() -> None:
    """Counts of a moment are taken again until no counter has moved in between."""
    numbers = iter([1, 1, 1, 2, 2, 2, 2, 2])
    assert common_moment(ScriptedMeter(numbers), ["a", "b"]) == {"a": 2, "b": 2}
    assert list(numbers) == []
    restless = ScriptedMeter(iter(range(100)))
    assert common_moment(restless, ["a", "b"], tries=3) is None
