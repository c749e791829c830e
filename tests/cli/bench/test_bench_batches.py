# SPDX-License-Identifier: Apache-2.0
"""`joulemark bench --batch --key distinct --mix` as a user meets it, and commands on its runs."""

from __future__ import annotations

import csv
import json
import os
import subprocess
from pathlib import Path

import pytest

from forked_commands import run_joulemark

OWN = "siphash-2-4/portable"
COPY = f"{OWN}#2"
SHORT = ["--rounds", "4", "--window-ms", "0.2"]


def joulemark(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Runs a command in an empty folder, as a user would in 100 columns, where no name wraps."""
    return run_joulemark(*arguments, cwd=cwd, env={**os.environ, "COLUMNS": "100"}, text=True)


def said(*arguments: str, cwd: Path) -> str:
    """Returns the output of a command that must succeed."""
    done = joulemark(*arguments, cwd=cwd)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_batches_keys_and_mixes_are_workloads(tmp_path: Path) -> None:
    """Each combination that makes sense is a trial; CSV, compare and check tell them apart."""
    options = ["--size", "64", "--batch", "1,16", "--key", "kept,distinct", "--mix", "imix"]
    answer = json.loads(said("bench", OWN, COPY, *options, *SHORT, "--json", cwd=tmp_path))
    trials = {(result["mix"], result["batch"], result["key_setup"]) for result in answer["results"]}
    assert trials == {
        (mix, batch, key)
        for mix in ("", "imix")
        for batch, key in ((1, "kept"), (16, "kept"), (16, "distinct"))
    }
    for result in answer["results"]:
        assert result["size_bytes"] == (354 if result["mix"] else 64)
        per_byte = result["tsc_ticks_per_message"]["median"] / result["mean_bytes"]
        assert result["tsc_ticks_per_byte"]["median"] == pytest.approx(per_byte)
    rows = list(csv.DictReader(said("export", "--format", "csv", cwd=tmp_path).splitlines()))
    assert {(row["mix"], row["batch"], row["key_setup"]) for row in rows} == {
        (mix, str(batch), key) for mix, batch, key in trials
    }
    compared = said("compare", OWN, cwd=tmp_path)
    for words in ("distinct, batch of 16", "(batch of 16)", "IMIX"):
        assert words in compared
    found = json.loads(said("compare", OWN, "--json", cwd=tmp_path))
    assert {comparison["workload"]["mix"] for comparison in found["comparisons"]} == {"", "imix"}
    assert len(found["comparisons"]) == len(trials)


def test_tables_say_what_a_row_is(tmp_path: Path) -> None:
    """Words of the workload stand above the rows; a name says if a variant has no batch call."""
    options = ["--batch", "16", "--key", "distinct", "--mix", "imix", *SHORT]
    table = said("bench", OWN, *options, cwd=tmp_path)
    assert "distinct keys, batch of 16, IMIX" in " ".join(table.split())
    assert "mean 354 B" in table
    assert "portable, one by one" in table
    page = said("export", "--format", "markdown", cwd=tmp_path)
    assert "distinct keys, batch of 16, IMIX" in page


def test_a_run_with_mixes_can_be_a_baseline(tmp_path: Path) -> None:
    """An exported run with batches and mixes is read back with the same trials."""
    for _ in range(2):
        said("bench", OWN, "--size", "354", "--mix", "imix", "--batch", "4", *SHORT, "--fresh",
             cwd=tmp_path)  # fmt: skip
    (tmp_path / "old.json").write_text(said("export", "--run", "1", "--raw", cwd=tmp_path))
    done = joulemark("check", "--baseline", "old.json", "--json", cwd=tmp_path)
    found = json.loads(done.stdout)
    assert len(found["comparisons"]) == 2
    assert found["missing"] == found["added"] == []


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--batch", "0"], "numbers from 1 to 4096"),
        (["--batch", "4097"], "numbers from 1 to 4096"),
        (["--batch", "1,"], "numbers from 1 to 4096"),
        (["--batch", "x"], "numbers from 1 to 4096"),
        (["--mix", "imax"], "give imix, or uniform:LOW-HIGH"),
        (["--key", "distinct"], "needs a --batch above 1"),
        (["--mode", "latency", "--batch", "4"], "for single messages"),
    ],
)
def test_nonsense_is_refused(options: list[str], says: str, tmp_path: Path) -> None:
    """Bad options give one sentence and exit code 2; nothing is measured or stored."""
    done = joulemark("bench", OWN, *options, cwd=tmp_path)
    assert done.returncode == 2
    assert says in " ".join(done.stderr.split())
    assert not list(tmp_path.iterdir())


def test_hashes_have_no_batches(tmp_path: Path) -> None:
    """A study of hashes with batches has no trial, and the refusal says what batches are for."""
    done = joulemark("bench", "sha256/portable", "--batch", "4", cwd=tmp_path)
    assert done.returncode == 2
    assert "batches and mixes of lengths are for MACs" in " ".join(done.stderr.split())
