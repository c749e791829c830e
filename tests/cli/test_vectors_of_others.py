# SPDX-License-Identifier: Apache-2.0
"""`joulemark test --vectors`: files in the formats of Wycheproof and NIST, made of our vectors."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from joulemark.catalogue import every_algorithm
from joulemark.catalogue.vectors import vectors
from joulemark.cli import testing as command
from joulemark.measure.worker.sources import installed_sources
from joulemark.reference import reference_output

Run = Callable[..., Any]


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Outside libraries are hidden, and random cases take no time."""
    own = [
        installed_source
        for installed_source in installed_sources()
        if installed_source.kind == "builtin"
    ]
    monkeypatch.setattr("joulemark.measure.inventory.installed_sources", lambda: list(own))
    monkeypatch.setattr(command, "_CPU_S", 0.0)


def case(number: int, key: str, message: str, tag: str, **more: str) -> dict[str, Any]:
    """Makes a test of a Wycheproof group."""
    return {"tcId": number, "key": key, "msg": message, "tag": tag, "result": "valid"} | more


def wycheproof(path: Path, algorithm: str, tag_bits: int, *tests: dict[str, Any]) -> Path:
    """Writes a Wycheproof file with one group."""
    group = {"type": "MacTest", "tagSize": tag_bits, "tests": tests}
    path.write_text(json.dumps({"algorithm": algorithm, "testGroups": [group]}), "utf-8")
    return path


def hmac_cases() -> list[dict[str, Any]]:
    """Our published vectors of HMAC-SHA-1, cut to 80 bits."""
    return [
        case(number, vector.key_hex, vector.message_hex, vector.output_hex[:20])
        for number, vector in enumerate(vectors("hmac-sha1"), 1)
    ]


def test_vectors_pass(run: Run, tmp_path: Path) -> None:
    """Cut tags pass, and a forged tag is not accepted."""
    forged = hmac_cases()[0] | {"tcId": 99, "tag": "00" * 10, "result": "invalid"}
    file = wycheproof(tmp_path / "hmac.json", "HMACSHA1", 80, *hmac_cases(), forged)
    result = run("test", "hmac-sha1/portable", "--vectors", file)
    assert result.exit_code == 0, result.output
    assert f"  Wycheproof vectors: {len(hmac_cases()) + 1} passed" in result.stdout.splitlines()


@pytest.mark.parametrize(("change", "says"), [
    ({"tag": "00" * 10, "comment": "a comment"},
     "1 failed, the first tcId 99 (a comment): the output is "),
    ({"result": "invalid"}, "1 failed, the first tcId 99: the output is "),
])  # fmt: skip
def test_a_vector_that_fails_is_named(
    run: Run, tmp_path: Path, change: dict[str, str], says: str
) -> None:
    """A wrong tag and a right tag marked invalid fail by name."""
    first = hmac_cases()[0]
    file = wycheproof(tmp_path / "hmac.json", "HMACSHA1", 80, first, first | {"tcId": 99} | change)
    result = run("test", "hmac-sha1/portable", "--vectors", file)
    assert result.exit_code == 2
    assert f"1 passed; {says}" in result.stdout
    said = json.loads(run("test", "hmac-sha1/portable", "--vectors", file, "--json").stdout)
    (entry,) = said["implementations"]
    assert entry["right"] is False
    assert entry["vectors"] == {"form": "Wycheproof", "passed": 1, "failed": 1, "skipped": {}}


def test_keys_of_other_lengths(run: Run, tmp_path: Path) -> None:
    """A longer key is skipped as of another algorithm; an empty key marked invalid counts."""
    right = vectors("cmac-aes128")[0]
    whole = case(1, right.key_hex, right.message_hex, right.output_hex)
    file = wycheproof(
        tmp_path / "cmac.json", "AES-CMAC", 128, whole,
        whole | {"tcId": 2, "key": 2 * right.key_hex},
        whole | {"tcId": 3, "key": "", "tag": "", "result": "invalid"},
    )  # fmt: skip
    result = run("test", "cmac-aes128/portable", "--vectors", file)
    assert result.exit_code == 0, result.output
    assert "2 passed; 1 skipped: they have keys of 32 bytes" in result.stdout


KINDS = {
    "AES-CMAC": ("cmac-aes128", "cmac-aes192", "cmac-aes256"),
    "AES-GMAC": ("gmac-aes128", "gmac-aes192", "gmac-aes256"),
    "HMACSHA1": ("hmac-sha1",),
    "HMACSHA224": ("hmac-sha224",),
    "HMACSHA256": ("hmac-sha256",),
    "HMACSHA384": ("hmac-sha384",),
    "HMACSHA512": ("hmac-sha512",),
    "HMACSHA512/256": ("hmac-sha512-256",),
    "HMACSHA3-224": ("hmac-sha3-224",),
    "HMACSHA3-256": ("hmac-sha3-256",),
    "HMACSHA3-384": ("hmac-sha3-384",),
    "HMACSHA3-512": ("hmac-sha3-512",),
    "HMACSM3": ("hmac-sm3",),
    "KMAC128": ("kmac128",),
    "KMAC256": ("kmac256",),
    "SipHash-1-3": ("siphash-1-3",),
    "SipHash-2-4": ("siphash-2-4",),
    "SipHashX-2-4": ("siphash-2-4-128",),
    "VMAC-AES": ("vmac-64-aes128", "vmac-128-aes128"),
}
"""Each MAC of Wycheproof's files that the catalogue has, as those files call it."""


def of_each_key(wycheproof_name: str) -> list[tuple[str, dict[str, Any]]]:
    """Makes a group for each of our algorithms of that name, with tags by the references."""
    groups = []
    for name in KINDS[wycheproof_name]:
        if name not in every_algorithm():
            continue
        facts = every_algorithm()[name]
        nonce = bytes(range(facts.nonce_bytes[0])) if facts.nonce_bytes else b""
        tests = []
        for number in range(1, 4):
            key, message = bytes(range(number, number + facts.key_bytes[0])), bytes(17 * number)
            tag = reference_output(
                name, key, message, nonce=nonce, block_bytes=facts.block_bytes
            ).hex()
            iv = {"iv": nonce.hex()} if nonce else {}
            tests.append(case(number, key.hex(), message.hex(), tag, **iv))
        tests.append(tests[0] | {"tcId": 4, "tag": "00" * facts.output_bytes, "result": "invalid"})
        groups.append((name, {
            "type": "MacWithIvTest" if nonce else "MacTest",
            "keySize": 8 * facts.key_bytes[0],
            "tagSize": 8 * facts.output_bytes,
            "tests": tests,
        }))  # fmt: skip
    return groups


@pytest.mark.parametrize("wycheproof_name", KINDS)
def test_every_mac_of_wycheproof_is_read(run: Run, tmp_path: Path, wycheproof_name: str) -> None:
    """Each MAC is found by the name in Wycheproof's files, and its own group passes."""
    groups = of_each_key(wycheproof_name)
    if not groups:
        pytest.skip("the catalogue has it not")
    whole = {"algorithm": wycheproof_name, "testGroups": [group for _, group in groups]}
    (tmp_path / "mac.json").write_text(json.dumps(whole), "utf-8")
    for name, _ in groups:
        result = run("test", f"{name}/portable", "--vectors", tmp_path / "mac.json", "--json")
        assert result.exit_code == 0, result.output
        (entry,) = json.loads(result.stdout)["implementations"]
        others = 4 * (len(groups) - 1)
        passed_over = sum(entry["vectors"]["skipped"].values())
        assert entry["vectors"]["failed"] == 0
        assert entry["vectors"]["passed"] + passed_over == 4 + others
        assert passed_over <= others


@pytest.mark.parametrize(("change", "says"), [
    ({"iv": "ff" * 12}, "1 failed, the first tcId 2: the output is "),
    ({"iv": ""}, "4 passed; 1 skipped: they have nonces of 0 bytes"),
    ({"iv": "", "result": "invalid"}, "5 passed"),
    ({"iv": "00" * 300}, "4 passed; 1 skipped: they have nonces of 300 bytes"),
])  # fmt: skip
def test_nonces_count(run: Run, tmp_path: Path, change: dict[str, str], says: str) -> None:
    """Another nonce makes another tag; a nonce of a length that is not taken is skipped."""
    (_, group), *_ = of_each_key("AES-GMAC")
    group["tests"].append(group["tests"][1] | change)
    whole = {"algorithm": "AES-GMAC", "testGroups": [group]}
    (tmp_path / "gmac.json").write_text(json.dumps(whole), "utf-8")
    result = run("test", "gmac-aes128/portable", "--vectors", tmp_path / "gmac.json")
    assert says in result.stdout


def test_tags_of_kmac_are_not_cut(run: Run, tmp_path: Path) -> None:
    """KMAC's tag of another length is another tag, so its vector is skipped."""
    ((_, group),) = of_each_key("KMAC128")
    shorter = {**group, "tagSize": 64, "tests": [group["tests"][0] | {"tag": "00" * 8}]}
    whole = {"algorithm": "KMAC128", "testGroups": [group, shorter]}
    (tmp_path / "kmac.json").write_text(json.dumps(whole), "utf-8")
    result = run("test", "kmac128/portable", "--vectors", tmp_path / "kmac.json")
    assert result.exit_code == 0, result.output
    assert (
        "4 passed; 1 skipped: they have tags of 8 bytes, of which kmac128 has 32" in result.stdout
    )


def test_the_format_of_nist(run: Run, tmp_path: Path) -> None:
    """A file of a hash in NIST's format passes."""
    lines = ["[L = 20]", ""]
    for vector in vectors("sha1"):
        if vector.message_hex and vector.message_repeat == 1:
            lines += [f"Len = {4 * len(vector.message_hex)}", f"Msg = {vector.message_hex}",
                      f"MD = {vector.output_hex}", ""]  # fmt: skip
    (tmp_path / "SHA1ShortMsg.rsp").write_text("\n".join(lines), "ascii")
    result = run("test", "sha1/portable", "--vectors", tmp_path / "SHA1ShortMsg.rsp")
    assert result.exit_code == 0, result.output
    assert "NIST CAVP vectors: " in result.stdout


@pytest.mark.parametrize(("words", "says"), [
    (["hmac-sha1/portable", "--vectors", "gone"], "--vectors gone: No such file"),
    (["hmac-sha256/portable", "--vectors", "hmac.json"],
     "--vectors hmac.json has vectors of hmacsha1, none of hmac-sha256"),
    (["hmac-sha1/portable", "--vectors", "aead.json"], "has no vector that can be computed"),
    (["hmac-sha1/portable", "--vectors", "bad.json"], "--vectors bad.json: "),
    (["hmac-sha1/portable", "--vectors", "hmac.json", "--constant-time"], "excludes"),
])  # fmt: skip
def test_a_file_that_does_not_fit_is_refused(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], says: str
) -> None:
    """A file that does not fit is refused before anything is computed."""
    monkeypatch.chdir(tmp_path)
    wycheproof(Path("hmac.json"), "HMACSHA1", 80, *hmac_cases())
    group = {"type": "AeadTest", "tests": [{}]}
    Path("aead.json").write_text(json.dumps({"algorithm": "AES", "testGroups": [group]}), "utf-8")
    Path("bad.json").write_text("{", "utf-8")
    result = run("test", *words)
    assert result.exit_code == 2
    assert says in " ".join(result.stderr.split())
    assert not result.stdout
