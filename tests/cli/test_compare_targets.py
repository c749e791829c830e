# SPDX-License-Identifier: Apache-2.0
"""`joulemark compare-targets`: rows of every kind, missing ones with their command, refusals."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from joulemark.records.core_report import StoredCoreReport
from joulemark.store.repository import Store

NAME = "compare-targets"


def test_chips_and_the_command_of_a_core(run, tmp_path: Path) -> None:
    """Chips are in order of energy; a core without a report is named with its command."""
    shown = run(NAME, "siphash-2-4", "--targets", "mcu,gate,core", "--store", tmp_path / "x.db")
    assert shown.exit_code == 0, shown.output
    lines = shown.stdout.splitlines()
    chips = [line for line in lines if line.startswith("  mcu:")]
    assert len(chips) > 8
    assert "joulemark core report siphash --message 33 --target asic" in shown.stdout
    assert "gate:picorv32" in shown.stdout
    assert "--liberty FILE" in shown.stdout
    assert not (tmp_path / "x.db").exists()  # what only looks makes no store


def test_published_counts_are_named_with_their_source(run, tmp_path: Path) -> None:
    """The winner for CMAC rests on a paper's count, and the screen says which."""
    words = (NAME, "cmac-aes128", "--targets", "mcu", "--size", "33", "--store", tmp_path / "x.db")
    rows = json.loads(run(*words, "--json").stdout)["rows"]
    published = [row["target"] for row in rows if row["time_evidence"] == "published"]
    said = " ".join(run(*words).stdout.split())
    assert ("unless a line below says published" in said) == bool(published)
    named = f"{', '.join(published)}: core cycles published: Schwabe, Stoffelen"
    assert not published or named in said
    assert published, "the catalogue has published counts of AES on Cortex-M3 and M4"


def test_a_netlist_of_the_store_needs_no_library(run, tmp_path: Path) -> None:
    """The report of a bench is a row; only the other netlists ask for a library."""
    store = tmp_path / "x.db"
    report = StoredCoreReport(
        core="gate:serv", algorithm="siphash-2-4", configuration="siphash-2-4/mcu32",
        target="asic", parameters={}, digest="d", joulemark_version="1",
        figures={"energy_per_block_j": 2e-9, "clocks_per_block": 100, "leakage_w": 1e-6},
        evidence={"energy_per_block_j": "modelled"}, made_at="2026-01-02T03:04:05+00:00",
        settings={"workload": {"message_bytes": 33, "blocks_per_message": 5}, "clock_hz": 5e5,
                  "firmware": "siphash-2-4/mcu32", "memories_j": 4e-9},
    )  # fmt: skip
    with Store.open(str(store)) as opened:
        opened.add_core_report(report)
    shown = json.loads(
        run(NAME, "siphash-2-4", "--targets", "gate", "--store", store, "--json").stdout
    )
    (row,) = shown["rows"]
    assert (row["target"], row["implementation"]) == ("gate:serv", "siphash-2-4/mcu32")
    assert (row["core_cycles"], row["seconds"]["value"]) == (500, pytest.approx(1e-3))
    assert row["joules"]["value"] == pytest.approx(10e-9)
    assert row["memory_j"] == pytest.approx(4e-9)
    assert any("gate:ibex" in why and "gate:serv" not in why for why in shown["missing"])


def test_the_host_and_its_stated_power(run, tmp_path: Path) -> None:
    """The host is measured once and then read from the store; joules are time times power."""
    words = [NAME, "siphash-2-4", "--size", "16", "--targets", "host", "--modelled-power", "10"]
    first, second = (
        json.loads(run(*words, "--json", "--store", tmp_path / "x.db").stdout) for _ in range(2)
    )
    (row,) = first["rows"]
    assert row["time_evidence"] == "measured"
    assert row["energy_evidence"] == "modelled"
    assert row["joules"]["value"] == pytest.approx(10 * row["seconds"]["value"])
    assert second["rows"] == first["rows"]


def test_a_cold_run_is_no_time_of_the_host(run, tmp_path: Path) -> None:
    """A run with a cold cache and a fresh key each message is passed over, and time measured."""
    store = tmp_path / "x.db"
    cold = run(
        "bench", "siphash-2-4/portable", "--size", "64", "--cache", "cold", "--key", "fresh",
        "--quick", "--json", "--store", store,
    )  # fmt: skip
    (result,) = json.loads(cold.stdout)["results"]
    shown = run(
        NAME, "siphash-2-4", "--size", "64", "--targets", "host", "--json", "--store", store
    )
    (row,) = json.loads(shown.stdout)["rows"]
    assert row["seconds"]["value"] < result["seconds_per_message"]["median"] / 1.5
    assert json.loads(run("runs", "--json", "--store", store).stdout)["runs"][-1]["id"] == 2


def test_the_rate_decides_the_answer_and_the_order(run, tmp_path: Path) -> None:
    """With a message an hour the chip that sleeps at least power is first, not the quickest."""
    words = [NAME, "cmac-aes128", "--targets", "mcu", "--size", "16", "--store", tmp_path / "x.db"]
    by_message, by_rate = (
        json.loads(run(*words, "--json", *more).stdout)["rows"] for more in ([], ["--every", "1h"])
    )
    assert by_message[0]["target"] != by_rate[0]["target"]
    known = [row["joules_every_period"] for row in by_rate if row["joules_every_period"]]
    assert known == sorted(known)
    lead = run(*words, "--every", "1h").stdout.splitlines()[1]
    assert lead.startswith("Least energy with a message every 1 h:")
    assert lead.endswith(f"on {by_rate[0]['target']}.")


def test_a_length_that_no_count_tells_is_named(run, tmp_path: Path) -> None:
    """128 B of BLAKE2s were not counted, so the answer is not that of every length."""
    words = [NAME, "blake2s-mac", "--targets", "mcu", "--size", "8,64,128"]
    text = " ".join(run(*words, "--store", tmp_path / "x.db").stdout.split())
    assert "Least energy at 8 B to 64 B: mcu:" in text
    assert "Not shown: mcu at 128 B: no count of blake2s-mac tells" in text


def test_several_lengths_on_screen_page_and_chart(run, tmp_path: Path) -> None:
    """A column for each length in lines of 80; the answer names the target with least energy."""
    words = [NAME, "siphash-2-4", "--targets", "mcu", "--size", "8..1024,0"]
    shown = run(*words, "--every", "1s", "--output", tmp_path / "t.html")
    assert shown.exit_code == 0, shown.output
    lines = shown.stdout.splitlines()
    assert lines[1].startswith("Least energy with a message every 1 s at every length: mcu:")
    assert max(len(line) for line in lines if line.startswith("  ")) <= 80
    headings = [line.split() for line in lines if line.split()[:1] == ["target"]]
    assert " ".join(headings[0]) == "target 0 B 8 B 16 B 32 B 64 B 128 B"
    assert len(headings) == 4  # energy and energy at the rate, in two parts each
    page = (tmp_path / "t.html").read_text("utf-8")
    for title in ("Energy of a message", "Energy with a message every 1 s", "Time of a message"):
        assert f"<h2>{title}</h2>" in page
    assert 'id="chart-energy_by_length"' in page
    assert run(*words, "--output", tmp_path / "t.json").exit_code == 0
    chart = json.loads((tmp_path / "t.json").read_text("utf-8"))
    assert {row["message_bytes"] for row in chart["data"]["values"]} == {2**n for n in range(3, 11)}


@pytest.mark.parametrize(
    ("words", "says", "columns"),
    [
        (["--size", "33", "--every", "1us"],
         "No energy with a message every 1 µs, since a message takes longer: mcu:", False),
        (["--size", "0,16", "--every", "1s"],
         "every 1 s, since the power between messages is unknown: mcu:rp2040.", True),
        (["--size", "16,512", "--every", "2ms"], "mcu:atmega128l from 512 B on", True),
    ],
)  # fmt: skip
def test_a_target_without_energy_at_the_rate_is_named(
    words: list[str], says: str, columns: bool, run, tmp_path: Path
) -> None:
    """Chips that are too slow for the rate, or of unknown sleep, stand below with the reason."""
    shown = run(NAME, "cmac-aes128", "--targets", "mcu", *words, "--store", tmp_path / "x.db")
    assert shown.exit_code == 0, shown.output
    text = " ".join(shown.stdout.split())
    assert says in text
    assert ("Energy with a message every" in text) == columns


def test_a_chart_needs_two_lengths(refused: Callable[..., str], tmp_path: Path) -> None:
    """The sentence says which lengths to give."""
    said = refused(NAME, "siphash-2-4", "--targets", "mcu", "--output", tmp_path / "t.svg")
    assert "--size" in said


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["sha256"], "hmac-sha256"),
        (["siphash-2-4", "--targets", "fpga"], "host,mcu,gate,core"),
        (["siphash-2-4", "--size", "5000"], "4096"),
        (["siphash-2-4", "--clock", "1M"], "--liberty FILE"),
        (["siphash-2-4", "--glitches"], "--liberty FILE"),
        (["siphash-2-4", "--size", "1..4096"], "at most 12"),
        (["siphash-2-4", "--output", "t.pdf"], ".html, .svg, .png, .json"),
        (["siphash-2-4", "--every", "0s"], "--every"),
        (["kmac128", "--targets", "mcu"], "nothing is known of kmac128"),
        (["siphash-2-4", "--targets", "gate", "--liberty", "no.lib"], "no.lib"),
    ],
)
def test_refusals(words: list[str], says: str, refused: Callable[..., str], tmp_path: Path) -> None:
    """Each refusal names its reason and how to mend it."""
    assert says in refused(NAME, *words, "--store", tmp_path / "x.db")
