# SPDX-License-Identifier: Apache-2.0
"""The short table beside the first chart: ours and the best of the others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from joulemark.analyse.results import Result, ResultSet
from joulemark.report.answers import Block, blocks
from joulemark.report.figures import clocks_text, relative_text, seconds_text
from joulemark.report.workload import duration, shown_name

__all__ = ["AnswerRow", "AnswerTable", "Side", "answer_tables"]

_LENGTHS: Final = 2
"""Lengths that are shown if there are several algorithms."""


@dataclass(frozen=True, slots=True)
class Side:
    """The fastest of ours, or of all others."""

    text: str
    name: str


@dataclass(frozen=True, slots=True)
class AnswerRow:
    """One algorithm, or one length of it."""

    label: str
    ours: Side | None
    other: Side | None
    factor: str
    """Time of the other over that of ours."""


@dataclass(frozen=True, slots=True)
class AnswerTable:
    """Ours beside the best of the others."""

    heading: str
    workload: str
    evidence: str
    rows: list[AnswerRow]


def answer_tables(results: ResultSet) -> list[AnswerTable]:
    """Tables at the usual length and the longest; of a single algorithm at all lengths."""
    return [
        AnswerTable(
            block.heading, block.workload, _evidence(block),
            [
                AnswerRow(
                    label,
                    _side(answer.ours),
                    _side(answer.best),
                    relative_text(answer.factor, tied=answer.tied),
                )
                for label, answer in block.rows
            ],
        )
        for block in blocks(results, _LENGTHS)
    ]  # fmt: skip


def _evidence(block: Block) -> str:
    sides = [side for _, answer in block.rows for side in (answer.ours, answer.best) if side]
    return " and ".join(
        sorted({figure.evidence.value for side in sides if (figure := duration(side))})
    )


def _side(result: Result | None) -> Side | None:
    figure = None if result is None else duration(result)
    if result is None or figure is None:
        return None
    timed = result.seconds_per_message is not None
    text = seconds_text(figure) if timed else f"{clocks_text(figure)} clocks"
    return Side(text.partition(" [")[0], shown_name(result))
