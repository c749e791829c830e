# SPDX-License-Identifier: Apache-2.0
"""Wrong files are refused in one sentence with file, line and key; right files are read."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from joulemark.budget import Inputs, interval, nominal
from joulemark.budget.plan import Question
from joulemark.budget.planner import Planner
from joulemark.catalogue import data_folder
from joulemark.catalogue.nodes import Microcontroller, Radio, sourced_values
from joulemark.catalogue.protocols import FOLDERS, PacketProtocol, is_node, names, sheet
from joulemark.errors import UsageError
from joulemark.foreign.records import line_of


def shipped(folder: str, name: str) -> str:
    """The text of a file of the catalogue."""
    return (data_folder("catalogue") / folder / f"{name}.toml").read_text("utf-8")


def line_with(text: str, start: str) -> int:
    """Number of the first line that begins so."""
    return next(n for n, line in enumerate(text.splitlines(), 1) if line.startswith(start))


def refused(kind: type, path: Path) -> str:
    """The sentence of the refusal."""
    with pytest.raises(UsageError) as caught:
        sheet(kind, str(path))
    sentence = str(caught.value)
    assert "\n" not in sentence
    assert sentence.startswith(str(path))
    return sentence


@pytest.mark.parametrize(
    ("name", "pattern", "change", "key", "says"),
    [
        ("unit", r'unit = "mA", ', "", "send_current", "send_current.unit: the key is missing"),
        ("negative", r"value = 17\.4", "value = -17.4", "send_current",
         "send_current: -17.4 mA is negative"),
        ("dimension", r'value = 17\.4, unit = "mA"', 'value = 17.4, unit = "mW"',
         "send_current", "the unit 'mW' is no unit of current (take A, mA, uA, nA)"),
        ("number", r"value = 17\.4", 'value = "many"', "send_current", "send_current.value"),
        ("document", r'value = 17\.4, unit = "mA", document = "swrs041"',
         'value = 17.4, unit = "mA", document = "nowhere"', "send_current",
         "send_current: there is no document 'nowhere' in [documents]"),
        ("key", r"^turnaround", "turnround", "turnround", "turnround: there is no such key"),
        ("state", r'state = "remembered"', 'state = "guessed"', "voltage", "voltage.state"),
        ("zero", r"value = 250\.0", "value = 0.0", "bit_rate",
         "bit_rate: it is 0, and must be more"),
        ("nothing", r"value = 17\.4", "value = 0", "send_current",
         "send_current: it is 0, and must be more"),
        ("proportion", r"value = 17\.4", "value = 1e300", "send_current",
         "send_current: 1e+300 mA is out of all proportion"),
        ("text", r"value = 17\.4", 'value = "17.4"', "send_current", "send_current.value"),
        ("byte", r"value = 127,", "value = 12.5,", "frame_limit",
         "frame_limit: 12.5 byte is no whole number"),
        ("none", r"value = 127,", "value = 0,", "frame_limit",
         "frame_limit: it is 0, and must be more"),
        ("full", r"^carrier = \{ value = \d+", "carrier = { value = 127", "carrier",
         "carrier: it is 127 bytes, and a frame of 127 bytes, which frame_limit says, has no room"),
    ],
)  # fmt: skip
def test_a_bad_radio_is_named_with_line_and_key(
    name: str, pattern: str, change: str, key: str, says: str, tmp_path: Path
) -> None:
    """A missing unit, a negative current, a wrong unit and similar faults are refused."""
    text = shipped("radios", "cc2420").replace('id = "cc2420"', f'id = "{name}"')
    text, changed = re.subn(pattern, change, text, count=1, flags=re.MULTILINE)
    assert changed == 1
    path = tmp_path / f"{name}.toml"
    path.write_text(text, "utf-8")
    sentence = refused(Radio, path)
    assert says in sentence
    assert f", line {line_with(text, key)}: " in sentence


def test_a_nested_key_is_found_in_its_table(tmp_path: Path) -> None:
    """The line is that of `active.usual.clock`, not of a clock in another table."""
    text = shipped("microcontrollers", "atmega128l").replace("7.3728", "-7.3728")
    path = tmp_path / "atmega128l.toml"
    path.write_text(text, "utf-8")
    line = line_with(text, "clock")
    assert f", line {line}: active.usual.clock: -7.3728 MHz is negative" in refused(
        Microcontroller, path
    )


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("id = ", "it is no TOML"),
        ("id = 'x'\n" * 2, "it is no TOML"),
        ("", "the key is missing"),
        (b"\xff\xfe", "it is no UTF-8"),
    ],
)
def test_what_is_no_file_of_this_kind(content: str | bytes, says: str, tmp_path: Path) -> None:
    """Text that TOML or UTF-8 does not allow, and an empty file, are refused."""
    path = tmp_path / "broken.toml"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    assert says in refused(PacketProtocol, path)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    """The sentence has the reason of the system."""
    assert "No such file" in refused(Radio, tmp_path / "nowhere.toml")


def test_a_name_that_is_none_of_the_files(tmp_path: Path) -> None:
    """An id that differs from the file's name is refused."""
    path = tmp_path / "mine.toml"
    path.write_text(shipped("radios", "cc2420"), "utf-8")
    assert "id: it is 'cc2420' but the file's name says other" in refused(Radio, path)


def test_an_unknown_algorithm_of_a_protocol(tmp_path: Path) -> None:
    """A protocol may name only algorithms of the catalogue."""
    path = tmp_path / "lorawan_1_0.toml"
    path.write_text(shipped("protocols", "lorawan_1_0").replace("cmac-aes128", "cmac-aes12"))
    assert "algorithms: there is no algorithm 'cmac-aes12'" in refused(PacketProtocol, path)


@pytest.mark.parametrize(
    ("protocol", "pattern", "change", "says"),
    [
        ("tinysec_auth", r"^tag = \{ value = \[4\]", "tag = { value = [0]",
         "tag: a length is 0, and a packet without a tag is not authenticated"),
        ("esp_hmac_sha1_96", r"multiple = \{ value = \d+", "multiple = { value = 0",
         "padding.multiple: it is 0, and must be more"),
    ],
)  # fmt: skip
def test_lengths_of_a_protocol_that_are_none(
    protocol: str, pattern: str, change: str, says: str, tmp_path: Path
) -> None:
    """A tag of no bytes and a multiple of none are refused; a budget would divide by them."""
    text = shipped("protocols", protocol)
    changed, count = re.subn(pattern, change, text, count=1, flags=re.MULTILINE)
    assert count == 1
    path = tmp_path / f"{protocol}.toml"
    path.write_text(changed, "utf-8")
    assert says in refused(PacketProtocol, path)


def test_an_unknown_protocol_offers_the_near_one() -> None:
    """The refusal offers the nearest name."""
    with pytest.raises(UsageError, match="unknown protocol 'tinysec_aut'; did you mean tinysec_au"):
        Planner.of("tinysec_aut", "mica2", Question(24, 10))


def test_a_payload_over_the_limit_names_the_limit() -> None:
    """The refusal has file, line and key of the limit."""
    line = line_with(shipped("protocols", "tinysec_auth"), "payload_limit")
    with pytest.raises(UsageError) as caught:
        _ = Planner.of("tinysec_auth", "mica2", Question(30, 10)).budget
    assert str(caught.value) == (
        f"tinysec_auth.toml, line {line}, payload_limit: a payload of 30 bytes is longer than the "
        "29 bytes that tinysec_auth takes with a tag of 4 bytes; send less, or in more packets"
    )


def test_a_tag_that_the_standard_lacks() -> None:
    """A tag of more bits than the protocol's longest is refused."""
    with pytest.raises(UsageError, match="a tag of tinysec_auth has at most 32 bits"):
        _ = Planner.of("tinysec_auth", "mica2", Question(24, 10, tag_bits=64)).budget


def test_a_node_of_the_users_with_a_radio_beside_it(tmp_path: Path) -> None:
    """A relative path starts from the node's file."""
    radio = shipped("radios", "cc2420").replace('id = "cc2420"', 'id = "mine"')
    (tmp_path / "mine.toml").write_text(radio.replace("value = 17.4", "value = 34.8"), "utf-8")
    node = tmp_path / "board.toml"
    node.write_text(
        'id = "board"\ntitle = "A board"\nmicrocontroller = "telosb_board"\n'
        'radio = "mine.toml"\nbattery = "cr2032"\n'
    )
    question = Question(24, 10)
    mine = Planner.of("ieee802154_mic", str(node), question).budget.air_only.tag_air_j
    theirs = Planner.of("ieee802154_mic", "telosb", question).budget.air_only.tag_air_j
    assert mine.nominal_value == pytest.approx(2 * theirs.nominal_value)


def test_files_of_one_id_keep_their_own_values(tmp_path: Path) -> None:
    """A radio, a changed copy of it and a chip have one name: each has its value and its words."""
    inputs = Inputs()
    seen = [sheet(Radio, "cc2420")]
    kinds: list[tuple[type[Radio | Microcontroller], str, float]] = [
        (Radio, "cc2420", 1.8), (Microcontroller, "telosb_board", 3.3),
    ]  # fmt: skip
    for kind, name, volts in kinds:
        folder = FOLDERS[kind][0]
        text = shipped(folder, name).replace(f'id = "{name}"', 'id = "cc2420"')
        text = text.replace("voltage = { value = 3.0,", f"voltage = {{ value = {volts},")
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "cc2420.toml").write_text(text, "utf-8")
        seen.append(sheet(kind, str(tmp_path / folder / "cc2420.toml")))
    for _ in range(2):
        found = [nominal(inputs.take(each, "voltage", each.voltage)) for each in seen]
        assert found == [3.0, 1.8, 3.3]
    assert [(used.path, used.text) for used in inputs.used] == [
        ("cc2420: voltage", "3 V"),
        (f"cc2420 ({tmp_path}/radios/cc2420.toml): voltage", "1.8 V"),
        (f"cc2420 ({tmp_path}/microcontrollers/cc2420.toml): voltage", "3.3 V"),
    ]


def test_a_node_in_a_file_is_compared_with_the_node_that_it_copies(tmp_path: Path) -> None:
    """A file is a node by its keys, and each node has the figures that it has alone."""
    node, copy = shipped("nodes", "telosb"), str(tmp_path / "telosb.toml")
    radio = shipped("radios", "cc2420").replace("= 17.4,", "= 34.8,")
    (tmp_path / "telosb.toml").write_text(node.replace('"cc2420"', '"cc2420.toml"'), "utf-8")
    (tmp_path / "cc2420.toml").write_text(radio, "utf-8")
    (tmp_path / "oscore.toml").write_text(shipped("protocols", "oscore"), "utf-8")
    others = [copy, "telosb", str(tmp_path / "oscore.toml"), "oscore", str(tmp_path / "no.toml")]
    assert [is_node(name) for name in others] == [True, True, False, False, False]
    question = Question(24, 10)
    ways = Planner.of("ieee802154_mic", "telosb", question).ways(nodes=others[:2])[-2:]
    assert [way.change for way in ways] == [f"node {copy}", "node telosb"]
    for way, name in zip(ways, others, strict=False):
        best = Planner.of("ieee802154_mic", name, question).budget.best
        assert best is not None
        assert interval(way.reading_j) == interval(best.packet_j)
    assert nominal(ways[0].reading_j) > 1.1 * nominal(ways[1].reading_j)


def test_the_catalogue_beside_a_file_of_its_name(tmp_path: Path) -> None:
    """A sheet of the catalogue that comes second is told apart by its kind."""
    (tmp_path / "cc2420.toml").write_text(shipped("radios", "cc2420"), "utf-8")
    inputs = Inputs()
    for radio in (sheet(Radio, str(tmp_path / "cc2420.toml")), sheet(Radio, "cc2420")):
        inputs.take(radio, "voltage", radio.voltage)
    assert [used.path for used in inputs.used] == [
        "cc2420: voltage", "cc2420 (radio of the catalogue): voltage",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "name"), [(kind, name) for kind in FOLDERS for name in names(kind)]
)
def test_every_value_says_where_it_is_from(kind: type, name: str) -> None:
    """The shipped files are valid, and no place or document in them is empty."""
    found = sheet(kind, name)
    assert all(text.strip() for text in found.documents.values())
    assert [
        path for path, sourced_number in sourced_values(found) if not sourced_number.place.strip()
    ] == []


def test_there_are_about_forty_protocols() -> None:
    """The catalogue has the formats of this list, and enough parts for the nodes."""
    assert len(names(PacketProtocol)) >= 40


def test_lines_of_keys() -> None:
    """Tables, arrays of tables, dotted and quoted keys, and the nearest table of a missing key."""
    text = 'a = 1\n[b.c]\nd = 2\n[[e]]\nf = 3\n[[e]]\nf = 4\n"g" = 5\nh.i = 6\n'
    assert [
        line_of(text, path)
        for path in (
            ("a",), ("b", "c", "d"), ("e", 0, "f"), ("e", 1, "f"), ("e", 1, "g"),
            ("e", 1, "h", "i"), ("b", "c", "z"), ("q",),
        )
    ] == [1, 3, 5, 7, 8, 9, 2, None]  # fmt: skip
