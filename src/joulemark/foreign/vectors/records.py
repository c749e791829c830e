# SPDX-License-Identifier: Apache-2.0
"""Test vectors from outside as typed values, whatever the format of their file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Final

from joulemark.foreign.text import ForeignError, shortened

MOST_VECTORS: Final = 100_000
_DIGITS: Final = re.compile(r"(?:[0-9A-Fa-f]{2})*")
_NAME: Final = re.compile(r"[^a-z0-9]")
_SAME: Final = {"aescmac": "cmacaes", "aesgmac": "gmacaes", "siphashx24": "siphash24128"}
"""Name of an algorithm in files -> its name here."""
_OF_EACH_KEY: Final = {"cmacaes", "gmacaes", "vmac64aes", "vmac128aes"}
"""Names that do not state the key's length."""


class VectorVerdict(Enum):
    """The word of a file on a tag or digest."""

    VALID = "valid"
    INVALID = "invalid"
    ACCEPTABLE = "acceptable"
    """An implementation may take or refuse it."""


@dataclass(frozen=True, slots=True)
class Vector:
    """One message with its tag or digest."""

    name: str
    """Place in the file: `tcId 17`, `line 42`."""
    algorithm: str
    """Name of the algorithm, as `plain_name` writes it."""
    key: bytes | None
    """None for a hash."""
    message: bytes
    output: bytes
    """Tag or digest, which may be cut to its first bytes."""
    output_bytes: int
    """Length that the output must have."""
    verdict: VectorVerdict = VectorVerdict.VALID
    comment: str = ""
    nonce: bytes | None = None
    """None where the algorithm takes none."""

    @property
    def id(self) -> str:
        """The number in the name."""
        return self.name.rpartition(" ")[2]

    def is_of(self, algorithm: str) -> bool:
        """Whether the vector tests this algorithm; `cmacaes` tests CMAC of each key length."""
        own = plain_name(algorithm)
        if self.algorithm in _OF_EACH_KEY:
            return own.startswith(self.algorithm)
        return own == self.algorithm

    def equals(self, output: bytes) -> bool:
        """Whether an output, cut to the vector's length, equals the vector's output."""
        cut = output[: self.output_bytes]
        return cut == self.output and len(cut) == self.output_bytes


@dataclass(frozen=True, slots=True)
class VectorFile:
    """The vectors of a file that can be run, and the number of those that cannot."""

    form: str
    """`Wycheproof`, `NIST CAVP` or `NIST ACVP`."""
    vectors: tuple[Vector, ...]
    passed_over: Mapping[str, int]
    """Reason -> number of vectors."""


def hexadecimal(text: str, where: str) -> bytes:
    """The bytes of a field.

    Raises:
        ForeignError: the field has other signs than pairs of hexadecimal digits.
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
