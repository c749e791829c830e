# SPDX-License-Identifier: Apache-2.0
"""Tries in simulation what the names of ports leave open, and writes the manifest."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, product
from pathlib import Path
from typing import Any, Final

from joulemark.catalogue import algorithms
from joulemark.errors import ImplementationError, UsageError
from joulemark.hardware.bench.adapter import adapter_class
from joulemark.hardware.manifest import Core, with_sent_blocks
from joulemark.hardware.proposing.roles import Proposal
from joulemark.hardware.simulation.driving import KeyedMessages, compile_core, drive
from joulemark.hardware.simulation.workload import WorkloadClocks, measure_clocks

_LONGEST_CLOCKS: Final = 20_000
"""Clocks after which a trial is given up."""
_MOST_TRIALS: Final = 64
"""Most ways that are tried with one message; each takes about a second."""
_SEED: Final = 20261129


@dataclass(frozen=True, slots=True)
class Drive:
    """One way to drive a core, in the words of the manifest."""

    padding: str = "none"
    byte_order: str = "big"
    key_bytes: Sequence[int] = ()
    idle: Mapping[str, int] = field(default_factory=dict)
    settle_clocks: int = 0
    start_with_done: bool = True
    inputs: str = "held"


@dataclass(frozen=True, slots=True)
class Files:
    """Where manifest and sources lie; all but `folder` are as the manifest names them."""

    folder: Path
    sources: tuple[str, ...]
    include_folders: tuple[str, ...]
    reference: str | None

    @classmethod
    def beside(
        cls, manifest: Path, sources: Sequence[Path], includes: Sequence[Path], model: Path | None
    ) -> Files:
        """Paths relative to the manifest."""
        folder = manifest.resolve().parent

        def named(path: Path) -> str:
            return os.path.relpath(path.resolve(), folder)

        return cls(
            folder,
            tuple(map(named, sources)),
            tuple(map(named, includes)),
            None if model is None else named(model),
        )


@dataclass(frozen=True, slots=True)
class Tried:
    """The way that was found."""

    drive: Drive
    clocks: WorkloadClocks | None
    """None: no way was right, or none could be tried."""
    failure: str | None
    """Why the likeliest way is wrong; None if it is right or was not tried."""


def find_drive(
    made: Proposal, files: Files, folder: Path, say: Callable[[str], None] = lambda _text: None
) -> Tried:
    """The first way in which the core gives right results.

    One message alone decides on padding, order of bytes and idle values; then all messages of
    `core test` decide on the rest.
    """
    first = next(_ways(made))
    if not made.is_whole:
        return Tried(first, None, None)
    core = core_of(made, first, files)
    say(f"compiling {core.name}")
    program = compile_core(core, {}, folder)
    failure: str | None = None
    for number, way in enumerate(islice(_ways(made), _MOST_TRIALS)):
        say(f"trying, way {number + 1}")
        wrong = _wrong(core_of(made, way, files), program, folder)
        if wrong is None:
            return _with_many(made, way, files, program, folder, say)
        failure = failure or wrong
    return Tried(first, None, failure)


def _ways(made: Proposal) -> Iterator[Drive]:
    """Ways of driving, the likeliest first."""
    doubted = [name for name in made.doubted if name in made.idle]
    flips = sorted(product((False, True), repeat=min(len(doubted), 4)), key=sum)
    for settle, flipped, padding, keys, order in product(
        (0, 1), flips, made.paddings, made.key_sizes, ("big", "little")
    ):
        flipping = [name for name, flip in zip(doubted, flipped, strict=False) if flip]
        idle = {name: value ^ (name in flipping) for name, value in made.idle.items()}
        yield Drive(padding, order, keys, idle, settle)


def _wrong(core: Core, program: Path, folder: Path) -> str | None:
    """Why a message alone has a wrong result; None if it is right."""
    try:
        kind = adapter_class(core)
        chance = random.Random(_SEED)  # noqa: S311 - test data
        key = chance.randbytes(kind.key_bytes[0]) if kind.key_bytes else None
        message = chance.randbytes(core.workload.message_bytes)
        plan = [KeyedMessages(key, (message,))]
        drive(core, {}, folder, program, plan, name="trial").require_right(core, program)
    except (ImplementationError, UsageError) as error:
        return _what(error)
    return None


def _what(error: ImplementationError | UsageError) -> str:
    """What went wrong, without advice on manifests."""
    return error.what if isinstance(error, ImplementationError) else str(error)


def _with_many(
    made: Proposal,
    way: Drive,
    files: Files,
    program: Path,
    folder: Path,
    say: Callable[[str], None],
) -> Tried:
    """Tries what only several messages show."""
    failure: str | None = None
    starts = (True, False) if made.protocol == "start_done" else (True,)
    for start_with_done, inputs in product(starts, ("sampled", "held")):
        finer = replace(way, start_with_done=start_with_done, inputs=inputs)
        say(f"trying many messages, inputs {inputs}")
        try:
            clocks = measure_clocks(core_of(made, finer, files), {}, folder, program)
        except (ImplementationError, UsageError) as error:
            failure = failure or _what(error)
        else:
            return Tried(finer, clocks, None)
    return Tried(way, None, failure)


def core_of(made: Proposal, way: Drive, files: Files) -> Core:
    """The core as the manifest will describe it."""
    facts = _facts(made, way, files)
    facts["workload"] = {**facts["workload"], "longest_clocks": _LONGEST_CLOCKS}
    return with_sent_blocks(Core.model_validate({**facts, "folder": files.folder}))


def _facts(made: Proposal, way: Drive, files: Files) -> dict[str, Any]:
    """The manifest's entries, without those that are open."""
    most, size = made.message_bytes_max, made.block_bytes
    if made.is_one_block and way.padding in {"sha2", "md5"} and size is not None:
        most = size - (9 if size <= 64 else 17)  # FIPS 180-4: one byte, and the length
    adapter: dict[str, Any] = {
        "protocol": made.protocol,
        "block_bytes": size,
        "key_bytes": list(way.key_bytes),
        "byte_order": way.byte_order,
        "padding": None if way.padding == "none" else way.padding,
        "message_bytes_max": most,
        "message_bytes_min": made.message_bytes_min or None,
        "result_bytes": made.result_bytes,
        "reset_active": None if made.reset is None else made.reset_active,
        "settle_clocks": way.settle_clocks or None,
        "start_with_done": None if way.start_with_done else False,
        "reference": files.reference,
        "ports": made.ports,
        "idle": dict(way.idle),
    }
    facts: dict[str, Any] = {
        "name": made.top,
        "title": made.top,
        "algorithm": made.algorithm,
        "top": made.top,
        "clock": made.clock,
        "reset": made.reset,
        "inputs": way.inputs,
        "sources": list(files.sources),
        "include_folders": list(files.include_folders),
        "adapter": _given(adapter),
        "workload": {"messages": 8, "message_bytes": _message_bytes(made, way, most)},
    }
    return _given(facts)


def _given(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Without the entries that need not be there."""
    return {name: fact for name, fact in facts.items() if fact not in (None, [])}


def _message_bytes(made: Proposal, way: Drive, most: int | None) -> int:
    """Bytes of a message of one block."""
    facts = algorithms().get(made.algorithm or "")
    size = made.block_bytes
    if way.padding in {"none", "zero"} and size is not None:
        return size if facts is None or made.protocol != "init_next" else min(size, 64)
    if facts is None:
        return made.word_bytes
    short = facts.block_bytes - 1 if facts.block_bytes <= 8 else 16
    return min(short if facts.key_bytes else 32, short if most is None else most)


# The text of the manifest.


def manifest_text(made: Proposal, way: Tried, files: Files) -> str:
    """The manifest, with a comment at each entry that is to be filled in."""
    facts = _facts(made, way.drive, files)
    adapter: dict[str, Any] = facts.pop("adapter")
    workload: dict[str, Any] = facts.pop("workload")
    parts: dict[str, Any] = adapter.pop("ports")
    idle: dict[str, Any] = adapter.pop("idle", {})
    open_ = dict(made.open)
    lines = [
        "# Written by 'joulemark core new' from the ports of the core.",
        *(f"# {name}: {open_.pop(name)}" for name in ("algorithm", "clock") if name in open_),
        *_entries(facts),
        "",
        "[adapter]",
    ]
    if way.failure is not None:
        lines += _comment(
            "In simulation no way of driving the core gave right results; check what follows. "
            f"The first way failed so: {way.failure}"
        )
    lines += [f"# {text}" for name, text in open_.items() if not name.startswith("ports.")]
    lines += [*_entries(adapter), "", "[adapter.ports]"]
    lines += [f"# {text}" for name, text in open_.items() if name.startswith("ports.")]
    lines += _entries(parts)
    if idle:
        lines += ["", "# Inputs without a part keep these values.", "[adapter.idle]"]
        lines += _entries(idle)
    lines += ["", "[workload]", *_entries(workload)]
    lines += ["# Blocks of the algorithm in such a message, its padding included."]
    known = None if way.clocks is None else core_of(made, way.drive, files).workload
    lines += [f"blocks_per_message = {1 if known is None else known.blocks_per_message}"]
    if way.clocks is not None and not way.clocks.varied:
        block = way.clocks.clocks_per_block
        lines += ["", "[configurations.default]", 'about = "as counted when the manifest was made"']
        if block == int(block):
            lines.append(f"clocks_per_block = {int(block)}")
        lines.append(f"latency_clocks = {way.clocks.latency_clocks}")
    return "\n".join(lines) + "\n"


def _comment(text: str) -> list[str]:
    return [f"# {line}" for line in text.splitlines()]


def _entries(facts: Mapping[str, Any]) -> list[str]:
    """Entries of a table; a string of JSON is a string of TOML too."""
    return [f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in facts.items()]
