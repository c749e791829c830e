# SPDX-License-Identifier: Apache-2.0
"""Workloads and trials: which implementation does which work on which target."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache
from typing import Final

from joulemark.errors import UsageError
from joulemark.units import format_bytes, parse_size

# Mixes of message lengths: their spelling, and the sequence of lengths that a trial runs.
#
# A trial runs one cycle of lengths over and over. It holds each length in exactly its share, in an
# order that is shuffled once, the same in every run; a branch predictor cannot learn a cycle of a
# thousand messages by heart, as it would learn a dozen.

IMIX: Final = {64: 7, 576: 4, 1500: 1}
"""Message bytes -> share: the simple Internet mix in the lengths that IPsec benchmarks use."""
_DECK: Final = sum(IMIX.values())
_LEAST_MESSAGES: Final = 84 * _DECK
"""About a thousand messages, more than a branch predictor remembers."""
_LEAST_BATCHES: Final = 4
_LARGEST_BYTES: Final = 1 << 20
_UNIFORM: Final = re.compile(r"uniform:([^-]+)-([^-]+)")


def parse_mix(text: str) -> str:
    """The one spelling of a mix: `imix`, or `uniform:LOW-HIGH` in bytes, both ends included."""
    word = text.strip().lower()
    if word == "imix":
        return word
    match = _UNIFORM.fullmatch(word)
    if match is None:
        raise UsageError(f"--mix {text}: give imix, or uniform:LOW-HIGH as in uniform:16-1500")
    low, high = (parse_size(part) for part in match.groups())
    if low >= high:
        raise UsageError(f"--mix {text}: the first length must be below the second")
    if high > _LARGEST_BYTES:
        raise UsageError(f"--mix {text}: lengths of a mix go up to {format_bytes(_LARGEST_BYTES)}")
    return f"uniform:{low}-{high}"


def parse_mixes(text: str) -> tuple[str, ...]:
    """A comma-separated list of mixes, repetitions dropped."""
    return tuple(dict.fromkeys(parse_mix(part) for part in text.split(",")))


def _ends(mix: str) -> tuple[int, int]:
    low, high = mix.removeprefix("uniform:").split("-")
    return int(low), int(high)


def mean_bytes(mix: str) -> float:
    """Mean length of a message, the same for every cycle that `mix_lengths` makes."""
    if mix == "imix":
        return sum(size * share for size, share in IMIX.items()) / _DECK
    return sum(_ends(mix)) / 2


def mix_title(mix: str) -> str:
    """The mix as tables and charts write it."""
    if mix == "imix":
        return "IMIX"
    low, high = _ends(mix)
    return f"{low} to {high} B"


@cache
def mix_lengths(mix: str, batch: int) -> tuple[int, ...]:
    """One cycle of message lengths, in bytes: whole batches, at least four of them.

    Where a batch is a multiple of twelve messages, each batch of an IMIX holds the exact shares;
    else the cycle does. The lengths of a uniform mix lie evenly and symmetrically in their range.
    """
    import random  # noqa: PLC0415 - workers import this module, and few run mixes

    whole = math.lcm(batch, _DECK)
    least = max(_LEAST_MESSAGES, _LEAST_BATCHES * batch)
    count = (least + whole - 1) // whole * whole
    chance = random.Random(f"{mix}/{batch}")  # noqa: S311 - an order, not a secret
    if mix != "imix":
        deck = _even(*_ends(mix), count)
        chance.shuffle(deck)
        return tuple(deck)
    hand = batch if batch % _DECK == 0 else count
    lengths: list[int] = []
    for _ in range(count // hand):
        deck = [size for size, share in IMIX.items() for _ in range(share * hand // _DECK)]
        chance.shuffle(deck)
        lengths += deck
    return tuple(lengths)


def _even(low: int, high: int, count: int) -> list[int]:
    """`count` (even) lengths, evenly from `low` to `high`; each has its mirror image."""
    lower = [low + (2 * i + 1) * (high - low + 1) // (2 * count) for i in range(count // 2)]
    return [*lower, *(low + high - length for length in reversed(lower))]


HOST = "host"
"""Target of software: the machine that the run is on."""
RTL = "rtl:verilator"
"""Target of hardware cores: their sources in a simulator, which counts clocks and not seconds."""
FIRMWARE = "mcu:"
"""Begin of the names of firmware targets: simulated microcontrollers (`joulemark.firmware`)."""
GATES: Final = "gate:"
"""Begin of the names of open CPUs that run firmware as netlists of library cells."""


class Mode(StrEnum):
    """Whether one message may start before the last has ended."""

    THROUGHPUT = "throughput"
    """Independent messages: the core may overlap the end of one with the start of the next."""
    LATENCY = "latency"
    """The address of each message depends on the tag before it, so nothing overlaps."""


class Cache(StrEnum):
    """Where the message lies when it is processed."""

    HOT = "hot"
    """One message buffer, reused: in the first-level cache as far as it fits."""
    COLD = "cold"
    """A fresh message each time, flushed from every cache level; code and key state stay warm."""


class KeySetup(StrEnum):
    """Whether the key set-up is part of the timed loop."""

    KEPT = "kept"
    """The key is set up once, before the clock starts."""
    FRESH = "fresh"
    """The key is set up, used for one message and wiped inside the timed loop: the agility
    figure."""
    DISTINCT = "distinct"
    """Keys are set up once, a different key for each message of the batch."""


@dataclass(frozen=True, slots=True, order=True)
class Workload:
    """The work of an implementation in one trial."""

    size_bytes: int
    """Bytes of every message; for a mix of lengths the rounded mean."""
    mode: Mode = Mode.THROUGHPUT
    cache: Cache = Cache.HOT
    key_setup: KeySetup = KeySetup.KEPT
    batch: int = 1
    """Messages handed over at a time."""
    mix: str = ""
    """A mix of lengths (`joulemark.records.trial`); empty where all messages have one length."""

    @property
    def mean_bytes(self) -> float:
        """Bytes of a message, exact for a mix: the divisor of rates and costs per byte."""
        return mean_bytes(self.mix) if self.mix else float(self.size_bytes)

    @property
    def length_text(self) -> str:
        """The length of a message as sentences and tables write it."""
        return mix_title(self.mix) if self.mix else format_bytes(self.size_bytes)

    @property
    def text(self) -> str:
        """Length and batch, as in "64 B" or "64 B, batch of 16"."""
        return self.length_text + (f", batch of {self.batch}" if self.batch > 1 else "")

    @property
    def special(self) -> str:
        """What differs from throughput, hot cache, kept key and batch 1, as in "latency, cold"."""
        usual = {Mode.THROUGHPUT, Cache.HOT, KeySetup.KEPT}
        words = [str(word) for word in (self.mode, self.cache, self.key_setup) if word not in usual]
        return ", ".join([*words, *([f"batch of {self.batch}"] if self.batch > 1 else [])])

    @property
    def in_sentence(self) -> str:
        """The length with all that is special, as in "64 B (latency, batch of 16)"."""
        return f"{self.length_text} ({self.special})" if self.special else self.length_text


@dataclass(frozen=True, slots=True, order=True)
class Trial:
    """One implementation x workload x target.

    `implementation` is `algorithm/variant`; an A/A twin carries a suffix, as in
    `hmac-sha256/shani#2`: the same code under a second name, in a separate process.
    """

    implementation: str
    workload: Workload
    target: str = HOST

    @property
    def algorithm(self) -> str:
        """Catalogue id of the algorithm."""
        return self.implementation.split("/", 1)[0]

    @property
    def variant(self) -> str:
        """Variant with any twin suffix, as in `shani#2`."""
        return self.implementation.split("/", 1)[1]


def is_firmware(target: str) -> bool:
    """Whether a target is a microcontroller."""
    return target.startswith(FIRMWARE)


def is_gates(target: str) -> bool:
    """Whether a target is the netlist of a CPU."""
    return target.startswith(GATES)


# Names of an implementation in two builds: `sha256/mine@old`, `sha256/mine@new`.

OLD: Final = "old"
NEW: Final = "new"


def plain_name(implementation: str) -> str:
    """The name without the build, as its source has it: `sha256/mine@old` -> `sha256/mine`."""
    name, _, build = implementation.rpartition("@")
    return name if build in {OLD, NEW} else implementation


def of_build(trial: Trial, build: str) -> Trial:
    """The same trial in that build."""
    return replace(trial, implementation=f"{plain_name(trial.implementation)}@{build}")
