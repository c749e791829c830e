# SPDX-License-Identifier: Apache-2.0
"""joulemark.mac: messages of more than 4 GiB.

They are pages of zeros that the kernel maps again and again, so no memory is needed.
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
SECRET = bytes(range(32))

pytestmark = pytest.mark.slow


@pytest.fixture
def zeros() -> Iterator[memoryview]:
    """More than 4 GiB to read."""
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | getattr(mmap, "MAP_NORESERVE", 0)
    mapped = mmap.mmap(-1, HUGE_BYTES + 100, flags=flags, prot=mmap.PROT_READ)
    with memoryview(mapped) as view:
        yield view
    mapped.close()


def test_no_length_is_narrowed(zeros: memoryview) -> None:
    """One message, a stream and a batch by offsets, each over 4 GiB, get the right tags."""
    reference = hmac.new(SECRET, None, hashlib.sha256)
    reference.update(zeros[:HUGE_BYTES])
    expected = reference.digest()
    key = Key("hmac-sha256", SECRET)
    assert key.tag(zeros[:HUGE_BYTES]) == expected
    stream = key.stream()
    stream.update(zeros[:HUGE_BYTES])
    assert stream.verify(expected)
    tags = key.tag_many(zeros, np.array([20, 20 + HUGE_BYTES, 50 + HUGE_BYTES]))
    assert bytes(tags[0]) == expected
    assert bytes(tags[1]) == hmac.digest(SECRET, bytes(30), "sha256")
