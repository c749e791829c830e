# SPDX-License-Identifier: Apache-2.0
"""KT128 and TurboSHAKE128 (RFC 9861), the customization string being empty."""

from __future__ import annotations

from joulemark.reference.keccak import sponge

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
    """The first bytes of the output of KT128.

    Args:
        message: any number of bytes.
        output_bytes: at most 168, which is one block.

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
