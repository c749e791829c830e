# SPDX-License-Identifier: Apache-2.0
"""The table in the terminal: ranked, complete at every width, words instead of colours."""

from __future__ import annotations

import fake_results as fake
import pytest

from joulemark.analyse import ResultFailure, ResultSet
from joulemark.records import FailureKind
from joulemark.records.figures import Doubt, DoubtKind, Evidence
from joulemark.report.draw import sheet_lines, text_of
from joulemark.report.terminal_tables import results_sheet
from joulemark.report.words import (
    DoubtNumbers,
    format_number,
    interval_text,
    number_text,
    seconds_text,
)

WIDTHS = (60, 80, 100, 140)


def printed(results: ResultSet, width: int) -> str:
    """The table as a terminal of `width` columns without colours shows it."""
    lines = sheet_lines(results_sheet(results, width), width)
    return "".join(f"{text_of(line)}\n" for line in lines)


def line_of(text: str, start: str) -> str:
    """The first line whose words begin with `start`."""
    return next(line for line in text.splitlines() if line.strip().startswith(start))


@pytest.mark.parametrize("width", WIDTHS)
def test_table_fits_and_keeps_the_time(width: int) -> None:
    """At every width lines fit, and time, interval, evidence word and rank survive."""
    text = printed(fake.realistic(), width)
    assert max(map(len, text.splitlines())) <= width
    assert "97.2 ns [96.2, 98.2]" in text
    assert "measured" in text
    assert "modelled" in text
    assert "…" not in text


def test_wide_terminals_show_more() -> None:
    """TSC ticks appear where there is room; core cycles always."""
    assert "TSC ticks per byte" in printed(fake.small(), 150)
    narrow = printed(fake.small(), 80)
    assert "TSC" not in narrow
    assert "core cycles" in narrow


def test_fastest_comes_first_and_is_the_unit() -> None:
    """Within one length the fastest is first with 1.00, the others say how many times slower."""
    text = printed(fake.small(), 100)
    long = text[text.index("4 KiB") :]
    assert long.index("shani_x2") < long.index("shani ")
    assert line_of(long, "shani_x2").rstrip().endswith("1.00\N{MULTIPLICATION SIGN}")
    assert line_of(long, "shani ").rstrip().endswith("1.32\N{MULTIPLICATION SIGN}")


def test_own_code_is_the_first_row() -> None:
    """The user's own code stands first, with its ratio to the fastest; all others by speed."""
    own = fake.Fake("hmac-sha256/mine", "mine-hmac-sha256", 9000.0, 0.0)
    text = printed(fake.result_set([*fake.small().results, fake.result(own, 4096)]), 100)
    rows = text[text.index("4 KiB") :].splitlines()[1:]
    assert rows[0].split()[0] == "mine"
    assert rows[1].split()[0] == "shani_x2"
    assert rows[1].rstrip().endswith("1.00\N{MULTIPLICATION SIGN}")


def test_warnings_are_marked_and_explained() -> None:
    """A doubtful result carries a mark, and the mark is explained below."""
    text = printed(fake.realistic(), 100)
    marked = [line for line in text.splitlines() if line.rstrip().endswith(" !1")]
    assert [line.split()[0] for line in marked] == ["nettle"]
    assert text.index(marked[0]) < text.index("!1 Another process used 4 %")


def test_doubts_of_one_kind_share_a_number() -> None:
    """Doubts of one kind share a number, however they begin; others have their own."""
    notes = DoubtNumbers()
    drifts = [Doubt(DoubtKind.DRIFT, f"+{percent} %: slower.") for percent in (2, 3)]
    others = [Doubt(DoubtKind.OTHER, f"drift: {word}.") for word in ("so", "not so", "so")]
    assert notes.numbers([*drifts, *others]) == [1, 1, 2, 2, 3]
    assert notes.legend()[0] == (
        1, "drift: +2 %: slower. (2 trials carry this warning; this is the first.)",
    )  # fmt: skip
    assert notes.legend()[2] == (3, "drift: not so.")


def test_doubts_of_one_cause_are_one() -> None:
    """Several counters see other programs on the CPU, and the reader sees one sign for them."""
    said = [
        Doubt(DoubtKind.OFF_CPU, "the thread was off."),
        Doubt(DoubtKind.DRIFT, "slower."),
        Doubt(DoubtKind.FOREIGN_CPU, "another ran."),
    ]
    notes = DoubtNumbers(by_cause=True)
    assert notes.numbers(said) == [1, 2]
    assert notes.legend() == [(1, "off CPU: the thread was off."), (2, "drift: slower.")]
    assert DoubtNumbers().numbers(said) == [1, 2, 3]


@pytest.mark.parametrize("width", [80, 120])
def test_signs_of_doubt_never_wrap(width: int) -> None:
    """With every kind of doubt each row is one line, and the name is in one piece."""
    doubts = [Doubt(kind, "so.").sentence for kind in DoubtKind]
    found = [fake.result(fake_result, 64, warnings=doubts) for fake_result in fake.HMAC_SHA256]
    text = printed(fake.result_set(found), width)
    assert max(map(len, text.splitlines())) <= width
    rows = [line for line in text.splitlines() if "\N{MULTIPLICATION SIGN}" in line]
    assert len(rows) == len(found)
    assert all(row.rstrip().endswith(" !1,2,3,4,5,6,7,8,9,10,11,12,13") for row in rows)


def test_failures_are_listed_with_reason() -> None:
    """Each implementation without a figure is listed below with kind and reason."""
    text = " ".join(printed(fake.realistic(), 140).split())
    assert "hmac-sha256/wolfssl unavailable library not found" in text
    assert "blake2s-keyed/mine at 64 B wrong output" in text


def test_mixed_evidence_stands_in_every_cell() -> None:
    """Where a column mixes evidence, each figure carries its own word."""
    first, second = fake.HMAC_SHA256[:2]
    results = fake.result_set(
        [fake.result(first, 64), fake.result(second, 64, cycles=Evidence.MEASURED)]
    )
    text = printed(results, 100)
    assert "3.8 modelled" in line_of(text, "shani ")
    assert "4.07 measured" in line_of(text, "shani_x2")


def test_auto_says_what_it_chose() -> None:
    """The automatic variant names the explicit variant that it chose."""
    assert "auto = shani" in printed(fake.realistic(), 80)


def test_nothing_measured_is_said() -> None:
    """A run without figures prints a sentence and the failures."""
    text = printed(fake.result_set([], fake.realistic().failures), 80)
    assert "No implementation has a figure." in text
    assert "wolfssl" in text


def test_names_cannot_steer_the_terminal() -> None:
    """Escape sequences and rich markup in names and reasons are shown, not obeyed."""
    evil = "\x1b[2J[red]x[/red]\n"
    failure = ResultFailure(
        implementation=evil, kind=FailureKind.CRASH, reason=evil, size_bytes=None
    )
    results = fake.result_set(
        [fake.result(fake.Fake(f"mac/{evil}", "p", 9.0, 1.0), 64, warnings=[evil])],
        [failure],
        [evil],
    )
    text = printed(results, 140)
    assert "\x1b" not in text
    assert text.count(r"\x1b[2J[red]x[/red]") == 5


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0"), (3.207, "3.21"), (1240.4, "1240"), (0.00424, "0.00424"), (9.999, "10")],
)
def test_numbers_have_three_digits(value: float, text: str) -> None:
    """Plain numbers keep three significant digits without an exponent."""
    assert format_number(value) == text


def test_interval_never_reads_as_a_point() -> None:
    """Digits are added until a narrow interval shows two different ends."""
    figure = fake.figure(100e-9, Evidence.MEASURED, half_width=0.0004)
    assert seconds_text(figure) == "100 ns [99.96, 100]"
    assert number_text(fake.figure(2.0, Evidence.MEASURED, half_width=0.0)) == "2 [2, 2]"


def test_units_are_repeated_where_they_differ() -> None:
    """An interval that crosses a prefix says the unit of each end."""
    figure = fake.figure(1e-6, Evidence.MEASURED)
    assert seconds_text(figure) == "1 µs [990 ns, 1.01 µs]"
    assert interval_text(figure, lambda value, _digits: f"{value * 1e9:.0f} ns") == (
        "1000 ns [990, 1010]"
    )


LONG = ("core_sha256_pipeline_interleaved_ecp5", "openssl_hmac_init_null", "mine_" + "x" * 24)


@pytest.mark.parametrize("width", [80, 100])
@pytest.mark.parametrize("name", LONG)
def test_names_are_in_one_piece(name: str, width: int) -> None:
    """From 80 columns on a name can be copied; the time and its interval stay beside it."""
    fake_result = fake.Fake(f"hmac-sha256/{name}", "mine", 62.0, 0.55)
    results = fake.small()
    found = [
        fake.result(fake_result, 64),
        *(each for each in results.results if each.size_bytes == 64),
    ]
    text = printed(results.model_copy(update={"results": found}), width)
    assert max(map(len, text.splitlines())) <= width
    assert f" {name} " in text
    assert "97.2 ns [96.2, 98.2]" in line_of(text, name)
    assert "…" not in text


def test_names_of_simulated_cores_are_in_one_piece() -> None:
    """At 80 columns the clocks of key set-up give way to the longest name that ships."""
    clocks = fake.figure(65.0, Evidence.SIMULATED, half_width=0.0)
    found = [
        fake.result(fake.HMAC_SHA256[0], 64).model_copy(
            update={
                "implementation": f"hmac-sha256/{name}", "seconds_per_message": None,
                "core_cycles_per_byte": None, "tsc_ticks_per_byte": None,
                "clocks_per_message": clocks, "clocks_per_byte": clocks,
                "key_setup_clocks": clocks,
            }
        )
        for name in LONG
    ]  # fmt: skip
    text = printed(fake.small().model_copy(update={"results": found}), 80)
    assert all(f" {name} " in text for name in LONG)
    assert "per message" in text
    assert "key set-up" not in text
    assert "key set-up" in printed(fake.small().model_copy(update={"results": found}), 100)
