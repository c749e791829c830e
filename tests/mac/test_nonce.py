# SPDX-License-Identifier: Apache-2.0
"""joulemark.mac with algorithms that need another nonce for each message."""

from __future__ import annotations

import threading

import pytest

from joulemark.mac import Key, tag_many, verify_many
from joulemark.reference import reference_output
from joulemark.reference.block_ciphers import gmac

GMAC = [("gmac-aes128", 16), ("gmac-aes192", 24), ("gmac-aes256", 32)]
AEGIS = [("aegismac-128l", 16), ("aegismac-256", 32)]
UNIVERSAL = [
    ("poly1305-aes", 32, 16), ("umac-32-aes128", 16, 16), ("umac-64-aes128", 16, 16),
    ("umac-96-aes128", 16, 16), ("umac-128-aes128", 16, 16), ("vmac-64-aes128", 16, 15),
    ("vmac-128-aes128", 16, 15),
]  # fmt: skip
"""Algorithm, length of a key in bytes, greatest length of a nonce in bytes."""
NONCE = bytes(range(12))


@pytest.mark.parametrize(("algorithm", "key_bytes"), GMAC)
@pytest.mark.parametrize("nonce_bytes", [1, 11, 12, 13, 16, 128, 255])
def test_tags_are_the_standards(algorithm: str, key_bytes: int, nonce_bytes: int) -> None:
    """Messages of many lengths, each with its own nonce, give what the reference gives."""
    secret = bytes(range(key_bytes))
    with Key(algorithm, secret) as key:
        for length in (0, 1, 16, 17, 64, 100, 512, 700, 2100):
            message = bytes(i % 251 for i in range(length))
            nonce = bytes([length % 251]) * nonce_bytes
            tag = key.tag(message, nonce=nonce)
            assert tag == gmac(secret, message, nonce)
            assert key.verify(message, tag, nonce=nonce)


@pytest.mark.parametrize(("algorithm", "size"), AEGIS)
def test_aegis_takes_a_nonce_as_long_as_its_key(algorithm: str, size: int) -> None:
    """Its tags, each under another nonce, are the draft's; another length is refused."""
    secret = bytes(range(1, size + 1))
    with Key(algorithm, secret) as key:
        for length in (0, 1, 15, 16, 17, 31, 32, 33, 64, 100, 700):
            message = bytes(i % 251 for i in range(length))
            nonce = bytes((length + 3 * i) % 256 for i in range(size))
            tag = key.tag(message, nonce=nonce)
            assert tag == reference_output(algorithm, secret, message, nonce=nonce)
            assert key.verify(message, tag, nonce=nonce)
            assert not key.verify(message, tag, nonce=nonce[::-1])
        with pytest.raises(ValueError, match=f"nonces of {algorithm} have {size} bytes, not 12"):
            key.tag(b"message", nonce=NONCE)


@pytest.mark.parametrize(("algorithm", "key_bytes", "most_bytes"), UNIVERSAL)
def test_universal_hashes_take_their_nonces(
    algorithm: str, key_bytes: int, most_bytes: int
) -> None:
    """Nonces of every length, odd and even ones, give what the reference gives; others are refused.

    The lowest bits of a nonce choose a part of the pad where the tag is short.
    """
    secret = bytes(range(1, key_bytes + 1))
    for size in range(16 if key_bytes == 32 else 1, most_bytes + 1):
        with Key(algorithm, secret) as key:
            for last in (0, 1, 2, 3, 255):
                message = bytes(range(20 * size % 251))
                nonce = bytes(range(1, size)) + bytes([last])
                tag = key.tag(message, nonce=nonce)
                assert tag == reference_output(algorithm, secret, message, nonce=nonce)
                assert key.verify(message, tag, nonce=nonce)
                with pytest.raises(ValueError, match="this nonce has authenticated a message"):
                    key.tag(b"another", nonce=nonce)
    with pytest.raises(ValueError, match=f"nonces of {algorithm} have "):
        Key(algorithm, secret).tag(b"message", nonce=bytes(most_bytes + 1))


def test_nonces_of_another_length_are_refused() -> None:
    """UMAC and VMAC pad a nonce with zeros: the nonce with one more zero would be the same."""
    key = Key("umac-64-aes128", bytes(16))
    key.tag(b"first", nonce=b"number 1")
    with pytest.raises(ValueError, match="nonces under this Key have 8 bytes so far, not 9"):
        key.tag(b"second", nonce=b"number 1\0")
    tag = key.tag(b"second", nonce=b"number 2")
    assert key.verify(b"second", tag, nonce=b"number 2\0")


def test_a_used_nonce_is_refused() -> None:
    """The Key refuses another message under the nonce in a sentence; another Key may use it."""
    key = Key("gmac-aes128", bytes(16))
    tag = key.tag(b"first", nonce=NONCE)
    with pytest.raises(ValueError, match="this nonce has authenticated a message under this Key"):
        key.tag(b"second", nonce=NONCE)
    with pytest.raises(ValueError, match="this nonce has authenticated a message"):
        key.tag(b"first", nonce=bytearray(NONCE))
    assert key.tag(b"second", nonce=NONCE[::-1]) != tag
    assert Key("gmac-aes128", bytes(16)).tag(b"first", nonce=NONCE) == tag


def test_verify_takes_a_nonce_again() -> None:
    """A verifier cannot choose nonces; each bit of tag, message and nonce counts."""
    key = Key("gmac-aes256", bytes(32))
    tag = key.tag(b"message", nonce=NONCE)
    assert key.verify(b"message", tag, nonce=NONCE)
    assert key.verify(b"message", tag, nonce=NONCE)
    assert not key.verify(b"massage", tag, nonce=NONCE)
    assert not key.verify(b"message", tag, nonce=NONCE[::-1])
    assert not key.verify(b"message", tag[:-1] + bytes([tag[-1] ^ 1]), nonce=NONCE)
    assert not key.verify(b"message", tag[:12], nonce=NONCE)


@pytest.mark.parametrize(
    ("algorithm", "key_bytes", "nonce_bytes"),
    [
        *((name, size, 12) for name, size in GMAC),
        *((name, size, size) for name, size in AEGIS),
        *UNIVERSAL,
    ],
)
def test_forged_nonces_are_refused(algorithm: str, key_bytes: int, nonce_bytes: int) -> None:
    """A tag under its nonce is under no other: each bit counts, also those that choose UMAC's pad.

    The nonce is tried between the forged ones, so that no pad kept from a forged nonce is used.
    """
    secret = bytes(range(1, key_bytes + 1))
    nonce = bytes(range(3, nonce_bytes + 3))
    forged = [
        bytes(byte ^ (bit == 8 * place + within) << within for place, byte in enumerate(nonce))
        for bit in range(8 * nonce_bytes)
        for within in [bit % 8]
    ]
    with Key(algorithm, secret) as key:
        tag = key.tag(b"message", nonce=nonce)
        for other in forged:
            assert other != nonce
            assert not key.verify(b"message", tag, nonce=other)
            assert key.verify(b"message", tag, nonce=nonce)
        if not algorithm.startswith(("aegis", "poly1305")):
            assert not key.verify(b"message", tag, nonce=nonce[:-1])


def test_missing_and_needless_nonces_are_refused() -> None:
    """Each refusal is one sentence that says which nonces are taken."""
    key = Key("gmac-aes128", bytes(16))
    with pytest.raises(ValueError, match="gmac-aes128 needs a nonce, another for each message"):
        key.tag(b"message")
    with pytest.raises(ValueError, match="gmac-aes128 needs a nonce"):
        key.verify(b"message", bytes(16))
    for nonce in (b"", bytes(256)):
        with pytest.raises(ValueError, match="have 1 to 255 bytes, best 12, not"):
            key.tag(b"message", nonce=nonce)
    with pytest.raises(TypeError, match="nonce is a 'int' object"):
        key.tag(b"message", nonce=1)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="hmac-sha256 takes no nonce"):
        Key("hmac-sha256", b"key").tag(b"message", nonce=NONCE)


def test_streams_and_batches_are_refused() -> None:
    """Streams and batches have no argument for a nonce."""
    key = Key("gmac-aes128", bytes(16))
    with pytest.raises(ValueError, match="gmac-aes128 needs another nonce for each message"):
        key.stream()
    with pytest.raises(ValueError, match="gmac-aes128 needs another nonce for each message"):
        key.tag_many([b"first"])
    with pytest.raises(ValueError, match="gmac-aes128 needs another nonce for each message"):
        tag_many([key], [b"first"])
    with pytest.raises(ValueError, match="gmac-aes128 needs another nonce for each message"):
        verify_many([key], [b"first"], [bytes(16)])


def test_threads_use_one_key_with_a_nonce_each() -> None:
    """No thread's nonce gets into another's tag, though long messages are tagged side by side."""
    secret, message = bytes(range(16)), bytes(20_000)
    key = Key("gmac-aes128", secret)
    expected = {i: gmac(secret, b"", i.to_bytes(12)) for i in range(4)}
    first = {i: Key("gmac-aes128", secret).tag(message, nonce=i.to_bytes(12)) for i in range(4)}
    wrong: list[int] = []

    def work(i: int) -> None:
        for _ in range(200):
            if not key.verify(message, first[i], nonce=i.to_bytes(12)):
                wrong.append(i)
            if not key.verify(b"", expected[i], nonce=i.to_bytes(12)):
                wrong.append(i)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
