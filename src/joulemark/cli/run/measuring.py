# SPDX-License-Identifier: Apache-2.0
"""What `bench` does once its options are understood: measure, store, show.

To import this takes a second, which neither help nor a refusal waits for.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import typer
from rich.console import Console

from joulemark.analyse.precision import half_width
from joulemark.analyse.results import ResultSet
from joulemark.analyse.runs.assemble import result_set
from joulemark.cli.refusals import InterruptedRunError
from joulemark.cli.run.output_options import OutputOptions
from joulemark.cli.run.showing import command_for_all, page_line, print_results
from joulemark.cli.shared.cluster_options import SpreadOptions
from joulemark.cli.shared.energy_options import without_joules, without_meter
from joulemark.cli.shared.inventory import inventory_of
from joulemark.cli.shared.measuring_store import place_of_samples, store_to_measure
from joulemark.cli.shared.progress import RunProgress
from joulemark.environment import capture
from joulemark.errors import UnavailableError
from joulemark.measure.firmware.run import SpreadFirmware
from joulemark.measure.planning.trials import Precision
from joulemark.measure.run import RunOutcome, run_plan
from joulemark.measure.study import Study
from joulemark.measure.workers.inventory import refuse_broken_plugins
from joulemark.measure.workers.thorough import checked_line
from joulemark.records.trial import HOST
from joulemark.units import format_percent

if TYPE_CHECKING:
    from distributed import Client

__all__ = ["measure_and_show", "measured"]

EXIT_IMPLEMENTATION_FAILED: Final = 2
_LINES_BELOW: Final = 6
"""What was checked, the place of the page and the prompt, at 80 columns."""


def measure_and_show(
    study: Study,
    output: OutputOptions,
    *,
    store_location: str | None,
    plugins: Sequence[str],
    fresh: bool,
    hang_limit_s: float,
    cpu: int | None,
    kept_in: Path | None = None,
    spread: SpreadOptions | None = None,
) -> None:
    """Carries a study out, keeps every sample, and shows the figures as was asked.

    Args:
        study: what is measured.
        output: forms of the results.
        store_location: None: nothing is kept.
        plugins: files of the user's.
        fresh: whether an unfinished run of the same study is left as it is.
        hang_limit_s: after which code counts as hung.
        cpu: to measure on; the least busy one unless given.
        kept_in: folder of what this user keeps; the usual one unless given.
        spread: the cluster that simulates firmware, if any.

    Raises:
        UnavailableError: energy was asked for, and no figure of it can be stated.
        typer.Exit: an implementation failed, or there is no result.
    """
    said = study.energy is not None and without_meter(study.energy)
    results, outcome = measured(
        study, store_location, plugins, fresh=fresh, raw=output.raw, hang_limit_s=hang_limit_s,
        cpu=cpu, kept_in=kept_in, spread=spread,
    )  # fmt: skip
    if output.report is not None:
        _write_page(results, output.report)
    no_energy = study.energy is not None and not _has_energy(results)
    print_results(
        results, output.kind, all_of_them=output.all_of_them,
        more=command_for_all(outcome.run_id, store_location), below=_LINES_BELOW,
        energy_said=no_energy and outcome.no_energy is not None,
    )  # fmt: skip
    if outcome.checked:
        typer.echo(checked_line(outcome.checked), err=True)
    _say_precision(results, study.effort.precision)
    if output.report is not None:
        typer.echo(page_line(output.report), err=True)
    if outcome.no_energy is not None:
        raise without_joules(outcome.no_energy, said=said)
    if no_energy:
        raise UnavailableError(
            "energy was metered and no figure could be stated; the reasons are given with the "
            "times, which stand"
        )
    if any(failure.broken for failure in outcome.failures) or not results.results:
        raise typer.Exit(EXIT_IMPLEMENTATION_FAILED)


def _write_page(results: ResultSet, path: Path) -> None:
    from joulemark.report.page.html import write_html  # noqa: PLC0415 - charts, which few ask for

    write_html(results, path)


def _say_precision(results: ResultSet, asked: Precision | None) -> None:
    """How many trials are as sharp as asked; nothing where nothing was asked."""
    if asked is None:
        return

    figures = [
        result.seconds_per_message for result in results.results if result.seconds_per_message
    ]
    widths = [(figure.high - figure.low) / 2 / figure.median for figure in figures]
    reached = sum(width <= asked.half_width for width in widths)
    line = (f"precision {format_percent(asked.half_width)} reached by {reached} of {len(widths)} "
            "trials")  # fmt: skip
    if reached < len(widths):
        line += (f", the widest is at +-{format_percent(max(widths))}; the budget of "
                 f"{asked.budget_s:g} s is spent")  # fmt: skip
    typer.echo(line, err=True)


def _has_energy(results: ResultSet) -> bool:
    """Whether any domain of any result has a figure in joules or watts."""
    return any(
        domain.gross_joules_per_message or domain.joules_per_message or domain.watts
        for result in results.results
        for domain in result.energy
    )


def _over(client: Client | None, progress: RunProgress) -> SpreadFirmware | None:
    if client is None:
        return None
    from joulemark.fleet.firmware import firmware_over  # noqa: PLC0415 - an extra

    return firmware_over(client, progress.tell)


def measured(
    study: Study, store_location: str | None, plugins: Sequence[str], *, fresh: bool, raw: bool,
    hang_limit_s: float, cpu: int | None, kept_in: Path | None,
    spread: SpreadOptions | None = None,
) -> tuple[ResultSet, RunOutcome]:  # fmt: skip
    """As `measure_and_show` without showing; `raw`: with every sample."""
    software = HOST in study.targets or bool(plugins)
    inventory = inventory_of(plugins, software=software, kept_in=kept_in)
    refuse_broken_plugins(inventory, plugins)
    plan = study.plan(inventory)
    with (
        place_of_samples(store_location) as place,
        store_to_measure(place) as store,
        RunProgress(Console(stderr=True)) as progress,
    ):
        try:
            with (spread or SpreadOptions()).client() as client:
                outcome = run_plan(
                    store,
                    inventory,
                    plan,
                    capture(),
                    study=study.as_dict(),
                    observer=progress,
                    fresh=fresh,
                    hang_limit_s=hang_limit_s,
                    cpu=cpu,
                    half_width=half_width,
                    spread_firmware=_over(client, progress),
                )
        except KeyboardInterrupt:
            kept = (
                "nothing is kept with --no-store"
                if store_location is None
                else f"every sample so far is in {store.kept_in}, and the same command goes on"
            )
            raise InterruptedRunError(f"stopped; {kept}") from None
        return result_set(store, outcome.run_id, raw=raw), outcome
