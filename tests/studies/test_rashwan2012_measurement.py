# SPDX-License-Identifier: Apache-2.0
"""rashwan2012: what is measured, by which implementations and sessions, and a small measurement."""

from __future__ import annotations

import json
from dataclasses import replace
from types import SimpleNamespace

import pytest
from rashwan_findings import PAPER, as_published
from typer.testing import CliRunner

from joulemark.cli.app import app
from joulemark.environment import capture
from joulemark.judging import Trouble, TroubleKind, WindowLimits
from joulemark.measure.plan import Effort
from joulemark.measure.session_rounds import Attempt, Patience, PointRounds
from joulemark.studies.equipment import CpuEquipment, StudyPace
from joulemark.studies.rashwan2012 import measurement, windows, workflow
from joulemark.studies.rashwan2012.paper import BUILDS, LIBRARIES
from joulemark.studies.rashwan2012.study import page

pytestmark = pytest.mark.usefixtures("quick_workers")


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
    assert "the sessions do not have their cores alone" in done.output
    assert not (tmp_path / "rashwan2012/rashwan2012.html").exists()


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

    monkeypatch.setattr(measurement, "WorkerPool", Pool)
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
    monkeypatch.setattr(measurement, "_KEY_EFFORT", Effort(2, 10_000, 2))
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
    monkeypatch.setattr("joulemark.studies.equipment.run_plan", nothing)
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
