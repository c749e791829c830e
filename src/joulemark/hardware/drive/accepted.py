# SPDX-License-Identifier: Apache-2.0
"""Lengths of messages and keys that a core can be given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from joulemark.catalogue.algorithms import algorithms
from joulemark.hardware.bench.adapter import CoreAdapter
from joulemark.hardware.core.manifest import Core
from joulemark.reference import reference_output
from joulemark.units import format_bytes

__all__ = ["LONGEST_BYTES", "FittedKey", "fitted_key", "length_refusal"]

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
    """The key as the core takes it, or why there is none.

    HMAC (RFC 2104, section 2) hashes a key of more than a block and fills up what is shorter with
    zeros. A core may leave either to its user.

    Args:
        core: the core; its algorithm tells whether it computes an HMAC.
        lengths: lengths in bytes of the keys that the core takes, from its adapter.
        key: the key as it was given.
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
