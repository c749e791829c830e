# SPDX-License-Identifier: Apache-2.0
"""Messages that every core is held to, whatever its workload: lengths, orders, keys, resets.

A core may be right for the one length of its workload and wrong for every message of two blocks.
So messages have lengths round the ends of one, two and three blocks, and round those at which
padding needs another block; they come alone and back to back, short after long and long after
short, with other keys, after pauses of other lengths, and after a reset in the middle of the run.
"""

from __future__ import annotations

import random
from typing import Final

from joulemark.hardware.bench.adapter import CoreAdapter
from joulemark.hardware.core.manifest import Core
from joulemark.hardware.core.shipped import block_bytes
from joulemark.hardware.drive.accepted import length_refusal
from joulemark.hardware.drive.driving import ONES, KeyedMessages, RegisterStart, random_start

__all__ = ["STARTS", "first_messages", "trial_lengths", "trials"]

_SEED: Final = 20261128
_BLOCKS: Final = 3
_USUAL_BLOCK: Final = 16
_PAUSES: Final = (4, 0, 1, 2, 33)
"""Clock periods between batches, one after another."""
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
        KeyedMessages(key, sent, _PAUSES[number % len(_PAUSES)])
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
