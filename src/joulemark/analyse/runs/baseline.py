# SPDX-License-Identifier: Apache-2.0
"""Samples to check against: a run in the store, or a file that `joulemark export --raw` made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from typing_extensions import TypedDict

from joulemark.analyse.gate_report import GateFailure
from joulemark.analyse.raw_run import RawTrial
from joulemark.analyse.results import Result, ResultSet
from joulemark.analyse.runs.trusted import broken_in, trusted_samples
from joulemark.errors import UsageError
from joulemark.foreign.errors import ForeignError
from joulemark.foreign.files import read_whole
from joulemark.foreign.json import parse_json
from joulemark.foreign.records import record_from_json
from joulemark.foreign.samples import sample_from
from joulemark.foreign.text import shortened
from joulemark.records.implementation import is_core
from joulemark.records.mixes import parse_mix
from joulemark.records.sample import RawSample
from joulemark.records.trial import Trial, Workload, is_firmware
from joulemark.store.repository import Store

__all__ = ["RunSamples", "measured_in", "read_baseline", "sample_at", "trial_of"]

_MOST_BYTES = 1 << 28
"""Of an export with every sample; one of a thousand trials has a tenth of it."""
_Fact = str | int | float | bool | list[str] | dict[str, str | int] | None


class _Facts(TypedDict):
    """Of an implementation."""

    provider: str
    compiler: str


class _Context(TypedDict, total=False):
    """What is read of `ResultSet.context`."""

    environment: dict[str, _Fact]
    implementations: dict[str, _Facts]


@dataclass(frozen=True, slots=True)
class RunSamples:
    """The raw samples of a run and where they were taken."""

    name: str
    """What sentences call it."""
    samples: dict[Trial, list[RawSample]]
    environment: dict[str, Any]
    failures: tuple[GateFailure, ...] = ()
    """What crashed, hung or computed something wrong."""
    failed: frozenset[str] = frozenset()
    """The implementations that these are about."""


def measured_in(store: Store, number: int) -> RunSamples:
    """A run of the store.

    Raises:
        StoreError: there is none of that number.
    """
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
        {**environment, "compiler": ", ".join(sorted(compilers)) or None},
        tuple(
            GateFailure(failure.implementation, f"{failure.kind}: {failure.reason}")
            for failure in broken
        ),
        frozenset(failure.implementation for failure in broken),
    )


def read_baseline(store: Store, text: str) -> RunSamples:
    """The run or file that `--baseline` names; a number is always a run.

    Raises:
        UsageError: the file cannot be read, is no export, or has no raw samples.
        StoreError: there is no run of that number.
    """
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
    """The samples in an export.

    Raises:
        UsageError: it has none.
        ForeignError: a sample, or what is said of the machine, is not of its kind.
    """
    samples: dict[Trial, list[RawSample]] = {}
    for number, result in enumerate(results.results):
        if result.clocks_per_message is not None or is_firmware(result.target):
            continue  # What a simulation counts is exact: nothing to judge by samples.
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
        {**context.get("environment", {}), "compiler": ", ".join(sorted(compilers)) or None},
    )


def trial_of(trial: Result | RawTrial, where: str) -> Trial:
    """The trial of a result in a file.

    Raises:
        ForeignError: there is no such trial; the text begins with `where`.
    """
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
    """A sample at a place of a file.

    Raises:
        ForeignError: it is none; the text begins with `where`.
    """
    try:
        return sample_from(values)
    except ForeignError as error:
        raise ForeignError(f"{where}: {error}") from None
