# SPDX-License-Identifier: Apache-2.0
"""What a gate allows, trial by trial: a relative threshold, and a longest time for the new code.

A file of the user's has a table for each limit. Of several tables that name a trial, the last one
that has a threshold, or a time, decides it.

    [[limit]]
    pattern = "siphash-*"
    size = "64,1KiB"
    threshold = "2%"
    below = "100 ns"
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated, Any, Final, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from joulemark.analyse.derive import seconds_per_message
from joulemark.catalogue import alternatives, every_algorithm
from joulemark.errors import UsageError
from joulemark.foreign import did_you_mean, visible
from joulemark.foreign.records import line_of, read_record, read_text
from joulemark.judging import standing
from joulemark.records.sample import RawSample
from joulemark.records.trial import Trial, Workload, plain_name
from joulemark.stats import median, simultaneous_level
from joulemark.stats.clustered import clustered_median_interval
from joulemark.units import (
    format_seconds,
    parse_difference,
    parse_duration,
    parse_number,
    parse_sizes,
)

# The file, typed at the border.


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError('write it in quotes, as in "2%", "100 ns" or "64,1KiB"')  # noqa: TRY004
    return value


@contextmanager
def _refusals() -> Iterator[None]:
    """Refusals of ours as those of pydantic, which adds line and key."""
    try:
        yield
    except UsageError as error:
        raise ValueError(str(error).strip()) from None


def _share(value: Any) -> float:
    with _refusals():
        return parse_difference(_text(value), "")


def _time_s(value: Any) -> float:
    text = _text(value).strip()
    if not math.isnan(parse_number(text)):
        raise ValueError(f'{text} has no unit; write "{text} ns" or another')
    with _refusals():
        return parse_duration(text, "")


def _sizes(value: Any) -> tuple[int, ...]:
    with _refusals():
        return parse_sizes(_text(value))


def _globs(value: Any) -> tuple[str, ...]:
    """The globs of a pattern, at least one of which names an algorithm of the catalogue."""
    text = _text(value)
    with _refusals():
        globs = tuple(alternatives(text))
    known = every_algorithm()
    wanted = [glob.partition("/")[0] for glob in globs]
    if not any(fnmatchcase(name, glob) for name in known for glob in wanted):
        near = did_you_mean(wanted[0], known)
        raise ValueError(f"'{visible(text)}' names no algorithm{near}")
    return globs


class _Limit(BaseModel):
    """A table of the file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    pattern: Annotated[tuple[str, ...], BeforeValidator(_globs)] = ("*/*",)
    size: Annotated[tuple[int, ...] | None, BeforeValidator(_sizes)] = None
    threshold: Annotated[float | None, BeforeValidator(_share)] = None
    below: Annotated[float | None, BeforeValidator(_time_s)] = None

    @model_validator(mode="after")
    def _limits_something(self) -> Self:
        if self.threshold is None and self.below is None:
            raise ValueError("it limits nothing: give threshold, below or both")
        return self

    def names(self, implementation: str, workload: Workload) -> bool:
        """Whether the table is about a trial; the name has no build."""
        return any(fnmatchcase(implementation, glob) for glob in self.pattern) and (
            self.size is None or (not workload.mix and workload.size_bytes in self.size)
        )


class _LimitsFile(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    limit: tuple[_Limit, ...] = Field(min_length=1)


@dataclass(frozen=True, slots=True)
class GateLimits:
    """The limits of a check."""

    usual: float
    """Threshold of trials that no table names: the smallest slow-down that counts, as a share."""
    tables: Sequence[_Limit] = ()
    lines: Sequence[int | None] = ()
    """Line of each table in its file."""
    file: str = ""

    @classmethod
    def read(cls, path: Path, usual: float) -> Self:
        """The limits of a file.

        Raises:
            ForeignError: the file is no such file; the text has the line and the key.
        """
        tables = read_record(_LimitsFile, path).limit
        text = read_text(path)
        lines = [line_of(text, ("limit", number)) for number in range(len(tables))]
        return cls(usual, tables, lines, visible(str(path)))

    def threshold(self, implementation: str, workload: Workload) -> float:
        """The smallest slow-down of a trial that counts, as a share."""
        name = plain_name(implementation)
        found = [table.threshold for table in self.tables if table.names(name, workload)]
        return next((share for share in reversed(found) if share is not None), self.usual)

    def longest_s(self, trial: Trial) -> float | None:
        """The longest time that a message may take; None: any."""
        name = plain_name(trial.implementation)
        found = [table.below for table in self.tables if table.names(name, trial.workload)]
        return next((time_s for time_s in reversed(found) if time_s is not None), None)

    def without_trial(self, trials: Iterable[Trial]) -> list[str]:
        """A sentence for each table that is about none of these trials."""
        known = {(plain_name(trial.implementation), trial.workload) for trial in trials}
        return [
            f"{self.file}, line {line}: this limit is about no trial of this check."
            for table, line in zip(self.tables, self.lines, strict=True)
            if not any(table.names(*trial) for trial in known)
        ]


# Longest times, judged by the interval of the new code's time.

AT_LIMIT: Final = "at the limit"
_NARROW: Final = 0.05
"""Width of an interval, over the limit, up to which more time would hardly decide."""


@dataclass(frozen=True, slots=True)
class TimeLimit:
    """A trial that may take no longer than a stated time."""

    implementation: str
    """Without the name of a build."""
    workload: Workload
    longest_s: float
    median_s: float
    """Of the new code's messages; the interval holds together with those of all such limits."""
    low_s: float
    high_s: float

    @property
    def above(self) -> bool:
        """Whether the time is longer beyond doubt."""
        return self.low_s > self.longest_s

    @property
    def unclear(self) -> bool:
        """Whether the interval holds the limit."""
        return self.low_s <= self.longest_s < self.high_s

    @property
    def narrow(self) -> bool:
        """Whether more time would hardly decide it."""
        return self.high_s - self.low_s <= _NARROW * self.longest_s

    @property
    def words(self) -> str:
        """The verdict."""
        verdict = "above the limit" if self.above else AT_LIMIT if self.unclear else "below it"
        limit = format_seconds(self.longest_s)
        return f"below {limit}" if verdict == "below it" else f"{verdict} of {limit}"

    @property
    def sentence(self) -> str:
        """The verdict with the figures."""
        name = f"{self.implementation} at {self.workload.in_sentence}"
        limit = format_seconds(self.longest_s)
        ends = f"{format_seconds(self.low_s)} to {format_seconds(self.high_s)}"
        if self.above:
            time = f"{format_seconds(self.median_s)} (at least {format_seconds(self.low_s)}"
            return f"{name} takes {time}; the limit is {limit})."
        if self.unclear:
            return f"{name} takes {ends}, which is {AT_LIMIT} of {limit}."
        return f"{name} takes {ends}, below its limit of {limit}."


def time_limits(
    samples: Mapping[Trial, Sequence[RawSample]], limits: GateLimits, *, alpha: float
) -> tuple[TimeLimit, ...]:
    """Judges the times of the new code for which a limit was set.

    Args:
        samples: of the new code.
        limits: thresholds and times.
        alpha: chance that even one of the intervals does not hold its median.
    """
    wanted = {trial: limits.longest_s(trial) for trial in samples}
    timed = {
        trial: [sample for sample in taken if sample.wall_ns > 0]
        for trial, taken in standing(
            {t: samples[t] for t, s in wanted.items() if s and samples[t]}
        ).items()
    }
    timed = {trial: taken for trial, taken in timed.items() if taken}
    found = []
    for trial, taken in timed.items():
        times = [seconds_per_message(sample) for sample in taken]
        level = simultaneous_level(alpha, len(timed))
        interval = clustered_median_interval(
            times, [sample.generation for sample in taken], level=level
        )
        found.append(
            TimeLimit(
                plain_name(trial.implementation),
                trial.workload,
                wanted[trial] or 0.0,
                median(times),
                interval.low,
                interval.high,
            )
        )
    return tuple(found)
