# SPDX-License-Identifier: Apache-2.0
"""Links over CAN: bits of frames, padded lengths, the transceiver's energy; sums by hand."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from joulemark.budget import Inputs, nominal
from joulemark.budget.parts import FrameBits, airtime_s, assemble, classic_bits, fd_bits
from joulemark.budget.plan import Question
from joulemark.budget.planner import Planner
from joulemark.catalogue import data_folder
from joulemark.catalogue.nodes import Radio
from joulemark.catalogue.protocols import PacketProtocol, sheet
from joulemark.errors import UsageError

SLOW_BIT_S, FAST_BIT_S = 1 / 500e3, 1 / 2e6
SEND_W = 5 * (40e-3 + 1.5e-3) / 2
"""TCAN1042 at 5 V: 40 mA in dominant bits, 1.5 mA in the others, as many of each."""


def stuffed(bits: list[int]) -> int:
    """Bits of a frame's stuffed part on the bus: after five equal bits comes the other value."""
    sent, last, run = 0, -1, 0
    for bit in bits:
        run = run + 1 if bit == last else 1
        last, sent = bit, sent + 1
        if run == 5:
            last, run, sent = 1 - bit, 1, sent + 1
    return sent


@pytest.mark.parametrize("identifier_bits", [11, 29])
@pytest.mark.parametrize("size", range(9))
def test_no_contents_need_more_bits_than_the_bound(identifier_bits: int, size: int) -> None:
    """Five equal bits and then four by four reach it, and nothing random exceeds it."""
    most = classic_bits(identifier_bits, size).arbitration
    count = {11: 34, 29: 54}[identifier_bits] + 8 * size
    worst = [1] * 5 + [at // 4 % 2 for at in range(count - 5)]
    assert stuffed(worst) + 13 == most
    choose = random.Random(size)
    sent = [stuffed([choose.randrange(2) for _ in range(count)]) for _ in range(200)]
    assert max(sent) + 13 <= most
    assert sum(sent) / 200 == pytest.approx(count * 31 / 30, rel=0.02)


def test_lengths_of_classic_frames() -> None:
    """55 and 80 bits without data, and 10 a byte: 135 and 160 with 8 bytes."""
    assert [classic_bits(11, size) for size in (0, 1, 8)] == [
        FrameBits(55, 0), FrameBits(65, 0), FrameBits(135, 0),
    ]  # fmt: skip
    assert [classic_bits(29, size).arbitration for size in (0, 8)] == [80, 160]


@pytest.mark.parametrize(
    ("identifier_bits", "size", "slow", "fast"),
    [
        # 17 bits to the switch with 4 stuffed, 12 at the end; 5 of control, and 28 or 33 after
        # the data; of 22 + 64 bits 21 are stuff, 4 of them before the switch.
        (11, 0, 17 + 4 + 12, 5 + 1 + 28),
        (11, 8, 17 + 4 + 12, 5 + 64 + 21 - 4 + 28),
        (11, 16, 17 + 4 + 12, 5 + 128 + 37 - 4 + 28),
        (11, 20, 17 + 4 + 12, 5 + 160 + 45 - 4 + 33),
        (29, 64, 36 + 8 + 12, 5 + 512 + 138 - 8 + 33),
    ],
)
def test_lengths_of_frames_of_can_fd(identifier_bits: int, size: int, slow: int, fast: int) -> None:
    """Both rates apart; the longer CRC begins above 16 bytes."""
    assert fd_bits(identifier_bits, size) == FrameBits(slow, fast)


def test_a_frame_of_can_fd_is_padded_to_a_length_that_exists() -> None:
    """9 bytes take as long as 12, and 65 take a second frame."""
    radio = sheet(Radio, "can_fd_2m")
    seconds = {size: nominal(airtime_s(radio, Inputs(), size)) for size in (1, 8, 9, 12, 64, 65)}
    assert seconds[8] < seconds[9] == seconds[12]
    assert seconds[64] == pytest.approx(33 * SLOW_BIT_S + 679 * FAST_BIT_S)
    assert seconds[65] == pytest.approx(seconds[64] + seconds[1])


def test_secoc_on_can_by_hand() -> None:
    """4 bytes of payload; profile 1 adds 1 of freshness and 3 of tag: 95 and 135 bits."""
    planner = Planner.of("can_secoc_1", "can", Question(4, 0.1))
    air = planner.budget.air_only
    assert nominal(air.tag_air_j) == pytest.approx(30 * SLOW_BIT_S * SEND_W)
    assert nominal(air.other_air_j) == pytest.approx(10 * SLOW_BIT_S * SEND_W)
    receive_w = 5 * 1.5e-3 + nominal(planner.parts.waiting_w)
    assert nominal(air.verification_j) == pytest.approx(40 * SLOW_BIT_S * receive_w)
    byte_j = 135 * SLOW_BIT_S / 8 * SEND_W
    assert nominal(planner.exchange.byte_j) == pytest.approx(byte_j)


def test_a_tag_byte_that_needs_another_frame_costs_that_frame() -> None:
    """With 4 bytes of tag a frame of 1 byte follows, of 65 bits; 2 bytes save 10 bits."""
    planner = Planner.of("can_secoc_1", "can", Question(4, 0.1))
    more = {tag.tag_bytes: nominal(tag.more_j) for tag in planner.tags}
    watts = SEND_W + nominal(planner.parts.waiting_w)
    assert more[4] == pytest.approx(65 * SLOW_BIT_S * watts)
    assert more[2] == pytest.approx(-10 * SLOW_BIT_S * watts)


def test_a_byte_of_tag_on_can_fd_is_free_up_to_the_next_length() -> None:
    """4 of freshness, 2 of payload, 8 of tag: 14 bytes go in 16, and so do 9 and 10 of tag."""
    tags = Planner.of("can_fd_secoc", "can_fd", Question(2, 0.1)).tags
    assert {tag.tag_bytes for tag in tags if tag.free} == {7, 9}


def test_more_than_a_frame_is_refused() -> None:
    """A payload of 5 bytes with profile 1 does not fit in a frame."""
    with pytest.raises(UsageError, match="a payload of 5 bytes is longer than the 4 bytes"):
        _ = Planner.of("can_secoc_1", "can", Question(5, 0.1)).budget


def test_a_higher_layer_goes_in_frames_with_a_byte_of_control() -> None:
    """7 bytes a frame: 8 bytes take a full frame and a frame of 2."""
    parts = assemble("can", Inputs()).carrying(sheet(PacketProtocol, "oscore"))
    assert nominal(parts.airtime_s(8)) == pytest.approx((135 + 75) * SLOW_BIT_S)


def test_lengths_must_reach_the_longest_frame(tmp_path: Path) -> None:
    """A list of lengths that ends too early is refused in one sentence with the key."""
    text = (data_folder("catalogue") / "radios" / "can_500k.toml").read_text("utf-8")
    path = tmp_path / "mine.toml"
    path.write_text(
        text.replace('id = "can_500k"', 'id = "mine"').replace("value = 8,", "value = 9,")
    )
    with pytest.raises(UsageError, match=r"can\.lengths: none is as long as frame_limit says, 9 b"):
        sheet(Radio, str(path))
