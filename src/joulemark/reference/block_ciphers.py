# SPDX-License-Identifier: Apache-2.0
"""MACs over a block cipher: CMAC, XCBC, CBC-MAC, PMAC and GMAC."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import isqrt
from typing import NamedTuple

from joulemark.errors import UsageError
from joulemark.reference.aes import BLOCK_BYTES, encrypt_words, expand_key
from joulemark.reference.aes_finalists import rc6_encryption, serpent_encryption, twofish_encryption
from joulemark.reference.words import bytes_of, rotate_left, words_of

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


# Ciphers beside AES as functions of key and block, CMAC over them, and SHACAL.

# SHACAL-1 and SHACAL-2 (Handschuh and Naccache, 2001) from their definition.
#
# They are what SHA-1 and SHA-256 (FIPS 180-4, sections 6.1.2 and 6.2.2) do to a chaining value
# before they add it to itself: the chaining value is the block, and the message block is the key.

SHACAL1_BLOCK_BYTES = 20
SHACAL2_BLOCK_BYTES = 32
_KEY_BYTES = range(16, 65)
_ALL = 0xFFFFFFFF


def _cube_root_bits(number: int) -> int:
    """The first 32 bits of the fractional part of a cube root."""
    wanted = number << 96
    low, high = 0, 1 << 40
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if middle**3 <= wanted else (low, middle)
    return low & _ALL


def _primes(count: int) -> list[int]:
    primes: list[int] = []
    number = 2
    while len(primes) < count:
        if all(number % prime for prime in primes):
            primes.append(number)
        number += 1
    return primes


_K1 = tuple(isqrt(number << 60) for number in (2, 3, 5, 10))
"""Section 4.2.1: 2^30 times square roots."""
_K2 = tuple(_cube_root_bits(prime) for prime in _primes(64))
"""Section 4.2.2."""


def _key_words(key: bytes) -> list[int]:
    """The words of the key, after zeros up to 64 bytes."""
    if len(key) not in _KEY_BYTES:
        raise UsageError(f"A SHACAL key has 16 to 64 bytes, not {len(key)}.")
    return words_of(key.ljust(_KEY_BYTES[-1], b"\0"), "big")


def _encrypt_1(schedule: list[int], block: bytes) -> bytes:
    a, b, c, d, e = words_of(block, "big")
    for t, scheduled in enumerate(schedule):
        stage = t // 20
        if stage == 0:
            f = b & c | ~b & d
        elif stage == 2:
            f = b & c | b & d | c & d
        else:
            f = b ^ c ^ d
        a, b, c, d, e = (rotate_left(a, 5) + f + e + scheduled & _ALL, a, rotate_left(b, 30), c, d)
    return bytes_of((a, b, c, d, e), "big")


def shacal1_encryption(key: bytes) -> Callable[[bytes], bytes]:
    """The encryption of a block of 20 bytes under a key of 16 to 64 bytes.

    Example:
        >>> shacal1_encryption(bytes([128, *bytes(63)]))(bytes(20)).hex()
        '0ffd8d43b4e33c7c53461bd10f27a5461050d90d'
    """
    w = _key_words(key)
    for t in range(16, 80):
        w.append(rotate_left(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1))
    return partial(_encrypt_1, [word + _K1[t // 20] & _ALL for t, word in enumerate(w)])


def _encrypt_2(schedule: list[int], block: bytes) -> bytes:
    a, b, c, d, e, f, g, h = words_of(block, "big")
    for scheduled in schedule:
        sigma_1 = rotate_left(e, 26) ^ rotate_left(e, 21) ^ rotate_left(e, 7)
        first = h + sigma_1 + (e & f ^ ~e & g) + scheduled
        second = (rotate_left(a, 30) ^ rotate_left(a, 19) ^ rotate_left(a, 10)) + (
            a & b ^ a & c ^ b & c
        )
        a, b, c, d, e, f, g, h = (first + second & _ALL, a, b, c, d + first & _ALL, e, f, g)
    return bytes_of((a, b, c, d, e, f, g, h), "big")


def shacal2_encryption(key: bytes) -> Callable[[bytes], bytes]:
    """The encryption of a block of 32 bytes under a key of 16 to 64 bytes.

    Example:
        >>> shacal2_encryption(bytes([128, *bytes(63)]))(bytes(32)).hex()
        '361ab6322fa9e7a7bb23818d839e01bddafdf47305426edd297aedb9f6202bae'
    """
    w = _key_words(key)
    for t in range(16, 64):
        x, y = w[t - 15], w[t - 2]
        sigma_0 = rotate_left(x, 25) ^ rotate_left(x, 14) ^ x >> 3
        sigma_1 = rotate_left(y, 15) ^ rotate_left(y, 13) ^ y >> 10
        w.append(w[t - 16] + sigma_0 + w[t - 7] + sigma_1 & _ALL)
    return partial(_encrypt_2, [word + k & _ALL for word, k in zip(w, _K2, strict=True)])


# The ciphers, and CMAC (NIST SP 800-38B) over them.


class _Cipher(NamedTuple):
    key_bytes: int | None
    encryption: Callable[[bytes], Callable[[bytes], bytes]]
    block_bytes: int = 16
    has_cmac: bool = True


_CIPHERS = {
    "rc6-128": _Cipher(16, rc6_encryption),
    "serpent128": _Cipher(16, serpent_encryption),
    "serpent256": _Cipher(32, serpent_encryption, has_cmac=False),
    "shacal1": _Cipher(None, shacal1_encryption, SHACAL1_BLOCK_BYTES),
    "shacal2": _Cipher(None, shacal2_encryption, SHACAL2_BLOCK_BYTES),
    "twofish128": _Cipher(16, twofish_encryption),
    "twofish256": _Cipher(32, twofish_encryption, has_cmac=False),
}


def _block(cipher: _Cipher, key: bytes, block: bytes) -> bytes:
    if len(block) != cipher.block_bytes:
        raise UsageError(
            f"A block of this cipher has {cipher.block_bytes} bytes, not {len(block)}."
        )
    return cipher.encryption(key)(block)


def _cmac(cipher: _Cipher, key: bytes, message: bytes) -> bytes:
    encrypt, size = cipher.encryption(key), cipher.block_bytes

    def encrypt_number(block: int) -> int:
        return int.from_bytes(encrypt(block.to_bytes(size, "big")), "big")

    return cmac_over(encrypt_number, size, message)


BLOCK_CIPHERS: dict[str, tuple[int | None, Callable[[bytes, bytes], bytes]]] = {
    **{name: (cipher.key_bytes, partial(_block, cipher)) for name, cipher in _CIPHERS.items()},
    **{
        f"cmac-{name}": (cipher.key_bytes, partial(_cmac, cipher))
        for name, cipher in _CIPHERS.items()
        if cipher.has_cmac
    },
}
"""Algorithm -> length of the key in bytes, None if it may vary, and function of key and message."""
