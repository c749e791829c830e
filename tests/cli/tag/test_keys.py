# SPDX-License-Identifier: Apache-2.0
"""Keys that cannot be used: one sentence each, which never repeats key material."""

from __future__ import annotations

import os

import pytest

from joulemark.mac_files import KeySource

SECRET = b"\xc0\xff\xee\x15\xde\xad\xbe\xef" * 4


@pytest.fixture
def message(tmp_path):
    """A file to authenticate."""
    path = tmp_path / "message"
    path.write_bytes(b"hello")
    return path


def test_a_missing_key_file_is_refused(refused, message):
    """The sentence names the file and the system's reason."""
    line = refused("tag", "hmac-sha256", message, "--key-file", "nokey")
    assert "key file nokey cannot be read (No such file or directory)" in line


def test_a_folder_is_no_key(refused, message, tmp_path):
    """A folder as a key file is refused."""
    assert "Is a directory" in refused("tag", "hmac-sha256", message, "--key-file", tmp_path)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_an_unreadable_key_file_is_refused(refused, message, key_file):
    """The sentence has the words `Permission denied`."""
    path = key_file(SECRET, mode=0)
    assert "Permission denied" in refused("tag", "hmac-sha256", message, "--key-file", path)


@pytest.mark.parametrize("options", [(), ("--key-hex",)])
def test_an_empty_key_is_refused(refused, message, key_file, options):
    """An empty key is refused: HMAC would accept it and protect nothing."""
    line = refused("tag", "hmac-sha256", message, "--key-file", key_file(b""), *options)
    assert "is empty" in line


def test_an_empty_variable_is_refused(refused, message, monkeypatch):
    """An empty key from the environment is refused."""
    monkeypatch.setenv("EMPTY_KEY", "")
    assert "is empty" in refused("tag", "hmac-sha256", message, "--key-env", "EMPTY_KEY")


def test_a_missing_variable_is_refused(refused, message, monkeypatch):
    """The sentence names the variable."""
    monkeypatch.delenv("NO_SUCH_KEY", raising=False)
    assert "NO_SUCH_KEY" in refused("tag", "hmac-sha256", message, "--key-env", "NO_SUCH_KEY")


@pytest.mark.parametrize(
    ("algorithm", "length", "allowed"),
    [("cmac-aes128", 15, "16 bytes"), ("cmac-aes256", 16, "32 bytes"),
     ("siphash-2-4", 17, "16 bytes"), ("poly1305", 16, "32 bytes")],
)  # fmt: skip
def test_a_key_of_wrong_length_is_refused(refused, message, key_file, algorithm, length, allowed):
    """The sentence has the length that was given and the one that is allowed."""
    line = refused("tag", algorithm, message, "--key-file", key_file(SECRET[:length]))
    assert f"holds {length} bytes" in line
    assert allowed in line


@pytest.mark.parametrize("text", [b"0g" * 16, b"123", b"12 3", b"\xff\xfe" * 8, b"0x00"])
def test_a_key_that_is_not_hexadecimal_is_refused(refused, message, key_file, text):
    """The sentence does not repeat what the file holds."""
    path = key_file(text)
    line = refused("tag", "cmac-aes128", message, "--key-file", path, "--key-hex")
    assert "hexadecimal" in line
    assert text.decode("latin-1") not in line


def test_an_endless_key_file_is_refused(refused, message):
    """A key file is not read without end."""
    assert "1 MiB" in refused("tag", "hmac-sha256", message, "--key-file", "/dev/zero")


@pytest.mark.parametrize("options", [(), ("--key-file", "key", "--key-env", "HOME")])
def test_one_source_of_the_key_is_needed(refused, message, key_file, options):
    """No source of the key and two sources are refused."""
    key_file(SECRET)
    assert "--key-file" in refused("tag", "hmac-sha256", message, *options)


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o604])
def test_a_key_that_others_may_read_is_warned_of(run, message, key_file, mode):
    """The tag is made; the warning goes to standard error with the mode."""
    result = run("tag", "hmac-sha256", message, "--key-file", key_file(SECRET, mode=mode))
    assert result.exit_code == 0
    assert f"{mode:04o}" in result.stderr
    assert "chmod 600" in result.stderr


def test_a_newline_in_a_text_key_is_warned_of(run, message, key_file):
    """`echo secret > key` is the usual slip; a newline in a binary key is none."""
    warned = run("tag", "hmac-sha256", message, "--key-file", key_file(b"secret\n")).stderr
    silent = run("tag", "hmac-sha256", message, "--key-file", key_file(SECRET + b"\n")).stderr
    assert "newline" in warned
    assert silent == ""


def test_the_same_key_from_every_source(run, message, key_file, monkeypatch):
    """Raw file, hexadecimal file with spaces, raw variable and hexadecimal variable agree."""
    key = b"k" * 16
    monkeypatch.setenv("RAW_KEY", key.decode())
    monkeypatch.setenv("HEX_KEY", key.hex().upper())
    spaced = " ".join(f"{byte:02x}" for byte in key) + "\n"
    sources = [
        ("--key-file", key_file(key, "raw")),
        ("--key-file", key_file(spaced.encode(), "hex"), "--key-hex"),
        ("--key-env", "RAW_KEY"),
        ("--key-env", "HEX_KEY", "--key-hex"),
    ]
    outputs = {run("tag", "cmac-aes128", message, *source).stdout for source in sources}
    assert len(outputs) == 1
    assert len(outputs.pop().split()[0]) == 32


@pytest.mark.parametrize("hexadecimal", [False, True])
def test_the_key_is_overwritten_after_use(key_file, hexadecimal):
    """The buffer that held the key holds zeros when its block ends, also after an error."""
    content = SECRET.hex().encode() if hexadecimal else SECRET
    source = KeySource(str(key_file(content)), None, hexadecimal, warn=lambda _: None)

    def use(held):
        with source.key() as key:
            held.append(key)
            assert bytes(key) == SECRET
            raise RuntimeError("on purpose")

    held = []
    with pytest.raises(RuntimeError, match="on purpose"):
        use(held)
    assert bytes(held[0]) == bytes(len(SECRET))


def test_one_standard_input_cannot_be_key_and_message(command, tmp_path):
    """Standard input for both key and message is refused: the message would be empty."""
    result = command("tag", "hmac-sha256", "--key-file", "/dev/stdin", input=b"key and message?")
    assert result.returncode == 2
    assert b"both the key and the message" in result.stderr
    assert result.stdout == b""
