# SPDX-License-Identifier: Apache-2.0
"""`joulemark test` and `joulemark checksum`: whether implementations are correct."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Final

import typer
from pydantic import JsonValue

from joulemark.catalogue import EBACS_KEY_BYTES, AlgorithmFacts, algorithm_called
from joulemark.cli.shared import measuring_options
from joulemark.cli.shared.command import Command
from joulemark.cli.shared.completion import algorithm_names
from joulemark.cli.shared.measuring_options import PLUGIN_OPTION
from joulemark.cli.shared.terminal import print_json, print_text, usable_vectors
from joulemark.errors import ImplementationError, UnavailableError, UsageError
from joulemark.foreign.vectors import VectorFile
from joulemark.measure.inventory import (
    Inventory,
    failure_of,
    inventory_of,
    refuse_broken_plugins,
    select_here,
)
from joulemark.measure.pool import CheckEffort, WorkerPool, replay
from joulemark.measure.worker.client import RefusalError, WorkerClient
from joulemark.measure.worker.correctness import finding_sentence
from joulemark.measure.worker.further_checks import VectorReport, hold_to_vectors, keeps_secrets
from joulemark.measure.worker.messages import OpenSource
from joulemark.measure.worker.run_messages import Checksum
from joulemark.records import ImplementationFacts

# The vectors of a file that a user gives to `joulemark test`, and implementations held to them.


def vector_file(path: Path, names: list[str]) -> VectorFile:
    """Reads a file of vectors, of which some must be of an algorithm that is tested."""
    file = usable_vectors(path, "that can be computed")
    tested = sorted({name.partition("/")[0] for name in names})
    if not any(vector.is_of(algorithm) for vector in file.vectors for algorithm in tested):
        found = ", ".join(sorted({vector.algorithm for vector in file.vectors}))
        raise UsageError(f"--vectors {path} has vectors of {found}, none of {', '.join(tested)}")
    return file


@dataclass(frozen=True, slots=True)
class CorrectnessAnswer:
    """What came of the test of one implementation."""

    implementation: str
    right: bool | None
    """None: that could not be told."""
    text: str
    kind: str | None = None
    """Kind of the failure; None if nothing is wrong."""
    details: Mapping[str, JsonValue] = field(default_factory=dict)
    """More values for JSON."""

    def as_dict(self) -> Mapping[str, JsonValue]:
        """Values for JSON."""
        kind = {} if self.kind is None else {"kind": self.kind}
        head = {"implementation": self.implementation, "right": self.right, **kind}
        return {**head, **self.details, "text": self.text}


def check_vectors(
    answer: CorrectnessAnswer, inventory: Inventory, pool: WorkerPool, file: VectorFile
) -> CorrectnessAnswer:
    """Holds an implementation that is otherwise right to a file of vectors."""
    name = answer.implementation
    try:
        report = hold_to_vectors(
            inventory.facts[name], file.vectors, lambda cases: pool.outputs(name, cases)
        )
    except ImplementationError as error:
        kind = failure_of(name, error).kind.value
        return replace(answer, right=False, kind=kind, text=f"{name} failed ({kind}): {error}")
    skipped = {**report.passed_over, **file.passed_over}
    counts: JsonValue = {
        "form": file.form,
        "passed": report.passed,
        "failed": len(report.failed),
        "skipped": {**skipped},
    }
    held = replace(
        answer,
        details={**answer.details, "vectors": counts},
        text=f"{answer.text}\n  {_vector_words(report, file.form, skipped)}",
    )
    return replace(held, right=False, kind="wrong output") if report.failed else held


def _vector_words(report: VectorReport, form: str, skipped: dict[str, int]) -> str:
    words = [f"{form} vectors: {report.passed} passed"]
    if report.failed:
        first = report.failed[0]
        comment = f" ({first.vector.comment})" if first.vector.comment else ""
        words.append(
            f"{len(report.failed)} failed, the first {first.vector.name}{comment}: {first.wrong}"
        )
    words += [f"{number} skipped: {reason}" for reason, number in skipped.items()]
    return "; ".join(words)


TEST_VERSION = 1
"""Version of the JSON that `--json` prints."""
EXIT_WRONG = 2
_CPU_S = 2.0
_LONG_CPU_S = 60.0
_LIMIT_S = 60.0
_LONG_LIMIT_S = 1800.0
_SEEDS = 1 << 32

_EXIT_CODES = """\b
Exit codes:
  0  everything that was checked is right
  2  an implementation computed something wrong, touched memory that is not
     its own, crashed or hung; or the command makes no sense, or nothing that
     was asked for can be run here
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
        for failure in inventory.unavailable:
            if failure.implementation == pattern:
                raise UnavailableError(f"{pattern} cannot be tested here: {failure.reason}")
    return select_here(patterns, inventory)


def _replay_case(name: str, inventory: Inventory, line: str) -> str | None:
    """Runs one case; what it finds in words, None if the output is right."""
    try:
        finding = replay(inventory.source_of(name), name, line, _LONG_LIMIT_S)
    except RefusalError as error:
        raise UsageError(
            f"--replay '{line}': {error}; give the line as a failed test printed it, in quotes"
        ) from None
    return None if finding is None else finding_sentence(finding)


def run_test(
    patterns: Annotated[list[str], measuring_options.PATTERN_ARGUMENT],
    plugin: Annotated[list[str] | None, measuring_options.PLUGIN_OPTION] = None,
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
    vectors: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Hold to these vectors too: Wycheproof's JSON of a MAC; NIST's .rsp of a hash, "
            "HMAC or CMAC, or ACVP's JSON of these, KMAC and GMAC.",
        ),
    ] = None,
    constant_time: Annotated[
        bool,
        typer.Option(
            "--constant-time",
            help="Look under valgrind for branches and addresses that depend on secrets, instead.",
        ),
    ] = False,
    as_json: Annotated[bool, measuring_options.JSON_OPTION] = False,
) -> None:
    """Check that implementations are correct, thoroughly and without timing them.

    Each is held to published vectors, to a readable reference and to a trusted kernel: every length
    to 4200 bytes and samples to 1 MiB, all addresses modulo 64 of message and output, many keys and
    key lengths, keys and messages at which sums carry, streams cut at random, batches, second
    calls, two threads at once, and memory that it must not touch.
    """
    effort = _effort(long=long, seed=seed)
    inventory = inventory_of(plugin)
    refuse_broken_plugins(inventory, plugin or [])
    names = _names(patterns, inventory)
    excluded = long or replay is not None or vectors is not None
    _refuse_contradictions(names, replay, constant_time=constant_time, excluded=excluded)
    file = None if vectors is None else vector_file(vectors, names)
    found: list[CorrectnessAnswer] = []
    with closing(WorkerPool(inventory, None, effort=effort)) as pool:
        for name in names:
            if constant_time:
                found.append(_watch(name, inventory))
            else:
                found.append(_check(name, inventory, pool, replay, file))
            if not as_json:
                print_text(found[-1].text)
    if as_json:
        rows = [answer.as_dict() for answer in found]
        print_json({"schema_version": TEST_VERSION, "seed": seed, "implementations": rows})
    rights = {answer.right for answer in found}
    if True not in rights or False in rights:
        raise typer.Exit(EXIT_WRONG)


def _refuse_contradictions(
    names: list[str], replay: str | None, *, constant_time: bool, excluded: bool
) -> None:
    """Refuses options that contradict each other, and a case for several implementations."""
    if constant_time and excluded:
        raise UsageError(
            "--constant-time excludes --long, --replay and --vectors; ask for one after the other"
        )
    if replay is not None and len(names) != 1:
        raise UsageError(f"--replay: name one implementation, not {len(names)}")


def _check(
    name: str, inventory: Inventory, pool: WorkerPool, replay: str | None, file: VectorFile | None
) -> CorrectnessAnswer:
    """The answer of the check and, where nothing is wrong, of the vectors of a file after it."""
    try:
        if replay is not None:
            sentence = _replay_case(name, inventory, replay)
            if sentence is None:
                return CorrectnessAnswer(name, right=True, text=f"{name}: this case is right")
            wrong = f"{name} is wrong: {sentence}"
            return CorrectnessAnswer(name, right=False, text=wrong, kind="wrong output")
        report = pool.check(name)
    except ImplementationError as error:
        kind = failure_of(name, error).kind.value
        verb = "is wrong" if kind == "wrong output" else f"failed ({kind})"
        return CorrectnessAnswer(name, right=False, text=f"{name} {verb}: {error}", kind=kind)
    answer = CorrectnessAnswer(
        name, right=True, text=f"{name}: {report.text}", details=report.as_dict()
    )
    return answer if file is None else check_vectors(answer, inventory, pool, file)


def _watch(name: str, inventory: Inventory) -> CorrectnessAnswer:
    facts = inventory.facts[name]
    plain = name if facts.chosen is None else f"{name.split('/', 1)[0]}/{facts.chosen}"
    verdict = keeps_secrets(inventory.source_of(name), plain)
    verb = " " if verdict.right is False else ": "
    return CorrectnessAnswer(name, verdict.right, f"{name}{verb}{verdict.text}")


TEST: Final = Command(
    run_test,
    (
        "joulemark test sha256",
        "joulemark test sha256/mine --plugin ./mine.so",
        "joulemark test 'hmac-*' --long",
        "joulemark test hmac-sha256 --vectors hmac_sha256_test.json",
        "joulemark test cmac-aes128/mine --plugin ./mine.so --constant-time",
        "joulemark test sha256/mine --plugin ./mine.so --replay 'one key=0+0 keys=1 ...'",
    ),
    notes=(_EXIT_CODES,),
)


# `joulemark checksum`: the checksum by which SUPERCOP knows an algorithm.

_CHECKSUM_LIMIT_S = 300.0
"""Seconds. The slowest of our implementations needs one for the big checksum."""


def print_checksum(
    algorithm: Annotated[
        str,
        typer.Argument(
            metavar="ALGORITHM",
            help="A hash or a MAC, by its name here or in eBACS (ebacs:keccakc512).",
            autocompletion=algorithm_names,
        ),
    ],
    implementation: Annotated[
        str | None,
        typer.Option(
            metavar="VARIANT", help="Which implementation computes it: bmi2. Without it: auto."
        ),
    ] = None,
    big: Annotated[
        bool, typer.Option("--big", help="SUPERCOP's checksumbig, of longer and more messages.")
    ] = False,
    plugin: Annotated[list[str] | None, PLUGIN_OPTION] = None,
) -> None:
    """Print the checksum by which eBACS's SUPERCOP knows an algorithm: 64 hexadecimal digits.

    It stands in SUPERCOP's file checksumsmall (checksumbig with --big) of the primitive. Outputs of
    64 messages (big: 512) go into that of a hash, of 4096 (big: 32768) into that of a MAC.
    """
    asked = algorithm_called(algorithm)
    if asked.kind == "cipher":
        raise UsageError(
            f"{asked.id} is a cipher, and SUPERCOP has checksums of hashes and MACs alone"
        )
    inventory = inventory_of(plugin)
    refuse_broken_plugins(inventory, plugin or [])
    facts = _facts(asked.id, implementation, inventory)
    typer.echo(_checksum(asked, facts, inventory, big=big))


def _facts(name: str, variant: str | None, inventory: Inventory) -> ImplementationFacts:
    """The implementation that was asked for, `auto` resolved."""
    asked = f"{name}/{variant or 'auto'}"
    for failure in inventory.unavailable:
        if failure.implementation == asked:
            raise UnavailableError(f"{asked} is unavailable: {failure.reason}")
    if variant is None and asked not in inventory.facts:
        raise UnavailableError(f"nothing here computes {name} in software (joulemark list {name})")
    (found, *more) = select_here([asked], inventory)
    if more:
        raise UsageError(f"--implementation {variant}: name one, not {1 + len(more)}")
    facts = inventory.facts_of(found)
    return facts if facts.chosen is None else inventory.facts_of(f"{name}/{facts.chosen}")


def _checksum(
    algorithm: AlgorithmFacts, facts: ImplementationFacts, inventory: Inventory, *, big: bool
) -> str:
    any_length = facts.key_bytes_max != facts.key_bytes_min
    request = Checksum(
        implementation=facts.implementation,
        key_bytes=EBACS_KEY_BYTES if any_length else facts.key_bytes,
        output_bytes=algorithm.ebacs_output_bytes or facts.output_bytes,
        big=big,
    )
    client = WorkerClient(inventory.source_of(facts.implementation), None)
    try:
        client.ask(OpenSource(), limit_s=_CHECKSUM_LIMIT_S)
        return client.ask(request, limit_s=_CHECKSUM_LIMIT_S).checksum
    finally:
        client.close()


CHECKSUM: Final = Command(
    print_checksum,
    (
        "joulemark checksum sha3-256",
        "joulemark checksum ebacs:keccakc512 --big",
        "joulemark checksum sha256 --implementation mine --plugin ./mine.so",
    ),
)
