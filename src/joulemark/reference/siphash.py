# SPDX-License-Identifier: Apache-2.0
"""SipHash (Aumasson and Bernstein, 2012) and HalfSipHash, in several sizes of rounds and tags."""

from __future__ import annotations

from dataclasses import dataclass

from joulemark.errors import UsageError


@dataclass(frozen=True)
class _Words:
    """The differences between words of 64 and of 32 bits."""

    name: str
    size_bytes: int
    start: tuple[bytes, bytes, bytes, bytes]
    """v0 to v3 before the key is added, as big-endian text."""
    counts: tuple[int, int, int, int, int, int]
    """Rotations of figure 2.1: v1, v3, v0 in the first half of a round, then v1, v3, v2."""
    result: tuple[int, ...]
    """Numbers of the words that are added up to a word of the tag."""

    @property
    def mask(self) -> int:
        """All bits of a word."""
        return (1 << 8 * self.size_bytes) - 1


_SIPHASH = _Words(
    "SipHash",
    8,
    (b"somepseu", b"dorandom", b"lygenera", b"tedbytes"),
    (13, 16, 32, 17, 21, 32),
    (0, 1, 2, 3),
)
_HALFSIPHASH = _Words(
    "HalfSipHash", 4, (bytes(4), bytes(4), b"lyge", b"tedb"), (5, 8, 16, 13, 7, 16), (1, 3)
)


class _State:
    """The words v0 to v3 of section 2.1."""

    def __init__(self, words: _Words, key: bytes) -> None:
        size = words.size_bytes
        k = [int.from_bytes(key[i : i + size], "little") for i in (0, size)]
        self.words = words
        self.v = [k[i % 2] ^ int.from_bytes(start, "big") for i, start in enumerate(words.start)]

    def _rotate(self, word: int, count: int) -> int:
        return (word << count | word >> (8 * self.words.size_bytes - count)) & self.words.mask

    def rounds(self, count: int) -> None:
        """Applies SipRound `count` times (figure 2.1 of the paper)."""
        mask = self.words.mask
        c = self.words.counts
        v0, v1, v2, v3 = self.v
        for _ in range(count):
            v0 = (v0 + v1) & mask
            v2 = (v2 + v3) & mask
            v1 = self._rotate(v1, c[0]) ^ v0
            v3 = self._rotate(v3, c[1]) ^ v2
            v0 = self._rotate(v0, c[2])
            v2 = (v2 + v1) & mask
            v0 = (v0 + v3) & mask
            v1 = self._rotate(v1, c[3]) ^ v2
            v3 = self._rotate(v3, c[4]) ^ v0
            v2 = self._rotate(v2, c[5])
        self.v = [v0, v1, v2, v3]

    def absorb(self, word: int, rounds: int) -> None:
        """Compression of one word."""
        self.v[3] ^= word
        self.rounds(rounds)
        self.v[0] ^= word

    def squeeze(self, rounds: int) -> bytes:
        """Finalisation: rounds, then the XOR of words."""
        self.rounds(rounds)
        word = 0
        for i in self.words.result:
            word ^= self.v[i]
        return word.to_bytes(self.words.size_bytes, "little")


def _tag(
    words: _Words, rounds: tuple[int, int], key: bytes, message: bytes, output_bytes: int
) -> bytes:
    size = words.size_bytes
    if len(key) != 2 * size:
        raise UsageError(f"A {words.name} key has {2 * size} bytes, not {len(key)}.")
    if output_bytes not in (size, 2 * size):
        raise UsageError(f"A {words.name} tag has {size} or {2 * size} bytes, not {output_bytes}.")
    long_tag = output_bytes == 2 * size
    state = _State(words, key)
    if long_tag:
        state.v[1] ^= 0xEE
    whole = len(message) // size * size
    for i in range(0, whole, size):
        state.absorb(int.from_bytes(message[i : i + size], "little"), rounds[0])
    length = (len(message) & 0xFF) << 8 * (size - 1)
    state.absorb(int.from_bytes(message[whole:], "little") | length, rounds[0])
    state.v[2] ^= 0xEE if long_tag else 0xFF
    tag = state.squeeze(rounds[1])
    if long_tag:
        state.v[1] ^= 0xDD
        tag += state.squeeze(rounds[1])
    return tag


def siphash_2_4(key: bytes, message: bytes, output_bytes: int = 8) -> bytes:
    """Tag of 8 bytes as in the paper, or of 16 as in the authors' reference implementation.

    The longer tag starts from v1 xor 0xee, uses 0xee instead of 0xff before the finalisation and
    takes its second half after v1 xor 0xdd and four more rounds.

    Args:
        key: 16 bytes.
        message: any number of bytes.
        output_bytes: 8 or 16.

    Example:
        >>> siphash_2_4(bytes(range(16)), bytes(range(15))).hex()
        'e545be4961ca29a1'
    """
    return _tag(_SIPHASH, (2, 4), key, message, output_bytes)


def siphash_1_3(key: bytes, message: bytes) -> bytes:
    """Tag of 8 bytes: as SipHash-2-4, with one round after each word and three at the end.

    Example:
        >>> siphash_1_3(bytes(range(16)), b"").hex()
        'dcc40f055801acab'
    """
    return _tag(_SIPHASH, (1, 3), key, message, 8)


def halfsiphash_2_4(key: bytes, message: bytes, output_bytes: int = 4) -> bytes:
    """Tag of 4 or 8 bytes under a key of 8, as in the authors' reference implementation.

    Example:
        >>> halfsiphash_2_4(bytes(range(8)), b"").hex()
        'a9359f5b'
    """
    return _tag(_HALFSIPHASH, (2, 4), key, message, output_bytes)
