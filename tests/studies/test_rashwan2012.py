# SPDX-License-Identifier: Apache-2.0
"""rashwan2012: its claims against machines with known figures, and a small measurement."""

from __future__ import annotations

import json
from dataclasses import replace
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner

from joulemark.cli.app import app
from joulemark.environment import capture
from joulemark.judging import Trouble, TroubleKind, WindowLimits
from joulemark.measure.plan import Effort
from joulemark.measure.session_rounds import Attempt, Patience, PointRounds
from joulemark.studies.equipment import CpuEquipment, StudyPace
from joulemark.studies.rashwan2012 import beside, measurement, windows, workflow
from joulemark.studies.rashwan2012.claims import answers, ratios
from joulemark.studies.rashwan2012.paper import (
    BUILDS,
    LIBRARIES,
    CoresCell,
    FunctionCell,
    KeySetupRow,
    OtherLibrary,
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
        asked_sessions=100, by_cores=on_cores(troubles),
    )  # fmt: skip


def on_cores(troubles=()) -> list[CoresCell]:
    """The function of single sessions on one core and on two."""
    return [
        CoresCell(
            cores=count,
            cell=FunctionCell(
                function="OMAC1-Rijndael", build="hardware-assisted", scope="all cores",
                size_bytes=1024, implementation="cmac-aes128/aesni",
                windows=rows(3.0, 3.0 / count, troubles=troubles),
            ),
        )
        for count in (1, 2)
    ]  # fmt: skip


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
    for module in (windows, workflow):
        monkeypatch.setattr(module, "Patience", lambda: Patience(lambda _seconds: None))
    never = WindowLimits(foreign_share=-9.0, least_turns=0)
    monkeypatch.setattr(windows, "_SWEEP", never)
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

    def no_windows(
        pool, _inventory, wanted, rounds, limits, *, software_only=None, patience=None, announce
    ):
        del rounds, limits, patience, announce
        for point in wanted:
            workers = software_only if point.software_only else pool
            asked.append((point.implementation, workers.variables))
        return [PointRounds(point, ()) for point in wanted]

    for module in (measurement, beside):
        monkeypatch.setattr(module, "WorkerPool", Pool)
    monkeypatch.setattr(windows, "run_points", no_windows)
    monkeypatch.setattr(measurement, "_threads", lambda *_: ([], []))
    monkeypatch.setattr(measurement, "key_setups", lambda *_: [])
    omac = [function for function in PAPER.functions if function.name == "OMAC1-Rijndael"]
    paper = PAPER.model_copy(update={"functions": omac, "beyond": []})
    equipment = CpuEquipment(inventory=Known("cmac-aes128/cryptopp"), store=None,
                             environment=capture(), folder=tmp_path)  # fmt: skip
    work = measurement.RashwanWork(sizes_bytes=(16,), library="cryptopp")
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


class Sessions:
    """A window of equal sessions, as far as the workflow looks at it."""

    def __init__(self, count: int, turns: int, own: float) -> None:
        self.cores = (0,)
        self.cores_in_use = 1
        self.sessions = [SimpleNamespace(turns=turns)] * count
        self.window_ns = 8_000_000_000
        self.wall_ns = 8e9
        self.thread_cpu_ns = own * 8e9


def fitted(turns_of, own_of, sessions: int, most: int = 1000):
    """Steps of the workflow where turns and share of the core follow from the sessions."""

    def take(_scope, count: int) -> Attempt:
        troubles = []
        if own_of(count) < 0.95:
            troubles.append(Trouble(TroubleKind.OVER_UTILISED, "others"))
        if turns_of(count) < 3:
            troubles.append(Trouble(TroubleKind.TOO_SHORT, "few turns", 3.0))
        return Attempt(Sessions(count, turns_of(count), own_of(count)), tuple(troubles))

    steps, taken = workflow.fit_sessions(take, ["one core", "all cores"], sessions, most)
    assert set(taken) == {"one core", "all cores"}
    return steps


def test_the_number_of_sessions_is_adjusted() -> None:
    """Too few turns lower it, others on the cores raise it, and what does not help is said."""
    good = fitted(lambda _n: 9, lambda _n: 1.0, 100)
    assert [(step.sessions, step.scope) for step in good] == [
        (100, "one core"), (100, "all cores"),
    ]  # fmt: skip
    lowered = fitted(lambda n: 300 // n, lambda _n: 1.0, 200)
    assert [step.sessions for step in lowered] == [200, 53, 53]
    assert lowered[0].step == "Lowered to 53, so that each session gets 3 turns."
    raised = fitted(lambda _n: 9, lambda n: n / (n + 8), 100)
    assert [step.sessions for step in raised] == [100, 200, 200]
    assert raised[0].step == "Raised to 200, so that the sessions get more beside others."
    helpless = fitted(lambda _n: 9, lambda _n: 0.5, 100)
    assert [step.sessions for step in helpless] == [100, 200, 200]
    assert helpless[1].step.startswith("Kept: more sessions got no larger share of the cores")
    assert helpless[2].step == "Kept, since no other number helps on fewer cores."
    least = fitted(lambda _n: 9, lambda _n: 0.5, 100, most=100)
    assert least[0].step.startswith("Kept: more than 100 sessions do not run")
    torn = fitted(lambda n: 300 // n, lambda n: n / (n + 8), 100)
    assert [step.sessions for step in torn] == [100, 200, 200]
    assert torn[1].step == "Kept: fewer sessions were spoilt by others, and more had too few turns."


def test_the_page_says_what_became_of_the_sessions() -> None:
    """Notes and table name the number that was asked for, that which fits, and why."""
    steps = fitted(lambda n: 300 // n, lambda _n: 1.0, 200)
    made = page(PAPER, replace(as_published(), steps=steps, asked_sessions=200, sessions=53))
    assert any("adjusted from 200 to 53" in note for note in made.notes)
    table = next(table for table in made.tables if "adjusted" in table.title)
    assert [row[0] for row in table.texts()] == ["200", "53", "53"]


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


def test_numbers_of_cores() -> None:
    """Each number up to eight, then doublings and all; one core's figure is divided beside."""
    assert windows.numbers_of_cores(1) == [1]
    assert windows.numbers_of_cores(3) == [1, 2, 3]
    assert windows.numbers_of_cores(48) == [*range(1, 9), 16, 32, 48]
    assert windows.numbers_of_cores(64) == [*range(1, 9), 16, 32, 64]
    table = next(
        table for table in page(PAPER, as_published()).tables if "number of cores" in table.title
    )
    assert table.texts() == [["1", "6", "6", "6"], ["2", "6", "3", "3"]]


def test_hardware_threads_are_named() -> None:
    """One hardware thread of each core is used first; the page names those of one core."""
    groups = [(0, 4), (1, 5)]
    assert measurement.one_thread_first([0, 1, 4, 5], groups) == [0, 1, 4, 5]
    assert measurement.one_thread_first([0, 1, 2, 3], [(0, 1), (2, 3)]) == [0, 2, 1, 3]

    def said(threads) -> list[str]:
        return page(PAPER, replace(as_published(), hardware_threads=threads)).notes

    assert any("(SMT): 0 and 4; 1 and 5." in note for note in said([[0, 4], [1, 5]]))
    assert any("no two of these cores" in note for note in said([]))
    assert any("Linux does not tell" in note for note in said(None))


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

    monkeypatch.setattr(
        "joulemark.studies.rashwan2012.study.measure",
        lambda _paper, work, equipment: usual(little, work, equipment),
    )
    monkeypatch.setattr(beside, "_KEY_EFFORT", Effort(2, 10_000, 2))
    # Tests beside this one use the cores too.
    endless = SimpleNamespace(ended=False, note=lambda _found: None)
    for module in (windows, workflow):
        monkeypatch.setattr(module, "Patience", lambda: endless)
    command = ["reproduce", "rashwan2012", "--scale", "0.001", "--rounds", "2", "--sessions", "5",
               "--size", "16,1KiB"]  # fmt: skip
    done = CliRunner().invoke(app, [*command, "--json"], prog_name="joulemark")
    assert done.exit_code == 0, done.output
    found = json.loads((tmp_path / "rashwan2012/rashwan2012.json").read_text())
    here = {cell["function"] for cell in found["data"]["cells"]}
    assert here | set(found["data"]["absent"]) == {"HMAC-SHA256", "VMAC-AES128", "OMAC1-Rijndael"}
    assert here >= {"HMAC-SHA256", "OMAC1-Rijndael"}
    assert {cell["build"] for cell in found["data"]["cells"]} == set(BUILDS)
    # On a busy machine a window of 10 ms may pass before any session has a turn.
    assert all(1 <= len(cell["windows"]) <= 2 for cell in found["data"]["cells"])
    assert {cell["size_bytes"] for cell in found["data"]["cells"]} == {16, 1024}
    assert {row["function"] for row in found["data"]["key_setups"]} == here
    assert found["data"]["by_cores"][0]["cores"] == 1
    assert found["data"]["steps"][0]["sessions"] == found["data"]["asked_sessions"] == 5
    judged_there = {claim["id"]: claim for claim in found["claims"]}
    assert "64 KiB" in judged_there["md5-fastest"]["why"]
    assert judged_there["md5-fastest"]["verdict"] == "not tested"
    assert "Fig. 10 and 11" in (tmp_path / "rashwan2012/rashwan2012.html").read_text()

    def nothing(*_arguments, **_more):
        raise AssertionError("measured again")

    for module in (windows, workflow):
        monkeypatch.setattr(module, "run_points", nothing)
    monkeypatch.setattr(beside, "run_plan", nothing)
    again = CliRunner().invoke(app, [*command, "--json"], prog_name="joulemark")
    assert again.exit_code == 0, again.output


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--scale", "0"], "--scale 0: give more than 0"),
        (["--scale", "nan"], "--scale nan: give more than 0"),
        (["--rounds", "1"], "--rounds 1: give a number from 2 to 100"),
        (["--size", "0"], "--size 0: a cost per byte needs messages"),
        (["--size", "16MiB"], "100 sessions with messages of 16 MiB are more than"),
        (["--meter", "powercap"], "No such option: --meter"),
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
