# SPDX-License-Identifier: Apache-2.0
"""How `joulemark check` gives its answer: on the screen, in files, and by its exit code."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer

from joulemark.analyse.compare import RunComparison
from joulemark.analyse.gate_outcome import GateCode
from joulemark.analyse.gate_report import GateReport
from joulemark.cli.compare.comparison_table import print_common, print_comparisons
from joulemark.cli.shared.measuring_options import JSON_OPTION
from joulemark.cli.shared.terminal import columns, heading, print_json, sentences
from joulemark.errors import JoulemarkError, UsageError
from joulemark.report.files import write_atomically
from joulemark.report.gate import action_json, bencher_json, gate_markdown, junit_xml
from joulemark.units import format_percent

CHECK_VERSION = 3
"""Version of the JSON that `check` prints."""


@dataclass(frozen=True, slots=True)
class Forms:
    """Forms of the answer that the user wants."""

    as_json: Annotated[bool, JSON_OPTION] = False
    markdown: Annotated[
        bool,
        typer.Option(
            "--markdown", help="Print Markdown, for a job summary or a comment, instead of a table."
        ),
    ] = False
    junit: Annotated[Path | None, typer.Option(metavar="FILE", help="Also write JUnit XML.")] = None
    bencher: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also write Bencher Metric Format.")
    ] = None
    action_json: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Also write what github-action-benchmark reads as customSmallerIsBetter.",
        ),
    ] = None

    def __post_init__(self) -> None:
        """Refuses what could not be delivered, before anything is measured."""
        if self.as_json and self.markdown:
            raise UsageError("--json and --markdown exclude one another; name one")
        for option, path in (
            ("--junit", self.junit),
            ("--bencher", self.bencher),
            ("--action-json", self.action_json),
        ):
            if path is not None and not path.parent.is_dir():
                raise UsageError(f"{option} {path}: there is no folder {path.parent}")


@contextmanager
def report_refusals(forms: Forms) -> Iterator[None]:
    """Writes a refusal into the forms that a job shows too, which would else be empty or old."""
    try:
        yield
    except JoulemarkError as error:
        report = GateReport(
            "joulemark check", GateCode.NOT_ANSWERED, (str(error),), (), (), "ns", "none"
        )
        if forms.junit is not None:
            write_atomically(forms.junit, junit_xml(report))
        if forms.markdown:
            typer.echo(gate_markdown(report), nl=False)
        raise


def deliver(
    report: GateReport, runs: RunComparison | None, details: dict[str, Any], forms: Forms
) -> NoReturn:
    """Writes the files, prints the answer, and ends the command with the code of the answer.

    Args:
        report: the answer.
        runs: the comparisons behind it; None where figures are exact and have none.
        details: values of the JSON beside the answer.
        forms: as the user asked.
    """
    for path, render in (
        (forms.junit, junit_xml),
        (forms.bencher, bencher_json),
        (forms.action_json, action_json),
    ):
        if path is not None:
            write_atomically(path, render(report))
    if forms.as_json:
        print_json(
            {
                "schema_version": CHECK_VERSION,
                "code": int(report.code),
                "answer": report.answer,
                "reasons": list(report.reasons),
                "failures": [failure.sentence for failure in report.failures],
                "vanished": [lost.sentence for lost in report.vanished],
                "allowed": [
                    f"{line.name}: {line.verdict}" for line in report.lines if line.allowed
                ],
                **details,
            }
        )
    elif forms.markdown:
        typer.echo(gate_markdown(report), nl=False)
    else:
        _print(report, runs)
    raise typer.Exit(int(report.code))


def _print(report: GateReport, runs: RunComparison | None) -> None:
    heading(f"{report.title}: {report.headline}")
    sentences((*report.reasons, *(failure.sentence for failure in report.failures)), indent=2)
    if runs is None and report.lines:
        typer.echo("")
        rows = [("implementation", "message", f"old, {report.unit}", "new", "change", "verdict")]
        rows += [
            (
                line.implementation,
                line.workload,
                f"{line.old.value:.10g}",
                f"{line.new.value:.10g}",
                format_percent(line.ratio.value - 1),
                line.verdict,
            )
            for line in report.lines
        ]
        columns(rows, right=(1, 2, 3, 4))
    if runs is not None and runs.comparisons:
        typer.echo("")
        print_comparisons(runs.comparisons, [line.verdict for line in report.lines])
        print_common(replace(runs, missing=()))  # The reasons name them.
    if report.effort:
        typer.echo(f"  {report.evidence.capitalize()}: {report.effort}.")
