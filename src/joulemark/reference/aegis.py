# SPDX-License-Identifier: Apache-2.0
"""AEGISMAC-128L and AEGISMAC-256 (draft-irtf-cfrg-aegis-aead-18, section 8)."""

from __future__ import annotations

from joulemark.errors import UsageError
from joulemark.reference.aes import BLOCK_BYTES, keyless_round

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
    """Tag of 16 bytes.

    Args:
        key: 16 bytes.
        message: any number of bytes.
        nonce: 16 bytes, which several messages may share.

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
    """Tag of 32 bytes.

    Args:
        key: 32 bytes.
        message: any number of bytes.
        nonce: 32 bytes, which several messages may share.

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
