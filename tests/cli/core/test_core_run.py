# SPDX-License-Identifier: Apache-2.0
"""`joulemark core run`: messages and test vectors through simulated cores.

Vectors are those of the standards in `vectors/`, written in the formats of Wycheproof and NIST.
"""

from __future__ import annotations

import json
import shlex
import shutil
from pathlib import Path

import pytest

from joulemark.catalogue.vectors import vectors
from joulemark.reference import reference_output
from tool_marks import needs_simulator

pytestmark = pytest.mark.usefixtures("kept_simulations")
CORES = Path(__file__).parents[2] / "hardware" / "cores"
KEY = bytes(range(16)).hex()


@pytest.fixture
def cipher(tmp_path):
    """A copy of the toy cipher, whose key and block have four bytes."""
    shutil.copytree(CORES / "toy_cipher", tmp_path / "toy_cipher")
    return tmp_path / "toy_cipher" / "toy_cipher.toml"


def listed(cases):
    """Makes tests in Wycheproof's form of (key, message, tag, result)."""
    return [
        {"tcId": number, "comment": f"case {number}", "key": key, "msg": message, "tag": tag,
         "result": result, "flags": []}
        for number, (key, message, tag, result) in enumerate(cases, 1)
    ]  # fmt: skip


def wycheproof(path, algorithm, *groups):
    """Writes a file in Wycheproof's form of groups (bits of the tag, cases)."""
    path.write_text(json.dumps({
        "algorithm": algorithm, "schema": "mac_test_schema_v1.json",
        "testGroups": [
            {"type": "MacTest", "keySize": 0, "tagSize": bits, "tests": listed(cases)}
            for bits, cases in groups
        ],
    }))  # fmt: skip
    return path


@needs_simulator
def test_one_message_gives_its_tag(run, tmp_path):
    """The tag of a message is printed in hexadecimal with its clocks, and the JSON has the same."""
    message = b"abcdefghi"
    tag = reference_output("siphash-2-4", bytes.fromhex(KEY), message).hex()
    line = ("core", "run", "siphash:fast", "--key", KEY)
    result = run(*line, "--message-hex", message.hex(), "--json", "r.json")
    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines()[0] == tag
    assert "9 bytes in " in result.stdout
    made = json.loads((tmp_path / "r.json").read_text())
    assert (made["result_hex"], made["reference_hex"], made["right"]) == (tag, tag, True)
    assert (made["evidence"], made["parameters"]) == ("simulated", {"ROUNDS": 4})
    # Two words, taken in two clocks; the tag is offered two after that and taken in its period.
    assert made["clocks"] == 5
    (tmp_path / "key.bin").write_bytes(bytes.fromhex(KEY))
    piped = run("core", "run", "siphash:fast", "--key-file", "key.bin", "--message", "-",
                input=message)  # fmt: skip
    assert piped.stdout == result.stdout


@needs_simulator
def test_a_wrong_result_is_printed_and_told(run, cipher):
    """A wrong result of the RTL is printed with the reference's result, and the exit code is 1."""
    cipher.write_text(cipher.read_text().replace("idle = { mode_i = 1 }\n", ""))
    result = run("core", "run", cipher, "--key", "00000001", "--message-hex", "00000002")
    assert result.exit_code == 1
    assert result.stdout.splitlines()[0] == "20000000"
    assert "wrong: the reference says" in result.stdout
    assert "inputs without a role stay 0: mode_i" in result.stdout


@needs_simulator
def test_hmac_vectors_in_the_format_of_wycheproof(run, tmp_path):
    """RFC 2202's cases pass, with cut, wrong and disputed tags and with long keys, which are
    hashed; a message that is too long is skipped.
    """
    cases = [
        (vector.key_hex, vector.message_hex, vector.output_hex) for vector in vectors("hmac-sha1")
    ]
    key, message, tag = cases[0]
    wrong = f"{int(tag[:2], 16) ^ 1:02x}{tag[2:]}"
    whole = [(*case, "valid") for case in cases if len(case[2]) == 40]
    file = wycheproof(
        tmp_path / "hmac_sha1_test.json", "HMACSHA1",
        (160, [*whole, (key, message, wrong, "invalid"), (key, message, tag[:24], "invalid")]),
        (96, [(key, message, tag[:24], "valid"), (key, message, wrong[:24], "acceptable"),
              (key, "00" * 70000, tag[:24], "valid")]),
    )  # fmt: skip
    result = run("core", "run", "hmac_sha1", "--vectors", file, "--json", "r.json")
    assert result.exit_code == 0, result.output
    made = json.loads((tmp_path / "r.json").read_text())
    assert (made["form"], made["failed"]) == ("Wycheproof", 0)
    assert made["passed"] == len(whole) + 4
    assert list(made["skipped"].values()) == [1]
    assert "skipped: at most 64 KiB are simulated" in result.stdout
    long_keys = sum(len(row[0]) > 128 for row in whole)
    assert long_keys > 0
    assert f"{long_keys} keys were hashed, being longer than a block" in result.stdout
    assert all(vector["clocks"] > 400 for vector in made["vectors"])


@needs_simulator
def test_sha_and_cmac_vectors_in_the_format_of_nist(run, tmp_path):
    """Cases of FIPS 180-4 and SP 800-38B pass, with lengths in bits and in bytes."""
    lines = ['#  "SHA-1 ShortMsg" information', "[L = 20]", ""]
    for vector in vectors("sha1"):
        if vector.message_repeat == 1:
            bits = 4 * len(vector.message_hex)
            lines += [f"Len = {bits}", f"Msg = {vector.message_hex or '00'}",
                      f"MD = {vector.output_hex}", ""]  # fmt: skip
    (tmp_path / "SHA1ShortMsg.rsp").write_text("\n".join([*lines, "Len = 5\nMsg = 98\nMD = 00"]))
    result = run("core", "run", "sha1_serial", "--vectors", "SHA1ShortMsg.rsp")
    assert result.exit_code == 0, result.output
    assert "2  passed" in result.stdout
    assert "1  skipped: their messages are of no whole number of bytes" in result.stdout
    lines = []
    for number, vector in enumerate(vectors("cmac-aes128")):
        cut = vector.output_hex[: 32 - 8 * (number % 3)]
        lines += [f"Count = {number}", "Klen = 16", f"Mlen = {len(vector.message_hex) // 2}",
                  f"Tlen = {len(cut) // 2}", f"Key = {vector.key_hex}",
                  f"Msg = {vector.message_hex or '00'}", f"Mac = {cut}", ""]  # fmt: skip
    lines += ["Klen = 24", "Mlen = 0", "Tlen = 1", f"Key = {'00' * 24}", "Msg = 00", "Mac = 00"]
    (tmp_path / "CMACGenAES128.rsp").write_text("\n".join(lines))
    result = run("core", "run", "aes128_cmac", "--vectors", "CMACGenAES128.rsp")
    assert result.exit_code == 0, result.output
    assert f"{len(vectors('cmac-aes128'))}  passed" in result.stdout
    assert "1  skipped: the core takes keys of 16 bytes, not of 24" in result.stdout


def toy_cases(number):
    """Makes cases of the toy cipher by its model."""
    from joulemark.hardware.bench.adapter import load_module

    model = load_module(CORES / "toy_cipher" / "model.py", "_toy_cipher_model")
    for count in range(number):
        key, message = count.to_bytes(4, "big"), (77 * count).to_bytes(4, "big")
        yield key.hex(), message.hex(), model.reference(key, message).hex()


@needs_simulator
def test_the_first_failure_can_be_repeated(run, cipher, tmp_path):
    """The reference decides if vector or core is wrong; a printed command repeats the failure."""
    cases = [(*toy_case, "valid") for toy_case in toy_cases(4)]
    cases[2] = (*cases[2][:2], "00000000", "valid")
    file = wycheproof(tmp_path / "v.json", "ToyCipher", (32, cases))
    result = run("core", "run", cipher, "--vectors", file)
    assert result.exit_code == 1, result.output
    assert "3  passed" in result.stdout
    assert "first failure, tcId 3 (case 3): the core gives" in result.stdout
    assert "the reference says what the core says" in result.stdout
    again = next(line for line in result.stdout.splitlines() if "again: " in line)
    words = shlex.split(again.partition("again: ")[2])
    assert words[0] == "joulemark"
    repeated = run(*words[1:])
    assert repeated.exit_code == 1
    assert "0  passed" in repeated.stdout
    assert "1  failed" in repeated.stdout
    source = cipher.with_name("toy_cipher.sv")
    source.write_text(source.read_text().replace("state_q[24:0]", "state_q[24:1], 1'b1"))
    wrong = run("core", "run", cipher, "--vectors", file, "--only", "1")
    assert wrong.exit_code == 1
    assert "the reference says what the vector says" in wrong.stdout


@needs_simulator
def test_a_core_that_hangs_fails_its_vector(run, cipher, tmp_path):
    """Vectors before one that hangs are counted; vectors after it are skipped with a reason."""
    cipher.write_text(cipher.read_text().replace("[workload]", "[workload]\nlongest_clocks = 40"))
    source = cipher.with_name("toy_cipher.sv")
    hang = "done_o <= left_q == 3'd1 && key_i != 32'd1;"
    source.write_text(source.read_text().replace("done_o <= left_q == 3'd1;", hang))
    cases = [(*toy_case, "valid") for toy_case in toy_cases(4)]
    file = wycheproof(tmp_path / "v.json", "ToyCipher", (32, cases))
    result = run("core", "run", cipher, "--vectors", file)
    assert result.exit_code == 1, result.output
    assert "1  passed" in result.stdout
    assert "1  failed" in result.stdout
    assert "2  skipped: the core gave no result for the one before" in result.stdout
    assert "tcId 2 (case 2): toy_cipher does not finish: done_o stayed low" in result.stdout


AEAD = json.dumps({"algorithm": "AES-GCM", "testGroups": [{"type": "AeadTest", "tests": [{}, {}]}]})


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["siphash"], "give a message by --message or --message-hex, or a file by --vectors"),
        (["siphash", "--message-hex", "", "--vectors", "v"], "or a file by --vectors"),
        (["siphash", "--message-hex", ""], "siphash needs a key: --key HEX"),
        (["siphash", "--message-hex", "0", "--key", KEY], "--message-hex is no hexadecimal"),
        (["siphash", "--message-hex", "", "--key", "zz"], "--key is no hexadecimal"),
        (["siphash", "--message-hex", "", "--key", "00"], "takes keys of 16 bytes, not of 1"),
        (["siphash", "--message", "gone", "--key", KEY], "--message gone cannot be read: No such"),
        (["siphash", "--message", "/dev/zero", "--key", KEY], "it is a device"),
        (["siphash", "--message", "long", "--key", KEY], "it has more than 64 KiB"),
        (["siphash", "--message-hex", "", "--key", KEY, "--key-file", "x"], "not by both"),
        (["siphash", "--message-hex", "", "--message", "x"], "not by both"),
        (["siphash", "--message-hex", "", "--key", KEY, "--only", "1"], "--only is for --vectors"),
        (["sha1_serial", "--message-hex", "", "--key", KEY], "takes no key"),
        (["aes128_serial", "--message-hex", "00", "--key", KEY], "whole multiples of 16 bytes"),
        (["siphash", "--vectors", "gone"], "--vectors gone: No such file"),
        (["siphash", "--vectors", "gone", "--key", KEY], "--vectors brings its own keys"),
        (["siphash", "--vectors", "aead"], "no vector that a core can be given: they are of the"),
        (["siphash", "--vectors", "sha"], "vectors are of sha256, and siphash computes siphash"),
        (["sha1_serial", "--vectors", "sha", "--only", "2"], "has no such vector; its first is 1"),
        (["siphash", "--vectors", "bad"], "--vectors bad: line 1: 'x' is no name = value"),
    ],
)  # fmt: skip
def test_bad_input_is_refused(refused, tmp_path, arguments, said):
    """Bad input is refused in one sentence before anything is compiled."""
    (tmp_path / "long").write_bytes(bytes(65537))
    (tmp_path / "aead").write_text(AEAD)
    (tmp_path / "sha").write_text(f"Len = 8\nMsg = 00\nMD = {'00' * 32}\n")
    (tmp_path / "bad").write_text("x")
    assert said in refused("core", "run", *arguments)


def test_keys_of_hmac_are_fitted():
    """A fitted key gives the same tag as the key itself, by RFC 2104, section 2."""
    from joulemark.hardware.cores import find_core
    from joulemark.hardware.simulation.trial_messages import FittedKey, fitted_key

    core = find_core("hmac_sha256")
    lengths = (16, 64)
    for size in (0, 1, 15, 16, 17, 63, 64, 65, 200):
        key = bytes(range(size))
        fitted = fitted_key(core, lengths, key)
        assert isinstance(fitted, FittedKey)
        assert len(fitted.key) in lengths
        assert (fitted.change is None) == (size in lengths)
        assert ("hashed" in (fitted.change or "")) == (size > 64)
        tags = [reference_output("hmac-sha256", block, b"message") for block in (key, fitted.key)]
        assert tags[0] == tags[1]
    assert "takes keys of 16 bytes" in str(fitted_key(find_core("siphash"), (16,), b"x"))
