# SPDX-License-Identifier: Apache-2.0
"""`joulemark compare --runs` of firmware: counts are exact, and compared exactly."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from fake_store import PORTABLE, SHANI, add_run
from typer.testing import Result

from joulemark.records.sample import FirmwareCount
from joulemark.records.trial import Trial, Workload
from joulemark.store.repository import Store

Run = Callable[..., Result]
COUNT = FirmwareCount(
    core_cycles=1000, instructions=600, key_core_cycles=None, code_bytes=1500, constant_bytes=0,
    static_ram_bytes=0, state_bytes=None, stack_bytes=20, evidence="simulated",
    compiler="avr-gcc 5.4.0", flags="-O2", simulator="simavr 1.6",
)  # fmt: skip
SHORT, LONG, OTHER = (
    Trial(name, Workload(size), "mcu:atmega128")
    for name, size in ((PORTABLE, 16), (PORTABLE, 64), (SHANI, 16))
)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A store with two runs of firmware: a trial is equal, another has more, a third fewer."""
    path = tmp_path / "nodes.db"
    after = {
        SHORT: COUNT,
        LONG: replace(COUNT, core_cycles=1030, instructions=610, code_bytes=1490),
        OTHER: replace(COUNT, core_cycles=900, compiler="avr-gcc 7.3.0"),
    }
    with Store.open(path) as found:
        for cpu_model, changed in (("Model T", {}), ("Model U", after)):
            run_id = add_run(found, sizes=(), environment={"cpu_model": cpu_model})
            for trial in (SHORT, LONG, OTHER):
                found.add_firmware_count(run_id, trial, changed.get(trial, COUNT))
    return path


def test_counts_stand_side_by_side(run: Run, store: Path) -> None:
    """Equal, more and fewer, with core cycles, instructions and code, and the tools that differ."""
    lines = run("compare", "--runs", "1", "2", "--store", store).stdout.splitlines()
    found = {tuple(line.split()[:3]): " ".join(line.split()) for line in lines}
    equal, more, fewer = (
        found[name, "mcu:atmega128", size]
        for name, size in ((PORTABLE, "16"), (PORTABLE, "64"), (SHANI, "16"))
    )
    assert equal.endswith("equal 1000 1.0000 600 1500")
    assert more.endswith("more core cycles 1000 -> 1030 1.0300 600 -> 610 1500 -> 1490")
    assert fewer.endswith("fewer core cycles 1000 -> 900 0.9000 600 1500")
    said = "\n".join(lines)
    assert "simulated, exact" in said
    assert "avr-gcc 5.4.0, simavr 1.6; avr-gcc 7.3.0, simavr 1.6" in said


def test_counts_as_json(run: Run, store: Path) -> None:
    """The JSON has the counts of both runs."""
    found = json.loads(run("compare", "--runs", "1", "2", "--store", store, "--json").stdout)
    assert found["schema_version"] == 6
    assert found["note"] is None
    assert [count["words"] for count in found["counts"]] == [
        "equal", "more core cycles", "fewer core cycles",
    ]  # fmt: skip
    assert found["counts"][1]["after"]["core_cycles"] == 1030


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["--fail-if", "slower"], 1),
        (["--fail-if", "slower", "--threshold", "5%"], 0),
        (["--fail-if", "faster", "--threshold", "5%"], 1),
        (["--fail-if", "different", "--threshold", "20%"], 0),
        ([], 0),
    ],
)
def test_more_core_cycles_are_slower(run: Run, store: Path, words: list[str], code: int) -> None:
    """For `--fail-if`, more core cycles beyond the threshold are slower, and fewer are faster."""
    found = run("compare", "--runs", "1", "2", "--store", store, *words)
    assert found.exit_code == code


@pytest.mark.parametrize(("unwanted", "code"), [("slower", 1), ("different", 1), ("faster", 0)])
def test_counts_that_vanished_are_not_a_pass(
    run: Run, tmp_path: Path, unwanted: str, code: int
) -> None:
    """A trial that the new run lacks is named, and `--fail-if slower` does not pass over it."""
    path = tmp_path / "less.db"
    with Store.open(path) as found:
        for trials in ((SHORT, LONG), (SHORT,)):
            run_id = add_run(found, sizes=())
            for trial in trials:
                found.add_firmware_count(run_id, trial, COUNT)
    result = run("compare", "--runs", "1", "2", "--store", path, "--fail-if", unwanted)
    assert result.exit_code == code
    assert f"Only in the old run: 1 trial ({PORTABLE})" in result.stdout


def test_one_run_names_the_command(run: Run, store: Path) -> None:
    """Counts of one run have no samples to pair: the refusal names `joulemark results`."""
    found = run("compare", PORTABLE, SHANI, "--store", store)
    assert found.exit_code == 2
    assert "counts of firmware alone" in found.stderr
    assert "joulemark results 2" in found.stderr
