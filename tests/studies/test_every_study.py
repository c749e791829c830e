# SPDX-License-Identifier: Apache-2.0
"""What every study of a paper has on its page, in its JSON and in its Markdown."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from joulemark import studies
from joulemark.catalogue.vectors import bibliography
from joulemark.cli import reproduce
from joulemark.cli.reproduce import built_from, conditions_of
from joulemark.environment import capture
from joulemark.measure.inventory import inventory_of
from joulemark.studies.equipment import write_files
from joulemark.studies.study import PaperStudy, StudyPage, not_tested

NAMES = sorted(studies.summaries())
DEFAULT_S = 600.0


def study_of(name: str) -> PaperStudy[Any, Any, Any, Any]:
    """Returns a study by its name."""
    found: PaperStudy[Any, Any, Any, Any] = import_module(f"joulemark.studies.{name}.study").STUDY
    return found


@pytest.mark.parametrize("name", NAMES)
def test_where_and_how_it_was_done_is_in_every_file(
    name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Page, JSON and Markdown name machine, compiler, command, options, commit, times, bounds."""
    monkeypatch.setattr(reproduce, "built_from", lambda: "0123456789ab")
    study = study_of(name)
    empty = StudyPage(
        done="Done.", summary="s", notes=[], tables=[], charts=[], data={}, missing=[]
    )
    unmeasured = replace(
        study,
        measure=lambda *_: None,
        judge=lambda paper, _found: {
            claim.id: lambda: not_tested("No machine.") for claim in paper.claims
        },
        page=lambda *_: empty,
    )
    inventory = None if study.equipment == "cores" else inventory_of()
    environment = capture()
    outcome = unmeasured.reproduce(
        study.options(), None, machine="here",
        conditions=conditions_of(name, environment, inventory),
    )  # fmt: skip
    known = outcome.conditions
    wanted = {
        "command": f"joulemark reproduce {name}",
        "kernel": environment.kernel_release,
        "commit": "0123456789ab",
        "Joulemark": environment.joulemark_version,
    }
    assert {fact: known[fact] for fact in wanted} == wanted
    assert known["CPU"].startswith(str(environment.cpu_model))
    assert environment.virtualised is None or known["virtual machine"] in {"yes", "no"}
    assert inventory is None or "-O" in known["compiler and flags of our kernels"]
    assert all(re.search(r"\d\d:\d\d UTC", known[fact]) for fact in ("begin", "end"))
    for option in vars(study.options)["__dataclass_fields__"]:
        assert option.replace("_", "-") in known["options"]
    assert study.bounds
    files = {path.suffix: path.read_text("utf-8") for path in write_files(outcome, tmp_path)}
    assert json.loads(files[".json"])["conditions"] == known
    address = str(bibliography()[study.paper().references[0]].url)
    for text in (files[".md"], files[".html"]):
        plain = re.sub(r"[\\`]|<[^>]*>", "", text).replace("&#39;", "'").replace("&lt;", "<")
        for value in (*known.values(), *study.bounds):
            assert value in plain, value
        assert address in text.replace("\\_", "_")


@pytest.mark.parametrize("name", NAMES)
def test_the_usual_command_takes_ten_minutes_at_most(name: str) -> None:
    """What a study says of its time, by its options as they are unless given."""
    study = study_of(name)
    assert 0 < study.seconds(study.options()) <= DEFAULT_S


def test_the_commit_is_that_of_the_build(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A build without git has no commit, and none is invented."""
    monkeypatch.setattr(reproduce, "data_folder", lambda name: tmp_path / name)
    assert built_from() == ""
    (tmp_path / "commit.txt").write_text("0123456789ab-dirty\n", "utf-8")
    assert built_from() == "0123456789ab-dirty"
