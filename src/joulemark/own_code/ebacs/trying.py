# SPDX-License-Identifier: Apache-2.0
"""One build, from the files to a plugin that is kept, or to the reason why not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from joulemark.errors import ImplementationError, JoulemarkError
from joulemark.measure.worker_messages.runs import TriedAsSupercop, TryAsSupercop
from joulemark.measure.workers.plugin_workshop import keep_plugin
from joulemark.measure.workers.thorough import CheckReport
from joulemark.measure.workers.user_plugins import UserPlugin, file_sha256
from joulemark.own_code.adding import require_unchanged
from joulemark.own_code.checking import RejectedError, opened_alone, opened_to_check
from joulemark.own_code.ebacs.building import Built, NotBuiltError, built
from joulemark.own_code.ebacs.intake import (
    TakenFile,
    TroubleError,
    digest_of_sources,
    source_digests,
    sources_of,
)
from joulemark.own_code.ebacs.outcomes import Job, Outcome, Verdict
from joulemark.records.finding import Verdict as CheckVerdict

__all__ = ["outcome_of", "tried"]

_VERDICTS: Final = {
    "crashes": Verdict.CRASHES,
    "hangs": Verdict.HANGS,
    "needs another CPU": Verdict.CPU,
    "is wrong": Verdict.WRONG,
}
_OUTSIDE: Final = tuple(
    f"it {verdict}"
    for verdict in CheckVerdict
    if verdict
    not in (CheckVerdict.WRONG_OUTPUT, CheckVerdict.REFUSED_KEY, CheckVerdict.REFUSED_MESSAGE)
)
_FAULT_OUTSIDE: Final = "wrote"


def outcome_of(job: Job, verdict: Verdict, reason: str) -> Outcome:
    """What came of a job, as far as the job itself says."""
    flags = " ".join(job.flags)
    return Outcome(
        job.place.text, verdict, reason, job.name, job.compiler.name, job.compiler.version,
        job.flag_set, flags,
    )  # fmt: skip


def tried(job: Job, scratch: Path) -> Outcome:
    """Builds, checks, tries as SUPERCOP does, and keeps what is right.

    Args:
        job: what is wanted.
        scratch: an empty folder in a workshop of the folder of plugins.
    """
    try:
        sources = sources_of(job.place, job.root)
    except TroubleError as error:
        return outcome_of(job, Verdict.NOT_TAKEN, f"it {error}")
    try:
        outcome = _tried(job, sources, scratch)
    except NotBuiltError as error:
        outcome = outcome_of(job, error.verdict, str(error))
    except RejectedError as error:
        outcome = outcome_of(job, _verdict(error), error.why)
    except JoulemarkError as error:  # of the folder of plugins
        outcome = outcome_of(job, Verdict.FAILS, str(error))
    return replace(outcome, sources_sha256=digest_of_sources(source_digests(sources)))


def _verdict(error: RejectedError) -> Verdict:
    if error.why.startswith(_OUTSIDE):
        return Verdict.OUTSIDE
    return _VERDICTS.get(error.verdict, Verdict.FAILS)


@dataclass(frozen=True, slots=True)
class _CheckAnswer:
    """What the worker found."""

    said: TriedAsSupercop
    report: CheckReport | None
    record: UserPlugin | None


def _tried(job: Job, sources: Sequence[TakenFile], scratch: Path) -> Outcome:
    made = built(job, sources, scratch)
    sha256 = file_sha256(made.plugin)
    checked = _checked(job, made, sha256)
    require_unchanged(made.plugin, sha256)
    said = checked.said
    if said.fault is not None:
        verdict = Verdict.OUTSIDE if said.fault.startswith(_FAULT_OUTSIDE) else Verdict.WRONG
        return outcome_of(job, verdict, f"it {said.fault}: a message of {said.message_bytes} bytes")
    right = job.function.checksum
    if right is not None and said.checksum != right:
        outcome = outcome_of(
            job, Verdict.WRONG, f"its checksumsmall is {said.checksum}, not {right}"
        )
    elif checked.report is None or checked.record is None:
        outcome = outcome_of(job, Verdict.NOT_KNOWN, _not_known(job, said.checksum))
    else:
        entry = keep_plugin(
            made.plugin, checked.record, job.folder, made.made_from.digest[:16],
            replacing=job.replacing,
        )  # fmt: skip
        outcome = replace(
            outcome_of(job, Verdict.RIGHT, checked.report.text), entry=str(entry),
            reads_on=checked.report.reads_on,
        )  # fmt: skip
    return replace(outcome, checksum=said.checksum)


def _checked(job: Job, made: Built, sha256: str) -> _CheckAnswer:
    """Asks workers; an algorithm that the catalogue lacks is held to SUPERCOP's tests alone."""
    name = f"{made.algorithm}/{job.variant}"
    request = TryAsSupercop(name, made.key_bytes, made.output_bytes)
    if job.function.algorithm is None or job.function.whole_bytes is not None:
        with opened_alone(made.plugin, job.provider, job.name, job.limit_s) as client:
            return _CheckAnswer(client.ask(request, limit_s=job.limit_s), None, None)
    with opened_to_check(
        made.plugin, job.provider, name, job.limit_s, job.cpu_s, may_read_on=True
    ) as (pool, opened):
        report = pool.check(name)
        try:
            said = pool.ask(name, request, limit_s=job.limit_s)
        except ImplementationError as error:
            raise type(error)(f"{error}, in SUPERCOP's tests") from None
    record = UserPlugin(
        job.provider, f"your {name}", sha256, opened, made.made_from, report.reads_on
    )
    return _CheckAnswer(said, report, record)


def _not_known(job: Job, checksum: str) -> str:
    function = job.function
    if function.whole_bytes is not None:
        return (
            f"it is right by its checksumsmall, and {function.algorithm} of the catalogue has "
            f"outputs of {function.whole_bytes} bytes, of which it gives {function.output_bytes}"
        )
    return f"{function.name} is not there; it behaves, and its checksumsmall is {checksum}"
