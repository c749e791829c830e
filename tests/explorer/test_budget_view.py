# SPDX-License-Identifier: Apache-2.0
"""The budget of a packet in the explorer: the figures of `joulemark budget`, by counts of a run."""

from __future__ import annotations

import base64
import csv
import gzip
import io
import json
import re
from pathlib import Path

import many_runs
import pytest
from serving import Served

from joulemark.budget import interval, nominal
from joulemark.budget.plan import USUAL, Question
from joulemark.budget.planner import Planner
from joulemark.explorer.estimates.holdings import Holdings
from joulemark.explorer.estimates.known import FirmwareRuns
from joulemark.explorer.publish import publish
from joulemark.store.repository import Store

QUERY = "protocol=tcp_ao&node=mica2&payload=31&every=20s&batch=2&received=1.5&tag_bits=40"


def rows_of(server: Served, query: str) -> list[dict[str, str]]:
    """The data of a budget."""
    return list(csv.DictReader(io.StringIO(server.ask(f"/budget.csv?{query}").text)))


def test_figures_are_those_of_the_planner(server: Served, holdings: Holdings) -> None:
    """The view shows the planner's MACs, energy and core cycles, at this payload and at others."""
    question = Question(payload_bytes=31, period_s=20, batch=2, received_per_sent=1.5, tag_bits=40)
    planner = Planner.of("tcp_ao", "mica2", question, store=holdings.store)
    found = rows_of(server, QUERY)
    asked = [row for row in found if row["asked_for"] == "True"]
    assert [
        (row["implementation"], float(row["joules"]), float(row["core_cycles"])) for row in asked
    ] == [
        (candidate.implementation, nominal(candidate.packet_j), nominal(candidate.cycles.number))
        for candidate in planner.budget.ranking
    ]
    assert {row["payload_bytes"] for row in asked} == {"62"}
    steps = {
        (row["implementation"], int(row["payload_bytes"])): row
        for row in found if row["asked_for"] == "False"
    }  # fmt: skip
    wanted = {staircase.implementation: staircase for staircase in planner.staircase}
    names = {name for name, _ in steps}
    assert names == {contender.implementation for contender in planner.budget.contenders}
    for name in names:
        for stair in wanted[name].stairs:
            bounds = interval(stair.packet_j)
            row = steps[name, stair.payload_bytes]
            assert [float(row[text]) for text in ("joules", "low", "high")] == [
                bounds.value, bounds.low, bounds.high,
            ]  # fmt: skip


def test_counts_come_from_the_run(server: Served, holdings: Holdings) -> None:
    """Counts of the store name their run, with a link to its page; other counts name a document."""
    rows = {row["implementation"]: row for row in rows_of(server, QUERY)[::-1]}
    assert rows["cmac-aes128/mcu8"]["run"] == "19"
    assert rows["cmac-aes128/mcu8"]["obtained_from"].startswith("run 19 of the store: simavr 1.6")
    assert {rows[name]["run"] for name in rows if name != "cmac-aes128/mcu8"} <= {"", "19"}
    assert {row["evidence"] for row in rows.values()} == {"modelled"}
    page = server.ask("/budget?protocol=tinysec_auth&node=mica2").text
    assert '<a href="/runs/19">run 19 of the store' in page
    assert "Not from this store" not in page
    # Header and payload are 29 bytes, two blocks.
    taken = [
        row for row in rows_of(server, "protocol=tinysec_auth&node=mica2")
        if row["asked_for"] == "True" and row["standard"] == "True"
    ]  # fmt: skip
    assert (taken[0]["implementation"], taken[0]["run"]) == ("cbc-mac-aes128/mcu8", "19")
    assert taken[0]["core_cycles"] == "6000.0"


def test_without_counts_the_page_says_so(server: Served) -> None:
    """Without firmware runs of a core the page has the catalogue's counts and the command."""
    page = server.ask("/budget?protocol=ieee802154_mic&node=telosb").text
    assert "Not from this store" in page
    assert "joulemark bench ALGORITHM --target mcu:msp430f1611" in page
    rows = rows_of(server, "protocol=ieee802154_mic&node=telosb")
    assert {row["run"] for row in rows} == {""}


def test_values_are_kept_in_the_form(server: Served) -> None:
    """Fields of the form have the values of the address, or else the usual values."""
    page = server.ask("/budget?payload=17&node=mica2").text
    assert '<input name="payload" value="17"' in page
    assert '<input name="every" value="10s"' in page
    assert '<option value="mica2" selected>' in page


def test_a_harvester_is_a_choice(server: Served, holdings: Holdings) -> None:
    """A named harvester has its table, of the planner's figures; without one there is none."""
    planner = Planner.of(
        "tinysec_auth", "mica2", USUAL, store=holdings.store, harvester="rfid_20uw"
    )
    page = server.ask("/budget?protocol=tinysec_auth&node=mica2&harvester=rfid_20uw").text
    table = page.replace("<wbr>", "").partition("Messages from the harvester")[2]
    table = table.partition("</table>")[0]
    assert '<option value="rfid_20uw" selected>' in page
    assert "20 uW" in table
    for row in planner.harvest[:3]:
        assert row.name in table
        assert f"{nominal(row.tags_per_s):.3g}" in table
    assert "Messages from the harvester" not in server.ask("/budget?node=mica2").text


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("protocol=../../../etc/passwd.toml", "has no protocol"),
        ("node=here.toml", "has no node"),
        ("radio=x", "has no radio"),
        ("microcontroller=x", "has no microcontroller"),
        ("battery=x", "has no battery"),
        ("harvester=x", "has no harvester"),
        ("payload=-1", "-1"),
        ("payload=9999999", "no packet has more than"),
        ("protocol=sigfox", "longer than the 12 bytes"),
        ("every=0", "length of time"),
        ("every=nan", "length of time"),
        ("batch=0", "from 1 to 1024"),
        ("batch=1e3", "whole number"),
        ("tag_bits=513", "from 0 to 512"),
        ("security_bits=x", "whole number"),
        ("received=nan", "from 0 to 1000000"),
        ("received=1_0", "from 0 to 1000000"),
        ("received=inf", "from 0 to 1000000"),
        ("any_algorithm=1", "the only value is yes"),
        ("node=mica2&node=telosb", "give one value"),
        ("protocol=tinysec_auth&tag_bits=64", "at most 32 bits"),
        ("protocol=tinysec_auth&every=0.0001s", "send less often"),
        ("protocol=%3Cscript%3E", "&lt;script&gt;"),
    ],
)
def test_questions_that_make_no_sense(server: Served, query: str, words: str) -> None:
    """Each question is refused in a sentence, as a page and as data; no file is looked for."""
    for path in ("/budget", "/budget.json"):
        reply = server.ask(f"{path}?{query}")
        assert (reply.status, words in reply.text) == (400, True), reply.text
        assert "<script>" not in reply.text.replace('<script src="', "")
        assert "Traceback" not in reply.text


def test_usual_packets_are_published(site: Path) -> None:
    """Packets whose standard has a counted MAC are published by node, with their data."""
    pages = {
        f"{path.stem}#{part}"
        for path in site.glob("budget/*.html")
        for part in re.findall(r'<article id="([^"]*)">', path.read_text())
    }
    assert {"mica2#tinysec_auth", "mica2_433#tcp_ao"} <= pages
    assert not any("telosb" in page or "ieee802154" in page for page in pages)
    packed = re.findall(r'id="data-gzip[^"]*">([^<]*)<', (site / "budget/mica2.html").read_text())
    for text in packed:
        files = json.loads(gzip.decompress(base64.b64decode(text)))
        assert {row["run"] for row in json.loads(files["json"])["rows"]} >= {19}
    assert 'href="budget.html"' in (site / "index.html").read_text()


def test_without_firmware_nothing_is_published(tmp_path: Path) -> None:
    """A store without counts has no page of budgets, and no link to it."""
    path = tmp_path / "runs.db"
    many_runs.fill(path, runs=1, samples=100, machines=1)
    publish(str(path), tmp_path / "site", lambda _: None)
    assert list((tmp_path / "site").glob("budget*")) == []
    assert "budget.html" not in (tmp_path / "site" / "index.html").read_text()


def test_runs_are_read_once(holdings: Holdings, monkeypatch: pytest.MonkeyPatch) -> None:
    """A later moment takes what an earlier one read; a run that changed is read again."""
    runs = [*holdings.known().runs.values()]
    first = FirmwareRuns(holdings.store, runs)
    assert [run.id for run in first.runs()] == [19]
    counts = first.firmware_counts(19)
    monkeypatch.setattr(Store, "firmware_counts", lambda *_: {})
    assert FirmwareRuns(holdings.store, runs, first.counts).firmware_counts(19) is counts
    assert FirmwareRuns(holdings.store, runs).firmware_counts(19) == {}
