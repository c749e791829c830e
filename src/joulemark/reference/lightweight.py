# SPDX-License-Identifier: Apache-2.0
"""MACs and hashes for small machines: Ascon, Chaskey and SipHash."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from joulemark.errors import UsageError
from joulemark.reference.block_ciphers import double
from joulemark.reference.words import rotate_left

# Ascon-Hash256 (NIST SP 800-232) and Ascon-Hash of Ascon v1.2, and the permutation of both.
#
# The S-box is in the algebraic normal form of the standard (section 3.3), for all columns at
# once.

_MASK = (1 << 64) - 1
_ROUNDS = 12
_RATE_BYTES = 8
_DIGEST_WORDS = 4


def _diffuse(word: int, first: int, second: int) -> int:
    """The sum, bit by bit, of a word and two of its rotations to the right."""
    twice = word << 64 | word
    return (word ^ twice >> first ^ twice >> second) & _MASK


def permute(state: list[int]) -> list[int]:
    """Ascon-p with 12 rounds: constant, S-boxes of all columns, then the diffusion of each word."""
    for index in range(_ROUNDS):
        a, b, c, d, e = state
        c ^= (0xF - index) << 4 | index
        state = [
            _diffuse((e & b) ^ d ^ (c & b) ^ c ^ (b & a) ^ b ^ a, 19, 28),
            _diffuse(e ^ (d & c) ^ (d & b) ^ d ^ (c & b) ^ c ^ b ^ a, 61, 39),
            _diffuse((e & d) ^ e ^ c ^ b ^ _MASK, 1, 6),
            _diffuse((e & a) ^ e ^ (d & a) ^ d ^ c ^ b ^ a, 10, 17),
            _diffuse((e & b) ^ e ^ d ^ (b & a) ^ b, 7, 41),
        ]
    return state


def _sponge(start_word: int, message: bytes, first: int, order: Literal["little", "big"]) -> bytes:
    state = permute([start_word, 0, 0, 0, 0])
    padded = message + bytes([first]) + bytes(-(len(message) + 1) % _RATE_BYTES)
    for at in range(0, len(padded), _RATE_BYTES):
        state[0] ^= int.from_bytes(padded[at : at + _RATE_BYTES], order)
        state = permute(state)
    digest = [state[0]]
    while len(digest) < _DIGEST_WORDS:
        state = permute(state)
        digest.append(state[0])
    return b"".join(word.to_bytes(_RATE_BYTES, order) for word in digest)


def ascon_hash256(message: bytes) -> bytes:
    """Digest of 32 bytes; words are read with their lowest byte first.

    Example:
        >>> ascon_hash256(b"").hex()[:16]
        '0b3be5850f2f6b98'
    """
    return _sponge(0x0000080100CC0002, message, 0x01, "little")


def ascon_hash_v12(message: bytes) -> bytes:
    """Digest of 32 bytes by v1.2, which reads words with their highest byte first.

    Example:
        >>> ascon_hash_v12(b"").hex()[:16]
        '7346bc14f036e87a'
    """
    return _sponge(0x00400C0000000100, message, 0x80, "big")


# Ascon-Mac and Ascon-Prf (Dobraunig and others, 2021), with Ascon v1.2's permutation.

_KEY_BYTES = 16
_MAC_RATE_BYTES = 32


# Key bits 128, output rate 128, 0x80 | 12 rounds, then the length of the output in bits: of
# Ascon-Mac 128, of Ascon-Prf 0, because it is not fixed.
_MAC_START_WORD = 0x80808C0000000080
_PRF_START_WORD = 0x80808C0000000000


def _ascon_tag(start_word: int, name: str, key: bytes, message: bytes) -> bytes:
    if len(key) != _KEY_BYTES:
        raise UsageError(f"An {name} key has {_KEY_BYTES} bytes, not {len(key)}.")
    padded = message + b"\x80" + bytes(-(len(message) + 1) % _MAC_RATE_BYTES)
    key_words = [int.from_bytes(key[i : i + 8], "big") for i in (0, 8)]
    state = permute([start_word, *key_words, 0, 0])
    for start in range(0, len(padded), _MAC_RATE_BYTES):
        for word in range(4):
            part = padded[start + 8 * word : start + 8 * word + 8]
            state[word] ^= int.from_bytes(part, "big")
        if start + _MAC_RATE_BYTES == len(padded):
            state[4] ^= 1  # parts the last block from those before it
        state = permute(state)
    return b"".join(word.to_bytes(8, "big") for word in state[:2])


def ascon_mac(key: bytes, message: bytes) -> bytes:
    """Tag of 16 bytes under a key of 16 bytes.

    Example:
        >>> ascon_mac(bytes(range(16)), b"").hex()
        'eb1af688825d66bf2d53e135f9323315'
    """
    return _ascon_tag(_MAC_START_WORD, "Ascon-Mac", key, message)


def ascon_prf(key: bytes, message: bytes) -> bytes:
    """The first 16 bytes of the output: as Ascon-Mac, which fixes its length beforehand.

    Example:
        >>> ascon_prf(bytes(range(16)), b"").hex()
        '2a766fe9a4894073bc811b19d54ac33d'
    """
    return _ascon_tag(_PRF_START_WORD, "Ascon-Prf", key, message)


# Chaskey of any number of rounds (Mouha et al., 2014).

_WORD = 0xFFFFFFFF
_BLOCK_BYTES = 16


def _permute(block: int, rounds: int) -> int:
    """The permutation of figure 1: word 0 has the lowest bits of the block."""
    v0, v1, v2, v3 = (block >> 32 * i & _WORD for i in range(4))
    for _ in range(rounds):
        v0 = (v0 + v1) & _WORD
        v1 = rotate_left(v1, 5) ^ v0
        v0 = rotate_left(v0, 16)
        v2 = (v2 + v3) & _WORD
        v3 = rotate_left(v3, 8) ^ v2
        v0 = (v0 + v3) & _WORD
        v3 = rotate_left(v3, 13) ^ v0
        v2 = (v2 + v1) & _WORD
        v1 = rotate_left(v1, 7) ^ v2
        v2 = rotate_left(v2, 16)
    return v0 | v1 << 32 | v2 << 64 | v3 << 96


def chaskey(key: bytes, message: bytes, rounds: int) -> bytes:
    """Tag of 16 bytes under a key of 16 bytes; 8 or 12 rounds, or 16 for Chaskey-LTS.

    The last block is completed with a bit 1 and zeros if need be. A subkey is added to it, before
    and after the permutation: twice the key if the block was whole, four times the key if not.

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


# SipHash (Aumasson and Bernstein, 2012) and HalfSipHash, in several sizes of rounds and tags.


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
        return rotate_left(word, count, 8 * self.words.size_bytes)

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


def _siphash_tag(
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

    The key has 16 bytes. The longer tag starts from v1 xor 0xee, uses 0xee instead of 0xff before
    the finalisation and takes its second half after v1 xor 0xdd and four more rounds.

    Example:
        >>> siphash_2_4(bytes(range(16)), bytes(range(15))).hex()
        'e545be4961ca29a1'
    """
    return _siphash_tag(_SIPHASH, (2, 4), key, message, output_bytes)


def siphash_1_3(key: bytes, message: bytes) -> bytes:
    """Tag of 8 bytes: as SipHash-2-4, with one round after each word and three at the end.

    Example:
        >>> siphash_1_3(bytes(range(16)), b"").hex()
        'dcc40f055801acab'
    """
    return _siphash_tag(_SIPHASH, (1, 3), key, message, 8)


def halfsiphash_2_4(key: bytes, message: bytes, output_bytes: int = 4) -> bytes:
    """Tag of 4 or 8 bytes under a key of 8, as in the authors' reference implementation.

    Example:
        >>> halfsiphash_2_4(bytes(range(8)), b"").hex()
        'a9359f5b'
    """
    return _siphash_tag(_HALFSIPHASH, (2, 4), key, message, output_bytes)
