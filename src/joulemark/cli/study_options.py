# SPDX-License-Identifier: Apache-2.0
"""The study that the options of `bench` ask for, on this machine or on others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Annotated, Final, TypeVar

import typer

from joulemark.cli.shared.completion import words_of
from joulemark.cli.shared.measuring_options import (
    CPU_OPTION,
    HANG_LIMIT_OPTION,
    PATTERN_ARGUMENT,
    PLUGIN_OPTION,
    EnergyOptions,
    TreeOptions,
    checked_hang_limit,
    checked_watts,
)
from joulemark.errors import UsageError
from joulemark.firmware.target import target_named
from joulemark.measure.plan import Effort, Precision
from joulemark.measure.study import (
    BROAD_SIZES_BYTES,
    CORE_SIZES_BYTES,
    DEFAULT_SIZES_BYTES,
    FIRMWARE_SIZES_BYTES,
    QUICK,
    STANDARD,
    Study,
    is_target,
    known_targets,
)
from joulemark.records.trial import (
    HOST,
    RTL,
    Cache,
    KeySetup,
    Mode,
    is_firmware,
    is_gates,
    parse_mixes,
)
from joulemark.units import parse_difference, parse_duration, parse_sizes

# The options of `bench` about where and how long software is measured.

_USUAL_BUDGET: Final = "120s"
_MAX_ROUNDS: Final = 10_000
_MAX_WINDOW_MS: Final = 10_000.0


@dataclass(frozen=True, slots=True)
class EffortOptions:
    """How much work goes into each trial, on which CPU."""

    quick: Annotated[
        bool,
        typer.Option(
            "--quick", help="Fewer, shorter samples: seconds instead of a minute, wider intervals."
        ),
    ] = False
    rounds: Annotated[
        int | None,
        typer.Option(
            help="Rounds; each takes four samples of each trial. 30 unless given, up to 300 where "
            "there are few trials."
        ),
    ] = None
    window_ms: Annotated[
        float | None,
        typer.Option(help="Length of one sample in milliseconds; a longer message takes longer."),
    ] = None
    precision: Annotated[
        str | None,
        typer.Option(
            help="Go on with trials whose 95 % interval is wider than +- this, as in 1%, until the "
            "budget is spent."
        ),
    ] = None
    budget: Annotated[
        str | None,
        typer.Option(
            help=f"With --precision: begin no further rounds after this time, as in 90s or 5min; "
            f"{_USUAL_BUDGET} unless given."
        ),
    ] = None
    cpu: Annotated[int | None, CPU_OPTION] = None
    wait_quiet: Annotated[
        str | None,
        typer.Option(
            metavar="LIMIT",
            help="Wait until other programs leave the CPUs, at most so long, as in 10min; then "
            "measure.",
        ),
    ] = None
    hang_limit: Annotated[float, HANG_LIMIT_OPTION] = 30.0

    def check(self, targets: Sequence[str]) -> None:
        """Refuses options that make no sense with these targets."""
        checked_hang_limit(self.hang_limit)
        if HOST in targets:
            return
        for option, given in (("--rounds", self.rounds), ("--window-ms", self.window_ms)):
            if given is not None:
                raise UsageError(
                    f"{option}: a simulation is exact and is done once; leave it out with "
                    f"--target {targets[0]}"
                )

    def effort(self) -> Effort:
        """Rounds, windows and precision."""
        base = QUICK if self.quick else STANDARD
        precision = _precision_of(self.precision, self.budget)
        visits = base.visits if self.rounds is None else 0
        rounds = base.rounds if self.rounds is None else self.rounds
        if not 1 <= rounds <= _MAX_ROUNDS:
            raise UsageError(f"--rounds {rounds}: give a number from 1 to {_MAX_ROUNDS}")
        window_ns = base.window_ns
        if self.window_ms is not None:
            if not 0.01 <= self.window_ms <= _MAX_WINDOW_MS:
                raise UsageError(
                    f"--window-ms {self.window_ms:g}: give 0.01 to {_MAX_WINDOW_MS:g} ms"
                )
            window_ns = round(self.window_ms * 1e6)
        return replace(base, rounds=rounds, visits=visits, window_ns=window_ns, precision=precision)

    def wait_s(self) -> float | None:
        """Longest time to wait for a quiet machine, in seconds; None: not at all."""
        return None if self.wait_quiet is None else parse_duration(self.wait_quiet, "--wait-quiet")


def _precision_of(wanted: str | None, budget: str | None) -> Precision | None:
    """The precision that the options ask for; None without `--precision`."""
    if wanted is None:
        if budget is not None:
            raise UsageError(
                "--budget is the limit of --precision; name both, as in --precision 1%"
            )
        return None
    half_width = parse_difference(wanted, "--precision")
    if not 0 < half_width < 1:
        raise UsageError(f"--precision {wanted}: give a share above 0 and below 100%, as in 1%")
    return Precision(half_width, parse_duration(budget or _USUAL_BUDGET, "--budget"))


# The options of `bench` that say what is measured: code, messages, keys, target.

Word = TypeVar("Word", bound=StrEnum)

_MAX_BATCH: Final = 4096


def _target_names(incomplete: str) -> list[str]:
    return [known_target for known_target in known_targets() if known_target.startswith(incomplete)]


@dataclass(frozen=True, slots=True)
class WorkloadOptions:
    """Code, messages, keys and targets that are measured."""

    patterns: Annotated[list[str] | None, PATTERN_ARGUMENT] = None
    size: Annotated[
        str | None,
        typer.Option(
            help="Message sizes: 16,64..1024 (a range goes by powers of two), 1500, 64KiB."
        ),
    ] = None
    mode: Annotated[
        str,
        typer.Option(
            autocompletion=words_of(Mode),
            help="throughput (independent messages), latency (each depends on the "
            "tag before it), or both, separated by a comma.",
        ),
    ] = "throughput"
    cache: Annotated[
        str,
        typer.Option(
            autocompletion=words_of(Cache), help="hot, cold (messages flushed first), or both."
        ),
    ] = "hot"
    key: Annotated[
        str,
        typer.Option(
            autocompletion=words_of(KeySetup),
            help="kept (set up once), fresh (set up for every message), distinct (kept, another "
            "one for each message of a batch), or several.",
        ),
    ] = "kept"
    batch: Annotated[
        str,
        typer.Option(
            help="Messages handed over at a time, of a MAC: 64, or several as in 1,16,64."
        ),
    ] = "1"
    mix: Annotated[
        str | None,
        typer.Option(
            help="Messages of mixed lengths: imix (64, 576 and 1500 bytes as 7:4:1), "
            "uniform:16-1500, or both. They take the place of --size, unless --size is given too."
        ),
    ] = None
    target: Annotated[
        str,
        typer.Option(
            autocompletion=_target_names,
            help="Where it runs: host (software on this machine), rtl:verilator (hardware cores "
            "in a simulator: exact clocks per message, no time), mcu:NAME (our kernels on a "
            "simulated microcontroller: core cycles and sizes, no time), gate:NAME (our kernels on "
            "the netlist of an open CPU: joules of a message), or several.",
        ),
    ] = "host"
    plugin: Annotated[list[str] | None, PLUGIN_OPTION] = None

    def sizes_bytes(self) -> tuple[int, ...]:
        """The lengths; where none are given, those that suit target, mix and patterns."""
        if self.size is not None:
            return tuple(parse_sizes(self.size))
        if any(is_firmware(target) or is_gates(target) for target in self.targets()):
            return FIRMWARE_SIZES_BYTES
        if RTL in self.targets():
            return CORE_SIZES_BYTES
        if self.mix is not None:
            return ()
        return DEFAULT_SIZES_BYTES if self.patterns else BROAD_SIZES_BYTES

    def batches(self) -> tuple[int, ...]:
        """Messages in a call, repetitions dropped."""
        found: dict[int, None] = {}
        for part in self.batch.split(","):
            word = part.strip()
            plain = word.isascii() and word.isdigit() and len(word) < 9
            if not (plain and 1 <= int(word) <= _MAX_BATCH):
                raise UsageError(f"--batch {self.batch}: give numbers from 1 to {_MAX_BATCH}")
            found[int(word)] = None
        return tuple(found)

    def targets(self) -> tuple[str, ...]:
        """The targets, repetitions dropped."""
        found = tuple(dict.fromkeys(part.strip().lower() for part in self.target.split(",")))
        for part in found:
            if is_gates(part):
                target_named(part)
            elif not is_target(part):
                raise UsageError(
                    f"--target {self.target}: '{part}' is not one of {', '.join(known_targets())}"
                )
        return found


def _words(kind: type[Word], text: str, option: str) -> tuple[Word, ...]:
    """A comma-separated option as members of an enumeration, duplicates removed."""
    found: dict[Word, None] = {}
    for part in text.split(","):
        try:
            found[kind(part.strip().lower())] = None
        except ValueError:
            known = ", ".join(member.value for member in kind)
            raise UsageError(f"--{option} {text}: '{part}' is not one of {known}") from None
    return tuple(found)


def study_of(
    workload: WorkloadOptions, effort: EffortOptions, energy: EnergyOptions, trees: TreeOptions
) -> Study:
    """The study: what is measured, and how."""
    targets = workload.targets()
    effort.check(targets)
    return Study(
        patterns=tuple(workload.patterns or ()),
        sizes_bytes=workload.sizes_bytes(),
        modes=_words(Mode, workload.mode, "mode"),
        caches=_words(Cache, workload.cache, "cache"),
        key_setups=_words(KeySetup, workload.key, "key"),
        batches=workload.batches(),
        mixes=() if workload.mix is None else parse_mixes(workload.mix),
        effort=effort.effort(),
        energy=energy.plan(trees),
        modelled_watts=checked_watts(energy.modelled_power),
        targets=targets,
    )
