# SPDX-License-Identifier: Apache-2.0
"""A study as Markdown: the summary, the claims and every table."""

from __future__ import annotations

from collections.abc import Sequence

from joulemark.studies.outcome import StudyOutcome

__all__ = ["render_markdown"]


def render_markdown(outcome: StudyOutcome) -> str:
    """Returns the whole document."""
    lines = [
        f"# {outcome.study}: {outcome.title}",
        "",
        f"{outcome.done} {outcome.counts}",
        "",
        outcome.summary,
        "",
        f"Repeated {outcome.repeated} on {outcome.machine}.",
        f"Joulemark {outcome.joulemark_version}. The paper: {outcome.reference}",
        "",
        *(f"- {_escaped(note)}" for note in [*outcome.missing, *outcome.notes]),
        "",
        "## Claims",
        "",
        *_table(
            ["Claim", "Place", "Verdict", "Judged by", "Why"],
            [
                [claim.text, claim.place, claim.verdict.value, claim.ground.value, claim.why]
                for claim in outcome.claims
            ],
        ),
    ]
    for table in outcome.tables:
        lines += ["", f"## {table.title}", "", table.caption, ""]
        lines += _table(table.headings, table.rows)
    return "\n".join(lines) + "\n"


def _table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    return [
        _line(headings),
        _line(["---"] * len(headings)),
        *(_line([_escaped(cell) for cell in row]) for row in rows),
    ]


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _escaped(text: str) -> str:
    """Returns the text without characters that would end a cell or a row."""
    return text.replace("|", "\\|").replace("\n", " ").replace("<", "&lt;")
