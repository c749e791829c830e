# SPDX-License-Identifier: Apache-2.0
"""SHAvite-3 (Biham and Dunkelman), of the SHA-3 competition's second round, and two other versions.

AES is that of FIPS 197, and words are little-endian. Four words are one number of 128 bits here,
big-endian, as AES's reference takes a block: the first byte is the highest.

The name means the specification of 2009. The code that its authors submitted with it reverses the
bytes of each word in AES, and so do the competition's known answers. In October 2010 the authors
tweaked SHAvite-3-512: 16 rounds instead of 14, and the counter twice as often.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from joulemark.reference.aes import keyless_round

_ALL = (1 << 128) - 1


def _quad(*words: int) -> int:
    return int.from_bytes(b"".join(word.to_bytes(4, "little") for word in words), "big")


def _quads(data: bytes) -> list[int]:
    return [int.from_bytes(data[at : at + 16], "big") for at in range(0, len(data), 16)]


def _counter_256(bits: int) -> dict[int, int]:
    """Number of a subkey -> the number that is added to it: the counter's words in four orders."""
    low, high = bits & 0xFFFFFFFF, bits >> 32 & 0xFFFFFFFF
    not_low, not_high = low ^ 0xFFFFFFFF, high ^ 0xFFFFFFFF
    return {
        4: _quad(low, not_high, 0, 0),
        14: _quad(0, high, not_low, 0),
        21: _quad(0, 0, high, not_low),
        31: _quad(low, 0, 0, not_high),
    }


def _counter_512(bits: int) -> dict[int, int]:
    a, b, c, d = ((bits >> shift) & 0xFFFFFFFF for shift in (0, 32, 64, 96))
    inverted = 0xFFFFFFFF
    return {
        8: _quad(a, b, c, d ^ inverted),
        41: _quad(d, c, b, a ^ inverted),
        79: _quad(c, d, a, b ^ inverted),
        110: _quad(b, a, d, c ^ inverted),
    }


def _counter_tweaked(bits: int) -> dict[int, int]:
    """As `_counter_512`, and between those subkeys the same words with all bits inverted."""
    added = _counter_512(bits)
    between = zip((28, 61, 91, 122), added.values(), strict=True)
    return added | {place: words ^ _ALL for place, words in between}


def _round_of_reversed_words(block: int) -> int:
    """A round of AES on words whose bytes are in the other order."""
    return _reverse_words(keyless_round(_reverse_words(block)))


def _reverse_words(block: int) -> int:
    words = block.to_bytes(16, "big")
    return int.from_bytes(b"".join(words[at : at + 4][::-1] for at in (0, 4, 8, 12)), "big")


@dataclass(frozen=True)
class Version:
    """The differences between the versions of SHAvite-3."""

    aes: Callable[[int], int] = keyless_round
    counter_512: Callable[[int], dict[int, int]] = _counter_512
    rounds_512: int = 14


SECOND_ROUND = Version()
CODE_OF_2009 = Version(aes=_round_of_reversed_words)
TWEAK_OF_2010 = Version(counter_512=_counter_tweaked, rounds_512=16)
"""The tweak of SHAvite-3-512; SHAvite-3-256 stayed the same."""


@dataclass(frozen=True)
class _Cipher:
    """The block cipher of one version under one block of the message and its counter."""

    version: Version
    block: bytes
    bits: int

    def subkeys(self, counter: dict[int, int], count: int) -> list[int]:
        """Subkeys of four words: the block, then in turns as many nonlinear and linear subkeys.

        A nonlinear subkey is the sum of its predecessor and AES of an earlier subkey. In a linear
        subkey each word adds the word 3 (SHAvite-3-256) or 7 (SHAvite-3-512) before, which may be
        in the same subkey.
        """
        keys = _quads(self.block)
        size = len(keys)
        for i in range(size, count):
            back, before = keys[i - size], keys[i - 1]
            if i // size % 2:
                rotated = (back << 32 | back >> 96) & _ALL
                keys.append(self.version.aes(rotated) ^ before ^ counter.get(i, 0))
            elif size == 8:
                keys.append(back ^ (keys[i - 2] << 32 & _ALL | before >> 96))
            else:
                mixed = back ^ (before << 32 & _ALL)
                keys.append(mixed ^ mixed >> 96)
        return keys

    def feistel(self, x: int, keys: list[int]) -> int:
        """The round function: adds each subkey in turn and applies AES."""
        for key in keys:
            x = self.version.aes(x ^ key)
        return x

    def encrypt_256(self, left: int, right: int) -> list[int]:
        """Two halves after twelve rounds."""
        keys = self.subkeys(_counter_256(self.bits), 36)
        for at in range(0, len(keys), 3):
            left, right = right, left ^ self.feistel(right, keys[at : at + 3])
        return [left, right]

    def encrypt_512(self, a: int, b: int, c: int, d: int) -> list[int]:
        """Four quarters after all rounds."""
        keys = self.subkeys(self.version.counter_512(self.bits), 8 * self.version.rounds_512)
        for at in range(0, len(keys), 8):
            new_b = a ^ self.feistel(b, keys[at : at + 4])
            new_d = c ^ self.feistel(d, keys[at + 4 : at + 8])
            a, b, c, d = d, new_b, b, new_d
        return [a, b, c, d]


def _compress(chain: list[int], version: Version, block: bytes, bits: int) -> list[int]:
    cipher = _Cipher(version, block, bits)
    encrypt = cipher.encrypt_256 if len(chain) == 2 else cipher.encrypt_512
    return [new ^ old for new, old in zip(encrypt(*chain), chain, strict=True)]


@cache
def _initial(output_bytes: int, version: Version) -> list[int]:
    """Compresses zeros, and into the result a block with the digest's length in bits."""
    block_bytes = 2 * output_bytes
    zeros = _compress([0] * (output_bytes // 16), version, bytes(block_bytes), 0)
    length = (8 * output_bytes).to_bytes(2, "little")
    return _compress(zeros, version, length + bytes(block_bytes - 2), 0)


def shavite3(message: bytes, output_bytes: int, version: Version = SECOND_ROUND) -> bytes:
    """SHAvite-3-256 or SHAvite-3-512, without salt.

    Args:
        message: any number of bytes.
        output_bytes: 32 or 64.
        version: SECOND_ROUND, CODE_OF_2009 or TWEAK_OF_2010.

    Example:
        >>> shavite3(b"", 32).hex()[:16]
        '08c5825af2e9e594'
    """
    block_bytes, length_bytes = 2 * output_bytes, output_bytes // 4
    bits = 8 * len(message)
    zeros = -(len(message) + 1 + length_bytes + 2) % block_bytes
    padded = message + b"\x80" + bytes(zeros) + bits.to_bytes(length_bytes, "little")
    padded += (8 * output_bytes).to_bytes(2, "little")
    chain = _initial(output_bytes, version)
    for at in range(0, len(padded), block_bytes):
        # The counter of a block is the message's bits up to its end, or 0 if it has none of them.
        counter = min(8 * (at + block_bytes), bits) if 8 * at < bits else 0
        chain = _compress(chain, version, padded[at : at + block_bytes], counter)
    return b"".join(quad.to_bytes(16, "big") for quad in chain)
