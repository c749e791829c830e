# SPDX-License-Identifier: Apache-2.0
"""The files that a study writes: page, figures, Markdown."""

from __future__ import annotations

from pathlib import Path

from joulemark.report.files import ReportError, write_atomically
from joulemark.studies.markdown import render_markdown
from joulemark.studies.outcome import StudyOutcome
from joulemark.studies.page import render_page

__all__ = ["prepare_folder", "write_files"]


def prepare_folder(folder: Path) -> None:
    """Makes the folder, and writes a file there to find out whether that is allowed.

    Raises:
        ReportError: the folder cannot be made or written to.
    """
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
    """Writes `<study>.json`, `.md` and `.html`, and returns their paths.

    Raises:
        ReportError: a file cannot be written.
    """
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
