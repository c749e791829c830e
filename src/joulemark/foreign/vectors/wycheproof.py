# SPDX-License-Identifier: Apache-2.0
"""Test vectors as Project Wycheproof writes them: JSON of `mac_test_schema` and with nonces.

The tests of `mac_with_iv_test_schema` have a nonce, which the files call iv. Groups have the sizes
of key and tag in bits; tests have a key, a message, a tag and a verdict. A tag that is cut has the
first bits of the whole tag (RFC 2104, section 5; NIST SP 800-38B, section 6.2). The tags of VMAC
are not cut: each size is another algorithm, although the files give all sizes one name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

from pydantic import BaseModel, Field

from joulemark.foreign.json import parse_json
from joulemark.foreign.records import record_from_json
from joulemark.foreign.text import ForeignError, shortened
from joulemark.foreign.vectors.records import (
    MOST_VECTORS,
    Vector,
    VectorFile,
    VectorVerdict,
    hexadecimal,
    plain_name,
)

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
    groups: list[dict[str, Any]] = Field(alias="testGroups")


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
