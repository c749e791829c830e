# SPDX-License-Identifier: Apache-2.0
"""The packages of cores for other tools: FuseSoC, Bender and lists of files."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from joulemark.hardware.cores import read_cores
from joulemark.hardware.manifest import Core
from joulemark.hardware.simulation.verilator import verilator_command

ROOT = Path(__file__).resolve().parents[2]
HDL = ROOT / "hdl"
CORES = [*read_cores(HDL), *read_cores(HDL / "wrappers")]
FOLDERS = [HDL / "common", *(core.folder for core in CORES)]
QUICK = ("siphash_axi", "sha1_latch")
"""Cores that together have dependencies, shared modules, latches and streams."""


def test_packages_agree_with_the_manifests(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each generated file equals the output of `tools/package_cores.py`."""
    monkeypatch.syspath_prepend(ROOT / "tools")
    import package_cores

    texts = package_cores.packages(HDL, package_cores.project_version(ROOT))
    assert {path.parent for path in texts} == set(FOLDERS)
    old = [path for path, text in texts.items() if path.read_text("utf-8") != text]
    assert not old, "run python tools/package_cores.py"


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_a_bender_package_is_whole(folder: Path) -> None:
    """Bender's manifest is YAML of the right form; its sources and dependencies are there."""
    yaml = pytest.importorskip("yaml", reason="needs PyYAML (make setup with the dev extra)")
    facts = yaml.safe_load((folder / "Bender.yml").read_text("utf-8"))
    assert set(facts) <= {"package", "dependencies", "sources"}
    assert facts["package"] == {"name": folder.name}
    for source in facts["sources"]:
        assert ".." not in Path(source).parts
        assert (folder / source).is_file()
    for name, fact in facts.get("dependencies", {}).items():
        other = yaml.safe_load((folder / fact["path"] / "Bender.yml").read_text("utf-8"))
        assert other["package"]["name"] == name


@pytest.mark.parametrize(
    "core",
    [
        pytest.param(
            core,
            marks=pytest.mark.exhaustive if re.search("256|pipeline", core.name) else (),
            id=core.name,
        )
        for core in CORES
    ],
)
def test_a_list_of_files_compiles(core: Core, simulator: None, tmp_path: Path) -> None:
    """Verilator lints the core from its list alone, started in `hdl/`."""
    files = core.folder.relative_to(HDL) / f"{core.name}.f"
    done = subprocess.run(
        [str(verilator_command(tmp_path)), "--lint-only", "-Wall", "-Wno-SYNCASYNCNET",
         "--top-module", core.top, "-f", str(files)],
        cwd=HDL, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(find_spec("fusesoc") is None, reason="needs fusesoc (pip install fusesoc)")
@pytest.mark.parametrize(
    "core",
    [
        pytest.param(core, marks=() if core.name in QUICK else pytest.mark.exhaustive, id=core.name)
        for core in CORES
    ],
)
def test_fusesoc_lints_a_core(core: Core, simulator: None, tmp_path: Path) -> None:
    """`fusesoc run --target lint` finds the core and its dependencies; Verilator has no warning."""
    verilator_command(tmp_path / "bin")
    path = os.pathsep.join([str(tmp_path / "bin"), os.environ.get("PATH", "")])
    done = subprocess.run(
        [sys.executable, "-m", "fusesoc.main", "--cores-root", str(HDL), "run", "--target", "lint",
         f"joulemark:core:{core.name}"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
        env={**os.environ, "PATH": path, "HOME": str(tmp_path)},
    )  # fmt: skip
    said = done.stdout + done.stderr
    assert done.returncode == 0, said
    assert "Warning" not in said
