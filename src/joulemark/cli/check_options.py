# SPDX-License-Identifier: Apache-2.0
"""The options of `joulemark check`, and how it gives its answer."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final, NoReturn

import typer
from pydantic import JsonValue

from joulemark.analyse.compare import RunComparison
from joulemark.analyse.gate_limits import GateLimits
from joulemark.analyse.gate_outcome import GateCode
from joulemark.analyse.gate_report import GateReport
from joulemark.cli.comparison_table import print_common, print_comparisons
from joulemark.cli.own_options import FLAGS_OPTION, NamedFunction, flag_words, require_variant
from joulemark.cli.shared.completion import implementation_names
from joulemark.cli.shared.measuring_options import (
    ALPHA_OPTION,
    DEFAULT_STORE,
    INCLUDE_OPTION,
    JSON_OPTION,
    RUN_OPTION,
    STORE_OPTION,
)
from joulemark.cli.shared.terminal import columns, heading, print_json, print_text, sentences
from joulemark.errors import JoulemarkError, UsageError
from joulemark.foreign.text import ForeignError
from joulemark.measure.revisions import WORKING_TREE, Recipe, build_file, built_revisions
from joulemark.measure.worker.sources import file_sha256
from joulemark.own_code.both_revisions import SourceRecipe, made_revisions
from joulemark.own_code.building import find_compiler
from joulemark.processes.tool import Limits
from joulemark.report.files import write_atomically
from joulemark.report.gate import action_json, bencher_json, gate_markdown, junit_xml
from joulemark.units import format_percent, parse_difference, parse_duration

# Two builds or stored runs, and what is asked of them.

DEFAULT_BUDGET_S: Final = 60.0
_LONGEST_BUDGET_S: Final = 86_400.0


class ComparedQuantity(StrEnum):
    """The quantity that is compared."""

    HOST = "host"
    INSTRUCTIONS = "instructions"


BuildFiles = tuple[Path, Path]
"""Two builds that exist, the old one first."""
AskedBuilds = BuildFiles | Recipe | SourceRecipe
_HANG_LIMIT_S: Final = 60.0
_OR_FUNCTION: Final = (
    ", or name a function with --function and --algorithm, which needs no plugin in the repository"
)


@dataclass(frozen=True, slots=True)
class CompilingOptions:
    """How the code of `--function` is compiled in both revisions."""

    compiler: Annotated[
        str | None,
        typer.Option(metavar="PROGRAM", help="gcc, clang or another, for --function."),
    ] = None
    flags: Annotated[str | None, FLAGS_OPTION] = None
    include: Annotated[list[str] | None, INCLUDE_OPTION] = None

    @property
    def given(self) -> str | None:
        """The first of these options that was given."""
        values = {"--compiler": self.compiler, "--flags": self.flags, "--include": self.include}
        return next((option for option, value in values.items() if value), None)


@dataclass(frozen=True, slots=True)
class BuildPairOptions:
    """The two builds that are compared."""

    old: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="The old code: a plugin, libjoulemark.so, or a wheel or virtual environment of "
            "Joulemark.",
        ),
    ] = None
    new: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The new code, in the same form.")
    ] = None
    old_rev: Annotated[
        str | None,
        typer.Option(
            metavar="REVISION",
            help="Git revision of the old code in the repository of this folder; needs --function "
            "or --build.",
        ),
    ] = None
    new_rev: Annotated[
        str | None,
        typer.Option(
            metavar="REVISION",
            help="Git revision of the new code; the working tree's tracked files unless given.",
        ),
    ] = None
    build: Annotated[
        str | None,
        typer.Option(
            metavar="COMMAND",
            help="Shell command that builds the plugin, or what FILE names, run in a fresh "
            "checkout of each revision.",
        ),
    ] = None
    artifact: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="The plugin that --build makes, below the root of the checkout; with --function a "
            "library or object (.a, .so, .o).",
        ),
    ] = None

    def asked(
        self, own: NamedFunction, compiling: CompilingOptions, names: Sequence[str]
    ) -> AskedBuilds | None:
        """The two builds; None if none of the options was given. `names` are patterns or files."""
        if own.function is not None:
            return self._function(own, compiling, names)
        if (option := own.given or compiling.given) is not None:
            raise UsageError(f"{option} is for a function that --function names")
        files = {"--old": self.old, "--new": self.new}
        revisions = {
            "--old-rev": self.old_rev,
            "--new-rev": self.new_rev,
            "--build": self.build,
            "--artifact": self.artifact,
        }
        given = {name: value for name, value in (files | revisions).items() if value is not None}
        if not given:
            return None
        if given.keys() & files.keys() and given.keys() & revisions.keys():
            raise UsageError(
                f"{' and '.join(given)} exclude one another: --old and --new name files, "
                "--old-rev and --build make them"
            )
        needed = set(files) if given.keys() & files.keys() else set(revisions) - {"--new-rev"}
        missing = sorted(needed - given.keys())
        if missing:
            raise UsageError(
                f"{' and '.join(given)} without {' and '.join(missing)}; give both sides"
                + ("" if "--old" in files and given.keys() & files.keys() else _OR_FUNCTION)
            )
        if self.old is not None and self.new is not None:
            return self.old, self.new
        return Recipe(str(self.old_rev), self.new_rev, str(self.build), str(self.artifact))

    def _function(
        self, own: NamedFunction, compiling: CompilingOptions, names: Sequence[str]
    ) -> SourceRecipe:
        """The function that `--function` names, in both revisions."""
        if self.old is not None or self.new is not None:
            raise UsageError(
                "--function is for revisions (--old-rev); the files of --old and --new are "
                "plugins, which name their functions"
            )
        if self.old_rev is None:
            raise UsageError("--function needs --old-rev REVISION, the revision of the old code")
        if self.artifact is not None and self.build is None:
            raise UsageError("--artifact is what --build makes; give --build COMMAND as well")
        artifacts = () if self.artifact is None else (self.artifact,)
        files = (*names, *artifacts)
        if not files:
            raise UsageError(
                f"--function {own.function}: name the files with its code, as joulemark add does"
            )
        request = own.request(files, _HANG_LIMIT_S, None, replace_=False)
        require_variant(request.variant)
        return SourceRecipe(
            self.old_rev,
            self.new_rev,
            self.build,
            files,
            tuple(compiling.include or ()),
            ",".join(own.functions),
            replace(request, flags=flag_words(compiling.flags)),
            find_compiler(compiling.compiler, Limits()),
        )


@dataclass(frozen=True, slots=True)
class BuildPair:
    """Two files to measure, and what sentences call them."""

    old: Path
    new: Path
    old_name: str
    new_name: str
    begun_s: float | None = None
    """The moment before the builds were made, in seconds since 1970, to be deleted after the
    check; None if they were there."""
    digests: tuple[str, str] | None = None
    """Digests of their code; None: the files are compared."""
    made_of: Mapping[str, Mapping[str, JsonValue]] | None = None
    """What a function's code was made of in both revisions, for JSON."""

    @property
    def common_digest(self) -> str | None:
        """The digest that both have; None where they differ."""
        old, new = self.digests or (file_sha256(self.old), file_sha256(self.new))
        return old if old == new else None

    @property
    def title(self) -> str:
        """The heading of the answer."""
        return f"{self.new_name} against {self.old_name}"

    @property
    def compiled_words(self) -> str:
        """How a function's code was compiled, as the end of a sentence."""
        if self.made_of is None:
            return ""
        words = {f"{made['compiler']}, {made['flags']}" for made in self.made_of.values()}
        return f"; both compiled by {' and '.join(sorted(words))}"


@contextmanager
def built_pair(asked: AskedBuilds) -> Iterator[BuildPair]:
    """Builds the two files if they must be built, and deletes them afterwards."""
    if isinstance(asked, SourceRecipe):
        begun_s = time.time()
        with made_revisions(Path.cwd(), asked, Path(tempfile.gettempdir())) as (before, after):
            yield BuildPair(
                before.plugin,
                after.plugin,
                before.checkout.revision,
                after.checkout.revision,
                begun_s=begun_s,
                digests=(before.digest, after.digest),
                made_of={"old": before.facts, "new": after.facts},
            )
        return
    with tempfile.TemporaryDirectory(prefix="joulemark-builds-") as scratch:
        folder = Path(scratch)
        if not isinstance(asked, Recipe):
            old, new = (
                build_file(str(file), option, folder)
                for file, option in zip(asked, ("--old", "--new"), strict=True)
            )
            yield BuildPair(old, new, str(asked[0]), str(asked[1]))
            return
        begun_s = time.time()
        with built_revisions(Path.cwd(), asked, Path(tempfile.gettempdir())) as (old, new):
            names = asked.old_revision, asked.new_revision or WORKING_TREE
            yield BuildPair(old, new, *names, begun_s=begun_s)


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
            help="Time to measure at most, as in 90s or 5min; it ends sooner when every trial is "
            "decided. 60s unless given.",
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
    report: GateReport, runs: RunComparison | None, details: Mapping[str, JsonValue], forms: Forms
) -> NoReturn:
    """Writes the files, prints the answer, and ends the command with the code of the answer.

    Exact figures have no comparisons behind them; then `runs` is None. `details` are values of the
    JSON beside the answer.
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
        print_text(f"  {report.evidence.capitalize()}: {report.effort}.")
