# SPDX-License-Identifier: Apache-2.0
"""The eight questions of a planner on five nodes, each answer compared with a sum by hand.

The sums are in `hand.py` and here, in numbers of data sheets; the package reads its catalogue.
"""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hand import MICA2, NODES, NRF52840, PERIOD_S, SF7, SF12, TELOSB, YEAR_S, Hand

from joulemark.budget import nominal
from joulemark.budget.engines import engines_of
from joulemark.budget.plan import Question
from joulemark.budget.planner import Planner
from joulemark.catalogue.vectors import calls
from joulemark.errors import UsageError

pytestmark = pytest.mark.usefixtures("fixed_counts")
EACH = pytest.mark.parametrize("hand", NODES, ids=lambda hand: hand.node)


def near(number: object) -> object:
    """Equal to within the digits of a double, as the two orders of adding may differ."""
    return pytest.approx(nominal(number), rel=1e-9)


@EACH
def test_1_which_mac_costs_least(hand: Hand) -> None:
    """The planner agrees on the winner and on its joules in a packet and in a day."""
    budget = hand.planner().budget
    best = budget.best
    assert best is not None
    assert best.implementation == hand.winner
    assert hand.core_cycles == nominal(best.cycles.number)
    assert hand.packet_j == near(best.packet_j)
    assert hand.packet_j * 8640 == near(best.packet_j * budget.packets_per_day)


def test_1_by_how_much_over_the_next() -> None:
    """Any MAC with 64 bits on a MICA2: Chaskey-8 of 2 blocks, then CBC-MAC."""
    ranking = MICA2.planner(any_mac=True, tag_bits=64).budget.contenders
    assert [candidate.implementation for candidate in ranking[:2]] == [
        "chaskey-8/plain_c", "cbc-mac-aes128/plain_c",
    ]  # fmt: skip
    # 12 rounds less 8 over 3 blocks are 26 658 - 18 066 cycles: 716 a round, 5 728 a block.
    chaskey = (18066 - 5728) * MICA2.cycle_j
    air = (32 + 36 - 63) * 8 / 19200 * (MICA2.send_w + MICA2.waiting_w)  # 4 + 24 + 8 bytes
    assert (14130 * MICA2.cycle_j + air) / (chaskey + air) == near(
        ranking[1].packet_j / ranking[0].packet_j
    )


@pytest.mark.parametrize(
    ("hand", "crossing"),
    [
        # Over 4 bytes of header: 2 blocks of HMAC always (121 206), CMAC at most 3 (21 176).
        (MICA2, None),
        # Over 15 bytes: HMAC 53 966, and 79 490 from 56 on. CMAC grows by 9 792 a block and has
        # 49 566 with 5; the limit of 102 bytes leaves 8 blocks, 78 942.
        (TELOSB, None),
        # CMAC of 2 blocks 10 415 - 3 299 = 7 116, of 3 blocks 10 415; HMAC 8 822: so at 33 bytes.
        (NRF52840, 33 - 15),
        # CMAC of 2 blocks 12 485, of 3 blocks 18 371; HMAC 13 855; 16 + 9 bytes before the payload.
        (SF7, 33 - 25),
        (SF12, 33 - 25),
    ],
    ids=lambda entry: getattr(entry, "node", str(entry)),
)
def test_2_where_two_macs_cross(hand: Hand, crossing: int | None) -> None:
    """CMAC against HMAC-SHA-1, as kaps2006 asked."""
    ((_, _, found),) = hand.planner(any_mac=True).crossings_of(("cmac-aes128/plain_c", "hmac-sha1"))
    assert [each_crossing.payload_bytes for each_crossing in found] == (
        [] if crossing is None else [crossing]
    )
    if crossing is not None:
        assert (found[0].cheaper, found[0].before_calls, found[0].after_calls) == (
            "hmac-sha1/plain_c", (2, 2), (2, 3),
        )  # fmt: skip


@EACH
def test_3_years_of_battery(hand: Hand) -> None:
    """Years with and without authentication, and its share; self-discharge takes the rest."""

    def years(packet_j: float) -> float:
        power = hand.power_w + packet_j / PERIOD_S
        share = hand.discharge_per_year
        return math.log(1 + share * hand.battery_j / (power * YEAR_S)) / share

    budget = hand.planner().budget
    best = budget.best
    assert best is not None
    assert years(hand.packet_j) == near(budget.years(best.packet_j).by_energy)
    assert years(0) == near(budget.years(0).by_energy)
    whole = hand.power_w * PERIOD_S + hand.packet_j
    assert hand.packet_j / whole == near(budget.share(best.packet_j))


@EACH
def test_3_where_the_energy_goes(hand: Hand) -> None:
    """The parts are compute, tag, other bytes, waking, and the energy of a receiver."""
    best = hand.planner().budget.best
    assert best is not None
    costs = best.costs
    longer_s = hand.secure_s - hand.plain_s
    assert hand.compute_j == near(costs.compute_j)
    assert (hand.secure_s - hand.untagged_s) * hand.send_w == near(costs.tag_air_j)
    assert nominal(costs.other_air_j) == pytest.approx(
        (hand.untagged_s - hand.plain_s) * hand.send_w, abs=1e-15
    )
    assert longer_s * hand.waiting_w == near(costs.wake_j)
    receiver = hand.compute_j + longer_s * (hand.receive_w + hand.waiting_w)
    assert receiver == near(costs.verification_j)


@EACH
def test_4_a_tag_byte_more(hand: Hand) -> None:
    """Its energy, none on LoRa here, and the forgery chance in a year of a full channel."""
    tags = hand.planner().tags
    used = next(tag for tag in tags if tag.used)
    more = next(tag for tag in tags if tag.tag_bytes == used.tag_bytes + 1)
    by_hand = (hand.longer_tag_s - hand.secure_s) * (hand.send_w + hand.waiting_w)
    assert nominal(more.more_j) == pytest.approx(by_hand, rel=1e-9, abs=1e-18)
    assert more.free == (hand in {SF7, SF12})
    guesses = YEAR_S / hand.secure_s
    assert used.forgery_per_year == pytest.approx(
        1 - math.exp(-guesses / 2**used.tag_bits), rel=1e-3
    )


@EACH
def test_5_core_cycles_for_a_byte(hand: Hand) -> None:
    """The rate, and the count below which all of the MAC is a hundredth of the node's energy."""
    rate = hand.planner().exchange
    assert hand.byte_s * hand.send_w / hand.cycle_j == near(rate.cycles_per_byte)
    whole = hand.power_w * PERIOD_S + hand.packet_j
    assert 0.01 * whole / hand.cycle_j == near(rate.mattering_core_cycles)


@pytest.mark.parametrize(
    ("hand", "set_up", "state_bytes"),
    [
        (MICA2, 2756, 176),  # CBC-MAC: the round keys
        (TELOSB, 1809, 176),  # CCM: the same
        (NRF52840, 704, 176),
        (SF7, 1897 + 5886, 208),  # CMAC: the round keys, and a block for two subkeys
        (SF12, 1897 + 5886, 208),
    ],
    ids=lambda entry: getattr(entry, "node", str(entry)),
)
def test_6_keys_kept_or_made_again(hand: Hand, set_up: int, state_bytes: int) -> None:
    """The additional energy of a key set-up for each packet."""
    (own,) = (
        key_state
        for key_state in hand.planner().key_states
        if key_state.implementation == hand.winner
    )
    assert own.state_bytes == state_bytes
    assert set_up * hand.cycle_j == near(own.packet_j)
    assert set_up * hand.cycle_j * YEAR_S / PERIOD_S == near(own.year_j)


@pytest.mark.parametrize(
    ("hand", "gap_s", "fits"),
    [
        (MICA2, None, None),
        (TELOSB, 192e-6, False),  # 48 960 cycles at 4 MHz: 12.24 ms
        (NRF52840, 192e-6, False),  # 16 495 cycles at 64 MHz: 258 us
        (SF7, None, None),
        (SF12, None, None),
    ],
    ids=lambda entry: getattr(entry, "node", str(entry)),
)
def test_7_time_and_the_gap(hand: Hand, gap_s: float | None, fits: bool | None) -> None:
    """The planner says whether a tag is ready before the answer is due."""
    gap = hand.planner().gap
    if gap_s is None:
        assert gap is None
        return
    assert gap is not None
    assert gap_s == near(gap[0])
    (own,) = (gap_row for gap_row in gap[1] if gap_row.implementation == hand.winner)
    assert hand.core_cycles / hand.clock_hz == near(own.seconds)
    assert own.fits is fits


def test_7_engine_or_software() -> None:
    """The nRF52840's ECB engine: 5 blocks of 7.2 us at 0.55 mA, the processor waiting."""
    (own,) = (
        engine
        for engine in NRF52840.planner().engines(2000)
        if engine.implementation.startswith("ccm")
    )
    engine_j = 5 * 7.2e-6 * (3 * 0.55e-3 + NRF52840.waiting_w)
    assert engine_j == near(own.engine_j)
    assert (NRF52840.compute_j - engine_j) / NRF52840.cycle_j == near(own.driver_core_cycles)
    # A driver of 2 000 cycles and n blocks of 24.84 nJ against n blocks of 3 299 cycles: n = 1.
    assert own.break_even_bytes == 0
    assert 2000 * NRF52840.cycle_j + engine_j / 5 < 3299 * NRF52840.cycle_j


def test_7_the_padding_of_a_hash_begins_another_block() -> None:
    """A driver that takes a little more than the packet's blocks save pays from one block more."""
    budget = Planner.of("tls12_null_sha256", "nrf52840_ble", Question(24, 10)).budget
    chip = budget.parts.microcontroller
    engine = chip.engine[0].model_copy(update={"algorithm": "sha256"})
    chip = chip.model_copy(update={"engine": [engine]})
    budget = replace(budget, parts=replace(budget.parts, microcontroller=chip))
    rows = engines_of(budget)
    assert rows
    for place, row in enumerate(rows):
        driver = int(nominal(row.driver_core_cycles)) + 100
        wanted = next(size for size in range(4096) if calls("hmac-sha256", size) > row.blocks)
        assert wanted % 64 == 56, "a byte of padding and 8 of length no longer fit"
        assert engines_of(budget, driver)[place].break_even_bytes == wanted


def test_strength_and_tags_that_no_mac_has_are_refused() -> None:
    """CCM has tags of 32 to 128 bits, and no MAC of 802.15.4 claims more than 128 bits."""
    stronger = Planner.of("ieee802154_mic", "telosb", Question(24, 10, security_bits=129))
    with pytest.raises(UsageError, match=r"claim at most 128 bits of security.*asks for 129"):
        assert stronger.budget
    for bits in (40, 512):
        longer = Planner.of(
            "ieee802154_mic", "telosb", Question(24, 10, tag_bits=bits, any_mac=True)
        )
        names = {each.cycles.algorithm for each in longer.budget.ranking}
        assert "ccm-aes128" not in names
        assert longer.budget.left_out["its tag has 32 to 128 bits, in steps of 16"] == [
            "ccm-aes128"
        ]


def test_a_count_is_also_that_of_packets_received() -> None:
    """The share by which the second's count must fall is that of all its tags."""
    for received in (0.0, 50.0):
        question = Question(16, 60, any_mac=True, received_per_sent=received)
        planner = Planner.of("ieee802154_mic", "telosb", question)
        best, second, *_ = planner.budget.contenders
        assert nominal(second.computed_j) == near((1 + received) * second.costs.compute_j)
        share = nominal(second.packet_j - best.packet_j) / nominal(second.computed_j)
        [flip] = [
            flip
            for flip in planner.flips
            if flip.assumption == f"the count of {second.implementation}"
            and (flip.change.endswith("lower") or "small enough" in flip.change)
        ][:1]
        assert flip.change == f"is {100 * share:.0f} % lower"


@pytest.mark.parametrize("received", [0.0, 50.0])
def test_tags_and_bytes_of_packets_received_count(received: float) -> None:
    """A longer tag is received as often, and as many tags are computed, as packets come."""
    question = Question(16, 60, received_per_sent=received)
    planner = Planner.of("ieee802154_mic", "telosb", question)
    longer = Planner.of("ieee802154_mic", "telosb", replace(question, tag_bits=64))
    [best, other] = (each.budget.best for each in (planner, longer))
    assert best is not None
    assert other is not None
    on_air = [nominal(each.packet_j - each.computed_j) for each in (best, other)]
    [eight] = [tag for tag in planner.tags if tag.tag_bytes == 8]
    assert nominal(eight.more_j) == pytest.approx(on_air[1] - on_air[0], rel=1e-9)
    rate = planner.exchange
    share = nominal(rate.mattering_core_cycles) * (1 + received) * nominal(rate.cycle_j)
    whole_j = nominal(planner.budget.power_w(best.packet_j)) * 60
    assert share == pytest.approx(0.01 * whole_j, rel=1e-9)


@EACH
def test_8_two_readings_in_a_packet(hand: Hand) -> None:
    """Half the packets, each with 48 bytes; TinySec has no room for it."""
    ways = {what_if.change: what_if for what_if in hand.planner().ways()}
    if hand is MICA2:
        assert [*ways] == ["1 reading a packet"]
        return
    way = ways["2 readings a packet"]
    assert way.budget.question.packet_period_s == 20
    # 802.15.4: CCM over 15 + 48 = 63 bytes: B0, ceil(65 / 16) = 5, S0. LoRa: CMAC over 73, so 5.
    cycles = {"telosb": 7 * 9792, "nrf52840_802154": 7 * 3299}.get(hand.node, 18371 + 2 * 5886)
    air_s = hand.secure_s - hand.plain_s
    if hand is SF7:  # 57 bytes: ceil(472 / 28) = 17; 61: ceil(504 / 28) = 18
        air_s = 5 * 2**7 / 125e3
    if hand is SF12:  # 57 bytes: ceil(452 / 40) = 12; 61: ceil(484 / 40) = 13
        air_s = 5 * 2**12 / 125e3
    by_hand = (cycles * hand.cycle_j + air_s * (hand.send_w + hand.waiting_w)) / 2
    assert by_hand == near(way.reading_j)


def test_8_another_protocol_and_another_node() -> None:
    """DTLS-CCM-8 in a frame of 802.15.4, and the same packet on another node."""
    ways = {way.change: way for way in TELOSB.planner().ways(["dtls12_ccm8"], ["nrf52840_802154"])}
    # 21 + 8 bytes of security. CCM over 13 and 24 bytes: B0, 1, 2, S0.
    by_hand = 5 * 9792 * TELOSB.cycle_j + 29 * 32e-6 * (TELOSB.send_w + TELOSB.waiting_w)
    assert by_hand == near(ways["protocol dtls12_ccm8"].reading_j)
    assert NRF52840.packet_j == near(ways["node nrf52840_802154"].reading_j)


def test_8_what_would_change_the_winner() -> None:
    """On a MICA2 with any MAC of 64 bits: CBC-MAC wins if its count is so much lower."""
    flips = MICA2.planner(any_mac=True, tag_bits=64).flips
    first = next(flip for flip in flips if flip.assumption.startswith("the count"))
    assert first.winner == "cbc-mac-aes128/plain_c"
    assert first.change == f"is {100 * (14130 - 12338) / 14130:.0f} % lower"


def test_8_another_core_turns_the_ranking_round() -> None:
    """CMAC wins a segment of TCP-AO on an AVR, HMAC-SHA-1 on a Cortex-M0+: 64 bytes are 4 blocks of
    AES, 21 176 + 6 794 and 18 371 + 5 886 cycles, and 3 of SHA-1, 121 206 + 59 789 and 20 514.
    """
    planner = Planner.of("tcp_ao", "mica2", Question(24, PERIOD_S))
    assert planner.budget.best is not None
    assert planner.budget.best.implementation == "cmac-aes128/plain_c"
    turned = {flip.change: flip.winner for flip in planner.flips if flip.assumption == "the core"}
    assert turned["is cortex-m0plus"] == "hmac-sha1/plain_c"
