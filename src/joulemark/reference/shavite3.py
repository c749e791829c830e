# SPDX-License-Identifier: Apache-2.0
"""SHAvite-3 as in the second round of the SHA-3 competition (Biham and Dunkelman, 2009).

AES is that of FIPS 197, and words are little-endian. Four words are one number of 128 bits here,
big-endian, as AES's reference takes a block: the first byte is the highest.
"""

from __future__ import annotations

from functools import cache

from joulemark.reference.aes import keyless_round

__all__ = ["shavite3"]

_ALL = (1 << 128) - 1


def _quad(*words: int) -> int:
    return int.from_bytes(b"".join(word.to_bytes(4, "little") for word in words), "big")


def _quads(data: bytes) -> list[int]:
    return [int.from_bytes(data[at : at + 16], "big") for at in range(0, len(data), 16)]


def _counter_256(bits: int) -> dict[int, int]:
    """What is added to subkeys, by their number: the counter's words in four orders."""
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


def _subkeys(block: bytes, counter: dict[int, int], count: int) -> list[int]:
    """Subkeys of four words: the block, as many nonlinear ones, as many linear ones, and so on.

    A nonlinear one adds its predecessor to AES of an earlier one. In a linear one each word adds
    the word 3 (SHAvite-3-256) or 7 (SHAvite-3-512) before, which may be in the subkey itself.
    """
    keys = _quads(block)
    size = len(keys)
    for i in range(size, count):
        back, before = keys[i - size], keys[i - 1]
        if i // size % 2:
            rotated = (back << 32 | back >> 96) & _ALL
            keys.append(keyless_round(rotated) ^ before ^ counter.get(i, 0))
        elif size == 8:
            keys.append(back ^ (keys[i - 2] << 32 & _ALL | before >> 96))
        else:
            mixed = back ^ (before << 32 & _ALL)
            keys.append(mixed ^ mixed >> 96)
    return keys


def _feistel(x: int, keys: list[int]) -> int:
    for key in keys:
        x = keyless_round(x ^ key)
    return x


def _compress_256(chain: list[int], block: bytes, bits: int) -> list[int]:
    keys = _subkeys(block, _counter_256(bits), 36)
    left, right = chain
    for at in range(0, 36, 3):
        left, right = right, left ^ _feistel(right, keys[at : at + 3])
    return [left ^ chain[0], right ^ chain[1]]


def _compress_512(chain: list[int], block: bytes, bits: int) -> list[int]:
    keys = _subkeys(block, _counter_512(bits), 112)
    a, b, c, d = chain
    for at in range(0, 112, 8):
        a, b, c, d = (
            d,
            a ^ _feistel(b, keys[at : at + 4]),
            b,
            c ^ _feistel(d, keys[at + 4 : at + 8]),
        )
    return [new ^ old for new, old in zip((a, b, c, d), chain, strict=True)]


_COMPRESS = {32: _compress_256, 64: _compress_512}


@cache
def _initial(output_bytes: int) -> list[int]:
    """The digest's length in bits, compressed into what becomes of zeros."""
    compress = _COMPRESS[output_bytes]
    zeros = compress([0] * (output_bytes // 16), bytes(2 * output_bytes), 0)
    length = (8 * output_bytes).to_bytes(2, "little")
    return compress(zeros, length + bytes(2 * output_bytes - 2), 0)


def shavite3(message: bytes, output_bytes: int) -> bytes:
    """SHAvite-3-256 or SHAvite-3-512, without salt.

    Args:
        message: any number of bytes.
        output_bytes: 32 or 64.

    Example:
        >>> shavite3(b"", 32).hex()[:16]
        '08c5825af2e9e594'
    """
    block_bytes, length_bytes = 2 * output_bytes, output_bytes // 4
    bits = 8 * len(message)
    zeros = -(len(message) + 1 + length_bytes + 2) % block_bytes
    padded = message + b"\x80" + bytes(zeros) + bits.to_bytes(length_bytes, "little")
    padded += (8 * output_bytes).to_bytes(2, "little")
    chain = _initial(output_bytes)
    for at in range(0, len(padded), block_bytes):
        # A block counts the message's bits up to its end, and nothing if it has none of them.
        counter = min(8 * (at + block_bytes), bits) if 8 * at < bits else 0
        chain = _COMPRESS[output_bytes](chain, padded[at : at + block_bytes], counter)
    return b"".join(quad.to_bytes(16, "big") for quad in chain)
