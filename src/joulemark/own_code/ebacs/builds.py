# SPDX-License-Identifier: Apache-2.0
"""The builds of a tree: those whose outcomes are known or certain, and the others on all CPU cores.

`python -m joulemark.own_code.ebacs.builds` is a process that takes jobs from a list until none is
left; several of them share the list. Foreign code runs below it, behind keepers, and ends with it,
however that ends. The outcome of a job is a line on standard output.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, Final

from pydantic import TypeAdapter

from joulemark.catalogue import AlgorithmFacts
from joulemark.errors import UsageError
from joulemark.foreign import shortened
from joulemark.measure.worker.sources import SourceDigest, UserPlugin, user_plugins, workshop
from joulemark.own_code.building import Compiler
from joulemark.own_code.candidates import FlagSet
from joulemark.own_code.ebacs import (
    ImplementationFolder,
    ImplementationTree,
    Primitive,
    function_of,
    tree_checksum,
)
from joulemark.own_code.ebacs.intake import (
    TroubleError,
    digest_of_sources,
    not_for_this_machine,
    source_digests,
    sources_of,
)
from joulemark.own_code.ebacs.outcomes import (
    BuildJob,
    BuildOutcome,
    BuildVerdict,
    OutcomeJournal,
    key_of,
    outcome_of,
)
from joulemark.own_code.ebacs.trying import try_job
from joulemark.processes.tool import ToolRuns

# Builds that need not be made.

_FLAGS: Final = ("-fcommon",)
"""Code of those years defines one variable in many files, and compilers of today refuse that."""
_VARIANT: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,47}")


@dataclass(frozen=True, slots=True)
class TreeRequest:
    """A request for every implementation of a tree."""

    compilers: Sequence[Compiler]
    flag_sets: Sequence[FlagSet]
    algorithm: AlgorithmFacts | None
    """The algorithm of the whole tree; None: by the name of each primitive."""
    variant: str | None
    """Name of the only implementation; None: the name of its folder."""
    limit_s: float
    """Seconds after which code counts as hung."""
    cpu_s: float
    """CPU time of a check, beyond the cases that are always checked."""
    folder: Path
    """Folder of plugins."""
    replacing: bool
    """Whether plugins that were added earlier are replaced."""
    again: bool
    """Whether builds with known outcomes are made once more."""
    taken: AbstractSet[str]
    """Names of implementations that are there and cannot be replaced."""


@dataclass(slots=True)
class BuildWork:
    """Builds that are to be made, and outcomes that are known without a build."""

    jobs: list[BuildJob] = field(default_factory=list)
    known: list[BuildOutcome] = field(default_factory=list)


def plan_work(tree: ImplementationTree, wanted: TreeRequest) -> BuildWork:
    """The work for a tree, of which every implementation is read once."""
    if wanted.variant is not None and len(tree.places) != 1:
        raise UsageError(
            f"--name {wanted.variant}: there are {len(tree.places)} implementations here, which "
            "take the names of their folders"
        )
    kept = _kept_plugins(wanted.folder)
    work = BuildWork()
    for place in tree.places:
        for found in _jobs_of(place, tree, wanted, kept):
            if isinstance(found, BuildJob):
                work.jobs.append(found)
            else:
                work.known.append(found)
    return work


def _kept_plugins(folder: Path) -> dict[str, UserPlugin]:
    """Name of an implementation -> plugin that was added earlier."""
    return {
        name: user_plugin
        for user_plugin in user_plugins(folder).values()
        if isinstance(user_plugin, UserPlugin) and user_plugin.made_from is not None
        for name in user_plugin.implementations
    }


def _jobs_of(
    place: ImplementationFolder,
    tree: ImplementationTree,
    wanted: TreeRequest,
    kept: dict[str, UserPlugin],
) -> Iterator[BuildJob | BuildOutcome]:
    """A job or its known outcome for each compiler and flag set, or an outcome for all of them."""
    try:
        sources = sources_of(place, tree.root)
    except TroubleError as error:
        yield BuildOutcome(place.text, BuildVerdict.NOT_TAKEN, f"it {error}")
        return
    excluded = not_for_this_machine(sources)
    if excluded is not None:
        yield BuildOutcome(place.text, BuildVerdict.ARCHITECTURE, excluded)
        return
    function = function_of(place.function, wanted.algorithm)
    contradiction = _contradiction(place, function)
    if contradiction is not None:
        yield BuildOutcome(place.text, BuildVerdict.NOT_TAKEN, contradiction)
        return
    digests = source_digests(sources)
    for compiler in wanted.compilers:
        for flag_set in wanted.flag_sets:
            job = _job(place, tree, function, wanted, compiler, flag_set)
            yield _job_or_outcome(job, digests, wanted, kept)


def _contradiction(place: ImplementationFolder, function: Primitive) -> str | None:
    """A sentence if the checksum in the tree is not that of the function; otherwise None."""
    depth = len(place.implementation.split("/"))
    folder = place.folder.parents[depth - 1]
    if folder.name != place.primitive:
        return None  # a folder by itself, whose neighbours say nothing of it
    try:
        checksum = tree_checksum(folder)
    except UsageError as error:
        return f"the file {error}, beside it"
    if checksum is None or function.checksum is None or checksum == function.checksum:
        return None
    return (
        f"the file checksumsmall beside it has {checksum}, and {function.algorithm} has "
        f"{function.checksum}: the folder is of another function"
    )


def _job(
    place: ImplementationFolder,
    tree: ImplementationTree,
    function: Primitive,
    wanted: TreeRequest,
    compiler: Compiler,
    flag_set: FlagSet,
) -> BuildJob:
    parts = [wanted.variant or place.implementation.replace("/", "_")]
    if len(wanted.compilers) > 1:
        parts.append(compiler.name)
    if len(wanted.flag_sets) > 1:
        parts.append(flag_set.name)
    return BuildJob(
        place,
        tree.root,
        function,
        "-".join(parts),
        compiler,
        flag_set.name,
        (*flag_set.flags, *_FLAGS),
        wanted.limit_s,
        wanted.cpu_s,
        wanted.folder,
        wanted.replacing,
    )


def _job_or_outcome(
    job: BuildJob,
    digests: tuple[SourceDigest, ...],
    wanted: TreeRequest,
    kept: dict[str, UserPlugin],
) -> BuildJob | BuildOutcome:
    """The job, or its outcome if that is known already."""
    odd = next(
        (name for name in (job.place.primitive, job.variant) if not _VARIANT.fullmatch(name)), None
    )
    if odd is not None:
        return outcome_of(
            job,
            BuildVerdict.NOT_TAKEN,
            f"'{shortened(odd)}' cannot be part of a name, which has 1 to 48 letters, digits or "
            ". _ + -, a letter or a digit first; rename the folder, or give another with --name",
        )
    sha256 = digest_of_sources(digests)
    job = replace(job, key=key_of(job, sha256))
    if job.name in wanted.taken:
        return outcome_of(
            job,
            BuildVerdict.NAME,
            f"{job.name} is an implementation already; rename the folder, or use --name",
        )
    before = None if wanted.again else OutcomeJournal(wanted.folder).outcome(job.key)
    old = kept.get(job.name)
    old_code = None if old is None else old.made_from
    if old_code is not None:
        now = (digests, job.compiler.version, " ".join(job.flags))
        same = (old_code.sources, old_code.compiler, old_code.flags) == now
        if not same and not wanted.replacing:
            return outcome_of(
                job,
                BuildVerdict.NAME,
                f"{job.name} was added already, of other files, compiler or flags; --replace puts "
                "this in its place",
            )
        job = replace(job, replacing=True)
        if same and before is not None:
            return before
    elif before is not None and before.verdict is BuildVerdict.RIGHT:
        return job  # the plugin was removed since
    return before or job


# Many builds on all CPU cores, in processes that end with us.

_RUNNER: Final = "joulemark.own_code.ebacs.builds"
_LOOK_S: Final = 0.05


def run_jobs(
    jobs: Sequence[BuildJob],
    folder: Path,
    report: Callable[[BuildJob, BuildOutcome], None],
    processes: int,
) -> None:
    """Runs every job, some at a time, and reports each outcome as soon as it is known."""
    if not jobs:
        return
    line = TypeAdapter(BuildJob)
    with workshop(folder) as scratch, ExitStack() as files:
        (scratch / "jobs").write_bytes(b"".join(line.dump_json(job) + b"\n" for job in jobs))
        outputs = [
            files.enter_context(tempfile.TemporaryFile()) for _ in range(min(processes, len(jobs)))
        ]
        lines = _Lines(outputs)
        left = dict(enumerate(jobs))

        def report_new() -> None:
            for number, outcome in lines.new():
                report(left.pop(number), outcome)

        codes: list[int] = []
        try:
            codes = _run(scratch, outputs, report_new)
        finally:
            report_new()
        for job in left.values():
            report(
                job, outcome_of(job, BuildVerdict.FAILS, f"its process ended (exit codes {codes})")
            )


def _run(folder: Path, outputs: Sequence[IO[bytes]], look: Callable[[], None]) -> list[int]:
    runs = ToolRuns()
    first = json.dumps({"folder": str(folder)}).encode() + b"\n"
    with ThreadPoolExecutor(len(outputs)) as pool, runs.ended_on_error():
        running: list[Future[int]] = [
            pool.submit(runs.run_kept, _RUNNER, first, output=output, errors=None)
            for output in outputs
        ]
        while not all(future.done() for future in running):
            time.sleep(_LOOK_S)
            look()
    return [future.result() for future in running]


class _Lines:
    """Whole lines of files that other processes write."""

    def __init__(self, files: Sequence[IO[bytes]]) -> None:
        self._read: Mapping[IO[bytes], bytearray] = {file: bytearray() for file in files}
        self._at = dict.fromkeys(files, 0)
        self._outcome = TypeAdapter(BuildOutcome)

    def new(self) -> Iterator[tuple[int, BuildOutcome]]:
        """Outcomes since the last call; other lines, such as a warning of Python, are left out."""
        for file, pending in self._read.items():
            while chunk := os.pread(file.fileno(), 1 << 16, self._at[file]):
                self._at[file] += len(chunk)
                pending.extend(chunk)
            *lines, rest = bytes(pending).split(b"\n")
            pending[:] = rest
            for line in lines:
                number, _, text = line.partition(b" ")
                if number.isdigit() and text:
                    yield int(number), self._outcome.validate_json(text)


# The process that takes jobs.


def _next_of(counter: Path) -> int:
    """The number of the next job, which no other process gets."""
    descriptor = os.open(counter, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        number = int(os.pread(descriptor, 32, 0) or b"0")
        os.pwrite(descriptor, b"%d" % (number + 1), 0)
    finally:
        os.close(descriptor)
    return number


def _main() -> None:
    folder = Path(json.loads(sys.stdin.readline())["folder"])
    lines = (folder / "jobs").read_bytes().splitlines()
    jobs, outcomes = TypeAdapter(BuildJob), TypeAdapter(BuildOutcome)
    while (number := _next_of(folder / "next")) < len(lines):
        scratch = folder / str(number)
        scratch.mkdir()
        os.chdir(scratch)  # files that foreign code writes lie there, and are removed
        outcome = try_job(jobs.validate_json(lines[number]), scratch)
        os.chdir(folder)
        shutil.rmtree(scratch, ignore_errors=True)
        sys.stdout.buffer.write(b"%d " % number + outcomes.dump_json(outcome) + b"\n")
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    _main()
