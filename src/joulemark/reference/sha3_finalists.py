# SPDX-License-Identifier: Apache-2.0
"""JH, Skein and Keccak, finalists of the SHA-3 competition, and what is built on Keccak.

Each is also here as in the second round. BLAKE has another page, and Groestl is among the hashes on
arrays. Words are Python's integers, and constants are computed as the standard defines them.
"""

from __future__ import annotations

from functools import cache, lru_cache

from joulemark.reference.words import rotate_left

# JH (Wu, 2009 and 2011), of the final and of the second round of the SHA-3 competition.
#
# The state is 256 elements of four bits, as in section 4 of the specification, not bit slices.

_S = (
    (9, 0, 4, 11, 13, 12, 3, 15, 1, 10, 2, 6, 7, 5, 8, 14),
    (3, 12, 6, 13, 5, 7, 1, 9, 15, 2, 0, 4, 11, 10, 14, 8),
)
_ROOT_OF_2 = 0x6A09E667F3BCC908B2FB1366EA957D3E3ADEC17512775099DA2F590B0667322A
"""256 bits of the fraction of the square root of 2."""
_BLOCK_BYTES = 64


def _twice(a: int) -> int:
    """`a` times x in GF(2^4) modulo x^4 + x + 1."""
    return (a << 1) ^ (0x13 if a & 8 else 0)


def _linear(a: int, b: int) -> tuple[int, int]:
    b ^= _twice(a)
    return a ^ _twice(b), b


@cache
def _pairs() -> list[tuple[int, int]]:
    """S-boxes and linear map of a pair, by its two constant bits and its two elements."""
    return [
        _linear(_S[first][a], _S[second][b])
        for first in (0, 1)
        for second in (0, 1)
        for a in range(16)
        for b in range(16)
    ]


@cache
def _permutation(count: int) -> list[int]:
    """For each element the old place: pi, then P', then phi."""
    places = list(range(count))
    for i in range(2, count, 4):
        places[i], places[i + 1] = places[i + 1], places[i]
    places = places[0::2] + places[1::2]
    for i in range(count // 2, count, 2):
        places[i], places[i + 1] = places[i + 1], places[i]
    return places


def _round(elements: list[int], constant: list[int]) -> list[int]:
    table = _pairs()
    out: list[int] = []
    for i in range(0, len(elements), 2):
        at = 512 * constant[i] + 256 * constant[i + 1] + 16 * elements[i] + elements[i + 1]
        out += table[at]
    return [out[place] for place in _permutation(len(elements))]


@cache
def _constants() -> list[list[int]]:
    """Constants of 42 rounds, one bit for each element.

    They are the states of a smaller JH that begins with the square root of 2.
    """
    state, constants = [_ROOT_OF_2 >> (252 - 4 * i) & 15 for i in range(64)], []
    for _ in range(42):
        constants.append([element >> bit & 1 for element in state for bit in (3, 2, 1, 0)])
        state = _round(state, [0] * 64)
    return constants


@lru_cache(maxsize=128)
def _compress(state: int, block: int, rounds: int, half_round: bool) -> int:
    """F8, with another layer of S-boxes if `half_round` is set; the first bit is the highest."""
    state ^= block << 512
    bits = f"{state:01024b}"
    elements = [
        int(bits[at] + bits[at + 256] + bits[at + 512] + bits[at + 768], 2)
        for i in range(128)
        for at in (i, i + 128)
    ]
    for constant in _constants()[:rounds]:
        elements = _round(elements, constant)
    if half_round:
        elements = [_S[c][e] for c, e in zip(_constants()[rounds], elements, strict=True)]
    state = 0
    for bit in (3, 2, 1, 0):
        for odd in (0, 1):
            for element in elements[odd::2]:
                state = state << 1 | (element >> bit & 1)
    return state ^ block


def _hash(message: bytes, output_bytes: int, rounds: int, half_round: bool) -> bytes:
    zeros = 47 + -len(message) % _BLOCK_BYTES
    padded = message + b"\x80" + bytes(zeros) + (8 * len(message)).to_bytes(16, "big")
    state = _compress((8 * output_bytes) << 1008, 0, rounds, half_round)
    for at in range(0, len(padded), _BLOCK_BYTES):
        block = int.from_bytes(padded[at : at + _BLOCK_BYTES], "big")
        state = _compress(state, block, rounds, half_round)
    return state.to_bytes(128, "big")[-output_bytes:]


def jh(message: bytes, output_bytes: int) -> bytes:
    """JH of the final round, with 42 rounds and a digest of 28, 32, 48 or 64 bytes.

    Example:
        >>> jh(b"", 32).hex()[:16]
        '46e64619c18bb0a9'
    """
    return _hash(message, output_bytes, 42, half_round=False)


def jh_round2(message: bytes, output_bytes: int) -> bytes:
    """JH of the second round: 35 rounds and a layer of S-boxes."""
    return _hash(message, output_bytes, 35, half_round=True)


# Skein-512 ("The Skein Hash Function Family", 1.2 and 1.3): Threefish-512 and UBI over it.
#
# Words are Python's integers; the chaining value after the configuration block is computed.

_PARITY_1_2 = 0x5555555555555555
"""The constant of the key schedule of version 1.2, of the second round."""
_PARITY_1_3 = 0x1BD11BDAA9FC1A22
"""The constant of the key schedule of version 1.3, of the final round."""

_MASK = (1 << 64) - 1
_ROTATIONS = (
    (46, 36, 19, 37),
    (33, 27, 14, 42),
    (17, 49, 36, 39),
    (44, 9, 54, 56),
    (39, 30, 34, 24),
    (13, 50, 10, 17),
    (25, 29, 39, 43),
    (8, 35, 56, 22),
)
_CONFIGURATION, _MESSAGE, _OUTPUT = 4, 48, 63


def _threefish(key: list[int], tweak: tuple[int, int], block: list[int], parity: int) -> list[int]:
    """Section 3.3: 72 rounds, and a subkey before every fourth and after the last."""
    k, last = list(key), parity
    for word in key:
        last ^= word
    k.append(last)
    t = (*tweak, tweak[0] ^ tweak[1])
    v = list(block)
    for d in range(73):
        if d % 4 == 0:
            s = d // 4
            for i in range(8):
                v[i] += k[(s + i) % 9]
            v[5] += t[s % 3]
            v[6] += t[(s + 1) % 3]
            v[7] += s
            v = [word & _MASK for word in v]
            if d == 72:
                break
        r0, r1, r2, r3 = _ROTATIONS[d % 8]
        a, b, c, e, f, g, h, i = v
        a, c, f, h = a + b & _MASK, c + e & _MASK, f + g & _MASK, h + i & _MASK
        b = (b << r0 | b >> (64 - r0)) & _MASK ^ a
        e = (e << r1 | e >> (64 - r1)) & _MASK ^ c
        g = (g << r2 | g >> (64 - r2)) & _MASK ^ f
        i = (i << r3 | i >> (64 - r3)) & _MASK ^ h
        v = [c, b, f, i, h, g, a, e]
    return v


def _ubi(chain: list[int], message: bytes, kind: int, parity: int) -> list[int]:
    """Section 3.4: the chaining value after a message of whole bytes in blocks of one kind."""
    blocks = max(1, -(-len(message) // _BLOCK_BYTES))
    padded = message.ljust(blocks * _BLOCK_BYTES, b"\0")
    for number in range(blocks):
        at = number * _BLOCK_BYTES
        first, last = number == 0, number == blocks - 1
        position = len(message) if last else at + _BLOCK_BYTES
        tweak = (position, last << 63 | first << 62 | kind << 56)
        words = [int.from_bytes(padded[at + 8 * i : at + 8 * i + 8], "little") for i in range(8)]
        enciphered = _threefish(chain, tweak, words, parity)
        chain = [mixed ^ word for mixed, word in zip(enciphered, words, strict=True)]
    return chain


@cache
def _initial(output_bytes: int, parity: int) -> tuple[int, ...]:
    """Section 3.5.2: after the configuration of a simple hash."""
    schema, version = b"SHA3", 1
    text = schema + version.to_bytes(2, "little") + bytes(2)
    text += (8 * output_bytes).to_bytes(8, "little") + bytes(16)
    return tuple(_ubi([0] * 8, text, _CONFIGURATION, parity))


def _skein_512(message: bytes, output_bytes: int, parity: int) -> bytes:
    """Skein-512 as a hash of at most 64 bytes; only the parity differs by version."""
    chain = _ubi(list(_initial(output_bytes, parity)), message, _MESSAGE, parity)
    words = _ubi(chain, bytes(8), _OUTPUT, parity)
    return b"".join(word.to_bytes(8, "little") for word in words)[:output_bytes]


def skein_512_v1_2(message: bytes, output_bytes: int) -> bytes:
    """Skein-512 of the second round; at most 64 bytes."""
    return _skein_512(message, output_bytes, _PARITY_1_2)


def skein_512_v1_3(message: bytes, output_bytes: int) -> bytes:
    """Skein-512 of the final round; at most 64 bytes.

    Example:
        >>> skein_512_v1_3(b"", 64).hex()[:16]
        'bc5b4c50925519c2'
    """
    return _skein_512(message, output_bytes, _PARITY_1_3)


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
