# SPDX-License-Identifier: Apache-2.0
"""Energy beside time in tables: gross or net, by domain, never added, never mixed with models."""

from __future__ import annotations

import fake_energy as energy
import fake_results as fake
import pytest

from joulemark.analyse import ResultSet
from joulemark.records.figures import ENERGY_NOT_ASKED, Absence, AbsenceKind, Evidence
from joulemark.report.circumstances import (
    DOMAIN_FIGURES,
    NEVER_ADDED,
    SIMULATED_HERE,
    domain_reasons,
    domain_rows,
    windows_text,
)
from joulemark.report.columns import COLUMNS, ENERGY, MODELLED, present, reasons
from joulemark.report.draw import sheet_lines, text_of
from joulemark.report.terminal_tables import results_sheet

WIDTHS = (60, 80, 100, 140, 220)
SHANI = "hmac-sha256/shani"
REFUSED = Absence("not told from 0", AbsenceKind.REFUSED)


def printed(results: ResultSet, width: int) -> str:
    """The text that a terminal of `width` columns without colours shows."""
    lines = sheet_lines(results_sheet(results, width), width)
    return "".join(f"{text_of(line)}\n" for line in lines)


def test_headings_say_net_or_gross() -> None:
    """Each heading of a meter's column says whether the figure is net or gross."""
    assert all(
        "(net of deep idle)" in column.heading or "(gross)" in column.heading for column in ENERGY
    )


def test_columns_need_a_figure() -> None:
    """Energy columns exist only where a result has the figure."""
    plain = present(fake.small().results)
    assert not [column for column in plain if column in (*ENERGY, *MODELLED)]
    with_meter = present(energy.with_energy(fake.small()).results)
    assert [column for column in with_meter if column in (*ENERGY, *MODELLED)] == list(ENERGY)


def test_modelled_joules_have_their_own_columns() -> None:
    """Joules from a stated power are headed modelled, and no column of a meter shows them."""
    columns = present(energy.with_model(fake.small()).results)
    assert [column for column in columns if column in (*ENERGY, *MODELLED)] == list(MODELLED)
    assert all(column.heading.startswith("Modelled") for column in MODELLED)
    headings = [column.heading for column in COLUMNS]
    assert len(headings) == len(set(headings))
    assert all(column.field.startswith("modelled_") for column in MODELLED)


def test_without_a_meter_one_sentence_says_so() -> None:
    """The five figures that lack for want of a meter share one reason."""
    assert reasons(fake.small().results) == [f"Energy: {fake.NO_JOULES}."]


def test_what_nobody_asked_for_is_not_missing() -> None:
    """A run without --energy has no sentence about energy, in the long table and in the reasons."""
    small = fake.small()
    unasked = [
        result.model_copy(update={"reasons": dict.fromkeys(result.reasons, ENERGY_NOT_ASKED)})
        for result in small.results
    ]
    assert reasons(unasked) == []
    text = printed(small.model_copy(update={"results": unasked}), 120)
    assert "could not be had" not in text
    assert "asked" not in text


def test_modelled_joules_not_asked_for_need_no_reason() -> None:
    """No reason says that a power was not stated."""
    assert not [text for text in reasons(fake.small().results) if "odelled" in text]


def test_refused_energy_names_the_implementations() -> None:
    """A figure withheld for its error is explained, and the sentence names its implementations."""
    results = energy.with_energy(fake.small(), refused=[energy.HEADLINE], of=[SHANI])
    (sentence,) = reasons(results.results)
    assert sentence == f"Net energy ({SHANI}): {energy.TOO_UNCERTAIN}."
    assert "gross" not in sentence


def test_a_reason_of_zero_bytes_explains_no_other_figure() -> None:
    """Only figures per byte are missing because a message has no bytes."""
    result = energy.with_energy(fake.result_set([fake.result(fake.HMAC_SHA256[0], 0)])).results[0]
    found = reasons([result.model_copy(update={"watts": None})])
    assert "Energy per byte (net of deep idle): a message of zero bytes." in found
    assert "Power (gross): no reason recorded." in found


def test_one_domain_refused_leaves_the_others() -> None:
    """A refused domain has its reason, and the others keep their figures."""
    results = energy.with_energy(fake.small(), refused=["intel-rapl:0:0"], of=[SHANI])
    (sentence,) = domain_reasons(results.results)
    assert sentence.startswith("core, energy per message (net of deep idle)")
    assert "(shani at 64 B, shani at 4 KiB)" in sentence
    assert energy.TOO_UNCERTAIN in sentence
    assert reasons(results.results) == []


def test_domain_reason_is_not_said_twice() -> None:
    """The reason of the headline figures is not repeated for the headline domain."""
    results = energy.with_energy(fake.small(), refused=[energy.HEADLINE])
    assert domain_reasons(results.results) == []
    assert len(reasons(results.results)) == 1


def test_domains_say_where_they_lie() -> None:
    """Each domain names the domain that contains it, and says that the two are not added."""
    rows = domain_rows(energy.with_energy(fake.small()).results[:1])
    assert [row.domain for row in rows] == ["psys", "package-0", "core"]
    assert [row.depth for row in rows] == [0, 1, 2]
    assert [row.place for row in rows] == [
        "inside no other",
        "inside psys: not added to it",
        "inside package-0: not added to it",
    ]
    assert [row.headline for row in rows] == [False, True, False]


def test_domains_of_one_name_carry_their_ids() -> None:
    """Two packages have a domain called core each; their ids tell them apart."""
    result = energy.with_energy(fake.small()).results[0]
    twin = result.energy[2].model_copy(update={"domain": "intel-rapl:9:0"})
    rows = domain_rows([result.model_copy(update={"energy": [*result.energy, twin]})])
    assert [row.domain for row in rows[2:]] == ["core (intel-rapl:0:0)", "core (intel-rapl:9:0)"]


def test_a_ring_of_parents_ends() -> None:
    """Domains that contain each other, which no meter should say, do not hang the report."""
    result = energy.with_energy(fake.small()).results[0]
    ring = [
        result.energy[0].model_copy(update={"parent": result.energy[2].domain}),
        *result.energy[1:],
    ]
    assert len(domain_rows([result.model_copy(update={"energy": ring})])) == 3


def test_void_windows_have_reasons() -> None:
    """Windows that do not count are counted by reason."""
    domain = energy.with_energy(fake.small()).results[0].energy[0]
    assert windows_text(domain) == "28 kept, 3 void (foreign load 2, counter was reset 1)"
    assert windows_text(domain.model_copy(update={"windows_void": {}})) == "28 kept"


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("results", ["metered", "modelled"])
def test_terminal_keeps_time_and_energy_per_byte(width: int, results: str) -> None:
    """At every width lines fit, and time, its interval and the energy per byte survive."""
    run = fake.realistic()
    run = energy.with_energy(run) if results == "metered" else energy.with_model(run)
    text = printed(run, width)
    assert max(map(len, text.splitlines())) <= width
    assert "…" not in text
    assert "97.2 ns [96.2, 98.2]" in text
    assert "times\n" in text.replace(" ", "")
    assert ("15.2 nJ" if results == "metered" else "22.8 nJ") in text


def test_terminal_of_eighty_columns_shows_the_interval_of_energy() -> None:
    """At 80 columns the interval of the energy per byte stays, and others are dropped."""
    text = printed(energy.with_energy(fake.small()), 80)
    assert "15.2 nJ [14.9, 15.5]" in text
    assert "energy-delay" not in text.split("Energy by domain")[0]
    assert "energy-delay" in printed(energy.with_energy(fake.small()), 220)


@pytest.mark.parametrize("width", [80, 100, 140])
def test_a_stated_power_leaves_rate_and_cycles(width: int) -> None:
    """Beside modelled joules all columns of a run without joules stay, and no reason is printed."""
    plain, modelled = (
        printed(run, width) for run in (fake.small(), energy.with_model(fake.small()))
    )
    for heading in ("rate", "cycles"):
        assert heading in plain
        assert heading in modelled
    assert "modelled" in modelled
    assert "was not asked for" not in modelled


def test_a_reason_that_is_said_elsewhere_is_not_said_again() -> None:
    """A reason on standard error is not repeated in the table; other gaps are still explained."""
    run = energy.with_energy(fake.small(), refused=[energy.HEADLINE])
    assert energy.TOO_UNCERTAIN in " ".join(reasons(run.results))
    assert energy.TOO_UNCERTAIN not in " ".join(reasons(run.results, energy_said=True))


def test_refusals_of_one_line_are_one_sentence() -> None:
    """Refusals that differ only in a percentage share a sentence, which has the least and the most.

    Other causes have their own.
    """
    run = energy.with_energy(fake.result_set(fake.small().results[:1]))
    domain = run.results[0].energy[2]
    lacking = {
        "gross_joules_per_message": "refused: its interval is +-7 %",
        "joules_per_message": "refused: its interval is +-9 %",
        "watts": "refused: its interval is +-6 %",
        "active_idle_watts": "no window of active idle could be used",
    }
    said = {name: Absence.from_sentence(text) for name, text in lacking.items()}
    poor = domain.model_copy(update={**dict.fromkeys(lacking), "reasons": said})
    found = domain_reasons([run.results[0].model_copy(update={"energy": [poor]})])
    assert len(found) == 2
    assert (
        "energy per message (gross), energy per message (net of deep idle) and 1 more" in found[0]
    )
    assert "refused: their intervals are +-6 % to +-9 %" in found[0]
    assert "no window of active idle" in found[1]


def test_a_bound_stands_in_the_place_of_the_figure() -> None:
    """In the block of domains the upper bound of a refused net energy stands in its place."""
    run = energy.with_energy(fake.result_set(fake.small().results[:1]))
    changed = {"joules_per_message": None, "upper_bounds": {"joules_per_message": 4e-7},
               "reasons": {"joules_per_message": REFUSED}}  # fmt: skip
    domains = [domain.model_copy(update=changed) for domain in run.results[0].energy]
    shown = run.results[0].model_copy(update={"energy": domains})
    text = printed(run.model_copy(update={"results": [shown]}), 120)
    assert "below 400 nJ" in text[text.index("Energy by domain") :]


def test_domains_without_any_figure_have_no_block() -> None:
    """Domains without figures have no block, as the reasons below the first table suffice."""
    run = energy.with_energy(fake.small())
    empty = {column.field: None for column in DOMAIN_FIGURES}
    bare = [
        result.model_copy(
            update={"energy": [domain.model_copy(update=empty) for domain in result.energy]}
        )
        for result in run.results
    ]
    assert "Energy by domain" in printed(run, 100)
    assert "Energy by domain" not in printed(run.model_copy(update={"results": bare}), 100)


def test_terminal_says_net_and_gross() -> None:
    """Headings of energy in the terminal say net or gross, with the evidence word."""
    text = printed(energy.with_energy(fake.small(), evidence=Evidence.SIMULATED), 220)
    assert "net of deep idle" in text
    assert "gross" in text
    assert "simulated" in text


def block(text: str) -> list[str]:
    """The lines of the block of domains."""
    return text[text.index("Energy by domain") :].splitlines()


def test_terminal_has_a_block_of_domains() -> None:
    """Below the table stand all domains of one length, that they are never added, and no total."""
    lines = block(printed(energy.with_energy(fake.realistic()), 100))
    assert "hmac-sha1, 64 B" in lines[0] or "blake2s-keyed, 64 B" in lines[0]
    text = " ".join(" ".join(lines).split())
    assert NEVER_ADDED in text
    assert "total" not in text.lower()
    assert "sum" not in text.lower()
    assert "Meter: powercap, edges, windows of about 500 ms, baseline: deep idle windows" in text
    assert lines[8].rstrip().endswith("28, 3")
    depth = [
        len(line) - len(line.lstrip()) for line in lines if "psys" in line or "package-0 *" in line
    ]
    assert depth[1] > depth[0]


def test_terminal_without_energy_has_no_block() -> None:
    """Without a meter no line is about domains."""
    for results in (fake.small(), energy.with_model(fake.small())):
        assert "by domain" not in printed(results, 100)
        assert SIMULATED_HERE not in printed(results, 100)


def test_terminal_says_that_energy_is_simulated() -> None:
    """Simulated joules are announced before the first table."""
    text = printed(energy.with_energy(fake.small(), evidence=Evidence.SIMULATED), 80)
    assert text.startswith(SIMULATED_HERE)
    assert SIMULATED_HERE not in printed(energy.with_energy(fake.small()), 80)


def test_words_of_a_meter_cannot_steer_the_terminal() -> None:
    """Escape sequences and markup in a meter's words are shown, not obeyed."""
    text = printed(energy.hostile(energy.with_energy(fake.small()), "\x1b[2J[red]x"), 220)
    assert "\x1b" not in text
    assert text.count(r"\x1b[2J[red]x") == text.count("[red]x") > 1
