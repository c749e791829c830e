# SPDX-License-Identifier: Apache-2.0
"""Rules for every core in `hdl/`, found by its manifest."""

from __future__ import annotations

import os
import re
from concurrent.futures import ThreadPoolExecutor
from itertools import combinations
from pathlib import Path

import pytest

import proofs
from core_coverage import coverage_of
from joulemark.errors import JoulemarkError
from joulemark.hardware.cores import read_cores
from joulemark.hardware.manifest import Configuration, Core
from joulemark.hardware.simulation import verilator
from joulemark.hardware.simulation.workload import measure_clocks
from joulemark.hardware.synthesis import read_command, run_yosys

REPOSITORY = Path(__file__).resolve().parents[2]
HDL = REPOSITORY / "hdl"
CORES = read_cores(HDL)
PROOFS = sorted(HDL.glob("*/formal/*.sby"))
SOURCES = sorted([*HDL.glob("*/rtl/*.sv"), *HDL.glob("*/formal/*.sv")])
SIMULATED = {
    "aes128_round": "tower",
    "hmac_sha256": "none; test_hmac_sha256.py counts its clocks",
    "sha1_pipeline": "none; test_sha_pipelines.py counts its clocks",
    "sha512_pipeline": "none; test_sha_pipelines.py counts its clocks",
    "siphash": "fast",
}
"""The configuration to simulate of a core whose first configuration compiles slowly, or is not one
that tests/cli compiles too; of other cores, the first is simulated."""
CONFIGURATIONS = [
    pytest.param(
        core, configuration, id=f"{core.name}-{name}",
        marks=() if name == SIMULATED.get(core.name, next(iter(core.configurations)))
        else pytest.mark.exhaustive,
    )
    for core in CORES
    for name, configuration in core.configurations.items()
]  # fmt: skip
"""Configurations: `make test` simulates one of each core, `make test-cores` all."""
LINES_PERCENT = 98.0
COVERED: dict[str, list[dict[str, int]]] = {
    "sha256_pipeline": [
        {"STAGES": 2, "PRECOMPUTE": 0, "SCHEDULE": 0},
        {"STAGES": 2, "ROUNDS": 2, "PRECOMPUTE": 2, "CARRY_SAVE": 1},
        {"STAGES": 2, "PRECOMPUTE": 2, "TECHNOLOGY": 1, "INTERLEAVE": 2},
    ],
    "hmac_sha256": [
        {"STAGES": 1, "ROUNDS": 1, "PRECOMPUTE": 0, "SCHEDULE": 0},
        {"STAGES": 2, "ROUNDS": 1, "CARRY_SAVE": 1},
        {"STAGES": 2, "ROUNDS": 1, "INTERLEAVE": 2},
    ],
    "sha1_pipeline": [{"ROUNDS": 2, "PRECOMPUTE": 0}, {}],
    "sha512_pipeline": [{"STAGES": 2, "ROUNDS": 2, "PRECOMPUTE": 0}, {"STAGES": 1}],
    "sha1_latch": [{}, {"CHAINING": 1}],
    "aes128_cmac": [{"CORE": 1}, {"CORE": 2, "SBOX": 1}],
}
"""Small sets of parameters of large cores that together reach every file and branch."""
QUICK_TASKS = {
    "chaskey": ("prove",),
    "jm_axis": ("prove_hold", "prove_send_last_first", "prove_split_high", "cover_split"),
    "siphash": ("prove_1", "cover_2"),
}
"""Files of proofs that take less than half a minute, with tasks that together have each module and
both kinds of task."""
LARGE = ("hmac_sha256", "sha1_pipeline", "sha256_pipeline", "sha512_pipeline")
"""Cores with so many combinations that checking them takes half a minute; `make lint` checks their
configurations."""
UNLISTED = ("aes128_latch", "aes128_round")
"""Cores whose ports the README of `aes128_serial` lists."""
SHORT = {"JOULEMARK_RANDOM_MESSAGES": "20"}
FEW, ALL = 4, 32
"""The most combinations of a core that are all checked; of more combinations some are chosen."""
PROOF_TIMEOUT_S = 900.0
"""Limit for all tasks of one file, on a machine that also does other work."""

each_core = pytest.mark.parametrize("core", CORES, ids=lambda core: core.name)
up_to = pytest.mark.parametrize(
    "most",
    [pytest.param(FEW, id="pairs"), pytest.param(ALL, id="all", marks=pytest.mark.exhaustive)],
)
each_small_core = pytest.mark.parametrize(
    "core",
    [
        pytest.param(core, marks=pytest.mark.exhaustive if core.name in LARGE else (), id=core.name)
        for core in CORES
    ],
)


def combinations_of(core: Core, most: int) -> list[dict[str, int]]:
    """Combinations of a core's parameters: all up to `most`, else some with every pair of values.

    Faults of elaboration come from one parameter or from two that do not go together. A core's own
    tests run all combinations.
    """
    left = list(core.combinations())
    if len(left) <= most:
        return left
    pairs = {tuple(combinations(entry.items(), 2)): entry for entry in left}
    uncovered = {pair for of_one in pairs for pair in of_one}
    chosen = [
        core.chosen(configuration.parameters) for configuration in core.configurations.values()
    ]
    for entry in chosen:
        uncovered -= set(combinations(entry.items(), 2))
    while uncovered:
        best = max(pairs, key=lambda of_one: len(uncovered.intersection(of_one)))
        uncovered -= set(best)
        chosen.append(pairs[best])
    return chosen


def rows(markdown: str) -> list[list[str]]:
    """The cells of every row of every table."""
    return [
        [cell.strip(" *") for cell in line.strip().strip("|").split("|")]
        for line in markdown.splitlines()
        if line.startswith("|")
    ]


@each_core
def test_a_core_is_where_its_name_says(core: Core) -> None:
    """The folder hdl/<core> has <core>.toml, a README, an adapter and the core's own tests."""
    assert core.folder == HDL / core.name
    assert (core.folder / "README.md").is_file()
    assert isinstance(core.adapter, str)
    assert (core.folder / core.adapter).is_file()
    assert core.tests
    for test in core.tests:
        assert (core.folder / test).is_file(), test
    assert core.configurations


@each_core
def test_readme_has_the_clocks_of_the_manifest(core: Core) -> None:
    """Each number of clocks that the manifest promises fills a cell of a table."""
    cells = {cell for row in rows((core.folder / "README.md").read_text("utf-8")) for cell in row}
    for name, configuration in core.configurations.items():
        for clocks in (configuration.clocks_per_block, configuration.latency_clocks):
            assert clocks is None or str(clocks) in cells, f"{name}: no cell says {clocks}"


@each_core
def test_readme_names_every_parameter(core: Core) -> None:
    """The README names each parameter of the manifest."""
    text = (core.folder / "README.md").read_text("utf-8")
    for name in core.parameters:
        assert re.search(rf"\b{name}\b", text), name


@each_core
def test_catalogue_of_cores_has_it(core: Core) -> None:
    """`hdl/README.md` has a row for every core and no other row with a link to a core."""
    found = [row[0] for row in rows((HDL / "README.md").read_text("utf-8"))]
    assert f"[`{core.name}`]({core.name}/README.md)" in found
    linked = re.findall(r"\[`(\w+)`\]\(\w+/README\.md\)", "\n".join(found))
    assert sorted(linked) == sorted(hdl_core.name for hdl_core in CORES)


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_a_source_holds_what_its_name_says(path: Path) -> None:
    """Licence, then a comment; one module or package with the file's name; at most 100 columns."""
    lines = path.read_text("utf-8").splitlines()
    assert lines[0] == "// SPDX-License-Identifier: Apache-2.0"
    assert lines[2].startswith("// ")
    units = [found[2] for line in lines if (found := re.match(r"(module|package)\s+(\w+)", line))]
    # A vendor's file also declares the primitive that it wraps, for tools that do not know it.
    assert units == [path.stem] or (path.stem.endswith("_ecp5") and units[0] == path.stem)
    assert max(map(len, lines)) <= 100


@each_core
def test_a_core_is_wiped_by_wipe_i(core: Core) -> None:
    """The top module has `wipe_i`, behind clock and reset; no file has a former name of it."""
    top = (core.folder / "rtl" / f"{core.top}.sv").read_text("utf-8")
    assert re.search(r"^  input  logic +wipe_i,", top, re.MULTILINE)
    assert "`wipe_i`" in (core.folder / "README.md").read_text("utf-8") or core.name in UNLISTED
    for path in core.folder.rglob("*"):
        if path.suffix in {".sv", ".py", ".md"}:
            assert not re.search(r"\b(zeroize|clear)_i\b", path.read_text("utf-8")), path


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_names_of_parameters(path: Path) -> None:
    """A parameter that may be set is all capitals, a derived constant UpperCamelCase."""
    text = re.sub(r"//.*", "", path.read_text("utf-8"))
    for kind, name in re.findall(
        r"\b(parameter|localparam)\b[^=;]*?\b(\w+)(?:\s*\[[^]]*\])*\s*=", text
    ):
        pattern = r"[A-Z][A-Z0-9_]*" if kind == "parameter" else r"[A-Z]\w*[a-z0-9]\w*|[A-Z]"
        assert re.fullmatch(pattern, name), f"{kind} {name}"


@up_to
@each_small_core
def test_lint_of_every_combination(core: Core, most: int, simulator: None, tmp_path: Path) -> None:
    """`verilator --lint-only -Wall` has no warning, whatever the parameters."""

    def said(numbered: tuple[int, dict[str, int]]) -> str:
        try:
            verilator.lint(core, numbered[1], tmp_path / str(numbered[0]))
        except JoulemarkError as error:
            return f"{numbered[1]}: {error}"
        return ""

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        assert not [line for line in pool.map(said, enumerate(combinations_of(core, most))) if line]


@up_to
@each_small_core
def test_synthesis_reads_every_combination(core: Core, most: int, tmp_path: Path) -> None:
    """Yosys' read_slang takes the core, whatever the parameters, and no net is undriven."""
    pytest.importorskip("pyosys", reason="needs pyosys (make core-tools)")
    # Data is written through the latches of a memory, which Yosys' check takes for a loop.
    latches = any("always_latch" in path.read_text("utf-8") for path in core.source_paths())
    commands = [
        command
        for parameters in combinations_of(core, most)
        for command in (
            read_command(core, parameters), "check" if latches else "check -assert", "design -reset"
        )
    ]  # fmt: skip
    run_yosys(commands, tmp_path)


@pytest.mark.usefixtures("kept_simulations")
@pytest.mark.parametrize(("core", "configuration"), CONFIGURATIONS)
def test_documented_clocks(
    core: Core, configuration: Configuration, simulator: None, tmp_path: Path
) -> None:
    """The manifest's workload gives right results in exactly the promised clocks."""
    clocks = measure_clocks(core, core.chosen(configuration.parameters), tmp_path)
    if configuration.clocks_per_block is not None:
        assert clocks.clocks_per_block == configuration.clocks_per_block
    if configuration.latency_clocks is not None:
        assert clocks.latency_clocks == configuration.latency_clocks


@pytest.mark.exhaustive
@each_core
def test_own_tests_reach_the_lines(core: Core, simulator: None, tmp_path: Path) -> None:
    """The core's cocotb modules pass in its configurations and together reach its lines."""
    sets = COVERED.get(core.name) or [
        configuration.parameters for configuration in core.configurations.values()
    ]
    narrow = core.name not in COVERED
    reached = coverage_of(core, sets, tmp_path, environment=SHORT, toggles=narrow)
    for name in ("lines", "branches", "toggles"):
        share = getattr(reached, name)
        print(f"{core.name}: {name} {share.percent:.2f} % of {share.total}")
    assert reached.lines.percent >= LINES_PERCENT, reached.lines.missed


@pytest.mark.timeout(PROOF_TIMEOUT_S + 60)
@pytest.mark.skipif(proofs.missing_tool() is not None, reason=str(proofs.missing_tool()))
@pytest.mark.parametrize(
    ("path", "tasks"),
    [
        *(pytest.param(path, (), marks=pytest.mark.exhaustive, id=path.stem) for path in PROOFS),
        *(
            pytest.param(path, tasks, id=f"{path.stem}-some")
            for path in PROOFS
            if (tasks := QUICK_TASKS.get(path.stem))
        ),
    ],
)
def test_proofs_hold(path: Path, tasks: tuple[str, ...], tmp_path: Path) -> None:
    """Every task of every file of proofs ends with PASS."""
    found = proofs.prove(path, tmp_path, tasks=tasks, timeout_s=PROOF_TIMEOUT_S)
    assert len(found) >= max(1, len(tasks))
    assert not [
        f"{proof.task}: {proof.status}, see {proof.log}" for proof in found if not proof.holds
    ]
