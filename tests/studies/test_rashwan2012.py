# SPDX-License-Identifier: Apache-2.0
"""rashwan2012: its claims against machines with known figures, and a small measurement."""

from __future__ import annotations

import contextlib
import json
from dataclasses import replace
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner

from joulemark.cli.app import app
from joulemark.environment import capture
from joulemark.judging.standing import WindowLimits
from joulemark.measure.session_rounds import Patience, PointRounds
from joulemark.studies.cpu_equipment import CpuEquipment, StudyPace
from joulemark.studies.rashwan2012 import measurement
from joulemark.studies.rashwan2012 import measurement as points
from joulemark.studies.rashwan2012.claims import answers, ratios
from joulemark.studies.rashwan2012.paper import (
    BUILDS,
    LIBRARIES,
    FunctionCell,
    PerThread,
    RashwanFindings,
    SessionRow,
    WindowRow,
    rashwan2012,
)
from joulemark.studies.rashwan2012.study import page
from joulemark.studies.study import ClaimAnswer, ClaimVerdict

pytestmark = pytest.mark.usefixtures("quick_workers")
PAPER = rashwan2012()
SIZES = (16, 65536)
ABSENT = {"VMAC-AES128": "not in the catalogue yet", "OMAC1-Serpent": "not in the catalogue yet"}
COSTS = {
    ("HMAC-MD5", "software-only"): (40, 5),
    ("HMAC-SHA512", "software-only"): (90, 20),
    ("OMAC1-Rijndael", "software-only"): (30, 10),
    ("HMAC-MD5", "hardware-assisted"): (40, 5),
    ("HMAC-SHA512", "hardware-assisted"): (90, 20),
    ("OMAC1-Rijndael", "hardware-assisted"): (3, 2),
}
"""Ticks per byte at 16 bytes and at 64 KiB."""


def rows(absolute: float, apparent: float, *, moved: float = 0.0, troubles=()) -> list[WindowRow]:
    """Three windows, the middle one with these figures, the others 1 % beside it."""
    return [
        WindowRow(
            absolute_ticks=absolute * factor, apparent_ticks=apparent * factor,
            core_cycles_per_tick=2.0, fairness=1.0, migrations_per_s=moved, preemptions_per_s=300.0,
            own_share=1.0, window_s=0.3, attempts=1, troubles=list(troubles),
        )
        for factor in (0.99, 1.0, 1.01)
    ]  # fmt: skip


def as_published(*, costs=COSTS, absolute=1.1, apparent=0.55, troubles=()) -> RashwanFindings:
    """A machine of two cores on which every testable statement of the paper is true.

    Args:
        costs: ticks per byte on one core, where apparent is 2 % above absolute.
        absolute: ratio of absolute figures on both cores to those on one core.
        apparent: ratio of apparent figures on both cores to those on one core.
        troubles: faults of every window.
    """
    cells = []
    for (function, build), both in costs.items():
        for size, cost in zip(SIZES, both, strict=True):
            cell = FunctionCell(function=function, build=build, scope="one core", size_bytes=size,
                       implementation=f"{function}/{build}",
                       windows=rows(cost, 1.02 * cost, troubles=troubles))  # fmt: skip
            more = rows(cost * absolute, 1.02 * cost * apparent, moved=7.0, troubles=troubles)
            cells += [cell, replace(cell, scope="all cores", windows=more)]
    sessions = [
        SessionRow(wall_ticks=300.0, absolute_ticks=3.0, apparent_ticks=value, migrations=1,
                   preemptions=9)
        for value in (2.0, 1.5, 1.0)
    ]  # fmt: skip
    idle = SessionRow(wall_ticks=None, absolute_ticks=None, apparent_ticks=None, migrations=0,
                      preemptions=0)  # fmt: skip
    threads = [
        PerThread(scope=scope, function="OMAC1-Rijndael", implementation="cmac-aes128/aesni",
                  size_bytes=1024, core_cycles_per_tick=2.0, troubles=[], window_s=8.0,
                  sessions=[*sessions, idle])
        for scope in ("one core", "all cores")
    ]  # fmt: skip
    return RashwanFindings(
        cells=cells, per_thread=threads, absent=ABSENT, missing=[], sessions=100, cores=(0, 1),
        rounds=3, window_s=0.3, ticks_are_tsc=True, library="joulemark", beyond=["SipHash-2-4"],
    )  # fmt: skip


def judged(found: RashwanFindings) -> dict[str, ClaimAnswer]:
    """The answers to all claims."""
    return {name: answer() for name, answer in answers(PAPER, found).items()}


def verdicts(found: RashwanFindings) -> dict[str, ClaimVerdict]:
    """Verdict by claim."""
    return {name: answer.verdict for name, answer in judged(found).items()}


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


def test_the_study_ends_early_where_others_use_the_cores(monkeypatch, tmp_path) -> None:
    """Three spoilt windows in a row end it with one sentence, exit code 2 and no page."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("JOULEMARK_STORE", raising=False)
    monkeypatch.setattr(measurement, "Patience", lambda: Patience(lambda _seconds: None))
    never = WindowLimits(foreign_share=-9.0, least_turns=0)
    monkeypatch.setattr(measurement, "_SWEEP", never)
    done = CliRunner().invoke(
        app, ["reproduce", "rashwan2012", "--scale", "0.001", "--sessions", "5"],
        prog_name="joulemark",
    )  # fmt: skip
    assert done.exit_code == 2, done.output
    assert "others use the cores too" in done.output
    assert not (tmp_path / "rashwan2012/rashwan2012.html").exists()


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
    assert [chart.name for chart in made.charts] == ["fig4_5", "fig6_7", "fig8_9", "fig10_11"]
    assert all(chart.spec is not None for chart in made.charts)
    assert "in place of VMAC-AES128" in made.charts[2].caption
    assert any("Beyond the paper" in note and "SipHash-2-4" in note for note in made.notes)
    table = next(
        shown_table for shown_table in made.tables if shown_table.title == "software-only, one core"
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


class Known:
    """An inventory of names, with the variants that `auto` chooses."""

    def __init__(self, *names: str, **chosen: str) -> None:
        self.facts = {name: Chosen(None) for name in names}
        self.facts |= {f"{name.replace('_', '-')}/auto": Chosen(text)
                       for name, text in chosen.items()}  # fmt: skip


class Chosen:
    """Facts of an implementation."""

    def __init__(self, chosen: str | None) -> None:
        self.chosen = chosen


def test_builds_of_libraries() -> None:
    """Ours has two variants, another library uses one variant twice, or has none."""
    known = Known("hmac-md5/portable", "hmac-md5/cryptopp", hmac_md5="engine")
    assert LIBRARIES["joulemark"].builds("hmac-md5", known) == {
        "software-only": "hmac-md5/portable", "hardware-assisted": "hmac-md5/engine",
    }  # fmt: skip
    assert LIBRARIES["cryptopp"].builds("hmac-md5", known) == dict.fromkeys(
        BUILDS, "hmac-md5/cryptopp"
    )
    assert LIBRARIES["openssl"].builds("hmac-md5", known) is None
    assert all(library.variables for name, library in LIBRARIES.items() if name != "joulemark")


def test_software_alone_is_asked_of_other_workers(monkeypatch, tmp_path) -> None:
    """The same implementation runs in a pool whose workers have the library's variable."""
    asked = []

    class Pool:
        def __init__(self, _inventory, _cpu, *, variables=None) -> None:
            self.variables = variables

        def close(self) -> None:
            """Nothing to end."""

    def no_windows(pool, _inventory, wanted, rounds, limits, *, software_only=None, patience=None):
        del rounds, limits, patience
        for point in wanted:
            workers = software_only if point.software_only else pool
            asked.append((point.implementation, workers.variables))
        return [PointRounds(point, ()) for point in wanted]

    monkeypatch.setattr(measurement, "WorkerPool", Pool)
    for module in (points, measurement):
        monkeypatch.setattr(module, "run_points", no_windows)
    omac = [function for function in PAPER.functions if function.name == "OMAC1-Rijndael"]
    paper = PAPER.model_copy(update={"functions": omac, "beyond": []})
    equipment = CpuEquipment(inventory=Known("cmac-aes128/cryptopp"), store=None,
                             environment=capture(), folder=tmp_path)  # fmt: skip
    work = measurement.RashwanWork(sizes_bytes=(16,), library="cryptopp")
    with contextlib.suppress(ValueError):  # nothing was measured one by one
        measurement.measure(paper, work, equipment)
    variables = {variables and tuple(variables) for name, variables in asked}
    assert {name for name, _ in asked} == {"cmac-aes128/cryptopp"}
    assert variables == {None, ("JOULEMARK_SOFTWARE_ONLY",)}


def test_second_attempts_are_made_while_the_study_is_on_time() -> None:
    """The first function has two attempts; the next have two while the study is on time."""
    now_s = 100.0
    pace = StudyPace(40.0, lambda: now_s)
    assert pace.attempts() == 2
    now_s = 139.0
    assert pace.attempts() == 2
    now_s = 181.0
    assert pace.attempts() == 1
    now_s = 219.0
    assert pace.attempts() == 2


def test_small_study(monkeypatch, tmp_path) -> None:
    """The command writes its files for two functions and sizes; a second run reads kept parts."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("JOULEMARK_STORE", raising=False)
    usual = measurement.measure
    two = [
        function for function in PAPER.functions if function.name in {"HMAC-SHA256", "VMAC-AES128"}
    ]
    omac = [function for function in PAPER.functions if function.name == "OMAC1-Rijndael"]
    little = PAPER.model_copy(update={"functions": [*two, *omac], "beyond": []})

    def small(_paper, work, equipment):
        return usual(little, replace(work, sizes_bytes=(16, 1024)), equipment)

    monkeypatch.setattr("joulemark.studies.rashwan2012.study.measure", small)
    # Tests beside this one use the cores too.
    endless = SimpleNamespace(ended=False, note=lambda _found: None)
    monkeypatch.setattr(measurement, "Patience", lambda: endless)
    command = ["reproduce", "rashwan2012", "--scale", "0.001", "--rounds", "2", "--sessions", "5"]
    done = CliRunner().invoke(app, [*command, "--json"], prog_name="joulemark")
    assert done.exit_code == 0, done.output
    found = json.loads((tmp_path / "rashwan2012/rashwan2012.json").read_text())
    here = {cell["function"] for cell in found["data"]["cells"]}
    assert here | set(found["data"]["absent"]) == {"HMAC-SHA256", "VMAC-AES128", "OMAC1-Rijndael"}
    assert here >= {"HMAC-SHA256", "OMAC1-Rijndael"}
    assert {cell["build"] for cell in found["data"]["cells"]} == set(BUILDS)
    # On a busy machine a window of 10 ms may pass before any session has a turn.
    assert all(1 <= len(cell["windows"]) <= 2 for cell in found["data"]["cells"])
    assert "Fig. 10 and 11" in (tmp_path / "rashwan2012/rashwan2012.html").read_text()

    def nothing(*_arguments, **_more):
        raise AssertionError("measured again")

    for module in (points, measurement):
        monkeypatch.setattr(module, "run_points", nothing)
    again = CliRunner().invoke(app, [*command, "--json"], prog_name="joulemark")
    assert again.exit_code == 0, again.output


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--scale", "0"], "--scale 0: give more than 0"),
        (["--scale", "nan"], "--scale nan: give more than 0"),
        (["--rounds", "1"], "--rounds 1: give a number from 2 to 100"),
        (["--sessions", "1001"], "--sessions 1001: give a number from 1 to 1000"),
        (["--library", "mine"], "--library mine: name one of joulemark, openssl, cryptopp"),
        (["--also", "kmac128,poly1305"], "--also poly1305: name MACs whose keys serve many"),
        (["--also", "sha256"], "--also sha256: name MACs"),
    ],
)
def test_refused(monkeypatch, tmp_path, arguments, words) -> None:
    """The command refuses in one sentence, before a folder is made."""
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, ["reproduce", "rashwan2012", *arguments], prog_name="joulemark")
    assert done.exit_code == 2
    assert words in done.stderr
    assert not list(tmp_path.iterdir())
