# SPDX-License-Identifier: Apache-2.0
"""`joulemark bench`: measure, store, and show."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from joulemark.cli import effort_options as on_effort
from joulemark.cli import energy_options as on_energy
from joulemark.cli import options
from joulemark.cli.inventory import inventory_of
from joulemark.cli.listing import HOST_TARGET, RTL_TARGET
from joulemark.cli.refusals import InterruptedRunError
from joulemark.cli.terminal import examples
from joulemark.errors import UnavailableError, UsageError
from joulemark.foreign.text import visible

if TYPE_CHECKING:
    from joulemark.analyse.results import ResultSet
    from joulemark.measure.planning.trials import Precision
    from joulemark.measure.run import RunOutcome
    from joulemark.measure.study import Effort, Study
    from joulemark.measure.workers.inventory import Inventory

__all__ = ["bench", "refuse_broken_plugins", "register"]

Word = TypeVar("Word", bound=StrEnum)

EXIT_IMPLEMENTATION_FAILED = 2
_MAX_ROUNDS = 10_000
_MAX_WINDOW_MS = 10_000.0
_MAX_BATCH = 4096

_EXIT_CODES = """\b
Exit codes:
  0  all that could be run was measured; a length that an implementation does
     not take is named as refused
  2  an implementation crashed, hung or computed something wrong (the figures
     of the others stand), or energy was asked for and nothing here meters it
     or no figure of it could be stated (the times stand), or the command makes
     no sense, or nothing could be measured
"""


def _words(kind: type[Word], text: str, option: str) -> tuple[Word, ...]:
    """A comma-separated option as members of an enumeration, duplicates removed."""
    found: dict[Word, None] = {}
    for part in text.split(","):
        try:
            found[kind(part.strip().lower())] = None
        except ValueError:
            known = ", ".join(member.value for member in kind)
            raise UsageError(f"--{option} {text}: '{part}' is not one of {known}") from None
    return tuple(found)


def _batches(text: str) -> tuple[int, ...]:
    """A comma-separated list of batch sizes, repetitions dropped."""
    found: dict[int, None] = {}
    for part in text.split(","):
        word = part.strip()
        if not (
            word.isascii() and word.isdigit() and len(word) < 9 and 1 <= int(word) <= _MAX_BATCH
        ):
            raise UsageError(f"--batch {text}: give numbers from 1 to {_MAX_BATCH}")
        found[int(word)] = None
    return tuple(found)


def _targets(text: str) -> tuple[str, ...]:
    """A comma-separated list of targets, repetitions dropped."""
    from joulemark.measure.study import TARGETS  # noqa: PLC0415 - native module

    found = tuple(dict.fromkeys(part.strip().lower() for part in text.split(",")))
    for part in found:
        if part not in TARGETS:
            raise UsageError(f"--target {text}: '{part}' is not one of {', '.join(TARGETS)}")
    return found


def _refuse_rounds(targets: tuple[str, ...], rounds: int | None, window_ms: float | None) -> None:
    """An exact simulation is not repeated."""
    for option, given in (("--rounds", rounds), ("--window-ms", window_ms)):
        if given is not None and HOST_TARGET not in targets:
            raise UsageError(
                f"{option}: a simulation is exact and is done once; leave it out with "
                f"--target {RTL_TARGET}"
            )


def _check_writable(path: Path | None) -> None:
    """Refuses a report that could not be written before an hour of measuring, not after."""
    if path is None:
        return
    folder = path.parent if str(path.parent) else Path()
    if not folder.is_dir():
        raise UsageError(f"--report {path}: there is no folder {folder}")
    if not os.access(folder, os.W_OK):
        raise UsageError(
            f"--report {path}: the folder {folder} cannot be written to; name another place"
        )
    if path.is_dir():
        raise UsageError(f"--report {path}: this is a folder; name a file in it")


def bench(
    patterns: Annotated[
        list[str] | None,
        options.PATTERN_ARGUMENT,
    ] = None,
    size: Annotated[
        str | None,
        typer.Option(
            help="Message sizes: 16,64..1024 (a range goes by powers of two), 1500, 64KiB."
        ),
    ] = None,
    mode: Annotated[
        str,
        typer.Option(
            help="throughput (independent messages), latency (each depends on the "
            "tag before it), or both, separated by a comma."
        ),
    ] = "throughput",
    cache: Annotated[
        str, typer.Option(help="hot, cold (messages flushed first), or both.")
    ] = "hot",
    key: Annotated[
        str,
        typer.Option(
            help="kept (set up once), fresh (set up for every message), distinct (kept, another "
            "one for each message of a batch), or several."
        ),
    ] = "kept",
    batch: Annotated[
        str,
        typer.Option(
            help="Messages handed over at a time, of a MAC: 64, or several as in 1,16,64."
        ),
    ] = "1",
    mix: Annotated[
        str | None,
        typer.Option(
            help="Messages of mixed lengths: imix (64, 576 and 1500 bytes as 7:4:1), "
            "uniform:16-1500, or both; instead of --size unless that is given too."
        ),
    ] = None,
    target: Annotated[
        str,
        typer.Option(
            help="Where it runs: host (software on this machine), rtl:verilator (hardware cores "
            "in a simulator: exact clocks per message, no time), or both."
        ),
    ] = "host",
    quick: Annotated[
        bool,
        typer.Option(
            "--quick", help="Fewer, shorter samples: seconds instead of a minute, wider intervals."
        ),
    ] = False,
    rounds: Annotated[
        int | None,
        typer.Option(
            help="Rounds; each takes four samples of each trial. 30 unless given, up to 300 where "
            "there are few trials."
        ),
    ] = None,
    window_ms: Annotated[
        float | None,
        typer.Option(help="Length of one sample in milliseconds; a longer message takes longer."),
    ] = None,
    precision: Annotated[str | None, on_effort.PRECISION_OPTION] = None,
    budget: Annotated[str | None, on_effort.BUDGET_OPTION] = None,
    cpu: Annotated[int | None, on_effort.CPU_OPTION] = None,
    wait_quiet: Annotated[str | None, on_effort.WAIT_QUIET_OPTION] = None,
    json_: Annotated[bool, options.JSON_OPTION] = False,
    csv: Annotated[bool, typer.Option("--csv", help="Print CSV instead of a table.")] = False,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Print Markdown instead of a table.")
    ] = False,
    raw: Annotated[bool, typer.Option("--raw", help="With --json: every raw sample too.")] = False,
    report: Annotated[Path | None, typer.Option(help="Also write this HTML page.")] = None,
    store: Annotated[str, options.STORE_OPTION] = options.DEFAULT_STORE,
    no_store: Annotated[bool, options.NO_STORE_OPTION] = False,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Begin anew instead of going on with an unfinished run.")
    ] = False,
    plugin: Annotated[list[str] | None, options.PLUGIN_OPTION] = None,
    hang_limit: Annotated[
        float, typer.Option(help="Seconds without an answer after which code counts as hung.")
    ] = 30.0,
    energy: Annotated[bool, on_energy.ENERGY_OPTION] = False,
    meter: Annotated[str | None, on_energy.METER_OPTION] = None,
    energy_method: Annotated[str | None, on_energy.ENERGY_METHOD_OPTION] = None,
    energy_rounds: Annotated[int, on_energy.ENERGY_ROUNDS_OPTION] = 10,
    energy_window: Annotated[float | None, on_energy.ENERGY_WINDOW_OPTION] = None,
    energy_precision: Annotated[str, on_energy.ENERGY_PRECISION_OPTION] = "1%",
    foreign_limit: Annotated[str, on_energy.FOREIGN_LIMIT_OPTION] = "1%",
    modelled_power: Annotated[float | None, on_energy.MODELLED_POWER_OPTION] = None,
    sysfs: Annotated[Path, options.SYSFS_OPTION] = options.DEFAULT_SYSFS,
    proc: Annotated[Path, options.PROC_OPTION] = options.DEFAULT_PROC,
) -> None:
    """Measure implementations on this machine, store every sample, show the figures."""
    from joulemark.measure.cpus import require_allowed  # noqa: PLC0415
    from joulemark.measure.study import CORE_SIZES_BYTES, DEFAULT_SIZES_BYTES, Study  # noqa: PLC0415
    from joulemark.records.mixes import parse_mixes  # noqa: PLC0415
    from joulemark.records.trial import Cache, KeySetup, Mode  # noqa: PLC0415
    from joulemark.units import parse_sizes  # noqa: PLC0415

    if json_ + csv + markdown > 1:
        raise UsageError(
            "--json, --csv and --markdown exclude one another; name one, and use "
            "joulemark export for the others"
        )
    if not 0 < hang_limit < float("inf"):
        raise UsageError(f"--hang-limit {hang_limit}: give a number of seconds above 0")
    _check_writable(report)
    mixes = () if mix is None else parse_mixes(mix)
    targets = _targets(target)
    default_sizes: tuple[int, ...] = () if mixes else DEFAULT_SIZES_BYTES
    if RTL_TARGET in targets:
        default_sizes = CORE_SIZES_BYTES
        _refuse_rounds(targets, rounds, window_ms)
    study = Study(
        patterns=tuple(patterns or ()),
        sizes_bytes=default_sizes if size is None else tuple(parse_sizes(size)),
        modes=_words(Mode, mode, "mode"),
        caches=_words(Cache, cache, "cache"),
        key_setups=_words(KeySetup, key, "key"),
        batches=_batches(batch),
        mixes=mixes,
        effort=_effort(
            quick=quick, rounds=rounds, window_ms=window_ms,
            precision=on_effort.precision(precision, budget),
        ),
        energy=on_energy.energy_plan(
            {
                "energy": energy, "meter": meter, "method": energy_method,
                "rounds": energy_rounds, "window_s": energy_window,
                "precision": energy_precision, "foreign_limit": foreign_limit,
                "sysfs": sysfs, "proc": proc,
            }
        ),
        modelled_watts=on_energy.modelled_watts(modelled_power),
        targets=targets,
    )  # fmt: skip
    wait_s = on_effort.wait_seconds(wait_quiet)
    require_allowed(cpu)
    if wait_s is not None:
        on_effort.wait(wait_s)
    results, outcome = _measure(
        study, None if no_store else store, plugin or [], fresh=fresh, raw=raw,
        hang_limit_s=hang_limit, cpu=cpu,
    )  # fmt: skip
    if report is not None:
        from joulemark.report.page.html import write_html  # noqa: PLC0415

        write_html(results, report)
    kind = "json" if json_ else "csv" if csv else "markdown" if markdown else None
    no_energy = study.energy is not None and not _has_energy(results)
    print_results(results, kind, energy_said=no_energy and outcome.no_energy is not None)
    _say_checked(outcome)
    _say_precision(results, study.effort.precision)
    if report is not None:
        typer.echo(f"report: {report}", err=True)
    if outcome.no_energy is not None:
        raise UnavailableError(f"{outcome.no_energy} (the times above stand)")
    if no_energy:
        raise UnavailableError(
            "energy was metered and no figure could be stated; the reasons are given with the "
            "times, which stand"
        )
    if any(one.broken for one in outcome.failures) or not results.results:
        raise typer.Exit(EXIT_IMPLEMENTATION_FAILED)


def _say_precision(results: ResultSet, asked: Precision | None) -> None:
    """How many trials are as sharp as asked; nothing where nothing was asked."""
    if asked is None:
        return
    from joulemark.units import format_percent  # noqa: PLC0415

    figures = [one.seconds_per_message for one in results.results if one.seconds_per_message]
    widths = [(figure.high - figure.low) / 2 / figure.median for figure in figures]
    reached = sum(width <= asked.half_width for width in widths)
    line = (f"precision {format_percent(asked.half_width)} reached by {reached} of {len(widths)} "
            "trials")  # fmt: skip
    if reached < len(widths):
        line += (f", the widest is at +-{format_percent(max(widths))}; the budget of "
                 f"{asked.budget_s:g} s is spent")  # fmt: skip
    typer.echo(line, err=True)


def _say_checked(outcome: RunOutcome) -> None:
    """What was checked before the figures were taken."""
    from joulemark.measure.workers.thorough import checked_line  # noqa: PLC0415 - native module

    if outcome.checked:
        typer.echo(checked_line(outcome.checked), err=True)


def _has_energy(results: ResultSet) -> bool:
    """Whether any domain of any result has a figure in joules or watts."""
    return any(
        one.gross_joules_per_message or one.joules_per_message or one.watts
        for result in results.results
        for one in result.energy
    )


def _effort(
    *, quick: bool, rounds: int | None, window_ms: float | None, precision: Precision | None
) -> Effort:
    from joulemark.measure.study import QUICK, STANDARD  # noqa: PLC0415

    base = QUICK if quick else STANDARD
    visits = base.visits if rounds is None else 0
    rounds = base.rounds if rounds is None else rounds
    if not 1 <= rounds <= _MAX_ROUNDS:
        raise UsageError(f"--rounds {rounds}: give a number from 1 to {_MAX_ROUNDS}")
    window_ns = base.window_ns
    if window_ms is not None:
        if not 0.01 <= window_ms <= _MAX_WINDOW_MS:
            raise UsageError(f"--window-ms {window_ms:g}: give 0.01 to {_MAX_WINDOW_MS:g} ms")
        window_ns = round(window_ms * 1e6)
    return replace(base, rounds=rounds, visits=visits, window_ns=window_ns, precision=precision)


@contextmanager
def _place(store_location: str | None) -> Iterator[str]:
    """Where samples go: with None into a store that is gone at the end."""
    if store_location is not None:
        yield store_location
        return
    with TemporaryDirectory(prefix="joulemark-") as folder:
        yield str(Path(folder) / options.DEFAULT_STORE)


def _measure(
    study: Study, store_location: str | None, plugins: Sequence[str], *, fresh: bool, raw: bool,
    hang_limit_s: float, cpu: int | None,
) -> tuple[ResultSet, RunOutcome]:  # fmt: skip
    from rich.console import Console  # noqa: PLC0415

    from joulemark.analyse.precision import half_width  # noqa: PLC0415
    from joulemark.analyse.runs.assemble import result_set  # noqa: PLC0415
    from joulemark.cli.progress import RunProgress  # noqa: PLC0415
    from joulemark.environment import capture  # noqa: PLC0415
    from joulemark.measure.run import run_plan  # noqa: PLC0415
    from joulemark.store.repository import Store  # noqa: PLC0415

    software = HOST_TARGET in study.targets or bool(plugins)
    inventory = inventory_of(plugins, software=software)
    refuse_broken_plugins(inventory, plugins)
    plan = study.plan(inventory)
    with (
        _place(store_location) as place,
        Store.open(place) as store,
        RunProgress(Console(stderr=True)) as progress,
    ):
        try:
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
            )
        except KeyboardInterrupt:
            kept = (
                "nothing is kept with --no-store"
                if store_location is None
                else f"every sample so far is in {store_location}, and the same command goes on"
            )
            raise InterruptedRunError(f"stopped; {kept}") from None
        return result_set(store, outcome.run_id, raw=raw), outcome


def refuse_broken_plugins(inventory: Inventory, plugins: Sequence[str]) -> None:
    """A plugin that was named and cannot be loaded is not left out in silence."""
    for path in plugins:
        for one in inventory.unavailable:
            if one.implementation == f"*/{visible(Path(path).stem)}":
                raise UnavailableError(f"plugin {path} cannot be used: {one.reason}")


def print_results(results: ResultSet, kind: str | None, *, energy_said: bool = False) -> None:
    """Results on standard output: a table, or in the format that was asked for.

    Args:
        results: what is printed.
        kind: name of an export format; None for a table.
        energy_said: a sentence on standard error says why there are no joules.
    """
    if kind is None:
        from rich.console import Console  # noqa: PLC0415

        from joulemark.report.tables import results_table  # noqa: PLC0415

        Console().print(results_table(results, energy_said=energy_said))
        return
    from joulemark.report.export import exporter  # noqa: PLC0415

    typer.echo(exporter(kind).render(results, None), nl=False)


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command(
        epilog=_EXIT_CODES
        + "\n"
        + examples(
            "joulemark bench",
            "joulemark bench hmac-sha256 --size 16,64..1024",
            "joulemark bench 'hmac-*/openssl_*' --mode latency --json > run.json",
            "joulemark bench hmac-sha256 --precision 0.5% --budget 5min --wait-quiet 10min",
            "joulemark bench cmac-aes128 --key kept,fresh --report report.html",
            "joulemark bench hmac-sha256 --size 1KiB --energy",
            "joulemark bench hmac-sha256 --batch 1,64 --key distinct --mix imix",
            "joulemark bench sha256 --target rtl:verilator --size 0,64,1KiB --mode latency",
        )
    )(bench)
