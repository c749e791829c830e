# SPDX-License-Identifier: Apache-2.0
"""Bytes on the wire: 802.15.4's limits, CAN FD's steps, padding of ESP and TLS, frames below."""

from __future__ import annotations

import pytest

from joulemark.budget import Inputs, nominal
from joulemark.budget.packets import packet_of, payload_most
from joulemark.budget.parts import airtime_s, assemble, lora_symbols
from joulemark.budget.plan import Question
from joulemark.budget.planner import Planner
from joulemark.catalogue.nodes import Radio
from joulemark.catalogue.protocols import PacketProtocol, names, sheet
from joulemark.catalogue.vectors import calls, ccm_calls
from joulemark.errors import UsageError
from joulemark.report.budget import caveats


def secure(name: str, payload: int, tag: int) -> int:
    """Bytes of an authenticated packet."""
    return packet_of(sheet(PacketProtocol, name), Inputs(), payload, tag).secure_bytes


@pytest.mark.parametrize(("tag", "most"), [(4, 106), (8, 102), (16, 94)])
def test_802154_leaves_what_the_standard_leaves(tag: int, most: int) -> None:
    """127 bytes less 9 of MAC header, 2 of FCS, 6 of auxiliary header, and the MIC."""
    assert payload_most(sheet(PacketProtocol, "ieee802154_mic"), Inputs(), tag, 127) == most


@pytest.mark.parametrize(
    ("radio", "most"), [("sx1276_sf7", 222), ("sx1276_sf9", 115), ("sx1276_sf12", 51)]
)
def test_lorawan_payloads_of_eu868(radio: str, most: int) -> None:
    """The longest application payload of DR5, DR3 and DR0."""
    limit = int(sheet(Radio, radio).frame_limit.value)
    assert payload_most(sheet(PacketProtocol, "lorawan_1_0"), Inputs(), 4, limit) == most


def test_can_fd_goes_in_steps() -> None:
    """With 4 bytes of freshness and 8 of tag a length between two DLCs is padded to the longer."""
    payloads = (0, 1, 4, 5, 8, 9, 20, 21, 36, 37)
    assert [secure("can_fd_secoc", payload, 8) for payload in payloads] == [
        12, 16, 16, 20, 20, 24, 32, 48, 48, 64,
    ]  # fmt: skip
    assert payload_most(sheet(PacketProtocol, "can_fd_secoc"), Inputs(), 8, None) == 64 - 12


def test_esp_pads_payload_and_trailer_to_four() -> None:
    """8 bytes of SPI and number, payload with 2 of trailer to a multiple of 4, 12 of the ICV."""
    assert [secure("esp_hmac_sha1_96", payload, 12) for payload in (0, 2, 3, 6)] == [
        8 + 4 + 12, 8 + 4 + 12, 8 + 8 + 12, 8 + 8 + 12,
    ]  # fmt: skip


def test_tls_pads_payload_tag_and_one_byte_to_sixteen() -> None:
    """Header 5, IV 16, then payload, HMAC and at least one byte of padding."""
    assert [secure("tls12_cbc_hmac_sha1", payload, 20) for payload in (0, 10, 11, 12)] == [
        21 + 32, 21 + 32, 21 + 32, 21 + 48,
    ]  # fmt: skip


def test_the_tag_of_tinysec_replaces_group_and_crc() -> None:
    """Net one byte more than TinyOS: 36 of 29 + 7 become 37 (TinySec, table of packet sizes)."""
    packet = packet_of(sheet(PacketProtocol, "tinysec_auth"), Inputs(), 29, 4)
    assert (packet.plain_bytes, packet.secure_bytes, packet.mac_input_bytes) == (36, 37, 33)


@pytest.mark.parametrize(("plain", "total", "milliseconds"), [(31, 63, 26.25), (32, 64, 26.67),
                                                              (36, 68, 28.33)])  # fmt: skip
def test_times_of_tinysec(plain: int, total: int, milliseconds: float) -> None:
    """The table of TinySec for 24 bytes: 63, 64 and 68 bytes with preamble, and their times."""
    seconds = nominal(airtime_s(sheet(Radio, "cc1000_868"), Inputs(), plain))
    assert seconds * 1e3 == pytest.approx(milliseconds, abs=0.005)
    assert seconds == pytest.approx(total * 8 / 19200)


def test_lora_symbols_by_the_formula_of_the_data_sheet() -> None:
    """SF12: 37 bytes are 48 symbols; 4 and 8 bytes more cost the same group of 164 ms."""
    radio = sheet(Radio, "sx1276_sf12")
    assert radio.lora is not None
    assert [lora_symbols(radio.lora, size) for size in (37, 41, 45)] == [48, 53, 53]
    more = airtime_s(radio, Inputs(), 41) - airtime_s(radio, Inputs(), 37)
    assert nominal(more) == pytest.approx(5 * 4096 / 125e3)
    sf7 = sheet(Radio, "sx1276_sf7")
    assert sf7.lora is not None
    # ceil((8 * 13 - 28 + 28 + 16) / 28) = 5 groups; 20 bytes: ceil(176 / 28) = 7.
    assert [lora_symbols(sf7.lora, size) for size in (13, 20)] == [33, 43]


def test_a_higher_layer_pays_for_each_frame() -> None:
    """DTLS over 802.15.4: 116 bytes go into a frame of 127 with 11 around; one more takes two."""
    parts = assemble("telosb", Inputs()).carrying(sheet(PacketProtocol, "dtls12_ccm8"))
    assert nominal(parts.airtime_s(116)) == pytest.approx((6 + 127) * 32e-6)
    assert nominal(parts.airtime_s(117)) == pytest.approx((6 + 127 + 6 + 12) * 32e-6)
    assert nominal(parts.airtime_s(0)) == pytest.approx((6 + 11) * 32e-6)


@pytest.mark.parametrize(
    ("algorithm", "lengths", "counts"),
    [
        ("hmac-sha1", (0, 55, 56, 119, 120), (2, 2, 3, 3, 4)),
        ("hmac-sha512", (0, 111, 112), (2, 2, 3)),
        ("cmac-aes128", (0, 16, 17, 33), (1, 1, 2, 3)),
        ("chaskey-12", (0, 16, 17), (1, 1, 2)),
        ("siphash-2-4", (0, 7, 8, 33), (1, 1, 2, 5)),
        ("ascon-mac", (0, 31, 32, 33), (1, 1, 2, 2)),
        ("blake2s-mac", (0, 64, 65), (1, 1, 2)),
        ("sha1", (55, 56), (1, 2)),
    ],
)
def test_calls_of_a_primitive(
    algorithm: str, lengths: tuple[int, ...], counts: tuple[int, ...]
) -> None:
    """The number of calls changes at the borders of blocks and paddings."""
    assert tuple(calls(algorithm, length) for length in lengths) == counts


def test_calls_of_ccm() -> None:
    """B0, the data behind two bytes of length, the message, and the block that hides the tag."""
    assert [ccm_calls(*sizes) for sizes in ((0, 0), (14, 0), (15, 0), (13, 24), (0, 17))] == [
        2, 3, 4, 5, 4,
    ]  # fmt: skip


@pytest.mark.parametrize("name", names(PacketProtocol))
def test_every_protocol_can_be_planned(name: str) -> None:
    """A node with long frames has a packet, its bytes and years, also without core cycles, and one
    line says what is left out.
    """
    limit = sheet(PacketProtocol, name).payload_limit
    payload = 4 if limit is None else min(4, int(limit.value))
    planner = Planner.of(name, "cc1350", Question(payload, 60))
    budget = planner.budget
    assert budget.packet.secure_bytes >= budget.packet.untagged_bytes
    assert budget.years(budget.air_only.sender_j).bounds.low > 0
    assert planner.tags
    left_out = [line for line in caveats(budget) if line.startswith("Left out: ")]
    assert left_out == [f"Left out: {sheet(PacketProtocol, name).left_out}."]


@pytest.mark.parametrize(
    ("protocol", "node", "question", "says"),
    [
        ("oscore", "lora_sf12", Question(8, 1),
         r"needs 1\.97 s .* \(sending 1\.97 s, .*\), and the next .* or take a faster radio"),
        # RX2 opens 2 s behind a packet of 57 ms, and lasts 262 ms at SF12.
        ("lorawan_1_0", "lora_sf7", Question(8, 2),
         r"needs 2\.32 s .* \(receive windows 2\.26 s, sending 56\.6 ms, computing the tag "),
        ("ieee802154_mic", "telosb", Question(24, 0.01),
         r"ieee802154_mic \(computing the tag 12\.\d ms, sending .* or take a faster processor"),
        ("ble_link", "nrf52840_ble", Question(24, 10, received_per_sent=1e6),
         r"\(receiving 304 s, verifying \d+ s, .* due after 10 s; .* or receive fewer packets"),
        ("tinysec_auth", "mica2", Question(24, 0.06, received_per_sent=50), "fewer packets"),
    ],
)  # fmt: skip
def test_more_than_all_of_the_time_is_refused(
    protocol: str, node: str, question: Question, says: str
) -> None:
    """What a node does for a packet is over when the next is due; the longest part is mended."""
    with pytest.raises(UsageError, match=says):
        _ = Planner.of(protocol, node, question).budget


def test_a_mac_that_is_not_ready_in_time_is_in_no_ranking() -> None:
    """The others stay; batches, staircases and other cores that are too slow are left out, too."""
    enough = Planner.of("oscore", "telosb", Question(24, 10, any_mac=True)).budget
    hertz = nominal(enough.parts.clock_hz)
    seconds = sorted(nominal(found.cycles.number) / hertz for found in enough.ranking)
    period_s = seconds[len(seconds) // 2]
    planner = Planner.of("oscore", "telosb", Question(24, period_s, any_mac=True))
    budget = planner.budget
    assert all(nominal(found.cycles.number) / hertz < period_s for found in budget.ranking)
    (late,) = (names for why, names in budget.left_out.items() if why.startswith("not ready when"))
    before = {found.implementation for found in enough.ranking}
    assert before == {*late, *(found.implementation for found in budget.ranking)}
    assert planner.flips
    assert planner.ways()


@pytest.mark.parametrize(("period_s", "many"), [(30, True), (140, True), (160, False)])
def test_more_than_the_band_allows_is_said(period_s: float, many: bool) -> None:
    """A packet of SF12 with 8 bytes takes 1.48 s: EU868 allows one every 148 s."""
    budget = Planner.of("lorawan_1_0", "lora_sf12", Question(8, period_s)).budget
    told = [line for line in caveats(budget) if "more than the 1 % that the band" in line]
    assert bool(told) == many
    assert all("a packet every 148 s is the most" in line for line in told)
