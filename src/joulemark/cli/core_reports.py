# SPDX-License-Identifier: Apache-2.0
"""`joulemark core report`, `compare` and `sweep`: area, clock, throughput and power of cores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from pydantic import JsonValue

from joulemark import __version__
from joulemark.cli.core_options import (
    CORE_ARGUMENT,
    KEEP_OPTION,
    CacheOptions,
    CoreChoice,
    FlowOptions,
    ManyOptions,
    named_core,
)
from joulemark.cli.core_table import print_comparison, print_report, ratios
from joulemark.cli.shared.command import Command
from joulemark.cli.shared.measuring_options import StoreOptions
from joulemark.cli.shared.progress import PointProgress, StepProgress
from joulemark.cli.shared.terminal import (
    JSON_FILE_OPTION,
    on_output,
    print_text,
    require_writable_json,
    write_json,
)
from joulemark.cli.table import InterruptedRunError
from joulemark.errors import UsageError
from joulemark.hardware.cores import (
    chosen_variant,
    find_core,
    manifest_of,
    split_core,
    swept_variants,
)
from joulemark.hardware.export import Circuit
from joulemark.hardware.export.write import OPTION, check_new_folder, export_circuit
from joulemark.hardware.flow import request as tools
from joulemark.hardware.flow.cache import report_key
from joulemark.hardware.flow.characterise import with_messages
from joulemark.hardware.flow.points import PointOutcome, ReportPoint, kept_report, run_points
from joulemark.hardware.flow.request import Flow
from joulemark.hardware.manifest import Core
from joulemark.records.core_report import CoreReport, StoredCoreReport
from joulemark.store.repository import Store
from joulemark.units import format_bytes


def stored_report(digest: str, report: CoreReport) -> StoredCoreReport:
    """A report of this moment; the digest is of all that its figures depend on."""
    return StoredCoreReport(
        **dict(report),
        digest=digest,
        joulemark_version=__version__,
        made_at=datetime.now(UTC).isoformat(),
    )


def keep_reports(store_location: str, reports: Iterable[StoredCoreReport]) -> None:
    """Puts reports into the store, beside the software's runs."""
    with Store.open(store_location) as store:
        for report in reports:
            store.add_core_report(report)


@dataclass(frozen=True, slots=True)
class ReportOptions:
    """Parts of a report that are wanted, and where the report goes."""

    modules: Annotated[bool, typer.Option("--modules", help="Figures of each module too.")] = False
    no_power: Annotated[
        bool, typer.Option("--no-power", help="Leave out power, which takes the longest.")
    ] = False
    json_: Annotated[Path | None, JSON_FILE_OPTION] = None
    keep: Annotated[Path | None, KEEP_OPTION] = None
    export: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Write netlist, constraints, delays and activity for other tools into this new "
            "folder; needs a cell library. The report is then made again, whatever the cache "
            "has.",
        ),
    ] = None


def report(
    *,
    choice: CoreChoice,
    target: Annotated[
        str | None,
        typer.Option(
            metavar="TARGET",
            help="ecp5, ice40, asic (needs --liberty) or generic (gates without a library); ecp5 "
            "unless a library is given.",
        ),
    ] = None,
    flow: FlowOptions,
    wanted: ReportOptions,
    cache: CacheOptions,
    store: StoreOptions,
) -> None:
    """Say what a core occupies, how fast it can be clocked, and what a block costs in energy.

    Clocks are counted in simulation, with every result checked; areas, timing and power come from
    the tools' and the library's models.
    """
    core, parameters = choice.core_and_parameters()
    asked = flow.flow(target, modules=wanted.modules, power=not wanted.no_power)
    if asked.message_bytes is not None:
        _require([asked])
        with_messages(core, asked.message_bytes)
    require_writable_json(wanted.json_)
    _check_export(wanted.export, asked)
    folder = cache.folder
    circuits: dict[int, Circuit] = {}
    try:
        with StepProgress() as say:
            key, made = kept_report(
                core,
                parameters,
                asked,
                folder,
                keep=wanted.keep,
                say=say,
                observe=circuits.__setitem__ if wanted.export else None,
            )
    except KeyboardInterrupt:
        partly = folder is not None and wanted.keep is None
        kept = "only finished mappings are" if partly else "nothing is"
        raise InterruptedRunError(f"stopped; {kept} kept of a report that is not done") from None
    if store.location is not None:
        keep_reports(store.location, [stored_report(key, made)])
    write_json(wanted.json_, made.model_dump(mode="json"))
    if not on_output(wanted.json_):
        print_report(made)
    if wanted.export is not None:
        _write_export(circuits[made.settings["mapping_shown"]], wanted.export)


def _check_export(path: Path | None, asked: Flow) -> None:
    """Refuses an export that cannot be made, before any work is done."""
    if path is None:
        return
    if asked.target != "asic":
        raise UsageError(
            f"{OPTION} is for --target asic, not {asked.target}: it needs the cells of a library, "
            "--liberty FILE"
        )
    check_new_folder(OPTION, path)


def _write_export(circuit: Circuit, path: Path) -> None:
    """Writes the folder, and says which files it has."""
    files = export_circuit(circuit, path)
    print_text(f"exported to {path}: {', '.join(files)}", err=True)
    if circuit.workload is None:
        print_text("no activity is exported, since power was left out (--no-power)", err=True)


REPORT: Final = Command(
    report,
    (
        "joulemark core report siphash",
        "joulemark core report siphash --param ROUNDS=4 --seeds 5 --json siphash.json",
        "joulemark core report siphash --liberty typical.lib --clock 500k",
        "joulemark core report hmac_sha1 --liberty typical.lib --message 29",
        "joulemark core report siphash --liberty typical.lib --export siphash_netlist",
        "joulemark core report mine/my_core.toml --target generic",
    ),
    options_once=True,
)


# Many reports at once: what `core compare` and `core sweep` share.

COMPARISON_VERSION: Final = 3
"""Version of the JSON that both commands write."""
EXIT_FAILED: Final = 1

TARGETS_OPTION: Final[Any] = typer.Option(
    "--target", metavar="TARGET", help="ecp5, ice40, asic or generic; may be given several times."
)
EXIT_CODES: Final = """\b
Exit codes:
  0    every report was made
  1    some were not; the reasons are on standard error
  2    refused
  130  interrupted; finished reports are kept, and the same command goes on
"""


def carry_out(points: Sequence[ReportPoint], many: ManyOptions, store: StoreOptions) -> None:
    """Makes the reports, keeps and shows them."""
    many.check()
    _require({point.asked for point in points})
    for point in points:
        with_messages(point.core, point.asked.message_bytes)
    require_writable_json(many.json_)
    outcomes = make_reports(points, many)
    made = [(outcome.point, outcome.report) for outcome in outcomes if outcome.report is not None]
    reports = [report for _, report in made]
    if store.location is not None and reports:
        keep_reports(
            store.location,
            [
                stored_report(report_key(point.core, point.variant[1], point.asked), report)
                for point, report in made
            ],
        )
    write_json(
        many.json_,
        {
            "schema_version": COMPARISON_VERSION,
            "reports": [report.model_dump(mode="json") for report in reports],
            "ratios": ratios(reports) if reports else {},
            "failed": [_failed(outcome) for outcome in outcomes if outcome.report is None],
        },
    )
    if reports and not on_output(many.json_):
        print_comparison(reports)
    if len(reports) < len(outcomes):
        raise typer.Exit(EXIT_FAILED)


def _require(flows: Iterable[Flow]) -> None:
    """Refuses flows whose tools are not all here, before an adapter is loaded, which needs some."""
    for asked in flows:
        tools.require(asked.target, power=asked.target == "asic" and asked.power)


def make_reports(points: Sequence[ReportPoint], many: ManyOptions) -> list[PointOutcome]:
    """Makes reports, and shows how many are done."""
    folder, jobs = many.cache.folder, many.jobs
    try:
        with many.spread.cluster() as cluster, PointProgress() as progress:
            over = cluster.reports(folder, progress.tell) if cluster else None
            return run_points(points, folder, jobs=jobs, observe=progress.observed, spread=over)
    except KeyboardInterrupt:
        kept = f"finished reports are in {folder}" if folder else "nothing is kept without a cache"
        raise InterruptedRunError(f"stopped; {kept}, and the same command goes on") from None


def _failed(outcome: PointOutcome) -> Mapping[str, JsonValue]:
    point = outcome.point
    return {
        "core": point.core.name,
        "parameters": {**point.variant[1]},
        "target": point.asked.target,
        "reason": outcome.reason,
    }


def compare(
    *,
    cores: Annotated[list[str], CORE_ARGUMENT],
    target: Annotated[list[str] | None, TARGETS_OPTION] = None,
    flow: FlowOptions,
    many: ManyOptions,
    store: StoreOptions,
) -> None:
    """Set cores, configurations and targets side by side, with ratios to the first."""
    chosen = [named_core(text, None)[1] for text in cores]
    _require(flow.flows(target or ()))
    if flow.message is None and (length := _common_length(chosen)) is not None:
        shown = format_bytes(length)
        print_text(f"messages of {shown} for every core; --message sets another length", err=True)
        flow = replace(flow, message=str(length))
    flows = flow.flows(target or ())
    points = []
    for text in cores:
        configuration, found, values = named_core(text, None)
        variant = chosen_variant(found, configuration, values)
        manifest = manifest_of(split_core(text)[0])
        points += [ReportPoint(found, manifest, variant, asked) for asked in flows]
    carry_out(points, many, store)


def _common_length(cores: Sequence[Core]) -> int | None:
    """The longest of the workloads' lengths that every core takes; None if all have one length."""
    lengths = sorted({core.workload.message_bytes for core in cores}, reverse=True)
    for length in lengths if len(lengths) > 1 else ():
        with suppress(UsageError):
            for core in cores:
                with_messages(core, length)
            return length
    return None


COMPARE: Final = Command(
    compare,
    (
        "joulemark core compare siphash:small siphash:fast",
        "joulemark core compare siphash mine/my_core.toml --target ecp5 --target generic",
        "joulemark core compare siphash:ROUNDS=1 siphash:ROUNDS=4 --liberty osu018",
    ),
    notes=(EXIT_CODES,),
    options_once=True,
)


# `joulemark core sweep`: a report for every combination of parameter values.


def sweep(
    *,
    core: Annotated[str, CORE_ARGUMENT],
    param: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=N,N",
            help="Values of a parameter; may be given several times. All supported values of all "
            "parameters unless any is given.",
        ),
    ] = None,
    target: Annotated[list[str] | None, TARGETS_OPTION] = None,
    flow: FlowOptions,
    many: ManyOptions,
    store: StoreOptions,
) -> None:
    """Make a report for every combination of parameter values, on all CPUs.

    Finished reports are kept in the cache: after Ctrl-C, a kill or a crash the same command makes
    only those that are missing.
    """
    found, manifest = find_core(core), manifest_of(core)
    flows = flow.flows(target or ())
    variants = swept_variants(found, param or [])
    points = [
        ReportPoint(found, manifest, variant, asked) for variant in variants for asked in flows
    ]
    carry_out(points, many, store)


SWEEP: Final = Command(
    sweep,
    (
        "joulemark core sweep siphash",
        "joulemark core sweep siphash --param ROUNDS=1,2,4 --seeds 5 --json sweep.json",
        "joulemark core sweep siphash --target generic --cache ./reports",
    ),
    notes=(EXIT_CODES,),
    options_once=True,
)
