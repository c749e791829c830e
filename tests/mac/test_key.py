# SPDX-License-Identifier: Apache-2.0
"""joulemark.mac: one key, one message, streams."""

from __future__ import annotations

import array
import copy
import gc
import mmap
import pickle
import re
import threading
import weakref
from pathlib import Path

import numpy as np
import pytest

from joulemark import _core, mac
from joulemark.mac import Algorithm, Key, algorithms, tag_many
from joulemark.reference import reference_output

NAMES = list(algorithms())
KEY = bytes(range(64))
LENGTHS = [0, 1, 15, 16, 17, 55, 56, 63, 64, 65, 111, 112, 128, 1000, 2047, 2048, 5000]


def key_of(algorithm: str) -> tuple[Key, bytes]:
    """A key of the length that the algorithm prefers, and the bytes that it was made from."""
    facts = algorithms()[algorithm]
    secret = KEY[: facts.key_bytes]
    return Key(algorithm, secret, variable_time=not facts.constant_time), secret


def messages() -> list[bytes]:
    """Messages of many lengths, none of which is a part of another."""
    return [bytes((7 * i + length) % 256 for i in range(length)) for length in LENGTHS]


def test_the_promised_algorithms_are_there() -> None:
    """HMAC over five hashes and CMAC are offered, with the lengths that the standards state."""
    promised = {"hmac-md5", "hmac-sha1", "hmac-sha256", "hmac-sha384", "hmac-sha512", "cmac-aes128"}
    assert promised <= set(NAMES)
    assert algorithms()["hmac-sha256"] == Algorithm(
        "hmac-sha256", 32, 16, 32, 0, None, constant_time=True
    )
    assert algorithms()["cmac-aes128"] == Algorithm(
        "cmac-aes128", 16, 8, 16, 16, 16, constant_time=True
    )
    assert "poly1305" not in NAMES


@pytest.mark.parametrize("algorithm", NAMES)
def test_tags_are_those_of_the_standard(algorithm: str) -> None:
    """tag() and a stream in uneven pieces give what hmac, or the readable reference, gives."""
    key, secret = key_of(algorithm)
    assert (key.algorithm, key.tag_bytes) == (algorithm, algorithms()[algorithm].tag_bytes)
    for message in messages():
        expected = reference_output(algorithm, secret, message)
        assert key.tag(message) == expected
        stream = key.stream()
        for start, end in ((0, 1), (1, 70), (70, 70), (70, 5000)):
            stream.update(message[start:end])
        assert stream.tag() == expected


@pytest.mark.parametrize("algorithm", NAMES)
def test_verify_accepts_only_the_tag(algorithm: str) -> None:
    """The whole tag is authentic; a wrong bit in any byte, another message or length is not."""
    key, _ = key_of(algorithm)
    tag = key.tag(b"message")
    assert key.verify(b"message", tag) is True
    assert key.verify(b"massage", tag) is False
    for at in range(len(tag)):
        wrong = bytearray(tag)
        wrong[at] ^= 1 << at % 8
        assert key.verify(b"message", wrong) is False
    for other in (b"", tag[:-1], tag + b"\0", bytes(1000)):
        assert key.verify(b"message", other) is False


@pytest.mark.parametrize("algorithm", NAMES)
def test_truncated_tags_only_when_asked_for(algorithm: str) -> None:
    """A truncated tag is authentic if its length was named, and no shorter than the standard's."""
    key, _ = key_of(algorithm)
    tag, facts = key.tag(b"message"), algorithms()[algorithm]
    for length in range(facts.tag_bytes_min, facts.tag_bytes + 1):
        assert key.verify(b"message", tag[:length]) == (length == facts.tag_bytes)
        assert key.verify(b"message", tag[:length], tag_bytes=length)
        assert not key.verify(b"massage", tag[:length], tag_bytes=length)
        stream = key.stream()
        stream.update(b"message")
        assert stream.verify(tag[:length], tag_bytes=length)
    for length in (0, facts.tag_bytes_min - 1, facts.tag_bytes + 1):
        with pytest.raises(ValueError, match=f"have {facts.tag_bytes_min} to {facts.tag_bytes}"):
            key.verify(b"message", tag[:length], tag_bytes=length)


def test_inputs_are_any_contiguous_buffer() -> None:
    """Keys and messages may be bytearrays, memoryviews, arrays, and read-only ones."""
    frozen = np.frombuffer(b"message!", np.uint8)
    assert not frozen.flags.writeable
    mapped = mmap.mmap(-1, 8)
    mapped[:] = b"message!"
    expected = Key("hmac-sha256", KEY).tag(b"message!")
    for secret in (
        bytearray(KEY),
        memoryview(KEY),
        array.array("B", KEY),
        np.array(list(KEY), "u1"),
    ):
        assert Key("hmac-sha256", secret).tag(b"message!") == expected
    wide = np.frombuffer(b"message!", np.uint32)
    for message in (bytearray(b"message!"), memoryview(b"message!"), frozen, mapped, wide):
        assert Key("hmac-sha256", KEY).tag(message) == expected
    mapped.close()


def test_bad_inputs_are_one_clear_sentence() -> None:
    """An object without a contiguous buffer, an algorithm or a key's length is refused by name."""
    key = Key("hmac-sha256", KEY)
    with pytest.raises(
        TypeError, match=r"^message is a 'str' object, not bytes or another buffer$"
    ):
        key.tag("text")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"^tag is a 'NoneType' object"):
        key.verify(b"", None)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"^message is not contiguous memory$"):
        key.tag(memoryview(b"message")[::2])
    with pytest.raises(ValueError, match=r"^message is not contiguous memory$"):
        key.stream().update(np.zeros((4, 4), np.uint8)[:, 1])
    with pytest.raises(TypeError, match=r"^key is a 'str' object"):
        Key("hmac-sha256", "secret")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="no algorithm 'hmac-sha3'"):
        Key("hmac-sha3", KEY)
    with pytest.raises(ValueError, match=r"^keys of cmac-aes128 have 16 bytes, not 15$"):
        Key("cmac-aes128", bytes(15))


def test_a_closed_key_is_unusable() -> None:
    """After close() or a `with` block no call works, on streams neither; a second close() does."""
    with Key("hmac-sha256", KEY) as key:
        stream = key.stream()
        stream.update(b"mes")
        assert not key.closed
    assert key.closed
    assert repr(key) == "<Key hmac-sha256 closed>"
    key.close()
    for use in (
        lambda: key.tag(b""),
        lambda: key.verify(b"", bytes(32)),
        key.stream,
        lambda: key.tag_many([b""]),
        lambda: key.verify_many([b""], [bytes(32)]),
        lambda: stream.update(b"sage"),
        stream.tag,
        stream.copy,
    ):
        with pytest.raises(ValueError, match=r"^this key has been closed$"):
            use()


def test_a_stream_ends_once() -> None:
    """tag() and verify() end a stream; a copy of the stream goes on."""
    key = Key("hmac-sha512", KEY)
    stream = key.stream()
    stream.update(b"mes")
    other = stream.copy()
    stream.update(b"sage")
    other.update(b"h")
    assert stream.tag() == key.tag(b"message")
    assert other.verify(key.tag(b"mesh")) is True
    refused = key.stream()
    assert refused.verify(bytes(5)) is False
    for ended in (stream, other, refused):
        for use, arguments in (
            (ended.tag, ()),
            (ended.copy, ()),
            (ended.update, (b"",)),
            (ended.verify, (b"",)),
        ):
            with pytest.raises(ValueError, match=r"^this stream has ended$"):
                use(*arguments)


def test_a_key_is_not_copied() -> None:
    """A Key is neither copied nor pickled, and shows no secret."""
    key = Key("hmac-sha256", b"secret")
    for attempt in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="holds a secret"):
            attempt(key)
    assert repr(key) == "<Key hmac-sha256>"


def test_forgotten_keys_are_collected() -> None:
    """A key is freed with its last stream, and the buffers that it was given can be resized."""
    secret, message = bytearray(KEY), bytearray(b"message")
    key = Key("hmac-sha256", secret)
    stream = key.stream()
    stream.update(message)
    key.tag(message)
    secret.append(0)
    message.append(0)
    seen = weakref.ref(key)
    del key
    assert seen() is not None
    del stream
    gc.collect()
    assert seen() is None


def test_a_key_closed_by_another_thread() -> None:
    """Threads that tag while a key is closed get the right tag or the refusal, never another."""
    message = bytes(100_000)
    expected = Key("hmac-sha256", KEY).tag(message)
    for _ in range(20):
        key = Key("hmac-sha256", KEY)
        got: list[bytes | str] = []
        started = threading.Event()

        def work(key: Key = key, got: list[bytes | str] = got, began: threading.Event = started):
            while len(got) < 1000:
                try:
                    got.append(key.tag(message))
                except ValueError as error:
                    got.append(str(error))
                    return
                began.set()

        threads = [threading.Thread(target=work) for _ in range(2)]
        for thread in threads:
            thread.start()
        started.wait()
        key.close()
        for thread in threads:
            thread.join()
        assert set(got) <= {expected, "this key has been closed"}
        assert expected in got


@pytest.mark.parametrize("tag_bytes", [-1, 0, 3, 33, 2**31, 2**63, 2**70, -(2**70)])
def test_a_length_that_no_tag_has(tag_bytes: int) -> None:
    """Single messages, streams and batches give one sentence, however far off the number is."""
    key = Key("hmac-sha256", bytes(32))
    for call in (
        lambda: key.verify(b"", bytes(32), tag_bytes=tag_bytes),
        lambda: key.stream().verify(bytes(32), tag_bytes=tag_bytes),
        lambda: key.verify_many([b""], [bytes(32)], tag_bytes=tag_bytes),
    ):
        with pytest.raises(ValueError, match=r"^tags of hmac-sha256 have 1\d to 32 bytes, not .+$"):
            call()


@pytest.mark.parametrize("tag_bytes", [1.5, "16", b"16", [16]])
def test_a_length_that_is_no_number(tag_bytes: object) -> None:
    """The message is one sentence that names the argument and the type."""
    key = Key("hmac-sha256", bytes(32))
    for call in (
        lambda: key.verify(b"", bytes(32), tag_bytes=tag_bytes),
        lambda: key.verify_many([b""], [bytes(32)], tag_bytes=tag_bytes),
    ):
        with pytest.raises(TypeError, match=r"^tag_bytes is a '\w+' object, not a whole number$"):
            call()


@pytest.mark.parametrize("name", ["hmac-sha256\0", "hmac-sha256\0x", "\0", "\ud800", "hmac-sha2"])
def test_a_name_that_no_algorithm_has(name: str) -> None:
    """A name is not cut at a zero byte, and the message shows the requested name."""
    with pytest.raises(ValueError, match=r"^there is no algorithm '.+' in joulemark\.mac\.alg"):
        Key(name, bytes(32))


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("HMAC-SHA256", "hmac-sha256"),
        ("hmac_sha256", "hmac-sha256"),
        ("HmacSHA512", "hmac-sha512"),
        ("hmacsha1", "hmac-sha1"),
        ("AES-128-CMAC", "cmac-aes128"),
        ("hmac-sha348", "hmac-sha384"),
        ("SipHash24", "siphash-2-4"),
    ],
)
def test_a_slip_of_a_name_is_answered_with_the_name(name: str, meant: str) -> None:
    """Case, signs, order of words or swapped letters differ; the intended name alone is offered."""
    with pytest.raises(ValueError, match=rf"^there is no algorithm '{name}' .*; did you mean (.+)"):
        Key(name, bytes(32))
    with pytest.raises(ValueError, match=rf"; did you mean {meant}\?$"):
        Key(name, bytes(32))


def test_what_a_key_cannot_be_of_is_said() -> None:
    """One-time keys, keys for one length, hashes and ciphers are no algorithms of this module."""
    with pytest.raises(ValueError, match=r": a key of poly1305 is for one message alone"):
        Key("poly1305", bytes(32))
    with pytest.raises(ValueError, match=r"for messages of one length alone.* cmac-aes128 is"):
        Key("cbc-mac-aes128", bytes(16))
    with pytest.raises(ValueError, match=r": it is a hash, .*did you mean hmac-sha256"):
        Key("sha256", bytes(32))


@pytest.mark.parametrize("algorithm", ["cmac-aes128", "cmac-aes256", "siphash-2-4"])
def test_a_wrong_key_length_names_the_right_one(algorithm: str) -> None:
    """The message has the right length and the given length."""
    right = algorithms()[algorithm].key_bytes
    for wrong in (0, right - 1, right + 1, 100):
        with pytest.raises(
            ValueError, match=rf"^keys of {algorithm} have {right} bytes, not {wrong}$"
        ):
            Key(algorithm, bytes(wrong))


@pytest.mark.parametrize("name", [5, None, b"hmac-sha256"])
def test_a_name_that_is_no_text(name: object) -> None:
    """The message is one sentence without signatures of C++."""
    with pytest.raises(TypeError, match=r"^algorithm is a '\w+' object, not a name$"):
        Key(name, bytes(32))


def test_negative_numbers_are_shown_as_they_were_given() -> None:
    """The message does not show their value as unsigned 64-bit numbers."""
    key = Key("hmac-sha256", bytes(32))
    with pytest.raises(ValueError, match=r"offsets\[1\] is -1, beyond"):
        key.tag_many(b"abc", offsets=np.array([0, -1, 3]))
    with pytest.raises(ValueError, match=r"index\[0\] is -7, but there are 1 keys"):
        tag_many([key], [b"abc"], index=np.array([-7]))


def offered() -> dict[str, set[bool | None]]:
    """Every algorithm without nonces of which there is a Key -> what its variants say of time.

    Variants for microcontrollers stand behind all others, so that a Key never takes one.
    """
    found: dict[str, set[bool | None]] = {}
    for made in _core.builtin_plugin().implementations():
        if made.kind == "mac" and not made.nonce_bytes_max and not made.variant.startswith("mcu"):
            found.setdefault(made.algorithm, set()).add(made.constant_time)
    return {name: timings for name, timings in found.items() if is_offered(name)}


def is_offered(name: str) -> bool:
    """Whether there is a Key of the algorithm, for those who ask for variable time too."""
    try:
        Key(name, bytes(2000), variable_time=True)
    except ValueError as refused:
        return not str(refused).startswith("there is no algorithm")
    return True


def test_the_rules_name_every_exception_to_constant_time(repository: Path) -> None:
    """The rules of mac.h and of mac.py, `algorithms`, and what is refused have one list."""
    exceptions = {name for name, timings in offered().items() if False in timings}
    header = (repository / "kernels/include/joulemark/mac.h").read_text("utf-8")
    for rules in (header, mac.__doc__ or ""):
        rule = re.search(r"- Time depends on lengths.*?\n *\*? +- ", rules, flags=re.DOTALL)
        assert rule
        named = set(re.findall(r"\b(?:hmac|cmac)-\w+", rule[0]))
        assert named == exceptions == {"cmac-twofish128", "hmac-whirlpool"}
    listed = {name for name, facts in algorithms().items() if not facts.constant_time}
    assert listed == exceptions & set(algorithms())


def test_variable_time_must_be_asked_for() -> None:
    """A Key whose time depends on secrets needs an argument that says so, and no other does."""
    for name, timings in offered().items():
        secret = bytes(algorithms()[name].key_bytes if name in algorithms() else 16)
        if False in timings:
            with pytest.raises(ValueError, match=rf"^{name} is not constant-time.*variable_time="):
                Key(name, secret)
        else:
            Key(name, secret).close()
        Key(name, secret, variable_time=True).close()
