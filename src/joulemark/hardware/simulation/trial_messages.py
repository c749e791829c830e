# SPDX-License-Identifier: Apache-2.0
"""Messages that every core is held to, and lengths of messages and keys that it can be given."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Final

from joulemark.catalogue import algorithms
from joulemark.hardware.bench.adapter import CoreAdapter, adapter_class
from joulemark.hardware.cores import block_bytes
from joulemark.hardware.manifest import Core
from joulemark.hardware.simulation.driving import (
    ONES,
    KeyedMessages,
    RegisterStart,
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
# short, with other keys, after pauses of other lengths, and after resets in the middle of the run:
# of one between messages, and of some in the middle of a message.
# A counter of blocks, bytes or bits may be too narrow: so a message each of more blocks than two,
# three and four bits count, and in `core test` more than five to eight bits do.

_SEED: Final = 20261128
_BLOCKS: Final = 3
_LONG: Final = (5, 9, 17)
"""Blocks of messages that every run has; a counter of bits has run over after fewer."""
LONGER: Final = (33, 65, 129, 257)
"""Blocks of messages of `core test`."""
_USUAL_BLOCK: Final = 16
_PAUSES: Final = (4, 0, 1, 2, 33)
"""Clock periods between batches, one after another."""
_STOPS: Final = (0.0, 0.125, 0.5, 1.0)
"""Parts of the clocks of two messages after which they are given up: after the clock that takes the
first word, in the first block, between, and a clock before the end."""
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
    return _with_reference(adapter, fitting)


def lengths_of_blocks(core: Core, adapter: type[CoreAdapter], numbers: Sequence[int]) -> list[int]:
    """Bytes of so many whole blocks each, where the core and its reference take them."""
    sizes = [number * _block(core, adapter) for number in numbers]
    return _with_reference(adapter, [size for size in sizes if not length_refusal(adapter, size)])


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
    long = lengths_of_blocks(core, adapter, _LONG)
    plan += [(keys[0], (chance.randbytes(size),)) for size in long]
    batches = [
        KeyedMessages(key, sent, _PAUSES[number % len(_PAUSES)] if number else _LONG_PAUSE)
        for number, (key, sent) in enumerate(plan)
    ]
    batches.append(KeyedMessages(keys[0], (messages[-1], messages[0]), reset=True))
    if core.reset is not None:
        for number, part in enumerate(_STOPS):
            sizes = (len(messages[-1 - number % len(messages)]), len(messages[0]))
            sent = tuple(map(chance.randbytes, sizes))
            batches.append(KeyedMessages(keys[0], sent, reset=True, stopped=part))
    return batches


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


def _with_reference(adapter: type[CoreAdapter], sizes: Sequence[int]) -> list[int]:
    """The lengths for which the reference gives a result; one of a user may be for few."""
    key = bytes(adapter.key_bytes[0]) if adapter.key_bytes else b""

    def gives_result(size: int) -> bool:
        try:
            adapter.reference(key, bytes(size))
        except Exception:  # noqa: BLE001 - foreign code
            return False
        return True

    return [size for size in sizes if gives_result(size)]


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


LONG_RUN_CLOCKS: Final = 100_000
"""Most clocks of the messages of `LONGER`: the run takes some seconds at most."""


def hold_to_long(
    core: Core, parameters: Mapping[str, int], folder: Path, program: Path, block_clocks: float
) -> list[int]:
    """Holds a built core to right results of messages of many blocks; their lengths in bytes.

    `block_clocks` are the clocks of a block; longer messages that would take too many are left out.
    """
    kind = adapter_class(core)
    chance = random.Random(_SEED + 3)  # noqa: S311 - test data
    together = zip(LONGER, accumulate(LONGER), strict=True)
    numbers = [number for number, blocks in together if blocks * block_clocks <= LONG_RUN_CLOCKS]
    sizes = lengths_of_blocks(core, kind, numbers)
    if sizes:
        key = _keys(kind, chance)[0]
        plan = [KeyedMessages(key, (chance.randbytes(size),)) for size in sizes]
        drive(core, parameters, folder, program, plan, name="long").require_right(core, program)
    return sizes
