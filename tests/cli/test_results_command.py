# SPDX-License-Identifier: Apache-2.0
"""`joulemark results`, and the last screen of `bench`."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fake_store import OPENSSL, PORTABLE, SHANI, store_with

from joulemark.analyse.assemble import result_set
from joulemark.cli import measuring
from joulemark.cli.results import command_for_all, page_line
from joulemark.measure.run_plan import RunOutcome
from joulemark.store.repository import Store

Run = Callable[..., Any]
NAMES = (PORTABLE, SHANI, OPENSSL)
SIZES = (16, 32, 64, 128, 256, 512, 1024)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A store with a run of 21 results and a run of two."""
    small = {"names": NAMES[:2], "sizes": (64,)}
    return store_with(tmp_path / "joulemark.db", {"names": NAMES, "sizes": SIZES}, small)


@pytest.mark.parametrize(
    "command",
    [("export", "--format", "csv", "--output"), ("report", "--output")],
)
def test_no_output_replaces_a_store(run: Run, store: Path, command: tuple[str, ...]) -> None:
    """A store that is named as the output is left as it was, and the sentence says why."""
    before = store.read_bytes()
    refused = run(*command, store)
    assert refused.exit_code == 2, refused.output
    assert "holds a store of runs and is not replaced" in " ".join(refused.output.split())
    assert store.read_bytes() == before


@pytest.mark.parametrize("option", ["--junit", "--bencher", "--action-json"])
def test_no_form_of_a_check_replaces_its_input(
    run: Run, store: Path, tmp_path: Path, option: str
) -> None:
    """Neither the store nor the file of limits is written over, not even by the refusal."""
    limits = tmp_path / "limits.toml"
    limits.write_text('[[limit]]\nthreshold = "5%"\n')
    for file in (store, limits):
        before = file.read_bytes()
        refused = run("check", "--baseline", 1, "--run", 2, "--thresholds", limits, option, file)
        assert refused.exit_code == 2, refused.output
        assert "the check reads this file" in " ".join(refused.output.split())
        assert file.read_bytes() == before


@pytest.mark.usefixtures("store")
def test_a_long_run_is_a_screen(run: Run) -> None:
    """Each length has our fastest and OpenSSL's; the last line is a command that works."""
    shown = run("results", 1)
    assert shown.exit_code == 0, shown.output
    lines = shown.stdout.splitlines()
    score = "Ours against openssl: faster in 7, slower in 0, not told apart in 0"
    assert any(line.startswith(score) for line in lines)
    heading = next(at for at, line in enumerate(lines) if line.startswith("hmac-sha256, ns"))
    assert [line.split()[0] for line in lines[heading + 1 : heading + 8]] == [
        "16", "32", "64", "128", "256", "512", "1",
    ]  # fmt: skip
    assert "portable" not in shown.stdout
    command = lines[-1].partition(": joulemark ")[2].split()
    assert command == ["results", "1", "--all"]
    everything = run(*command)
    assert everything.exit_code == 0, everything.output
    assert everything.stdout.count(" portable ") == len(SIZES)


@pytest.mark.usefixtures("store")
def test_a_short_run_is_its_table(run: Run) -> None:
    """Without a number the latest run is shown; a short run is a table."""
    shown = run("results")
    assert shown.exit_code == 0, shown.output
    assert "times" in shown.stdout
    assert shown.stdout.count(" portable ") == 1
    assert "fastest library" not in shown.stdout


@pytest.mark.usefixtures("store")
@pytest.mark.parametrize("arguments", [("results", "1"), ("results", "1", "--all")])
def test_nothing_is_padded(run: Run, arguments: tuple[str, ...]) -> None:
    """Lines in a file or a pipe have no blanks at the end."""
    lines = run(*arguments).stdout.splitlines()
    assert len(lines) > 10
    assert [line for line in lines if line != line.rstrip()] == []


@pytest.mark.usefixtures("store")
def test_a_locale_without_signs(command: Callable[..., Any], tmp_path: Path) -> None:
    """Lines of tables are drawn in ASCII, and other signs are written by their codes."""
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = command("results", "1", "--all", cwd=tmp_path, env={**os.environ, **plain})
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.isascii()
    assert b"-----" in done.stdout
    assert rb"\xd7" in done.stdout


def test_bench_ends_with_the_screen(run: Run, store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`bench` ends with the screen of `results`; --all prints long tables, --csv the rows."""
    with Store.open(store) as found:
        results = result_set(found, 1)
    measured = results, RunOutcome(1, resumed=False, visits=0, failures=[]), []
    monkeypatch.setattr(measuring, "measure", lambda _request: measured)
    screen = run("bench", "hmac-sha256")
    assert screen.stdout == run("results", 1).stdout
    assert run("bench", "hmac-sha256", "--all").stdout == run("results", 1, "--all").stdout
    assert run("bench", "hmac-sha256", "--csv").stdout.count(OPENSSL) == len(SIZES)
    passing = run("bench", "hmac-sha256", "--no-store").stdout
    assert passing.splitlines()[-1].endswith("the same command with --all")


def test_a_run_that_is_not_there(refused: Callable[..., str], store: Path) -> None:
    """A missing run is refused by number; the command for all names a store in another place."""
    assert "there is no run 99" in refused("results", "99")
    assert command_for_all(3, "joulemark.db") == "joulemark results 3 --all"
    assert command_for_all(3, "my lab.db") == "joulemark results 3 --all --store 'my lab.db'"
    assert store.exists()


def test_the_page_has_an_address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page is named by the user's path and by its address for a browser."""
    monkeypatch.chdir(tmp_path)
    assert page_line(Path("my page.html")) == (
        f"report: my page.html ({tmp_path.as_uri()}/my%20page.html)"
    )
