# SPDX-License-Identifier: Apache-2.0
"""`joulemark test`: is it correct? Without timing anything."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from joulemark.cli.shared import options
from joulemark.cli.shared.inventory import inventory_of, refuse_broken_plugins
from joulemark.cli.shared.terminal import examples, print_json
from joulemark.errors import ImplementationError, UnavailableError, UsageError
from joulemark.measure.planning.trials import select
from joulemark.measure.workers.check_words import finding_sentence
from joulemark.measure.workers.client import RefusalError
from joulemark.measure.workers.constant_time import keeps_secrets
from joulemark.measure.workers.inventory import Inventory, failure_of
from joulemark.measure.workers.pool import WorkerPool
from joulemark.measure.workers.thorough import CheckEffort, replay

__all__ = ["register", "run_test"]

TEST_VERSION = 1
"""Of the JSON that `--json` prints."""
EXIT_WRONG = 2
_CPU_S = 2.0
_LONG_CPU_S = 60.0
_LIMIT_S = 60.0
_LONG_LIMIT_S = 1800.0
_SEEDS = 1 << 32

_EXIT_CODES = """\b
Exit codes:
  0  everything that was checked is right
  2  an implementation computed something wrong, touched memory that is not its
     own, crashed or hung; or the command makes no sense, or nothing that was
     asked for can be run here
"""


def _effort(*, long: bool, seed: int) -> CheckEffort:
    if not 0 <= seed < _SEEDS:
        raise UsageError(f"--seed {seed}: give a number from 0 to {_SEEDS - 1}")
    if long:
        return CheckEffort(_LONG_CPU_S, _LONG_LIMIT_S, seed, huge=True)
    return CheckEffort(_CPU_S, _LIMIT_S, seed)


def _names(patterns: list[str], inventory: Inventory) -> list[str]:
    """The software that the patterns name."""
    for pattern in patterns:
        for one in inventory.unavailable:
            if one.implementation == pattern:
                raise UnavailableError(f"{pattern} cannot be tested here: {one.reason}")
    return select(patterns, inventory.facts)


def _replayed(name: str, inventory: Inventory, line: str) -> str | None:
    """What one case finds, in words, or None."""
    try:
        finding = replay(inventory.source_of(name), name, line, _LONG_LIMIT_S)
    except RefusalError as error:
        raise UsageError(
            f"--replay '{line}': {error}; give the line as a failed test printed it, in quotes"
        ) from None
    return None if finding is None else finding_sentence(finding)


def run_test(
    patterns: Annotated[list[str], options.PATTERN_ARGUMENT],
    plugin: Annotated[list[str] | None, options.PLUGIN_OPTION] = None,
    long: Annotated[
        bool,
        typer.Option(
            "--long", help="A minute for each implementation, and messages longer than 4 GiB."
        ),
    ] = False,
    seed: Annotated[
        int, typer.Option(metavar="N", help="Another number gives other random cases.")
    ] = 1,
    replay: Annotated[
        str | None,
        typer.Option(metavar="LINE", help="Run one case alone: the line that a failure printed."),
    ] = None,
    constant_time: Annotated[
        bool,
        typer.Option(
            "--constant-time",
            help="Look under valgrind for branches and addresses that depend on secrets, instead.",
        ),
    ] = False,
    as_json: Annotated[bool, options.JSON_OPTION] = False,
) -> None:
    """Check that implementations are correct, thoroughly and without timing them.

    Each is held to published vectors, to a readable reference and to a trusted kernel: every length
    to 4200 bytes and samples to 1 MiB, all addresses modulo 64 of message and output, many keys and
    key lengths, streams cut at random, batches, second calls, and memory that it must not touch.
    """
    effort = _effort(long=long, seed=seed)
    inventory = inventory_of(plugin)
    refuse_broken_plugins(inventory, plugin or [])
    names = _names(patterns, inventory)
    if constant_time and (long or replay is not None):
        raise UsageError(
            "--constant-time excludes --long and --replay; ask for one after the other"
        )
    if replay is not None and len(names) != 1:
        raise UsageError(f"--replay: name one implementation, not {len(names)}")
    pool = WorkerPool(inventory, None, effort=effort)
    found: list[dict[str, Any]] = []
    try:
        for name in names:
            if constant_time:
                found.append(_watched(name, inventory))
            else:
                found.append(_tested(name, inventory, pool, replay))
            if not as_json:
                typer.echo(found[-1]["text"])
    finally:
        pool.close()
    if as_json:
        print_json({"schema_version": TEST_VERSION, "seed": seed, "implementations": found})
    rights = {one["right"] for one in found}
    if False in rights or True not in rights:  # nothing that could be checked is no success
        raise typer.Exit(EXIT_WRONG)


def _tested(
    name: str, inventory: Inventory, pool: WorkerPool, replay: str | None
) -> dict[str, Any]:
    entry: dict[str, Any] = {"implementation": name}
    try:
        if replay is not None:
            sentence = _replayed(name, inventory, replay)
            if sentence is None:
                return {**entry, "right": True, "text": f"{name}: this case is right"}
            return {**entry, "right": False, "kind": "wrong output",
                    "text": f"{name} is wrong: {sentence}"}  # fmt: skip
        report = pool.check(name)
    except ImplementationError as error:
        kind = failure_of(name, error).kind.value
        verb = "is wrong" if kind == "wrong output" else f"failed ({kind})"
        return {**entry, "right": False, "kind": kind, "text": f"{name} {verb}: {error}"}
    return {**entry, "right": True, **report.as_dict(), "text": f"{name}: {report.text}"}


def _watched(name: str, inventory: Inventory) -> dict[str, Any]:
    facts = inventory.facts[name]
    plain = name if facts.chosen is None else f"{name.split('/', 1)[0]}/{facts.chosen}"
    verdict = keeps_secrets(inventory.source_of(name), plain)
    verb = " " if verdict.right is False else ": "
    return {"implementation": name, "right": verdict.right, "text": f"{name}{verb}{verdict.text}"}


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command(
        "test",
        epilog=_EXIT_CODES
        + "\n"
        + examples(
            "joulemark test sha256",
            "joulemark test sha256/mine --plugin ./mine.so",
            "joulemark test 'hmac-*' --long",
            "joulemark test cmac-aes128/mine --plugin ./mine.so --constant-time",
            "joulemark test sha256/mine --plugin ./mine.so --replay 'one key=0+0 keys=1 ...'",
        ),
    )(run_test)
