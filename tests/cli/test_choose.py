# SPDX-License-Identifier: Apache-2.0
"""`joulemark choose`: the answer first, then the ranking, the reasons and the next command."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fake_store import (
    ENVIRONMENT,
    MANY_OF_YOURS,
    NANOSECONDS,
    OPENSSL,
    PORTABLE,
    SHANI,
    TWIN,
    YOURS,
    add_run,
    store_with,
)

from joulemark.cli import choose
from joulemark.environment import capture
from joulemark.environment.facts import IDENTITY_KEYS
from joulemark.store.repository import Store

Run = Callable[..., Any]
NAMES = (PORTABLE, SHANI, TWIN)


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    """This machine is the one of the made-up runs."""

    class Model:
        def as_dict(self) -> dict[str, Any]:
            return dict(ENVIRONMENT)

    monkeypatch.setattr(choose, "capture", Model)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A run of three implementations at 64 bytes and 1 KiB."""
    return store_with(tmp_path / "joulemark.db", {"names": NAMES})


def test_the_answer_stands_first(run: Run, store: Path) -> None:
    """The first lines have the implementation, its cost, and the line of code that calls it."""
    shown = run("choose", "--size", "64", "--store", store)
    assert shown.exit_code == 0, shown.output
    lines = shown.stdout.splitlines()
    assert lines[0].startswith("use hmac-sha256/shani: 13")
    assert lines[1] == "  for messages of 64 B, status current"
    assert 'jm_mac_tag(jm_mac_find_variant("hmac-sha256", "shani"), key, message' in shown.stdout
    assert "poly1305" in next(line for line in lines if "for one message alone" in line)
    assert lines[lines.index("To measure them:") + 1].startswith("  joulemark bench ")


def test_all_ways_are_one_option_away(run: Run, store: Path) -> None:
    """The screen has the best of each algorithm, and `--all` shows every implementation."""
    assert "portable" not in run("choose", "--size", "64", "--store", store).stdout
    assert "portable" in run("choose", "--size", "64", "--store", store, "--all").stdout


def test_own_code_is_the_first_row(run: Run, tmp_path: Path) -> None:
    """The user's code stands first, though it is not the cheapest, and is compared with that."""
    place = store_with(tmp_path / "other.db", {"names": (PORTABLE, SHANI, YOURS)})
    shown = run("choose", "--size", "64", "--store", place).stdout
    assert f"use {SHANI}: 13" in shown
    rows = [line.split()[1] for line in shown.splitlines() if line.startswith("hmac-sha256 ")]
    assert rows == ["yours", "shani"]
    own = next(line for line in shown.splitlines() if " yours " in line)
    assert " 5.38\N{MULTIPLICATION SIGN} " in own
    every = run("choose", "--size", "64", "--store", place, "--all").stdout
    rows = [line.split()[1] for line in every.splitlines() if line.startswith("hmac-sha256 ")]
    assert rows == ["yours", "shani", "portable"]


def test_much_code_of_yours_does_not_hide_the_winner(run: Run, tmp_path: Path) -> None:
    """The three cheapest of the user's come before the winner, the others with `--all`."""
    place = store_with(tmp_path / "other.db", {"names": (SHANI, *MANY_OF_YOURS)})

    def variants(*more: str) -> list[str]:
        lines = run("choose", "--size", "64", "--store", place, *more).stdout.splitlines()
        return [line.split()[1] for line in lines if line.startswith("hmac-sha256 ")]

    assert variants() == ["yours1", "yours2", "yours3", "shani"]
    assert variants("--all") == [*(f"yours{number}" for number in range(1, 6)), "shani"]


def test_a_library_is_called_as_its_provider_says(run: Run, tmp_path: Path) -> None:
    """For a library the screen names the command that shows how to call it."""
    place = store_with(tmp_path / "other.db", {"names": (PORTABLE, OPENSSL)})
    shown = run("choose", "--size", "64", "--store", place)
    assert f"use {OPENSSL}: " in shown.stdout
    assert f"openssl  see joulemark show {OPENSSL}" in shown.stdout


def test_a_nonce_is_in_the_line_of_code(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A MAC with nonces is called from Python, since the C library offers none."""
    name = "gmac-aes128/portable"
    monkeypatch.setitem(NANOSECONDS, name, 30.0)
    place = store_with(tmp_path / "other.db", {"names": (name,)})
    shown = run("choose", "--size", "64", "--store", place)
    assert 'joulemark.mac.Key("gmac-aes128", secret).tag(message, nonce=nonce)' in shown.stdout
    assert "jm_mac" not in shown.stdout


def test_json_has_the_whole_ranking(run: Run, store: Path) -> None:
    """The JSON has requirements, figures with intervals, and reasons of excluded algorithms."""
    said = json.loads(run("choose", "--size", "64", "--json", "--store", store).stdout)
    assert said["requirements"]["size_bytes"] == 64
    assert [entry["implementation"] for entry in said["ranking"]] == [SHANI, PORTABLE]
    assert said["ranking"][0]["seconds_per_message"]["low"] < 140e-9
    (legacy,) = [entry for entry in said["fallen_out"] if entry["reason"] == "status legacy"]
    assert {"hmac-md5", "hmac-sha1"} <= set(legacy["algorithms"])
    assert "C" in said["call"]


def test_a_load_is_a_part_of_a_core(run: Run, store: Path) -> None:
    """With a rate the answer says cores, power and price, and what each of them rests on."""
    words = ("--rate", "1M", "--watts-per-core", "15", "--core-hour", "0.04", "--store", store)
    shown = run("choose", "--size", "64", *words).stdout
    assert "1 000 000 messages a second: 0.13" in shown
    assert "of a core per million" in shown
    assert " W modelled; 0.1" in shown
    assert " a day modelled\n" in shown
    assert "power: modelled from 15 W more for a core that works, as stated" in shown
    assert "a day: modelled from a price of 0.04 for a core and an hour, as stated" in shown
    said = json.loads(run("choose", "--size", "64", *words, "--json").stdout)
    first = said["load"]["costs"][0]
    seconds = said["ranking"][0]["seconds_per_message"]["median"]
    assert first["cores"]["median"] == pytest.approx(1e6 * seconds)
    assert first["watts"]["evidence"] == "modelled"
    assert len(said["load"]["costs"]) == len(said["ranking"])


def test_strength_and_approval_are_requirements(run: Run, store: Path) -> None:
    """Algorithms that claim too little, or that NIST does not approve, fall out with the reason."""
    words = ("--size", "64", "--security-bits", "128", "--approved", "nist", "--store", store)
    reasons = {
        reason: entry["algorithms"]
        for entry in json.loads(run("choose", *words, "--json").stdout)["fallen_out"]
        for reason in [entry["reason"]]
    }
    assert "siphash-2-4" in reasons["claims 64 bits of security"]
    assert "blake3-keyed" in reasons["not approved by NIST"]
    assert "Approved by NIST" in run("show", "cmac-aes128").stdout
    assert "Approved by NIST" not in run("show", "chaskey-12").stdout


@pytest.mark.parametrize(("words", "says"), [
    (("--size", "64", "--rate", "0"), "give messages a second from 1 to 1G"),
    (("--size", "64", "--core-hour", "1"), "--core-hour is of a load; give --rate too"),
    (("--size", "64", "--rate", "1k", "--watts-per-core", "nan"), "give a number above 0"),
    (("--size", "65"), "no time of a MAC that would do was measured here at 65 B; measure with 'j"),
    (("--size", "64", "--by", "energy"), "no energy of a MAC that would do was measured here"),
    (("--size", "64", "--tag-bits", "4000"), "no MAC of the catalogue does all of this"),
    (("--size", "sixty"), "sixty is not a message size"),
    (("--size", "64", "--sessions", "0"), "--sessions"),
])  # fmt: skip
def test_no_answer_is_a_sentence(run: Run, store: Path, words: tuple[str, ...], says: str) -> None:
    """A question without an answer is refused in a sentence with the reason or a command."""
    refused = run("choose", *words, "--store", store)
    assert refused.exit_code == 2
    assert says in " ".join(refused.stderr.split())


def test_runs_of_other_machines_are_not_asked(run: Run, store: Path) -> None:
    """Runs of another CPU do not count: their figures say nothing of this machine."""
    with Store.open(store, create=False) as found:
        faster = {SHANI: 0.5}
        add_run(found, names=NAMES, slower=faster, environment={"cpu_model": "Model A"})
    shown = run("choose", "--size", "64", "--store", store)
    assert shown.stdout.splitlines()[0].startswith("use hmac-sha256/shani: 13")


def test_sessions_without_batches_get_the_command(run: Run, store: Path) -> None:
    """The command fits the batch to the sessions and has a key for each message."""
    shown = run("choose", "--size", "64", "--sessions", "100", "--store", store)
    assert "--size 64 --batch 64 --key distinct" in shown.stdout


def test_the_real_machine_has_the_facts() -> None:
    """The facts that are compared are among those that a run keeps."""
    assert set(IDENTITY_KEYS) <= set(capture().as_dict())
