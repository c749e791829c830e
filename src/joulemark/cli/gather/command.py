# SPDX-License-Identifier: Apache-2.0
"""`joulemark gather`: what a server gains by letting messages wait for each other."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final

import typer
from rich.console import Console

from joulemark import __version__
from joulemark.cli.endings import InterruptedRunError
from joulemark.cli.gather.options import (
    GatherOptions,
    GatherWindowOptions,
    gather_points_of,
    windows_of,
)
from joulemark.cli.gather.screen import (
    as_dict,
    curves_of,
    notes,
    scenario_text,
    show,
    title_of,
    verdict_text,
)
from joulemark.cli.sessions.no_answer import no_answer
from joulemark.cli.sessions.options import EXIT_CODES, EXIT_FAILED, SessionOptions
from joulemark.cli.shared.command import Command
from joulemark.cli.shared.inventory import inventory_of
from joulemark.cli.shared.options import JSON_OPTION
from joulemark.cli.shared.progress import ProgressBar
from joulemark.cli.shared.report_file import require_writable
from joulemark.cli.shared.terminal import print_json
from joulemark.environment import capture
from joulemark.errors import UnavailableError
from joulemark.judging.sessions import Limits
from joulemark.measure.gathering.run import GatherRounds, Windows, gather_points
from joulemark.measure.gathering.work import GatherPoint
from joulemark.measure.sessions.rounds import Patience
from joulemark.measure.sessions.run import cores_held
from joulemark.measure.workers.inventory import Inventory, refuse_broken_plugins
from joulemark.measure.workers.pool import WorkerPool

__all__ = ["COMMAND"]


def run_gather(
    *,
    asked: SessionOptions,
    gathered: GatherOptions,
    times: GatherWindowOptions,
    report: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write a page with the curves to this HTML file."),
    ] = None,
    json_: Annotated[bool, JSON_OPTION] = False,
) -> None:
    """Measure batches gathered across sessions: the core time they save, the latency they add.

    On each core a gatherer collects messages of its sessions until a batch is full or its oldest
    message has waited long enough, and tags the batch in one call, each message under its session's
    key. Shown are the time of a core for a message, and the time of a message from its arrival to
    its tag, for each wait, beside messages that are tagged one by one.
    """
    if report is not None:
        require_writable(report)
    inventory = inventory_of(asked.plugin)
    refuse_broken_plugins(inventory, asked.plugin or [])
    points = gather_points_of(asked, gathered, asked.implementations(inventory))
    cores = asked.core_numbers()
    windows = windows_of(times, asked.sessions, cores)
    with cores_held(cores) as held_by_others:
        found = _measure(inventory, points, windows)
    some = any(point.good or point.failure is not None for point in found)
    if report is not None and some:
        _write_page(found, held_by_others, report)
    if json_:
        print_json(as_dict(found, held_by_others))
    elif some:
        show(found, held_by_others)
    why = no_answer(found, title_of)
    if why is not None:
        no_page = "; no page is written" if report is not None and not some else ""
        raise UnavailableError(why + no_page)
    if any(point.failure is not None for point in found):
        raise typer.Exit(EXIT_FAILED)


def _write_page(found: list[GatherRounds], held_by_others: list[int], report: Path) -> None:
    # Charts are slow to import, and few ask for them.
    from joulemark.report.gathering.page import (  # noqa: PLC0415
        GatheringPage,
        write_gathering_page,
    )

    page = GatheringPage(
        curves=curves_of(found),
        scenario=scenario_text(found),
        machine=str(capture().as_dict().get("cpu_model") or "an unnamed CPU"),
        verdict=verdict_text(found).capitalize(),
        notes=[*filter(None, [no_answer(found, title_of)]), *notes(found, held_by_others)],
        version=__version__,
        data=as_dict(found, held_by_others),
    )
    write_gathering_page(page, report)


def _measure(
    inventory: Inventory, points: list[GatherPoint], windows: Windows
) -> list[GatherRounds]:
    pool = WorkerPool(inventory, None)
    try:
        with ProgressBar(Console(stderr=True), "starting", "windows") as bar:
            return gather_points(
                pool, inventory, points, windows, Limits(),
                lambda done, total, point: bar.move(
                    done, total, f"{point.implementation}, {point.lengths.title}"
                ),
                Patience(),
            )  # fmt: skip
    except KeyboardInterrupt:
        raise InterruptedRunError("stopped; nothing is kept of gathering") from None
    finally:
        pool.close()


COMMAND: Final = Command(
    run_gather,
    (
        "joulemark gather cmac-aes128 hmac-sha256 --rate 100k,1M --wait 0,5,20,50,100us",
        "joulemark gather hmac-sha256 --cores 0 --size imix --batch 32 --report gather.html",
        "joulemark gather siphash-2-4 --sessions 1000 --rounds 1 --json > gather.json",
    ),
    notes=(EXIT_CODES,),
)
