# SPDX-License-Identifier: Apache-2.0
"""Runs a core's workload in RTL simulation: clocks per message, and recordings of its ports.

A gate-level run replays a recording: it needs no adapter and no knowledge of protocols.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from joulemark.errors import UsageError
from joulemark.hardware.bench.adapter import CoreAdapter
from joulemark.hardware.bench.protocols import adapter_class
from joulemark.hardware.core.manifest import Core
from joulemark.hardware.drive.driving import (
    BatchAnswer,
    KeyedMessages,
    PlanAnswer,
    compile_core,
    drive,
)
from joulemark.hardware.drive.trials import STARTS, first_messages, trials

__all__ = [
    "Clocks", "MessageClocks", "Recording", "clocks_per_message", "hold_to_starts",
    "measure_clocks", "record",
]  # fmt: skip

_SEED = 20050217


@dataclass(frozen=True, slots=True)
class MessageClocks:
    """Clocks of a message of one length."""

    message_bytes: int
    throughput_clocks: float
    """Between back-to-back messages: slope between a batch and one twice as long."""
    latency_clocks: int
    """Clocks of a message alone, from the first word offered to the result taken."""


@dataclass(frozen=True, slots=True)
class Clocks:
    """Clocks that a workload takes."""

    key_clocks: int
    """Clocks of the key set-up, which no other figure includes; 0 for a core without a key."""
    latency_clocks: int
    """Latency of one message alone, counted as the manifest's: from the last word in to the first
    word of the result offered."""
    message_clocks: float
    """Clocks a message: the slope between the workload's number of messages back to back and twice
    as many."""
    clocks_per_block: float


@dataclass(frozen=True, slots=True)
class Recording:
    """Every port of a core in every clock period of a run of its workload."""

    inputs: Mapping[str, tuple[int, ...]]
    """Value by port and period; the clock is left out."""
    outputs: Mapping[str, tuple[int, ...]]
    compare_from: int
    """First period after the reset. Outputs of earlier periods mean nothing."""
    window: tuple[int, int]
    """Periods [first, last) in which the core was at work in its steady state."""
    window_messages: float
    """Messages that the window stands for."""
    clocks: Clocks
    seed: int

    @property
    def periods(self) -> int:
        """Number of clock periods of the run."""
        return len(next(iter(self.inputs.values()), ()))


def _random_messages(number: int, length_bytes: int, seed: int) -> list[bytes]:
    """Random messages, the same for the same seed."""
    chance = random.Random(seed)  # noqa: S311 - test data
    return [chance.randbytes(length_bytes) for _ in range(number)]


def measure_clocks(
    core: Core, parameters: Mapping[str, int], folder: Path, program: Path | None = None
) -> Clocks:
    """Builds the core, holds it to the messages of `trials`, counts the clocks of its workload.

    `program` is the core if it is built already.

    Raises:
        ImplementationError: the core does not build; as WrongOutputError, a result is wrong.
    """
    program = program or compile_core(core, parameters, folder)
    return _clocks(core, parameters, folder, program)


def hold_to_starts(core: Core, parameters: Mapping[str, int], folder: Path, program: Path) -> None:
    """Holds a built core to right results, whatever its registers hold before the reset.

    Raises:
        ImplementationError: the core hangs; as WrongOutputError, a result is wrong.
    """
    plan = first_messages(core, adapter_class(core))
    for number, start in enumerate(STARTS):
        answer = drive(core, parameters, folder, program, plan, name=f"start{number}", start=start)
        answer.require_right(core, program)


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
        ImplementationError: the core does not build; as WrongOutputError, a result is wrong.
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
        sent = _random_messages(3 * messages, length, _SEED + length)
        texts += [sent[:1], sent[:messages], sent[messages:]]
    program = compile_core(core, parameters, folder)
    batches = _run(core, parameters, folder, program, texts, (), "lengths").batches
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
    *,
    inputs: Sequence[str],
    outputs: Sequence[str],
) -> Recording:
    """Builds the core, runs its workload and records its ports.

    Raises:
        ImplementationError: the core does not build; as WrongOutputError, a result is wrong.
    """
    workload = core.workload
    program = compile_core(core, parameters, folder)
    clocks = _clocks(core, parameters, folder, program)
    # Messages in flight at once; so many follow the last one of the window to keep the core full.
    depth = 1 + int(-(-clocks.latency_clocks // max(clocks.message_clocks, 1)))
    texts = _random_messages(workload.messages + 1 + depth, workload.message_bytes, _SEED)
    ports = [name for name in (*inputs, *outputs) if name != core.clock]
    answer = _run(core, parameters, folder, program, [texts], ports, "recording")
    values = {name: tuple(int(digits, 16) for digits in answer.values[name]) for name in ports}
    window, messages = _window(answer.batches[0], workload.messages, len(texts))
    return Recording(
        inputs={name: values[name] for name in inputs if name != core.clock},
        outputs={name: values[name] for name in outputs},
        compare_from=answer.reset_end,
        window=window,
        window_messages=messages,
        clocks=clocks,
        seed=_SEED,
    )


def _window(batch: BatchAnswer, wanted: int, sent: int) -> tuple[tuple[int, int], float]:
    """Periods and messages from the first result to the result `wanted` messages later.

    The whole batch if the results cannot be told apart.
    """
    words = len(batch.offered) // sent
    if words and len(batch.offered) == words * sent:
        ends = batch.offered[words - 1 :: words]
        return (ends[0], ends[wanted]), float(wanted)
    return (batch.begin, batch.end), float(sent)


def _clocks(core: Core, parameters: Mapping[str, int], folder: Path, program: Path) -> Clocks:
    number = core.workload.messages
    texts = _random_messages(3 * number + 1, core.workload.message_bytes, _SEED + 1)
    texts_of = (texts[:1], texts[1 : 1 + number], texts[1 + number :])
    adapter = adapter_class(core)
    plan = [KeyedMessages(_key(adapter), tuple(batch)) for batch in texts_of]
    answer = drive(
        core, parameters, folder, program, [*plan, *trials(core, adapter)], name="clocks"
    )
    answer.require_right(core, program)
    alone, once, twice = answer.batches[: len(plan)]
    message_clocks = (twice.clocks - once.clocks) / number
    return Clocks(
        key_clocks=twice.key_clocks,
        latency_clocks=alone.latency_clocks,
        message_clocks=message_clocks,
        clocks_per_block=message_clocks / core.workload.blocks_per_message,
    )


def _key(adapter: type[CoreAdapter]) -> bytes | None:
    """The key of a workload; None for a core without keys."""
    lengths = adapter.key_bytes
    return _random_messages(1, lengths[0], _SEED - 1)[0] if lengths else None


def _run(
    core: Core, parameters: Mapping[str, int], folder: Path, program: Path,
    batches: Sequence[Sequence[bytes]], ports: Sequence[str], name: str,
) -> PlanAnswer:  # fmt: skip
    key = _key(adapter_class(core))
    plan = [KeyedMessages(key, tuple(batch)) for batch in batches]
    answer = drive(core, parameters, folder, program, plan, ports=ports, name=name)
    answer.require_right(core, program)
    return answer
