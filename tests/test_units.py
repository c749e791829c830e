# SPDX-License-Identifier: Apache-2.0
"""Display of quantities and reading of message sizes."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from joulemark.errors import UsageError
from joulemark.units import (
    MAX_MESSAGE_BYTES,
    format_bytes,
    format_duration,
    format_hertz,
    format_joules,
    format_percent,
    format_rate,
    format_seconds,
    format_si,
    parse_difference,
    parse_duration,
    parse_power,
    parse_rate,
    parse_size,
    parse_sizes,
)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (85.9e-9, "85.9 ns"),
        (999.96e-9, "1 µs"),
        (999.4e-9, "999 ns"),
        (1e-9, "1 ns"),
        (1.0, "1 s"),
        (0.0, "0 s"),
        (-2.5e-3, "-2.5 ms"),
        (1234.0, "1.23 ks"),
        (1e-21, "0.001 as"),
        (100e-9, "100 ns"),
        (math.inf, "inf s"),
        (math.nan, "nan s"),
    ],
)
def test_seconds_are_shown_with_three_digits_and_the_prefix_that_fits(
    seconds: float, text: str
) -> None:
    """The prefix is chosen after rounding, so no value reads "1000 ns"."""
    assert format_seconds(seconds) == text


def test_other_quantities_carry_their_own_unit() -> None:
    """Rates, energies, frequencies and percentages use the same digits with their unit."""
    assert format_rate(1.2e9) == "1.2 GB/s"
    assert format_joules(3.14159e-9) == "3.14 nJ"
    assert format_hertz(2.1e9) == "2.1 GHz"
    assert format_percent(0.0254) == "2.5 %"
    assert format_percent(0.2) == "20 %"
    assert format_percent(1.5) == "150 %"
    assert format_percent(0.0) == "0 %"
    assert format_percent(math.inf) == "inf %"
    assert format_si(12345.0, "B", digits=5) == "12.345 kB"


@settings(deadline=None)
@given(st.floats(min_value=1e-17, max_value=1e20), st.integers(min_value=1, max_value=6))
def test_a_shown_quantity_is_the_number_to_its_digits(value: float, digits: int) -> None:
    """Reading the text back gives the value within half a unit of its last digit."""
    number, unit = format_si(value, "s", digits=digits).split(" ")
    powers = {"as": -18, "fs": -15, "ps": -12, "ns": -9, "µs": -6, "ms": -3, "s": 0}
    powers |= {"ks": 3, "Ms": 6, "Gs": 9, "Ts": 12, "Ps": 15, "Es": 18}
    assert math.isclose(
        float(number) * 10.0 ** powers[unit], value, rel_tol=0.5001 * 10 ** (1 - digits)
    )
    assert float(number) < 1000 or unit == "Es"


@pytest.mark.parametrize(
    ("size_bytes", "text"),
    [(0, "0 B"), (1, "1 B"), (1500, "1500 B"), (1024, "1 KiB"), (65536, "64 KiB"),
     (3 << 20, "3 MiB"), (1 << 30, "1 GiB"), ((1 << 20) + 1024, "1025 KiB")],
)  # fmt: skip
def test_sizes_are_shown_without_loss(size_bytes: int, text: str) -> None:
    """A size that does not divide by a binary unit stays in bytes."""
    assert format_bytes(size_bytes) == text


@settings(deadline=None)
@given(st.integers(min_value=0, max_value=MAX_MESSAGE_BYTES))
def test_a_shown_size_reads_back_as_itself(size_bytes: int) -> None:
    """`parse_size` undoes `format_bytes` for every size that can be measured."""
    assert parse_size(format_bytes(size_bytes)) == size_bytes


@pytest.mark.parametrize(
    ("text", "size_bytes"),
    [("64KiB", 65536), ("1500", 1500), ("16k", 16384), ("16kB", 16000), ("0", 0), ("-0", 0),
     (" 64 KiB ", 65536), ("1.5KiB", 1536), ("2.0", 2), ("1GiB", 1 << 30), ("1M", 1 << 20),
     ("1mb", 10**6), ("8B", 8), ("+8", 8), ("000064", 64), ("1GB", 10**9),
     ("0" * 5000 + "7", 7)],
)  # fmt: skip
def test_sizes_are_read(text: str, size_bytes: int) -> None:
    """Units follow GNU coreutils: KiB, Ki and k are 1024, kB is 1000."""
    assert parse_size(text) == size_bytes


@pytest.mark.parametrize(
    ("text", "part"),
    [("", "missing"), ("  ", "missing"), ("-16", "negative"), ("-0.5k", "negative"),
     ("abc", "not a message size"), ("12x", "not a message size"), ("1e6", "not a message size"),
     ("nan", "not a message size"), ("1_000", "not a message size"), ("٣", "not a message size"),
     ("0x10", "not a message size"), (".5k", "not a message size"), ("1.5", "whole"),
     ("1." + "1" * 40 + "k", "whole"), ("9" * 5000, "largest message"),
     ("10 GiB", "10 GiB is more than the largest message that can be measured, 1 GiB; "),
     ("1073741825", "largest message")],
)  # fmt: skip
def test_a_size_that_makes_no_sense_is_refused_in_one_sentence(text: str, part: str) -> None:
    """The refusal says what was typed and what would be right, on one short line."""
    with pytest.raises(UsageError) as caught:
        parse_size(text)
    message = str(caught.value)
    assert part in message
    assert "\n" not in message
    assert len(message) < 160


@pytest.mark.parametrize(
    ("text", "sizes"),
    [("16,64..1024", (16, 64, 128, 256, 512, 1024)), ("64..64", (64,)), ("0..8", (0, 1, 2, 4, 8)),
     ("100..1000", (100, 128, 256, 512, 1000)), ("64,16,64", (64, 16)), ("0", (0,)),
     (" 1k .. 4k , 8 ", (1024, 2048, 4096, 8)), ("1.5k..2k", (1536, 2048))],
)  # fmt: skip
def test_lists_and_ranges_are_read_in_order_without_repetition(
    text: str, sizes: tuple[int, ...]
) -> None:
    """A range holds both ends and the powers of two between them."""
    assert parse_sizes(text) == sizes


@pytest.mark.parametrize(
    ("text", "part"),
    [("", "No message size"), (" ", "No message size"), ("16,,64", "empty place"),
     ("16,", "empty place"), ("64..", "lacks an end"), ("..64", "lacks an end"),
     ("1024..64", "1024..64 descends; write the smaller size first, as in 64..1024."),
     ("64..2GiB", "largest message"), ("1..2..3", "not a message size"), ("64..-1", "negative")],
)  # fmt: skip
def test_a_list_that_makes_no_sense_is_refused(text: str, part: str) -> None:
    """Empty places, open ranges and descending ranges are refused, each in a sentence for it."""
    with pytest.raises(UsageError) as caught:
        parse_sizes(text)
    assert part in str(caught.value)


@settings(deadline=None)
@given(st.one_of(st.text(), st.text(alphabet="0123456789.,kKiIbBgGmM+- ")))
def test_no_text_leads_to_anything_but_sizes_or_a_usage_error(text: str) -> None:
    """Whatever is typed, the answer is a list of sizes within the limits or one sentence."""
    sizes: tuple[int, ...] = ()
    refusal = ""
    try:
        sizes = parse_sizes(text)
    except UsageError as error:
        refusal = str(error)
    assert bool(sizes) != bool(refusal)
    assert refusal.isprintable()
    assert refusal == "" or refusal.endswith(".")
    assert len(set(sizes)) == len(sizes)
    assert all(0 <= size <= MAX_MESSAGE_BYTES for size in sizes)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("90", 90), ("10ms", 0.01), ("250 us", 250e-6), ("1.5min", 90), (".5h", 1800), ("1D", 86_400)],
)
def test_lengths_of_time(text: str, seconds: float) -> None:
    """The period of a CAN frame, of a sensor and of a meter, each in its usual unit."""
    assert parse_duration(text, "--every") == pytest.approx(seconds, rel=1e-12)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "0",
        "-1s",
        "ms",
        "1m",
        "10 weeks",
        "nan",
        "inf",
        "1e999s",
        "1e13",
        "1 Ms",
        "1MS ",
        "\u0663s",
    ],
)
def test_no_length_of_time(text: str) -> None:
    """`1m` may be a minute, a month or a milli, and `1 Ms` are megaseconds; they are refused."""
    with pytest.raises(UsageError, match="give a length of time such as 10ms"):
        parse_duration(text, "--every")


@pytest.mark.parametrize(
    ("text", "share"), [("5%", 0.05), ("5 %", 0.05), ("0.05", 0.05), ("+5e-2", 0.05), ("0", 0)]
)
def test_differences(text: str, share: float) -> None:
    """A percentage, or a fraction of one."""
    assert parse_difference(text, "--threshold") == pytest.approx(share)


@pytest.mark.parametrize(
    "text", ["", "%", "-1%", "nan", "inf%", "0x1p3%", "1_0%", "0.0_5", "\u0665%", "0.0\uff15"]
)
def test_no_difference(text: str) -> None:
    """Forms that Python alone reads as numbers are refused."""
    with pytest.raises(UsageError, match="give a difference such as 5% or"):
        parse_difference(text, "--threshold")


@pytest.mark.parametrize(
    ("text", "watts"),
    [("0", 0), ("0.001", 1e-3), ("1mW", 1e-3), ("20 uW", 2e-5), ("5\u00b5W", 5e-6)],
)
def test_powers(text: str, watts: float) -> None:
    """A bare number is in watts."""
    assert parse_power(text, "--base-power") == pytest.approx(watts, rel=1e-12)


@pytest.mark.parametrize("text", ["", "-1", "1MW", "1e4", "1 mJ", "nan", "mW"])
def test_no_power(text: str) -> None:
    """Megawatts are no power of a node, and joules are none at all."""
    with pytest.raises(UsageError, match="give a power from 0 to 1 kW"):
        parse_power(text, "--base-power")


def test_a_length_of_time_is_shown_in_its_largest_whole_unit() -> None:
    """900 s are 15 min, and a read-back gives the same number."""
    for seconds in (0.01, 10.0, 90.0, 900.0, 3600.0, 86_400.0):
        assert parse_duration(format_duration(seconds), "") == pytest.approx(seconds)
    assert [format_duration(seconds) for seconds in (900, 3600, 5400)] == [
        "15 min",
        "1 h",
        "90 min",
    ]


@pytest.mark.parametrize(
    ("text", "rate"),
    [("1", 1), ("100k", 1e5), ("1.5M", 1.5e6), (" 2 m ", 2e6), ("1000M", 1e9), ("1G", 1e9)],
)
def test_rates(text: str, rate: float) -> None:
    """A rate has a decimal number and perhaps a prefix."""
    assert parse_rate(text) == rate


@pytest.mark.parametrize("text", ["", "0", "0.5", "-1", "1e6", "2G", "2000M", "nan", "1,5k"])
def test_other_rates_are_refused(text: str) -> None:
    """A rate below one message a second, above 1G, or with other words is refused."""
    with pytest.raises(UsageError, match="give messages a second from 1 to 1G"):
        parse_rate(text)
