# SPDX-License-Identifier: Apache-2.0
"""What a protocol makes a node do beside a packet: windows, answers, repeats, joins, shelf life."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hand import SF7_SYMBOL_S, SF12_SYMBOL_S, YEAR_S

from joulemark.budget import interval, nominal
from joulemark.budget.plan import Question
from joulemark.budget.planner import Planner
from joulemark.catalogue import data_folder
from joulemark.catalogue.nodes import (
    Battery,
    DataSheet,
    Microcontroller,
    Radio,
    ValueOrigin,
    sourced_values,
)
from joulemark.catalogue.protocols import PacketProtocol, names, sheet
from joulemark.errors import UsageError

QUARTER_HOUR = Question(payload_bytes=8, period_s=900.0)
LISTEN_W = 3.3 * 11.5e-3 + 3 * 0.8e-6
WAKE_J = 3 * 139e-12 * 32e6 * 5e-6 + 0.5e-3 * (3.3 * 1.6e-3 + 3 * 0.8e-6)

Changed = Callable[..., str]


@pytest.fixture
def changed(tmp_path: Path) -> Changed:
    """`changed("protocols", "sigfox", key="value")` writes a file with other lines."""

    def write(folder: str, name: str, **lines: str) -> str:
        text = (data_folder("catalogue") / folder / f"{name}.toml").read_text("utf-8")
        for key, value in lines.items():
            text, found = re.subn(rf"(?m)^{key} = .*$", f"{key} = {value}" if value else "", text)
            assert found
        path = tmp_path / f"{name}.toml"
        path.write_text(text, "utf-8")
        return str(path)

    return write


def number(value: float, unit: str = "1") -> str:
    """A value of a planning file."""
    return (
        f'{{ value = {value}, unit = "{unit}", document = "standard", place = "test", '
        'state = "remembered" }'
    )


@pytest.mark.parametrize(
    ("protocol", "second_s", "years"),
    [("lorawan_1_0", SF12_SYMBOL_S, 38.5), ("lorawan_1_0_rx2_sf9", SF12_SYMBOL_S / 8, 63.6)],
)
def test_class_a_opens_two_windows(protocol: str, second_s: float, years: float) -> None:
    """Two windows of 8 symbols stand in the node's power, beside packet and sleep."""
    budget = Planner.of(protocol, "lora_sf7", QUARTER_HOUR).budget
    best = budget.best
    assert best is not None
    windows_j = 2 * WAKE_J + 8 * (SF7_SYMBOL_S + second_s) * LISTEN_W
    assert nominal(budget.duties.windows_j) == pytest.approx(windows_j, rel=1e-9)
    joins_j = nominal(budget.duties.joins_w) * 900
    whole_j = nominal(budget.sleep_w) * 900 + joins_j + nominal(budget.plain_packet_j) + windows_j
    assert nominal(budget.power_w(0)) * 900 == pytest.approx(whole_j, rel=1e-9)
    assert nominal(budget.years(best.packet_j).by_energy) == pytest.approx(years, abs=1)


def test_a_radio_without_symbols_has_no_windows() -> None:
    """On a radio without LoRa the windows are not counted, and named as not counted."""
    duties = Planner.of("lorawan_1_0", "telosb", QUARTER_HOUR).budget.duties
    assert (nominal(duties.windows_j), duties.uncounted_windows) == (0, ("RX1", "RX2"))


def test_acknowledgements_take_the_place_of_windows(changed: Changed) -> None:
    """Acknowledged packets have an answer of 13 bytes in RX1, whose tag is verified, and no RX2."""
    usual = Planner.of("lorawan_1_0", "lora_sf7", QUARTER_HOUR).budget
    path = changed("protocols", "lorawan_1_0", acknowledged=number(1))
    budget = Planner.of(path, "lora_sf7", QUARTER_HOUR).budget
    # 13 bytes are ceil((104 - 28 + 28 + 16) / 28) = 5 groups.
    answer_s = (12.25 + 8 + 5 * 5) * SF7_SYMBOL_S
    duties = budget.duties
    assert nominal(duties.windows_j) == 0
    assert nominal(duties.acknowledgements_j) == pytest.approx(WAKE_J + answer_s * LISTEN_W)
    best, before = budget.best, usual.best
    assert best is not None
    assert before is not None
    # B0 and 9 bytes are 25, two blocks as the packet of 33 bytes has three.
    assert 0 < nominal(best.acknowledgement_j) < nominal(before.costs.compute_j)
    assert nominal(best.packet_j) == pytest.approx(
        nominal(before.packet_j) + nominal(best.acknowledgement_j)
    )


def test_windows_are_over_before_the_next_packet(changed: Changed) -> None:
    """3 s are enough for both windows, and 2 s if an answer comes in RX1, 1 s behind."""
    assert Planner.of("lorawan_1_0", "lora_sf7", Question(8, 3)).budget.best
    path = changed("protocols", "lorawan_1_0", acknowledged=number(1))
    duties = Planner.of(path, "lora_sf7", Question(8, 2)).budget.duties
    answer_s = (12.25 + 8 + 5 * 5) * SF7_SYMBOL_S
    assert duties.windows_s == pytest.approx(1 + answer_s)


def test_packets_sent_again_take_air_and_windows_again(changed: Changed) -> None:
    """Three transmissions take three times the air and the windows, and one computation."""
    usual = Planner.of("lorawan_1_0", "lora_sf7", QUARTER_HOUR).budget
    path = changed("protocols", "lorawan_1_0", transmissions=number(3))
    budget = Planner.of(path, "lora_sf7", QUARTER_HOUR).budget
    best, before = budget.best, usual.best
    assert best is not None
    assert before is not None
    for name in ("tag_air_j", "wake_j"):
        assert nominal(getattr(best.costs, name)) == pytest.approx(
            3 * nominal(getattr(before.costs, name))
        )
    assert nominal(best.costs.compute_j) == nominal(before.costs.compute_j)
    assert nominal(budget.plain_packet_j) == pytest.approx(3 * nominal(usual.plain_packet_j))
    assert nominal(budget.duties.windows_j) == pytest.approx(3 * nominal(usual.duties.windows_j))


def test_joins_are_a_power(changed: Changed) -> None:
    """A join each day takes 365 times the power of one each year."""
    usual = Planner.of("lorawan_1_0", "lora_sf7", QUARTER_HOUR).budget.duties
    path = changed("protocols", "lorawan_1_0", per_year=number(365, "1/year"))
    often = Planner.of(path, "lora_sf7", QUARTER_HOUR).budget.duties
    assert nominal(often.joins_w) == pytest.approx(365 * nominal(usual.joins_w))
    assert 1e-3 < nominal(usual.joins_w) * YEAR_S < 20e-3


def test_sigfox_sends_a_packet_three_times() -> None:
    """Each packet of Sigfox goes out at three frequencies."""
    question = Question(payload_bytes=8, period_s=900.0)
    budget = Planner.of("sigfox", "cc1350", question).budget
    assert budget.duties.transmissions == 3
    packet_s = nominal(budget.parts.airtime_s(budget.packet.plain_bytes))
    powers = nominal(budget.parts.send_w) + nominal(budget.parts.waiting_w)
    wake_j = nominal(budget.parts.wake_up_j)
    assert nominal(budget.plain_packet_j) == pytest.approx(3 * (wake_j + packet_s * powers))


def test_no_battery_outlives_its_shelf(changed: Changed) -> None:
    """The shelf life bounds years and their interval; a file without one is bounded by energy."""
    rare = Question(payload_bytes=8, period_s=86_400.0)
    life = Planner.of("lorawan_1_0", "lora_sf7", rare).budget.years(0)
    assert (life.is_shelf, life.bounds.value, life.bounds.high) == (True, 20, 20)
    assert nominal(life.by_energy) > 50
    path = changed("batteries", "ls14505", shelf_life="")
    free = Planner.of("lorawan_1_0", "lora_sf7", rare, battery=path).budget.years(0)
    assert free.shelf is None
    assert free.bounds == interval(free.by_energy)


@pytest.mark.parametrize("kind", [Battery, PacketProtocol])
def test_shipped_files_say_what_bounds_and_what_is_left_out(kind: type[DataSheet]) -> None:
    """Every battery has a shelf life; every protocol says what it leaves out, in its own words."""
    for name in names(kind):
        facts: DataSheet = sheet(kind, name)
        if isinstance(facts, Battery):
            assert facts.shelf_life is not None, name
        else:
            assert isinstance(facts, PacketProtocol)
            assert "left_out" in facts.model_fields_set, name
            assert not facts.left_out.endswith("."), name


def test_currents_of_radios_come_from_no_simulator() -> None:
    """A radio's currents rest on documents of those who make it, not on a simulator's defaults."""
    for name in names(Radio):
        radio = sheet(Radio, name)
        for path, value in sourced_values(radio):
            if "current" in path:
                title = radio.documents[value.document]
                assert re.search("data sheet|Product Specification", title), (name, path, title)
    for name in names(Microcontroller):
        chip = sheet(Microcontroller, name)
        simulated = [path for path, value in sourced_values(chip)
                     if "ns-3" in chip.documents[value.document]]  # fmt: skip
        assert not simulated, name


def test_a_433_mhz_radio_has_its_own_receive_current() -> None:
    """The CC1000 receives with 7.4 mA at 433 MHz and 9.6 mA at 868 MHz."""
    currents = {name: sheet(Radio, name).receive_current for name in ("cc1000_433", "cc1000_868")}
    assert {name: current.text for name, current in currents.items()} == {
        "cc1000_433": "7.4 mA", "cc1000_868": "9.6 mA",
    }  # fmt: skip
    assert {current.state for current in currents.values()} == {ValueOrigin.REMEMBERED}


@pytest.mark.parametrize(
    ("folder", "name", "lines", "key", "says"),
    [
        ("protocols", "can_secoc_3", {"tag_bits": "33"}, "tag_bits",
         "tag_bits: it is 33, and a tag of 4 bytes has 32 bits; give fewer, or leave tag_bits out"),
        ("protocols", "lorawan_1_0", {"covered": number(1000, "byte")}, "covered",
         "covered: it is 1000 bytes, more than the 9 bytes of header; count bytes"),
        ("radios", "sx1276_sf12", {"low_data_rate": "false"}, "low_data_rate",
         "lora.low_data_rate: a symbol takes 32.8 ms, and from 16 ms on LoRa needs it; write low_"),
        ("radios", "sx1276_sf12", {"low_data_rate": ""}, "[lora]", "write low_data_rate = true"),
        ("radios", "sx1276_sf10", {"spreading_factor": "11"}, "low_data_rate", "takes 16.4 ms"),
    ],
)  # fmt: skip
def test_parts_longer_than_their_whole_are_refused(
    changed: Changed, folder: str, name: str, lines: dict[str, str], key: str, says: str
) -> None:
    """The sentence has file, line, key and what to write instead."""
    path = changed(folder, name, **lines)
    with pytest.raises(UsageError) as caught:
        sheet(PacketProtocol if folder == "protocols" else Radio, path)
    written = Path(path).read_text("utf-8").splitlines()
    line = next(place for place, text in enumerate(written, 1) if text.startswith(key))
    assert str(caught.value).startswith(f"{path}, line {line}: ")
    assert says in str(caught.value)


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        ({"acknowledged": number(1.5)}, "acknowledged: 1.5 is more than the whole"),
        ({"transmissions": number(0)}, "transmissions: it is 0, and must be from 1 to 1000"),
        ({"transmissions": number(1e9)}, "transmissions: it is 1e+09, and must be from 1 to 1000"),
        ({"symbols": number(0, "symbol")}, "symbols: it is 0, and must be more"),
        ({"symbols": number(8, "s")}, "the unit 's' is no unit of number of symbols"),
        ({"spreading_factor": "13"}, "spreading_factor"),
        ({"per_year": number(-1, "1/year")}, "per_year: -1 1/year is negative"),
        ({"left_out": '""'}, "left_out"),
    ],
)
def test_wrong_duties_are_refused(changed: Changed, lines: dict[str, str], says: str) -> None:
    """Shares above one and windows without length get one sentence with file and key."""
    path = changed("protocols", "lorawan_1_0", **lines)
    with pytest.raises(UsageError) as caught:
        Planner.of(path, "lora_sf7", QUARTER_HOUR)
    sentence = str(caught.value)
    assert sentence.startswith(path)
    assert says in sentence
    assert "\n" not in sentence
