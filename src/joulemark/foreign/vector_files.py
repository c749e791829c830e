# SPDX-License-Identifier: Apache-2.0
"""Files of test vectors that a user has: Wycheproof's JSON, and NIST's `.rsp` and ACVP's JSON."""

from __future__ import annotations

import codecs
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel, Field

from joulemark.foreign import ForeignError, read_whole, shortened
from joulemark.foreign.records import parse_json, record_from_json
from joulemark.foreign.vectors import (
    MOST_VECTORS,
    Vector,
    VectorFile,
    VectorVerdict,
    hexadecimal,
    plain_name,
    read_cavp,
)

_JSON: Final = re.compile(rb"\s*(?:\{|\[\s*[{\]])")
"""Begin of an object, or of a list of objects; a `.rsp` file may begin with `[L = 32]`."""
_MOST_BYTES: Final = 16 << 20
"""Four times the size of the largest published files, those of long messages."""


def read_vectors(path: Path) -> VectorFile:
    """The vectors of a file of one of these formats; its first signs tell the format.

    Questions of ACVP are joined with the answers in the same folder, and the other way round.

    Raises:
        ForeignError: the file cannot be read, is of no such format, or breaks its format.
    """
    content = read_whole(path, _MOST_BYTES).removeprefix(codecs.BOM_UTF8)
    if _JSON.match(content) is None:
        return read_cavp(content)
    value = parse_json(content)
    if not is_acvp(value):
        return read_wycheproof(content)
    other = {QUESTIONS: ANSWERS, ANSWERS: QUESTIONS}.get(path.name, "")
    if other and path.with_name(other).exists():
        beside = parse_json(read_whole(path.with_name(other), _MOST_BYTES))
        value = joined(value, beside) if path.name == QUESTIONS else joined(beside, value)
    return read_acvp(value)


# Test vectors as NIST's ACVP writes them, which took the place of the `.rsp` files: JSON.
#
# A vector set has an `algorithm` and `testGroups`; it stands alone, as in
# `internalProjection.json`, or in a list behind the version of the protocol. A group has what its
# tests share: `testType`, `keyLen`, `msgLen` and `macLen` in bits, `direction`. The questions
# (`prompt.json`) and the answers (`expectedResults.json`) of a set may be two files with the same
# numbers, which are joined if they lie in one folder. Read are HMAC, CMAC of AES, KMAC, GMAC
# (`ACVP-AES-GMAC`) and plain hashes.

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


def _sets_of(value: Any) -> list[dict[str, object]]:
    """The vector sets of a file."""
    parts = value if isinstance(value, list) else [value]
    return [part for part in parts if isinstance(part, dict) and "testGroups" in part]


def _set_of(value: Any) -> dict[str, object]:
    """The first vector set of a file; empty if there is none."""
    return next(iter(_sets_of(value)), {})


def joined(value: Any, other: Any) -> Any:
    """A set of questions with the answers of the same numbers, or the other way round.

    Raises:
        ForeignError: the two are of different vector sets.
    """
    first, second = _set_of(value), _set_of(other)
    if max(len(_sets_of(value)), len(_sets_of(other))) > 1:
        raise ForeignError(
            f"{QUESTIONS} or {ANSWERS} has several vector sets; give one set in a folder"
        )
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


def _shared(group: Mapping[str, object]) -> dict[str, object]:
    return {name: field for name, field in group.items() if name not in {"tests", "tgId"}}


def read_acvp(content: bytes | str | Mapping[str, object]) -> VectorFile:
    """The vectors of a set; tests that cannot be computed here are passed over, with the reason.

    Raises:
        ForeignError: it is no JSON, or a field is missing, of another type or of another length
            than the file states.
    """
    value = parse_json(content) if isinstance(content, bytes | str) else content
    sets = _sets_of(value)
    if not sets:
        raise ForeignError("it has no testGroups, which a vector set of ACVP has")
    vectors: list[Vector] = []
    passed_over: Counter[str] = Counter()
    for whole in sets:
        algorithm = _SHA2.sub(
            lambda found: f"SHA{'-'.join(filter(None, found.groups()))}",
            _OF_ACVP.sub("", str(whole.get("algorithm", ""))),
        )
        place = f"vsId {shortened(str(whole.get('vsId')), 20)}, " if len(sets) > 1 else ""
        for group in _list(whole, "testGroups"):
            for test in _list(group, "tests"):
                where = f"{place}tcId {_number(test, 'tcId')}"
                try:
                    vectors.append(_vector(algorithm, where, {**_shared(group), **test}))
                except _PassedOverError as reason:
                    passed_over[str(reason)] += 1
            if len(vectors) > MOST_VECTORS:
                raise ForeignError(f"it has more than {MOST_VECTORS} vectors")
    return VectorFile("NIST ACVP", tuple(vectors), passed_over)


def _vector(algorithm: str, where: str, fields: Mapping[str, object]) -> Vector:
    name = plain_name(algorithm)
    family = next((start for start in _SETS if name.startswith(start)), "")
    if not family:
        shown = shortened(algorithm, 30) or "no algorithm"
        raise _PassedOverError(f"they are of {shown}; of ACVP hashes and MACs are read")
    _refuse_other_kinds(fields)
    message_name, output_name = _SETS[family]
    is_hash, is_gmac = family == "sha", family == "gmacaes"
    needed = [message_name, output_name, *(() if is_hash else ("key",)), *(["iv"] * is_gmac)]
    _require(fields, needed, where)
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


def _refuse_other_kinds(fields: Mapping[str, object]) -> None:
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


def _require(fields: Mapping[str, object], needed: Sequence[str], where: str) -> None:
    """Passes over tests without one of these fields, or without the verdict that they ask for."""
    missing = [field for field in needed if field not in fields]
    judged = str(fields.get("direction", "")).lower() in {"ver", "decrypt"}
    if (judged or fields.get("testType") == "MVT") and "testPassed" not in fields:
        missing.append("testPassed")
    if not isinstance(fields.get("testPassed", True), bool):
        shown = shortened(str(fields["testPassed"]), 30)
        raise ForeignError(f"{where}: testPassed: {shown!r} is neither true nor false")
    if missing:
        raise _PassedOverError(
            f"they have no {', '.join(missing)}: give internalProjection.json, or {QUESTIONS} "
            f"with {ANSWERS} in its folder"
        )


def _of_bits(fields: Mapping[str, object], field: str, length: str, where: str) -> bytes:
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


def _list(value: Mapping[str, object], name: str) -> list[dict[str, object]]:
    items = value.get(name)
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise ForeignError(f"{name}: it is no list of objects")
    return items


def _number(value: Mapping[str, object], name: str) -> int:
    number = value.get(name)
    if not isinstance(number, int) or isinstance(number, bool) or number < 0:
        raise ForeignError(f"{name}: {shortened(str(number), 30)!r} is no number of a test")
    return number


# Test vectors as Project Wycheproof writes them: JSON of `mac_test_schema` and with nonces.
#
# The tests of `mac_with_iv_test_schema` have a nonce, which the files call iv. Groups have the
# sizes of key and tag in bits; tests have a key, a message, a tag and a verdict. A tag that is
# cut has the first bits of the whole tag (RFC 2104, section 5; NIST SP 800-38B, section 6.2). The
# tags of VMAC are not cut: each size is another algorithm, although the files give all sizes one
# name.

_MAC: Final = "MacTest"
_MAC_WITH_NONCE: Final = "MacWithIvTest"
_NAMED_BY_TAG: Final = {"vmacaes": "vmac{}aes"}
"""Name of several algorithms in files -> pattern of their names here, with the bits of the tag."""
_VERDICTS: Final = {verdict.value: verdict for verdict in VectorVerdict}


class _Test(BaseModel):
    id: int = Field(alias="tcId", ge=0)
    key: str
    message: str = Field(alias="msg")
    tag: str
    result: str
    comment: str = ""


class _TestWithNonce(_Test):
    nonce: str = Field(alias="iv")


class _Group(BaseModel):
    tag_bits: int = Field(alias="tagSize", ge=8, le=4096)
    tests: list[_Test]


class _GroupWithNonces(_Group):
    tests: list[_TestWithNonce]  # type: ignore[assignment]


class _File(BaseModel):
    algorithm: str
    groups: list[dict[str, object]] = Field(alias="testGroups")


def read_wycheproof(content: bytes) -> VectorFile:
    """The vectors of a file; groups of another kind than MACs are passed over.

    Raises:
        ForeignError: it is no JSON, or a field is missing or of another type.
    """
    file = record_from_json(_File, parse_json(content))
    passed_over: Counter[str] = Counter()
    vectors: list[Vector] = []
    for number, group in enumerate(file.groups):
        kind = str(group.get("type"))
        if kind not in {_MAC, _MAC_WITH_NONCE}:
            tests = group.get("tests")
            shown = shortened(kind, 30)
            reason = f"they are of the type {shown}, and only tags and digests can be held to it"
            passed_over[reason] += len(tests) if isinstance(tests, list) else 1
            continue
        form = _GroupWithNonces if kind == _MAC_WITH_NONCE else _Group
        try:
            vectors += _of_group(record_from_json(form, group), plain_name(file.algorithm))
        except ForeignError as error:
            raise ForeignError(f"testGroups.{number}: {error}") from None
        if len(vectors) > MOST_VECTORS:
            raise ForeignError(f"it has more than {MOST_VECTORS} vectors")
    return VectorFile("Wycheproof", tuple(vectors), passed_over)


def _of_group(group: _Group, algorithm: str) -> Iterator[Vector]:
    if group.tag_bits % 8:
        raise ForeignError(f"tagSize: {group.tag_bits} bits are no whole bytes")
    algorithm = _NAMED_BY_TAG.get(algorithm, algorithm).format(group.tag_bits)
    for test in group.tests:
        where = f"tcId {test.id}"
        if test.result not in _VERDICTS:
            raise ForeignError(
                f"{where}: result: {shortened(test.result, 30)!r} is none of {', '.join(_VERDICTS)}"
            )
        nonce = test.nonce if isinstance(test, _TestWithNonce) else None
        yield Vector(
            name=where,
            algorithm=algorithm,
            key=hexadecimal(test.key, f"{where}: key"),
            message=hexadecimal(test.message, f"{where}: msg"),
            output=hexadecimal(test.tag, f"{where}: tag"),
            output_bytes=group.tag_bits // 8,
            verdict=_VERDICTS[test.result],
            comment=shortened(test.comment),
            nonce=None if nonce is None else hexadecimal(nonce, f"{where}: iv"),
        )
