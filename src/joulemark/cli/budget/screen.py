# SPDX-License-Identifier: Apache-2.0
"""The screen of `joulemark budget`: the answer first, then its table, then what it rests on."""

from __future__ import annotations

from collections import Counter

import typer

from joulemark.budget.plan import Budget
from joulemark.budget.planner import Planner
from joulemark.cli.shared.terminal import columns, heading, listed, sentences
from joulemark.report.budget.view import View
from joulemark.report.budget.words import caveats, documents, question_text, remembered

__all__ = ["show"]


def show(planner: Planner, views: list[View], *, everything: bool) -> None:
    """Prints the question, one view after another, and the sources.

    Args:
        planner: whose question was answered.
        views: at least one.
        everything: whether each value is listed, and not only how many were remembered.
    """
    budget = planner.budget
    sentences([f"{question_text(budget)}:"])
    for place, view in enumerate(views):
        if place:
            typer.echo("")
        heading(view.answer)
        if view.rows:
            columns([view.headings, *view.rows], right=view.right, prose=(0,))
        sentences(view.notes, indent=2)
    if budget.left_out:
        typer.echo("\nNot in the ranking")
        columns([(why, ", ".join(which)) for why, which in budget.left_out.items()], prose=(1,))
    typer.echo("")
    sentences(_grounds(budget, everything=everything))


def _grounds(budget: Budget, *, everything: bool) -> list[str]:
    """Lines on the evidence of core cycles and on the state of the values, then the caveats."""
    sources = Counter(
        (candidate.cycles.source, str(candidate.cycles.evidence)) for candidate in budget.ranking
    )
    lines = [f"Core cycles: {source} ({word})." for source, word in sources]
    unread = remembered(budget)
    if unread:
        keys = listed([line.partition(" = ")[0] for line in unread])
        lines.append(
            f"{len(unread)} values are remembered, not read in their document, and count as "
            "uncertain by 25 % where the file does not say more"
            + (":" if everything else f": {keys}; --all lists them with their sources.")
        )
    if everything:
        lines.extend(f"  {line}" for line in unread)
        lines.append("Read in their documents:")
        lines.extend(f"  {document}" for document in documents(budget))
    lines.append(
        "Energies are modelled: currents of data sheets by core cycles and time on the air. "
        "Brackets have the uncertainty of these values alone (95 %), not of what is left out."
    )
    lines.extend(caveats(budget))
    return lines
