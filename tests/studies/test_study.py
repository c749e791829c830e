# SPDX-License-Identifier: Apache-2.0
"""The common code of all studies, tested with a made-up study."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any

import pytest
from pydantic import ValidationError

from joulemark import studies
from joulemark.catalogue import data_folder
from joulemark.cli.reproduce import conditions_of, show_outcome
from joulemark.cli.shared import terminal
from joulemark.environment.facts import Environment
from joulemark.report.draw import markdown
from joulemark.studies.equipment import render_page
from joulemark.studies.papers import Claim, Paper
from joulemark.studies.study import (
    Answers,
    ClaimAnswer,
    ClaimVerdict,
    Ground,
    PaperStudy,
    StudyPage,
    by_its_figures,
    either,
    not_tested,
)

PAPER = Paper(
    id="nobody1999",
    title="made up",
    references=["kaps2006"],
    claims=[Claim(id=text, place="abstract", text=f"{text}.") for text in ("second", "first")],
)


@dataclass(frozen=True)
class Options:
    """One option."""

    count: int = 1


def study(answers: Answers) -> PaperStudy[Paper, Options, str, str]:
    """A study that finds as many words as it is asked for."""
    return PaperStudy(
        paper=lambda: PAPER,
        options=Options,
        equipment="cores",
        measure=lambda paper, options, equipment: f"{paper.id} {equipment * options.count}",
        judge=lambda _paper, _found: answers,
        page=lambda paper, found: StudyPage(
            done="Done.", summary=f"{paper.title}: {found}", notes=["n"], tables=[], charts=[],
            data={"found": found}, missing=["m"],
        ),
        seconds=lambda _options: 1.0,
        bounds=["Few are up to three."],
        exit_codes="",
        examples=(),
    )  # fmt: skip


def test_claims_are_judged_in_the_order_of_the_paper() -> None:
    """An answer to a claim that the paper does not make is not called."""
    answers = {
        "first": lambda: either(Ground.PROVED, "It is so.", holds=True),
        "second": lambda: not_tested("No time."),
        "third": lambda: pytest.fail("the paper has no such claim"),
    }
    outcome = study(answers).reproduce(Options(2), "word ", machine="here")
    judged = outcome.claims
    assert [(judged_claim.id, judged_claim.verdict) for judged_claim in judged] == [
        ("second", ClaimVerdict.UNTESTED),
        ("first", ClaimVerdict.HOLDS),
    ]
    assert (judged[1].text, judged[1].place, judged[1].why) == ("first.", "abstract", "It is so.")
    assert outcome.summary == "made up: nobody1999 word word "
    assert (outcome.notes, outcome.data["found"], outcome.missing) == (
        ["n"], "nobody1999 word word ", ["m"],
    )  # fmt: skip
    assert (outcome.study, outcome.machine) == ("nobody1999", "here")
    assert "Kaps" in outcome.reference


def test_a_claim_without_an_answer_is_our_fault() -> None:
    """A claim without an answer raises an error."""
    with pytest.raises(KeyError, match="first"):
        study({"second": lambda: not_tested("No time.")}).reproduce(Options(), "", machine="here")


def papers() -> Iterator[str]:
    """Names of the files of papers."""
    return (path.stem for path in (data_folder("catalogue") / "papers").glob("*.toml"))


def test_every_study_has_its_paper_and_its_summary() -> None:
    """Folder and file have one name, and the summary is one sentence."""
    found = studies.summaries()
    assert sorted(found) == sorted(papers())
    assert all(text.count("\n") == 0 and text.endswith((".", "?")) for text in found.values())


@pytest.mark.parametrize("verdict", [ClaimVerdict.HOLDS, ClaimVerdict.FAILS])
def test_a_paper_that_is_read_back_holds_nothing(verdict: ClaimVerdict) -> None:
    """No study can say that a claim holds, or does not, by the paper's own figures."""
    read_back = ClaimAnswer(verdict, Ground.PUBLISHED, "By its Table 1.")
    with pytest.raises(ValidationError, match="cannot be 'published figures'"):
        read_back.of(PAPER.claims[0])
    with pytest.raises(ValidationError, match="cannot be 'measured'"):
        ClaimAnswer(ClaimVerdict.AGREES, Ground.MEASURED, "By a meter.").of(PAPER.claims[0])


def test_each_verdict_has_its_sign_and_comes_first() -> None:
    """Page and Markdown show sign and verdict before the claim; a phone puts cells in lines."""
    answers = {
        "first": lambda: either(Ground.PROVED, "It is so.", holds=True),
        "second": lambda: either(Ground.PROVED, "It is not.", holds=False),
    }
    outcome = study(answers).reproduce(Options(1), "", machine="here")
    assert "| \N{BALLOT X} does not hold here | second. |" in markdown(outcome.sheet)
    page = render_page(outcome)
    sign = '<span class="tone holds"><b>\N{CHECK MARK}</b> holds</span>'
    assert '<table class="stacked">' in page
    assert f'<tr><th scope="row">{sign}</th><td class="prose">first.</td>' in page


def test_claims_that_agree_with_their_paper_are_counted_apart() -> None:
    """The sentence of counts says first whether anything was tested."""
    answers = {
        "first": lambda: by_its_figures("By its Table 1.", agrees=True),
        "second": lambda: by_its_figures("By its Table 1.", agrees=False),
    }
    outcome = study(answers).reproduce(Options(1), "", machine="here")
    assert [claim.verdict for claim in outcome.claims] == [
        ClaimVerdict.CONTRADICTED,
        ClaimVerdict.AGREES,
    ]
    assert outcome.counts == (
        "Of 2 claims none was tested here, 1 agrees with the paper's own figures, 1 contradicts "
        "the paper's own figures."
    )
    assert outcome.done == "Done."


def test_the_outcome_says_where_and_how_it_was_found() -> None:
    """Begin, end and the facts of the call are in the JSON and in the last table."""
    outcome = study(
        {"first": lambda: not_tested("a"), "second": lambda: not_tested("b")}
    ).reproduce(Options(1), "", machine="here", conditions={"command": "joulemark reproduce x"})
    assert outcome.started_at <= outcome.ended_at
    bounds, last = outcome.tables[-2:]
    assert bounds.texts() == [["Few are up to three."]]
    assert last.title == "Conditions"
    assert dict(last.texts()) == outcome.conditions
    assert list(outcome.conditions) == ["command", "options", "begin", "end"]
    assert outcome.conditions["options"] == "count 1"


def test_conditions_and_bounds_fit_a_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Long values are broken into lines that begin at one place, with digits or without."""
    monkeypatch.setattr(terminal, "terminal_width", lambda *_: 80)
    outcome = study(
        {"first": lambda: not_tested("a"), "second": lambda: not_tested("b")}
    ).reproduce(Options(1), "", machine="here", conditions={"flags": "-O2 -g0 " * 20})
    show_outcome(outcome.model_copy(update={"missing": []}), [], json_=False)
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 80
    assert sum("-O2 -g0" in line for line in lines) >= 2


def test_conditions_leave_out_what_is_not_known() -> None:
    """A machine that tells its model alone has no empty rows."""
    unknown: Any = {field.name: None for field in fields(Environment)}
    environment = Environment(**{**unknown, "cpu_model": "A CPU", "virtualised": False})
    found = conditions_of("kaps2006", environment, None)
    assert {name: text for name, text in found.items() if name != "commit"} == {
        "command": "joulemark reproduce kaps2006", "CPU": "A CPU", "virtual machine": "no",
    }  # fmt: skip
