# SPDX-License-Identifier: Apache-2.0
"""Samples to check against: a run in the store, or a file that `joulemark export --raw` made."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from joulemark.cli.stored import broken_in, trusted_samples
from joulemark.errors import UsageError

if TYPE_CHECKING:
    from joulemark.analyse.results import ResultSet
    from joulemark.measure.records import RawSample, Trial
    from joulemark.store.repository import Store

__all__ = ["Measured", "measured_in", "read_baseline"]


@dataclass(frozen=True, slots=True)
class Measured:
    """The raw samples of a run and where they were taken."""

    name: str
    """What sentences call it."""
    samples: dict[Trial, list[RawSample]]
    environment: dict[str, Any]
    failures: tuple[str, ...] = ()
    """What crashed, hung or computed something wrong, one sentence each."""
    failed: frozenset[str] = frozenset()
    """The implementations that these sentences are about."""


def measured_in(store: Store, number: int) -> Measured:
    """A run of the store.

    Raises:
        StoreError: there is none of that number.
    """
    from joulemark.measure.plan import is_core  # noqa: PLC0415 - only where needed

    environment = store.run(number).environment
    broken = broken_in(store, number)
    compilers = {
        facts.compiler
        for facts in store.implementations(number).values()
        if facts.provider == "joulemark" and not is_core(facts.implementation)
    }
    return Measured(
        f"run {number}",
        trusted_samples(store, number),
        {**environment, "compiler": ", ".join(sorted(compilers)) or None},
        tuple(f"{one.implementation}: {one.kind}: {one.reason}" for one in broken),
        frozenset(one.implementation for one in broken),
    )


def read_baseline(store: Store, text: str) -> Measured:
    """The run or file that `--baseline` names; a number is always a run.

    Raises:
        UsageError: the file cannot be read, is no export, or has no raw samples.
        StoreError: there is no run of that number.
    """
    if text.isdecimal():
        return measured_in(store, int(text))
    from pydantic import ValidationError  # noqa: PLC0415 - slow to import

    from joulemark.analyse.results import ResultSet  # noqa: PLC0415

    try:
        content = Path(text).read_bytes()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise UsageError(
            f"--baseline {text} is neither the number of a run nor a file that can be read "
            f"({reason})"
        ) from None
    try:
        return _measured(text, ResultSet.model_validate_json(content))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "the whole"
        raise UsageError(
            f"{text} is not a result that this version of Joulemark exports "
            f"({where}: {first['msg']})"
        ) from None


def _measured(name: str, results: ResultSet) -> Measured:
    from joulemark.measure.records import RawSample, Trial, Workload  # noqa: PLC0415

    samples: dict[Trial, list[RawSample]] = {}
    for one in results.results:
        if one.clocks_per_message is not None:
            continue  # A core's clocks are exact: nothing to judge by samples.
        if one.samples is None:
            raise UsageError(f"{name} has no raw samples; export it again with --raw")
        workload = Workload(one.size_bytes, one.mode, one.cache, one.key_setup, one.batch, one.mix)
        trial = Trial(one.implementation, workload, one.target)
        try:
            samples[trial] = [RawSample(**sample) for sample in one.samples]
        except TypeError:
            raise UsageError(f"{name} has a sample of {one.implementation} with other fields than "
                             "this version of Joulemark takes") from None  # fmt: skip
    implementations = results.context.get("implementations", {})
    compilers = {
        facts["compiler"]
        for facts in implementations.values()
        if facts.get("provider") == "joulemark"
    }
    environment = dict(results.context.get("environment", {}))
    return Measured(
        name, samples, {**environment, "compiler": ", ".join(sorted(compilers)) or None}
    )
