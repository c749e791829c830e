# SPDX-License-Identifier: Apache-2.0
"""KT128 of the long messages of RFC 9861, section 5: many chunks, in lanes and one by one."""

from __future__ import annotations

import pytest

from joulemark import _core
from joulemark.reference.sha3_finalists import kt128

DIGESTS = {
    17**4: "8701045e22205345ff4dda05555cbb5c3af1a771c2b89baef37db43d9998b9fe",
    17**5: "844d610933b1b9963cbdeb5ae3b6b05cc7cbd67ceedf883eb678a0a8e0371682",
    17**6: "3c390782a8a4e89fa6367f72feaaf13255c8d95878481d3cd8ce85f58e880af8",
}
"""Digests of the RFC, by length of the message in bytes."""


def pattern(size_bytes: int) -> bytes:
    """The RFC's ptn: the bytes 0 to 250, repeated."""
    return (bytes(range(251)) * (size_bytes // 251 + 1))[:size_bytes]


def own(algorithm: str) -> list[_core.Implementation]:
    """Our own kernels that this CPU can run."""
    return [
        implementation
        for implementation in _core.builtin_plugin().implementations()
        if implementation.algorithm == algorithm and not implementation.missing_features
    ]


@pytest.mark.parametrize("size_bytes", DIGESTS)
def test_long_messages_have_the_digests_of_the_rfc(size_bytes: int) -> None:
    """Every variant that this CPU runs gives the digests."""
    for implementation in own("kt128"):
        assert implementation.digest(pattern(size_bytes)).hex() == DIGESTS[size_bytes], (
            implementation.variant
        )


def test_the_reference_has_the_digest_of_the_rfc() -> None:
    """The message has eleven chunks, of which the last is short."""
    assert kt128(pattern(17**4)).hex() == DIGESTS[17**4]


@pytest.mark.parametrize("chunks", range(1, 20))
def test_every_number_of_chunks_is_the_same_in_every_variant(chunks: int) -> None:
    """Lanes are full or not and hold the first chunk or not; messages end round a chunk's end."""
    for beyond in (-1, 0, 1, 200):
        message = pattern(8192 * chunks + beyond)
        assert len({implementation.digest(message) for implementation in own("kt128")}) == 1, (
            chunks,
            beyond,
        )


@pytest.mark.parametrize("first_bytes", [1, 8191, 8192, 8193, 16384, 20000, 65536])
def test_a_stream_is_cut_anywhere(first_bytes: int) -> None:
    """The stream is HMAC's, whose message follows a block of the key: pieces end within chunks."""
    message = pattern(100_000)
    for implementation in own("hmac-kt128"):
        key = _core.KeyState(implementation, b"key")
        stream = _core.Stream(key)
        for at in range(0, len(message), first_bytes):
            stream.update(message[at : at + first_bytes])
        assert stream.finish() == key.tag(message), implementation.variant
