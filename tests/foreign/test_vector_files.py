# SPDX-License-Identifier: Apache-2.0
"""Files of test vectors in the formats of Wycheproof and NIST's CAVP and ACVP."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from joulemark.foreign import ForeignError
from joulemark.foreign.vector_files import read_vectors
from joulemark.foreign.vectors import VectorVerdict, plain_name

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
        VectorVerdict.VALID, VectorVerdict.INVALID, VectorVerdict.ACCEPTABLE
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
        (lambda item: item.update(tag="01"), "tcId 1: it is valid, and its tag has 1 bytes where"),
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
        ("Klen = 1\nTlen = 0\nKey = 00\nMsg = 00\nMac = \n", "line 1: its tag or digest has no"),
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
    assert (wrong.message, wrong.verdict, wrong.algorithm) == (
        b"",
        VectorVerdict.INVALID,
        "cmacaes",
    )
    assert wrong.comment == "1 - Message changed"
    assert ["triple DES" in why or "Monte Carlo" in why for why in file.passed_over] == [True] * 2


HMAC_SET = {"vsId": 3, "algorithm": "HMAC-SHA2-256", "revision": "1.0", "testGroups": [
    {"tgId": 1, "testType": "AFT", "keyLen": 16, "msgLen": 24, "macLen": 32, "tests": [
        {"tcId": 1, "key": "0102", "msg": "616263", "mac": "01020304"}]},
    {"tgId": 2, "testType": "AFT", "keyLen": 16, "msgLen": 0, "macLen": 32, "tests": [
        {"tcId": 2, "key": "0102", "msg": "", "mac": "01020304"}]},
]}  # fmt: skip


def acvp(algorithm: str, group: dict[str, Any], **test: Any) -> str:
    """A vector set of one group and one test, behind the version of the protocol."""
    tests = [{"tcId": 5, **test}]
    return json.dumps(
        [{"acvVersion": "1.0"}, {"algorithm": algorithm, "testGroups": [
            {"tgId": 1, "testType": "AFT", **group, "tests": tests}]}]
    )  # fmt: skip


def test_acvps_macs_are_read(tmp_path):
    """Lengths are in bits; verdicts, nonces and names of algorithms are those of other formats."""
    first, second = read(tmp_path, json.dumps(HMAC_SET)).vectors
    assert (first.algorithm, first.key, first.message) == ("hmacsha256", b"\1\2", b"abc")
    assert (first.output.hex(), first.output_bytes, second.message) == ("01020304", 4, b"")
    (wrong,) = read(tmp_path, acvp(
        "CMAC-AES", {"direction": "ver", "keyLen": 128, "msgLen": 8, "macLen": 16},
        key="00" * 16, message="ab", mac="0102", testPassed=False)).vectors  # fmt: skip
    assert (wrong.algorithm, wrong.verdict, wrong.message) == (
        "cmacaes",
        VectorVerdict.INVALID,
        b"\xab",
    )
    (gmac,) = read(tmp_path, acvp(
        "ACVP-AES-GMAC", {"keyLen": 128, "ivLen": 96, "aadLen": 8, "tagLen": 32, "payloadLen": 0},
        key="00" * 16, iv="01" * 12, aad="ff", tag="01020304", ct="")).vectors  # fmt: skip
    assert (gmac.algorithm, gmac.nonce, gmac.message) == ("gmacaes", b"\1" * 12, b"\xff")
    (kmac,) = read(tmp_path, acvp(
        "KMAC-128", {"xof": False, "hexCustomization": False}, key="0102", keyLen=16, msg="ab",
        msgLen=8, mac="0102", macLen=16, customization="")).vectors  # fmt: skip
    assert (kmac.algorithm, kmac.output_bytes) == ("kmac128", 2)


@pytest.mark.parametrize(
    ("name", "own"),
    [("SHA2-256", "sha256"), ("SHA2-512/256", "sha512-256"), ("HMAC-SHA-1", "hmac-sha1"),
     ("HMAC-SHA3-256", "hmac-sha3-256"), ("HMAC-SHA2-384", "hmac-sha384"),
     ("SHA3-224", "sha3-224")],
)  # fmt: skip
def test_names_of_acvp_are_those_here(tmp_path, name, own):
    """SHA2-512/256 and others are known by the names of the catalogue."""
    test = {"key": "01", "mac": "0102"} if name.startswith("HMAC") else {"md": "0102"}
    (vector,) = read(tmp_path, acvp(name, {}, msg="ab", **test)).vectors
    assert vector.is_of(own)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (acvp("CMAC-TDES", {}, key1="00", message="", mac="00"), "they are of CMAC-TDES"),
        (acvp("SHA2-256", {"testType": "MCT"}, msg="00", resultsArray=[]), "of the test MCT"),
        (acvp("HMAC-SHA2-256", {"msgLen": 3}, key="00", msg="e0", mac="00"), "msgLen is no whole"),
        (acvp("HMAC-SHA2-256", {"macLen": 3}, key="00", msg="e0", mac="00"), "macLen is no whole"),
        (acvp("HMAC-SHA2-256", {}, key="00", msg="e0"), "they have no mac: give internalProj"),
        (acvp("HMAC-SHA2-256", {}, mac="e0"), "they have no msg, key: give internalProjection"),
        (acvp("CMAC-AES", {"direction": "ver"}, key="00", message="", mac="00"), "no testPassed"),
        (acvp("KMAC-128", {"xof": True}, key="00", msg="", mac="00"), "of KMACXOF"),
        (acvp("KMAC-128", {}, key="00", msg="", mac="00", customization="x"), "a customization"),
        (acvp("ACVP-AES-GMAC", {}, key="00", aad="", tag="00"), "they have no iv"),
    ],
)  # fmt: skip
def test_tests_of_acvp_that_cannot_be_computed_are_counted(tmp_path, text, said):
    """A reason with the number of its tests, and no vector."""
    file = read(tmp_path, text)
    ((reason, number),) = file.passed_over.items()
    assert (file.vectors, number) == ((), 1)
    assert said in reason


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[]", "it has no testGroups"),
        ('{"vsId": 1}', "it has no testGroups"),
        ('{"vsId": 1, "testGroups": 1}', "testGroups: it is no list of objects"),
        ('{"vsId": 1, "testGroups": [{"tests": [1]}]}', "tests: it is no list of objects"),
        ('{"vsId": 1, "testGroups": [{"tests": [{"tcId": "a"}]}]}', "tcId: 'a' is no number"),
        (acvp("HMAC-SHA2-256", {"msgLen": 16}, key="00", msg="e0", mac="00"),
         "tcId 5: msgLen is 16 bits, and msg has 1 bytes"),
        (acvp("HMAC-SHA2-256", {"macLen": 16}, key="00", msg="e0", mac="00"),
         "tcId 5: macLen is 16 bits, and mac has 1 bytes"),
        (acvp("HMAC-SHA2-256", {"keyLen": "x"}, key="00", msg="e0", mac="00"),
         "tcId 5: keyLen: 'x' is no length"),
        (acvp("HMAC-SHA2-256", {}, key="0g", msg="e0", mac="00"), "tcId 5: key: '0g' is no hex"),
        (acvp("HMAC-SHA2-256", {}, key=1, msg="e0", mac="00"), "tcId 5: key: '1' is no text"),
        (acvp("HMAC-SHA2-256", {}, key="00", msg="e0", mac=""), "tcId 5: its tag or digest has no"),
        (acvp("HMAC-SHA2-256", {"macLen": 0}, key="00", msg="e0", mac=""), "has no bytes to comp"),
        (acvp("HMAC-SHA2-256", {"testType": "MVT"}, key="00", msg="e0", mac="00",
              testPassed="false"), "tcId 5: testPassed: 'false' is neither true nor false"),
    ],
)  # fmt: skip
def test_a_broken_set_of_acvp_is_refused(tmp_path, text, said):
    """The refusal names the test and the field."""
    with pytest.raises(ForeignError) as caught:
        read(tmp_path, text)
    assert said in str(caught.value)


def test_every_set_of_a_file_is_read(tmp_path):
    """A test is named by its set too; answers of several sets cannot be joined with questions."""
    sets = [HMAC_SET, HMAC_SET | {"vsId": 4}]
    names = [vector.name for vector in read(tmp_path, json.dumps(sets)).vectors]
    assert names == ["vsId 3, tcId 1", "vsId 3, tcId 2", "vsId 4, tcId 1", "vsId 4, tcId 2"]
    for name in ("prompt.json", "expectedResults.json"):
        (tmp_path / name).write_text(json.dumps(sets), "utf-8")
    with pytest.raises(ForeignError, match="several vector sets"):
        read_vectors(tmp_path / "prompt.json")


def test_questions_and_answers_of_acvp_are_joined(tmp_path):
    """`prompt.json` and `expectedResults.json` in one folder make one set, whichever is named."""
    asked, answered = json.loads(json.dumps(HMAC_SET)), json.loads(json.dumps(HMAC_SET))
    for group in asked["testGroups"]:
        group["tests"][0].pop("mac")
    for group in answered["testGroups"]:
        group["tests"] = [{"tcId": test["tcId"], "mac": test["mac"]} for test in group["tests"]]
    (tmp_path / "prompt.json").write_text(json.dumps(asked), "utf-8")
    assert "expectedResults.json" in str(read_vectors(tmp_path / "prompt.json").passed_over)
    (tmp_path / "expectedResults.json").write_text(json.dumps(answered), "utf-8")
    for name in ("prompt.json", "expectedResults.json"):
        assert len(read_vectors(tmp_path / name).vectors) == 2
    (tmp_path / "expectedResults.json").write_text(json.dumps(answered | {"vsId": 4}), "utf-8")
    with pytest.raises(ForeignError, match=r"is of vector set 3, .* beside it of 4"):
        read_vectors(tmp_path / "prompt.json")


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
