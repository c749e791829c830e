# SPDX-License-Identifier: Apache-2.0
"""VMAC over AES-128 (draft-krovetz-vmac-01)."""

from __future__ import annotations

from functools import cache
from itertools import count
from struct import unpack

from joulemark.reference.aes import BLOCK_BYTES, encrypt_block

_L1_BYTES = 128
"""L1KEYLEN in bytes: the longest block of NH."""
_P127 = (1 << 127) - 1
_P64 = (1 << 64) - 257
_DIVISOR = (1 << 64) - (1 << 32)
_POLYNOMIAL_MASK = 0x1FFFFFFF1FFFFFFF1FFFFFFF1FFFFFFF
_WORD = (1 << 64) - 1
_NONCE = bytes(8)


def _derive(key: bytes, index: int, number: int) -> tuple[int, int]:
    """Block `number` of the key stream that `index` names (section 3.2), as two words."""
    block = encrypt_block(key, bytes([index]) + number.to_bytes(BLOCK_BYTES - 1))
    return int.from_bytes(block[:8]), int.from_bytes(block[8:])


@cache
def _nh_key(key: bytes) -> list[int]:
    """Words of NH's key, two more than a block has: the second word of a tag skips two of them."""
    return [word for i in range(_L1_BYTES // BLOCK_BYTES + 1) for word in _derive(key, 0x80, i)]


@cache
def _last_keys(key: bytes) -> list[tuple[int, int]]:
    """The pairs of the last layer (section 5.5): the first two with both words below p64."""
    pairs = (_derive(key, 0xE0, i) for i in count())
    return [next(pair for pair in pairs if max(pair) < _P64) for _ in range(2)]


def _nh(key: list[int], block: bytes) -> int:
    """NH (section 5.3) of up to 128 bytes."""
    padded = block + bytes(-len(block) % BLOCK_BYTES)
    m: tuple[int, ...] = unpack(f"<{len(padded) // 8}Q", padded)
    total = sum(
        ((m[i] + key[i]) & _WORD) * ((m[i + 1] + key[i + 1]) & _WORD) for i in range(0, len(m), 2)
    )
    return total % (1 << 126)


def _vhash(key: bytes, message: bytes, word: int) -> int:
    """One word of VHASH (section 5)."""
    nh_key = _nh_key(key)[2 * word :]
    high, low = _derive(key, 0xC0, word)
    k = (high << 64 | low) & _POLYNOMIAL_MASK
    y = 1 if message else k
    for at in range(0, len(message), _L1_BYTES):
        y = (y * k + _nh(nh_key, message[at : at + _L1_BYTES])) % _P127
    y = (y + (8 * (len(message) % _L1_BYTES) << 64)) % _P127
    quotient, remainder = divmod(y, _DIVISOR)
    k1, k2 = _last_keys(key)[word]
    return (k1 + quotient) * (k2 + remainder) % _P64


def vmac(key: bytes, message: bytes, nonce: bytes = _NONCE, *, tag_bytes: int) -> bytes:
    """Tag of 8 or 16 bytes; no two messages may have the same nonce under one key.

    Args:
        key: AES key of 16 bytes.
        message: any number of bytes.
        nonce: 1 to 15 bytes, completed in front with zeros; zeros are for tests alone.
        tag_bytes: 8 or 16.

    Example:
        >>> vmac(b"abcdefghijklmnop", b"abc", b"bcdefghi", tag_bytes=8).hex()
        '2d376cf5b1813ce5'
    """
    number = int.from_bytes(nonce)
    words = tag_bytes // 8
    chosen = number % 2 if words == 1 else 0
    pad = encrypt_block(key, (number - chosen).to_bytes(BLOCK_BYTES))[8 * chosen :]
    return b"".join(
        ((_vhash(key, message, i) + int.from_bytes(pad[8 * i : 8 * i + 8])) & _WORD).to_bytes(8)
        for i in range(words)
    )
