# SPDX-License-Identifier: Apache-2.0
"""joulemark.mac: many messages in one call, in every form, by one key or by many."""

from __future__ import annotations

import array
import hmac
import sys
import threading
from collections import deque
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from joulemark.mac import Key, algorithms, tag_many, verify_many
from joulemark.reference import reference_output

NAMES = list(algorithms())
SECRET = bytes(range(64))
BLOCK, SLICE = 4096, 256
"""Ends of one piece of work in bindings/mac_batch.h and bindings/mac_batch.cpp."""
KEY = Key("hmac-sha256", SECRET)
SESSIONS = [Key("hmac-sha256", bytes([n & 255, n >> 8]) * 16) for n in range(300)]


def digest(message: bytes, secret: bytes = SECRET) -> bytes:
    """HMAC-SHA256 as Python computes it."""
    return hmac.digest(secret, message, "sha256")


def rows(tags: npt.NDArray[np.uint8]) -> list[bytes]:
    """The rows of an array as bytes."""
    return [row.tobytes() for row in tags]


def numbered(count: int, length: int = 9) -> list[bytes]:
    """Messages of one length that all differ."""
    return [n.to_bytes(length, "little") for n in range(count)]


@pytest.mark.parametrize("algorithm", NAMES)
def test_all_forms_give_the_standards_tags(algorithm: str) -> None:
    """A list, a tuple, one buffer with offsets and a 2-D array give each message's own tag."""
    secret = SECRET[: algorithms()[algorithm].key_bytes]
    key = Key(algorithm, secret, variable_time=True)
    mixed = [bytes((n + i) % 256 for i in range(n * 5)) for n in range(40)]
    expected = [reference_output(algorithm, secret, message) for message in mixed]
    offsets = np.cumsum([0, *map(len, mixed)])
    whole = b"".join(mixed)
    assert rows(key.tag_many(mixed)) == expected
    assert rows(key.tag_many(tuple(mixed))) == expected
    assert rows(key.tag_many(deque(mixed))) == expected
    for buffer in (whole, bytearray(whole), memoryview(whole), np.frombuffer(whole, np.uint8)):
        assert rows(key.tag_many(buffer, offsets)) == expected
    equal = numbered(40, 100)
    matrix = np.frombuffer(b"".join(equal), np.uint8).reshape(40, 100)
    assert rows(key.tag_many(matrix)) == [reference_output(algorithm, secret, m) for m in equal]
    assert key.verify_many(mixed, expected).all()
    assert key.verify_many(whole, key.tag_many(mixed), offsets).all()


@pytest.mark.parametrize(
    "count", [0, 1, 2, SLICE - 1, SLICE, SLICE + 1, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK + 77]
)
def test_every_count_in_every_form(count: int) -> None:
    """No message is lost or mixed up where slices and blocks end."""
    messages = numbered(count)
    expected = [digest(message) for message in messages]
    whole, offsets = b"".join(messages), np.arange(count + 1) * 9
    matrix = np.frombuffer(whole, np.uint8).reshape(count, 9)
    arrays = [bytearray(message) if n % 3 else message for n, message in enumerate(messages)]
    wrong = list(range(0, count, 97))
    claims = [bytes(32) if n in wrong else tag for n, tag in enumerate(expected)]
    for form, given_offsets in ((messages, None), (arrays, None), (whole, offsets), (matrix, None)):
        tags = KEY.tag_many(form, given_offsets)
        assert (tags.shape, tags.dtype) == ((count, 32), np.uint8)
        assert rows(tags) == expected
        authentic = KEY.verify_many(form, claims, given_offsets)
        assert (authentic.shape, authentic.dtype) == ((count,), np.bool_)
        assert np.flatnonzero(~authentic).tolist() == wrong
    assert np.array_equal(tag_many([KEY] * count, messages), tags[:, : 32 if count else 0])


@settings(max_examples=200, deadline=None)
@given(data=st.data())
def test_offsets_cut_as_slices_do(data: st.DataObject) -> None:
    """For any ascending offsets within the buffer, message i is buffer[o[i]:o[i + 1]]."""
    whole = data.draw(st.binary(max_size=600))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), min_size=1, max_size=60)))
    kind = data.draw(st.sampled_from(["i8", "u8", "i4", "u2", ">i8", "i2"]))
    tags = KEY.tag_many(whole, np.array(cuts, kind))
    pairs = pairwise(cuts)
    assert rows(tags) == [digest(whole[begin:end]) for begin, end in pairs]
    assert KEY.verify_many(whole, tags, cuts).all()


@settings(max_examples=200, deadline=None)
@given(
    cuts=st.lists(st.integers(-(2**63), 2**63 - 1) | st.integers(-2, 12), min_size=2, max_size=9)
)
def test_offsets_that_cut_nothing_are_refused(cuts: list[int]) -> None:
    """Offsets that descend or leave the buffer are a ValueError; all other offsets are taken."""
    good = cuts == sorted(cuts) and cuts[0] >= 0 and cuts[-1] <= 10
    if good:
        assert KEY.tag_many(bytes(10), np.array(cuts)).shape == (len(cuts) - 1, 32)
    else:
        with pytest.raises(ValueError, match=r"^offsets\[\d+\] is"):
            KEY.tag_many(bytes(10), np.array(cuts))


def test_a_key_for_each_message() -> None:
    """Keys in a list, and keys by an index of any integer type, are each message's own."""
    choice = np.random.default_rng(4).integers(0, 300, 5000)
    messages = numbered(5000)
    expected = [
        digest(message, bytes([n & 255, n >> 8]) * 16)
        for message, n in zip(messages, choice.tolist(), strict=True)
    ]
    chosen = [SESSIONS[n] for n in choice]
    whole, offsets = b"".join(messages), np.arange(5001) * 9
    for tags in (
        tag_many(chosen, messages),
        tag_many(tuple(chosen), whole, offsets),
        tag_many(SESSIONS, messages, index=choice),
        tag_many(SESSIONS, whole, offsets, index=choice.astype(np.uint16)),
        tag_many(deque(SESSIONS), messages, index=choice.tolist()),
    ):
        assert rows(tags) == expected
    assert verify_many(chosen, messages, expected).all()
    assert verify_many(SESSIONS, whole, tags, offsets, index=choice).all()
    choice[17] ^= 1
    authentic = verify_many(SESSIONS, messages, tags, index=choice)
    assert np.flatnonzero(~authentic).tolist() == [17]


def test_keys_that_do_not_fit_are_refused() -> None:
    """The message names too few or too many keys, other algorithms, closed keys or bad indices."""
    closed = Key("hmac-sha256", b"")
    closed.close()
    two = [b"a", b"b"]
    with pytest.raises(ValueError, match=r"^there are 1 keys for 2 messages$"):
        tag_many([KEY], two)
    with pytest.raises(ValueError, match=r"^there are 3 indices for 2 messages$"):
        tag_many([KEY], two, index=[0, 0, 0])
    with pytest.raises(ValueError, match=r"^index\[1\] is 1, but there are 1 keys$"):
        tag_many([KEY], two, index=[0, 1])
    with pytest.raises(ValueError, match=r"^index\[0\] is -1, but there are 1 keys$"):
        tag_many([KEY], two, index=[-1, 0])
    with pytest.raises(TypeError, match=r"^index must be integers in one dimension"):
        tag_many([KEY], two, index=np.zeros(2))
    with pytest.raises(ValueError, match=r"^keys\[1\] is for another algorithm$"):
        tag_many([KEY, Key("hmac-md5", b"")], two)
    with pytest.raises(ValueError, match=r"^keys\[1\] has been closed$"):
        tag_many([KEY, closed], two)
    with pytest.raises(TypeError, match=r"^keys\[0\] is not a Key$"):
        tag_many([b"key", KEY], two)  # type: ignore[list-item]
    with pytest.raises(TypeError, match=r"^keys is a 'Key' object, not a sequence$"):
        tag_many(KEY, two)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"^there are 0 keys for 2 messages$"):
        verify_many([], two, two)


def test_messages_that_are_none_are_refused() -> None:
    """For a wrong type, form or shape of messages one sentence names the fault."""
    with pytest.raises(TypeError, match=r"^messages\[1\] is a 'str' object, not bytes or"):
        KEY.tag_many([b"", "text"])  # type: ignore[list-item]
    with pytest.raises(ValueError, match=r"^messages\[4097\] is not contiguous memory$"):
        KEY.tag_many([b""] * 4097 + [memoryview(b"abc")[::2]])
    with pytest.raises(TypeError, match=r"^messages is a 'str' object, not a sequence$"):
        KEY.tag_many("text")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"^messages is a 'int' object, not a sequence$"):
        KEY.tag_many(5)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="one buffer without rows: give offsets"):
        KEY.tag_many(b"message")
    with pytest.raises(ValueError, match="must be two-dimensional, of single bytes"):
        KEY.tag_many(np.zeros((3, 3), np.uint32))
    with pytest.raises(ValueError, match="has rows that are not contiguous"):
        KEY.tag_many(np.zeros((3, 8), np.uint8)[:, ::2])
    with pytest.raises(ValueError, match="must be contiguous single bytes in one dimension"):
        KEY.tag_many(np.zeros(9, np.uint8)[::2], [0, 5])
    with pytest.raises(ValueError, match="must be contiguous single bytes in one dimension"):
        KEY.tag_many(np.zeros((3, 8), np.uint8), [0, 5])
    with pytest.raises(TypeError, match=r"^offsets belong to messages in one buffer"):
        KEY.tag_many([b"message"], [0, 5])
    with pytest.raises(ValueError, match=r"must be n \+ 1 boundaries"):
        KEY.tag_many(b"", [])
    for wrong in ([0.0, 5.0], [[0, 5]], [False, True], ["0", "5"]):
        with pytest.raises(TypeError, match=r"^offsets must be integers in one dimension"):
            KEY.tag_many(b"message", wrong)  # type: ignore[arg-type]


def test_tags_that_are_none() -> None:
    """A claimed tag of a wrong length is not authentic; wrong counts and shapes are refused."""
    tag = KEY.tag(b"m")
    claims = [tag, tag[:16], b"", tag + b"\0", bytearray(tag)]
    assert KEY.verify_many([b"m"] * 5, claims).tolist() == [True, False, False, False, True]
    short = KEY.verify_many([b"m"] * 5, claims, tag_bytes=16)
    assert short.tolist() == [False, True, False, False, False]
    matrix = np.frombuffer(tag + tag, np.uint8).reshape(2, 32)
    assert KEY.verify_many([b"m", b"n"], matrix).tolist() == [True, False]
    assert KEY.verify_many([b"m", b"n"], matrix[:, :16], tag_bytes=16).tolist() == [True, False]
    with pytest.raises(ValueError, match=r"^tags has rows of 16 bytes, not 32$"):
        KEY.verify_many([b"m", b"n"], matrix[:, :16])
    with pytest.raises(ValueError, match=r"have 16 to 32 bytes, not 15$"):
        KEY.verify_many([b"m", b"n"], matrix[:, :15], tag_bytes=15)
    with pytest.raises(ValueError, match=r"^there are 2 tags for 1 messages$"):
        KEY.verify_many([b"m"], matrix)
    with pytest.raises(TypeError, match=r"^tags\[0\] is a 'str' object"):
        KEY.verify_many([b"m"], ["tag"])  # type: ignore[list-item]


def test_out_is_written_and_returned() -> None:
    """`out` takes the tags where it is: plain, reversed, or beside the messages in records."""
    messages = numbered(300, 64)
    expected = [digest(message) for message in messages]
    out = np.zeros((300, 32), np.uint8)
    assert KEY.tag_many(messages, out=out) is out
    assert rows(out) == expected
    KEY.tag_many(messages, out=out[::-1])
    assert rows(out) == expected[::-1]
    records = np.zeros((300, 96), np.uint8)
    records[:, :64] = np.frombuffer(b"".join(messages), np.uint8).reshape(300, 64)
    KEY.tag_many(records[:, :64], out=records[:, 64:])
    assert rows(records[:, :64]) == messages
    assert rows(records[:, 64:]) == expected
    records[:, 32:] = records[:, :64].copy()
    KEY.tag_many(records[:, 32:], out=records[:, :32])
    assert rows(records[:, :32]) == expected


def test_out_that_does_not_fit_is_refused() -> None:
    """Another shape or type, read-only memory, and any overlap with an input are refused."""
    messages = numbered(4, 64)
    whole = np.zeros(4 * 96, np.uint8)
    records = whole.reshape(4, 96)
    frozen = np.zeros((4, 32), np.uint8)
    frozen.flags.writeable = False
    for shape in ((3, 32), (5, 32), (4, 31), (4, 33)):
        with pytest.raises(ValueError, match=r"^out must have the shape \(4, 32\)$"):
            KEY.tag_many(messages, out=np.zeros(shape, np.uint8))
    for wrong in (np.zeros((4, 32), np.uint16), np.zeros(128, np.uint8)):
        with pytest.raises(ValueError, match=r"^out must be two-dimensional, of single bytes$"):
            KEY.tag_many(messages, out=wrong)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"^out is read-only$"):
        KEY.tag_many(messages, out=frozen)
    with pytest.raises(ValueError, match=r"^out has rows that are not contiguous$"):
        KEY.tag_many(messages, out=np.zeros((4, 64), np.uint8)[:, ::2])
    with pytest.raises(ValueError, match=r"^out has rows that overlap$"):
        KEY.tag_many(messages, out=np.lib.stride_tricks.as_strided(whole, (4, 32), (8, 1)))
    for left, right in ((65, 64), (64, 63), (96, 0)):
        with pytest.raises(ValueError, match=r"^out overlaps messages$"):
            KEY.tag_many(records[:, :left], out=records[:, right : right + 32])
    with pytest.raises(ValueError, match=r"^out overlaps messages$"):
        KEY.tag_many(records[::-1, :64], out=records[:, 64:])
    with pytest.raises(ValueError, match=r"^out overlaps messages$"):
        KEY.tag_many(whole, [0, 1, 2, 3, 4], out=whole[:128].reshape(4, 32))
    with pytest.raises(ValueError, match=r"^out overlaps messages\[2\]$"):
        KEY.tag_many([b"", b"", whole[127:129], b""], out=whole[:128].reshape(4, 32))
    words = np.zeros(16, np.int64)
    with pytest.raises(ValueError, match=r"^out overlaps offsets$"):
        KEY.tag_many(b"", words[:5], out=words.view(np.uint8).reshape(4, 32))
    with pytest.raises(ValueError, match=r"^out overlaps index$"):
        tag_many([KEY], messages, index=words[:4], out=words.view(np.uint8).reshape(4, 32))


def test_a_refusal_leaves_nothing_held() -> None:
    """After a success and after each refusal, references are as before and buffers resizable."""
    message = b"a message that is counted"
    resizable = bytearray(b"resizable")
    good = [message, resizable] * 3000
    bad = [*good, None]
    tags = [bytes(32)] * 6000
    before = sys.getrefcount(message), sys.getrefcount(KEY)
    for _ in range(3):
        KEY.tag_many(good)
        KEY.verify_many(good, tags)
        tag_many([KEY] * 6000, good)
        for attempt in (
            lambda: KEY.tag_many(bad),  # type: ignore[arg-type]
            lambda: KEY.verify_many(good, [*tags[:-1], 5]),  # type: ignore[list-item]
            lambda: tag_many([KEY] * 5999 + [5], good),  # type: ignore[list-item]
            lambda: tag_many([KEY], good, index=[0] * 5999 + [1]),
            lambda: KEY.tag_many(resizable, [0, 5, 4]),
        ):
            with pytest.raises((TypeError, ValueError)):
                attempt()
    assert (sys.getrefcount(message), sys.getrefcount(KEY)) == before
    resizable.append(0)


def test_a_key_is_erased_after_the_batch_that_uses_it() -> None:
    """A key can be closed once no batch uses it, and is then refused."""
    keys = [Key("hmac-sha256", bytes([n])) for n in range(3)]
    tag_many(keys, [b""] * 9, index=np.arange(9) % 3)
    for key in keys:
        key.close()
    with pytest.raises(ValueError, match=r"^keys\[1\] has been closed$"):
        tag_many(keys, [b""], index=[1])


def test_two_threads_share_a_key_and_messages() -> None:
    """Two threads at work on one key and on the same messages get all tags right."""
    messages = [bytes([n % 256]) * (n % 300) for n in range(6000)]
    expected = np.array([list(digest(message)) for message in messages], np.uint8)
    results: list[bool] = []

    def work() -> None:
        for _ in range(20):
            results.append(bool(np.array_equal(KEY.tag_many(messages), expected)))
            results.append(bool(KEY.verify_many(messages, expected).all()))

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [True] * 80


def test_inputs_that_change_during_the_call_do_no_harm() -> None:
    """A list emptied or offsets overwritten by another thread give tags or a ValueError."""
    stop = threading.Event()
    messages: list[bytes] = []
    offsets = np.zeros(50_001, np.int64)
    outcomes: set[str] = set()

    def disturb() -> None:
        while not stop.is_set():
            messages[:] = numbered(20_000)
            offsets[:] = np.arange(50_001)
            messages.clear()
            offsets[25_000:] = 2**62

    thread = threading.Thread(target=disturb)
    thread.start()
    for _ in range(100):
        for attempt in (
            lambda: KEY.tag_many(messages),
            lambda: KEY.tag_many(bytes(50_000), offsets),
        ):
            try:
                outcomes.add(str(attempt().shape[1]))
            except ValueError as error:
                outcomes.add(str(error)[:7])
    stop.set()
    thread.join()
    assert outcomes <= {"32", "message", "offsets", "out mus"}


def test_other_buffers_are_taken() -> None:
    """array.array, ctypes-like exports and arrays of one-byte types are messages too."""
    assert (
        rows(KEY.tag_many([array.array("B", b"ab"), np.frombuffer(b"ab", np.int8)]))
        == [digest(b"ab")] * 2
    )
    assert rows(KEY.tag_many(array.array("B", b"abc"), [0, 2, 3])) == [digest(b"ab"), digest(b"c")]
