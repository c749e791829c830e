# SPDX-License-Identifier: Apache-2.0
"""The body of `joulemark bench`: measures, stores and shows what the options ask for."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import typer

from joulemark.analyse import ResultSet
from joulemark.analyse.assemble import result_set
from joulemark.analyse.derive import half_width
from joulemark.analyse.load import OfferedLoad
from joulemark.analyse.stated_figures import fewest_values, trial_percentiles
from joulemark.cli.bench import MeasureRequest, OutputOptions
from joulemark.cli.results import command_for_all, page_line, print_results
from joulemark.cli.shared.load_options import ClaimOptions, show_load
from joulemark.cli.shared.measuring_options import warn_without_meter, without_joules
from joulemark.cli.shared.progress import RunProgress
from joulemark.cli.shared.terminal import columns, print_text
from joulemark.cli.table import InterruptedRunError
from joulemark.environment import capture
from joulemark.errors import UnavailableError, UsageError
from joulemark.explorer.estimates.kept import keep_measured
from joulemark.measure.inventory import Inventory, inventory_of, refuse_broken_plugins
from joulemark.measure.plan import Effort, Precision
from joulemark.measure.pool import checked_line
from joulemark.measure.quiet import wait_until_quiet
from joulemark.measure.run_plan import RunOutcome, run_plan
from joulemark.measure.study import Study
from joulemark.records import Failure
from joulemark.records.trial import HOST
from joulemark.report.load import ONE_CORE, load_basis, load_of_run_json, loads_of_run
from joulemark.report.page.html import write_html
from joulemark.store.local_first import store_to_measure
from joulemark.store.repository import Store
from joulemark.units import format_percent, format_seconds, parse_percentile

EXIT_IMPLEMENTATION_FAILED: Final = 2
_LOADS: Final = 10
"""Lines of a load that are shown without `--all`."""
_LINES_BELOW: Final = 6
"""Lines below the screen, at 80 columns: what was checked, where the page is, and the prompt."""


def carry_out(request: MeasureRequest) -> None:
    """Carries a study out, keeps every sample, and shows the figures as was asked."""
    if request.wait_quiet_s is not None:
        _wait_for_quiet(request.wait_quiet_s)
    study, output = request.study, request.output
    warned = study.energy is not None and warn_without_meter(study.energy)
    results, outcome, errors = measure(request)
    if request.store_location is not None:
        keep_measured(request.store_location, outcome.run_id, results)
    if output.report is not None:
        write_html(results, output.report)
    below = _LINES_BELOW
    if request.load is not None:
        results, lines = _with_load(results, request.load, output)
        below += lines
    no_energy = study.energy is not None and not _has_energy(results)
    print_results(
        results,
        output.kind,
        all_of_them=output.all_of_them,
        more=command_for_all(outcome.run_id, request.store_location),
        below=below,
        energy_said=no_energy and outcome.no_energy is not None,
    )
    if output.kind is None and output.percentile is not None:
        print_percentiles(results, output.percentile)
    if outcome.checked:
        print_text(checked_line(outcome.checked), err=True)
    _say_precision(results, study.effort.precision)
    if output.report is not None:
        print_text(page_line(output.report), err=True)
    _refuse_missing(outcome, without_figure=no_energy, warned=warned)
    if errors or not results.results:
        raise typer.Exit(EXIT_IMPLEMENTATION_FAILED)


def _refuse_missing(outcome: RunOutcome, *, without_figure: bool, warned: bool) -> None:
    """Ends with an error where joules were asked for and there are none."""
    if outcome.no_energy is not None:
        raise without_joules(outcome.no_energy, warned=warned)
    if without_figure:
        raise UnavailableError(
            "energy was metered and no figure could be stated; the reasons are given with the "
            "times, which stand"
        )


def _with_load(
    results: ResultSet, load: OfferedLoad, output: OutputOptions
) -> tuple[ResultSet, int]:
    """The results with the cost of the load in their context, and the lines that were printed."""
    found = loads_of_run(results, load)
    context = {**results.context, "load": load_of_run_json(load, found)}
    if output.kind is not None or not found:
        return results.model_copy(update={"context": context}), 0
    shown = found if output.all_of_them else found[:_LOADS]
    evidence = sorted({entry.cost.cores.evidence.value for entry in shown})
    metered = any(entry.result.joules_per_message is not None for entry in shown)
    basis = [*load_basis(load, f"{', '.join(evidence)}, {ONE_CORE}", metered=metered)]
    if len(shown) < len(found):
        basis.append(f"{len(found) - len(shown)} more: --all, or --json")
    lines = show_load(load, [(entry.title, entry.cost) for entry in shown], basis)
    return results.model_copy(update={"context": context}), lines


def _claiming(study: Study, inventory: Inventory, claims: ClaimOptions) -> Study:
    """The study with the implementations alone whose algorithms claim what is asked for."""
    if claims == ClaimOptions():
        return study
    plan = study.plan(inventory)
    trials = (*plan.trials, *plan.core_trials, *plan.firmware_trials)
    names = dict.fromkeys(trial.implementation for trial in trials)
    return replace(study, patterns=tuple(claims.kept([*names])))


def _wait_for_quiet(limit_s: float) -> None:
    """Waits for a quieter machine, and says so once."""
    said = False

    def say_once(share: float) -> None:
        nonlocal said
        if not said:
            print_text(
                f"waiting for a quieter machine, at most {limit_s:.0f} s: programs use "
                f"{share:.0%} of a CPU",
                err=True,
            )
            said = True

    if not wait_until_quiet(limit_s, say_once):
        print_text(
            "the machine did not become quiet in that time; measuring all the same", err=True
        )


def measure(request: MeasureRequest) -> tuple[ResultSet, RunOutcome, list[Failure]]:
    """Carries a study out; neither waits for a quiet machine nor shows anything.

    Returns the figures, the outcome, and the failures for which the command ends as failed.
    """
    study = request.study
    software = HOST in study.targets or bool(request.plugins)
    inventory = inventory_of(request.plugins, software=software, kept_in=request.kept_in)
    refuse_broken_plugins(inventory, request.plugins)
    claiming = _claiming(study, inventory, request.claims)
    plan = claiming.plan(inventory)
    if request.output.percentile is not None:
        _require_enough(plan.effort, request.output.percentile)
    with (
        store_to_measure(request.store_location) as store,
        RunProgress() as progress,
    ):
        try:
            with request.spread.cluster() as cluster:
                outcome = run_plan(
                    store,
                    inventory,
                    plan,
                    capture(),
                    study=claiming.as_dict(),
                    observer=progress,
                    fresh=request.fresh,
                    hang_limit_s=request.hang_limit_s,
                    cpu=request.cpu,
                    half_width=half_width,
                    spread_firmware=cluster.firmware(progress.tell) if cluster else None,
                )
        except KeyboardInterrupt:
            kept = (
                "nothing is kept with --no-store"
                if request.store_location is None
                else f"every sample so far is in {store.keep()}, and the same command goes on"
            )
            raise InterruptedRunError(f"stopped; {kept}") from None
        figures = store.settle(lambda shared: _figures(shared, outcome.run_id, request.output))
        return figures, outcome, claiming.errors(outcome.failures, inventory)


def _figures(store: Store, run_id: int, output: OutputOptions) -> ResultSet:
    """The figures of the run, and the percentile that was asked for."""
    found = result_set(store, run_id, raw=output.raw, histograms=output.report is not None)
    if output.percentile is None:
        return found
    withheld = {failure.implementation for failure in store.failures(run_id) if failure.broken}
    share = parse_percentile(output.percentile)
    of_trials = trial_percentiles(store.samples(run_id), share, withheld)
    return found.model_copy(update={"percentiles": of_trials})


def _require_enough(effort: Effort, percent: float) -> None:
    """Refuses a percentile for which a run takes too few windows."""
    needed, taken = fewest_values(parse_percentile(percent)), effort.rounds * effort.windows
    if taken < needed and effort.precision is None:
        raise UsageError(
            f"--percentile {percent:g} needs {needed} windows of each trial, and this run takes "
            f"{taken}: give --rounds {-(-needed // effort.windows)} or more"
        )


def print_percentiles(results: ResultSet, percent: float) -> None:
    """Prints the percentile of each trial beside its median."""
    rows = [("implementation", "message", "median", f"p{percent:g}", "interval", "windows")]
    few = 0
    for found in results.percentiles:
        known = None not in (found.seconds_per_message, found.low, found.high)
        few += not known
        rows.append(
            (
                found.implementation,
                found.message,
                "-" if found.median is None else format_seconds(found.median),
                format_seconds(found.seconds_per_message or 0) if known else "-",
                f"{format_seconds(found.low or 0)} to {format_seconds(found.high or 0)}"
                if known
                else "-",
                str(found.windows),
            )
        )
    typer.echo("")
    columns(rows, right=(1, 2, 3, 5))
    print_text(
        f"  p{percent:g}: {percent:g} % of all windows take no longer a message (measured); a "
        "window gives the mean of its messages. The interval holds it with 95 %."
    )
    if few:
        needed = fewest_values(parse_percentile(percent))
        print_text(f"  {few} trials have too few windows for it; {needed} are needed.")


def _say_precision(results: ResultSet, asked: Precision | None) -> None:
    """Says how many trials reach the precision that was asked for, if one was."""
    if asked is None:
        return

    figures = [
        result.seconds_per_message for result in results.results if result.seconds_per_message
    ]
    widths = [(figure.high - figure.low) / 2 / figure.median for figure in figures]
    reached = sum(width <= asked.half_width for width in widths)
    line = (
        f"precision {format_percent(asked.half_width)} reached by {reached} of {len(widths)} trials"
    )
    if reached < len(widths):
        line += (
            f", the widest is at +-{format_percent(max(widths))}; the budget of "
            f"{asked.budget_s:g} s is spent"
        )
    print_text(line, err=True)


def _has_energy(results: ResultSet) -> bool:
    """Whether any domain of any result has a figure in joules or watts."""
    return any(
        domain.gross_joules_per_message or domain.joules_per_message or domain.watts
        for result in results.results
        for domain in result.energy
    )
