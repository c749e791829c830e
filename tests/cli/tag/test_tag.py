# SPDX-License-Identifier: Apache-2.0
"""`joulemark tag`: agreement with OpenSSL, its form, and messages that cannot be read."""

from __future__ import annotations

import hashlib
import hmac
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from joulemark.catalogue import algorithms

KEY = bytes(range(1, 65))
SIPHASH_1_3 = ["-macopt", "c-rounds:1", "-macopt", "d-rounds:3"]
OPENSSL = {
    "hmac-md5": (32, ["-digest", "MD5"], "HMAC"),
    "hmac-sha1": (32, ["-digest", "SHA1"], "HMAC"),
    "hmac-sha256": (32, ["-digest", "SHA256"], "HMAC"),
    "hmac-sha384": (48, ["-digest", "SHA384"], "HMAC"),
    "hmac-sha512": (64, ["-digest", "SHA512"], "HMAC"),
    "hmac-sha3-256": (32, ["-digest", "SHA3-256"], "HMAC"),
    "hmac-sha3-512": (64, ["-digest", "SHA3-512"], "HMAC"),
    "cmac-aes128": (16, ["-cipher", "AES-128-CBC"], "CMAC"),
    "cmac-aes192": (24, ["-cipher", "AES-192-CBC"], "CMAC"),
    "cmac-aes256": (32, ["-cipher", "AES-256-CBC"], "CMAC"),
    "blake2b-mac": (64, ["-macopt", "size:64"], "BLAKE2BMAC"),
    "blake2s-mac": (32, ["-macopt", "size:32"], "BLAKE2SMAC"),
    "kmac128": (16, ["-macopt", "size:32"], "KMAC128"),
    "kmac256": (32, ["-macopt", "size:64"], "KMAC256"),
    "siphash-1-3": (16, ["-macopt", "size:8", *SIPHASH_1_3], "SIPHASH"),
    "siphash-2-4": (16, ["-macopt", "size:8"], "SIPHASH"),
    "siphash-2-4-128": (16, ["-macopt", "size:16"], "SIPHASH"),
    "poly1305": (32, [], "POLY1305"),
}
"""Key bytes, options and name for `openssl mac`."""
NOT_IN_OPENSSL = {
    "ascon-mac", "ascon-prf", "blake3-keyed", "cbc-mac-aes128", "chaskey-8", "chaskey-12",
    "chaskey-lts", "cmac-rc6-128", "cmac-serpent128", "cmac-shacal1", "cmac-shacal2",
    "cmac-twofish128", "halfsiphash-2-4", "halfsiphash-2-4-64", "pmac-aes128", "xcbc-aes128",
}  # fmt: skip
MESSAGES = {
    "empty": b"",
    "short": b"what authenticating a message costs",
    "one chunk": os.urandom(1 << 16),
    "more than one chunk": os.urandom((1 << 20) + 12345),
}
needs_openssl = pytest.mark.skipif(
    shutil.which("openssl") is None, reason="the openssl command is not installed"
)


def test_every_mac_is_compared_with_openssl():
    """A new MAC of the catalogue must be in `OPENSSL` or in `NOT_IN_OPENSSL`."""
    macs = {
        name
        for name, facts in algorithms().items()
        if facts.kind == "mac" and not facts.nonce_bytes
    }
    assert macs - NOT_IN_OPENSSL == set(OPENSSL)


@needs_openssl
@pytest.mark.parametrize("message", MESSAGES)
@pytest.mark.parametrize("algorithm", OPENSSL)
def test_the_tag_is_that_of_openssl(run, key_file, tmp_path, algorithm, message):
    """The tag is that of `openssl mac`, for messages shorter and longer than one piece."""
    key_bytes, options, name = OPENSSL[algorithm]
    path = tmp_path / "message"
    path.write_bytes(MESSAGES[message])
    key = key_file(KEY[:key_bytes])
    result = run("tag", algorithm, "--key-file", key, path)
    expected = subprocess.run(
        ["openssl", "mac", *options, "-macopt", f"hexkey:{KEY[:key_bytes].hex()}",
         "-in", str(path), name],
        capture_output=True, text=True, check=True,
    ).stdout.strip().lower()  # fmt: skip
    assert result.exit_code == 0, result.output
    assert result.stdout == f"{expected}  {path}\n"


def test_standard_input_is_named_by_a_dash(run, key_file):
    """Without a file, and with -, standard input is read."""
    expected = hmac.digest(KEY, b"piped", "sha256").hex() + "  -\n"
    for files in ((), ("-",)):
        result = run("tag", "hmac-sha256", *files, "--key-file", key_file(KEY), input=b"piped")
        assert (result.stdout, result.stderr) == (expected, "")


def test_several_files_are_in_the_form_of_sha256sum(run, key_file, tmp_path):
    """One line for each file; line breaks and backslashes in names are escaped as coreutils do."""
    names = ["plain", "with space", "back\\slash", "line\nbreak"]
    for name in names:
        (tmp_path / name).write_bytes(name.encode())
    lines = run("tag", "hmac-sha256", "--key-file", key_file(KEY), *names).stdout.splitlines()
    tags = [hmac.digest(KEY, name.encode(), "sha256").hex() for name in names]
    assert lines == [
        f"{tags[0]}  plain",
        f"{tags[1]}  with space",
        f"\\{tags[2]}  back\\\\slash",
        f"\\{tags[3]}  line\\nbreak",
    ]


def test_a_name_that_is_not_text(command, key_file, tmp_path):
    """File names are bytes and come out as they went in."""
    name = os.fsencode(tmp_path) + b"/\xff\xfe"
    Path(os.fsdecode(name)).write_bytes(b"x")
    result = command("tag", "hmac-md5", os.fsdecode(name), "--key-file", key_file(KEY))
    assert result.returncode == 0, result.stderr
    assert result.stdout.endswith(b"  " + name + b"\n")


def test_a_large_file_is_not_held_in_memory(command, key_file, tmp_path):
    """A file of 200 MiB is tagged within the memory of a small process."""
    path = tmp_path / "large"
    with path.open("wb") as stream:
        stream.truncate(200 << 20)
    limited = ["bash", "-c", 'ulimit -v 400000; exec "$@"', "bash"]
    result = subprocess.run(
        [*limited, sys.executable, "-m", "joulemark.cli.entry", "tag", "hmac-sha1", str(path),
         "--key-file", str(key_file(KEY))],
        capture_output=True, check=False, timeout=60,
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    state = hmac.new(KEY, digestmod=hashlib.sha1)
    for _ in range(200):
        state.update(bytes(1 << 20))
    assert result.stdout.split()[0].decode() == state.hexdigest()


def test_a_file_that_is_not_there_is_refused(refused, key_file, tmp_path):
    """A missing file is refused, and no tag is printed, not even of files before it."""
    (tmp_path / "there").write_bytes(b"x")
    line = refused("tag", "hmac-sha256", "there", "gone", "--key-file", key_file(KEY))
    assert "gone cannot be read (No such file or directory)" in line


def test_a_folder_is_refused(refused, key_file, tmp_path):
    """A folder in place of a file is refused as a folder."""
    line = refused("tag", "hmac-sha256", tmp_path, "--key-file", key_file(KEY))
    assert "is a folder" in line


def test_a_broken_device_is_refused(refused, key_file):
    """A file that opens but cannot be read to its end gives no tag."""
    line = refused("tag", "hmac-sha256", "/proc/self/mem", "--key-file", key_file(KEY))
    assert "/proc/self/mem cannot be read" in line


def test_standard_input_can_be_read_once_only(refused, key_file):
    """Standard input twice is refused: the second tag would be of an empty message."""
    refused("tag", "hmac-sha256", "-", "-", "--key-file", key_file(KEY), input=b"x")


@pytest.mark.parametrize("name", ["sha256", "aes128"])
def test_only_macs_make_tags(refused, key_file, name):
    """A hash or a cipher is refused by its kind."""
    assert "makes no tags" in refused("tag", name, "--key-file", key_file(KEY), input=b"")


def test_an_unknown_algorithm_gets_near_ones(refused, key_file):
    """The sentence offers MACs alone."""
    line = refused("tag", "hmac-sha265", "--key-file", key_file(KEY), input=b"")
    assert "hmac-sha256" in line


def test_a_one_time_key_is_warned_of(run, key_file):
    """The tag is printed, and standard error says that this was the key's only use."""
    result = run("tag", "poly1305", "--key-file", key_file(KEY[:32]), input=b"once")
    assert result.exit_code == 0
    assert "this one message only" in result.stderr


WITH_NONCES = [name for name, facts in algorithms().items() if facts.nonce_bytes]


@pytest.mark.parametrize("command", [["tag"], ["verify", "--tag", 32 * "0"]])
@pytest.mark.parametrize(
    "name", [name for name, facts in algorithms().items() if facts.nonce_bytes]
)
def test_an_algorithm_with_nonces_is_refused(command, name, refused, key_file):
    """The commands cannot know which nonces were used, and say what to do instead."""
    first, *options = command
    line = refused(first, name, *options, "--key-file", key_file(KEY[:16]), input=b"x")
    assert f"{name} needs another nonce for each message" in line


def test_a_one_time_key_is_refused_for_several_files(refused, key_file, tmp_path):
    """Several files are refused for Poly1305: two tags under one key give the key away."""
    for name in ("a", "b"):
        (tmp_path / name).write_bytes(b"x")
    line = refused("tag", "poly1305", "a", "b", "--key-file", key_file(KEY[:32]))
    assert "one message only" in line


def test_files_of_two_lengths_are_refused_for_cbc_mac(command, key_file, tmp_path):
    """Tags of files of one length are printed with a warning; a file of another length has none."""
    for name, size in (("a", 32), ("b", 32), ("c", 33)):
        (tmp_path / name).write_bytes(bytes(size))
    key = ["--key-file", key_file(KEY[:16])]
    right = command("tag", "cbc-mac-aes128", "a", "b", *key, cwd=tmp_path)
    assert right.returncode == 0, right.stderr
    assert len({line.split()[0] for line in right.stdout.splitlines()}) == 1
    assert b"messages of one length only" in right.stderr
    wrong = command("tag", "cbc-mac-aes128", "a", "c", *key, cwd=tmp_path)
    assert wrong.returncode == 2
    assert b"c has 33 bytes and the file before it 32" in wrong.stderr
    assert len(wrong.stdout.splitlines()) == 1


def test_cbc_mac_over_two_lengths_can_be_forced(command, key_file, tmp_path):
    """`--any-size` makes the tag of each file, and warns that anyone can then forge tags."""
    for name, size in (("a", 32), ("c", 33)):
        (tmp_path / name).write_bytes(bytes(size))
    key = ["--key-file", key_file(KEY[:16])]
    alone = [
        command("tag", "cbc-mac-aes128", name, *key, cwd=tmp_path).stdout for name in ("a", "c")
    ]
    forced = command("tag", "cbc-mac-aes128", "a", "c", "--any-size", *key, cwd=tmp_path)
    assert forced.returncode == 0, forced.stderr
    assert forced.stdout == b"".join(alone)
    assert b"let anyone forge" in forced.stderr
    assert b"messages of one length only" not in forced.stderr


def test_a_mac_that_is_not_constant_time_says_so(command, key_file, tmp_path):
    """Tag and verify warn of the two MACs whose time depends on secrets, and of no other."""
    (tmp_path / "message").write_bytes(b"message")
    for algorithm, warned in (("cmac-twofish128", True), ("hmac-whirlpool", True),
                              ("cmac-aes128", False)):  # fmt: skip
        key = ["--key-file", key_file(KEY[:16])]
        made = command("tag", algorithm, *key, "message", cwd=tmp_path)
        tag = made.stdout.split()[0].decode()
        checked = command("verify", algorithm, *key, "--tag", tag, "message", cwd=tmp_path)
        for done in (made, checked):
            assert done.returncode == 0, done.stderr
            sentence = f"warning: {algorithm} is not constant-time: ".encode()
            assert (sentence in done.stderr) == warned


def test_names_stay_apart(command, key_file, tmp_path):
    """A tab or a separator of lines is no blank: that may be another file's name."""
    names = ["a b", "a\tb", "a\x1cb", "a\x85b", "a\u2028b"]
    for name in names:
        (tmp_path / name).write_bytes(name.encode())
    made = command("tag", "hmac-sha256", "--key-file", key_file(KEY), *names, cwd=tmp_path)
    shown = [line.split(b"  ", 1)[1] for line in made.stdout.splitlines()]
    assert shown == [b"a b", rb"a\x09b", rb"a\x1cb", rb"a\x85b", rb"a\u2028b"]


def test_names_send_nothing_to_the_terminal(command, key_file, tmp_path):
    """Control signs in a name, whatever their form, become codes in tags, answers and errors."""
    words = ["hmac-sha256", "--key-file", key_file(KEY)]
    for name in (b"e\x1b]0;t\x07a", b"c\xc2\x9b1m", b"raw\x9b1m", "turned\u202eb".encode()):
        (tmp_path / os.fsdecode(name)).write_bytes(b"abc")
        tag = command("tag", *words, os.fsdecode(name), cwd=tmp_path)
        assert tag.returncode == 0
        digits = tag.stdout.split()[0].lstrip(b"\\").decode()
        said = [
            tag, command("verify", *words, "--tag", digits, os.fsdecode(name), cwd=tmp_path),
            command("verify", *words, "--tag-file", os.fsdecode(name), "key", cwd=tmp_path),
            command("tag", *words, os.fsdecode(name + b"gone"), cwd=tmp_path),
        ]  # fmt: skip
        for done in said:
            text = done.stdout + done.stderr
            assert not any(byte < 32 and byte != 10 for byte in text), text
            assert text.decode("utf-8").replace("\n", "").isprintable(), text
            assert b"Traceback" not in text
    (tmp_path / "caf\udce9").write_bytes(b"abc")
    kept = command("tag", *words, "caf\udce9", cwd=tmp_path)
    assert kept.stdout.endswith(b"  caf\xe9\n")
    assert not kept.stdout.startswith(b"\\")


def test_a_pipe_that_does_not_block_is_read_to_its_end(key_file, tmp_path):
    """A moment without data is no end: neither of the message nor of the key."""
    key, message = b"k" * 32, b"first half, second half"
    for first, command in (
        (message, ["tag", "hmac-sha256", "--key-file", key_file(key), "-"]),
        (key, ["tag", "hmac-sha256", "--key-file", "/dev/stdin", "message"]),
    ):
        (tmp_path / "message").write_bytes(message)
        ends = os.pipe()
        os.set_blocking(ends[0], False)
        with subprocess.Popen(
            [sys.executable, "-m", "joulemark.cli.entry", *map(str, command)],
            stdin=ends[0], stdout=subprocess.PIPE, cwd=tmp_path,
        ) as running:  # fmt: skip
            os.close(ends[0])
            os.write(ends[1], first[:10])
            with pytest.raises(subprocess.TimeoutExpired):
                running.wait(2)
            os.write(ends[1], first[10:])
            os.close(ends[1])
            said = running.communicate(timeout=60)[0]
        assert said.split()[0].decode() == hmac.new(key, message, "sha256").hexdigest()


@pytest.mark.parametrize(
    ("key", "messages"),
    [("/dev/stdin", ["/dev/stdin"]), ("key", ["-", "/dev/stdin"]), ("pipe", ["pipe"])],
)
def test_one_input_under_two_names_is_refused(command, key_file, tmp_path, key, messages):
    """The second reading would be the empty message."""
    key_file(KEY)
    os.mkfifo(tmp_path / "pipe")
    done = command(
        "tag", "hmac-sha256", "--key-file", key, *messages, input=b"x" * 40, cwd=tmp_path
    )
    assert done.returncode == 2
    assert b"read once only" in done.stderr
    assert done.stdout == b""


def test_a_device_without_content_may_be_read_twice(command, key_file):
    """/dev/null is the empty message each time."""
    done = command("tag", "hmac-sha256", "--key-file", key_file(KEY), "/dev/null", "/dev/null")
    assert done.returncode == 0
    assert len(done.stdout.splitlines()) == 2
