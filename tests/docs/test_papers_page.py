# SPDX-License-Identifier: Apache-2.0
"""tools/papers_page.py: a page of claims and results from the outcomes of the studies."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from tool_scripts import tool as script


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    """The script as a module."""
    return script("papers_page")


def outcome(tool: ModuleType, study: str) -> dict[str, Any]:
    """A study with one claim, and with the tables that the page shows."""
    titles = [title for result in tool.RESULTS if result.study == study for title in result.tables]
    claim = {
        "id": "c", "place": f"section 3 of {study}", "text": f"The claim of {study}.",
        "verdict": "holds", "ground": "measured", "why": "It is 2 % less.",
    }  # fmt: skip
    return {
        "schema_version": 4, "study": study, "title": f"Title of {study}",
        "reference": "Somebody, 2006.", "reference_url": "https://doi.org/10.1/x",
        "started_at": "2026-11-29T12:00:00+00:00", "ended_at": "2026-11-29T12:01:00+00:00",
        "joulemark_version": "0.1.0", "conditions": {"CPU": "A CPU", "command": "joulemark x"},
        "done": "Measured here: all.", "summary": f"Summary of {study}.", "claims": [claim],
        "tables": [
            {"title": f"{title}, whole", "caption": "Measured.", "headings": ["a", "b"],
             "rows": [[f"cell of {title}", "2"]]}
            for title in [*titles, "Another table"]
        ],
        "missing": [], "verdicts": {"holds": 1, "not tested": 0}, "data": {"left": "out"},
    }  # fmt: skip


def test_each_claim_and_each_result_is_on_the_page(tool: ModuleType) -> None:
    """Verdict, ground and reason of a claim; the tables of a result, and no others."""
    page = tool.page({study: outcome(tool, study) for study in tool.PAPERS})
    for study in tool.PAPERS:
        assert (
            f"| holds | The claim of {study}. | section 3 of {study} | measured | It is 2 % less. |"
            in page
        )
        assert f"| {study} | 1 | 1 | 0 |" in page
    for result in tool.RESULTS:
        assert f"### {result.title}\n" in page
        assert f"Here: Summary of {result.study}." in page
        assert all(f"| cell of {title} | 2 |" in page for title in result.tables)
    assert "Another table" not in page
    assert "CPU A CPU; command joulemark x; begin 2026-11-29T12:00:00+00:00" in page


def test_what_the_page_shows_is_kept(
    tool: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder of outcomes is kept without its data, and gives the same page again."""
    monkeypatch.setattr(tool, "ROOT", tmp_path)
    (tmp_path / "docs/results").mkdir(parents=True)
    given = tmp_path / "given"
    given.mkdir()
    for study in tool.PAPERS:
        (given / f"{study}.json").write_text(json.dumps(outcome(tool, study)), "utf-8")
    assert tool.main([str(given)]) == 0
    page = (tmp_path / tool.PAGE).read_text("utf-8")
    assert "data" not in json.loads((tmp_path / tool.KEPT / "kaps2006.json").read_text("utf-8"))
    assert tool.main([]) == 0
    assert (tmp_path / tool.PAGE).read_text("utf-8") == page


def test_a_paper_without_an_outcome_is_named(tool: ModuleType, tmp_path: Path) -> None:
    """The page says which paper and which result are not there, and has the others."""
    for study in tool.PAPERS[1:]:
        (tmp_path / f"{study}.json").write_text(json.dumps(outcome(tool, study)), "utf-8")
    page = tool.page(tool.read(tmp_path))
    absent = tool.PAPERS[0]
    title = next(result.title for result in tool.RESULTS if result.study == absent)
    assert f"No outcome is kept yet of {absent}" in page
    assert f'nor the result "{title}"' in page
    assert f"### {title}" not in page
    assert f"The claim of {tool.PAPERS[1]}." in page


def test_the_page_is_that_of_the_kept_outcomes(tool: ModuleType) -> None:
    """Nobody has changed the page by hand, nor the parts of outcomes without the page."""
    written = (tool.ROOT / tool.PAGE).read_text("utf-8")
    assert written == tool.page(tool.read(tool.ROOT / tool.KEPT))


def test_the_kept_claims_are_those_of_the_catalogue(tool: ModuleType) -> None:
    """A claim that is added or said otherwise needs the study to run again."""
    for study, kept in tool.read(tool.ROOT / tool.KEPT).items():
        facts = tomllib.loads((tool.ROOT / f"catalogue/papers/{study}.toml").read_text("utf-8"))
        ours = [(claim["id"], claim["text"], claim["place"]) for claim in facts["claims"]]
        assert [(claim["id"], claim["text"], claim["place"]) for claim in kept["claims"]] == ours
