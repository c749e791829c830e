# SPDX-License-Identifier: Apache-2.0
"""Raw series of a study's finished parts, kept so that a study that was stopped goes on.

Series of the harness are in the store like any run. Series that a study measures without the
harness are written here, whole parts at a time, next to the report.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from joulemark.report.files import write_atomically


class Journal:
    """JSON files in a folder, one per part, each with a question and the measured answer.

    Args:
        folder: existing and writable.
        study: id of the study, with which the names of the files begin.
        fresh: whether to measure again even if a file has the answer.
    """

    def __init__(self, folder: Path, study: str, *, fresh: bool) -> None:
        self._folder = folder
        self._study = study
        self._fresh = fresh

    def path(self, part: str) -> Path:
        """Returns the path of the file of a part."""
        return self._folder / f"{self._study}-{part}.json"

    def part(
        self, part: str, asked: Mapping[str, Any], measure: Callable[[], dict[str, Any]]
    ) -> dict[str, Any]:
        """Returns the kept answer to the same question, else measures the answer and keeps it.

        Args:
            part: the name of the part.
            asked: the question: JSON values of all that the answer depends on, such as the machine.
            measure: measures the answer, as JSON values.
        """
        question = json.loads(json.dumps(asked))
        answer = None if self._fresh else self._answer(part, question)
        if answer is None:
            answer = measure()
            text = json.dumps({"asked": question, "measured": answer}, allow_nan=False)
            write_atomically(self.path(part), text.encode())
        return answer

    def _answer(self, part: str, question: Any) -> dict[str, Any] | None:
        """Returns the answer in the file of a part; None if the file answers another question."""
        try:
            match json.loads(self.path(part).read_text("utf-8")):
                case {"asked": asked, "measured": dict(answer)} if asked == question:
                    return answer
        except (OSError, ValueError):
            pass
        return None
