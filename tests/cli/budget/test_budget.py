# SPDX-License-Identifier: Apache-2.0
"""`joulemark budget`: the answer first, a view for each question, JSON, a chart, refusals."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from joulemark.catalogue import data_folder
from joulemark.cli.bench import USUAL_NODE, USUAL_PAYLOAD
from joulemark.cli.budget import NodeOptions, NodeTaskOptions
from joulemark.report.budget import ViewName

Run = Callable[..., Any]


def test_the_first_screen_answers(run: Run) -> None:
    """The first screen names the MAC, its energy, the battery, and values that are not certain."""
    done = run("budget", "tinysec_auth", "--node", "mica2")
    assert done.exit_code == 0, done.output
    lines = done.output.splitlines()
    assert lines[0].startswith("use cbc-mac-aes128/mcu8_avr: 45.8 µJ [")
    assert lines[1].endswith(
        "TinySec-Auth on MICA2 at 868 MHz: 24 bytes every 10 s, a tag of 32 bits"
    )
    assert "Two alkaline AA cells in series: 3.56 [" in done.output
    assert "not checked in their documents" in done.output
    assert "Core cycles: Our kernels, simavr 1.6" in done.output
    assert "Outside the standard chaskey-8/mcu8 would take 17 % less" in done.output


def test_the_screen_of_lorawan_has_what_a_battery_is_asked_for(run: Run) -> None:
    """Receive windows are a row, the shelf life is the answer, and a line says what is left out."""
    done = run("budget", "lorawan_1_0", "--node", "lora_sf7", "--payload", "8", "--every", "15min")
    assert done.exit_code == 0, done.output
    assert "  receive windows RX1, RX2  " in done.output
    assert "AA size: 20 years, its shelf life; its energy would last 38." in done.output
    assert done.output.count("Left out: ") == 1
    assert "95 % of cases" not in done.output
    assert "ns-3" not in run("budget", "lorawan_1_0", "--node", "lora_sf7", "--all").output


@pytest.mark.parametrize(
    ("protocol", "node"),
    [("lorawan_1_0", "lora_sf7"), ("tinysec_auth", "mica2"), ("ieee802154_mic", "telosb")],
)
def test_the_winner_is_the_first_row(run: Run, protocol: str, node: str) -> None:
    """MACs of the standard come first, the cheapest of them first of all; then all others."""
    done = run("budget", protocol, "--node", node)
    answer, _, _, first = done.output.splitlines()[:4]
    winner = answer.removeprefix("use ").partition(":")[0]
    assert first.split()[:2] == [winner, "yes"]
    found = json.loads(run("budget", protocol, "--node", node, "--json").stdout)
    assert found["ranking"][0]["implementation"] == winner == found["winner"]
    standard = [candidate["standard"] for candidate in found["ranking"]]
    assert standard == sorted(standard, reverse=True)


def test_a_payload_on_a_spike_is_said(run: Run) -> None:
    """At 24 bytes of LoRa the tag begins two groups of symbols, at 23 and 25 bytes one."""
    done = run("budget", "lorawan_1_0", "--node", "lora_sf7", "--payload", "24")
    assert "; a payload of 23 or 25 bytes costs half (" in done.output.splitlines()[0]
    assert "less with 23 bytes and as much with 25 bytes." in done.output
    assert "costs" not in run("budget", "tinysec_auth").output.splitlines()[0]


def test_a_tag_that_could_be_free_is_said(run: Run) -> None:
    """At 8 bytes of SF12 the tag begins a group of 164 ms; at 7 and 12 it fills one up."""
    answer = run("budget", "lorawan_1_0", "--node", "lora_sf12", "--payload", "8").output
    assert "a payload of 7 bytes costs next to nothing (4.1" in answer
    assert "a payload of 12 bytes costs next to nothing (6.0" in answer
    free = run("budget", "lorawan_1_0", "--node", "lora_sf12", "--payload", "12", "--json")
    assert json.loads(free.stdout)["cheaper_payloads"] == []


@pytest.mark.parametrize("view", ViewName)
def test_each_view_has_an_answer_and_a_table(run: Run, view: str) -> None:
    """Each view is chosen by its name alone, and prints an answer and a table."""
    done = run("budget", "ieee802154_mic", "--node", "nrf52840_802154", "--show", view)
    assert done.exit_code == 0, done.output
    answer, headings = done.output.splitlines()[1:3]
    assert len(answer) > 40
    assert headings.startswith("  ")


def test_an_algorithm_without_counts_is_said(run: Run) -> None:
    """Without core cycles the view has the bytes on the air; nothing counts what has no kernel."""
    done = run("budget", "macsec", "--node", "cc1350")
    assert done.exit_code == 0, done.output
    assert "no core cycles of gcm-aes128 on cortex-m3 are known" in done.output
    assert "(no kernel of firmware computes gcm-aes128)" in done.output
    assert "joulemark bench" not in done.output
    assert "core cycles not counted" in done.output


def test_counts_that_can_be_made_are_advised(run: Run, tmp_path: Path) -> None:
    """On a core that the catalogue has no counts of, the advice names packet and target."""
    text = (data_folder("catalogue") / "microcontrollers" / "stm32l053.toml").read_text("utf-8")
    chip = tmp_path / "mine.toml"
    chip.write_text(text.replace('"stm32l053"', '"mine"').replace('"cortex-m0plus"', '"mine"'))
    done = run("budget", "lorawan_1_0", "--node", "lora_sf7", "--microcontroller", "mine.toml")
    assert done.exit_code == 0, done.output
    assert "'joulemark bench --for lorawan_1_0 --payload 24 --target mcu:mine'" in done.output


def test_counts_are_for_the_usual_packet() -> None:
    """`bench --for` and `budget` mean the same packet and node if the user says no more."""
    assert (NodeOptions().node, NodeTaskOptions().payload) == (USUAL_NODE, USUAL_PAYLOAD)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--for", "lorawan_1_0", "--size", "3"], "leave out --size, or --for"),
        (["--payload", "3"], "--payload says more about the packet of --for PROTOCOL"),
        (["--node", "mica2"], "--node says more about the packet of --for PROTOCOL"),
        (["--for", "lorawan"], "unknown protocol 'lorawan'"),
        (["--for", "lorawan_1_0", "--node", "lora"], "unknown node 'lora'"),
        (["--for", "macsec"], "no kernel of firmware computes gcm-aes128"),
        (["--for", "sigfox", "--payload", "99"], "a payload of 99 bytes is longer than the 12"),
        (["--for", "lorawan_1_0", "--payload", "x"], "x is not a message size"),
    ],
)
def test_packets_that_cannot_be_counted(
    refused: Callable[..., str], arguments: list[str], says: str
) -> None:
    """`bench --for` refuses in one sentence what names no packet."""
    assert says in refused("bench", *arguments)


def test_every_value_is_listed_on_demand(run: Run) -> None:
    """`--all` lists each value with document and place; values read in documents stand apart."""
    done = run("budget", "tinysec_auth", "--all")
    assert "cc1000_868: send_current = 16.5 mA (Texas Instruments, CC1000 data sheet" in done.output
    assert "Read in their documents:" in done.output
    assert "atmega128l: active.usual.current = 8 mA (Crossbow" in done.output


def test_json_has_every_question(run: Run) -> None:
    """The JSON answers every question, and each figure has bounds."""
    done = run("budget", "lorawan_1_0", "--node", "lora_sf12", "--json", "--against", "lora_sf7")
    found = json.loads(done.stdout)
    assert found["winner"] == "cmac-aes128/mcu8"
    for key in ("battery", "staircase", "crossings", "tags", "exchange", "key_states", "ways"):
        assert found[key], key
    share = found["battery"]["share"]
    assert share["low"] <= share["value"] <= share["high"]
    assert [tag["free"] for tag in found["tags"] if tag["tag_bytes"] == 5] == [True]
    assert found["ways"][-1]["change"] == "node lora_sf7"
    assert {entry["state"] for entry in found["values"]} == {"read", "remembered"}


@pytest.mark.parametrize("ending", [".svg", ".html", ".json"])
def test_a_chart(run: Run, tmp_path: Path, ending: str) -> None:
    """A chart of each format has the names of the MACs in it."""
    path = tmp_path / f"chart{ending}"
    done = run("budget", "tinysec_auth", "--output", str(path))
    assert done.exit_code == 0, done.output
    assert "cbc-mac-aes128/mcu8_avr" in path.read_text("utf-8")


def test_without_a_protocol_all_are_listed(run: Run) -> None:
    """Without a protocol the command lists protocols, nodes and parts."""
    done = run("budget")
    for word in ("protocols:", "nodes:", "tinysec_auth", "lora_sf12", "cr2032"):
        assert word in done.output
    assert "TelosB" in json.loads(run("budget", "--json").stdout)["nodes"]["telosb"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["nothing"], "unknown protocol 'nothing'"),
        (["oscore", "--node", "mica"], "unknown node 'mica'; did you mean mica2 or mica2_433?"),
        (["oscore", "--show", "anser"], "there is no view 'anser'; did you mean answer?"),
        (["oscore", "--pair", "a"], "--pair takes two MACs"),
        (["oscore", "--show", "payloads", "--pair", "a,b"], "there is no staircase of 'a'"),
        (["oscore", "--payload", "1MiB"], "no packet has more than"),
        (["oscore", "--every", "soon"], "--every soon: give a length of time"),
        (["oscore", "--cpu-mode", "fast"], "atmega128l has no mode 'fast'"),
        (["tinysec_auth", "--payload", "30"], "payload_limit: a payload of 30 bytes is longer"),
        (["tinysec_auth", "--tag-bits", "64"], "has at most 32 bits"),
        (["tinysec_auth", "--output", "chart.gif"], "names no format"),
        (["mine.toml"], "mine.toml: No such file"),
        (["oscore", "--attempts", "inf"], "less than or equal to 1000000000000"),
        (["oscore", "--driver", "1" * 400, "--show", "engine"], "less than or equal to"),
        (["oscore", "--every", "1e300s"], "--every 1e300s: give a length of time"),
        (["oscore", "--received", "inf"], "less than or equal to 1000000"),
    ],
)
def test_refusals_are_one_sentence(run: Run, arguments: list[str], says: str) -> None:
    """Bad input gives one sentence and exit code 2, without a traceback."""
    done = run("budget", *arguments)
    assert done.exit_code == 2
    assert says in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
