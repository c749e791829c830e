# SPDX-License-Identifier: Apache-2.0
"""`joulemark tune` on a folder of implementations and on a family of our kernels: one table."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from joulemark.own_code.many import ManyBuilds, files_of
from joulemark.own_code.many.tuning import chosen_by_joules
from joulemark.records.figures import Evidence

Run = Callable[..., Any]
FASTER_SMALL = """\
#ifdef __OPTIMIZE_SIZE__
static void wait(void) {}
#else
static void wait(void) { for (volatile int i = 0; i < 20000; i++) {} }
#endif
#define whole_hash(in, length, out) do { wait(); whole_hash(in, length, out); } while (0)
"""
WRONG = """\
#define whole_hash(in, length, out) do { whole_hash(in, length, out); out[0] ^= 1; } while (0)
"""


def test_the_fastest_build_of_each_implementation_of_a_folder(
    ebacs: Callable[..., Path], run: Run, kept: Path, compiler: str, tmp_path: Path
) -> None:
    """A build that skips a wait is chosen with its ratio, a wrong one is named, none is kept."""
    ebacs("crypto_hash/sha256/slow", before=FASTER_SMALL)
    ebacs("crypto_hash/sha256/wrong", before=WRONG)
    said = run(
        "tune", tmp_path / "tree", "--compiler", compiler, "--flag-set", "O3-native", "--flag-set",
        "Os-native", "--budget", "5min", "--size", "64", "--json",
    )  # fmt: skip
    assert said.exit_code == 0, said.output
    assert "builds of each implementation, as far as time allows: 2" in said.stderr
    assert "take about 300 s at most" in said.stderr
    found = json.loads(said.stdout)
    (row,) = found["candidates"]
    assert row["implementation"] == "crypto_hash/sha256/slow"
    name = Path(compiler).name
    assert (row["default"], row["chosen"]) == (f"{name} O3-native", f"{name} Os-native")
    assert row["gain"]["ratio"] > row["gain"]["low"] > 2
    assert found["by"] == "time, measured"
    assert any("sha256/wrong" in text for text in found["refused"])
    assert [*kept.glob("[!.]*")] == []


def test_a_family_of_our_kernels_by_joules(run: Run, compiler: str) -> None:
    """Its default build is the installed one; the meter's evidence is said."""
    said = run(
        "tune", "family:sm3", "--compiler", compiler, "--flag-set", "O2-native", "--budget", "60s",
        "--size", "64", "--meter", "simulated:update_ms=5", "--energy-window", "0.2",
        "--foreign-limit", "100000%", "--json",
    )  # fmt: skip
    assert said.stdout, said.stderr
    found = json.loads(said.stdout)
    (builds,) = found["builds"].values()
    assert builds == ["as installed", f"{Path(compiler).name} O2-native"]
    assert found["by"].startswith("energy, ")
    rows = found["candidates"]
    assert len(rows) + len(found["without_figure"]) == 1  # windows may be void on a busy machine
    if rows:
        assert found["by"] == "energy, simulated"
        assert (rows[0]["default"], rows[0]["builds"]) == ("as installed", 2)


def test_the_file_of_each_kernel_is_found_in_the_installed_library() -> None:
    """Algorithms on one permutation share an array of tables, others have a table each."""
    found = files_of({"sm3": "portable", "keccak-r2-256": "bmi2", "kmac256": "engine"})
    ((file, (single,)),) = ((name, here) for name, here in found.items() if "sm3" in name)
    assert (file, single.symbol) == ("sm3/sm3_portable.c", "jm_sm3_portable")
    assert single.array_bytes is None
    (array,) = found["keccak/keccak_bmi2.c"]
    assert (array.symbol, array.algorithm) == ("jm_keccak_bmi2", "keccak-r2-256")
    assert array.array_bytes
    assert len(found) == 2


def test_fewest_joules_are_chosen_only_where_they_are_told() -> None:
    """The widest ratio of two intervals decides; a build without all lengths does not count."""

    def result(name: str, joules: float, half: float, size: int = 64) -> Any:
        figure = SimpleNamespace(
            median=joules, low=joules - half, high=joules + half, evidence=Evidence.SIMULATED
        )
        return SimpleNamespace(implementation=name, size_bytes=size, joules_per_message=figure)

    made = ManyBuilds()
    for implementation, builds in {"a": ("a1", "a2", "a3"), "b": ("b1", "b2")}.items():
        for build in builds:
            made.add(implementation, build, f"build {build}")
    results = [
        result(name, joules, half, size)
        for size in (64, 1024)
        for name, joules, half in (("a1", 2.0, 0.1), ("a2", 1.0, 0.1), ("b1", 2.0, 0.5),
                                   ("b2", 1.8, 0.5))
    ]  # fmt: skip
    # Perhaps better than all others, and told to be no better than the default.
    made.add("a", "a4", "build a4")
    results += [result("a4", 0.96, 0.95, size) for size in (64, 1024)]
    rows, by = chosen_by_joules([*results, result("a3", 0.1, 0.0)], made)
    assert by == "energy, simulated"
    assert [(row.chosen, row.builds) for row in rows] == [("build a2", 3), ("build b1", 2)]
    assert rows[0].gain is not None
    assert rows[0].gain.ratio == pytest.approx(2.0)
    assert rows[0].gain.low == pytest.approx(1.9 / 1.1)
    assert rows[1].gain is None


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("family:sha4",), "family:sha4: there is no such family"),
        (("family:sm3", "--keep"), "--keep is for a function in files"),
        (("family:sm3", "--function", "f"), "--function is for a function in files"),
        (("family:sm3", "family:ascon"), "name one folder or one family at a time"),
        (("family:sm3", "--workers", "2"), "--workers and --scheduler are for a function in files"),
        (("mine.c", "--meter", "battery"), "--meter is for a folder or a family"),
    ],
)
def test_what_makes_no_sense_is_refused(run: Run, words: tuple[str, ...], sentence: str) -> None:
    """One sentence says which word is wrong."""
    said = run("tune", *words)
    assert said.exit_code == 2
    assert sentence in " ".join(said.stderr.split())
    assert "Traceback" not in said.stderr
