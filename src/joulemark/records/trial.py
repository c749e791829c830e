# SPDX-License-Identifier: Apache-2.0
"""Workloads and trials: which implementation does which work on which target."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from joulemark.records.mixes import mean_bytes, mix_title
from joulemark.units import format_bytes

__all__ = [
    "FIRMWARE", "HOST", "RTL", "Cache", "KeySetup", "Mode", "Trial", "Workload", "is_firmware",
]  # fmt: skip

HOST = "host"
"""Target of software: the machine that the run is on."""
RTL = "rtl:verilator"
"""Target of hardware cores: their sources in a simulator, which counts clocks and not seconds."""
FIRMWARE = "mcu:"
"""Begin of the names of firmware targets: simulated microcontrollers (`joulemark.firmware`)."""


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
    """A mix of lengths (`joulemark.records.mixes`); empty where all messages have one length."""

    @property
    def mean_bytes(self) -> float:
        """Bytes of a message, exact for a mix: the divisor of rates and costs per byte."""
        return float(mean_bytes(self.mix)) if self.mix else float(self.size_bytes)

    @property
    def length_text(self) -> str:
        """The length of a message as sentences and tables write it."""
        return mix_title(self.mix) if self.mix else format_bytes(self.size_bytes)

    @property
    def text(self) -> str:
        """Length and batch, as in "64 B" or "64 B, batch of 16"."""
        return self.length_text + (f", batch of {self.batch}" if self.batch > 1 else "")


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
