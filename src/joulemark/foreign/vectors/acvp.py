# SPDX-License-Identifier: Apache-2.0
"""Test vectors as NIST's ACVP writes them, which took the place of the `.rsp` files: JSON.

A vector set has an `algorithm` and `testGroups`; it stands alone, as in `internalProjection.json`,
or in a list behind the version of the protocol. A group has what its tests share: `testType`,
`keyLen`, `msgLen` and `macLen` in bits, `direction`. The questions (`prompt.json`) and the answers
(`expectedResults.json`) of a set may be two files with the same numbers, which are joined if they
lie in one folder. Read are HMAC, CMAC of AES, KMAC, GMAC (`ACVP-AES-GMAC`) and plain hashes.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

from joulemark.foreign.json import parse_json
from joulemark.foreign.text import ForeignError, shortened
from joulemark.foreign.vectors.records import (
    MOST_VECTORS,
    Vector,
    VectorFile,
    VectorVerdict,
    hexadecimal,
    plain_name,
)

QUESTIONS: Final = "prompt.json"
ANSWERS: Final = "expectedResults.json"
_SHA2: Final = re.compile(r"SHA2-(\d+)(?:/(\d+))?$", re.IGNORECASE)
_SETS: Final = {
    "hmac": ("msg", "mac"),
    "kmac": ("msg", "mac"),
    "cmacaes": ("message", "mac"),
    "gmacaes": ("aad", "tag"),
    "sha": ("msg", "md"),
}
"""Beginning of an algorithm's name -> the fields with message and output of its tests."""
_PLAIN_TESTS: Final = ("AFT", "MVT")
_OF_ACVP: Final = re.compile(r"^ACVP-", re.IGNORECASE)


class _PassedOverError(Exception):
    """Why a vector is passed over."""


def is_acvp(value: Any) -> bool:
    """Whether a JSON value is a vector set of ACVP, or a list with one."""
    groups = _set_of(value).get("testGroups")
    first = groups[0] if isinstance(groups, list) and groups else None
    return (
        isinstance(value, list) or "vsId" in value or (isinstance(first, dict) and "tgId" in first)
    )


def _set_of(value: Any) -> dict[str, Any]:
    """The vector set of a file; empty if there is none."""
    parts = value if isinstance(value, list) else [value]
    return next((part for part in parts if isinstance(part, dict) and "testGroups" in part), {})


def joined(value: Any, other: Any) -> Any:
    """A set of questions with the answers of the same numbers, or the other way round.

    Raises:
        ForeignError: the two are of different vector sets.
    """
    first, second = _set_of(value), _set_of(other)
    if first.get("vsId") != second.get("vsId"):
        raise ForeignError(
            f"{QUESTIONS} is of vector set {shortened(str(first.get('vsId')), 20)}, "
            f"{ANSWERS} beside it of {shortened(str(second.get('vsId')), 20)}"
        )
    further = {
        (_number(group, "tgId"), _number(test, "tcId")): {**_shared(group), **test}
        for group in _list(second, "testGroups")
        for test in _list(group, "tests")
    }
    groups = [
        {
            **group,
            "tests": [
                {**further.get((_number(group, "tgId"), _number(test, "tcId")), {}), **test}
                for test in _list(group, "tests")
            ],
        }
        for group in _list(first, "testGroups")
    ]
    return {**second, **first, "testGroups": groups}


def _shared(group: Mapping[str, Any]) -> dict[str, Any]:
    return {name: field for name, field in group.items() if name not in {"tests", "tgId"}}


def read_acvp(content: bytes | str | Mapping[str, Any]) -> VectorFile:
    """The vectors of a set; tests that cannot be computed here are passed over, with the reason.

    Raises:
        ForeignError: it is no JSON, or a field is missing, of another type or of another length
            than the file states.
    """
    value = parse_json(content) if isinstance(content, bytes | str) else content
    whole = _set_of(value)
    if not whole:
        raise ForeignError("it has no testGroups, which a vector set of ACVP has")
    algorithm = _SHA2.sub(
        lambda found: f"SHA{'-'.join(filter(None, found.groups()))}",
        _OF_ACVP.sub("", str(whole.get("algorithm", ""))),
    )
    vectors: list[Vector] = []
    passed_over: Counter[str] = Counter()
    for group in _list(whole, "testGroups"):
        for test in _list(group, "tests"):
            try:
                vectors.append(_vector(plain_name(algorithm), algorithm, group, test))
            except _PassedOverError as reason:
                passed_over[str(reason)] += 1
        if len(vectors) > MOST_VECTORS:
            raise ForeignError(f"it has more than {MOST_VECTORS} vectors")
    return VectorFile("NIST ACVP", tuple(vectors), passed_over)


def _vector(name: str, algorithm: str, group: Mapping[str, Any], test: Mapping[str, Any]) -> Vector:
    fields = {**_shared(group), **test}
    where = f"tcId {_number(test, 'tcId')}"
    family = next((start for start in _SETS if name.startswith(start)), "")
    if not family:
        shown = shortened(algorithm, 30) or "no algorithm"
        raise _PassedOverError(f"they are of {shown}; of ACVP hashes and MACs are read")
    _refuse_other_kinds(fields)
    message_name, output_name = _SETS[family]
    is_hash, is_gmac = family == "sha", family == "gmacaes"
    needed = [message_name, output_name, *(() if is_hash else ("key",)), *(["iv"] * is_gmac)]
    _require(fields, needed)
    lengths = {
        message_name: "len" if is_hash else "aadLen" if is_gmac else "msgLen",
        output_name: "tagLen" if is_gmac else "macLen",
        "key": "keyLen",
        "iv": "ivLen",
    }
    read = {field: _of_bits(fields, field, lengths[field], where) for field in needed}
    return Vector(
        where,
        name,
        read.get("key"),
        read[message_name],
        read[output_name],
        len(read[output_name]),
        VectorVerdict.INVALID if fields.get("testPassed") is False else VectorVerdict.VALID,
        shortened(str(fields.get("reason") or "")),
        read.get("iv"),
    )


def _refuse_other_kinds(fields: Mapping[str, Any]) -> None:
    """Passes over tests that are no tag or digest of one message."""
    kind = str(fields.get("testType", "AFT"))
    if kind not in _PLAIN_TESTS:
        shown = shortened(kind, 20)
        raise _PassedOverError(f"they are of the test {shown}, which is no single message")
    if fields.get("xof") is True:
        raise _PassedOverError("they are of KMACXOF, whose tags are others than KMAC's")
    if fields.get("customization") or fields.get("customizationHex"):
        raise _PassedOverError("they have a customization string")
    if fields.get("payloadLen") or fields.get("pt") or fields.get("ct"):
        raise _PassedOverError("they encrypt a text, and GMAC has none")


def _require(fields: Mapping[str, Any], needed: Sequence[str]) -> None:
    """Passes over tests without one of these fields, or without the verdict that they ask for."""
    missing = [field for field in needed if field not in fields]
    judged = str(fields.get("direction", "")).lower() in {"ver", "decrypt"}
    if (judged or fields.get("testType") == "MVT") and "testPassed" not in fields:
        missing.append("testPassed")
    if missing:
        raise _PassedOverError(
            f"they have no {', '.join(missing)}: give internalProjection.json, or {QUESTIONS} "
            f"with {ANSWERS} in its folder"
        )


def _of_bits(fields: Mapping[str, Any], field: str, length: str, where: str) -> bytes:
    """The bytes of a field whose length in bits is stated; nothing of no bits may be `00`."""
    text, bits = fields[field], fields.get(length)
    if not isinstance(text, str):
        raise ForeignError(f"{where}: {field}: {shortened(str(text), 30)!r} is no text")
    if bits is not None and (not isinstance(bits, int) or isinstance(bits, bool) or bits < 0):
        raise ForeignError(f"{where}: {length}: {shortened(str(bits), 30)!r} is no length")
    if bits is not None and bits % 8:
        raise _PassedOverError(f"their {length} is no whole number of bytes")
    content = hexadecimal(text, f"{where}: {field}")
    if bits == 0 and content in {b"", b"\0"}:
        return b""
    if bits is not None and len(content) != bits // 8:
        raise ForeignError(
            f"{where}: {length} is {bits} bits, and {field} has {len(content)} bytes"
        )
    return content


def _list(value: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    items = value.get(name)
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise ForeignError(f"{name}: it is no list of objects")
    return items


def _number(value: Mapping[str, Any], name: str) -> int:
    number = value.get(name)
    if not isinstance(number, int) or isinstance(number, bool) or number < 0:
        raise ForeignError(f"{name}: {shortened(str(number), 30)!r} is no number of a test")
    return number
