# SPDX-License-Identifier: Apache-2.0
"""The parts of shared code for tests of cores that need no simulator."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pytest

pytest.importorskip("cocotb", reason="needs cocotb (make core-tools)")

from joulemark.hardware.bench.streams import (
    KeyedStreamAdapter,
    SimulationRequest,
    limit_ms,
    simulation_request,
)

PORTS = (
    "key_valid_i", "key_ready_o", "key_i", "msg_valid_i", "msg_ready_o", "msg_bytes_i",
    "msg_last_i", "tag_valid_o", "tag_ready_i",
)  # fmt: skip


class Little(KeyedStreamAdapter):
    """An adapter that puts the first byte lowest in a word."""

    byte_order = "little"

    @staticmethod
    def reference(key: bytes, message: bytes) -> bytes:
        """Returns an empty result: these tests need no tag."""
        return key + message


class Big(Little):
    """An adapter that puts the first byte highest in a word."""

    byte_order = "big"


def adapter(of: type[Little]) -> Little:
    """An adapter with words of four bytes and a tag of two."""
    dut = SimpleNamespace(**dict.fromkeys(PORTS), msg_data_i=range(32), tag_o=range(16))
    return of(dut, None, {})


@pytest.mark.parametrize(
    ("length", "sizes"), [(0, [0]), (1, [1]), (4, [4]), (5, [4, 1]), (8, [4, 4]), (9, [4, 4, 1])]
)
def test_all_words_but_the_last_are_full(length: int, sizes: list[int]) -> None:
    """An empty message is one word of no bytes; only the last word is marked."""
    words = list(adapter(Little).words(bytes(length)))
    assert [word["bytes"] for word in words] == sizes
    assert [word["last"] for word in words] == [False] * (len(sizes) - 1) + [True]


def test_bytes_stand_where_the_order_says() -> None:
    """The first byte of a word is its lowest or its highest, whether the word is full or not."""
    data = {of: [word["data"] for word in adapter(of).words(b"\1\2\3\4\5")] for of in (Little, Big)}
    assert data == {Little: [0x04030201, 0x05], Big: [0x01020304, 0x05000000]}
    assert adapter(Little).word(b"\5", beyond=b"\xff") == 0xFFFFFF05
    assert adapter(Big).word(b"\5", beyond=b"\xff") == 0x05FFFFFF
    assert adapter(Big).tag_bytes == 2


def test_a_module_is_told_by_its_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """A missing variable means None, an empty value, or the module's own default."""
    for name in ("PARAMETERS", "CLOCKS_PER_BLOCK", "LATENCY_CLOCKS", "RANDOM_MESSAGES"):
        monkeypatch.delenv(f"JOULEMARK_{name}", raising=False)
    assert simulation_request(random_messages=7) == SimulationRequest({}, None, None, 7)
    monkeypatch.setenv("JOULEMARK_PARAMETERS", json.dumps({"ROUNDS": 2}))
    monkeypatch.setenv("JOULEMARK_CLOCKS_PER_BLOCK", "3")
    monkeypatch.setenv("JOULEMARK_RANDOM_MESSAGES", "10000")
    assert simulation_request(random_messages=7) == SimulationRequest(
        {"ROUNDS": 2}, 3, None, 10_000
    )


def test_a_limit_grows_with_the_messages() -> None:
    """The limit is two million clocks of 10 ns, and a given number more for each message."""
    assert limit_ms(0, 5000) == 20
    assert limit_ms(10_000, 1000) == 120
