# SPDX-License-Identifier: Apache-2.0
"""`joulemark sessions`: what a MAC costs where many connections share the cores."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Annotated, Final

import typer
from rich.console import Console

from joulemark import __version__
from joulemark.cli.endings import InterruptedRunError
from joulemark.cli.sessions.no_answer import no_answer
from joulemark.cli.sessions.options import EXIT_CODES, EXIT_FAILED, SessionOptions, WindowOptions
from joulemark.cli.sessions.screen import as_dict, show, title_of
from joulemark.cli.shared.command import Command
from joulemark.cli.shared.inventory import inventory_of
from joulemark.cli.shared.measuring_options import StoreOptions
from joulemark.cli.shared.measuring_store import store_to_measure
from joulemark.cli.shared.options import JSON_OPTION
from joulemark.cli.shared.progress import ProgressBar
from joulemark.cli.shared.terminal import print_json
from joulemark.environment import capture
from joulemark.errors import UnavailableError
from joulemark.judging.sessions import Limits
from joulemark.measure.sessions.keep import stored_point
from joulemark.measure.sessions.rounds import Patience
from joulemark.measure.sessions.run import Point, SessionRounds, cores_held, run_points
from joulemark.measure.workers.inventory import Inventory, refuse_broken_plugins
from joulemark.measure.workers.pool import WorkerPool
from joulemark.store.repository import Store

__all__ = ["COMMAND"]


def run_sessions(
    *,
    asked: SessionOptions,
    times: WindowOptions,
    kept: StoreOptions,
    json_: Annotated[bool, JSON_OPTION] = False,
) -> None:
    """Measure a MAC in many sessions at once: absolute and apparent processing, and latencies.

    Each session is a thread with a separate key, message and tag; all share the cores. Absolute is
    what the threads spend on a byte, apparent what passes on the clock while all together do one:
    on k cores it falls towards absolute / k. A window that others disturbed, that was not steady
    or too short does not count: it is adjusted and taken again. The store keeps what was measured,
    for `joulemark choose --sessions`.
    """
    lengths = asked.lengths()
    scenario = times.scenario(asked.sessions, asked.core_numbers())
    inventory = inventory_of(asked.plugin)
    refuse_broken_plugins(inventory, asked.plugin or [])
    names = asked.implementations(inventory)
    points = [Point(name, length, scenario) for name in names for length in lengths]
    # The store is opened first, so that one that cannot be is refused before minutes of measuring.
    with nullcontext() if kept.location is None else store_to_measure(kept.location) as store:
        with cores_held(scenario.cores) as held_by_others:
            found = _measure(inventory, points, times.rounds)
        if store is not None:
            _keep(store, inventory, found)
    if json_:
        print_json(as_dict(scenario, found, held_by_others))
    elif any(point.good or point.failure is not None for point in found):
        show(scenario, found, held_by_others)
    why = no_answer(found, title_of)
    if why is not None:
        raise UnavailableError(why)
    if any(point.failure is not None for point in found):
        raise typer.Exit(EXIT_FAILED)


def _keep(store: Store, inventory: Inventory, found: list[SessionRounds]) -> None:
    """Stores every point that has a window; `joulemark choose --sessions` reads them."""
    environment = capture().as_dict()
    for point in found:
        if point.rounds:
            facts = inventory.facts_of(point.point.implementation)
            store.add_sessions(stored_point(point, facts, environment, __version__))
    store.settle()


def _measure(inventory: Inventory, points: list[Point], rounds: int) -> list[SessionRounds]:
    pool = WorkerPool(inventory, None)
    try:
        with ProgressBar(Console(stderr=True), "starting", "windows") as bar:
            return run_points(
                pool, inventory, points, rounds, Limits(),
                lambda done, total, point: bar.move(
                    done, total, f"{point.implementation}, {point.lengths.title}"
                ),
                patience=Patience(),
            )  # fmt: skip
    except KeyboardInterrupt:
        raise InterruptedRunError("stopped; nothing of these sessions is kept") from None
    finally:
        pool.close()


COMMAND: Final = Command(
    run_sessions,
    (
        "joulemark sessions hmac-sha256 cmac-aes128 --sessions 100 --size 64,1KiB",
        "joulemark sessions hmac-sha256/portable --cores 0 --size imix --window 2s",
        "joulemark sessions hmac-sha1 --sessions 1000 --rounds 1 --json > sessions.json",
    ),
    notes=(EXIT_CODES,),
)
