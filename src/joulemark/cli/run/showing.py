# SPDX-License-Identifier: Apache-2.0
"""Results on standard output: one screen, the long tables, or a format for other programs."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import typer

from joulemark.analyse.results import ResultSet
from joulemark.cli.shared.measuring_options import DEFAULT_STORE
from joulemark.cli.shared.terminal import print_lines, screen_size, sentences
from joulemark.foreign.text import visible
from joulemark.report.answers import has_answer
from joulemark.report.context import meter_choice
from joulemark.report.draw import sheet_lines
from joulemark.report.export import exporter
from joulemark.report.screen import LINES, Screen
from joulemark.report.terminal_tables import results_sheet


def print_results(
    results: ResultSet,
    kind: str | None,
    *,
    all_of_them: bool,
    more: str,
    below: int = 0,
    energy_said: bool = False,
) -> None:
    """Prints results.

    Args:
        results: what is printed.
        kind: name of an export format; None for text.
        all_of_them: the long tables in any case.
        more: the command that shows them.
        below: lines that follow on the same terminal.
        energy_said: a sentence on standard error says why there are no joules.
    """
    if kind is not None:
        typer.echo(exporter(kind).render(results, None), nl=False)
        return
    if (choice := meter_choice(results)) is not None:
        sentences([visible(choice)])
    size = screen_size()
    if all_of_them or not has_answer(results):
        sheet = results_sheet(results, size.columns, energy_said=energy_said)
        print_lines(sheet_lines(sheet, size.columns))
    else:
        limit = min(size.lines - below, LINES) if sys.stdout.isatty() else LINES
        print_lines(Screen(results, more).lines(size.columns, limit))


def command_for_all(run: int, store: str | None) -> str:
    """The command that shows all results of a run.

    Args:
        run: its number.
        store: where it is; None: it was not kept.
    """
    if store is None:
        return "the same command with --all"
    place = "" if store == DEFAULT_STORE else f" --store {shlex.quote(store)}"
    return f"joulemark results {run} --all{place}"


def page_line(page: Path) -> str:
    """A line with the file of a page, and its address, of which a terminal makes a link."""
    return f"report: {page} ({page.absolute().as_uri()})"
