# SPDX-License-Identifier: Apache-2.0
"""Chaskey of any number of rounds (Mouha et al., 2014)."""

from __future__ import annotations

from joulemark.errors import UsageError
from joulemark.reference.cmac import double
from joulemark.reference.words import rotate_left

_MASK = 0xFFFFFFFF
_KEY_BYTES = _BLOCK_BYTES = 16


def _permute(block: int, rounds: int) -> int:
    """The permutation of figure 1: word 0 has the lowest bits of the block."""
    v0, v1, v2, v3 = (block >> 32 * i & _MASK for i in range(4))
    for _ in range(rounds):
        v0 = (v0 + v1) & _MASK
        v1 = rotate_left(v1, 5) ^ v0
        v0 = rotate_left(v0, 16)
        v2 = (v2 + v3) & _MASK
        v3 = rotate_left(v3, 8) ^ v2
        v0 = (v0 + v3) & _MASK
        v3 = rotate_left(v3, 13) ^ v0
        v2 = (v2 + v1) & _MASK
        v1 = rotate_left(v1, 7) ^ v2
        v2 = rotate_left(v2, 16)
    return v0 | v1 << 32 | v2 << 64 | v3 << 96


def chaskey(key: bytes, message: bytes, rounds: int) -> bytes:
    """Tag of 16 bytes.

    The last block is completed with a bit 1 and zeros if need be. A subkey is added to it, before
    and after the permutation: twice the key if the block was whole, four times the key if not.

    Args:
        key: 16 bytes.
        message: any number of bytes.
        rounds: 8, 12, or 16 for Chaskey-LTS.

    Example:
        >>> key = bytes.fromhex("33343d839f389f004fe6982339cf7a41")
        >>> chaskey(key, b"", 8).hex()
        'e58f2e79aa87ce75b550142d0b979111'
    """
    if len(key) != _KEY_BYTES:
        raise UsageError(f"A Chaskey key has {_KEY_BYTES} bytes, not {len(key)}.")
    chain = int.from_bytes(key, "little")
    subkey = double(chain)
    last_start = max(len(message) - 1, 0) // _BLOCK_BYTES * _BLOCK_BYTES
    for at in range(0, last_start, _BLOCK_BYTES):
        block = int.from_bytes(message[at : at + _BLOCK_BYTES], "little")
        chain = _permute(chain ^ block, rounds)
    last = message[last_start:]
    if len(last) < _BLOCK_BYTES:
        subkey = double(subkey)
        last += b"\x01"
    chain = _permute(chain ^ int.from_bytes(last, "little") ^ subkey, rounds)
    return (chain ^ subkey).to_bytes(_BLOCK_BYTES, "little")
