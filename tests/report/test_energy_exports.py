# SPDX-License-Identifier: Apache-2.0
"""Energy in Markdown and CSV: units in names, every domain, models apart, no cell that runs."""

from __future__ import annotations

import csv
import io

import fake_energy as energy
import fake_results as fake
import pytest

from joulemark.analyse import ResultSet
from joulemark.records.figures import Evidence
from joulemark.report.circumstances import NEVER_ADDED
from joulemark.report.export import csv as csv_export
from joulemark.report.export import markdown

SHANI = "hmac-sha256/shani"


def table(results: ResultSet) -> list[dict[str, str]]:
    """The CSV export, read back."""
    text = csv_export.render(results, None).decode()
    return list(csv.DictReader(io.StringIO(text, newline="")))


def document(results: ResultSet) -> str:
    """The Markdown export."""
    return markdown.render(results, None).decode()


def cells(line: str) -> list[str]:
    """Cells of one row of a Markdown table."""
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_markdown_has_energy_beside_time() -> None:
    """The table has the columns of energy after time, each figure with its word."""
    lines = document(energy.with_energy(fake.small())).splitlines()
    headings = cells(next(line for line in lines if line.startswith("| Length")))
    first = cells(next(line for line in lines if line.startswith("| 64 B | shani |")))
    values = dict(zip(headings, first, strict=True))
    assert values["Energy per byte (net of deep idle)"] == "15.2 nJ [14.9, 15.5] measured"
    assert values["Energy per message (gross)"] == "1.17 µJ [1.14, 1.19] measured"
    assert values["Power (gross)"] == "12 W [11.8, 12.2] measured"
    assert values["Energy-delay product per message (net of deep idle)"].startswith("94.5 fJ·s [")


def test_markdown_lists_every_domain() -> None:
    """Every domain of every trial has a row with the conditions of its figures, and no total."""
    text = document(energy.with_energy(fake.small()))
    assert NEVER_ADDED in text
    lines = text[text.index("### Energy by domain") :].splitlines()
    start = next(place for place, line in enumerate(lines) if line.startswith("| Length"))
    rows = [dict(zip(cells(lines[start]), cells(line), strict=True)) for line in lines[start + 2 :]
            if line.startswith("|")]  # fmt: skip
    assert len(rows) == 4 * 3
    core = rows[2]
    assert core["Domain"] == "core"
    assert core["Place"] == "inside package-0: not added to it"
    assert core["Static power (deep idle)"] == "500 mW [490, 510] measured"
    assert core["Active-idle power"] == "2 W [1.96, 2.04] measured"
    assert core["Energy per message (net of active idle)"].endswith("measured")
    assert core["Windows"] == "28 kept, 3 void (foreign load 2, counter was reset 1)"
    assert (core["Window length"], core["Method"]) == ("500 ms", "edges")
    assert (core["Baseline"], core["Meter"]) == (energy.BASELINE, "powercap, measured")
    assert rows[1]["Domain"] == "**package-0**"
    assert "total" not in text.lower()


def test_markdown_says_that_energy_is_simulated() -> None:
    """The sentence about a simulated meter stands at the top, and only with simulated joules."""
    sentence = "**Energy figures on this page come from a simulated meter.**"
    simulated = document(energy.with_energy(fake.small(), evidence=Evidence.SIMULATED))
    assert simulated.index(sentence) < simulated.index("## hmac-sha256")
    assert sentence not in document(energy.with_energy(fake.small()))


def test_csv_names_units_domain_meter_and_method() -> None:
    """CSV has columns in SI units for each figure, and names the domain of the figures."""
    row = table(energy.with_energy(fake.small()))[0]
    assert float(row["energy_j_per_message_median"]) == pytest.approx(97.2e-9 * energy.NET_W)
    assert float(row["gross_energy_j_per_message_median"]) == pytest.approx(97.2e-9 * 12)
    assert float(row["gross_power_w_median"]) == pytest.approx(12)
    assert float(row["energy_delay_j_s_per_message_median"]) == pytest.approx(
        energy.NET_W * 97.2e-9**2
    )
    assert row["energy_j_per_message_evidence"] == "measured"
    assert (row["energy_domain"], row["energy_meter"], row["energy_method"]) == (
        energy.HEADLINE,
        "powercap",
        "edges",
    )
    assert not [name for name in row if "modelled" in name]


def test_csv_keeps_modelled_joules_apart() -> None:
    """Modelled joules have columns of their own, and those of a meter stay empty."""
    row = table(energy.with_model(fake.small()))[0]
    assert float(row["modelled_energy_j_per_message_median"]) == pytest.approx(97.2e-9 * 15)
    assert row["energy_j_per_byte_median"] == ""
    assert "energy_j_per_message_median" not in row
    assert "energy_domain" not in row


def test_csv_gives_the_reason_of_a_refused_figure() -> None:
    """A column beside an empty cell has the reason."""
    results = energy.with_energy(fake.small(), refused=[energy.HEADLINE], of=[SHANI])
    row = table(results)[0]
    assert row["implementation"] == SHANI
    assert row["energy_j_per_message_median"] == ""
    assert row["energy_j_per_message_missing_because"] == energy.TOO_UNCERTAIN


def test_words_of_a_meter_are_no_markup_and_no_formula() -> None:
    """Markdown and formulas in a meter's words are shown, not obeyed."""
    results = energy.hostile(energy.with_energy(fake.small()), "=|[red]x")
    assert "\\|\\[red\\]x" in document(results)
    assert "|[red]x" not in document(results)
    assert table(results)[0]["energy_meter"].startswith("'=")
