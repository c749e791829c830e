# SPDX-License-Identifier: Apache-2.0
"""What `joulemark add DIR` prints: what is kept, a line for everything that is not, and counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from itertools import groupby
from pathlib import Path
from typing import Any

import typer

from joulemark.cli.shared.terminal import columns, heading
from joulemark.foreign.text import visible
from joulemark.own_code.ebacs.layout import Tree
from joulemark.own_code.ebacs.outcomes import Outcome, Verdict

__all__ = ["TREE_VERSION", "as_json", "show"]

TREE_VERSION = 1
"""Version of the JSON that `--json` prints."""


def as_json(
    tree: Tree, folder: Path, outcomes: Sequence[Outcome], run: int | None
) -> dict[str, Any]:
    """The whole answer; an outcome says whether it was known from before."""
    return {
        "schema_version": TREE_VERSION,
        "tree": str(tree.root),
        "folder": str(folder),
        "run": run,
        "passed_over": list(tree.passed_over),
        "counts": {verdict.value: number for verdict, number in _counts(outcomes)},
        "outcomes": [asdict(outcome) for outcome in outcomes],
    }


def show(tree: Tree, folder: Path, outcomes: Sequence[Outcome]) -> None:
    """Prints the answer for people."""
    right = [outcome for outcome in outcomes if outcome.verdict is Verdict.RIGHT]
    if right:
        heading(visible(f"kept in {folder}"))
        columns([_row(outcome) for outcome in right], prose=(4,))
    others = [outcome for outcome in outcomes if outcome.verdict is not Verdict.RIGHT]
    if others:
        heading("not kept")
    for (implementation, verdict, reason), found in groupby(others, _shared_facts):
        builds = ", ".join(filter(None, (_build(outcome) for outcome in found)))
        typer.echo(visible(f"  {implementation}{f' ({builds})' if builds else ''}: "
                           f"{verdict}{f': {reason}' if reason else ''}"))  # fmt: skip
    if tree.passed_over:
        typer.echo(visible(f"neither hash nor MAC, not looked at: {', '.join(tree.passed_over)}"))
    implementations = len({outcome.implementation for outcome in outcomes})
    heading(f"{len(outcomes)} builds of {implementations} implementations")
    columns([(verdict.value, str(number)) for verdict, number in _counts(outcomes)], right=(1,))


def _counts(outcomes: Sequence[Outcome]) -> list[tuple[Verdict, int]]:
    """How often there is each verdict, those that do not occur left out."""
    counts = Counter(outcome.verdict for outcome in outcomes)
    return [(verdict, counts[verdict]) for verdict in Verdict if counts[verdict]]


def _shared_facts(outcome: Outcome) -> tuple[str, str, str]:
    """The facts by which several builds share a line."""
    return outcome.implementation, outcome.verdict.value, outcome.reason


def _build(outcome: Outcome) -> str:
    return "" if outcome.compiler is None else f"{outcome.compiler} {outcome.flag_set}"


def _row(outcome: Outcome) -> tuple[str, str, str, str, str]:
    notes = ("as before" if outcome.before else "",
             "reads past the end of its message" if outcome.reads_on else "")  # fmt: skip
    return (
        visible(outcome.name or ""), visible(outcome.implementation), outcome.compiler or "",
        outcome.flag_set or "", ", ".join(filter(None, notes)),
    )  # fmt: skip
