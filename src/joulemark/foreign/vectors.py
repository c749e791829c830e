# SPDX-License-Identifier: Apache-2.0
"""Test vectors from outside as typed values, and NIST's `.rsp` files of them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Final

from joulemark.foreign import ForeignError, shortened

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

    def __post_init__(self) -> None:
        """Refuses a vector that would compare nothing, or blame code for a damaged file."""
        if not self.output_bytes:
            raise ForeignError(f"{self.name}: its tag or digest has no bytes to compare")
        if self.verdict is VectorVerdict.VALID and len(self.output) != self.output_bytes:
            raise ForeignError(
                f"{self.name}: it is valid, and its tag has {len(self.output)} bytes where the "
                f"file says {self.output_bytes}"
            )

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
    """The bytes of a field."""
    if _DIGITS.fullmatch(text) is None:
        raise ForeignError(
            f"{where}: {shortened(text, 30)!r} is no hexadecimal number of whole bytes"
        )
    return bytes.fromhex(text)


def plain_name(algorithm: str) -> str:
    """An algorithm's name without what formats write differently: `HMACSHA256`, `hmac-sha256`."""
    name = _NAME.sub("", algorithm.lower())
    return _SAME.get(name, name)


# Test vectors as NIST's validation programme writes them: `.rsp` files of hashes, HMAC and CMAC.
#
# Lines of `name = value` make a vector, an empty line ends it, and `[L = 32]` holds for the
# vectors after it. Lengths are in bits for messages of a hash (`Len`; The Secure Hash Algorithm
# Validation System), in bytes for HMAC (`Klen`, `Tlen`; The Keyed-Hash Message Authentication
# Code Validation System) and for CMAC (`Klen`, `Mlen`, `Tlen`; The CMAC Validation System). A
# message of no bits is `00`.

_LINE: Final = re.compile(r"\s*(\w+)\s*=\s*(.*?)\s*")
_SECTION: Final = re.compile(r"\s*\[(.*)\]\s*")
_HASH: Final = re.compile(r"SHA-?(?:3-)?\d+(?:/\d+)?", re.IGNORECASE)
_DIGESTS: Final = {20: "sha1", 28: "sha224", 32: "sha256", 48: "sha384", 64: "sha512"}
"""Length in bytes, which a section states -> the hash with digests of this length."""
_MOST_DIGITS: Final = 9


@dataclass(slots=True)
class _Reading:
    """The fields of one vector, and the facts above them that hold for it."""

    title: str = ""
    """The hash that the comments at the head of the file name."""
    section: dict[str, str] = field(default_factory=dict)
    fields: dict[str, str] = field(default_factory=dict)
    begin: int = 0
    """Line on which the vector begins."""

    @property
    def where(self) -> str:
        return f"line {self.begin}"

    def hexadecimal(self, name: str) -> bytes:
        return hexadecimal(self.fields[name], f"{self.where}: {name}")

    def number(self, name: str) -> int:
        text = self.fields[name]
        if not (text.isascii() and text.isdecimal() and len(text) <= _MOST_DIGITS):
            raise ForeignError(f"{self.where}: {name}: {shortened(text, 30)!r} is no length")
        return int(text)


def read_cavp(content: bytes) -> VectorFile:
    """The vectors of a file; tests of other kinds are passed over.

    Raises:
        ForeignError: a line is not of this format, a field is missing, or a field is not as long as
            the file says; the text begins with the line.
    """
    vectors: list[Vector] = []
    passed_over: Counter[str] = Counter()
    for record in _records(content.decode("utf-8", "replace")):
        vector = _vector(record)
        if isinstance(vector, str):
            passed_over[vector] += 1
        elif vector is not None:
            vectors.append(vector)
        if len(vectors) > MOST_VECTORS:
            raise ForeignError(f"it has more than {MOST_VECTORS} vectors")
    return VectorFile("NIST CAVP", tuple(vectors), passed_over)


def _records(text: str) -> Iterator[_Reading]:
    """The groups of fields of a file."""
    reading = _Reading()
    for number, line in enumerate([*text.splitlines(), ""], 1):
        stripped = line.strip()
        section = _SECTION.fullmatch(line)
        if stripped.startswith("#"):
            if not reading.title and (title := _HASH.search(stripped)):
                reading.title = plain_name(title.group())
        elif stripped and not section:
            _add_field(reading, number, stripped)
        else:
            if reading.fields:
                yield reading
                reading.fields = {}
            if section:
                assigned = _LINE.fullmatch(section[1])
                reading.section = {assigned[1]: assigned[2]} if assigned else {}


def _add_field(reading: _Reading, number: int, line: str) -> None:
    """Takes one line of `name = value`."""
    assigned = _LINE.fullmatch(line)
    if assigned is None:
        raise ForeignError(f"line {number}: {shortened(line, 40)!r} is no name = value")
    name, value = assigned.groups()
    if name in reading.fields:
        raise ForeignError(f"line {number}: {shortened(name, 40)} is given twice")
    if not reading.fields:
        reading.begin = number
    reading.fields[name] = value


def _vector(reading: _Reading) -> Vector | str | None:
    """A vector; the reason why it is passed over; or None for fields that belong to no vector."""
    names = reading.fields.keys()
    if {"Len", "Msg", "MD"} <= names:
        return _of_hash(reading)
    if {"Klen", "Key", "Msg", "Mac"} <= names:
        return _of_mac(reading)
    if "Key1" in names:
        return "they are of triple DES, of which no core here is"
    if "Seed" in names or {"COUNT", "MD"} <= names:
        return "they are of the Monte Carlo test, which is no single message"
    if names & {"Msg", "MD", "Mac", "Key"}:
        wanted = "Len, Msg and MD, or Klen, Key, Msg and Mac"
        raise ForeignError(f"{reading.where}: a vector has {', '.join(names)}; it needs {wanted}")
    return None


def _of_hash(reading: _Reading) -> Vector | str:
    bits = reading.number("Len")
    if bits % 8:
        return "their messages are of no whole number of bytes"
    digest = reading.hexadecimal("MD")
    algorithm = reading.title or _DIGESTS.get(len(digest), "")
    message = _message(reading, bits // 8, f"Len is {bits} bits")
    return Vector(reading.where, algorithm, None, message, digest, len(digest))


def _of_mac(reading: _Reading) -> Vector:
    key, mac = reading.hexadecimal("Key"), reading.hexadecimal("Mac")
    _require_length(reading, "Klen", len(key), "Key")
    if "Tlen" in reading.fields:
        _require_length(reading, "Tlen", len(mac), "Mac")
    if "Mlen" in reading.fields:
        size = reading.number("Mlen")
        message, algorithm = _message(reading, size, f"Mlen is {size} bytes"), "cmacaes"
    else:
        message = reading.hexadecimal("Msg")
        text = reading.section.get("L", "")
        digest_bytes = int(text) if text.isascii() and text.isdecimal() and len(text) < 5 else 0
        algorithm = f"hmac{_DIGESTS.get(digest_bytes, f'withadigestof{digest_bytes}bytes')}"
    return Vector(
        reading.where,
        algorithm,
        key,
        message,
        mac,
        len(mac),
        VectorVerdict.INVALID
        if reading.fields.get("Result", "P").startswith("F")
        else VectorVerdict.VALID,
        shortened(reading.fields.get("Result", "").partition("(")[2].rstrip(")")),
    )


def _message(reading: _Reading, size: int, stated: str) -> bytes:
    message = reading.hexadecimal("Msg")
    if size == 0 and message in {b"", b"\0"}:
        return b""
    if len(message) != size:
        raise ForeignError(f"{reading.where}: {stated}, and Msg has {len(message)} bytes")
    return message


def _require_length(reading: _Reading, name: str, size: int, what: str) -> None:
    if reading.number(name) != size:
        raise ForeignError(
            f"{reading.where}: {name} is {reading.fields[name]}, and {what} has {size} bytes"
        )
