# SPDX-License-Identifier: Apache-2.0
"""MACs over a block cipher: CMAC, XCBC, CBC-MAC, PMAC and GMAC."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from joulemark.errors import UsageError
from joulemark.reference.aes import BLOCK_BYTES, encrypt_words, expand_key

# CMAC (NIST SP 800-38B, RFC 4493), XCBC (RFC 3566) and CBC-MAC (ISO/IEC 9797-1).

POLYNOMIALS = {16: 0x87, 20: 0x2D, 32: 0x425}
"""Bytes of a block -> R of section 5.3: the lexicographically first irreducible polynomial of that
degree with the fewest terms, without its highest term."""

Encryption = Callable[[int], int]
"""Encrypts a block as a big-endian number."""


def double(value: int, block_bytes: int = BLOCK_BYTES) -> int:
    """`value` times x in the field of 2^(8 block_bytes) elements (section 5.3)."""
    value <<= 1
    bits = 8 * block_bytes
    return value ^ (1 << bits | POLYNOMIALS[block_bytes]) if value >> bits else value


def _chain(
    encrypt: Encryption, message: bytes, whole: int, padded: int, size: int = BLOCK_BYTES
) -> bytes:
    """CBC of blocks of `size` bytes; `whole` is added to a whole last block.

    If the last block is not whole, a 1 bit and zeros complete it, and `padded` is added.
    """
    last_start = max(len(message) - 1, 0) // size * size
    chain = 0
    for i in range(0, last_start, size):
        chain = encrypt(chain ^ int.from_bytes(message[i : i + size], "big"))
    last = message[last_start:]
    if len(last) == size:
        masked = int.from_bytes(last, "big") ^ whole
    else:
        masked = int.from_bytes((last + b"\x80").ljust(size, b"\0"), "big") ^ padded
    return encrypt(chain ^ masked).to_bytes(size, "big")


def cmac_over(encrypt: Encryption, block_bytes: int, message: bytes) -> bytes:
    """Tag of one block, over any cipher whose blocks have 16, 20 or 32 bytes.

    The last block is completed with a 1 bit and zeros if need be; it is masked with subkey K1 if
    it was whole and K2 if it was not (section 6.2).
    """
    k1 = double(encrypt(0), block_bytes)
    return _chain(encrypt, message, k1, double(k1, block_bytes), block_bytes)


def cmac(key: bytes, message: bytes) -> bytes:
    """Tag of 16 bytes, over AES with a key of 16, 24 or 32 bytes.

    Example:
        >>> cmac(bytes.fromhex("2b7e151628aed2a6abf7158809cf4f3c"), b"").hex()
        'bb1d6929e95937287fa37d129b756746'
    """
    return cmac_over(partial(encrypt_words, expand_key(key)), BLOCK_BYTES, message)


def xcbc(key: bytes, message: bytes) -> bytes:
    """Tag of 16 bytes: as CMAC, with three keys, which are encrypted blocks of equal bytes.

    Example:
        >>> xcbc(bytes(range(16)), b"").hex()
        '75f0251d528ac01c4573dfd584d79f29'
    """
    if len(key) != BLOCK_BYTES:
        raise UsageError(f"An XCBC key has {BLOCK_BYTES} bytes, not {len(key)}.")
    round_keys = expand_key(key)
    inner, whole, padded = (
        encrypt_words(round_keys, int.from_bytes(bytes([byte]) * BLOCK_BYTES, "big"))
        for byte in (1, 2, 3)
    )
    inner_keys = expand_key(inner.to_bytes(BLOCK_BYTES, "big"))
    return _chain(partial(encrypt_words, inner_keys), message, whole, padded)


def cbc_mac(key: bytes, message: bytes) -> bytes:
    """Tag of 16 bytes: the last block of CBC, after zeros up to whole blocks, at least one block.

    All messages under one key have the same number of bytes.

    Example:
        >>> cbc_mac(bytes(16), b"").hex()
        '66e94bd4ef8a2c3b884cfa59ca342b2e'
    """
    blocks = max(1, -(-len(message) // BLOCK_BYTES))
    padded = message.ljust(blocks * BLOCK_BYTES, b"\0")
    return _chain(partial(encrypt_words, expand_key(key)), padded, 0, 0)


# PMAC over AES (Black and Rogaway, 2002).

_POLYNOMIAL = 1 << 128 | 0x87
"""x^128 + x^7 + x^2 + x + 1."""


def _halve(value: int) -> int:
    """`value` divided by x in GF(2^128)."""
    return (value ^ (_POLYNOMIAL if value & 1 else 0)) >> 1


def _offset(base: int, index: int) -> int:
    """The offset of block `index`: L times the polynomial whose coefficients are its Gray code."""
    gray, offset = index ^ index >> 1, 0
    while gray:
        offset ^= base if gray & 1 else 0
        base, gray = double(base), gray >> 1
    return offset


def pmac(key: bytes, message: bytes) -> bytes:
    """Tag of 16 bytes, over AES.

    All blocks but the last are enciphered under offsets and added up. The last block is added to
    the sum: with L / x if it is whole, and else completed with a 1 bit and zeros.

    Example:
        >>> pmac(bytes(range(16)), b"").hex()
        '4399572cd6ea5341b8d35876a7098af7'
    """
    round_keys = expand_key(key)
    base = encrypt_words(round_keys, 0)
    last_start = max(len(message) - 1, 0) // BLOCK_BYTES * BLOCK_BYTES
    total = 0
    for index, start in enumerate(range(0, last_start, BLOCK_BYTES), start=1):
        block = int.from_bytes(message[start : start + BLOCK_BYTES], "big")
        total ^= encrypt_words(round_keys, block ^ _offset(base, index))
    last = message[last_start:]
    if len(last) == BLOCK_BYTES:
        total ^= int.from_bytes(last, "big") ^ _halve(base)
    else:
        total ^= int.from_bytes((last + b"\x80").ljust(BLOCK_BYTES, b"\0"), "big")
    return encrypt_words(round_keys, total).to_bytes(BLOCK_BYTES, "big")


# GMAC over AES (NIST SP 800-38D).

_REDUCTION = 0xE1 << 120
"""R of section 6.3: 1 + x + x^2 + x^7, whose coefficient of x^0 is the leftmost bit."""
_USUAL_NONCE_BYTES = 12


def _multiply(x: int, y: int) -> int:
    """The product of two blocks (algorithm 1); the leftmost bit of x comes first."""
    z = 0
    for i in range(127, -1, -1):
        if x >> i & 1:
            z ^= y
        y = y >> 1 ^ (_REDUCTION if y & 1 else 0)
    return z


def _ghash(h: int, text: bytes, lengths: int) -> int:
    """GHASH (algorithm 2) of a text, completed with zeros, and a block of lengths."""
    y = 0
    for i in range(0, len(text), BLOCK_BYTES):
        y = _multiply(y ^ int.from_bytes(text[i : i + BLOCK_BYTES].ljust(BLOCK_BYTES, b"\0")), h)
    return _multiply(y ^ lengths, h)


def gmac(key: bytes, message: bytes, nonce: bytes = bytes(_USUAL_NONCE_BYTES)) -> bytes:
    """Tag of 16 bytes; no two messages may have the same nonce under one key.

    The nonce, the standard's IV, has at least one byte; zeros are for tests alone.

    Example:
        >>> gmac(bytes(16), b"").hex()
        '58e2fccefa7e3061367f1d57a4e7455a'
    """
    round_keys = expand_key(key)
    h = encrypt_words(round_keys, 0)
    if len(nonce) == _USUAL_NONCE_BYTES:
        counter = int.from_bytes(nonce) << 32 | 1
    else:
        counter = _ghash(h, nonce, 8 * len(nonce))
    tag = _ghash(h, message, 8 * len(message) << 64) ^ encrypt_words(round_keys, counter)
    return tag.to_bytes(BLOCK_BYTES)
