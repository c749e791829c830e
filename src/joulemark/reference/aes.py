# SPDX-License-Identifier: Apache-2.0
"""AES encryption (FIPS 197), and AEGIS as a MAC, which is made of AES's rounds.

The tables of AES are computed from its definition, not typed in.
"""

from __future__ import annotations

from functools import cache

from joulemark.errors import UsageError
from joulemark.reference.words import words_of

BLOCK_BYTES = 16

_Words = tuple[int, int, int, int]
RoundKeys = list[_Words]
"""One round key per item: four 32-bit columns, row 0 in the most significant byte."""


def multiply(a: int, b: int, modulus: int = 0x11B) -> int:
    """Product in GF(2^8) modulo x^8 + x^4 + x^3 + x + 1 (section 4.2), or another polynomial."""
    product = 0
    while b:
        if b & 1:
            product ^= a
        a <<= 1
        if a & 0x100:
            a ^= modulus
        b >>= 1
    return product


def _substitute(byte: int) -> int:
    """S-box (section 5.1.1): inverse (0 stays 0), then the affine map with constant 0x63."""
    inverse = 1
    for _ in range(254):
        inverse = multiply(inverse, byte)
    rotations = (inverse << shift | inverse >> (8 - shift) for shift in range(5))
    out = 0x63
    for rotated in rotations:
        out ^= rotated & 0xFF
    return out


@cache
def s_box() -> bytes:
    """The substitution of each byte (section 5.1.1, figure 7)."""
    return bytes(_substitute(byte) for byte in range(256))


@cache
def column_tables() -> tuple[list[int], list[int], list[int], list[int]]:
    """For each row and value of a byte, its share of the column after SubBytes and MixColumns.

    MixColumns multiplies the column by the circulant matrix with first column (2, 1, 1, 3), so
    the table of row r is that of row 0 rotated right by r bytes.
    """
    first = [multiply(s, 2) << 24 | s << 16 | s << 8 | multiply(s, 3) for s in s_box()]
    tables = [first]
    for _ in range(3):
        tables.append([(word >> 8) | (word & 0xFF) << 24 for word in tables[-1]])
    return tables[0], tables[1], tables[2], tables[3]


def _substitute_word(word: int) -> int:
    return int.from_bytes(word.to_bytes(4, "big").translate(s_box()), "big")


def expand_key(key: bytes) -> RoundKeys:
    """Key expansion (section 5.2) of 16, 24 or 32 bytes to the round keys 0 to 10, 12 or 14."""
    if len(key) not in (16, 24, 32):
        raise UsageError(f"An AES key has 16, 24 or 32 bytes, not {len(key)}.")
    key_words = len(key) // 4
    words = words_of(key, "big")
    rcon = 1
    for i in range(key_words, 4 * (key_words + 7)):
        word = words[-1]
        if i % key_words == 0:
            rotated = (word << 8 & 0xFFFFFFFF) | word >> 24
            word = _substitute_word(rotated) ^ rcon << 24
            rcon = multiply(rcon, 2)
        elif key_words == 8 and i % key_words == 4:
            word = _substitute_word(word)
        words.append(words[i - key_words] ^ word)
    return [(words[i], words[i + 1], words[i + 2], words[i + 3]) for i in range(0, len(words), 4)]


def encrypt_words(round_keys: RoundKeys, block: int) -> int:
    """Encrypts one block given as a 128-bit big-endian number (section 5.1)."""
    row0, row1, row2, row3 = column_tables()
    k = round_keys[0]
    a = block >> 96 ^ k[0]
    b = (block >> 64 & 0xFFFFFFFF) ^ k[1]
    c = (block >> 32 & 0xFFFFFFFF) ^ k[2]
    d = (block & 0xFFFFFFFF) ^ k[3]
    for k in round_keys[1:-1]:
        # ShiftRows: row r of a column comes from r columns further on.
        a, b, c, d = (
            row0[a >> 24] ^ row1[b >> 16 & 255] ^ row2[c >> 8 & 255] ^ row3[d & 255] ^ k[0],
            row0[b >> 24] ^ row1[c >> 16 & 255] ^ row2[d >> 8 & 255] ^ row3[a & 255] ^ k[1],
            row0[c >> 24] ^ row1[d >> 16 & 255] ^ row2[a >> 8 & 255] ^ row3[b & 255] ^ k[2],
            row0[d >> 24] ^ row1[a >> 16 & 255] ^ row2[b >> 8 & 255] ^ row3[c & 255] ^ k[3],
        )
    box = s_box()
    out = 0
    for (p, q, r, s), key in zip(
        ((a, b, c, d), (b, c, d, a), (c, d, a, b), (d, a, b, c)), round_keys[-1], strict=True
    ):
        column = (
            box[p >> 24] << 24 | box[q >> 16 & 255] << 16 | box[r >> 8 & 255] << 8 | box[s & 255]
        )
        out = out << 32 | (column ^ key)
    return out


def keyless_round(block: int) -> int:
    """SubBytes, ShiftRows and MixColumns of one block given as a 128-bit big-endian number."""
    row0, row1, row2, row3 = column_tables()
    a = block.to_bytes(BLOCK_BYTES, "big")
    return (
        (row0[a[0]] ^ row1[a[5]] ^ row2[a[10]] ^ row3[a[15]]) << 96
        | (row0[a[4]] ^ row1[a[9]] ^ row2[a[14]] ^ row3[a[3]]) << 64
        | (row0[a[8]] ^ row1[a[13]] ^ row2[a[2]] ^ row3[a[7]]) << 32
        | (row0[a[12]] ^ row1[a[1]] ^ row2[a[6]] ^ row3[a[11]])
    )


def encrypt_block(key: bytes, block: bytes) -> bytes:
    """Encrypts one block of 16 bytes under a key of 16, 24 or 32 bytes.

    Example:
        >>> encrypt_block(bytes(16), bytes(16)).hex()
        '66e94bd4ef8a2c3b884cfa59ca342b2e'
    """
    if len(block) != BLOCK_BYTES:
        raise UsageError(f"An AES block has {BLOCK_BYTES} bytes, not {len(block)}.")
    out = encrypt_words(expand_key(key), int.from_bytes(block, "big"))
    return out.to_bytes(BLOCK_BYTES, "big")


# AEGISMAC-128L and AEGISMAC-256 (draft-irtf-cfrg-aegis-aead-18, section 8).

_C0 = 0x000101020305080D1522375990E97962
_C1 = 0xDB3D18556DC22FF12011314273B528DD
"""Section 2: both constants hold the Fibonacci numbers modulo 256."""
_LAST_UPDATES = 7


def _number(block: bytes) -> int:
    return int.from_bytes(block, "big")


def _blocks(text: bytes, size: int) -> list[int]:
    """Blocks of AES, after zeros up to a whole number of `size` bytes."""
    text += bytes(-len(text) % size)
    return [_number(text[at : at + BLOCK_BYTES]) for at in range(0, len(text), BLOCK_BYTES)]


def _update(state: list[int], added: dict[int, int]) -> list[int]:
    """Sections 3.3 and 4.3: a block becomes the round of the block before, with itself as key."""
    return [keyless_round(state[i - 1]) ^ block ^ added.get(i, 0) for i, block in enumerate(state)]


def _lengths(message: bytes, tag_bytes: int) -> int:
    lengths = (8 * len(message)).to_bytes(8, "little") + (8 * tag_bytes).to_bytes(8, "little")
    return _number(lengths)


def _sum(blocks: list[int]) -> bytes:
    total = 0
    for block in blocks:
        total ^= block
    return total.to_bytes(BLOCK_BYTES, "big")


def _check(key: bytes, nonce: bytes, size: int) -> None:
    if len(key) != size or len(nonce) != size:
        raise UsageError(
            f"Key and nonce have {size} bytes each here, not {len(key)} and {len(nonce)}."
        )


def aegismac_128l(key: bytes, message: bytes, nonce: bytes = bytes(16)) -> bytes:
    """Tag of 16 bytes; key and nonce have 16 bytes, and several messages may share the nonce.

    Example:
        >>> key, nonce = bytes([16, 1, *bytes(14)]), bytes([16, 0, 2, *bytes(13)])
        >>> aegismac_128l(key, bytes(range(35)), nonce).hex()
        'd3f09b2842ad301687d6902c921d7818'
    """
    _check(key, nonce, 16)
    k, n = _number(key), _number(nonce)
    state = [k ^ n, _C1, _C0, _C1, k ^ n, k ^ _C0, k ^ _C1, k ^ _C0]
    for _ in range(10):
        state = _update(state, {0: n, 4: k})
    blocks = _blocks(message, 32)
    for at in range(0, len(blocks), 2):
        state = _update(state, {0: blocks[at], 4: blocks[at + 1]})
    t = state[2] ^ _lengths(message, 16)
    for _ in range(_LAST_UPDATES):
        state = _update(state, {0: t, 4: t})
    return _sum(state[:7])


def aegismac_256(key: bytes, message: bytes, nonce: bytes = bytes(32)) -> bytes:
    """Tag of 32 bytes; key and nonce have 32 bytes, and several messages may share the nonce.

    Example:
        >>> key, nonce = bytes([16, 1, *bytes(30)]), bytes([16, 0, 2, *bytes(29)])
        >>> aegismac_256(key, bytes(range(35)), nonce).hex()[:32]
        'a5c906ede3d69545c11e20afa360b221'
    """
    _check(key, nonce, 32)
    k0, k1 = _blocks(key, 16)
    n0, n1 = _blocks(nonce, 16)
    state = [k0 ^ n0, k1 ^ n1, _C1, _C0, k0 ^ _C0, k1 ^ _C1]
    for block in 4 * [k0, k1, k0 ^ n0, k1 ^ n1]:
        state = _update(state, {0: block})
    for block in _blocks(message, 16):
        state = _update(state, {0: block})
    t = state[3] ^ _lengths(message, 32)
    for _ in range(_LAST_UPDATES):
        state = _update(state, {0: t})
    return _sum(state[:3]) + _sum(state[3:])
