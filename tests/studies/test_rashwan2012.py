# SPDX-License-Identifier: Apache-2.0
"""rashwan2012: its claims and its page, on machines with known figures."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from itertools import cycle

import pytest
from rashwan_findings import ABSENT, COSTS, PAPER, as_published, judged, on_cores, rows, verdicts

from joulemark.studies.rashwan2012.claims import answers, ratios
from joulemark.studies.rashwan2012.paper import (
    BUILDS,
    KeySetupRow,
    OtherLibrary,
    RashwanFindings,
    WindowRow,
)
from joulemark.studies.rashwan2012.study import page
from joulemark.studies.study import ClaimVerdict


def test_the_paper() -> None:
    """Nine functions, thirteen sizes, a hundred sessions; each claim has an answer."""
    assert len(PAPER.functions) == 9
    assert PAPER.experiment.sizes_bytes == [1 << bit for bit in range(4, 17)]
    assert PAPER.experiment.sessions == 100
    assert {claim.id for claim in PAPER.claims} == set(answers(PAPER, as_published()))


def test_a_machine_like_the_paper() -> None:
    """All testable claims hold; those that need more machines or functions are not tested."""
    found = verdicts(as_published())
    untested = {"architectures", "vmac-fastest", "serpent-slowest"}
    assert {name for name, verdict in found.items() if verdict is ClaimVerdict.UNTESTED} == untested
    assert {verdict for name, verdict in found.items() if name not in untested} == {
        ClaimVerdict.HOLDS
    }


@pytest.mark.parametrize(("ticks", "verdict"), [(30, ClaimVerdict.HOLDS), (15, ClaimVerdict.FAILS)])
def test_serpent_is_judged_where_it_is_measured(ticks: int, verdict: ClaimVerdict) -> None:
    """With hardware assistance, Serpent is held against the dearest of the others."""
    serpent = {("OMAC1-Serpent", build): (ticks, ticks)
               for build in ("software-only", "hardware-assisted")}  # fmt: skip
    found = replace(as_published(costs=COSTS | serpent), absent={})
    assert verdicts(found)["serpent-slowest"] is verdict


@pytest.mark.parametrize(("ticks", "verdict"), [(1, ClaimVerdict.HOLDS), (4, ClaimVerdict.FAILS)])
def test_vmac_is_judged_where_it_is_measured(ticks: int, verdict: ClaimVerdict) -> None:
    """With hardware assistance, VMAC is held against the cheapest of the others."""
    vmac = {("VMAC-AES128", build): (ticks, ticks) for build in BUILDS}
    found = replace(as_published(costs=COSTS | vmac), absent={})
    assert verdicts(found)["vmac-fastest"] is verdict


def test_core_cycles_and_ratios_by_hand() -> None:
    """Two core cycles a tick double every figure; ratios have no unit."""
    found = as_published()
    cell = found.cell("HMAC-MD5", "software-only", "one core", 65536)
    assert found.unit == "core cycles"
    assert found.absolute(cell) == pytest.approx(10.0)
    assert found.apparent(cell) == pytest.approx(10.2)
    assert ratios(found, "apparent") == pytest.approx([0.55] * 12)
    assert ratios(found, "absolute") == pytest.approx([1.1] * 12)
    bare = [replace(row, core_cycles_per_tick=None) for row in cell.windows]
    ticks = replace(found, cells=[replace(cell, windows=bare), *found.cells[1:]])
    assert ticks.unit == "TSC ticks"
    assert ticks.absolute(ticks.cells[2]) == pytest.approx(5.0)


@pytest.mark.parametrize(
    ("changed", "claim"),
    [
        ({"absolute": 0.9}, "absolute-rises"),
        ({"absolute": 1.0}, "absolute-rises"),
        ({"apparent": 1.2}, "apparent-falls"),
        ({"costs": {**COSTS, ("HMAC-MD5", "software-only"): (40, 15)}}, "md5-fastest"),
        ({"costs": {**COSTS, ("OMAC1-Rijndael", "software-only"): (30, 50)}}, "sha512-slowest"),
        ({"costs": {**COSTS, ("OMAC1-Rijndael", "hardware-assisted"): (3, 7)}}, "assistance"),
    ],
)
def test_another_machine(changed, claim) -> None:
    """Each claim that was tested fails where the figures say the contrary."""
    assert verdicts(as_published(**changed))[claim] is ClaimVerdict.FAILS


def test_order_at_every_size_the_same() -> None:
    """If one order holds at every size, a choice by size gains nothing."""
    costs = {key: (small, small / 10) for key, (small, _) in COSTS.items()}
    assert verdicts(as_published(costs=costs))["size"] is ClaimVerdict.FAILS


def test_what_is_not_told_apart_is_not_judged() -> None:
    """MD5 within 1 % of another function is neither called the fastest nor denied to be."""
    costs = {**COSTS, ("OMAC1-Rijndael", "software-only"): (30, 5.02)}
    assert verdicts(as_published(costs=costs))["md5-fastest"] is ClaimVerdict.UNTESTED
    costs = {**COSTS, ("OMAC1-Rijndael", "software-only"): (30, 4.98)}
    assert verdicts(as_published(costs=costs))["md5-fastest"] is ClaimVerdict.UNTESTED


def test_orders_that_are_not_told_apart_refute_no_choice() -> None:
    """Where two functions cost alike, whether any change places is open; one change is enough."""
    costs = {key: (small, small / 10) for key, (small, _) in COSTS.items()}
    costs |= {("OMAC1-Rijndael", build): (40.1, 4.01) for build in BUILDS}
    found = judged(as_published(costs=costs))
    for claim in ("size", "assistance"):
        assert found[claim].verdict is ClaimVerdict.UNTESTED, claim
        assert "pairs are not told apart in both" in found[claim].why
    costs["HMAC-SHA512", "software-only"] = (90, 1)
    assert verdicts(as_published(costs=costs))["size"] is ClaimVerdict.HOLDS


def test_the_fastest_is_told_apart_from_every_other_function() -> None:
    """One low window of the dearest function leaves open whether MD5 is the fastest."""
    whole = as_published()
    wild = [
        replace(cell, windows=[replace(cell.windows[0], absolute_ticks=1.0), *cell.windows[1:]])
        if cell.function == "HMAC-SHA512"
        else cell
        for cell in whole.cells
    ]
    answer = judged(replace(whole, cells=wild))["md5-fastest"]
    assert answer.verdict is ClaimVerdict.UNTESTED
    assert answer.why.endswith("HMAC-SHA512 44, not told apart.")


def test_one_window_of_each_tells_nothing_apart() -> None:
    """The order of two single values is no verdict."""
    whole = as_published()
    single = [replace(cell, windows=cell.windows[:1]) for cell in whole.cells]
    found = verdicts(replace(whole, cells=single))
    for claim in ("size", "assistance", "md5-fastest", "sha512-slowest"):
        assert found[claim] is ClaimVerdict.UNTESTED, claim


def varied(scope: str, change: Callable[[WindowRow, float], WindowRow], values) -> RashwanFindings:
    """Costs alike on one core and on both, but each cell of a scope changed by the next value."""
    whole, given = as_published(absolute=1.0), cycle(values)
    cells = []
    for cell in whole.cells:
        value = next(given) if cell.scope == scope else None
        windows = [row if value is None else change(row, value) for row in cell.windows]
        cells.append(replace(cell, windows=windows))
    return replace(whole, cells=cells)


@pytest.mark.parametrize(
    ("ratios_here", "verdict"),
    [
        ((0.9, 1.0, 1.2, 1.0), ClaimVerdict.UNTESTED),
        ((0.999, 1.0, 1.001), ClaimVerdict.FAILS),
        ((0.9, 0.91, 0.92), ClaimVerdict.FAILS),
        ((1.1, 1.2), ClaimVerdict.HOLDS),
    ],
)
def test_no_change_is_shown_by_a_narrow_interval(ratios_here, verdict) -> None:
    """An interval from a fall to a rise says neither, unless no such change would count."""

    def costing(row: WindowRow, ratio: float) -> WindowRow:
        return replace(row, absolute_ticks=row.absolute_ticks * ratio)

    assert verdicts(varied("all cores", costing, ratios_here))["absolute-rises"] is verdict


@pytest.mark.parametrize(
    ("rates", "verdict"),
    [
        ((0.0, 0.0, 0.0, 0.3), ClaimVerdict.UNTESTED),
        ((0.0,), ClaimVerdict.FAILS),
        ((7.0, 9.0), ClaimVerdict.HOLDS),
    ],
)
def test_migrations_are_judged_by_an_interval(rates, verdict) -> None:
    """A few moves among many cells without any may be chance; none at all is none."""

    def moving(row: WindowRow, rate: float) -> WindowRow:
        return replace(row, migrations_per_s=rate)

    assert verdicts(varied("all cores", moving, rates))["migrations"] is verdict


@pytest.mark.parametrize(
    ("apparent", "verdict"),
    [
        ((1.02, 1.02), ClaimVerdict.HOLDS),
        ((1.5, 1.5), ClaimVerdict.FAILS),
        ((1.0, 1.2), ClaimVerdict.UNTESTED),
    ],
)
def test_apparent_mirrors_absolute_by_its_whole_interval(apparent, verdict) -> None:
    """A median within the bound is no mirror if its interval is not."""

    def waiting(row: WindowRow, ratio: float) -> WindowRow:
        return replace(row, apparent_ticks=row.absolute_ticks * ratio)

    assert verdicts(varied("one core", waiting, apparent))["one-core"] is verdict


@pytest.mark.parametrize(
    ("apparent", "absolute", "verdict", "said"),
    [
        ((2.0, 1.0), (3.0, 3.0), ClaimVerdict.HOLDS, "how much each was scheduled"),
        ((10.0, 10.02), (10.0, 10.01), ClaimVerdict.UNTESTED, "too alike to tell"),
        ((10.0, 11.0), (10.0, 20.0), ClaimVerdict.FAILS, "what a byte cost each"),
    ],
)
def test_sessions_are_uneven_beyond_a_bound(apparent, absolute, verdict, said) -> None:
    """Spreads of one window that are almost alike decide nothing, and the sentence fits."""
    whole = as_published()
    long = whole.per_thread[-1]
    sessions = [
        replace(long.sessions[0], apparent_ticks=wall, absolute_ticks=own)
        for wall, own in zip(apparent, absolute, strict=True)
    ]
    answer = judged(replace(whole, per_thread=[replace(long, sessions=sessions)]))["uneven"]
    assert answer.verdict is verdict
    assert answer.why.endswith(f"{said}.")


def test_no_figure_stands_on_disturbed_windows() -> None:
    """Where no window counts nothing is judged, drawn or tabled, and the notes say why."""
    found = as_published(troubles=["over-utilised"])
    told = verdicts(found)
    assert told.pop("uneven") is ClaimVerdict.HOLDS, "the long window counts"
    assert set(told.values()) == {ClaimVerdict.UNTESTED}
    assert found.figures == [] == ratios(found, "apparent")
    made = page(PAPER, found)
    assert any("do not count" in note for note in made.notes)
    assert made.summary == "No figure: no window counts."
    assert made.done.startswith("Measured here: nothing")
    assert [chart.spec for chart in made.charts[:2]] == [None, None]
    costs = [table for table in made.tables if " core" in table.title and "-" in table.title]
    assert {cell for table in costs[:4] for row in table.texts() for cell in row[1:]} == {"-"}


def test_a_disturbed_long_window_judges_no_session() -> None:
    """The least scheduled sessions are not compared in a window that does not count."""
    whole = as_published()
    spoilt = [replace(row, troubles=["over-utilised"]) for row in whole.per_thread]
    assert verdicts(replace(whole, per_thread=spoilt))["uneven"] is ClaimVerdict.UNTESTED


def test_figures_stand_on_the_windows_that_count() -> None:
    """One spoilt window of three changes no figure, however far off it is."""
    whole = as_published()
    cell = whole.cells[0]
    spoilt = replace(cell.windows[0], absolute_ticks=1e6, troubles=["over-utilised"])
    found = replace(
        whole, cells=[replace(cell, windows=[spoilt, *cell.windows[1:]]), *whole.cells[1:]]
    )
    assert found.absolute(found.cells[0]) == pytest.approx(whole.absolute(cell), rel=0.01)


def test_one_core_alone() -> None:
    """Without a second core the claims about cores are not tested."""
    whole = as_published()
    cells = [cell for cell in whole.cells if cell.scope == "one core"]
    found = replace(whole, cells=cells, cores=(0,), per_thread=whole.per_thread[:1])
    told = verdicts(found)
    for claim in ("apparent-falls", "absolute-rises", "migrations"):
        assert told[claim] is ClaimVerdict.UNTESTED
    charts = {chart.name: chart for chart in page(PAPER, found).charts}
    assert charts["fig10_11"].spec is None


def test_page() -> None:
    """Each figure has a chart, each build and set of cores a table, each absence a name."""
    made = page(PAPER, as_published())
    names = ["fig4_5", "fig6_7", "fig8_9", "fig10_11", "by_cores"]
    assert [chart.name for chart in made.charts] == names
    assert all(chart.spec is not None for chart in made.charts)
    assert "in place of VMAC-AES128" in made.charts[2].caption
    assert any("Beyond the paper" in note and "SipHash-2-4" in note for note in made.notes)
    table = next(
        shown_table
        for shown_table in made.tables
        if shown_table.title.startswith("software-only, one core: HMAC-MD5")
    )
    assert table.texts()[-1][:2] == ["64 KiB", "10 / 10.2"]
    absent = next(shown_table for shown_table in made.tables if "not here" in shown_table.title)
    assert [row[0] for row in absent.texts()] == list(ABSENT)
    json.dumps(made.data)


def test_functions_beyond_the_paper_are_in_no_claim() -> None:
    """A cheaper function that the paper did not measure leaves its claims as they are."""
    costs = {("SipHash-2-4", build): (1, 1) for build in BUILDS}
    assert verdicts(as_published(costs=COSTS | costs)) == verdicts(as_published())
    within = replace(as_published(costs=COSTS | costs), beyond=[])
    assert verdicts(within)["md5-fastest"] is ClaimVerdict.FAILS


def test_vmac_is_drawn_where_it_is_here() -> None:
    """Where VMAC is present, no other function is drawn in its place."""
    whole = as_published()
    drawn = [replace(per_thread, function="VMAC-AES128") for per_thread in whole.per_thread]
    chart = page(PAPER, replace(whole, per_thread=drawn)).charts[2]
    assert "in place of" not in chart.caption


def test_a_claim_without_windows_says_why() -> None:
    """The reason of "not tested" names how many windows do not count, and their troubles."""
    found = judged(as_published(troubles=["over-utilised"]))
    for claim in ("size", "assistance", "md5-fastest", "one-core", "apparent-falls", "migrations"):
        assert found[claim].verdict is ClaimVerdict.UNTESTED
        assert "72 of 72 windows do not count: over-utilised." in found[claim].why, claim


def test_a_claim_about_64_kib_needs_64_kib() -> None:
    """What was measured at another size alone decides nothing about 64 KiB."""
    whole = as_published()
    small = [cell for cell in whole.cells if cell.size_bytes == 16]
    assert verdicts(replace(whole, cells=small))["md5-fastest"] is ClaimVerdict.UNTESTED


def test_why_our_aes_is_dear() -> None:
    """Where our AES reads no table, the page says so beside a library that reads some."""
    whole = as_published(costs={**COSTS, ("OMAC1-Rijndael", "software-only"): (60, 50)})
    cells = [
        replace(cell, implementation="cmac-aes128/portable")
        if (cell.function, cell.build) == ("OMAC1-Rijndael", "software-only")
        else cell
        for cell in whole.cells
    ]
    table_based = replace(
        on_cores()[0].cell, build="software-only", scope="all cores", size_bytes=65536,
        implementation="cmac-aes128/cryptopp", windows=rows(9.0, 9.0),
    )  # fmt: skip
    found = replace(
        whole, cells=cells, elsewhere=[OtherLibrary(library="cryptopp", cell=table_based)]
    )
    (note,) = [note for note in page(PAPER, found).notes if "reads no table" in note]
    assert "OMAC1-Rijndael is the dearest function in software alone (110 core cycles" in note
    assert "Crypto++, which reads tables, 18" in note
    assert "That is our AES" in judged(found)["sha512-slowest"].why
    libraries = next(table for table in page(PAPER, found).tables if "every library" in table.title)
    assert libraries.texts()[-1][-1] == "18"
    assert not any("reads no table" in note for note in page(PAPER, as_published()).notes)


def test_key_set_up_is_a_table() -> None:
    """The set-up of a key is in a table beside the message, with its bounds."""
    row = KeySetupRow(
        function="HMAC-MD5", build="software-only", implementation="hmac-md5/portable",
        seconds=2e-7, low_s=1e-7, high_s=3e-7, message_seconds=5e-7, message_bytes=16,
    )  # fmt: skip
    made = page(PAPER, replace(as_published(), key_setups=[row]))
    table = next(table for table in made.tables if table.title == "Key set-up")
    assert table.texts() == [
        ["HMAC-MD5", "software-only", "200 ns", "100 ns to 300 ns", "500 ns (16 B)"]
    ]
