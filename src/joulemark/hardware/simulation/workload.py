# SPDX-License-Identifier: Apache-2.0
"""Runs a core's workload in RTL simulation: clocks per message, and recordings of its ports.

A gate-level run replays a recording: it needs no adapter and no knowledge of protocols.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from joulemark.catalogue import algorithms
from joulemark.errors import UsageError
from joulemark.hardware.bench.adapter import CoreAdapter, adapter_class
from joulemark.hardware.cores import block_bytes
from joulemark.hardware.manifest import Core
from joulemark.hardware.simulation.driving import (
    ONES,
    BatchAnswer,
    KeyedMessages,
    PlanAnswer,
    RegisterStart,
    compile_core,
    drive,
    random_start,
)
from joulemark.reference import reference_output
from joulemark.units import format_bytes

# Lengths of messages and keys that a core can be given.

LONGEST_BYTES = 1 << 16
"""A simulator does some hundred thousand clocks a second: longer messages would take hours."""


@dataclass(frozen=True, slots=True)
class FittedKey:
    """A key that gives the same tags as the one that was asked for, and that the core takes."""

    key: bytes
    change: str | None
    """Change that was made to the key outside the core; None if the key goes in as it is."""


def length_refusal(adapter: type[CoreAdapter], size_bytes: int) -> str | None:
    """Why a core takes no message of this length, or None."""
    most, multiple = adapter.message_bytes_max, adapter.message_bytes_multiple
    if most is not None and size_bytes > most:
        return f"this core takes messages of at most {format_bytes(most)}"
    if size_bytes < adapter.message_bytes_min:
        return f"this core takes messages of at least {format_bytes(adapter.message_bytes_min)}"
    if size_bytes % multiple or (multiple > 1 and size_bytes == 0):
        return f"this core pads nothing and takes whole multiples of {multiple} bytes"
    if size_bytes > LONGEST_BYTES:
        return f"at most {format_bytes(LONGEST_BYTES)} are simulated"
    return None


def fitted_key(core: Core, lengths: Sequence[int], key: bytes) -> FittedKey | str:
    """The key as the core takes it, of one of these lengths in bytes, or why there is none.

    HMAC (RFC 2104, section 2) hashes a key of more than a block and fills up what is shorter with
    zeros. A core may leave either to its user.
    """
    mode, _, digest = core.algorithm.partition("-")
    hash_ = algorithms().get(digest) if mode == "hmac" else None
    changes = []
    if hash_ is not None:
        if len(key) > hash_.block_bytes:
            key = reference_output(digest, b"", key)
            changes.append(f"hashed, being longer than a block of {hash_.block_bytes} bytes")
        if len(key) not in lengths:
            longer = [length for length in lengths if len(key) < length <= hash_.block_bytes]
            if longer:
                changes.append(f"filled up with zeros to {min(longer)} bytes")
                key = key.ljust(min(longer), b"\0")
    if len(key) not in lengths:
        taken = " or ".join(str(length) for length in sorted(lengths))
        return f"the core takes keys of {taken} bytes, not of {len(key)}"
    return FittedKey(key, " and ".join(changes) or None)


# Messages that every core is held to, whatever its workload: lengths, orders, keys, resets.
#
# A core may be right for the one length of its workload and wrong for every message of two blocks.
# So messages have lengths round the ends of one, two and three blocks, and round those at which
# padding needs another block; they come alone and back to back, short after long and long after
# short, with other keys, after pauses of other lengths, and after a reset in the middle of the run.

_SEED: Final = 20261128
_BLOCKS: Final = 3
_USUAL_BLOCK: Final = 16
_PAUSES: Final = (4, 0, 1, 2, 33)
"""Clock periods between batches, one after another."""
_LONG_PAUSE: Final = 600
"""Once: a core that goes to sleep must wake up, and a counter of eight bits or nine runs over."""
STARTS: Final[tuple[RegisterStart, ...]] = (ONES, random_start(1), random_start(2))
"""Values of registers at the start, besides the zeros of every other run."""


def trial_lengths(core: Core, adapter: type[CoreAdapter]) -> list[int]:
    """Lengths in bytes of the messages, in order: those that the core and its reference take."""
    block = _block(core, adapter)
    lengths = {0, 1}
    if adapter.message_bytes_max is not None and adapter.message_bytes_max < _BLOCKS * block:
        lengths.add(adapter.message_bytes_max)
    for number in range(_BLOCKS):
        end = (number + 1) * block
        # The padding of a hash is one byte, and a length of so many bytes as the two hashes have.
        length_field = 8 if block <= 64 else 16
        lengths |= {end - length_field - 1, end - length_field, end - 1, end, end + 1}
    fitting = [
        size for size in sorted(lengths) if size >= 0 and length_refusal(adapter, size) is None
    ]
    key = bytes(adapter.key_bytes[0]) if adapter.key_bytes else b""
    return [size for size in fitting if _has_reference(adapter, key, size)]


def trials(core: Core, adapter: type[CoreAdapter]) -> list[KeyedMessages]:
    """The batches of messages, for one run; none if the core's reference takes no such length."""
    chance = random.Random(_SEED)  # noqa: S311 - test data
    messages = [chance.randbytes(size) for size in trial_lengths(core, adapter)]
    if not messages:
        return []
    keys = _keys(adapter, chance)
    plan: list[tuple[bytes | None, tuple[bytes, ...]]] = [
        (keys[0], (message,)) for message in messages
    ]
    for key, some in ((keys[-1], messages), (keys[0], messages[::3])):
        mixed = [*some, messages[-1], messages[-1], messages[0], messages[0]]
        chance.shuffle(mixed)
        plan.append((key, tuple(mixed)))
    for number, key in enumerate((*keys[1:], keys[0])):
        size = len(messages[-1 - number % len(messages)])
        plan.append((key, (bytes(size), b"\xff" * size)))
    batches = [
        KeyedMessages(key, sent, _PAUSES[number % len(_PAUSES)] if number else _LONG_PAUSE)
        for number, (key, sent) in enumerate(plan)
    ]
    return [*batches, KeyedMessages(keys[0], (messages[-1], messages[0]), reset=True)]


def first_messages(core: Core, adapter: type[CoreAdapter]) -> list[KeyedMessages]:
    """A short plan, for runs that differ in what registers hold at the start."""
    chance = random.Random(_SEED + 1)  # noqa: S311 - test data
    lengths = trial_lengths(core, adapter)
    key = _keys(adapter, chance)[0]
    chosen = (*lengths[len(lengths) // 2 :][:1], *lengths[-1:], *lengths[:1])
    return [KeyedMessages(key, (chance.randbytes(size),)) for size in chosen]


def _block(core: Core, adapter: type[CoreAdapter]) -> int:
    """Bytes of a block: of the manifest's table, of the adapter, of the catalogue, or a guess."""
    given = core.adapter.get("block_bytes") if isinstance(core.adapter, dict) else None
    multiple = adapter.message_bytes_multiple
    return given or (multiple if multiple > 1 else block_bytes(core)) or _USUAL_BLOCK


def _keys(adapter: type[CoreAdapter], chance: random.Random) -> list[bytes | None]:
    """A random key of every length that the core takes, and keys of zeros and of ones."""
    sizes = adapter.key_bytes
    if not sizes:
        return [None]
    return [*map(chance.randbytes, sizes), bytes(sizes[0]), b"\xff" * sizes[0]]


def _has_reference(adapter: type[CoreAdapter], key: bytes, size: int) -> bool:
    """Whether the reference gives a result; one of a user may be for few lengths."""
    try:
        adapter.reference(key, bytes(size))
    except Exception:  # noqa: BLE001 - foreign code
        return False
    return True


_WORKLOAD_SEED = 20050217


@dataclass(frozen=True, slots=True)
class MessageClocks:
    """Clocks of a message of one length."""

    message_bytes: int
    throughput_clocks: float
    """Between back-to-back messages: slope between a batch and one twice as long."""
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
    """Clocks a message: the slope between the workload's number of messages back to back and twice
    as many."""
    clocks_per_block: float


@dataclass(frozen=True, slots=True)
class PortRecording:
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
    clocks: WorkloadClocks
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
) -> WorkloadClocks:
    """Builds the core, holds it to the messages of `trials`, counts the clocks of its workload.

    `program` is the core if it is built already.
    """
    program = program or compile_core(core, parameters, folder)
    return _clocks(core, parameters, folder, program)


def hold_to_starts(core: Core, parameters: Mapping[str, int], folder: Path, program: Path) -> None:
    """Holds a built core to right results, whatever its registers hold before the reset."""
    plan = first_messages(core, adapter_class(core))
    for number, start in enumerate(STARTS):
        answer = drive(core, parameters, folder, program, plan, name=f"start{number}", start=start)
        answer.require_right(core, program)


MANY: Final = 300
"""Short messages back to back, after which a counter of eight bits has run over."""
MANY_WITHIN_CLOCKS: Final = 400
"""Most clocks of a message of cores that are given so many: the run takes some seconds at most."""


def hold_to_many(core: Core, parameters: Mapping[str, int], folder: Path, program: Path) -> None:
    """Holds a built core to right results in a run of many messages of the shortest length."""
    kind = adapter_class(core)
    chance = random.Random(_SEED + 2)  # noqa: S311 - test data
    size = next(filter(None, trial_lengths(core, kind)), 0)
    messages = tuple(chance.randbytes(size) for _ in range(MANY))
    plan = [KeyedMessages(_keys(kind, chance)[0], messages)]
    drive(core, parameters, folder, program, plan, name="many").require_right(core, program)


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
        sent = _random_messages(3 * messages, length, _WORKLOAD_SEED + length)
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
    texts = _random_messages(3 * number + 1, core.workload.message_bytes, _WORKLOAD_SEED + 1)
    texts_of = (texts[:1], texts[1 : 1 + number], texts[1 + number :])
    adapter = adapter_class(core)
    plan = [KeyedMessages(_key(adapter), tuple(batch)) for batch in texts_of]
    answer = drive(
        core, parameters, folder, program, [*plan, *trials(core, adapter)], name="clocks"
    )
    answer.require_right(core, program)
    alone, once, twice = answer.batches[: len(plan)]
    message_clocks = (twice.clocks - once.clocks) / number
    return WorkloadClocks(
        key_clocks=twice.key_clocks,
        latency_clocks=alone.latency_clocks,
        message_clocks=message_clocks,
        clocks_per_block=message_clocks / core.workload.blocks_per_message,
    )


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
