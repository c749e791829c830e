# SPDX-License-Identifier: Apache-2.0
"""The builds of a tree, and those that need not be made: their outcomes are known or certain."""

from __future__ import annotations

import hashlib
import json
import platform
import re
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from joulemark import __version__, _core
from joulemark.catalogue.algorithms import AlgorithmFacts
from joulemark.errors import UnavailableError, UsageError
from joulemark.foreign.records import parse_json, record_from_json
from joulemark.foreign.text import ForeignError, shortened
from joulemark.measure.worker_messages.lines import encode
from joulemark.measure.workers.plugin_workshop import SourceDigest, UserPlugin, user_plugins
from joulemark.own_code.building import Compiler
from joulemark.own_code.ebacs.intake import (
    TroubleError,
    digest_of_sources,
    not_for_this_machine,
    source_digests,
    sources_of,
)
from joulemark.own_code.ebacs.layout import (
    ImplementationFolder,
    ImplementationTree,
    Primitive,
    function_of,
    tree_checksum,
)
from joulemark.own_code.ebacs.outcomes import BuildJob, BuildOutcome, BuildVerdict
from joulemark.own_code.ebacs.trying import outcome_of
from joulemark.own_code.tuning.candidates import FlagSet
from joulemark.whole_file import write_whole

# Outcomes of earlier builds, kept beside the plugins, so that a second call goes on from there.
#
# The key of an outcome is made of all that it depends on: files, function, name, compiler, flags,
# limits, this CPU, and this version of Joulemark.

_FOLDER: Final = ".tried"
_RULES: Final = 1
"""Version of the rules of a build; it is raised when the rules change."""


def key_of(job: BuildJob, sources_sha256: str) -> str:
    """The key of a job's outcome."""
    function, compiler = job.function, job.compiler
    parts = [
        _RULES,
        __version__,
        platform.machine(),
        _core.cpu_features(),
        job.place.text,
        job.name,
        function.name,
        function.checksum,
        compiler.program,
        compiler.version,
        job.flags,
        job.limit_s,
        job.cpu_s,
        sources_sha256,
    ]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


class OutcomeJournal:
    """Outcomes in a folder of plugins, a file for each."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / _FOLDER

    def outcome(self, key: str) -> BuildOutcome | None:
        """The outcome of an earlier job; None if there is none, or its file is damaged."""
        try:
            values = parse_json((self._folder / f"{key}.json").read_bytes())
            return replace(record_from_json(BuildOutcome, values), before=True)
        except (OSError, ForeignError):
            return None

    def keep(self, key: str, outcome: BuildOutcome) -> None:
        """Keeps an outcome, whole or not at all."""
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            write_whole(self._folder / f"{key}.json", encode(outcome))
        except OSError as error:
            raise UnavailableError(
                f"what was tried cannot be noted in {self._folder} ({error.strerror}); name "
                "another folder with --folder, or in JOULEMARK_PLUGINS"
            ) from None


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
