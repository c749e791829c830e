# SPDX-License-Identifier: Apache-2.0
"""Facts about algorithms, read from `catalogue/algorithms/<id>.toml`."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Literal

from joulemark.catalogue.facts import facts_from
from joulemark.errors import JoulemarkError

__all__ = ["Algorithm", "algorithms", "data_folder"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Algorithm:
    """What is computed, with the facts a user needs to choose it."""

    id: str
    """Also the file's name without `.toml`."""
    title: str
    kind: Literal["hash", "mac", "cipher"]
    summary: str
    """One sentence: what it is and what it is for today."""
    standard: str
    """Document and section that define it."""
    references: list[str]
    """Ids in `catalogue/bibliography.toml`."""
    status: Literal["current", "legacy", "broken"]
    status_reason: str
    security_bits: int
    """Claimed strength against forgery (MAC), collision (hash) or key search (cipher)."""
    forgery: str = ""
    """Of a MAC: how likely a forgery is at most, and where that is claimed; else empty."""
    block_bytes: int
    output_bytes: int
    key_bytes: list[int]
    """Usual key lengths, the default first; empty for a hash."""
    one_time_key: bool = False
    """True where a key may authenticate one message only."""
    one_length: bool = False
    """True where all messages that a key authenticates must have one length."""
    nonce_bytes: list[int] = field(default_factory=list)
    """Usual lengths of the nonce, the default first, where each message needs another."""
    families: list[str] = field(default_factory=list)
    """Names under which a pattern finds it: `family:sha3`."""
    ebacs: str | None = None
    """Operation and primitive of eBACS (SUPERCOP) that it is: `crypto_hash/keccakc512`."""
    ebacs_output_bytes: int | None = None
    """Bytes of the output that are eBACS's, fewer than ours or more; None for all."""
    vectors: list[str]
    """Names of the files in `vectors/<id>/`, without `.json`."""


def data_folder(name: str) -> Path:
    """Folder of installed data: `catalogue`, `vectors`, `c`, `providers`."""
    return Path(__file__).parent.parent / "data" / name


@cache
def algorithms() -> dict[str, Algorithm]:
    """Every algorithm of the catalogue by id, in alphabetical order.

    Raises:
        JoulemarkError: a catalogue file breaks the schema; the message names file and field.
    """
    found = {}
    for path in sorted(data_folder("catalogue").glob("algorithms/*.toml")):
        try:
            algorithm = facts_from(Algorithm, tomllib.loads(path.read_text("utf-8")))
        except ValueError as error:  # of TOML, of UTF-8, of a field
            raise JoulemarkError(f"{path}: {error}") from error
        if algorithm.id != path.stem:
            raise JoulemarkError(f"{path}: id is '{algorithm.id}' but the file's name says other")
        found[algorithm.id] = algorithm
    return found
