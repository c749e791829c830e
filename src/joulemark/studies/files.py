# SPDX-License-Identifier: Apache-2.0
"""The files that a study writes: page, figures, Markdown, LaTeX."""

from __future__ import annotations

import json
from pathlib import Path

from joulemark.report import ReportError, write_atomically
from joulemark.report.draw import markdown
from joulemark.report.latex import latex
from joulemark.report.page.templates import render_template
from joulemark.studies.study import StudyOutcome

# A study as one HTML file that opens without a network, in the style of every report.

_TEMPLATES = Path(__file__).parent / "templates"


def render_page(outcome: StudyOutcome) -> str:
    """Returns the whole page."""
    data = json.loads(outcome.model_dump_json(exclude={"charts"}))
    return render_template("study.html.j2", outcome.charts, data, _TEMPLATES, outcome=outcome)


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
    """Writes `<study>.json`, `.md`, `.tex` and `.html`, and returns their paths."""
    contents = {
        "json": outcome.model_dump_json(indent=1, exclude={"charts"}) + "\n",
        "md": markdown(outcome.sheet),
        "tex": latex(outcome.sheet),
        "html": render_page(outcome),
    }
    paths = []
    for ending, text in contents.items():
        path = folder / f"{outcome.study}.{ending}"
        write_atomically(path, text.encode())
        paths.append(path)
    return paths
