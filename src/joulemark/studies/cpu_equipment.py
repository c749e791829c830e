# SPDX-License-Identifier: Apache-2.0
"""What studies that measure on this CPU share: equipment, an option, kept parts, and pace."""

from __future__ import annotations

import json
import textwrap
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import typer

from joulemark.environment.facts import Environment
from joulemark.measure.inventory import Inventory
from joulemark.measure.plan import EnergyPlan
from joulemark.measure.runner import RunObserver
from joulemark.report.files import write_atomically
from joulemark.store.repository import Store

FRESH_OPTION: Final[Any] = typer.Option(
    "--fresh", help="Measure everything again instead of going on with what is there."
)


def exit_codes(failures: str) -> str:
    """Returns the lines of help about exit codes.

    Args:
        failures: names what a study may fail to do, and says what is kept then.
    """
    refused = f"refused, or a part that was asked for could not be done: {failures}"
    return (
        "  0    measured, whatever the verdicts are\n"
        + textwrap.fill(refused, 76, initial_indent="  2    ", subsequent_indent=" " * 7)
        + "\n  130  interrupted; the same command goes on\n"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class CpuEquipment:
    """The implementations of this machine, their meter, and the places of the series."""

    inventory: Inventory
    store: Store
    """Keeps the samples of the harness; a run in it is continued."""
    environment: Environment
    """The facts of this machine."""
    folder: Path
    """Existing folder for raw series that the harness does not take."""
    energy: EnergyPlan | None = None
    observer: RunObserver | None = None
    """Is told of the harness's progress."""
    say: Callable[[str], None] = lambda _text: None
    """Is told the name of the part that begins."""
    progress: Callable[[int, int, str], None] = lambda _done, _total, _text: None
    """Is told how much of a part is done, of how much, and what comes; for parts without runs."""


# Raw series of a study's finished parts, kept so that a study that was stopped goes on.
#
# Series of the harness are in the store like any run. Series that a study measures without the
# harness are written here, whole parts at a time, next to the report.

PartFields = dict[str, Any]
"""What was measured in a part of a study: JSON values by name, as its file keeps them."""


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
        self, part: str, asked: Mapping[str, Any], measure: Callable[[], PartFields]
    ) -> PartFields:
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

    def _answer(self, part: str, question: Any) -> PartFields | None:
        """Returns the answer in the file of a part; None if the file answers another question."""
        try:
            match json.loads(self.path(part).read_text("utf-8")):
                case {"asked": asked, "measured": dict(answer)} if asked == question:
                    return answer
        except (OSError, ValueError):
            pass
        return None


# How a study keeps its time on a machine that others use too.
#
# A window that does not count is taken again, which doubles the time of a study if no window
# counts. So second attempts are made only while the study is on time: while it has taken no longer
# than its functions may take. The page says how many windows do not count.

MOST_ATTEMPTS: Final = 2
"""Most windows that are taken for one that counts."""


class StudyPace:
    """The time of a study beside that which its functions may take.

    Args:
        function_s: seconds that a function may take.
        clock: gives seconds.
    """

    def __init__(self, function_s: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._function_s = function_s
        self._clock = clock
        self._begun_s = clock()
        self._done = 0

    def attempts(self) -> int:
        """Returns the most windows until one counts, for the function that begins now."""
        late = self._clock() - self._begun_s > self._function_s * self._done
        self._done += 1
        return 1 if late and self._done > 1 else MOST_ATTEMPTS
