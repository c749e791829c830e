# SPDX-License-Identifier: Apache-2.0
"""The options of `bench` that say what is measured: code, messages, keys, target."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Final, TypeVar

import typer

from joulemark.cli.shared.completion import words_of
from joulemark.cli.shared.options import PATTERN_ARGUMENT, PLUGIN_OPTION
from joulemark.errors import UsageError
from joulemark.measure.study import (
    BROAD_SIZES_BYTES,
    CORE_SIZES_BYTES,
    DEFAULT_SIZES_BYTES,
    FIRMWARE_SIZES_BYTES,
    known_targets,
)
from joulemark.records.mixes import parse_mixes
from joulemark.records.trial import RTL, Cache, KeySetup, Mode, is_firmware
from joulemark.units import parse_sizes

__all__ = ["WorkloadOptions"]

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
            "uniform:16-1500, or both; instead of --size unless that is given too."
        ),
    ] = None
    target: Annotated[
        str,
        typer.Option(
            autocompletion=_target_names,
            help="Where it runs: host (software on this machine), rtl:verilator (hardware cores "
            "in a simulator: exact clocks per message, no time), mcu:NAME (our kernels on a "
            "simulated microcontroller: core cycles and sizes, no time), or several.",
        ),
    ] = "host"
    plugin: Annotated[list[str] | None, PLUGIN_OPTION] = None

    def mixes(self) -> tuple[str, ...]:
        """The mixes of lengths; empty without `--mix`."""
        return () if self.mix is None else parse_mixes(self.mix)

    def sizes_bytes(self) -> tuple[int, ...]:
        """The lengths; where none are given, those that suit target, mix and patterns."""
        if self.size is not None:
            return tuple(parse_sizes(self.size))
        if any(map(is_firmware, self.targets())):
            return FIRMWARE_SIZES_BYTES
        if RTL in self.targets():
            return CORE_SIZES_BYTES
        if self.mix is not None:
            return ()
        return DEFAULT_SIZES_BYTES if self.patterns else BROAD_SIZES_BYTES

    def modes(self) -> tuple[Mode, ...]:
        """Throughput, latency, or both."""
        return _words(Mode, self.mode, "mode")

    def caches(self) -> tuple[Cache, ...]:
        """Hot, cold, or both."""
        return _words(Cache, self.cache, "cache")

    def key_setups(self) -> tuple[KeySetup, ...]:
        """How keys are set up."""
        return _words(KeySetup, self.key, "key")

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
            if part not in known_targets():
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
