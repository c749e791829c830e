# SPDX-License-Identifier: Apache-2.0
"""Foreign text, JSON, records and files, each where it enters the program."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import pytest

from joulemark.foreign import ForeignError, read_whole, shortened, visible
from joulemark.foreign.records import counters_from, parse_json, record_from_json


class Colour(StrEnum):
    """A type that is stored as a word."""

    RED = "red"


@dataclass(frozen=True)
class Part:
    """A record inside another record."""

    count: int


@dataclass(frozen=True)
class Whole:
    """A record that holds another record."""

    name: str
    colour: Colour
    share: float
    parts: tuple[Part, ...] = ()
    note: str | None = None


@dataclass(frozen=True)
class Counted:
    """A record of counters."""

    first: int
    second: int | None
    third: int = 0


def test_text_of_others() -> None:
    """Foreign text is shown so that it steers no terminal, ends no line and turns no direction."""
    foreign = "a\x1b]0;t\x07\x9b2J\n\tb\u202e\ud800\x00\u2028c µ"
    assert visible(foreign) == "a\\x1b]0;t\\x07\\x9b2J b\\u202e\\ud800\\x00 c µ"
    assert visible("plain words") == "plain words"
    assert visible("unassigned \u05fa, private \ue000, of no width \u200b, wide\u3000space") == (
        "unassigned \\u05fa, private \\ue000, of no width \\u200b, wide\u3000space"
    )
    assert shortened("x" * 100, 10) == "xxxxxxx..."
    assert shortened("\x1b" * 100, 10) == "\\x1b\\x1..."


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "no JSON"), ("NaN", "NaN is no number"), ("[Infinity]", "no number"),
        ("1e999", "too large"), ("9" * 400, "64 bits"), (str(2**65), "64 bits"),
        ("9" * 5000, "64 bits"), ("[" * 100_000, "nested"), ("[" * 70 + "]" * 70, "nested"),
        (b"\xff\xfe", "no JSON"), (7, "no JSON"), (None, "no JSON"),
    ],
)  # fmt: skip
def test_json_that_nothing_of_ours_writes(text: str, says: str) -> None:
    """JSON that no writer of ours makes is refused in a sentence, whatever Python's reader does."""
    with pytest.raises(ForeignError, match=says):
        parse_json(text)


def test_json() -> None:
    """Values are read as they are, and texts are made visible."""
    text = '{"a\\u001b": [1, 2.5, true, null, "\\ud800", 18446744073709551615]}'
    assert parse_json(text) == {"a\\x1b": [1, 2.5, True, None, "\\ud800", 2**64 - 1]}


def test_record() -> None:
    """Words become members of their type, lists become tuples, and nothing else is converted."""
    values = {"name": "n", "colour": "red", "share": 1, "parts": [{"count": 2}], "later": 0}
    assert record_from_json(Whole, values) == Whole("n", Colour.RED, 1.0, (Part(2),))
    for change, says in (
        ({"colour": "blue"}, "colour: "), ({"share": "1"}, "share: "), ({"name": 5}, "name: "),
        ({"parts": [{"count": True}]}, r"parts\.0\.count: "), ({"note": []}, "note: "),
        ({"parts": [{"count": 1.5}]}, r"parts\.0\.count: "), ({"parts": 7}, "parts: "),
    ):  # fmt: skip
        with pytest.raises(ForeignError, match=f"^{says}"):
            record_from_json(Whole, {**values, **change})
    with pytest.raises(ForeignError, match=r"^name: field required"):
        record_from_json(Whole, {"colour": "red", "share": 1})


def test_counters() -> None:
    """Counters are whole numbers of 63 bits, or None if allowed; no field is missing or unknown."""
    assert counters_from(Counted, {"first": 1, "second": None}, {"first": 1}) == Counted(1, None)
    for change, says in (
        ({"first": 0}, "first is 0, not a whole number of at least 1"), ({"first": None}, "None"),
        ({"first": True}, "True"), ({"first": 1.0}, r"1\.0"), ({"first": 2**63}, "first is 9223"),
        ({"second": -1}, "second is -1"), ({"fourth": 1}, "unknown field 'fourth'"),
    ):  # fmt: skip
        with pytest.raises(ForeignError, match=says):
            counters_from(Counted, {"first": 1, "second": 2, **change}, {"first": 1})
    with pytest.raises(ForeignError, match="lacks second"):
        counters_from(Counted, {"first": 1}, {})


def test_file(tmp_path: Path) -> None:
    """A file is read whole, or the reason why not is given."""
    path = tmp_path / "file"
    path.write_bytes(b"12345")
    assert read_whole(path, 5) == b"12345"
    with pytest.raises(ForeignError, match="more than 4 B"):
        read_whole(path, 4)
    for wrong, says in ((Path("/dev/zero"), "device"), (tmp_path, "directory"),
                        (tmp_path / "none", "No such"), (tmp_path / ("x" * 300), "too long"),
                        (Path("a\0b"), "null")):  # fmt: skip
        with pytest.raises(ForeignError, match=says):
            read_whole(wrong, 100)
