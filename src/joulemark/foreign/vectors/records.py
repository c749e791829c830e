# SPDX-License-Identifier: Apache-2.0
"""Test vectors of somebody else as typed values, whatever the format of their file."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Final

from joulemark.foreign.errors import ForeignError
from joulemark.foreign.text import shortened

__all__ = ["MOST_VECTORS", "Vector", "VectorFile", "Verdict", "hexadecimal", "plain_name"]

MOST_VECTORS: Final = 100_000
_DIGITS: Final = re.compile(r"(?:[0-9A-Fa-f]{2})*")
_NAME: Final = re.compile(r"[^a-z0-9]")
_SAME: Final = {"aescmac": "cmacaes", "aesgmac": "gmacaes", "siphashx24": "siphash24128"}
"""What a file calls an algorithm -> what it is called here."""
_OF_EACH_KEY: Final = {"cmacaes", "gmacaes", "vmac64aes", "vmac128aes"}
"""Names that say nothing of the key's length."""


class Verdict(Enum):
    """What a file says of its tag or digest."""

    VALID = "valid"
    INVALID = "invalid"
    ACCEPTABLE = "acceptable"
    """An implementation may take or refuse it."""


@dataclass(frozen=True, slots=True)
class Vector:
    """One message with its tag or digest."""

    name: str
    """Where it stands: `tcId 17`, `line 42`."""
    algorithm: str
    """As `plain_name` writes it."""
    key: bytes | None
    """None for a hash."""
    message: bytes
    output: bytes
    """Tag or digest, which may be cut to its first bytes."""
    output_bytes: int
    """How many it must have to be taken."""
    verdict: Verdict = Verdict.VALID
    comment: str = ""
    nonce: bytes | None = None
    """None where the algorithm takes none."""

    @property
    def id(self) -> str:
        """The number in its name."""
        return self.name.rpartition(" ")[2]

    def is_of(self, algorithm: str) -> bool:
        """Whether it is of this algorithm of the catalogue; `cmacaes` is of each key length."""
        own = plain_name(algorithm)
        if self.algorithm in _OF_EACH_KEY:
            return own.startswith(self.algorithm)
        return self.algorithm == own

    def equals(self, output: bytes) -> bool:
        """Whether an output, cut to the length that the vector has, is the vector's."""
        cut = output[: self.output_bytes]
        return cut == self.output and len(cut) == self.output_bytes


@dataclass(frozen=True, slots=True)
class VectorFile:
    """All of a file that can be run, and how much of it cannot."""

    form: str
    """`Wycheproof` or `NIST CAVP`."""
    vectors: tuple[Vector, ...]
    passed_over: Mapping[str, int] = field(default_factory=Counter)
    """Reason -> number of vectors."""


def hexadecimal(text: str, where: str) -> bytes:
    """The bytes of a field.

    Raises:
        ForeignError: it has anything but pairs of hexadecimal digits.
    """
    if _DIGITS.fullmatch(text) is None:
        raise ForeignError(
            f"{where}: {shortened(text, 30)!r} is no hexadecimal number of whole bytes"
        )
    return bytes.fromhex(text)


def plain_name(algorithm: str) -> str:
    """An algorithm's name without what formats write differently: `HMACSHA256`, `hmac-sha256`."""
    name = _NAME.sub("", algorithm.lower())
    return _SAME.get(name, name)
