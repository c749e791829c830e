# SPDX-License-Identifier: Apache-2.0
"""Ciphers beside AES as functions of key and block, CMAC over them, and SHACAL."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import isqrt
from typing import NamedTuple

from joulemark.errors import UsageError
from joulemark.reference.aes_finalists import rc6_encryption, serpent_encryption, twofish_encryption
from joulemark.reference.cmac import cmac_over
from joulemark.reference.words import bytes_of, rotate_left, words_of

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
