# SPDX-License-Identifier: Apache-2.0
"""Test vectors, read from `vectors/<algorithm>/<source>.json`, and calls of a MAC's primitive."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict, HttpUrl, ValidationError

from joulemark.catalogue import data_folder, every_algorithm
from joulemark.errors import JoulemarkError

# The documents that the catalogue cites, read from `catalogue/bibliography.toml`.


class Reference(BaseModel):
    """One document, whose id is the name of its table in the file."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    title: str
    """Title, and after a full stop the series and number, or the venue."""
    authors: list[str]
    year: int
    url: HttpUrl

    def citation(self) -> str:
        """One line: authors, title, year, address."""
        return f"{'; '.join(self.authors)}: {self.title} ({self.year}). {self.url}"


@cache
def bibliography() -> dict[str, Reference]:
    """Every document of the catalogue by id."""
    path = data_folder("catalogue") / "bibliography.toml"
    try:
        entries = tomllib.loads(path.read_text("utf-8"))
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise JoulemarkError(f"{path}: {error}") from error
    references = {}
    for name, entry in entries.items():
        try:
            references[name] = Reference.model_validate(entry)
        except ValidationError as error:
            raise JoulemarkError(f"{path}, entry {name}: {error}") from error
    return references


class VectorCase(BaseModel):
    """One published input and output."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    key_hex: str = ""
    nonce_hex: str = ""
    """The nonce, where the algorithm takes one."""
    message_hex: str
    message_repeat: int = 1
    """Number of times that `message_hex` is repeated in the message."""
    output_hex: str
    """The output or, where the source truncates it, its first bytes; compared as a prefix."""


class _VectorFile(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    algorithm: str
    source: str
    cases: list[VectorCase]


def _read(path: Path) -> _VectorFile:
    try:
        file = _VectorFile.model_validate_json(path.read_bytes())
    except (OSError, ValidationError) as error:
        raise JoulemarkError(f"{path}: {error}") from error
    if (file.algorithm, file.source) != (path.parent.name, path.stem):
        raise JoulemarkError(f"{path} says it is {file.algorithm}/{file.source}")
    return file


@cache
def vectors(algorithm: str) -> tuple[VectorCase, ...]:
    """Every published case of an algorithm, source by source, as the catalogue lists them."""
    folder = data_folder("vectors") / algorithm
    return tuple(
        case
        for source in every_algorithm()[algorithm].vectors
        for case in _read(folder / f"{source}.json").cases
    )


# How often a MAC calls its primitive for a message, after the key's set-up.

_SHA_PADDING: Final = 9
"""0x80 and a length of 8 bytes (FIPS 180-4, section 5.1.1)."""
_LONG_SHA_PADDING: Final = 17
"""The same with a length of 16 bytes (section 5.1.2)."""


def _up(length: int, block: int) -> int:
    return -(-length // block)


def _hmac(block: int, padding: int) -> Callable[[int], int]:
    """Counts the blocks of the inner hash and one of the outer (RFC 2104, midstates kept)."""
    return lambda length: _up(length + padding, block) + 1


def _blocks(block: int) -> Callable[[int], int]:
    """Counts every started block, and one for an empty message (SP 800-38B, section 6.2)."""
    return lambda length: max(_up(length, block), 1)


_HMAC_64: Final = _hmac(64, _SHA_PADDING)
_HMAC_128: Final = _hmac(128, _LONG_SHA_PADDING)
_BLOCKS_16: Final = _blocks(16)
_CALLS: Final[dict[str, tuple[Callable[[int], int], int]]] = {
    "hmac-md5": (_HMAC_64, 64),
    "hmac-sha1": (_HMAC_64, 64),
    "hmac-sha224": (_HMAC_64, 64),
    "hmac-sha256": (_HMAC_64, 64),
    "hmac-sha384": (_HMAC_128, 128),
    "hmac-sha512": (_HMAC_128, 128),
    "cmac-aes128": (_BLOCKS_16, 16),
    "cmac-aes256": (_BLOCKS_16, 16),
    "cbc-mac-aes128": (_BLOCKS_16, 16),
    "xcbc-aes128": (_BLOCKS_16, 16),
    "cmac-shacal1": (_blocks(20), 20),
    "chaskey-8": (_BLOCKS_16, 16),
    "chaskey-12": (_BLOCKS_16, 16),
    "chaskey-lts": (_BLOCKS_16, 16),
    "poly1305": (_BLOCKS_16, 16),
    "gmac-aes128": (_BLOCKS_16, 16),
    # 8 bytes a word, the last with the length (SipHash, section 2.1); 4 for HalfSipHash.
    "siphash-1-3": (lambda length: length // 8 + 1, 8),
    "siphash-2-4": (lambda length: length // 8 + 1, 8),
    "siphash-2-4-128": (lambda length: length // 8 + 1, 8),
    "halfsiphash-2-4": (lambda length: length // 4 + 1, 4),
    "halfsiphash-2-4-64": (lambda length: length // 4 + 1, 4),
    # A padding bit follows the message (Ascon-Mac v1.3); 32 bytes are absorbed at once.
    "ascon-mac": (lambda length: length // 32 + 1, 32),
    "ascon-prf": (lambda length: length // 32 + 1, 32),
    # The block of the key is done before (RFC 7693, section 2.9).
    "blake2s-mac": (_blocks(64), 64),
    "blake2b-mac": (_blocks(128), 128),
    "sha1": (lambda length: _up(length + _SHA_PADDING, 64), 64),
    "sha256": (lambda length: _up(length + _SHA_PADDING, 64), 64),
    "aes128": (_BLOCKS_16, 16),
    "shacal1": (_blocks(20), 20),
}
"""Algorithm -> calls by length in bytes, and the bytes of a step."""


def calls(algorithm: str, message_bytes: int) -> int | None:
    """Returns the calls of the primitive for a message; None if the table lacks the algorithm.

    Example:
        >>> [calls("hmac-sha1", size) for size in (0, 55, 56)]
        [2, 2, 3]
    """
    known = _CALLS.get(algorithm)
    return None if known is None else known[0](message_bytes)


def step_bytes(algorithm: str) -> int | None:
    """Returns the bytes of message between one call and the next; None as for `calls`."""
    known = _CALLS.get(algorithm)
    return None if known is None else known[1]


def ccm_calls(associated_bytes: int, encrypted_bytes: int) -> int:
    """Returns the calls of AES for the tag of CCM (SP 800-38C, sections 6.2 and A.2).

    They are for the first block, the associated data behind their length of 2 bytes, the message,
    and the counter block that hides the tag. Counter blocks that encrypt the message do not count.
    """
    associated = _up(associated_bytes + 2, 16) if associated_bytes else 0
    return 1 + associated + _up(encrypted_bytes, 16) + 1


def blocks_of_message(
    algorithm: str, message_bytes: int, workload: Mapping[str, int | None]
) -> int | None:
    """Returns the blocks of a message, as the workload of a core counts blocks; None if unknown.

    A core that hashes the outer block of HMAC beside the next message counts the inner ones alone.

    Example:
        >>> blocks_of_message("hmac-sha1", 64, {"message_bytes": 29, "blocks_per_message": 2})
        3
    """
    known, blocks = workload.get("message_bytes"), workload.get("blocks_per_message")
    if known is None or blocks is None:
        return None
    if message_bytes == known:
        return blocks
    wanted, there = calls(algorithm, message_bytes), calls(algorithm, known)
    return None if wanted is None or there is None else blocks + wanted - there
