# SPDX-License-Identifier: Apache-2.0
"""A study is found by its folder: a made-up study, in a folder beside the installed package."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

SUMMARY = "Counting words here: does it hold?"
STUDY = """
from dataclasses import dataclass
from typing import Annotated

import typer

from joulemark.studies.study import Ground, either
from joulemark.studies.papers import Claim, Paper
from joulemark.studies.study import PaperStudy, StudyPage


@dataclass(frozen=True)
class Options:
    words: Annotated[int, typer.Option("--words", help="How many.")] = 3


PAPER = Paper(
    id="nobody1999", title="made up", references=["kaps2006"],
    claims=[Claim(id="few", place="abstract", text="There are few.")],
)
STUDY = PaperStudy(
    paper=lambda: PAPER,
    options=Options,
    equipment="cores",
    measure=lambda paper, options, equipment: options.words,
    judge=lambda paper, found: {
        "few": lambda: either(Ground.COMPUTED, f"{found} words.", holds=found < 5)
    },
    page=lambda paper, found: StudyPage(
        done="Counted here.", summary="Counted.", notes=[], tables=[], charts=[],
        data={"words": found}, missing=[],
    ),
    seconds=lambda options: 130.0,
    bounds=("Few are less than five.",),
    exit_codes="  0  always\\n",
    examples=("joulemark reproduce nobody1999 --words 4",),
)
"""
RUN = """
import sys
from joulemark import studies
studies.__path__.append(sys.argv.pop(1))
from joulemark.cli.app import app
try:
    app(prog_name="joulemark")
finally:
    print(sorted(name for name in sys.modules if name.endswith(".study")), file=sys.stderr)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with one made-up study."""
    study = tmp_path / "more" / "nobody1999"
    study.mkdir(parents=True)
    (study / "__init__.py").write_text(f'"""{SUMMARY}"""\n', "utf-8")
    (study / "study.py").write_text(STUDY, "utf-8")
    return study.parent


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Runs `joulemark reproduce` in that folder, with its studies too."""
    line = [sys.executable, "-c", RUN, str(folder), "reproduce", *words]
    return subprocess.run(line, capture_output=True, text=True, cwd=folder, check=False)


def test_help_lists_it_and_imports_no_study(folder: Path) -> None:
    """Help lists the found study with its summary, and imports no study."""
    done = run(folder, "--help")
    assert done.returncode == 0, done.stderr
    line = next(name for name in done.stdout.splitlines() if name.startswith("  nobody1999"))
    assert " ".join(line.split()[1:]) == SUMMARY
    assert done.stderr.strip() == "[]"


def test_its_help_is_made_of_what_it_says(folder: Path) -> None:
    """Help has summary, options of study and equipment, exit codes and examples, in order."""
    done = run(folder, "nobody1999", "--help")
    assert done.returncode == 0, done.stderr
    shown = (SUMMARY, "--words", "--output DIR", "--cache DIR", "0  always", "nobody1999 --words 4")
    places = [done.stdout.find(text) for text in shown]
    assert -1 not in places
    assert places == sorted(places)
    others = {"joulemark.studies.kaps2006.study", "joulemark.studies.castellon2022.study"}
    assert not any(name in done.stderr for name in others)


@pytest.mark.parametrize(("words", "verdict"), [("4", "holds"), ("5", "does not hold here")])
def test_it_runs(folder: Path, words: str, verdict: str) -> None:
    """Options reach the measurement, and the files lie in a folder with the study's name."""
    done = run(folder, "nobody1999", "--words", words, "--json")
    assert done.returncode == 0, done.stderr
    assert "nobody1999 takes about 2 min on a quiet machine" in done.stderr
    outcome = json.loads(done.stdout)
    assert (outcome["study"], outcome["data"]) == ("nobody1999", {"words": int(words)})
    assert [claim["verdict"] for claim in outcome["claims"]] == [verdict]
    assert sorted(path.name for path in (folder / "nobody1999").glob("nobody1999.*")) == [
        "nobody1999.html", "nobody1999.json", "nobody1999.md", "nobody1999.tex",
    ]  # fmt: skip


def test_an_unknown_name_is_told_all_there_are(folder: Path) -> None:
    """The refusal of an unknown study lists the found study too."""
    done = run(folder, "nobody2000")
    assert done.returncode == 2
    assert (
        "castellon2022, kaps2006, michail2005, rashwan2012, westermann2010, nobody1999"
        in done.stderr
    )
