# SPDX-License-Identifier: Apache-2.0
"""BLAKE3 with and without a key, 32 bytes of output (O'Connor and others, 2020)."""

from __future__ import annotations

from dataclasses import dataclass

from joulemark.errors import UsageError
from joulemark.reference.blake import QUARTERS, initial_words
from joulemark.reference.words import bytes_of, rotate_left, words_of

_MASK = 0xFFFFFFFF
_BLOCK_BYTES = 64
_CHUNK_BYTES = 1024
_KEY_BYTES = 32
_CHUNK_START, _CHUNK_END, _PARENT, _ROOT, _KEYED_HASH = 1, 2, 4, 8, 16
_ORDER = (2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8)
"""Table 2: the words of the block in the next round."""
_INITIAL = initial_words(32)


@dataclass(frozen=True)
class _Mode:
    """Table 3: the start of each chunk and each parent, and a flag that all of them have."""

    start: tuple[int, ...]
    flag: int


def _compress(chain: tuple[int, ...], block: bytes, counter: int, flags: int) -> tuple[int, ...]:
    """Section 2.2: the first eight words of the output; a short block is filled with zeros."""
    padded = block.ljust(_BLOCK_BYTES, b"\0")
    words = words_of(padded, "little")
    v = [*chain, *_INITIAL[:4], counter & _MASK, counter >> 32, len(block), flags]
    for _ in range(7):
        for i, (a, b, c, d) in enumerate(QUARTERS):
            for word, first, second in ((words[2 * i], 16, 20), (words[2 * i + 1], 24, 25)):
                v[a] = (v[a] + v[b] + word) & _MASK
                v[d] = rotate_left(v[d] ^ v[a], first)
                v[c] = (v[c] + v[d]) & _MASK
                v[b] = rotate_left(v[b] ^ v[c], second)
        words = [words[i] for i in _ORDER]
    return tuple(v[i] ^ v[i + 8] for i in range(8))


def _tree(mode: _Mode, message: bytes, first_chunk: int, root: int) -> tuple[int, ...]:
    """Sections 2.4 and 2.5: a chunk, or a parent of two subtrees, the left one of 2^k chunks."""
    if len(message) > _CHUNK_BYTES:
        chunks = 1 << ((len(message) - 1) // _CHUNK_BYTES).bit_length() - 1
        cut = chunks * _CHUNK_BYTES
        left = _tree(mode, message[:cut], first_chunk, 0)
        right = _tree(mode, message[cut:], first_chunk + chunks, 0)
        pair = bytes_of(left + right, "little")
        return _compress(mode.start, pair, 0, mode.flag | _PARENT | root)
    chain = mode.start
    starts = range(0, max(len(message), 1), _BLOCK_BYTES)
    for at in starts:
        flags = mode.flag | (_CHUNK_START if at == 0 else 0)
        if at == starts[-1]:
            flags |= _CHUNK_END | root
        chain = _compress(chain, message[at : at + _BLOCK_BYTES], first_chunk, flags)
    return chain


def blake3(message: bytes) -> bytes:
    """Digest of 32 bytes.

    Example:
        >>> blake3(b"").hex()[:16]
        'af1349b9f5f9a1a6'
    """
    return bytes_of(_tree(_Mode(_INITIAL, 0), message, 0, _ROOT), "little")


def blake3_keyed(key: bytes, message: bytes) -> bytes:
    """Tag of 32 bytes: the key's words stand for the initial value, and a flag tells the mode.

    Args:
        key: 32 bytes.
        message: any number of bytes.

    Example:
        >>> blake3_keyed(b"whats the Elvish word for friend", b"").hex()[:16]
        '92b2b75604ed3c76'
    """
    if len(key) != _KEY_BYTES:
        raise UsageError(f"A BLAKE3 key has {_KEY_BYTES} bytes, not {len(key)}.")
    mode = _Mode(tuple(words_of(key, "little")), _KEYED_HASH)
    return bytes_of(_tree(mode, message, 0, _ROOT), "little")
