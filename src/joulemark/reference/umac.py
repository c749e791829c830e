# SPDX-License-Identifier: Apache-2.0
"""UMAC over AES-128 (RFC 4418)."""

from __future__ import annotations

from functools import cache
from operator import mul
from struct import unpack

from joulemark.reference.aes import BLOCK_BYTES, encrypt_block

_L1_BYTES = 1024
"""Longest block of NH."""
_MOST_ITERATIONS = 4
_P36 = (1 << 36) - 5
_PRIMES = {64: (1 << 64) - 59, 128: (1 << 128) - 159}
_TOPS = {64: (1 << 64) - (1 << 32), 128: (1 << 128) - (1 << 96)}
"""A word of at least this value takes two steps."""
_MASKS = {64: 0x01FFFFFF01FFFFFF, 128: 0x01FFFFFF01FFFFFF01FFFFFF01FFFFFF}
_SHORT_BYTES = 1 << 17
"""Most bytes of hashes for the polynomial modulo p64."""
_WORD = (1 << 32) - 1
_NONCE = bytes(8)


@cache
def _derive(key: bytes, index: int, size_bytes: int) -> bytes:
    """KDF (section 3.2.1)."""
    blocks = -(-size_bytes // BLOCK_BYTES)
    stream = (encrypt_block(key, index.to_bytes(8) + i.to_bytes(8)) for i in range(1, blocks + 1))
    return b"".join(stream)[:size_bytes]


def _nh(key: tuple[int, ...], block: bytes) -> int:
    """NH (section 5.2.2) and the block's bits: the first layer's hash of up to 1024 bytes."""
    padded = block + bytes(-len(block) % 32 if block else 32)
    m: tuple[int, ...] = unpack(f"<{len(padded) // 4}I", padded)
    a = [(word + k) & _WORD for word, k in zip(m, key, strict=False)]
    total = sum(sum(map(mul, a[j::8], a[j + 4 :: 8])) for j in range(4))
    return (total + 8 * len(block)) % (1 << 64)


def _polynomial(bits: int, key: int, words: list[int]) -> int:
    """POLY (section 5.3.2)."""
    prime, top = _PRIMES[bits], _TOPS[bits]
    y = 1
    for word in words:
        if word >= top:
            y = (key * y + prime - 1) % prime
            y = (key * y + word - ((1 << bits) - prime)) % prime
        else:
            y = (key * y + word) % prime
    return y


def _second_layer(key: bytes, hashes: list[int]) -> int:
    """L2-HASH (section 5.3) of more than one hash."""
    k64 = int.from_bytes(key[:8]) & _MASKS[64]
    k128 = int.from_bytes(key[8:]) & _MASKS[128]
    most = _SHORT_BYTES // 8
    y = _polynomial(64, k64, hashes[:most])
    if len(hashes) <= most:
        return y
    text = b"".join(word.to_bytes(8) for word in hashes[most:]) + b"\x80"
    text += bytes(-len(text) % 16)
    words = [int.from_bytes(text[at : at + 16]) for at in range(0, len(text), 16)]
    return _polynomial(128, k128, [y, *words])


def _third_layer(key: bytes, mask: bytes, value: int) -> int:
    """L3-HASH (section 5.4)."""
    keys: list[int] = [k % _P36 for k in unpack(">8Q", key)]
    digits: tuple[int, ...] = unpack(">8H", value.to_bytes(16))
    total = sum(k * digit for k, digit in zip(keys, digits, strict=True)) % _P36
    return (total & _WORD) ^ int.from_bytes(mask)


def _uhash(key: bytes, message: bytes, iteration: int) -> int:
    """One word of UHASH (section 5.1)."""
    nh_bytes = _derive(key, 1, _L1_BYTES + 16 * (_MOST_ITERATIONS - 1))
    nh_key = unpack(">256I", nh_bytes[16 * iteration : 16 * iteration + _L1_BYTES])
    blocks = [message[at : at + _L1_BYTES] for at in range(0, len(message) or 1, _L1_BYTES)]
    of_block = {block: _nh(nh_key, block) for block in set(blocks)}  # tests repeat blocks
    hashes = [of_block[block] for block in blocks]
    value = hashes[0]
    if len(hashes) > 1:
        value = _second_layer(_part(key, 2, 24, iteration), hashes)
    return _third_layer(_part(key, 3, 64, iteration), _part(key, 4, 4, iteration), value)


def _part(key: bytes, index: int, size_bytes: int, iteration: int) -> bytes:
    """An iteration's part of the key that `index` names."""
    whole = _derive(key, index, size_bytes * _MOST_ITERATIONS)
    return whole[size_bytes * iteration : size_bytes * (iteration + 1)]


def umac(key: bytes, message: bytes, nonce: bytes = _NONCE, *, tag_bytes: int) -> bytes:
    """Tag of 4, 8, 12 or 16 bytes; no two messages may have the same nonce under one key.

    Args:
        key: AES key of 16 bytes.
        message: any number of bytes.
        nonce: 1 to 16 bytes, completed with zeros; the default is for tests alone.
        tag_bytes: 4, 8, 12 or 16.

    Example:
        >>> umac(b"abcdefghijklmnop", b"abc", b"bcdefghi", tag_bytes=8).hex()
        'd4d7b9f6bd4fbfcf'
    """
    chosen = nonce[-1] % (BLOCK_BYTES // tag_bytes)
    block = nonce[:-1] + bytes([nonce[-1] - chosen])
    pad = encrypt_block(_derive(key, 0, 16), block.ljust(BLOCK_BYTES, b"\0"))
    hashed = b"".join(_uhash(key, message, i).to_bytes(4) for i in range(tag_bytes // 4))
    start = chosen * tag_bytes
    return bytes(a ^ b for a, b in zip(hashed, pad[start : start + tag_bytes], strict=True))
