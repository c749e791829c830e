# SPDX-License-Identifier: Apache-2.0
"""What `joulemark check` compares: a stored run with another one, or two builds of revisions."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated, Final, NoReturn, cast

import typer
from pydantic import JsonValue

from joulemark.analyse import gate
from joulemark.analyse.compare import Samples
from joulemark.analyse.from_elsewhere import RunSamples, measured_in, read_baseline
from joulemark.analyse.gate_report import time_report
from joulemark.cli.check_options import (
    DifferenceOptions,
    Forms,
    StoredOptions,
    deliver,
    longest_times,
)
from joulemark.cli.own_options import FLAGS_OPTION, NamedFunction, flag_words
from joulemark.cli.plugins import require_variant
from joulemark.cli.shared.measuring_options import INCLUDE_OPTION
from joulemark.errors import UsageError
from joulemark.measure.paired_run import named_by
from joulemark.measure.revisions import WORKING_TREE, Recipe, build_file, built_revisions
from joulemark.measure.worker.sources import file_sha256
from joulemark.own_code.both_revisions import SourceRecipe, made_revisions
from joulemark.own_code.building import find_compiler
from joulemark.processes.tool import Limits
from joulemark.records.trial import Trial
from joulemark.store.repository import Store
from joulemark.units import parse_sizes

_MOST_NAMES: Final = 10


def check_runs(stored: StoredOptions, question: DifferenceOptions, forms: Forms) -> NoReturn:
    """Compares the stored runs, answers, and ends the command."""
    baseline = stored.baseline
    if baseline is None:
        raise UsageError(
            "name what to compare: --old and --new for two builds, --old-rev with --function or "
            "--build for two revisions, or --baseline for a stored run"
        )
    for given, option in ((question.budget, "--budget"), (question.exact, "--target instructions")):
        if given:
            raise UsageError(
                f"{option} is for --old and --new; two stored runs are compared as they were "
                "measured"
            )
    with Store.existing(stored.store) as found:
        new = measured_in(found, found.run_or_latest(stored.run).id)
        old = read_baseline(found, baseline)
    if old.name == new.name:
        raise UsageError(f"{old.name} cannot be its own baseline; name an older run")
    if old.samples and old.samples == new.samples:
        raise UsageError(
            f"{old.name} holds the samples of {new.name}, and no run can be its own baseline; name "
            "an older run"
        )
    before, after = _asked_of(old, question), _asked_of(new, question)
    if old.samples and not before:
        raise UsageError(_nothing_asked(old, question))
    limits = question.limits()
    outcome = gate.check(
        before,
        after,
        old.environment,
        new.environment,
        limits=limits,
        alpha=question.alpha,
        failed=new.failed,
        absent=new.absent,
        counted=(_named(old.counted, question), new.counted),
    )
    notes = (*limits.without_trial(after), *_out_of_order(old, new))
    outcome = replace(outcome, reasons=(*outcome.reasons, *notes))
    report = time_report(
        outcome, before, after, title=f"{new.name} against {old.name}", failures=new.failures
    )
    details = {
        "baseline": old.name,
        "run": new.name,
        "longest_times": longest_times(outcome),
        **asdict(outcome.runs),
        "environment_differences": {
            key: list(values) for key, values in outcome.environment_differences.items()
        },
    }
    deliver(report, outcome.runs, details, forms)


def _out_of_order(old: RunSamples, new: RunSamples) -> list[str]:
    """The sentence that the run in question is older than its baseline, if it is."""
    if old.started_at is None or new.started_at is None or old.started_at <= new.started_at:
        return []
    began, baseline_began = (f"{run.started_at:%Y-%m-%d %H:%M:%S} UTC" for run in (new, old))
    sentence = (
        f"{new.name.capitalize()} began before its baseline, at {began}, and the baseline at "
        f"{baseline_began}: what is called new here is the older run."
    )
    return [sentence]


def _asked_of(run: RunSamples, question: DifferenceOptions) -> Samples:
    """The samples of the trials that patterns and lengths name; all without these."""
    named = _named(run.samples, question)
    return {trial: samples for trial, samples in run.samples.items() if trial in named}


def _named(trials: Iterable[Trial], question: DifferenceOptions) -> set[Trial]:
    """The trials that patterns and lengths name; all without these."""
    every = set(trials)
    names = {trial.implementation for trial in every}
    named = set(named_by(question.patterns or (), names))
    sizes = None if question.size is None else set(parse_sizes(question.size))
    return {
        trial
        for trial in every
        if trial.implementation in named and (sizes is None or trial.workload.size_bytes in sizes)
    }


def _nothing_asked(baseline: RunSamples, question: DifferenceOptions) -> str:
    """That the baseline has nothing of what the question names, and what it has."""
    names = sorted({trial.implementation for trial in baseline.samples})
    more = " ..." if len(names) > _MOST_NAMES else ""
    asked = " ".join(question.patterns or ["any implementation"])
    where = "" if question.size is None else f" at {question.size}"
    return (
        f"{baseline.name} has no trial of {asked}{where}; it has "
        f"{', '.join(names[:_MOST_NAMES])}{more}"
    )


# The two builds that `joulemark check` compares: named, made of revisions, and deleted again.

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
        str | None, typer.Option(metavar="PROGRAM", help="gcc, clang or another, for --function.")
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
        by = " and ".join(sorted(words))
        linked = (cast("list[str]", made["linked"]) for made in self.made_of.values())
        built = sorted({name for names in linked for name in names})
        if not built:
            return f"; both compiled by {by}"
        return f"; {', '.join(built)} as each build made it, called from code compiled by {by}"


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
