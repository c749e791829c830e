# SPDX-License-Identifier: Apache-2.0
"""Ascon-Mac and Ascon-Prf (Dobraunig and others, 2021), with Ascon v1.2's permutation."""

from __future__ import annotations

from joulemark.errors import UsageError

__all__ = ["ascon_mac", "ascon_prf"]

_MASK = (1 << 64) - 1
_KEY_BYTES = 16
_RATE_BYTES = 32
_ROUNDS = 12
# Key bits 128, output rate 128, 0x80 | 12 rounds, then the length of the output in bits: of
# Ascon-Mac 128, of Ascon-Prf 0, because it is not fixed.
_MAC_START_WORD = 0x80808C0000000080
_PRF_START_WORD = 0x80808C0000000000
_ROTATIONS = ((19, 28), (61, 39), (1, 6), (10, 17), (7, 41))
_SBOX = (
    0x04, 0x0B, 0x1F, 0x14, 0x1A, 0x15, 0x09, 0x02, 0x1B, 0x05, 0x08, 0x12, 0x1D, 0x03, 0x06, 0x1C,
    0x1E, 0x13, 0x07, 0x0E, 0x00, 0x0D, 0x11, 0x18, 0x10, 0x0C, 0x01, 0x19, 0x16, 0x0A, 0x0F, 0x17,
)  # fmt: skip
"""Table 5 of the Ascon v1.2 paper; x0 is the input's and output's highest bit."""


def _rotate_right(word: int, count: int) -> int:
    return (word >> count | word << (64 - count)) & _MASK


def _permutation(state: list[int]) -> list[int]:
    """Ascon-p with 12 rounds: constant, 64 S-boxes side by side, then each word's diffusion."""
    for index in range(_ROUNDS):
        state[2] ^= (0xF - index) << 4 | index
        # Which of the 64 columns have each of the 32 values: one mask a value, no two overlap.
        masks = [_MASK]
        for word in state:
            masks = [part for mask in masks for part in (mask & ~word, mask & word)]
        words = [
            sum(mask for mask, output in zip(masks, _SBOX, strict=True) if output >> (4 - row) & 1)
            for row in range(5)
        ]
        state = [
            word ^ _rotate_right(word, one) ^ _rotate_right(word, two)
            for word, (one, two) in zip(words, _ROTATIONS, strict=True)
        ]
    return state


def _tag(start_word: int, name: str, key: bytes, message: bytes) -> bytes:
    if len(key) != _KEY_BYTES:
        raise UsageError(f"An {name} key has {_KEY_BYTES} bytes, not {len(key)}.")
    padded = message + b"\x80" + bytes(-(len(message) + 1) % _RATE_BYTES)
    key_words = [int.from_bytes(key[i : i + 8], "big") for i in (0, 8)]
    state = _permutation([start_word, *key_words, 0, 0])
    for start in range(0, len(padded), _RATE_BYTES):
        for word in range(4):
            part = padded[start + 8 * word : start + 8 * word + 8]
            state[word] ^= int.from_bytes(part, "big")
        if start + _RATE_BYTES == len(padded):
            state[4] ^= 1  # parts the last block from those before it
        state = _permutation(state)
    return b"".join(word.to_bytes(8, "big") for word in state[:2])


def ascon_mac(key: bytes, message: bytes) -> bytes:
    """Tag of 16 bytes.

    Args:
        key: 16 bytes.
        message: any number of bytes.

    Raises:
        UsageError: the key has another length.

    Example:
        >>> ascon_mac(bytes(range(16)), b"").hex()
        'eb1af688825d66bf2d53e135f9323315'
    """
    return _tag(_MAC_START_WORD, "Ascon-Mac", key, message)


def ascon_prf(key: bytes, message: bytes) -> bytes:
    """The first 16 bytes of the output: as Ascon-Mac, which fixes its length beforehand.

    Example:
        >>> ascon_prf(bytes(range(16)), b"").hex()
        '2a766fe9a4894073bc811b19d54ac33d'
    """
    return _tag(_PRF_START_WORD, "Ascon-Prf", key, message)
