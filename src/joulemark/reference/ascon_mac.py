# SPDX-License-Identifier: Apache-2.0
"""Ascon-Mac and Ascon-Prf (Dobraunig and others, 2021), with Ascon v1.2's permutation."""

from __future__ import annotations

from joulemark.errors import UsageError
from joulemark.reference.ascon_hash import permute

_KEY_BYTES = 16
_RATE_BYTES = 32
# Key bits 128, output rate 128, 0x80 | 12 rounds, then the length of the output in bits: of
# Ascon-Mac 128, of Ascon-Prf 0, because it is not fixed.
_MAC_START_WORD = 0x80808C0000000080
_PRF_START_WORD = 0x80808C0000000000


def _tag(start_word: int, name: str, key: bytes, message: bytes) -> bytes:
    if len(key) != _KEY_BYTES:
        raise UsageError(f"An {name} key has {_KEY_BYTES} bytes, not {len(key)}.")
    padded = message + b"\x80" + bytes(-(len(message) + 1) % _RATE_BYTES)
    key_words = [int.from_bytes(key[i : i + 8], "big") for i in (0, 8)]
    state = permute([start_word, *key_words, 0, 0])
    for start in range(0, len(padded), _RATE_BYTES):
        for word in range(4):
            part = padded[start + 8 * word : start + 8 * word + 8]
            state[word] ^= int.from_bytes(part, "big")
        if start + _RATE_BYTES == len(padded):
            state[4] ^= 1  # parts the last block from those before it
        state = permute(state)
    return b"".join(word.to_bytes(8, "big") for word in state[:2])


def ascon_mac(key: bytes, message: bytes) -> bytes:
    """Tag of 16 bytes.

    Args:
        key: 16 bytes.
        message: any number of bytes.

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
