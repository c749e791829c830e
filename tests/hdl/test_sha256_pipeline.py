# SPDX-License-Identifier: Apache-2.0
"""`hdl/sha256_pipeline`: the whole core, its engine alone, its carry cells, its manifest."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from itertools import combinations
from pathlib import Path

import pytest

from joulemark.errors import ImplementationError
from joulemark.hardware.manifest import Core, read_core
from joulemark.hardware.simulation import cocotb_runs, verilator

FOLDER = Path(__file__).parents[2] / "hdl" / "sha256_pipeline"
CORE = read_core(FOLDER / "sha256_pipeline.toml")
PORTS_ONLY = ("--no-public-flat-rw", str(FOLDER / "tb" / "visible.vlt"))
"""Options that show the ports alone, so that the simulator builds several times faster."""

NAMES = ("STAGES", "ROUNDS", "PRECOMPUTE", "CARRY_SAVE", "SCHEDULE", "TECHNOLOGY", "INTERLEAVE")
COMBINATIONS = (
    # Any two values of two parameters that go together meet in one of these combinations.
    (1, 2, 1, 0, 0, 0, 1), (1, 4, 0, 1, 1, 0, 1), (1, 1, 2, 0, 1, 1, 2),
    (2, 1, 1, 0, 0, 0, 1), (2, 2, 2, 1, 1, 0, 1), (2, 4, 0, 1, 1, 0, 1), (2, 1, 2, 0, 1, 0, 2),
    (2, 1, 2, 0, 1, 1, 2), (4, 1, 0, 0, 0, 0, 1), (4, 2, 1, 1, 1, 0, 1), (4, 4, 2, 1, 1, 0, 1),
    (4, 1, 2, 0, 1, 1, 2), (8, 1, 2, 1, 1, 0, 1), (8, 2, 0, 0, 0, 0, 1), (8, 4, 1, 0, 1, 0, 1),
)  # fmt: skip
ALL = [tuple(combination[name] for name in NAMES) for combination in CORE.combinations()]
LINTED = (
    (1, 4, 0, 1, 1, 0, 1),
    (2, 1, 2, 0, 1, 1, 2),
    (4, 2, 1, 1, 1, 0, 1),
    (8, 2, 0, 0, 0, 0, 1),
)
"""Combinations that together have each value of each parameter."""
ENGINES = 16
"""Number of sets of parameters in one simulation of engines alone."""


def chosen(values: Sequence[int]) -> dict[str, int]:
    """A combination as a dictionary by the names of its parameters."""
    return dict(zip(NAMES, values, strict=True))


def packed(values: Sequence[int]) -> int:
    """A combination as the number that `sha256_engine_configurations.sv` reads."""
    value = 0
    *others, interleave = values
    for number, bits in zip((*others, interleave - 1), (4, 3, 2, 1, 1, 1, 1), strict=True):
        value = value << bits | number
    return value


@pytest.mark.exhaustive
def test_the_whole_core(simulator: None, tmp_path: Path) -> None:
    """Vectors, all short lengths, 10 000 random messages with stalls, clocks, reset, wipe pass."""

    def one(values: Sequence[int]) -> tuple[str, ...]:
        folder = tmp_path / "_".join(map(str, values))
        program = verilator.build(CORE, chosen(values), folder, extra=PORTS_ONLY)
        modules = [CORE.folder / test for test in CORE.tests]
        result = cocotb_runs.run(
            program, CORE, modules, parameters=chosen(values),
            environment={"JOULEMARK_RANDOM_MESSAGES": str(-(-10_000 // len(COMBINATIONS)))},
        )  # fmt: skip
        assert result.passed, result.log.read_text("utf-8")
        return tuple(f"{values}: {name}; see {result.log}" for name in result.failed)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        failed = [name for names in pool.map(one, COMBINATIONS) for name in names]
    assert not failed


@pytest.mark.parametrize(
    "sets",
    [
        pytest.param([(1, 1, 2, 0, 1, 1, 2), (2, 2, 1, 0, 0, 0, 1)], id="two"),
        *(
            pytest.param(ALL[n : n + ENGINES], marks=pytest.mark.exhaustive, id=f"from_{n}")
            for n in range(0, len(ALL), ENGINES)
        ),
    ],
)
def test_the_engine_alone(sets: list[tuple[int, ...]], simulator: None, tmp_path: Path) -> None:
    """Random blocks and chaining values, with stalls and without, take the documented clocks."""
    value = sum(packed(values) << 16 * number for number, values in enumerate(sets))
    sources = [
        str(source)
        for source in CORE.source_paths()
        if not source.name.endswith(("_pad.sv", "_pipeline.sv"))
    ]
    sources += ["tb/sha256_engine_check.sv", "tb/sha256_engine_configurations.sv"]
    bench = Core.model_validate(
        {
            **CORE.model_dump(),
            "folder": FOLDER,
            "top": "sha256_engine_configurations",
            "sources": sources,
        }
    )
    program = verilator.build(
        bench, {"COMBINATIONS": len(sets)}, tmp_path, warnings_are_errors=False,
        extra=(*PORTS_ONLY, "-CFLAGS", "-O0", "--output-split", "0",
               f"-GSETS={16 * len(sets)}'h{value:x}"),
    )  # fmt: skip
    told = {"SETS": json.dumps([chosen(values) for values in sets])}
    module = FOLDER / "tb" / "test_engine.py"
    result = cocotb_runs.run(program, bench, [module], environment=told)
    assert result.passed, result.log.read_text("utf-8")
    assert not result.failed, result.log


@pytest.mark.parametrize(
    "values",
    [
        pytest.param(
            chosen_values,
            id="_".join(map(str, chosen_values)),
            marks=() if chosen_values in LINTED else pytest.mark.exhaustive,
        )
        for chosen_values in COMBINATIONS
    ],
)
def test_verilator_has_nothing_to_say(
    values: Sequence[int], simulator: None, tmp_path: Path
) -> None:
    """No value of any parameter gives a warning."""
    verilator.lint(CORE, chosen(values), tmp_path)


@pytest.mark.parametrize("number", range(len(CORE.excluded)))
def test_what_is_excluded_does_not_elaborate(number: int, simulator: None, tmp_path: Path) -> None:
    """The RTL refuses values that do not go together according to the manifest."""
    anything = CORE.model_copy(update={"excluded": []})
    refused = [
        combination
        for combination in anything.combinations()
        if CORE.excluded[number].covers(combination)
    ]
    values = min(refused, key=lambda entry: sum(rule.covers(entry) for rule in CORE.excluded))
    with pytest.raises(ImplementationError, match="no such engine"):
        verilator.lint(anything, values, tmp_path)


def test_readmes_have_the_number_of_combinations() -> None:
    """The number is the engine's, and HMAC has the same combinations."""
    for name in ("sha256_pipeline", "hmac_sha256"):
        folder = FOLDER.parent / name
        text = " ".join((folder / "README.md").read_text("utf-8").split())
        assert f"{len(ALL)} combinations" in text
        assert len(list(read_core(folder / f"{name}.toml").combinations())) == len(ALL)


@pytest.mark.skipif(find_spec("pyosys") is None, reason="needs pyosys (make core-tools)")
def test_carry_cells_add_as_the_portable_adder_does() -> None:
    """A proof for all inputs uses Yosys' own model of the ECP5's carry cell."""
    command = [sys.executable, str(FOLDER / "formal" / "carry_cells.py")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]


def test_every_pair_of_values_is_simulated() -> None:
    """COMBINATIONS has every pair, as the comment in it promises."""
    possible = list(CORE.combinations())
    for first, second in combinations(NAMES, 2):
        wanted = {(entry[first], entry[second]) for entry in possible}
        seen = {(entry[first], entry[second]) for entry in map(chosen, COMBINATIONS)}
        assert wanted <= seen, (first, second, wanted - seen)


def test_every_value_is_linted() -> None:
    """`make test` takes some of the combinations, which have every value."""
    assert set(LINTED) <= set(COMBINATIONS)
    for name in NAMES:
        assert {chosen(values)[name] for values in LINTED} == set(CORE.parameters[name].values)
