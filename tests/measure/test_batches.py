# SPDX-License-Identifier: Apache-2.0
"""Batches, mixes and many keys, from the plan through a worker to the results."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from joulemark import _core
from joulemark.analyse import ResultFailure, ResultSet
from joulemark.analyse.assemble import result_set
from joulemark.environment import capture
from joulemark.errors import UsageError
from joulemark.measure.inventory import take_inventory
from joulemark.measure.plan import Effort
from joulemark.measure.run_plan import run_plan
from joulemark.measure.study import Study
from joulemark.measure.worker.correctness import expected_outputs, trial_key
from joulemark.measure.worker.messages import OpenSource, output_text
from joulemark.measure.worker.run_messages import Calibrate, TrialRun, Visit
from joulemark.measure.worker.sources import installed_sources, plugin_source
from joulemark.measure.worker.trials import distinct_keys, message_starts
from joulemark.measure.worker.worker import Worker
from joulemark.records import FailureKind
from joulemark.records.trial import Cache, KeySetup, Mode, Trial, Workload, mix_lengths
from joulemark.reference import reference_output
from joulemark.store.repository import Store

EFFORT = Effort(rounds=4, window_ns=200_000, generations=1)
KEY = bytes(range(16))


def measure(plugin: Path, folder: Path, study: Study) -> ResultSet:
    """A short run of the plugin beside our own SipHash."""
    own = [source for source in installed_sources() if source.kind == "builtin"]
    inventory = take_inventory([*own, plugin_source(str(plugin), ["joulemark"])], limit_s=20)
    with Store.open(folder / "run.db") as store:
        outcome = run_plan(
            store, inventory, study.plan(inventory), capture(), study=study.as_dict()
        )
        return result_set(store, outcome.run_id, raw=True)


def failures(results: ResultSet) -> list[ResultFailure]:
    """Failures of the two; this CPU may lack what other kernels of ours need."""
    return [
        failure for failure in results.failures
        if failure.implementation.endswith(("/portable", "/faulty"))
    ]  # fmt: skip


def both(**asked: object) -> Study:
    """A study of the plugin and our own code."""
    patterns = ("siphash-2-4/portable", "siphash-2-4/faulty")
    return Study(patterns=patterns, effort=EFFORT, **asked)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def siphash() -> _core.Implementation:
    """Our portable SipHash."""
    return next(
        implementation
        for implementation in _core.builtin_plugin().implementations()
        if (implementation.algorithm, implementation.variant) == ("siphash-2-4", "portable")
    )


@pytest.mark.parametrize("cache", Cache)
@pytest.mark.parametrize("key_setup", KeySetup)
@pytest.mark.parametrize("mix", ["", "imix", "uniform:0-200"])
def test_every_message_is_what_the_parent_expects(
    cache: Cache, key_setup: KeySetup, mix: str, siphash: _core.Implementation
) -> None:
    """The harness and the parent agree on lengths, places, keys and bytes, in every workload."""
    workload = Workload(70, cache=cache, key_setup=key_setup, batch=5, mix=mix)
    worker = Worker("builtin", None)
    worker.answer(OpenSource())
    run = TrialRun(Trial("siphash-2-4/portable", workload), KEY)
    answer = worker.answer(Calibrate(run, window_ns=1000))
    expected = expected_outputs("siphash-2-4", KEY, workload)
    assert answer.output == expected
    visit = Visit(run, 0, 0, 0, messages=answer.messages, warm_up=7, settle=3,
                  placements=(0xABCDE, 0), spare_placements=())  # fmt: skip
    sampled = worker.answer(visit)
    assert sampled.output == expected
    assert [sample.messages for sample in sampled.samples] == [answer.messages] * 2
    assert answer.messages % (len(mix_lengths(mix, 5)) if mix else 5) == 0
    # The readable reference expects the same, without any of the code above.
    keys = distinct_keys(KEY, 5) if key_setup is KeySetup.DISTINCT else [KEY] * 5
    tags = []
    lengths = mix_lengths(mix, 5) if mix else (70,) * 5
    for at in range(0, len(lengths), 5):
        starts = message_starts(lengths[at : at + 5])
        for i, start in enumerate(starts):
            message = _core.message(lengths[at + i], start)
            tags.append(reference_output("siphash-2-4", keys[i], message))
    assert output_text(b"".join(tags)) == expected


def test_latency_of_mixed_lengths(siphash: _core.Implementation) -> None:
    """Single messages of a mix have a latency; for messages of a batch a latency is refused."""
    lengths = list(mix_lengths("imix", 1))
    loop = _core.Loop(siphash, KEY, 354, latency=True, lengths=lengths)
    loop.visit(0, 0, loop.quantum, [0])
    workload = Workload(354, mode=Mode.LATENCY, mix="imix")
    assert output_text(loop.output()) == expected_outputs("siphash-2-4", KEY, workload)
    with pytest.raises(ValueError, match="single messages have a latency"):
        _core.Loop(siphash, KEY, 64, latency=True, batch=2)


def test_windows_are_whole_batches(siphash: _core.Implementation) -> None:
    """A sample that would end within a batch, or within a mix, is refused."""
    loop = _core.Loop(siphash, KEY, 64, batch=4)
    with pytest.raises(ValueError, match="whole batches"):
        loop.visit(0, 0, 6, [0])
    with pytest.raises(ValueError, match="whole batches"):
        loop.run(2)
    mixed = _core.Loop(siphash, KEY, 64, batch=4, lengths=[0, 1, 2, 3, 4, 5, 6, 7])
    assert mixed.quantum == 8
    with pytest.raises(ValueError, match="whole batches"):
        mixed.visit(0, 0, 4, [0])


def test_batch_calls_are_used_and_said(
    faulty_plugin: Callable[[str], Path], tmp_path: Path
) -> None:
    """Code that takes batches gets each batch in one call, and its figures are per message."""
    study = both(
        sizes_bytes=(64,), batches=(1, 16), mixes=("imix",),
        key_setups=(KeySetup.KEPT, KeySetup.FRESH, KeySetup.DISTINCT),
    )  # fmt: skip
    results = measure(faulty_plugin("TAKES_BATCHES"), tmp_path, study)
    assert not failures(results)
    found = {
        (result.implementation, result.mix, result.batch, result.key_setup)
        for result in results.results
    }
    assert len(found) == len(results.results) == 2 * 2 * 5
    for result in results.results:
        assert result.batch_calls is (result.implementation == "siphash-2-4/faulty")
        assert result.mean_bytes == (pytest.approx(354 + 1 / 3) if result.mix else 64)
        assert result.seconds_per_message is not None
        assert result.mean_bytes is not None
        rate = result.mean_bytes / result.seconds_per_message.median
        assert result.bytes_per_second == pytest.approx(rate)
        assert result.samples is not None
        whole = len(mix_lengths(result.mix, result.batch)) if result.mix else result.batch
        assert all(sample["messages"] % whole == 0 for sample in result.samples)
    assert ResultSet.model_validate_json(results.model_dump_json()).results == results.results


def test_wrong_tags_of_a_batch_are_found_before_timing(
    faulty_plugin: Callable[[str], Path], tmp_path: Path
) -> None:
    """Code that is right one by one and wrong in a batch has no figure at all."""
    results = measure(faulty_plugin("WRONG_IN_BATCHES"), tmp_path, both(sizes_bytes=(64,)))
    [failure] = failures(results)
    assert failure.kind is FailureKind.WRONG_OUTPUT
    assert "message 9 of a batch of 9, of 0 bytes" in failure.reason
    assert {result.implementation for result in results.results} == {"siphash-2-4/portable"}


@pytest.mark.parametrize("mixes", [(), ("imix",)])
def test_wrong_tags_of_a_batch_are_found_after_timing(
    mixes: tuple[str, ...], faulty_plugin: Callable[[str], Path], tmp_path: Path
) -> None:
    """One wrong tag in the middle of a batch is seen, with one length and with many."""
    study = both(sizes_bytes=() if mixes else (64,), batches=(16,), mixes=mixes)
    results = measure(faulty_plugin("WRONG_IN_LATER_BATCHES"), tmp_path, study)
    [failure] = failures(results)
    assert failure.kind is FailureKind.WRONG_OUTPUT
    assert "batch of 16" in failure.reason


def test_a_length_that_is_refused_costs_one_trial(
    faulty_plugin: Callable[[str], Path], tmp_path: Path
) -> None:
    """Code with a longest message keeps its figures below it; the run and the others go on."""
    study = both(sizes_bytes=(64, 4096, 256), batches=(1, 4))
    results = measure(faulty_plugin("TAKES_SHORT_MESSAGES"), tmp_path, study)
    refused = [(failure.kind, failure.size_bytes) for failure in failures(results)]
    assert refused == [(FailureKind.REFUSED, 4096)] * 2
    assert "does not take messages of this length" in failures(results)[0].reason
    trials = {(result.implementation.split("/")[1], result.size_bytes, result.batch)
              for result in results.results}  # fmt: skip
    assert trials == {
        (name, size, batch)
        for name in ("portable", "faulty") for size in (64, 256, 4096) for batch in (1, 4)
        if (name, size) != ("faulty", 4096)
    }  # fmt: skip


def test_combinations_without_sense_are_refused() -> None:
    """One sentence says why, where nothing of what was asked for would be left."""
    with pytest.raises(UsageError, match="distinct needs a --batch"):
        both(key_setups=(KeySetup.DISTINCT,)).workloads()
    with pytest.raises(UsageError, match="latency is for single messages"):
        both(modes=(Mode.LATENCY,), batches=(4,)).workloads()
    with pytest.raises(UsageError, match="more than 1 GiB"):
        both(sizes_bytes=(1 << 20,), batches=(1, 4096)).workloads()
    asked = both(
        sizes_bytes=(64,), modes=(Mode.THROUGHPUT, Mode.LATENCY), batches=(1, 4),
        key_setups=(KeySetup.KEPT, KeySetup.DISTINCT),
    )  # fmt: skip
    left = {
        (workload.mode.value, workload.batch, workload.key_setup.value)
        for workload in asked.workloads()
    }
    assert left == {
        ("throughput", 1, "kept"), ("latency", 1, "kept"),
        ("throughput", 4, "kept"), ("throughput", 4, "distinct"),
    }  # fmt: skip


def test_expected_outputs_of_one_message_are_the_old_ones() -> None:
    """A trial of single messages expects the tag of the first message."""
    key = trial_key_of_16()
    message = _core.message(100)
    expected = reference_output("siphash-2-4", key, message).hex()
    assert expected_outputs("siphash-2-4", key, Workload(100)) == expected


def trial_key_of_16() -> bytes:
    """The key of trials of an implementation that takes 16 bytes."""
    inventory = take_inventory(
        [
            installed_source
            for installed_source in installed_sources()
            if installed_source.kind == "builtin"
        ]
    )
    return trial_key(inventory.facts["siphash-2-4/portable"])


def test_lanes_are_left_out_of_single_messages_unless_named() -> None:
    """A study of single messages leaves out variants that would only borrow another's tag."""
    own = [source for source in installed_sources() if source.kind == "builtin"]
    inventory = take_inventory(own, limit_s=20)
    lanes = {name for name, facts in inventory.facts.items() if facts.lanes > 1}
    if not lanes:
        pytest.skip("this CPU runs none of our variants with lanes")

    def planned(*patterns: str, batches: tuple[int, ...]) -> set[str]:
        plan = Study(patterns=patterns, batches=batches, sizes_bytes=(64,)).plan(inventory)
        return {trial.implementation for trial in plan.trials}

    alone, many = planned(batches=(1,)), planned(batches=(1, 64))
    assert alone.isdisjoint(lanes)
    assert alone == {name for name in many if name not in lanes}
    named = next(iter(sorted(lanes)))
    assert planned(named, batches=(1,)) == {named}
