# SPDX-License-Identifier: Apache-2.0
"""When two builds are looked at and when measuring ends, with a run that takes no time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from joulemark.environment import capture
from joulemark.errors import UsageError
from joulemark.measure import paired_run as of_builds
from joulemark.measure.inventory import Inventory
from joulemark.measure.paired_run import GENERATIONS_AT_LOOKS, PairedRun, run_builds
from joulemark.measure.plan import Plan
from joulemark.records import Failure, FailureKind, ImplementationFacts
from joulemark.records.sample import RawSample
from joulemark.records.trial import NEW, OLD, Trial, Workload, of_build
from joulemark.store.repository import Store

TRIALS = [Trial("sha256/mine", Workload(size)) for size in (64, 1024)]
PAIRS = [(of_build(trial, OLD), of_build(trial, NEW)) for trial in TRIALS]
SECONDS_PER_GENERATION = 2.0
Decided = Callable[[Mapping[Trial, Sequence[RawSample]]], bool]


def facts(name: str) -> ImplementationFacts:
    """The facts of an implementation."""
    return ImplementationFacts(
        implementation=name, kind="hash", provider="old", library_version="1", compiler="cc",
        flags="", cpu_features=(), lanes=1, constant_time=False, block_bytes=64, output_bytes=32,
        key_bytes_min=0, key_bytes_max=0, key_bytes=0,
    )  # fmt: skip


class Bench:
    """Stands in the place of `run_plan` and of the clock: runs take virtual time."""

    def __init__(self, failures: Sequence[Failure] = ()) -> None:
        self.now_s = 0.0
        self.plans: list[Plan] = []
        self.failures = list(failures)

    def run_plan(self, store: Store, _inventory: Inventory, plan: Plan, environment: Any,
                 **_more: Any) -> SimpleNamespace:  # fmt: skip
        """Stores one sample per visit."""
        self.plans.append(plan)
        self.now_s += SECONDS_PER_GENERATION * plan.effort.generations
        number = store.begin_run(
            study={}, study_digest="d", seed=1, rounds=plan.effort.rounds,
            environment=environment.as_dict(), joulemark_version="1",
        )  # fmt: skip
        for trial in plan.trials:
            store.add_implementation(number, facts(trial.implementation))
            taken = [sample(plan, index) for index in range(plan.effort.rounds)]
            store.add_samples(number, trial, taken)
        failures, self.failures = self.failures, []
        return SimpleNamespace(run_id=number, failures=failures)


def sample(plan: Plan, index: int) -> RawSample:
    """A window of 10 us: ten messages of a microsecond each."""
    known = dict.fromkeys(RawSample.__dataclass_fields__, 0)
    known |= {"round_index": index, "generation": plan.generation(index), "messages": 10,
              "wall_ns": 10_000, "thread_cpu_ns": 10_000}  # fmt: skip
    return RawSample(**known)


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[PairedRun, Bench]]:
    """Measures the pairs on a `Bench` made with the given options."""

    def call(decided: Decided, budget_s: float = 1e6, **more: Any) -> tuple[PairedRun, Bench]:
        bench = Bench(**more)
        monkeypatch.setattr(of_builds, "run_plan", bench.run_plan)
        monkeypatch.setattr(of_builds.time, "monotonic", lambda: bench.now_s)
        builds: Any = SimpleNamespace(inventory=Inventory())
        found = run_builds(builds, PAIRS, capture(), budget_s=budget_s, decided=decided)
        return found, bench

    return call


def test_samples_are_looked_at_at_fixed_points(measured) -> None:
    """Samples are looked at after 8, 16, 32, 64 and 128 generations alone, if nothing decides."""
    seen = []

    def never(samples: Mapping[Trial, Sequence[RawSample]]) -> bool:
        seen.append(len({raw_sample.generation for raw_sample in samples[PAIRS[0][0]]}))
        return False

    found, _ = measured(never)
    assert tuple(seen) == GENERATIONS_AT_LOOKS[: len(seen)]
    assert found.looks == len(GENERATIONS_AT_LOOKS)
    assert found.generations == GENERATIONS_AT_LOOKS[-1]


def test_rounds_and_generations_are_numbered_through(measured) -> None:
    """Each round has one sample of each trial, and old and new share the round's generation."""
    found, _ = measured(lambda _: False)
    for old, new in PAIRS:
        rounds = [item.round_index for item in found.samples[old]]
        assert rounds == list(range(len(rounds)))
        generations = [item.generation for item in found.samples[old]]
        assert sorted(set(generations)) == list(range(found.generations))
        assert generations == [item.generation for item in found.samples[new]]


def test_it_ends_when_the_question_is_answered(measured) -> None:
    """Measuring ends at the first look that answers the question."""
    found, _ = measured(lambda samples: len(samples[PAIRS[0][0]]) > 200)
    assert (found.generations, found.looks) == (16, 2)


@pytest.mark.parametrize(
    ("budget_s", "generations"), [(0.001, 4), (8.0, 4), (11.0, 5), (16.0, 8), (25.0, 12)]
)
def test_it_ends_with_the_budget(measured, budget_s: float, generations: int) -> None:
    """No generation begins that would end after the budget, but four are always measured."""
    found, bench = measured(lambda _: False, budget_s)
    assert found.generations == generations
    assert found.wall_s == bench.now_s
    if generations > 4:
        assert bench.now_s <= budget_s


def test_what_fails_is_not_measured_again(measured) -> None:
    """A crash takes out all trials of the implementation, a refusal the trials of its length."""
    crash = Failure(PAIRS[0][1].implementation, FailureKind.CRASH, "it crashed")
    _, bench = measured(lambda _: True, failures=[crash])
    assert {trial.implementation for trial in bench.plans[-1].trials} == {
        PAIRS[0][0].implementation
    }
    refusal = Failure(PAIRS[1][0].implementation, FailureKind.REFUSED, "too long", 1024)
    found, bench = measured(lambda _: True, failures=[refusal])
    assert set(bench.plans[-1].trials) == {*PAIRS[0], PAIRS[1][1]}
    assert found.broken() == set()


def test_a_library_that_both_revisions_load_is_no_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that --build wrote outside of its checkouts has the code of the later build alone."""
    library = tmp_path / "libwork.so"
    library.write_bytes(b"code")

    def opened(build: str, _path: Path, *, passing: bool) -> Inventory:
        del passing
        return Inventory(libraries={build: (library, Path("/usr/lib/libcrypto.so.3"))})

    monkeypatch.setattr(of_builds, "_open", opened)
    written_s = library.stat().st_mtime
    with pytest.raises(UsageError, match=r"both revisions load .*libwork\.so, which --build"):
        of_builds.open_builds(tmp_path, tmp_path, made_since_s=written_s - 1)
    for since_s in (None, written_s + 1):
        builds = of_builds.open_builds(tmp_path, tmp_path, made_since_s=since_s)
        assert builds.shared == (library,)
