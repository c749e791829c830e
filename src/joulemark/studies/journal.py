# SPDX-License-Identifier: Apache-2.0
"""Raw series of a study's finished parts, kept so that a study that was stopped goes on.

What the harness measures is in the store like any run. What a study measures in its own way is
written here, whole parts at a time, next to its report.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from joulemark.report.files import write_atomically

__all__ = ["Journal"]


class Journal:
    """JSON files in a folder, one per part: what was asked, and what was measured.

    Args:
        folder: existing and writable.
        study: id of the study; begins the names of the files.
        fresh: measure again even if a file answers.
    """

    def __init__(self, folder: Path, study: str, *, fresh: bool) -> None:
        self._folder = folder
        self._study = study
        self._fresh = fresh

    def path(self, part: str) -> Path:
        """Where a part lies."""
        return self._folder / f"{self._study}-{part}.json"

    def part(
        self, part: str, asked: Mapping[str, Any], measure: Callable[[], dict[str, Any]]
    ) -> dict[str, Any]:
        """What was measured before for the same question, or what `measure` now gives, kept.

        Args:
            part: its name.
            asked: all that the answer depends on, as JSON values; the machine included.
            measure: takes the measurement; gives JSON values.

        Raises:
            ReportError: the file cannot be written.
        """
        question = json.loads(json.dumps(asked))
        kept = None if self._fresh else self._kept(part)
        if kept is not None and kept.get("asked") == question:
            answer: dict[str, Any] = kept["measured"]
            return answer
        measured = measure()
        text = json.dumps({"asked": question, "measured": measured}, allow_nan=False)
        write_atomically(self.path(part), text.encode())
        return measured

    def _kept(self, part: str) -> dict[str, Any] | None:
        try:
            found = json.loads(self.path(part).read_text("utf-8"))
        except (OSError, ValueError):
            return None
        return (
            found if isinstance(found, dict) and isinstance(found.get("measured"), dict) else None
        )
