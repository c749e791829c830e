# SPDX-License-Identifier: Apache-2.0
"""`joulemark verify`: right tags, wrong tags, and tags that cannot be checked."""

from __future__ import annotations

import hmac
import os

import pytest

from joulemark.cli.tag import VERIFY

KEY = b"a key of some length"
MESSAGE = b"the message"
TAG = hmac.digest(KEY, MESSAGE, "sha256").hex()


@pytest.fixture
def ask(key_file, tmp_path):
    """Arguments that verify MESSAGE under KEY."""
    (tmp_path / "message").write_bytes(MESSAGE)
    return ("verify", "hmac-sha256", "message", "--key-file", key_file(KEY))


def test_a_right_tag_is_ok(run, ask):
    """A right tag gives exit code 0, in either case of its digits."""
    for tag in (TAG, TAG.upper()):
        result = run(*ask, "--tag", tag)
        assert (result.exit_code, result.output) == (0, "message: OK\n")


@pytest.mark.parametrize("place", [0, 31, 63])
def test_a_wrong_tag_fails(run, ask, place):
    """A wrong tag gives exit code 1, wherever its digit differs."""
    wrong = TAG[:place] + f"{int(TAG[place], 16) ^ 1:x}" + TAG[place + 1 :]
    result = run(*ask, "--tag", wrong)
    assert (result.exit_code, result.output) == (1, "message: FAILED\n")


def test_a_changed_message_fails(run, ask, tmp_path):
    """A message with one more byte gives exit code 1."""
    (tmp_path / "message").write_bytes(MESSAGE + b"!")
    assert run(*ask, "--tag", TAG).exit_code == 1


def test_standard_input_is_verified(run, key_file):
    """Without a file, standard input is the message."""
    result = run("verify", "hmac-sha256", "--key-file", key_file(KEY), "--tag", TAG, input=MESSAGE)
    assert (result.exit_code, result.output) == (0, "-: OK\n")


def test_a_message_from_the_terminal_is_asked_for(terminal, monkeypatch, key_file, capsys):
    """A message from the terminal is asked for, since the command would wait in silence."""
    master, slave = terminal
    with os.fdopen(master, "wb", buffering=0) as writer, os.fdopen(slave) as reader:
        monkeypatch.setattr("sys.stdin", reader)
        writer.write(b"\x04")  # the end of the input
        tag = hmac.digest(b"key", b"", "sha256").hex()
        words = ["hmac-sha256", "--tag", tag, "--key-file", str(key_file(b"key"))]
        assert VERIFY.run("joulemark verify", words) == 0
    assert "reading the message from the terminal; Ctrl-D ends it" in capsys.readouterr().err


def test_the_output_of_tag_is_a_tag_file(run, ask, tmp_path):
    """`verify --tag-file` reads the output of `tag`."""
    made = run("tag", "hmac-sha256", "message", "--key-file", ask[-1])
    (tmp_path / "made").write_text(made.stdout)
    assert run(*ask, "--tag-file", "made").exit_code == 0


@pytest.mark.parametrize("tag", ["", "xyz", "0", TAG + "0", "zz" * 32, "0x" + TAG[2:]])
def test_a_malformed_tag_is_refused(refused, ask, tag):
    """A malformed tag is refused with exit code 2, unlike a wrong tag."""
    refused(*ask, "--tag", tag)


@pytest.mark.parametrize("tag", [TAG[:32], TAG[:-2], TAG + "00"])
def test_a_tag_of_another_length_is_refused(refused, ask, tag):
    """A shortened tag is easier to guess, so it is not taken for the whole one."""
    line = refused(*ask, "--tag", tag)
    assert f"holds {len(tag) // 2} bytes; a tag of hmac-sha256 has 32" in line


@pytest.mark.parametrize("content", [b"", b"\n\n", f"{TAG}\n{TAG}\n".encode(), b"\xff" * 32])
def test_a_bad_tag_file_is_refused(refused, ask, tmp_path, content):
    """A tag file that is empty, has several lines or is binary is refused."""
    (tmp_path / "bad").write_bytes(content)
    refused(*ask, "--tag-file", "bad")


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_byte_order_mark_is_named(refused, ask, tmp_path, encoding):
    """The mark that editors and shells of Windows put before the digits is not seen in them."""
    (tmp_path / "marked").write_bytes(f"{TAG}  message\r\n".encode(encoding))
    assert "begins with a byte-order mark" in refused(*ask, "--tag-file", "marked")


@pytest.mark.parametrize("name", ["HMAC-SHA256(message)= ", "HMAC-SHA256(my file)= ", "MAC = "])
def test_the_form_of_openssl_is_named(refused, ask, tmp_path, name):
    """A tag behind a name, as openssl writes it, is refused with the part that is to go."""
    (tmp_path / "named").write_text(f"{name}{TAG}\n")
    for words in (("--tag-file", "named"), ("--tag", f"{name}{TAG}")):
        assert "as openssl writes it: leave the digits alone" in refused(*ask, *words)


def test_a_missing_tag_file_is_refused(refused, ask):
    """A missing tag file is refused by name."""
    assert "tag file gone cannot be read" in refused(*ask, "--tag-file", "gone")


@pytest.mark.parametrize("options", [(), ("--tag", TAG, "--tag-file", "x")])
def test_one_tag_is_needed(refused, ask, options):
    """No tag and two tags are refused."""
    assert "--tag-file" in refused(*ask, *options)


def test_a_message_that_cannot_be_read_is_not_a_failed_one(refused, ask, tmp_path):
    """An unreadable message gives exit code 2, so that a script can tell it from a wrong tag."""
    (tmp_path / "message").unlink()
    assert "message cannot be read" in refused(*ask, "--tag", TAG)


def test_the_comparison_is_the_constant_time_one(run, ask, monkeypatch):
    """Tags are compared by the native function and by nothing else."""
    from joulemark import _core

    compared = []
    monkeypatch.setattr(_core, "equal_constant_time", lambda a, b: compared.append((a, b)) or True)
    wrong = "00" * 32
    assert run(*ask, "--tag", wrong).exit_code == 0
    assert compared == [(bytes.fromhex(TAG), bytes.fromhex(wrong))]


@pytest.mark.parametrize(
    ("key", "tag", "message"),
    [("key", "/dev/stdin", "-"), ("/dev/stdin", "/dev/stdin", "message"), ("key", "pipe", "pipe")],
)
def test_an_input_that_is_the_tag_is_nothing_else(command, key_file, tmp_path, key, tag, message):
    """The tag of the empty message is not OK for a message that was in the pipe of the tag."""
    key_file(KEY)
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "message").write_bytes(MESSAGE)
    empty = hmac.digest(KEY, b"", "sha256").hex().encode()
    done = command(
        "verify", "hmac-sha256", "--key-file", key, "--tag-file", tag, message,
        input=empty, cwd=tmp_path, timeout=60,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"read once only" in done.stderr
    assert b"the tag" in done.stderr
