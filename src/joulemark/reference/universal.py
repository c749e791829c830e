# SPDX-License-Identifier: Apache-2.0
"""MACs that hash with a secret function and hide the result: Poly1305, UMAC and VMAC."""

from __future__ import annotations

from functools import cache
from itertools import count
from operator import mul
from struct import unpack

from joulemark.errors import UsageError
from joulemark.reference.aes import BLOCK_BYTES, encrypt_block

# Poly1305 (RFC 8439, section 2.5), and Poly1305-AES as its inventor defined it.

_KEY_BYTES = 32
_P = (1 << 130) - 5
_CLAMP = 0x0FFFFFFC0FFFFFFC0FFFFFFC0FFFFFFF


def poly1305(key: bytes, message: bytes) -> bytes:
    """Tag of 16 bytes; the key, 16 bytes of r and 16 of s, may authenticate this one message only.

    Each block of up to 16 bytes, with a 1 byte after it, is a little-endian coefficient of a
    polynomial that is evaluated at r modulo 2^130 - 5; s is added modulo 2^128.

    Example:
        >>> key = "85d6be7857556d337f4452fe42d506a80103808afb0db2fd4abff6af4149f51b"
        >>> poly1305(bytes.fromhex(key), b"Cryptographic Forum Research Group").hex()
        'a8061dc1305136c6c22b8baf0c0127a9'
    """
    if len(key) != _KEY_BYTES:
        raise UsageError(f"A Poly1305 key has {_KEY_BYTES} bytes, not {len(key)}.")
    r = int.from_bytes(key[:16], "little") & _CLAMP
    s = int.from_bytes(key[16:], "little")
    accumulator = 0
    for i in range(0, len(message), BLOCK_BYTES):
        block = message[i : i + BLOCK_BYTES] + b"\x01"
        accumulator = (accumulator + int.from_bytes(block, "little")) * r % _P
    return ((accumulator + s) & ((1 << 128) - 1)).to_bytes(BLOCK_BYTES, "little")


def poly1305_aes(key: bytes, message: bytes, nonce: bytes = bytes(BLOCK_BYTES)) -> bytes:
    """Tag of 16 bytes by Poly1305-AES; no two messages may have the same nonce under one key.

    The key is a key of AES-128, then r. The nonce of 16 bytes, encrypted, is the message's s; zeros
    are for tests alone.
    """
    return poly1305(key[16:] + encrypt_block(key[:16], nonce), message)


# UMAC over AES-128 (RFC 4418).

_UMAC_BLOCK_BYTES = 1024
"""Longest block of NH."""
_MOST_ITERATIONS = 4
_P36 = (1 << 36) - 5
_PRIMES = {64: (1 << 64) - 59, 128: (1 << 128) - 159}
_TOPS = {64: (1 << 64) - (1 << 32), 128: (1 << 128) - (1 << 96)}
"""A word of at least this value takes two steps."""
_MASKS = {64: 0x01FFFFFF01FFFFFF, 128: 0x01FFFFFF01FFFFFF01FFFFFF01FFFFFF}
_SHORT_BYTES = 1 << 17
"""Most bytes of hashes for the polynomial modulo p64."""
_WORD_32 = (1 << 32) - 1
_NONCE = bytes(8)


@cache
def _umac_derive(key: bytes, index: int, size_bytes: int) -> bytes:
    """KDF (section 3.2.1)."""
    blocks = -(-size_bytes // BLOCK_BYTES)
    stream = (encrypt_block(key, index.to_bytes(8) + i.to_bytes(8)) for i in range(1, blocks + 1))
    return b"".join(stream)[:size_bytes]


def _umac_nh(key: tuple[int, ...], block: bytes) -> int:
    """NH (section 5.2.2) and the block's bits: the first layer's hash of up to 1024 bytes."""
    padded = block + bytes(-len(block) % 32 if block else 32)
    m: tuple[int, ...] = unpack(f"<{len(padded) // 4}I", padded)
    a = [(word + k) & _WORD_32 for word, k in zip(m, key, strict=False)]
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
    return (total & _WORD_32) ^ int.from_bytes(mask)


def _uhash(key: bytes, message: bytes, iteration: int) -> int:
    """One word of UHASH (section 5.1)."""
    nh_bytes = _umac_derive(key, 1, _UMAC_BLOCK_BYTES + 16 * (_MOST_ITERATIONS - 1))
    nh_key = unpack(">256I", nh_bytes[16 * iteration : 16 * iteration + _UMAC_BLOCK_BYTES])
    blocks = [
        message[at : at + _UMAC_BLOCK_BYTES]
        for at in range(0, len(message) or 1, _UMAC_BLOCK_BYTES)
    ]
    of_block = {block: _umac_nh(nh_key, block) for block in set(blocks)}  # tests repeat blocks
    hashes = [of_block[block] for block in blocks]
    value = hashes[0]
    if len(hashes) > 1:
        value = _second_layer(_part(key, 2, 24, iteration), hashes)
    return _third_layer(_part(key, 3, 64, iteration), _part(key, 4, 4, iteration), value)


def _part(key: bytes, index: int, size_bytes: int, iteration: int) -> bytes:
    """An iteration's part of the key that `index` names."""
    whole = _umac_derive(key, index, size_bytes * _MOST_ITERATIONS)
    return whole[size_bytes * iteration : size_bytes * (iteration + 1)]


def umac(key: bytes, message: bytes, nonce: bytes = _NONCE, *, tag_bytes: int) -> bytes:
    """Tag of 4, 8, 12 or 16 bytes; no two messages may have the same nonce under one key.

    The nonce has 1 to 16 bytes, completed with zeros; the default is for tests alone.

    Example:
        >>> umac(b"abcdefghijklmnop", b"abc", b"bcdefghi", tag_bytes=8).hex()
        'd4d7b9f6bd4fbfcf'
    """
    chosen = nonce[-1] % (BLOCK_BYTES // tag_bytes)
    block = nonce[:-1] + bytes([nonce[-1] - chosen])
    pad = encrypt_block(_umac_derive(key, 0, 16), block.ljust(BLOCK_BYTES, b"\0"))
    hashed = b"".join(_uhash(key, message, i).to_bytes(4) for i in range(tag_bytes // 4))
    start = chosen * tag_bytes
    return bytes(a ^ b for a, b in zip(hashed, pad[start : start + tag_bytes], strict=True))


# VMAC over AES-128 (draft-krovetz-vmac-01).

_VMAC_BLOCK_BYTES = 128
"""L1KEYLEN in bytes: the longest block of NH."""
_P127 = (1 << 127) - 1
_P64 = (1 << 64) - 257
_DIVISOR = (1 << 64) - (1 << 32)
_POLYNOMIAL_MASK = 0x1FFFFFFF1FFFFFFF1FFFFFFF1FFFFFFF
_WORD_64 = (1 << 64) - 1


def _vmac_derive(key: bytes, index: int, number: int) -> tuple[int, int]:
    """Block `number` of the key stream that `index` names (section 3.2), as two words."""
    block = encrypt_block(key, bytes([index]) + number.to_bytes(BLOCK_BYTES - 1))
    return int.from_bytes(block[:8]), int.from_bytes(block[8:])


@cache
def _nh_key(key: bytes) -> list[int]:
    """Words of NH's key, two more than a block has: the second word of a tag skips two of them."""
    return [
        word
        for i in range(_VMAC_BLOCK_BYTES // BLOCK_BYTES + 1)
        for word in _vmac_derive(key, 0x80, i)
    ]


@cache
def _last_keys(key: bytes) -> list[tuple[int, int]]:
    """The pairs of the last layer (section 5.5): the first two with both words below p64."""
    pairs = (_vmac_derive(key, 0xE0, i) for i in count())
    return [next(pair for pair in pairs if max(pair) < _P64) for _ in range(2)]


def _vmac_nh(key: list[int], block: bytes) -> int:
    """NH (section 5.3) of up to 128 bytes."""
    padded = block + bytes(-len(block) % BLOCK_BYTES)
    m: tuple[int, ...] = unpack(f"<{len(padded) // 8}Q", padded)
    total = sum(
        ((m[i] + key[i]) & _WORD_64) * ((m[i + 1] + key[i + 1]) & _WORD_64)
        for i in range(0, len(m), 2)
    )
    return total % (1 << 126)


def _vhash(key: bytes, message: bytes, word: int) -> int:
    """One word of VHASH (section 5)."""
    nh_key = _nh_key(key)[2 * word :]
    high, low = _vmac_derive(key, 0xC0, word)
    k = (high << 64 | low) & _POLYNOMIAL_MASK
    y = 1 if message else k
    for at in range(0, len(message), _VMAC_BLOCK_BYTES):
        y = (y * k + _vmac_nh(nh_key, message[at : at + _VMAC_BLOCK_BYTES])) % _P127
    y = (y + (8 * (len(message) % _VMAC_BLOCK_BYTES) << 64)) % _P127
    quotient, remainder = divmod(y, _DIVISOR)
    k1, k2 = _last_keys(key)[word]
    return (k1 + quotient) * (k2 + remainder) % _P64


def vmac(key: bytes, message: bytes, nonce: bytes = _NONCE, *, tag_bytes: int) -> bytes:
    """Tag of 8 or 16 bytes; no two messages may have the same nonce under one key.

    The nonce has 1 to 15 bytes, completed in front with zeros; zeros are for tests alone.

    Example:
        >>> vmac(b"abcdefghijklmnop", b"abc", b"bcdefghi", tag_bytes=8).hex()
        '2d376cf5b1813ce5'
    """
    number = int.from_bytes(nonce)
    words = tag_bytes // 8
    chosen = number % 2 if words == 1 else 0
    pad = encrypt_block(key, (number - chosen).to_bytes(BLOCK_BYTES))[8 * chosen :]
    return b"".join(
        ((_vhash(key, message, i) + int.from_bytes(pad[8 * i : 8 * i + 8])) & _WORD_64).to_bytes(8)
        for i in range(words)
    )
