# SPDX-License-Identifier: Apache-2.0
"""`joulemark check`: did it become slower? The answer is the exit code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from fractions import Fraction
from typing import Final, NoReturn

from pydantic import JsonValue

from joulemark.analyse.gate import check_pairs, pairs_decided
from joulemark.analyse.gate_outcome import GateCode, GateOutcome, Vanished
from joulemark.analyse.gate_report import (
    CountedTrial,
    GateFailure,
    GateReport,
    instruction_report,
    time_report,
)
from joulemark.cli.check_options import (
    DifferenceOptions,
    Forms,
    StoredOptions,
    deliver,
    longest_times,
    report_refusals,
)
from joulemark.cli.check_pair import (
    AskedBuilds,
    BuildPair,
    BuildPairOptions,
    CompilingOptions,
    built_pair,
    check_runs,
)
from joulemark.cli.own_options import NamedFunction
from joulemark.cli.shared.command import Command
from joulemark.cli.shared.progress import RunProgress
from joulemark.environment import capture
from joulemark.errors import ImplementationError, UsageError
from joulemark.measure.paired_run import (
    FEWEST_GENERATIONS,
    LOOKS,
    Builds,
    CountRefusedError,
    PairedRun,
    find_counter,
    open_builds,
    run_builds,
)
from joulemark.measure.pool import WorkerPool
from joulemark.measure.revisions import WORKING_TREE
from joulemark.measure.study import Study
from joulemark.own_code.both_revisions import SourceRecipe, UnpairedError
from joulemark.records.sample import RawSample
from joulemark.records.trial import OLD, Trial, plain_name
from joulemark.units import format_duration, parse_sizes

# `joulemark check` of two builds: both in turn in one run, until the question is answered.

_DEFAULT_SIZES_BYTES = (64, 1024, 16384)


def check_builds(asked: AskedBuilds, question: DifferenceOptions, forms: Forms) -> NoReturn:
    """Measures both builds, answers, and ends the command."""
    with built_pair(asked) as pair:
        end_if_same(pair, "ns", forms)
        builds = open_builds(pair.old, pair.new, made_since_s=pair.begun_s)
        outcome, run = _measure(builds, question)
    _answer(outcome, run, builds, pair, question, forms)


def end_if_same(pair: BuildPair, unit: str, forms: Forms) -> None:
    """Ends the command if both builds are one file: equal figures would be no answer."""
    digest = pair.common_digest
    if digest is None:
        return
    reason = (
        f"Old and new are the same {'code' if pair.made_of else 'file'} (SHA-256 "
        f"{digest[:16]}...), so there is nothing to compare: the build did not take in what "
        "changed, or no code of it changed."
    )
    report = GateReport(pair.title, GateCode.SAME_FILE, (reason,), (), (), unit, "none")
    deliver(report, None, _pair_facts(pair), forms)


def _pair_facts(pair: BuildPair) -> dict[str, JsonValue]:
    """Both builds for JSON, and what they were made of where that is known."""
    facts: dict[str, JsonValue] = {"baseline": pair.old_name, "run": pair.new_name}
    if pair.made_of is not None:
        facts["made_of"] = {build: {**made} for build, made in pair.made_of.items()}
    return facts


def _end_unpaired(recipe: SourceRecipe, error: UnpairedError, forms: Forms) -> NoReturn:
    """Ends the command where the old code has nothing to compare with, or the new is not right."""
    lacking = error.build == OLD
    code = GateCode.NOTHING_MEASURED if lacking else GateCode.REGRESSED
    reasons = (f"{error} So there is nothing to compare with." if lacking else str(error),)
    old, new = recipe.old_revision, recipe.new_revision or WORKING_TREE
    report = GateReport(f"{new} against {old}", code, reasons, (), (), "ns", "none")
    deliver(report, None, {"baseline": old, "run": new}, forms)


def pairs_of(builds: Builds, question: DifferenceOptions) -> list[tuple[Trial, Trial]]:
    """The pairs of trials, old and new, that the question is about."""
    sizes = parse_sizes(question.size) if question.size else _DEFAULT_SIZES_BYTES
    return builds.pairs(Study(tuple(question.patterns or ()), sizes))


def lacking_in(builds: Builds, question: DifferenceOptions) -> list[Vanished]:
    """Implementations in question that run here in the old build alone."""
    return [
        Vanished(name, None)
        if reason is None
        else Vanished(name, None, f"of the new build cannot run here: {reason.rstrip('.')}")
        for name, reason in builds.lacking(question.patterns or ()).items()
    ]


def not_compared(builds: Builds, question: DifferenceOptions) -> list[GateFailure]:
    """What is not compared: implementations that neither build can run here, shared libraries."""
    return [
        *(
            GateFailure(name, f"cannot run here in either build: {reason}")
            for name, reason in builds.in_neither(question.patterns or ()).items()
        ),
        *(
            GateFailure(path.name, f"both builds load {path}, so its code is not compared")
            for path in builds.shared
        ),
    ]


def _measure(builds: Builds, question: DifferenceOptions) -> tuple[GateOutcome, PairedRun]:
    pairs = pairs_of(builds, question)
    limits = question.limits()

    def judge(
        samples: Mapping[Trial, Sequence[RawSample]],
        failed: set[str],
        lacking: Sequence[Vanished] = (),
    ) -> GateOutcome:
        return check_pairs(
            samples,
            pairs,
            limits=limits,
            alpha=question.alpha,
            looks=LOOKS,
            failed=failed,
            lacking=lacking,
        )

    judge({trial: () for pair in pairs for trial in pair}, set())  # refuses alpha before measuring
    with RunProgress() as progress:
        run = run_builds(
            builds,
            pairs,
            capture(),
            budget_s=question.budget_s(),
            observer=progress,
            decided=lambda samples: pairs_decided(judge(samples, set())),
        )
    outcome = judge(run.samples, run.broken(), lacking_in(builds, question))
    unused = limits.without_trial(new for _, new in pairs)
    return replace(outcome, reasons=(*outcome.reasons, *unused)), run


def _answer(
    outcome: GateOutcome,
    run: PairedRun,
    builds: Builds,
    pair: BuildPair,
    question: DifferenceOptions,
    forms: Forms,
) -> NoReturn:
    failures = [
        GateFailure(failure.implementation, f"{failure.kind.value}: {failure.reason}")
        for failure in run.failures
    ]
    failures += not_compared(builds, question)
    budget_s = question.budget_s()
    effort = f"{run.generations} generations of processes in {run.wall_s:.0f} s"
    if run.generations == FEWEST_GENERATIONS and run.wall_s > budget_s:
        effort += f", over --budget {format_duration(budget_s)} since fewer cannot be judged"
    report = time_report(
        outcome,
        run.samples,
        run.samples,
        title=pair.title,
        failures=failures,
        effort=effort + pair.compiled_words,
    )
    details = {
        **_pair_facts(pair),
        "generations": run.generations,
        "looks": run.looks,
        "wall_s": run.wall_s,
        "only_in_old": list(builds.only["old"]),
        "only_in_new": list(builds.only["new"]),
        "environment_differences": {},
        "longest_times": longest_times(outcome),
        **asdict(outcome.runs),
    }
    deliver(report, outcome.runs, details, forms)


# `joulemark check --target instructions`: counted, not timed.


def check_instructions(asked: AskedBuilds, question: DifferenceOptions, forms: Forms) -> NoReturn:
    """Counts both builds, answers, and ends the command."""
    with built_pair(asked) as pair:
        end_if_same(pair, "instructions", forms)
        report = _count(open_builds(pair.old, pair.new, made_since_s=pair.begun_s), pair, question)
    details: dict[str, JsonValue] = {
        **_pair_facts(pair),
        "evidence": report.evidence,
        "counter": report.effort,
        "counts": [
            {
                "implementation": line.implementation,
                "message": line.workload,
                "old": line.old.value,
                "new": line.new.value,
                "verdict": line.verdict,
            }
            for line in report.lines
        ],
    }
    deliver(report, None, details, forms)


def _count(builds: Builds, pair: BuildPair, question: DifferenceOptions) -> GateReport:
    counter = find_counter()
    counted: list[CountedTrial] = []
    broken: dict[str, GateFailure] = {}
    uncounted: dict[str, GateFailure] = {}
    vanished = lacking_in(builds, question)
    limits = question.limits()
    pool = WorkerPool(builds.inventory, None)
    try:
        for trials in pairs_of(builds, question):
            counts: list[Fraction] = []
            for trial, file in zip(trials, (pair.old, pair.new), strict=True):
                name = trial.implementation
                if name in broken or name in uncounted:
                    continue
                plain = plain_name(name)
                try:
                    # Nothing wrong is counted.
                    pool.check(name)
                    counts.append(counter.per_message(file, plain, trial.workload.size_bytes))
                except CountRefusedError as error:
                    uncounted[name] = GateFailure(name, str(error))
                    if counts:  # The old build's was counted.
                        reason = f"has no count in the new build: {str(error).rstrip('.')}"
                        vanished.append(Vanished(plain, None, reason))
                except ImplementationError as error:
                    kept = broken if trial is trials[1] else uncounted
                    kept[name] = GateFailure(name, str(error))
            if len(counts) == len(trials):
                counted.append(CountedTrial(trials[1], *counts))
    finally:
        pool.close()
    report = instruction_report(
        counted,
        counter=counter.name,
        evidence=counter.evidence,
        broken=tuple(broken.values()),
        uncounted=(*uncounted.values(), *not_compared(builds, question)),
        vanished=vanished,
        threshold=limits.threshold,
        title=pair.title,
    )
    unused = limits.without_trial(comparison.trial for comparison in counted)
    if any(limits.longest_s(comparison.trial) is not None for comparison in counted):
        unused.append("Longest times are not judged here, since instructions are counted.")
    return replace(report, reasons=(*report.reasons, *unused))


_EXIT_CODES = """\b
Exit codes:
  0  no trial is slower by more than the threshold
  1  some trial is slower by more than the threshold, failed, or has no
     figure in the new code
  2  the command makes no sense, or a file cannot be read
  3  nothing was measured in both runs
  4  the environments differ, so that times cannot be compared
  5  no slow-down beyond the threshold is shown, and none can be excluded:
     too noisy, or just at the threshold
  6  old and new are the same file
"""


def check(
    *,
    question: DifferenceOptions,
    builds: BuildPairOptions,
    own: NamedFunction,
    compiling: CompilingOptions,
    stored: StoredOptions,
    forms: Forms,
) -> None:
    """Check new code against old code, for continuous integration.

    With --old and --new, or with --old-rev, both are measured in turn in one run, which holds on
    shared machines too. It ends when the question is answered or the budget is spent. With
    --function both revisions of a function are compiled and checked as 'joulemark add' does, and
    the repository needs no plugin; else the command of --build makes a plugin of each. With
    --baseline two stored runs are compared; they must come from the same machine with the same
    settings. All that the old code has must be measured in the new code too; PATTERN and --size
    limit the question.
    """
    forms.require_apart(
        *(question.patterns or ()),
        *(question.thresholds, builds.old, builds.new, stored.baseline, stored.store),
    )
    with report_refusals(forms):
        asked = builds.asked(own, compiling, question.patterns or ())
        if isinstance(asked, SourceRecipe):
            question = replace(question, patterns=None)
            try:
                _check(question, asked, stored, forms)
            except UnpairedError as error:
                _end_unpaired(asked, error, forms)
        _check(question, asked, stored, forms)


def _check(
    question: DifferenceOptions, asked: AskedBuilds | None, stored: StoredOptions, forms: Forms
) -> NoReturn:
    question.limits()  # refuses thresholds that are none
    if asked is None:
        check_runs(stored, question, forms)
    for value, option in ((stored.baseline, "--baseline"), (stored.run, "--run")):
        if value is not None:
            raise UsageError(f"{option} is for stored runs; leave it out with --old and --new")
    question.budget_s()
    if question.exact and question.budget is not None:
        raise UsageError(
            "--budget: counts are exact and taken once; leave it out with --target instructions"
        )
    answer = check_instructions if question.exact else check_builds
    answer(asked, question, forms)


COMMAND: Final = Command(
    check,
    (
        "joulemark check --old old/mine.so --new mine.so --size 64,1KiB --threshold 2%",
        "joulemark check --old-rev main --function sip --algorithm siphash-2-4 sip.c",
        "joulemark check sha256 --old-rev main --build 'make mine.so' --artifact mine.so",
        "joulemark check 'hmac-*' --old ~/released/.venv --new .venv --budget 120",
        "joulemark check --old old.so --new new.so --markdown --junit check.xml",
        "joulemark check --old old.so --new new.so --target instructions",
        "joulemark check --baseline 3",
        "joulemark check siphash-2-4 --baseline main.json --threshold 10%",
    ),
    notes=(_EXIT_CODES,),
)
