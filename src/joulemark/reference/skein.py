# SPDX-License-Identifier: Apache-2.0
"""Skein-512 ("The Skein Hash Function Family", 1.2 and 1.3): Threefish-512 and UBI over it.

Words are Python's integers; the chaining value after the configuration block is computed.
"""

from __future__ import annotations

from functools import cache

_PARITY_1_2 = 0x5555555555555555
"""The constant of the key schedule of version 1.2, of the second round."""
_PARITY_1_3 = 0x1BD11BDAA9FC1A22
"""The constant of the key schedule of version 1.3, of the final round."""

_MASK = (1 << 64) - 1
_BLOCK_BYTES = 64
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
    """Skein-512 as a hash.

    Args:
        message: any number of bytes.
        output_bytes: at most 64.
        parity: `_PARITY_1_2` or `_PARITY_1_3`, the only difference of the versions.
    """
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
