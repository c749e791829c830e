# SPDX-License-Identifier: Apache-2.0
"""A build, from the files to a plugin that is kept, or to the reason why it is not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from joulemark.errors import ImplementationError, JoulemarkError
from joulemark.measure.worker_messages.runs import TriedAsSupercop, TryAsSupercop
from joulemark.measure.workers.plugin_workshop import keep_plugin
from joulemark.measure.workers.thorough import CheckReport
from joulemark.measure.workers.user_plugins import UserPlugin, file_sha256
from joulemark.own_code.adding import require_unchanged
from joulemark.own_code.checking import RejectedError, open_alone, open_to_check
from joulemark.own_code.ebacs.building import BuiltImplementation, NotBuiltError, build
from joulemark.own_code.ebacs.intake import (
    TakenFile,
    TroubleError,
    digest_of_sources,
    source_digests,
    sources_of,
)
from joulemark.own_code.ebacs.outcomes import Job, Outcome, Verdict
from joulemark.records.finding import Verdict as CheckVerdict

__all__ = ["outcome_of", "try_job"]

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
    """The outcome of a job, with the facts of the job."""
    return Outcome(
        job.place.text, verdict, reason, job.name, job.compiler.name, job.compiler.version,
        job.flag_set, " ".join(job.flags),
    )  # fmt: skip


def try_job(job: Job, scratch: Path) -> Outcome:
    """Builds and checks an implementation, tries it as SUPERCOP does, and keeps it if it is right.

    Args:
        job: the build.
        scratch: an empty folder in a workshop of the folder of plugins.
    """
    try:
        sources = sources_of(job.place, job.root)
    except TroubleError as error:
        return outcome_of(job, Verdict.NOT_TAKEN, f"it {error}")
    try:
        outcome = _build_and_keep(job, sources, scratch)
    except NotBuiltError as error:
        outcome = outcome_of(job, error.verdict, str(error))
    except RejectedError as error:
        verdict = _VERDICTS.get(error.verdict, Verdict.FAILS)
        outside = error.why.startswith(_OUTSIDE)
        outcome = outcome_of(job, Verdict.OUTSIDE if outside else verdict, error.why)
    except JoulemarkError as error:  # of the folder of plugins
        outcome = outcome_of(job, Verdict.FAILS, str(error))
    return replace(outcome, sources_sha256=digest_of_sources(source_digests(sources)))


def _build_and_keep(job: Job, sources: Sequence[TakenFile], scratch: Path) -> Outcome:
    built = build(job, sources, scratch)
    sha256 = file_sha256(built.plugin)
    supercop, report, record = _check(job, built, sha256)
    require_unchanged(built.plugin, sha256)
    right = job.function.checksum
    if supercop.fault is not None:
        verdict = Verdict.OUTSIDE if supercop.fault.startswith(_FAULT_OUTSIDE) else Verdict.WRONG
        return outcome_of(
            job, verdict, f"it {supercop.fault}: a message of {supercop.message_bytes} bytes"
        )
    if right is not None and supercop.checksum != right:
        reason = f"its checksumsmall is {supercop.checksum}, not {right}"
        outcome = outcome_of(job, Verdict.WRONG, reason)
    elif report is None or record is None:
        outcome = outcome_of(job, Verdict.NOT_KNOWN, _not_known(job, supercop.checksum))
    else:
        entry = keep_plugin(
            built.plugin, record, job.folder, built.made_from.digest[:16],
            replacing=job.replacing,
        )  # fmt: skip
        outcome = replace(
            outcome_of(job, Verdict.RIGHT, report.text), entry=str(entry),
            reads_on=report.reads_on,
        )  # fmt: skip
    return replace(outcome, checksum=supercop.checksum)


def _check(
    job: Job, built: BuiltImplementation, sha256: str
) -> tuple[TriedAsSupercop, CheckReport | None, UserPlugin | None]:
    """The outcome of SUPERCOP's tests and, for a function of the catalogue, of our check."""
    name = f"{built.algorithm}/{job.variant}"
    request = TryAsSupercop(name, built.key_bytes, built.output_bytes)
    if job.function.algorithm is None or job.function.whole_bytes is not None:
        with open_alone(built.plugin, job.provider, job.name, job.limit_s) as client:
            return client.ask(request, limit_s=job.limit_s), None, None
    with open_to_check(
        built.plugin, job.provider, name, job.limit_s, job.cpu_s, may_read_on=True
    ) as (pool, opened):
        report = pool.check(name)
        try:
            supercop = pool.ask(name, request, limit_s=job.limit_s)
        except ImplementationError as error:
            raise type(error)(f"{error}, in SUPERCOP's tests") from None
    record = UserPlugin(
        job.provider, f"your {name}", sha256, opened, built.made_from, report.reads_on
    )
    return supercop, report, record


def _not_known(job: Job, checksum: str) -> str:
    function = job.function
    if function.whole_bytes is not None:
        return (
            f"it is right by its checksumsmall, and {function.algorithm} of the catalogue has "
            f"outputs of {function.whole_bytes} bytes, of which it gives {function.output_bytes}"
        )
    return f"{function.name} is not there; it behaves, and its checksumsmall is {checksum}"
