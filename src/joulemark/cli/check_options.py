# SPDX-License-Identifier: Apache-2.0
"""The question of `joulemark check`, and how it gives its answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final, NoReturn

import typer
from pydantic import JsonValue

from joulemark.analyse.compare import RunComparison
from joulemark.analyse.gate_limits import GateLimits
from joulemark.analyse.gate_outcome import GateCode, GateOutcome
from joulemark.analyse.gate_report import GateReport
from joulemark.cli.comparison_table import print_common, print_comparisons
from joulemark.cli.shared.completion import implementation_names
from joulemark.cli.shared.measuring_options import (
    ALPHA_OPTION,
    DEFAULT_STORE,
    JSON_OPTION,
    RUN_OPTION,
    STORE_OPTION,
)
from joulemark.cli.shared.terminal import columns, heading, print_json, print_text, sentences
from joulemark.errors import JoulemarkError, UsageError
from joulemark.foreign import ForeignError
from joulemark.measure.paired_run import FEWEST_GENERATIONS
from joulemark.report import write_atomically
from joulemark.report.gate import action_json, bencher_json, gate_markdown, junit_xml
from joulemark.units import format_percent, parse_difference, parse_duration

# What is asked of two builds or of two stored runs.

DEFAULT_BUDGET_S: Final = 60.0
_LONGEST_BUDGET_S: Final = 86_400.0


class ComparedQuantity(StrEnum):
    """The quantity that is compared."""

    HOST = "host"
    INSTRUCTIONS = "instructions"


@dataclass(frozen=True, slots=True)
class DifferenceOptions:
    """What is measured of the builds, and when their difference counts."""

    patterns: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="PATTERN|FILE",
            help="Algorithm (hmac-sha256), implementation (hmac-sha256/shani), glob ('hmac-*') or "
            "family (family:sha3); with --function the files of its code.",
            autocompletion=implementation_names,
        ),
    ] = None
    size: Annotated[
        str | None,
        typer.Option(
            help="Message sizes, as for joulemark bench: 64,1KiB. 64 B, 1 KiB and 16 KiB unless "
            "given."
        ),
    ] = None
    budget: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help="Time to measure at most, as in 90s or 5min, but for the fewest starts of "
            f"processes, {FEWEST_GENERATIONS}; it ends sooner when every trial is decided. 60s "
            "unless given.",
        ),
    ] = None
    target: Annotated[
        ComparedQuantity,
        typer.Option(
            help="host (time on this machine), or instructions: counted by the CPU where it may be "
            "read, else by valgrind; exact, and what a shared runner repeats."
        ),
    ] = ComparedQuantity.HOST
    threshold: Annotated[
        str | None,
        typer.Option(
            metavar="DIFFERENCE",
            help="Smallest difference that counts, as 5% or 0.05. 5% unless given; 0% with "
            "--target instructions.",
        ),
    ] = None
    thresholds: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Limits of single trials, in TOML: tables [[limit]] with pattern, size, threshold "
            "(as 2%) and below (a longest time of the new code, as 100 ns).",
        ),
    ] = None
    alpha: Annotated[float, ALPHA_OPTION] = 0.05

    @property
    def exact(self) -> bool:
        """Whether instructions are counted, which has no noise."""
        return self.target is ComparedQuantity.INSTRUCTIONS

    def smallest(self) -> float:
        """The smallest difference that counts, as a share."""
        return parse_difference(self.threshold or ("0%" if self.exact else "5%"), "--threshold")

    def limits(self) -> GateLimits:
        """The limits of each trial."""
        usual = self.smallest()
        return GateLimits(usual) if self.thresholds is None else self._read(self.thresholds, usual)

    @staticmethod
    def _read(path: Path, usual: float) -> GateLimits:
        try:
            return GateLimits.read(path, usual)
        except ForeignError as error:
            raise UsageError(f"--thresholds {error}") from None

    def budget_s(self) -> float:
        """Seconds of `--budget`; the usual number without it."""
        if self.budget is None:
            return DEFAULT_BUDGET_S
        found = parse_duration(self.budget, "--budget")
        if found > _LONGEST_BUDGET_S:
            raise UsageError(f"--budget {self.budget}: give a length of time of at most 24h")
        return found


@dataclass(frozen=True, slots=True)
class StoredOptions:
    """Two stored runs instead of builds."""

    baseline: Annotated[
        str | None,
        typer.Option(
            metavar="RUN_OR_FILE",
            help="Number of a run in the store, or a file from 'joulemark export --raw'.",
        ),
    ] = None
    run: Annotated[int | None, RUN_OPTION] = None
    store: Annotated[str, STORE_OPTION] = DEFAULT_STORE


# The answer: on the screen, in files, and by the exit code.

CHECK_VERSION = 4
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
        taken: dict[Path, str] = {}
        for option, path, _ in self._files:
            if not path.parent.is_dir():
                raise UsageError(f"{option} {path}: there is no folder {path.parent}")
            other = taken.setdefault(path.resolve(), option)
            if other != option:
                raise UsageError(f"{option} {path}: {other} names this file too; give each its own")

    @property
    def _files(self) -> list[tuple[str, Path, Callable[[GateReport], bytes]]]:
        """Option, file, and what makes its content, of the forms that are files."""
        forms = (
            ("--junit", self.junit, junit_xml),
            ("--bencher", self.bencher, bencher_json),
            ("--action-json", self.action_json, action_json),
        )
        return [(option, path, render) for option, path, render in forms if path is not None]

    def require_apart(self, *inputs: str | Path | None) -> None:
        """Refuses a form that would replace one of these inputs, where they are files."""
        named = {Path(name).resolve() for name in inputs if name is not None}
        for option, path, _ in self._files:
            if path.is_file() and path.resolve() in named:
                raise UsageError(f"{option} {path}: the check reads this file; name another")

    def write_files(self, report: GateReport) -> None:
        """Writes the forms that are files, over those of an earlier check."""
        for _, path, render in self._files:
            write_atomically(path, render(report))


@contextmanager
def report_refusals(forms: Forms) -> Iterator[None]:
    """Writes a refusal into the forms that a job shows too, which would else be empty or old."""
    try:
        yield
    except JoulemarkError as error:
        report = GateReport(
            "joulemark check", GateCode.NOT_ANSWERED, (str(error),), (), (), "ns", "none"
        )
        forms.write_files(report)
        if forms.markdown:
            typer.echo(gate_markdown(report), nl=False)
        raise


def longest_times(outcome: GateOutcome) -> list[JsonValue]:
    """Trials of the new code that may take no longer than a stated time, for JSON."""
    return [
        {
            "implementation": limit.implementation,
            "message": limit.workload.in_sentence,
            "longest_s": limit.longest_s,
            "median_s": limit.median_s,
            "low_s": limit.low_s,
            "high_s": limit.high_s,
            "verdict": limit.words,
        }
        for limit in outcome.times
    ]


def deliver(
    report: GateReport, runs: RunComparison | None, details: Mapping[str, JsonValue], forms: Forms
) -> NoReturn:
    """Writes the files, prints the answer, and ends the command with the code of the answer.

    Exact figures have no comparisons behind them; then `runs` is None. `details` are values of the
    JSON beside the answer.
    """
    forms.write_files(report)
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
        print_text(f"  {report.evidence.capitalize()}: {report.effort}.")
