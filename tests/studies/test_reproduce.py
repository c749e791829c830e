# SPDX-License-Identifier: Apache-2.0
"""The study from end to end, small: command, files, kept parts and refusals."""

from __future__ import annotations

import errno
import json
import os
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from joulemark import report
from joulemark.cli.app import app
from joulemark.environment import capture
from joulemark.errors import StoreError, UnavailableError
from joulemark.measure.inventory import inventory_of
from joulemark.records.figures import Evidence
from joulemark.report import text_table
from joulemark.report.draw import markdown
from joulemark.store.repository import Store
from joulemark.studies.castellon2022 import measurement
from joulemark.studies.castellon2022 import through_ctypes as library_module
from joulemark.studies.castellon2022.findings import GROWING, Energies, EventSeries, compare
from joulemark.studies.castellon2022.paper import castellon2022
from joulemark.studies.castellon2022.regimes import VisitEffort
from joulemark.studies.castellon2022.savings import Growth
from joulemark.studies.castellon2022.study import STUDY
from joulemark.studies.castellon2022.through_ctypes import PROGRAMS
from joulemark.studies.equipment import CpuEquipment, render_page
from joulemark.studies.study import StudyOutcome

pytestmark = pytest.mark.usefixtures("quick_workers")
LITTLE = ("--repetitions", "3", "--no-memory")


def run(*arguments: object) -> Result:
    """The result of the command, run in this process."""
    return CliRunner().invoke(app, ["reproduce", *map(str, arguments)], prog_name="joulemark")


def refused(*arguments: object) -> str:
    """The one line of a refusal."""
    result = run(*arguments)
    assert result.exit_code == 2, result.output
    line = result.stderr.splitlines()[-1]
    assert line.startswith("joulemark: ")
    assert "Traceback" not in result.stderr
    return line


@pytest.fixture(autouse=True)
def in_empty_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Stores and reports stay in the test's own folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("JOULEMARK_STORE", raising=False)


@pytest.fixture(scope="module")
def metered(tmp_path_factory: pytest.TempPathFactory) -> StudyOutcome:
    """A small study of every part, as if a meter had given E 8 µJ and O 9 µJ."""
    folder = tmp_path_factory.mktemp("metered")
    work = measurement.CastellonWork(
        repetitions=6,
        memory=VisitEffort(rounds=6, window_bytes=1 << 14),
        memory_bytes=1 << 20,
    )
    programs = {name: [(8e-6 if "j8" in name else 9e-6)] * 9 for name in PROGRAMS}
    series = EventSeries(programs=programs, processes=list(range(9)))
    joules = Energies(
        kind="net",
        evidence=Evidence.SIMULATED,
        rows=compare(dict.fromkeys(castellon2022().experiment.sizes_bytes, series)),
        growth=dict.fromkeys(GROWING, Growth(median=0.0, low=-0.1, high=0.1)),
    )
    with pytest.MonkeyPatch.context() as patch, Store.open(str(folder / "store.db")) as store:
        patch.setattr(measurement, "energies", lambda *_: joules)
        equipment = CpuEquipment(
            inventory=inventory_of(), store=store, environment=capture(), folder=folder
        )
        small = replace(STUDY, measure=lambda paper, _, at: measurement.measure(paper, work, at))
        return small.reproduce(STUDY.options(), equipment, machine="test")


def test_energy_decides_where_it_is_metered(metered: StudyOutcome) -> None:
    """With a meter there are joules at every size, and claims are judged by them."""
    sizes = castellon2022().experiment.sizes_bytes
    assert [row["size_bytes"] for row in metered.data["energy"]["rows"]] == sizes
    why = {claim.id: claim.why for claim in metered.claims}
    assert why["consistent"].startswith("Judged by energy (simulated)")
    assert metered.missing == []


def test_every_part_is_there(metered: StudyOutcome) -> None:
    """The order alone comes first, each regime has tables, and figures of the paper say so."""
    named = {table.title: table for table in metered.tables}
    assert list(named)[:7] == [
        "The order alone, and E against O: the kernel alone (measured)",
        "The order alone, and E against O: through ctypes (measured)",
        "Through ctypes, one HMAC per event",
        "The kernel alone",
        "E against O: Energy, the kernel alone (simulated, net)",
        "Energy, the kernel alone (simulated, net)",
        "Messages in DRAM",
    ]
    savings = named["E against O: Energy, the kernel alone (simulated, net)"]
    assert savings.texts()[5][-1] == "10 to 12.7 % less"
    assert {row[3] for row in savings.texts()} == {row[5] for row in savings.texts()}
    assert all(chart.spec for chart in metered.charts)
    assert len(metered.charts) == 7
    assert len(metered.data["jumps"]) == 4 * len(castellon2022().experiment.sizes_bytes)
    tables = json.loads(metered.model_dump_json(include={"tables"}))["tables"]
    assert "O, by bytes (simulated)" in tables[5]["headings"]
    first = tables[2]
    assert "O / E, µJ (published)" in first["headings"]
    assert first["rows"][0][-1] == "9600 / 8380"
    assert first["rows"][-1][-1] == "17213 / 14866"
    saved = next(table for table in metered.tables if table.title.startswith("Everything"))
    assert {"portable", "castellon2022, headline (published)"} <= {row[1] for row in saved.texts()}


def test_the_page_stands_alone(metered: StudyOutcome) -> None:
    """Charts, claims and data are in the page, which loads nothing from elsewhere."""
    page = render_page(metered)
    for chart in metered.charts:
        assert f'id="chart-{chart.name}"' in page
    for claim in metered.claims:
        assert claim.verdict.value in page
        assert f"<td>{claim.ground.value}</td>" in page
    assert metered.counts in unescape(page)
    assert metered.counts in markdown(metered.sheet)
    assert sum(metered.verdicts.values()) == len(metered.claims)
    assert '<link rel="stylesheet' not in page
    assert "<script src" not in page
    assert 'id="results-gzip"' in page


def test_markdown_cannot_be_broken_by_a_cell(metered: StudyOutcome) -> None:
    """A bar or a line break in a cell stays in its cell."""
    table = text_table("t", ["a", "b"], [["x|y", "1\n2"]], caption="c")
    text = markdown(metered.model_copy(update={"tables": [table]}).sheet)
    assert text.endswith("| a | b |\n| --- | --- |\n| x\\|y | 1 2 |\n")


def test_the_command_writes_its_files_and_goes_on() -> None:
    """Exit code 0 whatever the verdicts; a second run takes the events from the file."""
    first = run("castellon2022", *LITTLE, "--output", "out", "--json")
    assert first.exit_code == 0, first.stderr
    outcome = json.loads(first.stdout)
    assert outcome["schema_version"] == 4
    assert {path.name for path in Path("out").iterdir()} == {
        "castellon2022.html", "castellon2022.json", "castellon2022.md",
        "castellon2022.tex", "castellon2022-ctypes.json",
    }  # fmt: skip
    assert json.loads(Path("out/castellon2022.json").read_text()) == outcome
    events = Path("out/castellon2022-ctypes.json").read_bytes()
    again = run("castellon2022", *LITTLE, "--output", "out")
    assert again.exit_code == 0, again.stderr
    assert "DOES NOT HOLD HERE" in again.stdout
    assert Path("out/castellon2022-ctypes.json").read_bytes() == events


def test_a_stopped_study_goes_on_with_its_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stopped in the harness, the command ends with 130, and the next one finishes the same run."""
    add = Store.add_samples
    taken: list[Any] = []

    def stop(self: Store, *arguments: Any) -> None:
        add(self, *arguments)
        taken.append(arguments)
        if len(taken) == 20:
            raise KeyboardInterrupt

    monkeypatch.setattr(Store, "add_samples", stop)
    stopped = run("castellon2022", *LITTLE, "--output", "out")
    assert stopped.exit_code == 130
    assert "the same command goes on" in stopped.stderr
    monkeypatch.setattr(Store, "add_samples", add)
    done = run("castellon2022", *LITTLE, "--output", "out")
    assert done.exit_code == 0, done.stderr
    with Store.open("joulemark.db", create=False) as store:
        assert len(store.runs()) == 1
        assert min(map(len, store.samples(1).values())) == 3


def test_a_full_disk_in_the_store_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    """The events are kept in their file, and acknowledged parts of the run are not lost."""

    def full(*_: Any) -> None:
        raise StoreError("joulemark.db: the disk is full; free some space")

    monkeypatch.setattr(Store, "add_samples", full)
    assert "disk is full" in refused("castellon2022", *LITTLE, "--output", "out")
    assert Path("out/castellon2022-ctypes.json").exists()


def test_a_full_disk_under_the_report_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    """The full disk is found before anything is measured."""

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(report.os, "fsync", full)
    assert "the disk is full" in refused("castellon2022", *LITTLE, "--output", "out")
    assert list(Path("out").iterdir()) == []


def test_a_missing_library_is_refused_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """The refusal comes before a store or a folder is made."""
    monkeypatch.setattr(library_module, "data_folder", lambda name: Path("nowhere") / name)
    assert "make setup" in refused("castellon2022", *LITTLE, "--output", "out")
    assert not Path("out").exists()
    assert not Path("joulemark.db").exists()


def test_a_tiny_machine_measures_the_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    """With too little memory the other parts are written, then one sentence and exit code 2."""

    def tiny(**_: Any) -> int:
        raise UnavailableError("half of the free memory is 3 MiB")

    monkeypatch.setattr(measurement, "buffer_bytes", tiny)
    assert "3 MiB" in refused("castellon2022", "--repetitions", "3", "--output", "out")
    outcome = json.loads(Path("out/castellon2022.json").read_text())
    judged = {claim["id"]: claim["verdict"] for claim in outcome["claims"]}
    assert judged["memory"] == "not tested"
    assert judged["function"] == "holds"


def test_a_meter_that_is_not_there_is_refused_after_the_times() -> None:
    """A meter that is missing gives exit code 2, and the times stand in the files."""
    line = refused(
        "castellon2022", *LITTLE, "--meter", "powercap", "--sysfs", ".", "--output", "out"
    )
    assert "the rest was done and stands" in line
    assert Path("out/castellon2022.html").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["westerman2010"], "there is castellon2022"),
        (["castellon2022", "--repetitions", "1"], "--repetitions 1"),
        (["castellon2022", "--meter", "crystal-ball"], "crystal-ball"),
        (["castellon2022", "--banks", "0"], "--banks 0"),
        (["castellon2022", "--banks", "4", "--index", "8"], "--index 8: give a number from 1 to 4"),
        (["castellon2022", "--output", "/proc/nowhere"], "--output"),
    ],
)
def test_what_makes_no_sense_is_refused(arguments: list[str], said: str) -> None:
    """One sentence names the wrong argument."""
    assert said in refused(*arguments)
