# SPDX-License-Identifier: Apache-2.0
"""The views agree with the samples: figures, verdicts, changes, fronts."""

from __future__ import annotations

import csv
import io
import itertools
import json
import re
import sqlite3
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections import Counter
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import parse_qs, urlsplit

import many_runs
import pytest
from estimating import estimated
from serving import Served

from joulemark.analyse.assemble import result_set
from joulemark.analyse.compare import compare_runs
from joulemark.analyse.from_elsewhere import trusted_samples
from joulemark.catalogue import by_use
from joulemark.explorer.estimates import Estimate, Line, quantity_named
from joulemark.explorer.estimates.holdings import Holdings, estimate_run
from joulemark.explorer.estimates.kept import KeptEstimates, cache_file, keep_measured, key_of
from joulemark.explorer.render import feed_of
from joulemark.explorer.server import Answers
from joulemark.explorer.views import Page, targets
from joulemark.explorer.views.charts import pareto
from joulemark.explorer.views.parts import LINE_COLUMNS
from joulemark.explorer.views.routes import page_at
from joulemark.records.core_report import StoredCoreReport
from joulemark.report import Table
from joulemark.store.reading import open_for_reading

LINK = re.compile(r'(?:href|src|action)="([^"]*)"')


def page(holdings: Holdings, address: str) -> Page:
    """The page of an address as it stands in a link."""
    split = urlsplit(address)
    found = page_at(holdings, tuple(split.path.strip("/").split("/")), parse_qs(split.query))
    assert found is not None
    return found


def test_figures_are_those_of_the_run(holdings: Holdings) -> None:
    """Each row of a run's page is the estimate that `joulemark results` shows, number by number."""
    rows = page(holdings, "/runs/18/hmac-sha256").data
    wanted = result_set(holdings.store, 18).results
    assert len(rows) == len(wanted) == 10
    for row, result in zip(rows, wanted, strict=True):
        figure = result.seconds_per_message
        assert figure is not None
        assert row["implementation"] == result.implementation
        assert row["size_bytes"] == result.size_bytes
        shown = [row[name] for name in ("value", "low", "high", "samples", "evidence")]
        assert shown == [figure.median, figure.low, figure.high, figure.samples, "measured"]


def test_the_first_page_opens_on_the_most_measured(holdings: Holdings) -> None:
    """Overview, figures and targets begin with the algorithm that has most runs, not with A."""
    known = holdings.known()
    most = known.most_measured
    assert len(known.algorithms[most]) == max(map(len, known.algorithms.values()))
    first = page(holdings, "/")
    chart, fastest = first.chart, first.parts[2]
    assert chart is not None
    assert chart.title == f"{most}: time per message"
    assert isinstance(fastest, Table)
    assert fastest.title == "The fastest of each algorithm"
    assert [row[0].text for row in fastest.rows] == by_use(known.algorithms)
    assert {row["algorithm"] for row in page(holdings, "/figures").data} == {most}
    assert page(holdings, "/targets").title == f"{most} on all targets"


def test_no_page_waits_for_a_long_run_that_others_estimate(
    store_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While other processes work the page says so and loads itself again; else it estimates."""
    monkeypatch.setattr("joulemark.explorer.estimates.holdings._MOST_SAMPLES_AT_ONCE", 10)
    busy = [True]
    with (
        open_for_reading(str(store_path)) as store,
        closing(KeptEstimates(tmp_path / "kept.db")) as estimates,
    ):
        holdings = Holdings(store, estimates, lambda: busy[0])
        answers = Answers(holdings)
        assert b'http-equiv="refresh"' in answers.answer("/runs/18", "").body
        assert not holdings.ready()
        busy[0] = False
        assert b'http-equiv="refresh"' not in answers.answer("/runs/17", "").body
        assert holdings.ready() == {17}


def test_a_measured_run_is_kept_for_the_explorer(
    store_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What bench hands over is what the explorer would estimate itself, under the same key."""
    with open_for_reading(str(store_path)) as store:
        run = store.outlines([18])[0]
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
        keep_measured(str(store_path), 18, result_set(store, 18, histograms=True))
        with cache_file(store.location) as path, closing(KeptEstimates(path)) as estimates:
            assert estimates.keys() == {18: key_of(run)}
            kept = estimates.lines(["seconds_per_message"])
            estimate_run(store, estimates, run)
            assert estimates.lines(["seconds_per_message"]) == kept


def test_tables_as_latex(server: Served) -> None:
    """The tables of a page come as LaTeX, and the page offers them."""
    reply = server.ask("/runs/18/hmac-sha256.tex")
    assert reply.headers["content-type"].startswith("application/x-tex")
    assert reply.text.count(r"\begin{tabular}") == 1
    assert 'href="/runs/18/hmac-sha256.tex"' in server.ask("/runs/18/hmac-sha256").text


def test_quantity_of_the_address_is_shown(holdings: Holdings) -> None:
    """The quantity cycles shows cycles, in heading and data."""
    found = page(holdings, "/runs/18/hmac-sha256?quantity=core_cycles_per_byte")
    assert {row["unit"] for row in found.data} == {"core cycles"}
    table = next(block for block in found.parts if isinstance(block, Table))
    assert [(heading.text, heading.evidence) for heading in table.headings][2] == (
        "Core cycles per byte", "measured",
    )  # fmt: skip


def test_comparison_has_the_verdicts_of_compare(holdings: Holdings) -> None:
    """Each line has the verdict of `compare_runs` with its threshold."""
    rows = page(holdings, "/compare?before=12&after=18").data
    before, after = (trusted_samples(holdings.store, number) for number in (12, 18))
    wanted = compare_runs(before, after, threshold=0.05).comparisons
    assert [(row["implementation"], row["ratio"], row["verdict"]) for row in rows] == [
        (comparison.contender, comparison.ratio, str(comparison.verdict)) for comparison in wanted
    ]
    assert {row["verdict"] for row in rows if row["implementation"].endswith("portable")} == {
        "slower"
    }


def test_machines_are_compared_by_their_newest_runs(holdings: Holdings) -> None:
    """Newest runs of one algorithm are compared, and the page says that the machines differ."""
    first, second = holdings.known().machines
    found = page(holdings, f"/compare?before={first}&after={second}")
    numbers = {(row["before"], row["after"]) for row in found.data}
    assert len(numbers) == 1
    runs = [holdings.known().runs[number] for number in numbers.pop()]
    assert [holdings.known().machine_of[run.id] for run in runs] == [first, second]
    assert runs[0].algorithms == runs[1].algorithms
    assert any("different machines" in " ".join(getattr(block, "sentences", ()))
               for block in found.parts)  # fmt: skip


def test_history_has_the_changes_that_the_gate_flags(holdings: Holdings) -> None:
    """The portable code is slower in one run of each machine; the other code never is."""
    changes = [entry for entry in page(holdings, "/changes").data if entry["flagged"]]
    assert {(change["implementation"], change["run"], change["before"]) for change in changes} >= {
        ("hmac-sha256/portable", 18, 12), ("hmac-sha256/portable", 13, 7),
    }  # fmt: skip
    assert {change["implementation"] for change in changes if change["run"] == 18} == {
        "hmac-sha256/portable"
    }
    spec = next(iter([page(holdings, "/history?implementation=hmac-sha256/portable").chart]))
    assert spec is not None
    assert spec.spec is not None
    rows = spec.spec["data"]["values"]
    assert {row["run"] for row in rows if row["flagged"]} == {"18", "13"}
    steady = page(holdings, "/history?implementation=hmac-sha256/shani").chart
    assert steady is not None
    assert steady.spec is not None
    assert not any(row["flagged"] for row in steady.spec["data"]["values"])


def test_a_copied_older_run_is_older(tmp_path: Path) -> None:
    """Changes, history, list and feed follow the begin of runs: run 7 of seven was copied in."""
    path = tmp_path / "runs.db"
    many_runs.fill(path, runs=7, samples=50, machines=1, slower_from=7)
    with closing(sqlite3.connect(path)) as store, store:
        store.execute("UPDATE run SET started_at = '2025-12-31 00:00:00.000000' WHERE id = 7")
    with estimated(str(path), tmp_path / "kept.db") as holdings:
        known = holdings.known()
        assert [run.id for run in known.newest_first()] == [6, 5, 4, 3, 2, 1, 7]
        assert list(known.before(known.runs[1])) == [7]
        assert not known.before(known.runs[7])
        found = page(holdings, "/changes").data
        assert {(change["run"], change["before"], change["verdict"]) for change in found} == {
            (1, 7, "faster")
        }
        history = page(holdings, "/history?implementation=hmac-sha1/portable&length=64")
        assert [row["run"] for row in history.data] == [7, 1, 4]
        assert not ET.fromstring(feed_of(holdings, lambda _: None)).findall("{*}entry")


def test_the_newest_changes_are_of_the_newest_runs(tmp_path: Path) -> None:
    """A limited list of changes has those of the run begun last, flagged and slowest first."""
    path = tmp_path / "runs.db"
    many_runs.fill(path, runs=5, samples=50, machines=1, slower_from=4)
    with closing(sqlite3.connect(path)) as store, store:
        store.execute("UPDATE run SET started_at = '2026-02-01 00:00:00.000000' WHERE id = 4")
    with estimated(str(path), tmp_path / "kept.db") as holdings:
        every = holdings.changes()
        assert {change.run for change in every} == {4, 5}
        assert [change.run for change in every] == sorted(change.run for change in every)
        assert holdings.changes(most=2) == every[:2]


@pytest.mark.parametrize(
    ("points", "best"),
    [
        ([(1, 3), (2, 2), (3, 1), (3, 3)], [True, True, True, False]),
        ([(1, 1), (1, 1), (1, 2), (2, 1)], [True, True, False, False]),
        ([], []),
    ],
)
def test_pareto_front(points: list[tuple[float, float]], best: list[bool]) -> None:
    """A point is on the front if no other is better in both figures; equal points share it."""
    assert pareto(points) == best
    for one, other in itertools.product(range(len(points)), repeat=2):
        beats = points[other] != points[one] and all(
            a <= b for a, b in zip(points[other], points[one], strict=True)
        )
        assert not (beats and best[one])


def test_cores_have_their_front(holdings: Holdings) -> None:
    """Every point of the store, with the words of both figures; some are on the front."""
    rows = page(holdings, "/cores").data
    assert len(rows) == 12
    assert {(row["x_evidence"], row["y_evidence"]) for row in rows} == {("modelled", "modelled")}
    assert 1 < sum(row["on_the_front"] for row in rows) < 12


def test_targets_share_an_axis_where_the_unit_allows(holdings: Holdings) -> None:
    """Energy per byte of cores is there though no host was metered, with its evidence."""
    rows = page(holdings, "/targets?algorithm=sha256&quantity=joules_per_byte").data
    assert {row["target"] for row in rows} == {"asic"}
    assert {row["evidence"] for row in rows} == {"modelled"}
    assert {row["target"] for row in page(holdings, "/targets?algorithm=hmac-sha1").data} == {
        "host"
    }


def test_a_figure_of_a_core_names_its_clock_and_length() -> None:
    """848 clocks at 70.5 MHz are 12 us; the slow clock stands beside the energy alone."""
    core = StoredCoreReport(
        core="mac", algorithm="hmac-sha1", target="asic", parameters={}, device="cells",
        figures={"fmax_hz": 70.5e6}, evidence={"fmax_hz": "modelled"},
        settings={"clock_hz": 5e5, "voltage_v": 1.2}, digest="d", joulemark_version="1",
        made_at="2026-01-02T03:04:05+00:00",
    )  # fmt: skip
    clocks = {"clocks_per_message": Estimate(848.0, 848.0, 848.0, "simulated", 1)}
    line = Line(1, "hmac-sha1", "hmac-sha1/core_mac", "core_mac", "joulemark", "rtl:verilator",
                64, "64 B", "throughput", (), (), clocks)  # fmt: skip
    held = SimpleNamespace(cores=lambda: [core])
    # The energy of a byte is that of the length of the page: three blocks of 13 nJ over 64 bytes.
    core.figures.update(energy_per_byte_j=13e-9 / 64, energy_per_block_j=13e-9)
    core.settings["workload"] = {"message_bytes": 29, "blocks_per_message": 2}
    [energy] = targets._energies(held, "hmac-sha1", quantity_named("joules_per_byte"), 64)
    assert (energy["value"], energy["size_bytes"]) == (pytest.approx(3 * 13e-9 / 64), 64)
    assert energy["where"] == "asic, cells, 500 kHz, 1.2 V"
    [row] = targets._times_of_core(held, line, quantity_named(None))
    assert row["where"] == "asic, cells, 70.5 MHz, 1.2 V"
    assert row["value"] == pytest.approx(848 / 70.5e6)
    assert row["basis"] == "848 simulated clocks at the highest clock of a report"


def test_firmware_on_a_netlist_stands_beside_cores() -> None:
    """It has the target's name, and joules at the length of its report alone."""
    ran = StoredCoreReport(
        core="gate:serv", algorithm="hmac-sha1", configuration="hmac-sha1/mcu32", target="asic",
        parameters={}, figures={"energy_per_block_j": 100e-9, "energy_per_byte_j": 200e-9 / 29},
        evidence={"energy_per_byte_j": "modelled"}, digest="d", joulemark_version="1",
        settings={"workload": {"message_bytes": 29, "blocks_per_message": 2},
                  "firmware": "hmac-sha1/mcu32"},
        made_at="2026-01-02T03:04:05+00:00",
    )  # fmt: skip
    held = SimpleNamespace(cores=lambda: [ran])
    [row] = targets._energies(held, "hmac-sha1", quantity_named("joules_per_byte"), 29)
    assert (row["implementation"], row["target"]) == ("hmac-sha1/mcu32", "gate:serv")
    assert row["value"] == pytest.approx(200e-9 / 29)
    assert targets._energies(held, "hmac-sha1", quantity_named("joules_per_byte"), 64) == []


def test_picks_are_what_is_shown(holdings: Holdings) -> None:
    """Chosen algorithms, implementations, lengths, machines and runs narrow the rows."""
    machine = next(iter(holdings.known().machines))
    query = f"algorithm=hmac-sha256&implementation=hmac-sha256/shani&length=64&machine={machine}"
    rows = page(holdings, f"/figures?{query}").data
    assert [(row["implementation"], row["size_bytes"], row["machine"]) for row in rows] == [
        ("hmac-sha256/shani", 64, machine)
    ]
    assert {row["run"] for row in page(holdings, "/figures?algorithm=hmac-sha256&run=1&run=7").data
            } == {1, 7}  # fmt: skip


def test_the_how_to_has_the_columns(repository: Path) -> None:
    """The how-to lists the columns of the CSV of figures, in order."""
    page = (repository / "docs/how-to/explore-results.md").read_text("utf-8")
    assert f"\n{','.join(LINE_COLUMNS)}\n" in page


def test_data_read_back(server: Served) -> None:
    """CSV and JSON of a view have the same rows."""
    rows = list(csv.DictReader(io.StringIO(server.ask("/runs/18/hmac-sha256.csv").text)))
    found: dict[str, Any] = json.loads(server.ask("/runs/18/hmac-sha256.json").body)
    assert [row["value"] for row in rows] == [str(row["value"]) for row in found["rows"]]
    assert len(rows) == 10
    kept = server.ask("/runs/18/hmac-sha256.csv").headers["content-disposition"]
    assert kept == 'attachment; filename="joulemark-runs-18-hmac-sha256.csv"'


def test_pictures(server: Served) -> None:
    """The chart comes as SVG and PNG; a view without a chart has no picture."""
    assert server.ask("/runs/18/hmac-sha256.svg").text.startswith("<svg")
    assert server.ask("/cores.png").body.startswith(b"\x89PNG")
    assert server.ask("/machines.svg").status == 404


def kind_of(path: str) -> str:
    """The first word of an address, which names the view."""
    return path.split("?", maxsplit=1)[0].split("/")[1].partition(".")[0]


@pytest.mark.parametrize("of_each", [8, pytest.param(1000, marks=pytest.mark.exhaustive)])
def test_every_link_leads_somewhere(server: Served, of_each: int) -> None:
    """Each link of a page is answered, and each link behind it, up to a number of each view."""
    ahead, seen, visits = ["/"], set[str](), Counter[str]()
    while ahead:
        path = ahead.pop()
        if path in seen or path.endswith((".svg", ".png")) or visits[kind_of(path)] == of_each:
            continue
        seen.add(path)
        visits[kind_of(path)] += 1
        reply = server.ask(path)
        assert reply.status == 200, path
        if "text/html" in reply.headers["content-type"]:
            found = (text.replace("&amp;", "&") for text in LINK.findall(reply.text))
            ahead += [entry for entry in found if entry.startswith("/")]
    assert visits.keys() >= {"machines", "runs", "algorithms", "figures", "compare", "history",
                             "targets", "cores", "budget", "changes", "assets"}  # fmt: skip


@pytest.mark.parametrize(
    ("path", "status", "words"),
    [
        ("/runs/999", 404, "no such page"),
        ("/runs/x", 400, "whole number"),
        ("/runs/18/nothing", 404, "no such page"),
        ("/runs?page=0", 400, "from 1 to"),
        ("/figures?quantity=speed", 400, "none of that name"),
        ("/figures?length=-1", 400, "-1"),
        ("/compare?before=1&after=2", 400, "share no trial"),
        ("/compare?before=1&after=99", 400, "no run 99"),
        ("/compare?before=18&after=18", 400, "compared with itself"),
        ("/history?implementation=x/y", 400, "no run in the store has it"),
        ("/cores?x=weight", 400, "no such figure"),
        ("/history?implementation=a&implementation=b", 400, "give one value"),
        ("/" + "a" * 300, 404, "no such page"),
        ("/%00/%ff", 404, "no such page"),
        ("/../../etc/passwd", 404, "no such page"),
        ("/assets/../answers.py", 404, "no such"),
    ],
)
def test_addresses_that_make_no_sense(server: Served, path: str, status: int, words: str) -> None:
    """Each address is refused in a sentence, as a page."""
    reply = server.ask(path)
    assert (reply.status, words in reply.text) == (status, True), reply.text
    assert "Traceback" not in reply.text


def test_the_server_loads_nothing_that_draws_in_a_terminal():
    """Views read tables as data: rich and typer are for the command line alone."""
    code = (
        "import sys, joulemark.explorer.views.routes; "
        "print(sorted({'rich', 'typer'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
