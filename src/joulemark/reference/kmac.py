# SPDX-License-Identifier: Apache-2.0
"""KMAC128 and KMAC256 (NIST SP 800-185, section 4) without a customization string."""

from __future__ import annotations

from joulemark.reference.keccak import sponge


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
    """Tag of 32 bytes.

    Args:
        key: any number of bytes.
        message: any number of bytes.

    Example:
        >>> kmac128(bytes(range(0x40, 0x60)), bytes(range(4))).hex()[:16]
        'e5780b0d3ea6f7d3'
    """
    return _kmac(key, message, rate_bytes=168, output_bytes=32)


def kmac256(key: bytes, message: bytes) -> bytes:
    """Tag of 64 bytes."""
    return _kmac(key, message, rate_bytes=136, output_bytes=64)
