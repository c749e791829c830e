# SPDX-License-Identifier: Apache-2.0
"""`joulemark compare`: which of two implementations, or of two runs, is faster."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import Annotated, Any, Final

import typer

from joulemark.analyse.assemble import stored_energy
from joulemark.analyse.compare import (
    RoundPoint,
    RunComparison,
    compare_points,
    compare_runs,
    pairs_against,
    points_of,
)
from joulemark.analyse.from_elsewhere import trusted_samples
from joulemark.analyse.gate import environment_differences, machines_sentence
from joulemark.analyse.run_energy import RunEnergy, energy_points, meter_note
from joulemark.analyse.stated_figures import unusable
from joulemark.analyse.verdict import Comparison, CountComparison, Verdict, compare_counts
from joulemark.cli.comparison_table import print_common, print_comparisons, print_counts
from joulemark.cli.shared.command import Command
from joulemark.cli.shared.completion import implementation_names
from joulemark.cli.shared.measuring_options import (
    ALPHA_OPTION,
    DEFAULT_STORE,
    JSON_OPTION,
    RUN_OPTION,
    STORE_OPTION,
    THRESHOLD_OPTION,
)
from joulemark.cli.shared.terminal import heading, print_json, print_text
from joulemark.environment.facts import MACHINE_KEYS
from joulemark.errors import UsageError
from joulemark.foreign import did_you_mean, visible
from joulemark.measure.selection import base_name
from joulemark.records import ImplementationFacts
from joulemark.records.figures import Absence
from joulemark.records.trial import Trial
from joulemark.report.style import is_known
from joulemark.store.repository import Store
from joulemark.units import parse_difference

# The options of `joulemark compare`: what is compared, and what is asked of it.


class Compared(StrEnum):
    """The quantity that is compared."""

    TIME = "time"
    ENERGY = "energy"
    GROSS_ENERGY = "gross-energy"


class Unwanted(StrEnum):
    """A verdict that no line may have."""

    SLOWER = "slower"
    FASTER = "faster"
    DIFFERENT = "different"


_SLOWER: Final = frozenset({Verdict.SLOWER, Verdict.MORE})
_FASTER: Final = frozenset({Verdict.FASTER, Verdict.LESS})
_VERDICTS: Final = {
    Unwanted.SLOWER: _SLOWER,
    Unwanted.FASTER: _FASTER,
    Unwanted.DIFFERENT: _SLOWER | _FASTER,
}


@dataclass(frozen=True, slots=True)
class ComparedOptions:
    """Two implementations of one run, or two runs."""

    baseline: Annotated[
        str | None,
        typer.Argument(
            metavar="BASELINE",
            help="Implementation to compare with; NAME#2 is its second copy in the run.",
            autocompletion=implementation_names,
        ),
    ] = None
    contender: Annotated[
        str | None,
        typer.Argument(
            metavar="CONTENDER",
            help="Implementation in question; all others of the run unless given.",
            autocompletion=implementation_names,
        ),
    ] = None
    runs: Annotated[
        tuple[int, int] | None,
        typer.Option(metavar="OLD NEW", help="Compare two stored runs, trial by trial, instead."),
    ] = None
    run: Annotated[int | None, RUN_OPTION] = None
    store: Annotated[str, STORE_OPTION] = DEFAULT_STORE


@dataclass(frozen=True, slots=True)
class VerdictOptions:
    """How the comparison is judged, and which verdicts are a failure."""

    quantity: Annotated[
        Compared,
        typer.Option(
            help="time, energy (net of deep idle) or gross-energy, each per message; energy is "
            "compared within one run."
        ),
    ] = Compared.TIME
    alpha: Annotated[float, ALPHA_OPTION] = 0.05
    threshold: Annotated[str, THRESHOLD_OPTION] = "1%"
    fail_if: Annotated[
        Unwanted | None,
        typer.Option(
            help="End with code 1 if any line is slower, faster or different (either of them) "
            "beyond the threshold; more energy counts as slower, and so does a trial that the new "
            "run lacks."
        ),
    ] = None

    def smallest(self) -> float:
        """The smallest difference that counts, as a share."""
        return parse_difference(self.threshold, "--threshold")

    def end(self, verdicts: Sequence[Verdict], *, vanished: int = 0) -> None:
        """Ends the command with code 1 if a line has an unwanted verdict.

        No line can tell whether the trials became slower that the new run lacks: `vanished` counts
        them.
        """
        unwanted = _VERDICTS[self.fail_if] if self.fail_if else frozenset()
        if any(verdict in unwanted for verdict in verdicts) or (vanished and _SLOWER & unwanted):
            raise typer.Exit(1)


COMPARE_VERSION = 6
"""Version of the JSON that `compare` prints."""
_EXIT_CODES = """\b
Exit codes:
  0  compared; with --fail-if: no line has the verdict that it names
  1  with --fail-if: some line has it, or, with slower or different, the new
     run lacks a trial
  2  the command makes no sense, or there is nothing to compare
"""
_WORDS = {
    Compared.TIME: "",
    Compared.ENERGY: ", energy per message, net of deep idle",
    Compared.GROSS_ENERGY: ", energy per message, gross",
}


def compare(
    *, pair: ComparedOptions, asked: VerdictOptions, json_: Annotated[bool, JSON_OPTION] = False
) -> None:
    """Compare two implementations in one run, or two runs.

    The ratio is seconds per message of the contender over those of the baseline: above 1 is
    slower. Intervals and p-values hold for all lines together. Within a run samples are paired by
    round, so that drift of the machine cancels; two runs have no common time, and what the whole
    machine did between them is stated beside the ratios.
    """
    threshold = asked.smallest()
    if pair.runs is not None:
        if asked.quantity is not Compared.TIME:
            raise UsageError(
                "two runs had different temperatures and power at rest; compare energy within one"
            )
        if pair.baseline is not None or pair.run is not None:
            raise UsageError("--runs compares two whole runs; leave out implementations and --run")
        with Store.existing(pair.store) as found:
            counts = [found.firmware_counts(run) for run in pair.runs]
            counted = compare_counts(*counts)
            between = _compare_between(found, pair.runs, asked.alpha, threshold, counted)
            ordered = _yours_first(between.comparisons, found.implementations(pair.runs[1]))
            between = replace(between, comparisons=tuple(ordered))
            lost = tuple(trial for trial in counts[0] if trial not in counts[1])
            between = replace(between, missing=(*between.missing, *lost))
            before, after = (found.run(run).environment for run in pair.runs)
        # Counts of firmware are of no machine.
        keys = MACHINE_KEYS if between.comparisons else ()
        differences = environment_differences(before, after, keys)
        _print_runs(pair.runs, between, counted, differences, as_json=json_)
        asked.end(
            [comparison.verdict for comparison in between.comparisons]
            + [comparison.verdict(threshold) for comparison in counted],
            vanished=len(between.missing),
        )
        return
    if pair.baseline is None:
        raise UsageError("name a baseline and a contender, or two runs with --runs")
    with Store.existing(pair.store) as found:
        number = found.run_or_latest(pair.run).id
        comparisons = _yours_first(
            _compare_within(found, number, (pair.baseline, pair.contender), asked, threshold),
            found.implementations(number),
        )
        meter = None if asked.quantity is Compared.TIME else found.meter(number)
        ratios = [comparison.ratio for comparison in comparisons]
        note = None if meter is None else meter_note(meter, ratios)
    if json_:
        print_json(
            {
                "schema_version": COMPARE_VERSION,
                "run": number,
                "quantity": asked.quantity,
                "note": note,
                "comparisons": [asdict(comparison) for comparison in comparisons],
            }
        )
    else:
        heading(f"Run {number}, against {pair.baseline}{_WORDS[asked.quantity]}")
        print_comparisons(comparisons)
        if note:
            print_text(f"  {note}")
    asked.end([comparison.verdict for comparison in comparisons])


def _compare_within(
    store: Store,
    number: int,
    names: tuple[str, str | None],
    asked: VerdictOptions,
    threshold: float,
) -> list[Comparison]:
    samples = trusted_samples(store, number)
    if asked.quantity is Compared.TIME:
        points = points_of(samples, pairs_against(samples, names[0]))
        words = (Verdict.FASTER, Verdict.SLOWER)
    else:
        gross = asked.quantity is Compared.GROSS_ENERGY
        points = _energy_points(store, number, set(samples), gross=gross)
        words = (Verdict.LESS, Verdict.MORE)
    there = sorted({trial.implementation for trial in points})
    if not there:
        if store.clock_counts(number):
            raise UsageError(
                f"run {number} holds simulated cores alone, whose clocks are exact: the table of "
                f"'joulemark export --run {number} --format markdown' has their ratios"
            )
        if store.firmware_counts(number):
            raise UsageError(
                f"run {number} holds counts of firmware alone, which are exact: the table of "
                f"'joulemark results {number}' has them side by side, and 'joulemark compare "
                "--runs' tells two runs apart"
            )
        raise UsageError(f"run {number} has no sample")
    for name in names:
        if name is not None and name not in there:
            raise UsageError(f"run {number} has no sample of '{visible(name)}'{_near(name, there)}")
    baseline, contender = names
    if baseline == contender:
        raise UsageError(
            "baseline and contender are the same; measure a second copy of it by "
            f"naming {baseline}#2 in joulemark bench as well"
        )
    if contender is not None:
        points = {point: points[point] for point in points if point.implementation in names}
    found = compare_points(points, baseline, alpha=asked.alpha, threshold=threshold, words=words)
    if not found:
        raise UsageError(
            f"run {number} has nothing to compare with {baseline}: nothing else was "
            "measured at the same sizes"
        )
    return found


def _yours_first(
    comparisons: Sequence[Comparison], facts: Mapping[str, ImplementationFacts]
) -> list[Comparison]:
    """The comparisons of the user's own code, then all others."""

    def comes_with_us(comparison: Comparison) -> bool:
        known = facts.get(base_name(comparison.contender))
        return known is None or is_known(known.provider)

    return sorted(comparisons, key=comes_with_us)


def _near(name: str, there: Sequence[str]) -> str:
    """End of the sentence about a name that a run lacks: the names that may be meant."""
    algorithm, _, variant = name.partition("/")
    same = [
        implementation.partition("/")[2]
        for implementation in there
        if implementation.partition("/")[0] == algorithm
    ]
    if variant == "auto" and same:
        return f"; 'joulemark list {algorithm}' says which implementation auto is here"
    if near := did_you_mean(name, there):
        return near
    if same:
        return f"; of {algorithm} it has {', '.join(same)}"
    algorithms = sorted({implementation.partition("/")[0] for implementation in there})
    return f"; it has {', '.join(algorithms)}"


def _why_no_points(energy: RunEnergy) -> str:
    """Why no window of a run has an energy that could stand in a ratio."""
    void = [reason for trial in energy.trials() for reason in energy.void(trial)]
    if not energy.trials():
        return "metering ended before the first implementation"
    if any(energy.windows(trial)[0] for trial in energy.trials()):
        return "no window used more than the machine at rest; --quantity gross-energy has one"
    return f"all windows void; {unusable(void)}"


def _energy_points(
    store: Store, number: int, trusted: set[Trial], *, gross: bool
) -> dict[Trial, list[RoundPoint]]:
    """Joules per message of each window, of implementations that can be trusted."""
    energy = stored_energy(store, number)
    if isinstance(energy, Absence):
        raise UsageError(f"run {number} has no energy to compare: {energy.text}")
    points = energy_points(energy, gross=gross)
    if not points:
        raise UsageError(f"run {number} has no energy: {_why_no_points(energy)}")
    return {trial: found for trial, found in points.items() if trial in trusted}


def _compare_between(
    store: Store,
    numbers: tuple[int, int],
    alpha: float,
    threshold: float,
    counted: Sequence[CountComparison],
) -> RunComparison:
    if numbers[0] == numbers[1]:
        raise UsageError(f"run {numbers[0]} cannot be compared with itself; name another run")
    before, after = (trusted_samples(store, number) for number in numbers)
    found = compare_runs(before, after, alpha=alpha, threshold=threshold)
    if not found.comparisons and not counted:
        raise UsageError(
            f"runs {numbers[0]} and {numbers[1]} share no trial that has samples or counts of "
            "firmware"
        )
    return found


def _print_runs(
    numbers: tuple[int, int],
    found: RunComparison,
    counted: Sequence[CountComparison],
    differences: Mapping[str, tuple[Any, Any]],
    *,
    as_json: bool,
) -> None:
    note = machines_sentence(differences)
    if as_json:
        counts = [
            {**asdict(comparison), "words": comparison.words, "ratio": comparison.ratio}
            for comparison in counted
        ]
        print_json(
            {
                "schema_version": COMPARE_VERSION,
                "runs": list(numbers),
                "note": note,
                "environment_differences": differences,
                **asdict(found),
                "counts": counts,
            }
        )
        return
    heading(f"Run {numbers[1]} against run {numbers[0]}")
    if note is not None:
        print_text(f"  {note}")
    if found.comparisons:
        print_comparisons(found.comparisons)
    print_common(found)
    if counted:
        print_counts(counted)


COMMAND: Final = Command(
    compare,
    (
        "joulemark compare hmac-sha256/portable hmac-sha256/engine",
        "joulemark compare hmac-sha256/engine 'hmac-sha256/engine#2' --run 4",
        "joulemark compare --runs 3 4 --threshold 2%",
        "joulemark compare hmac-sha256/portable --quantity energy",
        "joulemark compare hmac-sha256/old hmac-sha256/new --fail-if slower",
    ),
    notes=(_EXIT_CODES,),
)
