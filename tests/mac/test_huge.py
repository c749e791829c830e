# SPDX-License-Identifier: Apache-2.0
"""joulemark.mac: messages of more than 4 GiB.

The messages are pages of zeros that the kernel maps again and again, so no memory is needed.
"""

from __future__ import annotations

import hashlib
import hmac
import mmap
from collections.abc import Iterator

import numpy as np
import pytest

from joulemark.mac import Key

HUGE_BYTES = 2**32 + 77
PIECE_BYTES = 2**30
SECRET = bytes(range(32))
HMAC_OF_ZEROS = "0eeeb90fc2e34cf1054a53903d56d28464a713c205e04c9e9f40cb896c06ef9d"
"""Python's digest, which takes three seconds; the exhaustive run computes it again."""


@pytest.fixture
def zeros() -> Iterator[memoryview]:
    """More than 4 GiB of zero bytes to read."""
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | getattr(mmap, "MAP_NORESERVE", 0)
    mapped = mmap.mmap(-1, HUGE_BYTES + 100, flags=flags, prot=mmap.PROT_READ)
    with memoryview(mapped) as view:
        yield view
    mapped.close()


def test_no_length_is_narrowed_by_a_batch(zeros: memoryview) -> None:
    """A message of over 4 GiB lies between short messages, at offsets of over 4 GiB."""
    ends = np.array([20, 20 + HUGE_BYTES, 50 + HUGE_BYTES])
    tags = Key("hmac-sha256", SECRET).tag_many(zeros, ends)
    assert bytes(tags[0]).hex() == HMAC_OF_ZEROS
    assert bytes(tags[1]) == hmac.digest(SECRET, bytes(30), "sha256")


def test_no_length_is_narrowed_by_a_call(zeros: memoryview) -> None:
    """One message and one update of a stream give the same tag as pieces of less than 4 GiB.

    The algorithm is that whose stream takes the least time.
    """
    key = Key("blake3-keyed", SECRET)
    pieces, whole = key.stream(), key.stream()
    for at in range(0, HUGE_BYTES, PIECE_BYTES):
        pieces.update(zeros[at : min(at + PIECE_BYTES, HUGE_BYTES)])
    whole.update(zeros[:HUGE_BYTES])
    expected = pieces.tag()
    assert whole.verify(expected)
    assert key.tag(zeros[:HUGE_BYTES]) == expected


@pytest.mark.exhaustive
def test_hmac_narrows_no_length(zeros: memoryview) -> None:
    """One message and one stream give Python's tag."""
    reference = hmac.new(SECRET, None, hashlib.sha256)
    reference.update(zeros[:HUGE_BYTES])
    expected = reference.digest()
    assert expected.hex() == HMAC_OF_ZEROS
    key = Key("hmac-sha256", SECRET)
    assert key.tag(zeros[:HUGE_BYTES]) == expected
    stream = key.stream()
    stream.update(zeros[:HUGE_BYTES])
    assert stream.verify(expected)
