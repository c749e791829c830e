# SPDX-License-Identifier: Apache-2.0
"""SHACAL against the hashes of Python, and the fields in which CMAC doubles its subkeys."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from itertools import combinations

import pytest

from joulemark import _core
from joulemark.reference.block_ciphers import POLYNOMIALS

INITIAL = {
    "shacal1": bytes.fromhex("67452301efcdab8998badcfe10325476c3d2e1f0"),
    "shacal2": bytes.fromhex("6a09e667bb67ae853c6ef372a54ff53a510e527f9b05688c1f83d9ab5be0cd19"),
}
"""H(0) of SHA-1 and SHA-256 (FIPS 180-4, sections 5.3.1 and 5.3.3)."""
HASHES = {"shacal1": hashlib.sha1, "shacal2": hashlib.sha256}


def ciphers() -> Iterator[_core.Implementation]:
    """The implementations of SHACAL that this CPU runs."""
    for implementation in _core.builtin_plugin().implementations():
        if implementation.algorithm in INITIAL and not implementation.missing_features:
            yield implementation


def words(text: bytes) -> list[int]:
    """Numbers as big-endian words of 32 bits."""
    return [int.from_bytes(text[i : i + 4]) for i in range(0, len(text), 4)]


@pytest.mark.parametrize(
    "implementation", list(ciphers()), ids=lambda entry: f"{entry.algorithm}/{entry.variant}"
)
def test_a_hash_is_the_cipher_and_a_sum(implementation: _core.Implementation) -> None:
    """SHA of one block is its initial value, encrypted under the block, plus that value."""
    start = INITIAL[implementation.algorithm]
    for size in range(56):
        message = bytes((5 * i + size) % 256 for i in range(size))
        block = (message + b"\x80").ljust(56, b"\0") + (8 * size).to_bytes(8)
        encrypted = words(implementation.encrypt(block, start))
        total = [a + b & 0xFFFFFFFF for a, b in zip(words(start), encrypted, strict=True)]
        expected = HASHES[implementation.algorithm](message).digest()
        assert b"".join(word.to_bytes(4) for word in total) == expected


def remainder(value: int, modulus: int) -> int:
    """The remainder of polynomials over GF(2); bit i is the coefficient of x^i."""
    while value.bit_length() >= modulus.bit_length():
        value ^= modulus << (value.bit_length() - modulus.bit_length())
    return value


def squared(value: int) -> int:
    """The square of a polynomial: a zero between any two bits."""
    return int(f"{value:b}", 4) if value else 0


def common_divisor(a: int, b: int) -> int:
    """The greatest common divisor of two polynomials."""
    while b:
        a, b = b, remainder(a, b)
    return a


def irreducible(polynomial: int) -> bool:
    """Ben-Or's test: no factor of degree i divides x^(2^i) - x, for i up to half the degree."""
    power = 2
    for _ in range((polynomial.bit_length() - 1) // 2):
        power = remainder(squared(power), polynomial)
        if common_divisor(polynomial, power ^ 2) != 1:
            return False
    return True


def first_of_fewest_terms(degree: int) -> int:
    """SP 800-38B, section 5.3; without the highest term. An even number of terms has the root 1."""
    for terms in (1, 3, 5):
        chosen = [
            sum(1 << place for place in places)
            for places in combinations(range(1, 12 if terms > 1 else degree), terms)
        ]
        for middle in sorted(chosen):
            if irreducible(1 << degree | middle | 1):
                return middle | 1
    raise AssertionError(degree)


@pytest.mark.parametrize("degree", [64, 128, 160, 256])
def test_fields_of_cmac_are_the_standards(degree: int) -> None:
    """All trinomials are tried, then pentanomials in their order; the text has 64 and 128 bits."""
    expected = {64: 0x1B, **{8 * size: value for size, value in POLYNOMIALS.items()}}
    assert first_of_fewest_terms(degree) == expected[degree]
