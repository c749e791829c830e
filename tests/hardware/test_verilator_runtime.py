# SPDX-License-Identifier: Apache-2.0
"""Verilator's run-time: each object is compiled once, by the first build that needs it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from joulemark.hardware.simulation.verilator import lacks_runtime, make_program
from joulemark.user_folders import user_cache


def written(folder: Path, prefix: str, objects: Sequence[str], trace: int = 0) -> Path:
    """Writes the files that Verilator puts beside the C++ of a core, and returns their folder."""
    folder.mkdir()
    (folder / f"{prefix}.mk").write_text("VERILATOR_ROOT = /verilator\nVM_SC = 0\n", "utf-8")
    lines = [f"VM_TRACE = {trace}", "VM_GLOBAL_FAST += \\", *(f"  {name} \\" for name in objects)]
    (folder / f"{prefix}_classes.mk").write_text("\n".join([*lines, "", ""]), "utf-8")
    return folder


def compiled(folder: Path, prefix: str) -> list[str]:
    """The objects of the run-time that `make` still had to make for a program."""
    made: list[str] = []

    def make(command: Sequence[str]) -> None:
        assert command[:3] == ["make", "-C", str(folder)]
        names = (folder / f"{prefix}_classes.mk").read_text("utf-8").split()
        for name in (word for word in names if word.startswith("verilated")):
            if not (folder / f"{name}.o").exists():
                (folder / f"{name}.o").write_text(name, "utf-8")
                made.append(name)

    make_program(folder, prefix, Path("main.cpp"), make)
    return made


@pytest.fixture(autouse=True)
def _empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def test_a_program_that_needs_more_compiles_that_alone(tmp_path: Path) -> None:
    """After a simulator without cocotb, another with cocotb compiles the missing objects, once."""
    small = written(tmp_path / "small", "Vcore", ["verilated", "verilated_threads"])
    large = written(tmp_path / "large", "Vtop", ["verilated", "verilated_vpi"])
    again = written(tmp_path / "again", "Vtop", ["verilated", "verilated_vpi"])
    assert lacks_runtime(small, "Vcore")
    assert compiled(small, "Vcore") == ["verilated", "verilated_threads"]
    assert not lacks_runtime(small, "Vcore")
    assert lacks_runtime(large, "Vtop")
    assert compiled(large, "Vtop") == ["verilated_vpi"]
    assert not lacks_runtime(again, "Vtop")
    assert compiled(again, "Vtop") == []
    assert (again / "verilated.o").read_text("utf-8") == "verilated"


def test_other_options_are_another_run_time(tmp_path: Path) -> None:
    """An object of a simulation without traces does not serve a simulation with traces."""
    assert compiled(written(tmp_path / "plain", "V", ["verilated"]), "V") == ["verilated"]
    traced = written(tmp_path / "traced", "V", ["verilated"], trace=1)
    assert lacks_runtime(traced, "V")
    assert compiled(traced, "V") == ["verilated"]


def test_a_cache_that_cannot_be_written_is_done_without(tmp_path: Path) -> None:
    """The program is compiled, and nothing is kept."""
    (tmp_path / "cache").write_text("a file where a folder should be", "utf-8")
    folder = written(tmp_path / "one", "V", ["verilated"])
    assert compiled(folder, "V") == ["verilated"]
    assert lacks_runtime(folder, "V")
    assert not user_cache("verilator").exists()
