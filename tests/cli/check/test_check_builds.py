# SPDX-License-Identifier: Apache-2.0
"""`joulemark check` of two builds: measured in turn in one run."""

from __future__ import annotations

import json
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from joulemark import _core

NAME = "siphash-2-4/faulty"
SHORT = ("--size", "64", "--budget", "1")
"""The fewest generations, which are enough to tell builds apart that are not nearly equal."""
LONGER = ("--size", "64", "--budget", "8")
ATTEMPTS = 3
"""A busy machine may leave a run too noisy, and equal code is called different now and then."""
Plugin = Callable[..., Path]


def beside(file: Path, folder: Path, name: str) -> Path:
    """The same code in another file: a loader does not read what follows the last section."""
    copy = folder / name / file.name
    copy.parent.mkdir()
    copy.write_bytes(file.read_bytes() + name.encode())
    return copy


@pytest.mark.parametrize("target", ["host", "instructions"])
def test_one_file_under_two_names_is_no_answer(
    run, faulty_plugin: Plugin, tmp_path: Path, target: str
) -> None:
    """Two names, a link and a copy of one file are said to be the same file, and that is not ok."""
    plugin = faulty_plugin("NONE")
    (tmp_path / "copy.so").write_bytes(plugin.read_bytes())
    (tmp_path / "link.so").symlink_to(plugin)
    for new in (plugin, "copy.so", "link.so"):
        result = run("check", "--old", plugin, "--new", new, "--target", target, "--junit", "j.xml")
        assert result.exit_code == 6, result.output
        assert result.stdout.startswith(f"{new} against {plugin}: same file\n")
        assert "Old and new are the same file (SHA-256 " in result.stdout
        (suite,) = ET.parse(tmp_path / "j.xml").getroot()
        assert suite.get("errors") == "1"


@pytest.mark.timing
@pytest.mark.parametrize(
    ("slowed_by", "budget", "code", "answer"),
    [(0, LONGER, 0, "ok"), (400, SHORT, 1, "regressed")],
    ids=["ok", "regressed"],
)
def test_the_answer_is_that_of_the_code(
    run, faulty_plugin: Plugin, tmp_path: Path, slowed_by: int, budget: tuple[str, ...], code: int,
    answer: str,
) -> None:  # fmt: skip
    """Equal code passes, and code that takes some hundred cycles more does not."""
    old, new = (beside(faulty_plugin("NONE", slower), tmp_path, name)
                for slower, name in ((0, "old"), (slowed_by, "new")))  # fmt: skip
    for _ in range(ATTEMPTS):
        result = run("check", "--old", old, "--new", new, "--threshold", "20%", *budget)
        if result.exit_code == code:
            break
    assert result.exit_code == code, result.output
    first, *rest = result.stdout.splitlines()
    assert first == f"{new} against {old}: {answer}"
    assert any(line.split()[0] == NAME for line in rest if line.strip())
    assert "@" not in "".join(rest)


@pytest.mark.timing
def test_every_form_of_the_answer_agrees(run, faulty_plugin: Plugin, tmp_path: Path) -> None:
    """JSON, Markdown, JUnit, Bencher's format and the action's JSON name the same regression."""
    pair = ("check", "--old", faulty_plugin("NONE"), "--new", faulty_plugin("NONE", 400), *SHORT)
    files = ("--junit", "j.xml", "--bencher", "b.json", "--action-json", "a.json")
    for _ in range(ATTEMPTS):
        result = run(*pair, "--json", *files)
        if result.exit_code == 1:
            break
    assert result.exit_code == 1, result.output
    found = json.loads(result.stdout)
    assert (found["answer"], found["generations"] >= 4) == ("regressed", True)
    (entry,) = found["comparisons"]
    assert (entry["baseline"], entry["contender"]) == (f"{NAME}@old", f"{NAME}@new")
    (case,) = ET.parse(tmp_path / "j.xml").findall("testsuite/testcase")
    assert (case.get("classname"), case.get("name")) == (NAME, "64 B")
    assert case.find("failure") is not None
    latency = json.loads((tmp_path / "b.json").read_text())[f"{NAME}, 64 B"]["latency"]
    assert latency["lower_value"] <= latency["value"] <= latency["upper_value"]
    action, missing = json.loads((tmp_path / "a.json").read_text())
    assert missing["value"] == 0
    assert (action["value"], action["unit"]) == (latency["value"], "ns/message")


def test_what_breaks_is_a_regression(run, faulty_plugin: Plugin) -> None:
    """New code with a wrong output is a regression; a run over its budget says why."""
    result = run("check", "--old", faulty_plugin("NONE"), "--new", faulty_plugin("WRONG_ALWAYS"),
                 "--size", "64", "--budget", "1ms")  # fmt: skip
    assert result.exit_code == 1, result.output
    text = " ".join(result.stdout.split())
    assert "4 generations of processes in " in text
    assert " s, over --budget 1 ms since fewer cannot be judged." in text
    assert f"{NAME}@new: wrong output" in result.stdout


@pytest.mark.parametrize(
    ("second", "patterns", "target", "says"),
    [(0, (), "host", "The new build lacks siphash-2-4/second."),
     (2, (), "host", "siphash-2-4/second of the new build cannot run here: needs "),
     (0, ("siphash-2-4/second",), "host", "The new build lacks siphash-2-4/second."),
     (0, (), "instructions", "The new build lacks siphash-2-4/second.")],
)  # fmt: skip
def test_what_vanished_is_red_in_every_form(
    run, plugin_of: Plugin, tmp_path: Path, second: int, patterns: tuple[str, ...], target: str,
    says: str,
) -> None:  # fmt: skip
    """A variant that the new build lacks, or that cannot run here, fails in words and in files."""
    if target == "instructions" and shutil.which("valgrind") is None:
        pytest.skip("valgrind is not installed")
    old, new = (plugin_of("faulty", FAULT="NONE", SLOWED_BY=0, SECOND=kind) for kind in (1, second))
    files = ("--junit", "j.xml", "--bencher", "b.json", "--action-json", "a.json")
    effort = ("--size", "64", "--budget", "1") if target == "host" else ("--size", "64")
    result = run("check", *patterns, "--old", old, "--new", new, "--threshold", "60%", "--target",
                 target, *effort, *files)  # fmt: skip
    assert result.exit_code == 1, result.output
    assert says in result.stdout
    (suite,) = ET.parse(tmp_path / "j.xml").getroot()
    (failed,) = [case for case in suite if case.find("failure") is not None]
    assert failed.get("classname") == "siphash-2-4/second"
    assert json.loads((tmp_path / "b.json").read_text())["siphash-2-4/second"]
    assert says in json.loads((tmp_path / "a.json").read_text())[-1]["extra"]


def test_what_neither_build_can_run_is_named(run, plugin_of: Plugin, tmp_path: Path) -> None:
    """It changes no answer, and is a skipped case; a build that says nothing of it hides it."""
    old, new = (plugin_of("faulty", FAULT="NONE", SLOWED_BY=slowed, SECOND=2) for slowed in (0, 1))
    result = run("check", "--old", old, "--new", new, "--size", "64", "--budget", "1",
                 "--threshold", "60%", "--junit", "j.xml")  # fmt: skip
    assert "siphash-2-4/second: cannot run here in either build: needs " in result.stdout
    (suite,) = ET.parse(tmp_path / "j.xml").getroot()
    (skipped,) = [case for case in suite if case.find("skipped") is not None]
    assert skipped.get("classname") == "siphash-2-4/second"


def test_old_code_that_breaks_leaves_nothing_to_compare(run, faulty_plugin: Plugin) -> None:
    """Old code with a wrong output gives exit code 3 and not a pass."""
    result = run("check", "--old", faulty_plugin("WRONG_ALWAYS"), "--new", faulty_plugin("NONE"),
                 "--size", "64", "--budget", "1h")  # fmt: skip
    assert result.exit_code == 3, result.output
    assert "over --budget" not in result.stdout


def test_a_length_that_the_new_build_refuses_is_a_regression(run, faulty_plugin: Plugin) -> None:
    """New code that refuses long messages is a regression; short messages are still compared."""
    result = run("check", "--old", faulty_plugin("NONE"), "--new",
                 faulty_plugin("TAKES_SHORT_MESSAGES"), "--size", "64,4096", "--budget", "1",
                 "--threshold", "50%")  # fmt: skip
    assert result.exit_code == 1, result.output
    assert f"{NAME} at 4 KiB has no figure in the new build." in result.stdout
    assert f"{NAME}@new: refused" in result.stdout
    rows = [line.split() for line in result.stdout.splitlines() if line.strip().startswith(NAME)]
    assert [row[1:3] for row in rows if row[0] == NAME and row[1] != "at"] == [["64", "B"]]


def test_two_builds_of_joulemark(run, tmp_path: Path) -> None:
    """A wheel is compared with the folder of an installation: the kernels of both are found."""
    package = Path(_core.__file__).parent
    other = beside(Path(_core.__file__), tmp_path, "other")
    with zipfile.ZipFile(tmp_path / "joulemark-1.whl", "w") as wheel:
        wheel.write(other, f"joulemark/{Path(_core.__file__).name}")
    result = run("check", "siphash-2-4/portable", "--old", "joulemark-1.whl", "--new", package,
                 "--threshold", "50%", *SHORT)  # fmt: skip
    assert result.exit_code in {0, 5}, result.output
    assert "siphash-2-4/portable" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((), "name what to compare"),
        (("--old", "a.so"), "--new"),
        (("--old", "a.so", "--new", "a.so"), "no such file"),
        (("--old", ".", "--new", "."), "no installed Joulemark"),
        (("--old", "a.so", "--new", "a.so", "--old-rev", "main"), "exclude one another"),
        (("--old", "a.so", "--new", "a.so", "--baseline", "1"), "--baseline is for stored runs"),
        (("--old", "a.so", "--new", "a.so", "--budget", "0"), "--budget"),
        (("--old-rev", "main", "--build", "make"), "--artifact"),
        (("--baseline", "1", "--budget", "9"), "--budget is for --old and --new"),
        (("--old", "a.so", "--new", "a.so", "--junit", "no/x.xml"), "there is no folder"),
        (("--old", "a.so", "--new", "a.so", "--json", "--markdown"), "exclude one another"),
        (("--junit", "one", "--bencher", "./one"), "--bencher one: --junit names this file too"),
        (("--bencher", "one", "--action-json", "one"), "--bencher names this file too"),
    ],
)
def test_questions_that_make_no_sense(refused, arguments: tuple[str, ...], says: str) -> None:
    """Options that make no sense are refused in one sentence that names the option."""
    assert says in refused("check", *arguments)


def test_a_refusal_is_said_in_every_form(run, tmp_path: Path) -> None:
    """The Markdown and the files of a refused check say why there is no answer; none is old."""
    (tmp_path / "text.so").write_text("not code")
    (tmp_path / "other.so").write_text("nor is this")
    for file in ("b.json", "a.json"):
        (tmp_path / file).write_text('{"old": "green"}')
    files = ("--junit", "j.xml", "--bencher", "b.json", "--action-json", "a.json")
    result = run("check", "--old", "text.so", "--new", "other.so", "--markdown", *files)
    assert result.exit_code == 2
    assert result.stdout.startswith("**not answered**: joulemark check\n\n- ")
    assert "text.so" in result.stdout
    (case,) = ET.parse(tmp_path / "j.xml").findall("testsuite/testcase")
    error = case.find("error")
    assert error is not None
    assert "text.so" in (error.text or "")
    found = json.loads((tmp_path / "b.json").read_text())
    assert found == {"joulemark check": {"missing": {"value": 1.0}}}
    (missing,) = json.loads((tmp_path / "a.json").read_text())
    assert missing["value"] == 1
    assert "text.so" in missing["extra"]


def test_builds_that_cannot_be_used(refused, faulty_plugin: Plugin, tmp_path: Path) -> None:
    """A text file, a false wheel, a crash at the start and an unmatched pattern are refused."""
    (tmp_path / "text.so").write_text("not code")
    (tmp_path / "text.whl").write_text("not a wheel")
    good = faulty_plugin("NONE")
    assert "cannot be used" in refused("check", "--old", "text.so", "--new", good)
    assert "read as a wheel" in refused("check", "--old", "text.whl", "--new", good)
    crashes = faulty_plugin("CRASHES_WHEN_LOADED")
    assert "--new" in refused("check", "--old", good, "--new", crashes)
    other = beside(good, tmp_path, "other")
    assert "sha256" in refused("check", "sha256", "--old", good, "--new", other)
    assert "twin" in refused("check", f"{NAME}#2", "--old", good, "--new", other)
    for limits in (("--alpha", "2"), ("--threshold", "nan")):
        refused("check", "--old", good, "--new", other, *limits)
