# SPDX-License-Identifier: Apache-2.0
"""Runs a core's workload in RTL simulation: clocks per message, and recordings of its ports.

A gate-level run replays a recording: it needs no adapter and no knowledge of protocols.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from joulemark.errors import ImplementationError, UsageError
from joulemark.hardware.bench.adapter import CoreAdapter, adapter_class
from joulemark.hardware.manifest import Core
from joulemark.hardware.simulation.driving import (
    BatchAnswer,
    KeyedMessages,
    PlanAnswer,
    compile_core,
    drive,
)
from joulemark.hardware.simulation.trial_messages import trial_lengths, trials
from joulemark.units import format_bytes

_WORKLOAD_SEED = 20050217
_COMPARED = 3
"""Random messages whose clocks are compared, beside one of zeros and one of ones."""
_FIRST_PAUSE, _SECOND_PAUSE = 4, 7
"""Clock periods between them, when they are sent for the first and the second time."""


@dataclass(frozen=True, slots=True)
class MessageClocks:
    """Clocks of a message of one length."""

    message_bytes: int
    throughput_clocks: float
    """Between back-to-back messages: slope between a batch and the same sent twice over."""
    latency_clocks: int
    """Clocks of a message alone, from the first word offered to the result taken."""


@dataclass(frozen=True, slots=True)
class WorkloadClocks:
    """Clocks that a workload takes."""

    key_clocks: int
    """Clocks of the key set-up, which no other figure includes; 0 for a core without a key."""
    latency_clocks: int
    """Latency of one message alone, counted as the manifest's: from the last word in to the first
    word of the result offered."""
    message_clocks: float
    """Clocks a message: the slope between the workload's messages back to back and the same sent
    twice over."""
    clocks_per_block: float
    varied: str = ""
    """The clocks that messages of one length take, in words, where they depend on the message."""


@dataclass(frozen=True, slots=True)
class RecordedPorts:
    """Every port of a core or of a CPU in every clock period of a run."""

    inputs: Mapping[str, tuple[int, ...]]
    """Value by port and period; the clock is left out."""
    outputs: Mapping[str, tuple[int, ...]]
    compare_from: int
    """First period after the reset, or after the start of a slice. Outputs of earlier periods mean
    nothing."""
    window: tuple[int, int]
    """Periods [first, last) whose toggles are wanted."""

    @property
    def periods(self) -> int:
        """Number of clock periods of the run."""
        return len(next(iter(self.inputs.values()), ()))


@dataclass(frozen=True, slots=True)
class PortRecording(RecordedPorts):
    """A run of a core's workload; in its window the core was at work in its steady state."""

    window_messages: float
    """Messages that the window stands for."""
    clocks: WorkloadClocks
    seed: int


def _random_messages(number: int, length_bytes: int, seed: int) -> list[bytes]:
    """Random messages, the same for the same seed."""
    chance = random.Random(seed)  # noqa: S311 - test data
    return [chance.randbytes(length_bytes) for _ in range(number)]


def measure_clocks(
    core: Core, parameters: Mapping[str, int], folder: Path, program: Path | None = None
) -> WorkloadClocks:
    """Builds the core, holds it to the messages of `trials`, counts the clocks of its workload.

    `program` is the core if it is built already.
    """
    program = program or compile_core(core, parameters, folder)
    return _clocks(core, parameters, folder, program)


def clocks_per_message(
    core: Core,
    parameters: Mapping[str, int],
    lengths: Sequence[int],
    folder: Path,
    *,
    messages: int = 8,
) -> list[MessageClocks]:
    """Clocks by message length, in one simulation; results are checked against the reference."""
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
        sent = _random_messages(messages, length, _WORKLOAD_SEED + length)
        texts += [sent[:1], sent, sent + sent]
    program = compile_core(core, parameters, folder)
    batches = _run(core, parameters, folder, program, texts, (), "lengths").batches
    return [
        MessageClocks(
            message_bytes=length,
            throughput_clocks=_slope(core, once, twice),
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
) -> PortRecording:
    """Builds the core, runs its workload and records its ports."""
    workload = core.workload
    program = compile_core(core, parameters, folder)
    clocks = _clocks(core, parameters, folder, program)
    # Messages in flight at once; so many follow the last one of the window to keep the core full.
    depth = 1 + int(-(-clocks.latency_clocks // max(clocks.message_clocks, 1)))
    texts = _random_messages(workload.messages + 1 + depth, workload.message_bytes, _WORKLOAD_SEED)
    ports = [name for name in (*inputs, *outputs) if name != core.clock]
    # The power of inputs that change for nothing is not the core's.
    answer = _run(core, parameters, folder, program, [texts], ports, "recording", scramble=False)
    values = {name: tuple(int(digits, 16) for digits in answer.values[name]) for name in ports}
    window, messages = _window(answer.batches[0], workload.messages, len(texts))
    return PortRecording(
        inputs={name: values[name] for name in inputs if name != core.clock},
        outputs={name: values[name] for name in outputs},
        compare_from=answer.reset_end,
        window=window,
        window_messages=messages,
        clocks=clocks,
        seed=_WORKLOAD_SEED,
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


def _clocks(
    core: Core, parameters: Mapping[str, int], folder: Path, program: Path
) -> WorkloadClocks:
    number = core.workload.messages
    first, *texts = _random_messages(number + 1, core.workload.message_bytes, _WORKLOAD_SEED + 1)
    adapter = adapter_class(core)
    plan = [KeyedMessages(_key(adapter), tuple(batch)) for batch in ([first], texts, texts + texts)]
    compared = _compared(core, adapter)
    plan += compared
    answer = drive(
        core, parameters, folder, program, [*plan, *trials(core, adapter)], name="clocks"
    )
    answer.require_right(core, program)
    alone, once, twice = answer.batches[:3]
    message_clocks = _slope(core, once, twice)
    return WorkloadClocks(
        key_clocks=twice.key_clocks,
        latency_clocks=alone.latency_clocks,
        message_clocks=message_clocks,
        clocks_per_block=message_clocks / core.workload.blocks_per_message,
        varied=_varied(answer.batches[3 : 3 + len(compared)]),
    )


def _slope(core: Core, once: BatchAnswer, twice: BatchAnswer) -> float:
    """Clocks a message, from a batch and the same messages sent twice over."""
    number = len(once.messages)
    clocks = (twice.clocks - once.clocks) / number
    if clocks <= 0:
        raise ImplementationError(
            f"{core.name} takes {twice.clocks} clocks for the {2 * number} messages of its "
            f"workload and {once.clocks} for the first {number} of them, so no clocks a message "
            "can be given; its adapter must return from process after the last result"
        )
    return clocks


def _compared(core: Core, adapter: type[CoreAdapter]) -> list[KeyedMessages]:
    """Messages of one length, each alone, all of them twice; none if all lengths are 0.

    The length is the workload's, or the longest of `trials` where that is 0.
    """
    size = core.workload.message_bytes or max(trial_lengths(core, adapter), default=0)
    if not size:
        return []
    texts = [*_random_messages(_COMPARED, size, _WORKLOAD_SEED + 2), bytes(size), b"\xff" * size]
    return [
        KeyedMessages(_key(adapter), (text,), pause)
        for pause in (_FIRST_PAUSE, _SECOND_PAUSE)
        for text in texts
    ]


def _varied(batches: Sequence[BatchAnswer]) -> str:
    """The range of the clocks of such messages in words; empty if it is one number.

    It is empty, too, if a message takes other clocks the second time: a clock divider or a timer
    has then decided, and not the message.
    """
    half = len(batches) // 2
    first, second = ([batch.clocks for batch in part] for part in (batches[:half], batches[half:]))
    if first != second or len(set(first)) < 2:
        return ""
    size = format_bytes(len(batches[0].messages[0]))
    return f"{min(first)} to {max(first)} for a message of {size} alone"


def _key(adapter: type[CoreAdapter]) -> bytes | None:
    """The key of a workload; None for a core without keys."""
    lengths = adapter.key_bytes
    return _random_messages(1, lengths[0], _WORKLOAD_SEED - 1)[0] if lengths else None


def _run(
    core: Core,
    parameters: Mapping[str, int],
    folder: Path,
    program: Path,
    batches: Sequence[Sequence[bytes]],
    ports: Sequence[str],
    name: str,
    *,
    scramble: bool = True,
) -> PlanAnswer:
    key = _key(adapter_class(core))
    plan = [KeyedMessages(key, tuple(batch)) for batch in batches]
    answer = drive(
        core, parameters, folder, program, plan, ports=ports, name=name, scramble=scramble
    )
    answer.require_right(core, program)
    return answer
