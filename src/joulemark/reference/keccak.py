# SPDX-License-Identifier: Apache-2.0
"""Keccak and what is built on it: the hash of the SHA-3 competition, KMAC, KT128.

Words are Python's integers, and constants are computed as the standard defines them.
"""

from __future__ import annotations

from functools import cache

from joulemark.reference.words import rotate_left

# Keccak-p[1600] and the sponge over it (FIPS 202), with the paddings of the SHA-3 competition.

_WORDS = 25


@cache
def _round_constants() -> tuple[int, ...]:
    """Algorithm 5: bit 2^j - 1 of round i's constant is output 7i + j of a shift register."""
    register, outputs = 1, []
    for _ in range(7 * 24):
        outputs.append(register & 1)
        register = (register << 1) ^ (0x171 if register & 0x80 else 0)
    return tuple(sum(outputs[7 * i + j] << ((1 << j) - 1) for j in range(7)) for i in range(24))


@cache
def _moves() -> tuple[tuple[int, int, int], ...]:
    """Algorithms 2 and 3 together: old place, new place and rotation of each word.

    The walk of algorithm 2 leads from each word to the place that algorithm 3 moves it to.
    """
    moves, x, y = [(0, 0, 0)], 1, 0
    for t in range(24):
        after = y, (2 * x + 3 * y) % 5
        moves.append((x + 5 * y, after[0] + 5 * after[1], (t + 1) * (t + 2) // 2 % 64))
        x, y = after
    return tuple(moves)


def _permute(a: list[int], rounds: int) -> list[int]:
    for constant in _round_constants()[-rounds:]:
        parity = [a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20] for x in range(5)]
        effect = [parity[x - 1] ^ rotate_left(parity[(x + 1) % 5], 1, 64) for x in range(5)]
        b = [0] * _WORDS
        for whence, whither, count in _moves():
            b[whither] = rotate_left(a[whence] ^ effect[whence % 5], count, 64)
        a = [
            b[i] ^ (~b[i - i % 5 + (i + 1) % 5] & b[i - i % 5 + (i + 2) % 5]) for i in range(_WORDS)
        ]
        a[0] ^= constant
    return a


def sponge(padded: bytes, rate_bytes: int, output_bytes: int, rounds: int = 24) -> bytes:
    """Output of at most one block, for a message that was padded to whole blocks of the rate."""
    state = [0] * _WORDS
    for at in range(0, len(padded), rate_bytes):
        for i in range(rate_bytes // 8):
            state[i] ^= int.from_bytes(padded[at + 8 * i : at + 8 * i + 8], "little")
        state = _permute(state, rounds)
    return b"".join(word.to_bytes(8, "little") for word in state)[:output_bytes]


def keccak_final(message: bytes, output_bytes: int) -> bytes:
    """Keccak of the final round, whose capacity is twice the output of 28, 32, 48 or 64 bytes.

    The padding is a bit 1, zeros, a bit 1.

    Example:
        >>> keccak_final(b"", 32).hex()[:16]
        'c5d2460186f7233c'
    """
    rate_bytes = 200 - 2 * output_bytes
    zeros = -(len(message) + 1) % rate_bytes
    padded = bytearray(message + b"\x01" + bytes(zeros))
    padded[-1] |= 0x80
    return sponge(bytes(padded), rate_bytes, output_bytes)


def keccak_round2(message: bytes, output_bytes: int) -> bytes:
    """Keccak of the second round, whose padding names the bytes of digest and rate."""
    rate_bytes = 200 - 2 * output_bytes
    padded = message + bytes([0x01, output_bytes, rate_bytes, 0x01])
    return sponge(padded + bytes(-len(padded) % rate_bytes), rate_bytes, output_bytes)


# KMAC128 and KMAC256 (NIST SP 800-185, section 4) without a customization string.


def _number(value: int) -> bytes:
    """The value's bytes, the highest first, and at least one byte."""
    return value.to_bytes(max(1, (value.bit_length() + 7) // 8), "big")


def _left_encode(value: int) -> bytes:
    """Section 2.3.1: the number of bytes, then the bytes."""
    return bytes([len(_number(value))]) + _number(value)


def _right_encode(value: int) -> bytes:
    return _number(value) + bytes([len(_number(value))])


def _encode_string(text: bytes) -> bytes:
    """Section 2.3.2: the length in bits, then the bytes."""
    return _left_encode(8 * len(text)) + text


def _bytepad(text: bytes, rate_bytes: int) -> bytes:
    """Section 2.3.3: the rate first, and zeros up to whole blocks."""
    padded = _left_encode(rate_bytes) + text
    return padded + bytes(-len(padded) % rate_bytes)


def _kmac(key: bytes, message: bytes, rate_bytes: int, output_bytes: int) -> bytes:
    text = _bytepad(_encode_string(b"KMAC") + _encode_string(b""), rate_bytes)
    text += _bytepad(_encode_string(key), rate_bytes)
    text += message + _right_encode(8 * output_bytes)
    text += b"\x04"  # cSHAKE's two bits 0 and the first bit of the padding
    padded = bytearray(text + bytes(-len(text) % rate_bytes))
    padded[-1] |= 0x80
    return sponge(bytes(padded), rate_bytes, output_bytes)


def kmac128(key: bytes, message: bytes) -> bytes:
    """Tag of 32 bytes under a key of any length.

    Example:
        >>> kmac128(bytes(range(0x40, 0x60)), bytes(range(4))).hex()[:16]
        'e5780b0d3ea6f7d3'
    """
    return _kmac(key, message, rate_bytes=168, output_bytes=32)


def kmac256(key: bytes, message: bytes) -> bytes:
    """Tag of 64 bytes."""
    return _kmac(key, message, rate_bytes=136, output_bytes=64)


# KT128 and TurboSHAKE128 (RFC 9861), the customization string being empty.

_CHUNK_BYTES = 8192
_RATE_BYTES = 168
_SINGLE, _FINAL_NODE, _LEAF = 0x07, 0x06, 0x0B


def _turboshake128(message: bytes, separation: int) -> bytes:
    """Section 2.2: the first block of the output, of 12 rounds of Keccak-p."""
    padded = bytearray(message + bytes([separation]))
    padded += bytes(-len(padded) % _RATE_BYTES)
    padded[-1] ^= 0x80
    return sponge(bytes(padded), _RATE_BYTES, _RATE_BYTES, rounds=12)


def _length_encode(number: int) -> bytes:
    digits = number.to_bytes((number.bit_length() + 7) // 8, "big")
    return digits + bytes([len(digits)])


def kt128(message: bytes, output_bytes: int = 32) -> bytes:
    """The first bytes of the output of KT128, at most 168, which is one block.

    Example:
        >>> kt128(b"").hex()[:16]
        '1ac2d450fc3b4205'
    """
    text = message + _length_encode(0)
    first, *leaves = (text[at : at + _CHUNK_BYTES] for at in range(0, len(text), _CHUNK_BYTES))
    if not leaves:
        return _turboshake128(text, _SINGLE)[:output_bytes]
    node = first + b"\x03" + bytes(7)
    node += b"".join(_turboshake128(leaf, _LEAF)[:32] for leaf in leaves)
    node += _length_encode(len(leaves)) + b"\xff\xff"
    return _turboshake128(node, _FINAL_NODE)[:output_bytes]
