# SPDX-License-Identifier: Apache-2.0
"""Runs a core's workload in RTL simulation: clocks per message, and recordings of its ports.

A recording is what a gate-level run replays: it needs no adapter and no knowledge of protocols.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from joulemark.errors import UsageError
from joulemark.hardware.bench.protocols import adapter_class
from joulemark.hardware.core.manifest import Core, Workload
from joulemark.hardware.drive.driving import KeyedMessages, PlanAnswer, compiled, drive

__all__ = [
    "Batch",
    "Clocks",
    "MessageClocks",
    "Recording",
    "clocks_per_message",
    "measure_clocks",
    "random_messages",
    "record",
]  # fmt: skip

SEED = 20050217


@dataclass(frozen=True, slots=True)
class Batch:
    """Messages that went in one after another, and the periods in which that happened."""

    begin: int
    end: int
    taken: tuple[int, ...]
    """Periods at whose end a word went in; empty if the adapter does not use our streams."""
    offered: tuple[int, ...]
    """Periods in which a word of a result was first seen."""

    @property
    def clocks(self) -> int:
        """From the first chance to offer a word to the last result taken."""
        return self.end - self.begin

    @property
    def latency_clocks(self) -> int:
        """Edges after the one that takes the last word, to the one after which a result is there.

        Of the whole batch where the adapter gives no times of words.
        """
        if self.taken and self.offered:
            first_out = next((clock for clock in self.offered if clock >= self.taken[-1]), None)
            if first_out is not None:
                # A word is taken by the edge at the end of its period.
                return max(0, first_out - self.taken[-1] - 1)
        return self.clocks


@dataclass(frozen=True, slots=True)
class MessageClocks:
    """Clocks of a message of one length."""

    message_bytes: int
    throughput_clocks: float
    """Between back-to-back messages: slope between a batch and one twice as long."""
    latency_clocks: int
    """Of a message alone, first word offered to result taken."""


@dataclass(frozen=True, slots=True)
class Clocks:
    """What a workload takes."""

    key_clocks: int
    """Key set-up, which is in no other figure; 0 for a core without a key."""
    latency_clocks: int
    """Of one message alone: last word in to first word of the result offered, as the manifest's."""
    message_clocks: float
    """Slope between the workload's number of messages back to back and twice as many."""
    clocks_per_block: float


@dataclass(frozen=True, slots=True)
class Recording:
    """Every port of a core in every clock period of a run of its workload."""

    inputs: Mapping[str, tuple[int, ...]]
    """Value by port and period; without the clock."""
    outputs: Mapping[str, tuple[int, ...]]
    compare_from: int
    """First period after the reset: outputs of earlier ones mean nothing."""
    window: tuple[int, int]
    """Periods [first, last) in which the core was at work in its steady state."""
    window_messages: float
    """Messages that the window stands for."""
    clocks: Clocks
    seed: int
    results: tuple[str, ...] = field(repr=False, default=())

    @property
    def periods(self) -> int:
        """Length of the run."""
        return len(next(iter(self.inputs.values()), ()))


def random_messages(number: int, length_bytes: int, seed: int) -> list[bytes]:
    """Messages that the seed fixes."""
    chance = random.Random(seed)  # noqa: S311 - test data
    return [chance.randbytes(length_bytes) for _ in range(number)]


def measure_clocks(
    core: Core, parameters: Mapping[str, int], folder: Path, workload: Workload | None = None
) -> Clocks:
    """Builds the core and counts the clocks of its workload.

    Raises:
        ImplementationError: it does not build; as WrongOutputError, a result is wrong.
    """
    workload = workload or core.workload
    program = compiled(core, parameters, folder)
    return _clocks(core, parameters, workload, folder, program)


def clocks_per_message(
    core: Core,
    parameters: Mapping[str, int],
    lengths: Sequence[int],
    folder: Path,
    *,
    messages: int = 8,
) -> list[MessageClocks]:
    """Clocks by message length, in one simulation; results are checked against the reference.

    Raises:
        UsageError: the core takes no message of such a length.
        ImplementationError: it does not build; as WrongOutputError, a result is wrong.
    """
    kind = adapter_class(core)
    for length in lengths:
        if kind.message_bytes_max is not None and length > kind.message_bytes_max:
            raise UsageError(
                f"{core.name} takes messages of at most {kind.message_bytes_max} bytes, "
                f"not {length}"
            )
        if length % kind.message_bytes_multiple:
            raise UsageError(
                f"{core.name} takes messages of a multiple of {kind.message_bytes_multiple} bytes, "
                f"not {length}"
            )
    texts = []
    for length in lengths:
        sent = random_messages(3 * messages, length, SEED + length)
        texts += [sent[:1], sent[:messages], sent[messages:]]
    program = compiled(core, parameters, folder)
    said = _run(core, parameters, folder, program, texts, (), "lengths")
    batches = _batches(said)
    return [
        MessageClocks(
            message_bytes=length,
            throughput_clocks=(twice.clocks - once.clocks) / messages,
            latency_clocks=alone.clocks,
        )
        for length, alone, once, twice in zip(
            lengths, batches[0::3], batches[1::3], batches[2::3], strict=True
        )
    ]


def record(
    core: Core,
    parameters: Mapping[str, int],
    folder: Path,
    workload: Workload | None = None,
    *,
    inputs: Sequence[str],
    outputs: Sequence[str],
) -> Recording:
    """Builds the core, runs its workload and returns what its ports did.

    Raises:
        ImplementationError: it does not build; as WrongOutputError, a result is wrong.
    """
    workload = workload or core.workload
    program = compiled(core, parameters, folder)
    clocks = _clocks(core, parameters, workload, folder, program)
    # Messages in flight at once; so many follow the last one of the window to keep the core full.
    depth = 1 + int(-(-clocks.latency_clocks // max(clocks.message_clocks, 1)))
    texts = random_messages(workload.messages + 1 + depth, workload.message_bytes, SEED)
    ports = [name for name in (*inputs, *outputs) if name != core.clock]
    said = _run(core, parameters, folder, program, [texts], ports, "recording")
    batch = _batches(said)[0]
    values = {name: tuple(int(digits, 16) for digits in said.values[name]) for name in ports}
    window, messages = _window(batch, workload.messages, len(texts))
    return Recording(
        inputs={name: values[name] for name in inputs if name != core.clock},
        outputs={name: values[name] for name in outputs},
        compare_from=said.reset_end,
        window=window,
        window_messages=messages,
        clocks=clocks,
        seed=SEED,
        results=tuple(tag.hex() for tag in said.batches[0].results),
    )


def _window(batch: Batch, wanted: int, sent: int) -> tuple[tuple[int, int], float]:
    """From the first result to the one `wanted` messages later, while more messages follow."""
    words = len(batch.offered) // sent
    if words and len(batch.offered) == words * sent:
        ends = batch.offered[words - 1 :: words]
        return (ends[0], ends[wanted]), float(wanted)
    return (batch.begin, batch.end), float(sent)


def _clocks(
    core: Core, parameters: Mapping[str, int], workload: Workload, folder: Path, program: Path
) -> Clocks:
    texts = random_messages(3 * workload.messages + 1, workload.message_bytes, SEED + 1)
    number = workload.messages
    plan = [texts[:1], texts[1 : 1 + number], texts[1 + number :]]
    said = _run(core, parameters, folder, program, plan, (), "clocks")
    alone, once, twice = _batches(said)
    message_clocks = (twice.clocks - once.clocks) / number
    return Clocks(
        key_clocks=said.key_clocks,
        latency_clocks=alone.latency_clocks,
        message_clocks=message_clocks,
        clocks_per_block=message_clocks / workload.blocks_per_message,
    )


def _run(
    core: Core, parameters: Mapping[str, int], folder: Path, program: Path,
    batches: Sequence[Sequence[bytes]], ports: Sequence[str], name: str,
) -> PlanAnswer:  # fmt: skip
    lengths = adapter_class(core).key_bytes
    key = random_messages(1, lengths[0], SEED - 1)[0] if lengths else None
    plan = [KeyedMessages(key, tuple(batch)) for batch in batches]
    driven = drive(core, parameters, folder, program, plan, ports=ports, name=name)
    driven.require_right(core, program)
    return driven


def _batches(driven: PlanAnswer) -> list[Batch]:
    return [Batch(batch.begin, batch.end, batch.taken, batch.offered) for batch in driven.batches]
