# SPDX-License-Identifier: Apache-2.0
"""The files that a study writes: page, figures, Markdown."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from joulemark.report.files import ReportError, write_atomically
from joulemark.report.page.html import render_template
from joulemark.studies.outcome import StudyOutcome

# A study as one HTML file that opens without a network, in the style of every report.

_TEMPLATES = Path(__file__).parent / "templates"


def render_page(outcome: StudyOutcome) -> str:
    """Returns the whole page."""
    charts = [{"name": chart.name, "spec": chart.spec} for chart in outcome.charts]
    data = json.loads(outcome.model_dump_json(exclude={"charts"}))
    return render_template("study.html.j2", charts, data, _TEMPLATES, outcome=outcome)


# A study as Markdown: the summary, the claims and every table.


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


def prepare_folder(folder: Path) -> None:
    """Makes the folder, and writes a file there to find out whether that is allowed."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ReportError(
            f"{folder} cannot be made ({error.strerror}); name another folder with --output"
        ) from error
    trial = folder / ".joulemark-writable"
    write_atomically(trial, b"")
    trial.unlink(missing_ok=True)


def write_files(outcome: StudyOutcome, folder: Path) -> list[Path]:
    """Writes `<study>.json`, `.md` and `.html`, and returns their paths."""
    contents = {
        "json": outcome.model_dump_json(indent=1, exclude={"charts"}) + "\n",
        "md": render_markdown(outcome),
        "html": render_page(outcome),
    }
    paths = []
    for ending, text in contents.items():
        path = folder / f"{outcome.study}.{ending}"
        write_atomically(path, text.encode())
        paths.append(path)
    return paths
