# SPDX-License-Identifier: Apache-2.0
"""Files of test vectors in the formats of Wycheproof and NIST."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from joulemark.foreign.errors import ForeignError
from joulemark.foreign.vectors import Verdict, plain_name, read_vectors

GROUP = {"type": "MacTest", "keySize": 128, "tagSize": 64, "tests": [
    {"tcId": 1, "comment": "short", "key": "00" * 16, "msg": "", "tag": "0102030405060708",
     "result": "valid", "flags": []},
    {"tcId": 7, "key": "00" * 16, "msg": "Aa", "tag": "01", "result": "invalid"},
    {"tcId": 8, "key": "", "msg": "00", "tag": "01", "result": "acceptable", "more": 1},
]}  # fmt: skip
FILE = {"algorithm": "AES-CMAC", "schema": "mac_test_schema.json", "numberOfTests": 3,
        "testGroups": [GROUP]}  # fmt: skip


def read(folder: Path, content: str) -> Any:
    """The vectors that are read from a file with this content."""
    (folder / "x").write_text(content, "utf-8")
    return read_vectors(folder / "x")


def test_wycheproof_is_read(tmp_path):
    """Key, message, tag with its length, and verdict are read for each test."""
    file = read(tmp_path, json.dumps(FILE))
    first, second, third = file.vectors
    assert (file.form, file.passed_over) == ("Wycheproof", {})
    assert (first.name, first.id, first.comment) == ("tcId 1", "1", "short")
    assert (first.key, first.message, first.output.hex()) == (bytes(16), b"", "0102030405060708")
    assert (first.output_bytes, second.output_bytes) == (8, 8)
    assert [vector.verdict for vector in file.vectors] == [
        Verdict.VALID, Verdict.INVALID, Verdict.ACCEPTABLE
    ]  # fmt: skip
    assert (second.message, third.key) == (b"\xaa", b"")
    assert first.algorithm == "cmacaes"


def test_nonces_are_read(tmp_path):
    """A test of a group with nonces has one; VMAC's algorithm is known by the size of its tag."""
    tests = [test | {"iv": "0a0b"} for test in GROUP["tests"]]
    group = GROUP | {"type": "MacWithIvTest", "ivSize": 16, "tests": tests}
    file = read(tmp_path, json.dumps(FILE | {"algorithm": "VMAC-AES", "testGroups": [group]}))
    assert {vector.nonce for vector in file.vectors} == {b"\x0a\x0b"}
    assert {vector.algorithm for vector in file.vectors} == {"vmac64aes"}
    assert file.vectors[0].is_of("vmac-64-aes128")
    assert not file.vectors[0].is_of("vmac-128-aes128")
    group["tests"][0].pop("iv")
    with pytest.raises(ForeignError, match=r"testGroups\.0: tests\.0\.iv: field required"):
        read(tmp_path, json.dumps(FILE | {"testGroups": [group]}))


def test_groups_of_other_kinds_are_counted(tmp_path):
    """A group of authenticated encryption is reported as passed over; MACs beside it are read."""
    other = {"type": "AeadTest", "tests": [{"tcId": 20}, {"tcId": 21}]}
    file = read(tmp_path, json.dumps(FILE | {"testGroups": [other, GROUP]}))
    assert len(file.vectors) == 3
    assert [(number, "AeadTest" in why) for why, number in file.passed_over.items()] == [(2, True)]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda item: item.update(msg="0"), "tcId 1: msg: '0' is no hexadecimal"),
        (lambda item: item.update(key="zz"), "tcId 1: key: 'zz' is no hexadecimal"),
        (lambda item: item.update(tag=7), "testGroups.0: tests.0.tag: "),
        (lambda item: item.pop("tag"), "testGroups.0: tests.0.tag: field required"),
        (lambda item: item.update(result="maybe"), "result: 'maybe' is none of valid, invalid"),
        (lambda item: item.update(tcId=-1), "testGroups.0: tests.0.tcId: "),
    ],
)
def test_a_wrong_field_is_named(tmp_path, change, said):
    """The error about a wrong field names the group and the test."""
    value = json.loads(json.dumps(FILE))
    change(value["testGroups"][0]["tests"][0])
    with pytest.raises(ForeignError) as caught:
        read(tmp_path, json.dumps(value))
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("{", "no JSON"),
        ('{"a": 1}', "algorithm: field required"),
        (json.dumps(FILE | {"testGroups": 1}), "testGroups: "),
        (json.dumps(FILE | {"testGroups": [GROUP | {"tagSize": 12}]}), "12 bits are no whole"),
        ("Len 8", "line 1: 'Len 8' is no name = value"),
        ("Len = 8\nLen = 8", "line 2: Len is given twice"),
        ("\nLen = 16\nMsg = 00\nMD = 00\n", "line 2: Len is 16 bits, and Msg has 1 bytes"),
        ("Len = x\nMsg = 00\nMD = 00\n", "line 1: Len: 'x' is no length"),
        ("Len = 8\nMsg = 0g\nMD = 00\n", "line 1: Msg: '0g' is no hexadecimal"),
        ("Len = 8\nMsg = 00\n", "line 1: a vector has Len, Msg"),
        ("Klen = 1\nTlen = 2\nKey = 00\nMsg = 00\nMac = 00\n", "line 1: Tlen is 2, and Mac has"),
        ("Klen = 2\nTlen = 1\nKey = 00\nMsg = 00\nMac = 00\n", "line 1: Klen is 2, and Key has"),
    ],
)  # fmt: skip
def test_a_file_of_neither_format_is_refused(tmp_path, value, said):
    """The refusal says what is wrong with the file, and where."""
    with pytest.raises(ForeignError) as caught:
        read(tmp_path, value)
    assert said in str(caught.value)


def test_nists_hashes_are_read(tmp_path):
    """Lengths are in bits; a message of no bits is written as a byte."""
    text = """#  CAVS 11.0
#  "SHA-256 ShortMsg" information
[L = 32]

Len = 0
Msg = 00
MD = e3b0c442

Len = 8
Msg = d3
MD = 28969cdf

Len = 5
Msg = d8
MD = 28969cdf
"""
    empty, entry = read(tmp_path, text).vectors
    assert (empty.message, empty.key, empty.name, empty.id) == (b"", None, "line 5", "5")
    assert (entry.message, entry.output.hex(), entry.output_bytes) == (b"\xd3", "28969cdf", 4)
    assert {empty.algorithm, entry.algorithm} == {"sha256"}
    assert list(read(tmp_path, text).passed_over.values()) == [1]


def test_nists_macs_are_read(tmp_path):
    """Lengths are in bytes; a section says which hash, a verdict what to expect."""
    text = """[L=20]\n\nCount = 0\nKlen = 2\nTlen = 4\nKey = 0102\nMsg = ff\nMac = 01020304\n
[L=32]\n\nCount = 0\nKlen = 1\nTlen = 4\nKey = 01\nMsg = ff\nMac = 01020304\n"""
    first, second = read(tmp_path, text).vectors
    assert (first.algorithm, second.algorithm) == ("hmacsha1", "hmacsha256")
    assert (first.key, first.output_bytes) == (b"\1\2", 4)
    text = """Count = 0\nKlen = 1\nMlen = 0\nTlen = 2\nKey = 01\nMsg = 00\nMac = 0102
Result = F (1 - Message changed)\n\nCount = 1\nKey1 = 01\nKey2 = 01\n\nSeed = 00\n"""
    file = read(tmp_path, text)
    (wrong,) = file.vectors
    assert (wrong.message, wrong.verdict, wrong.algorithm) == (b"", Verdict.INVALID, "cmacaes")
    assert wrong.comment == "1 - Message changed"
    assert ["triple DES" in why or "Monte Carlo" in why for why in file.passed_over] == [True] * 2


def test_a_file_without_end_is_refused():
    """A device without end is refused before it fills the memory."""
    with pytest.raises(ForeignError, match="device"):
        read_vectors(Path("/dev/zero"))


@pytest.mark.parametrize(
    ("names", "same"),
    [(("HMACSHA256", "hmac-sha256"), True), (("SipHash-2-4", "siphash-2-4"), True),
     (("SipHashX-2-4", "siphash-2-4-128"), True), (("HMACSHA1", "hmac-sha256"), False)],
)  # fmt: skip
def test_names_of_algorithms_are_compared(names, same):
    """Names of algorithms agree whatever signs a format puts between the letters."""
    assert (plain_name(names[0]) == plain_name(names[1])) is same
