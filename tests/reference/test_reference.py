# SPDX-License-Identifier: Apache-2.0
"""The Python references against every published vector, and their refusals."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from joulemark.errors import UsageError
from joulemark.reference import reference_output
from joulemark.reference.aes import encrypt_block
from joulemark.reference.lightweight import siphash_2_4
from joulemark.reference.universal import poly1305

VECTORS = Path(__file__).resolve().parents[2] / "vectors"
FILES = sorted(VECTORS.glob("*/*.json"))


LONGEST = VECTORS / "umac-128-aes128" / "nettle-umac.json"
"""Its 32 MiB take three seconds; those of umac-32 take one, through the same code."""
MOST_REPEATED = 1 << 20


def hold_to(path: Path, *, least: int = 0, most: int = 1 << 40) -> None:
    """Each published output is what the reference computes, or a prefix where it is truncated.

    Of the cases of a file, those whose message is so many repetitions.
    """
    document = json.loads(path.read_text("utf-8"))
    cases = [case for case in document["cases"] if least <= case.get("message_repeat", 1) <= most]
    assert cases
    for case in cases:
        key = bytes.fromhex(case.get("key_hex", ""))
        message = bytes.fromhex(case["message_hex"]) * case.get("message_repeat", 1)
        expected = bytes.fromhex(case["output_hex"])
        nonce = bytes.fromhex(case.get("nonce_hex", ""))
        computed = reference_output(document["algorithm"], key, message, nonce=nonce)
        assert computed[: len(expected)] == expected, case["name"]


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_reference_agrees_with_published_vectors(path: Path) -> None:
    """The references agree with all vectors but the longest message of all files."""
    hold_to(path, most=MOST_REPEATED if path == LONGEST else 1 << 40)


@pytest.mark.exhaustive
def test_reference_agrees_on_the_longest_message() -> None:
    """32 MiB in four iterations."""
    hold_to(LONGEST, least=MOST_REPEATED + 1)


def test_every_source_is_described() -> None:
    """Each vector file's source has its publication in vectors/SOURCES.d."""
    described = {path.stem for path in (VECTORS / "SOURCES.d").glob("*.toml")}
    assert {path.stem for path in FILES} <= described


@pytest.mark.parametrize(
    ("algorithm", "key_bytes", "message_bytes"),
    [
        ("rot13", 16, 0),
        ("hmac-rot13", 16, 0),
        ("cmac-aes128", 32, 0),
        ("siphash-2-4", 8, 0),
        ("poly1305", 16, 0),
        ("aes128", 16, 15),
    ],
)
def test_impossible_requests_are_refused(
    algorithm: str, key_bytes: int, message_bytes: int
) -> None:
    """An unknown algorithm, a wrong key length or half a block is a usage error."""
    with pytest.raises(UsageError):
        reference_output(algorithm, bytes(key_bytes), bytes(message_bytes))


def test_primitives_refuse_wrong_lengths() -> None:
    """The functions check lengths themselves when called directly."""
    with pytest.raises(UsageError, match="AES key"):
        encrypt_block(bytes(17), bytes(16))
    with pytest.raises(UsageError, match="8 or 16"):
        siphash_2_4(bytes(16), b"", output_bytes=4)
    with pytest.raises(UsageError, match="Poly1305"):
        poly1305(bytes(31), b"")


def test_aes_192_agrees_with_fips_197() -> None:
    """The vector is that of Appendix C.2, as no catalogue algorithm covers AES-192."""
    block = bytes.fromhex("00112233445566778899aabbccddeeff")
    assert encrypt_block(bytes(range(24)), block).hex() == "dda97ca4864cdfe06eaf70a0ec0d7191"
