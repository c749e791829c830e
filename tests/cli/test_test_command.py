# SPDX-License-Identifier: Apache-2.0
"""`joulemark test`: its answers to right code, to wrong code, and to senseless arguments."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from joulemark.cli import testing as command
from joulemark.measure import pool
from joulemark.measure.worker.sources import installed_sources


@pytest.fixture(autouse=True)
def _short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Checks take one pass of all cases, and outside libraries are hidden."""
    monkeypatch.setattr(command, "_CPU_S", 0.0)
    own = [
        installed_source
        for installed_source in installed_sources()
        if installed_source.kind == "builtin"
    ]
    monkeypatch.setattr("joulemark.measure.inventory.installed_sources", lambda: list(own))


def test_right_code_is_right(run: Callable[..., Any]) -> None:
    """One line for each implementation says what was checked, and the exit code is 0."""
    result = run("test", "siphash-2-4/portable")
    assert result.exit_code == 0, result.output
    [line] = result.stdout.splitlines()
    assert re.fullmatch(
        r"siphash-2-4/portable: \d+ published vectors, 4 201 lengths, 64 alignments, \d+ keys, "
        r"\d+ split streams, \d+ structured messages, [\d ]+ calls of two threads, "
        r"held to the readable reference: right, \d\.\d s",
        line,
    ), line


def test_json_has_what_was_checked(run: Callable[..., Any]) -> None:
    """The JSON has the same facts as numbers."""
    result = run("test", "siphash-2-4/portable", "--json")
    found = json.loads(result.stdout)
    assert found["schema_version"] == command.TEST_VERSION
    [implementation] = found["implementations"]
    assert implementation["right"] is True
    assert implementation["lengths"] == 4201
    assert implementation["held_to"] == "the readable reference"


def test_wrong_code_is_named_with_a_line_that_repeats_it(
    run: Callable[..., Any], faulty_plugin: Callable[[str], Path]
) -> None:
    """The sentence ends with a command, which finds the same fault and ends with 2 too."""
    plugin = faulty_plugin("WRITES_INTO_THE_MESSAGE")
    result = run("test", "siphash-2-4/faulty", "--plugin", plugin)
    assert result.exit_code == 2, result.output
    [line] = result.stdout.splitlines()
    said, _, again = line.partition("; replay: joulemark ")
    assert said == (
        "siphash-2-4/faulty is wrong: it wrote into its message: a message of 64 bytes at an "
        "address 0 modulo 64"
    )
    repeated = run(*shlex.split(again))
    assert repeated.exit_code == 2, repeated.output
    assert repeated.stdout.strip() == said
    right = run(*shlex.split(again.replace("lengths=40", "lengths=41")))
    assert right.exit_code == 0, right.output
    assert right.stdout == "siphash-2-4/faulty: this case is right\n"


def test_a_crash_names_the_case(
    run: Callable[..., Any], faulty_plugin: Callable[[str], Path]
) -> None:
    """Code that ends its process fails, and the sentence has the case at which it ended."""
    result = run("test", "siphash-2-4/faulty", "--plugin", faulty_plugin("CRASHES_ON_64_BYTES"))
    assert result.exit_code == 2, result.output
    assert "failed (crash): its process died (signal SIGSEGV); replay: joulemark" in result.stdout
    assert "lengths=" in result.stdout


@pytest.fixture
def leaky(compiler: str, repository: Path, tmp_path: Path) -> Path:
    """The example of measure-your-own-code.md with a branch on a bit of the key."""
    page = (repository / "docs/how-to/measure-your-own-code.md").read_text("utf-8")
    example = re.search(r"```c\n(.*?)```", page, re.DOTALL)
    assert example is not None
    right = "    memcpy(key_state, key, key_bytes);\n"
    assert right in example[1]
    source, plugin = tmp_path / "leaky.c", tmp_path / "leaky.so"
    leak = "    if (key[3] & 1) *(volatile uint8_t *)key_state ^= 0;\n"
    source.write_text(example[1].replace(right, right + leak), "utf-8")
    command = [compiler, "-std=gnu11", "-O1", "-g", "-shared", "-fPIC", "-Ikernels/include", "-o",
               str(plugin), str(source)]  # fmt: skip
    subprocess.run(command, cwd=repository, check=True)
    return plugin


@pytest.mark.skipif(
    shutil.which("valgrind") is None, reason="no valgrind; apt-get install valgrind"
)
def test_a_branch_on_the_key_is_seen(run: Callable[..., Any], leaky: Path) -> None:
    """Our code passes under valgrind; a branch on a key byte fails, and its function is named."""
    ours = run("test", "siphash-2-4/portable", "--constant-time")
    assert ours.exit_code == 0, ours.output
    assert "constant time by valgrind" in ours.stdout
    found = run("test", "siphash-2-4/mine", "--plugin", leaky, "--constant-time")
    assert found.exit_code == 2, found.output
    assert found.stdout.startswith("siphash-2-4/mine is not constant time: 'Conditional jump")
    assert "in set_key (leaky.c:" in found.stdout


def test_without_valgrind_the_package_is_named(
    refused: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without valgrind one sentence says which package to install."""
    monkeypatch.setenv("PATH", "")
    assert "apt-get install valgrind" in refused("test", "siphash-2-4/portable", "--constant-time")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("test", "no-such"), "unknown algorithm 'no-such'"),
        (("test", "siphash-2-4/portable", "--seed", "-1"), "give a number from 0"),
        (("test", "siphash-2-4", "--replay", "one"), "name one implementation"),
        (("test", "siphash-2-4/portable", "--replay", "one key=0"), "no line of a check"),
        (
            ("test", "siphash-2-4/portable", "--replay",
             "batch key=0+10 keys=1 msg=m0 lengths=1 at=0 out=0"),
            "a case that this implementation does not take",
        ),
        (("test", "sha256", "--plugin", "missing.so"), "no such file"),
        (("test", "sha256", "--long", "--constant-time"), "--constant-time excludes --long"),
    ],
)  # fmt: skip
def test_without_sense_is_refused(
    arguments: tuple[str, ...], says: str, refused: Callable[..., str]
) -> None:
    """Arguments that make no sense give one sentence and exit code 2."""
    assert says in refused(*arguments)


def test_the_thorough_check_is_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Later worker processes of a run repeat the published vectors alone."""
    from joulemark.measure.inventory import take_inventory
    from joulemark.measure.pool import CheckEffort

    inventory = take_inventory(
        [
            installed_source
            for installed_source in installed_sources()
            if installed_source.kind == "builtin"
        ]
    )
    made = []
    thorough = pool.check_thoroughly

    def counted(*arguments: Any) -> Any:
        made.append(arguments)
        return thorough(*arguments)

    monkeypatch.setattr(pool, "check_thoroughly", counted)
    workers = pool.WorkerPool(inventory, None, effort=CheckEffort(cpu_s=0.0))
    for name in ("md5/portable", "md5/portable", "md5/portable#2"):
        workers.check(name)
        workers.close()
    assert len(made) == 1
