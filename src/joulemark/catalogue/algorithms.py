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
    """Facts of an algorithm that a user needs to choose it."""

    id: str
    """Also the file's name without `.toml`."""
    title: str
    kind: Literal["hash", "mac", "cipher"]
    summary: str
    """One sentence that says what the algorithm is, and what it serves for today."""
    standard: str
    """Document and section that define it."""
    references: list[str]
    """Ids in `catalogue/bibliography.toml`."""
    status: Literal["current", "legacy", "broken"]
    status_reason: str
    security_bits: int
    """Claimed strength against forgery (MAC), collision (hash) or key search (cipher)."""
    forgery: str = ""
    """Of a MAC: the greatest chance of a forgery, and where it is claimed; else empty."""
    block_bytes: int
    output_bytes: int
    key_bytes: list[int]
    """Usual key lengths, the default first; empty for a hash."""
    one_time_key: bool = False
    """True where a key may authenticate one message only."""
    one_length: bool = False
    """True where all messages that a key authenticates must have one length."""
    nonce_bytes: list[int] = field(default_factory=list)
    """Usual lengths of the nonce, the default first; empty if messages need none."""
    families: list[str] = field(default_factory=list)
    """Families of the algorithm, for patterns such as `family:sha3`."""
    ebacs: str | None = None
    """Its operation and primitive in eBACS (SUPERCOP): `crypto_hash/keccakc512`."""
    ebacs_output_bytes: int | None = None
    """Length of the output in eBACS, where it differs from ours."""
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
    by_id = {}
    for path in sorted(data_folder("catalogue").glob("algorithms/*.toml")):
        try:
            algorithm = facts_from(Algorithm, tomllib.loads(path.read_text("utf-8")))
        except ValueError as error:  # in the TOML, the UTF-8 or a field
            raise JoulemarkError(f"{path}: {error}") from error
        if algorithm.id != path.stem:
            raise JoulemarkError(f"{path}: id is '{algorithm.id}' but the file's name says other")
        by_id[algorithm.id] = algorithm
    return by_id
