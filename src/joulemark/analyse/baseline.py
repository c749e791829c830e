# SPDX-License-Identifier: Apache-2.0
"""Samples to check against: a run in the store, or a file that `joulemark export --raw` made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from typing_extensions import TypedDict

from joulemark.analyse import RawTrial, ResultSet
from joulemark.analyse.gate_report import GateFailure
from joulemark.errors import UsageError
from joulemark.foreign import ForeignError, read_whole, shortened
from joulemark.foreign.records import parse_json, record_from_json, sample_from
from joulemark.records import Failure, Trial, Workload, is_core, is_firmware, parse_mix
from joulemark.records.sample import RawSample
from joulemark.store.repository import Store

# Samples of a run that may be judged: those of implementations that did not fail in it.


def broken_in(store: Store, number: int) -> list[Failure]:
    """Failures of a run by a crash, a hang or a wrong output; not those of absent code."""
    return [failure for failure in store.failures(number) if failure.broken]


def trusted_samples(store: Store, number: int) -> dict[Trial, list[RawSample]]:
    """Samples of a run, without those of implementations that failed in it.

    A wrong answer may well be a fast one.
    """
    broken = {failure.implementation for failure in broken_in(store, number)}
    samples = store.samples(number)
    return {trial: taken for trial, taken in samples.items() if trial.implementation not in broken}


_MOST_BYTES = 1 << 28
"""Largest export that is read; an export of a thousand trials with every sample has a tenth."""
_Fact = str | int | float | bool | list[str] | dict[str, str | int] | None


class _Facts(TypedDict):
    """The facts of an implementation that are read."""

    provider: str
    compiler: str


class _Context(TypedDict, total=False):
    """The fields of `ResultSet.context` that are read."""

    environment: dict[str, _Fact]
    implementations: dict[str, _Facts]


@dataclass(frozen=True, slots=True)
class RunSamples:
    """The raw samples of a run, and the environment in which they were taken."""

    name: str
    """Name of the run in sentences."""
    samples: dict[Trial, list[RawSample]]
    environment: dict[str, Any]
    """Fields of `Environment`, and `compiler`: those of our kernels, or None."""
    failures: tuple[GateFailure, ...] = ()
    """One for each implementation that crashed, hung or computed something wrong."""
    failed: frozenset[str] = frozenset()
    """The implementations of these failures."""
    absent: Mapping[str, str] = field(default_factory=dict)
    """Implementations that could not run at all in this run, with the reason."""
    counted: frozenset[Trial] = frozenset()
    """Trials of simulated targets, whose clocks or core cycles are counted and not timed."""


def measured_in(store: Store, number: int) -> RunSamples:
    """The samples of a run in the store, those of broken implementations left out."""
    environment = store.run(number).environment
    broken = broken_in(store, number)
    compilers = {
        facts.compiler
        for facts in store.implementations(number).values()
        if facts.provider == "joulemark" and not is_core(facts.implementation)
    }
    return RunSamples(
        f"run {number}",
        trusted_samples(store, number),
        _with_compilers(environment, compilers),
        tuple(
            GateFailure(failure.implementation, f"{failure.kind}: {failure.reason}")
            for failure in broken
        ),
        frozenset(failure.implementation for failure in broken),
        {
            failure.implementation: failure.reason
            for failure in store.failures(number)
            if not failure.broken and failure.size_bytes is None
        },
        frozenset([*store.firmware_counts(number), *store.clock_counts(number)]),
    )


def read_baseline(store: Store, text: str) -> RunSamples:
    """Reads the run or the file that `--baseline` names; a number is always a run."""
    if text.isdecimal():
        return measured_in(store, int(text))

    try:
        content = read_whole(Path(text), _MOST_BYTES)
    except ForeignError as error:
        raise UsageError(
            f"--baseline {text} is neither the number of a run nor a file that can be read "
            f"({error})"
        ) from None
    try:
        return _measured(text, ResultSet.model_validate(parse_json(content)))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(shortened(str(part)) for part in first["loc"]) or "the whole"
        why = f"{where}: {first['msg']}"
    except ForeignError as error:
        why = str(error)
    raise UsageError(f"{text} is not a result that this version of Joulemark exports ({why})")


def _measured(name: str, results: ResultSet) -> RunSamples:
    """The samples in an export."""
    samples: dict[Trial, list[RawSample]] = {}
    counted = set()
    for number, result in enumerate(results.results):
        if result.clocks_per_message is not None or is_firmware(result.target):
            counted.add(trial_of(result, f"results.{number}"))
            continue  # Counts of a simulation are exact and need no samples.
        if result.samples is None:
            raise UsageError(f"{name} has no raw samples; export it again with --raw")
        trial = trial_of(result, f"results.{number}")
        samples[trial] = [
            sample_at(sample, f"results.{number}.samples.{place}")
            for place, sample in enumerate(result.samples)
        ]
    context = record_from_json(_Context, results.context)
    implementations = context.get("implementations", {}).values()
    compilers = {
        implementation["compiler"]
        for implementation in implementations
        if implementation["provider"] == "joulemark"
    }
    return RunSamples(
        name,
        samples,
        _with_compilers(context.get("environment", {}), compilers),
        counted=frozenset(counted),
    )


def _with_compilers(environment: Mapping[str, Any], compilers: set[str]) -> dict[str, Any]:
    return {**environment, "compiler": ", ".join(sorted(compilers)) or None}


def trial_of(trial: RawTrial, where: str) -> Trial:
    """The trial of a result in a file."""
    algorithm, _, variant = trial.implementation.partition("/")
    if not (algorithm and variant and trial.size_bytes >= 0 and trial.batch >= 1):
        raise ForeignError(f"{where}: its implementation, size_bytes or batch cannot be")
    try:
        mix = parse_mix(trial.mix) if trial.mix else ""
    except UsageError:
        raise ForeignError(f"{where}.mix: '{shortened(trial.mix)}' is no mix of lengths") from None
    workload = Workload(
        trial.size_bytes, trial.mode, trial.cache, trial.key_setup, trial.batch, mix
    )
    return Trial(trial.implementation, workload, trial.target)


def sample_at(values: Mapping[str, Any], where: str) -> RawSample:
    """The sample at a place of a file."""
    try:
        return sample_from(values)
    except ForeignError as error:
        raise ForeignError(f"{where}: {error}") from None
