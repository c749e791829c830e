# SPDX-License-Identifier: Apache-2.0
"""Puts the content of an exported file into a store."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Final, NotRequired, TypeVar

from annotated_types import Ge, Lt
from typing_extensions import TypedDict

from joulemark.analyse import (
    DomainEnergy,
    Figure,
    RawRun,
    RawTrial,
    Result,
    ResultFailure,
    ResultSet,
)
from joulemark.analyse.from_elsewhere import figures_of, sample_at, trial_of
from joulemark.errors import UsageError
from joulemark.foreign import ForeignError, read_whole, shortened, visible
from joulemark.foreign.records import (
    clock_count_from,
    firmware_count_from,
    parse_json,
    record_from_json,
)
from joulemark.records import Failure, ImplementationFacts
from joulemark.records.core_report import StoredCoreReport
from joulemark.records.energy_window import EnergyWindow, MeterRecord
from joulemark.records.figures import Evidence, FigureGroup, fields_in
from joulemark.records.sample import ClockCount, FirmwareCount, RawSample
from joulemark.records.trial import RTL, Trial, is_firmware
from joulemark.store.merging import RunContent, add_content
from joulemark.store.observations import StoredWindow
from joulemark.store.repository import Store
from joulemark.store.rows import ConditionsFields, EnvironmentFields, LoopFields, StudyFields

# Exported JSON as a run that can be added to a store: every value typed, or the file refused.
#
# The file comes from anybody. Its raw samples, its energy windows and its facts of machine and
# implementations are taken; figures are computed from them again. Only figures whose samples the
# file lacks are kept as it states them, as published.

T = TypeVar("T")

_MOST_BYTES: Final = 1 << 28
_LONGEST_NAME: Final = 255
"""Signs that a name may have; columns of a database have as many."""
_COUNT_LIMIT: Final = 1 << 31
"""Rounds, batches and places of windows are below it."""
_LARGEST_SIZE_BYTES: Final = 1 << 50
_MAY_BE_ZERO: Final = {*fields_in(FigureGroup.FIRMWARE)} - {"instructions_per_message"}
"""Figures of firmware that are 0 where an implementation takes nothing, such as no variables."""
_VALUES: Final = ("median", "low", "high", "minimum", "quartile_1", "quartile_3")
_agree: Final = partial(math.isclose, rel_tol=1e-6)
"""Whether two values may be computed from the same samples, each in another order."""
_IMPORTED: Final = "imported"
"""Begins the digest of the study: no run here goes on with a run that another machine began."""


JsonFields = dict[str, Any]
"""Fields of an object of JSON from outside, each of which is checked where it is read."""


class _RunFields(TypedDict):
    """The fields of `context.run`."""

    started_at: str
    finished_at: str | None
    joulemark_version: str
    study: JsonFields
    seed: Annotated[int, Ge(-(2**63)), Lt(2**63)]
    rounds: Annotated[int, Ge(0), Lt(_COUNT_LIMIT)]
    conditions: NotRequired[JsonFields | None]


class _ContextFields(TypedDict):
    """The fields of `context` that are read."""

    run: _RunFields
    environment: JsonFields
    implementations: dict[str, ImplementationFacts]
    loop: NotRequired[JsonFields | None]


@dataclass(frozen=True, slots=True)
class ImportedFile:
    """The content of a file."""

    content: RunContent | None
    """None if the file holds reports of cores alone."""
    core_reports: list[StoredCoreReport]


def read_export(path: Path) -> ImportedFile:
    """Reads a file that `joulemark export` wrote, in any version."""
    try:
        return _content_of(parse_json(read_whole(path, _MOST_BYTES)))
    except ForeignError as error:
        raise UsageError(
            f"{visible(str(path))} is not a result that this version of Joulemark exports "
            f"({error}); nothing was imported"
        ) from None


def _content_of(value: Any) -> ImportedFile:
    results = record_from_json(ResultSet, value)
    reports = results.core_reports
    for number, report in enumerate(reports):
        _require_words(report, f"core_reports.{number}")
    if not results.context.get("run"):
        if results.results or results.failures or not reports:
            raise ForeignError("context.run: it does not say which run it is")
        return ImportedFile(None, reports)
    with _at("context"):
        context = record_from_json(_ContextFields, results.context)
    return ImportedFile(_content(results, context), reports)


@contextmanager
def _at(place: str) -> Iterator[None]:
    """Puts the place within the file before the text of an error that is raised there."""
    try:
        yield
    except ForeignError as error:
        raise ForeignError(f"{place}.{error}") from None


def _content(results: ResultSet, context: _ContextFields) -> RunContent:
    run, raw = context["run"], results.raw
    facts = _facts(context["implementations"])
    samples, counts, firmware = _observed(results)
    windows = () if raw is None else tuple(_windows(raw))
    windowed = (window.trial for window in windows if window.trial)
    for trial in (*samples, *counts, *firmware, *windowed):
        if trial.implementation not in facts:
            raise ForeignError(
                f"context.implementations: it says nothing of {shortened(trial.implementation)}"
            )
    study = run["study"] if raw is None else raw.study
    for place, kind, value in (
        ("context.run.study", StudyFields, study),
        ("context.environment", EnvironmentFields, context["environment"]),
        ("context.run.conditions", ConditionsFields, run.get("conditions") or {}),
        ("raw.loop", LoopFields, raw.loop or {} if raw else {}),
    ):
        with _at(place):
            record_from_json(kind, value)
    with _at("raw.meter"):
        meter = record_from_json(MeterRecord, raw.meter) if raw and raw.meter else None
    failures, finished = [*results.failures, *(raw.failures if raw else ())], run["finished_at"]
    return RunContent(
        study_digest=_word(_digest_of(raw), "raw.study_digest"),
        study=study,
        seed=run["seed"],
        rounds=run["rounds"],
        environment=context["environment"],
        started_at=_moment(run["started_at"], "context.run.started_at"),
        finished_at=None if finished is None else _moment(finished, "context.run.finished_at"),
        joulemark_version=_word(run["joulemark_version"], "context.run.joulemark_version"),
        loop=_loop(raw, context),
        conditions=run.get("conditions"),
        meter=meter,
        implementations=facts,
        samples=samples,
        clock_counts=counts,
        firmware_counts=firmware,
        energy_windows=windows,
        failures=[
            _failure(failure, f"failures.{number}") for number, failure in enumerate(failures)
        ],
        published=_published(results, with_samples=bool(samples or counts or firmware)),
    )


def _digest_of(raw: RawRun | None) -> str:
    known = raw.study_digest if raw else _IMPORTED
    return known if known.startswith(_IMPORTED) else f"{_IMPORTED} {known}"


def _loop(raw: RawRun | None, context: _ContextFields) -> JsonFields | None:
    """The wall times of the loop, or the costs that an older file states in their place."""
    if raw is not None:
        return raw.loop
    stated = context.get("loop")
    return {"stated": stated} if stated and stated.get("seconds_per_message") else None


def _facts(facts: Mapping[str, ImplementationFacts]) -> dict[str, ImplementationFacts]:
    for name, implementation_facts in facts.items():
        if implementation_facts.implementation != name:
            raise ForeignError(
                f"context.implementations.{shortened(name)}: it speaks of "
                f"{shortened(implementation_facts.implementation)}"
            )
        _word(name, "context.implementations")
    return dict(facts)


def _observed(
    results: ResultSet,
) -> tuple[dict[Trial, list[RawSample]], dict[Trial, ClockCount], dict[Trial, FirmwareCount]]:
    """Samples, counts of cores and counts of firmware, each by trial, of results that have some."""
    samples: dict[Trial, list[RawSample]] = {}
    counts: dict[Trial, ClockCount] = {}
    firmware: dict[Trial, FirmwareCount] = {}
    with_samples = [result.samples is not None for result in results.results]
    if any(with_samples) and not all(with_samples):
        first = with_samples.index(False)
        raise ForeignError(f"results.{first}.samples: it has none, and other results have")
    series: list[tuple[str, Trial, list[JsonFields] | None]] = [
        (f"results.{number}", _trial(result, f"results.{number}"), result.samples)
        for number, result in enumerate(results.results)
    ]
    for number, raw in enumerate(results.raw.withheld if results.raw else ()):
        place = f"raw.withheld.{number}"
        series.append((place, _trial(raw.trial, f"{place}.trial"), raw.samples))
    seen: set[Trial] = set()
    for where, trial, taken in series:
        place = f"{where}.samples"
        if trial in seen:
            raise ForeignError(f"{where}: its trial is there twice")
        seen.add(trial)
        if taken is None:
            continue
        if trial.target == RTL:
            counts[trial] = _count(clock_count_from, taken, place)
        elif is_firmware(trial.target):
            firmware[trial] = _count(firmware_count_from, taken, place)
        else:
            samples[trial] = _series(taken, place)
    return samples, counts, firmware


def _series(taken: Iterable[Mapping[str, Any]], place: str) -> list[RawSample]:
    series = [sample_at(sample, f"{place}.{number}") for number, sample in enumerate(taken)]
    places = set()
    for number, sample in enumerate(series):
        for name in ("round_index", "window_index", "position", "generation"):
            if getattr(sample, name) >= _COUNT_LIMIT:
                raise ForeignError(f"{place}.{number}: {name} is more than any run has")
        if (sample.round_index, sample.window_index) in places:
            raise ForeignError(f"{place}.{number}: this window of its round is there twice")
        places.add((sample.round_index, sample.window_index))
    return sorted(series, key=lambda sample: (sample.round_index, sample.window_index))


def _count(read: Callable[[Mapping[str, Any]], T], taken: list[JsonFields], place: str) -> T:
    if len(taken) != 1:
        raise ForeignError(f"{place}: what is simulated has one count, not {len(taken)}")
    try:
        return read(taken[0])
    except ForeignError as error:
        raise ForeignError(f"{place}.0: {error}") from None


def _windows(raw: RawRun) -> Iterator[StoredWindow]:
    places = set()
    for number, energy_window in enumerate(raw.energy_windows):
        where = f"raw.energy_windows.{number}"
        with _at(f"{where}.window"):
            window = record_from_json(EnergyWindow, energy_window.window)
        numbers = (window.round_index, window.position, window.attempt, window.generation)
        if not all(0 <= value < _COUNT_LIMIT for value in numbers):
            raise ForeignError(f"{where}.window: its place in the run cannot be")
        if window.messages < 0 or window.messages > 0 >= window.wall_ns:
            raise ForeignError(f"{where}.window: messages without time")
        if numbers[:3] in places:
            raise ForeignError(f"{where}: this attempt at its place is there twice")
        places.add(numbers[:3])
        of = energy_window.trial
        trial = None if of is None else _trial(of, f"{where}.trial")
        yield StoredWindow(trial, window, energy_window.void)


def _trial(trial: RawTrial, where: str) -> Trial:
    if not (trial.size_bytes <= _LARGEST_SIZE_BYTES and trial.batch < _COUNT_LIMIT):
        raise ForeignError(f"{where}: its size_bytes or batch cannot be")
    for name in ("implementation", "target", "mix"):
        _word(getattr(trial, name), f"{where}.{name}")
    return trial_of(trial, where)


def _failure(failure: ResultFailure, where: str) -> Failure:
    _word(failure.implementation, f"{where}.implementation")
    if failure.size_bytes is not None and not 0 <= failure.size_bytes <= _LARGEST_SIZE_BYTES:
        raise ForeignError(f"{where}.size_bytes: no message has {failure.size_bytes} bytes")
    return Failure(**failure.model_dump())


def _word(text: str, where: str) -> str:
    if len(text) > _LONGEST_NAME:
        raise ForeignError(f"{where}: it has more than {_LONGEST_NAME} signs")
    return text


def _moment(text: str, where: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
        if moment.tzinfo is not None and 1970 < moment.year < 9999:
            return moment
    except ValueError:
        pass
    raise ForeignError(f"{where}: '{shortened(text, 40)}' is no moment with a time zone")


def _published(results: ResultSet, *, with_samples: bool) -> JsonFields | None:
    """The results to keep as published, since figures cannot be computed here; None to keep none.

    A file without samples has no other source for any figure, a file without `raw` none for joules.
    """
    if with_samples and (
        results.raw is not None or not any(result.energy for result in results.results)
    ):
        return None
    for number, result in enumerate(results.results):
        _require_relations(result, f"results.{number}")
    published = results.model_copy(
        update={
            "results": [result.model_copy(update={"samples": None}) for result in results.results],
            "core_reports": [],
            "raw": None,
        }
    )
    dumped: JsonFields = published.model_dump(mode="json")
    return dumped


def _require_relations(result: Result, where: str) -> None:
    """Refuses a result whose figures, rate or algorithm no computation of ours gives together."""
    trial, seconds = _trial(result, where), result.seconds_per_message
    if result.algorithm != trial.algorithm:
        raise ForeignError(f"{where}.algorithm: its implementation is one of {trial.algorithm}")
    mean, rate = trial.workload.mean_bytes, result.bytes_per_second
    if result.mean_bytes is not None and not _agree(result.mean_bytes, mean):
        raise ForeignError(f"{where}.mean_bytes: its messages have {mean:g} bytes")
    if rate is not None and not (seconds and _agree(rate * seconds.median, mean)):
        raise ForeignError(f"{where}.bytes_per_second: it is not {mean:g} bytes over their time")
    holders: dict[str, Result | DomainEnergy] = {where: result}
    holders |= {f"{where}.energy.{n}": domain for n, domain in enumerate(result.energy)}
    for place, holder in holders.items():
        figures = dict(figures_of(holder))
        for name, figure in figures.items():
            _require_sense(figure, f"{place}.{name}", name)
            whole = figures.get(name.replace("_per_byte", "_per_message"), figure)
            pairs = ((getattr(figure, value), getattr(whole, value)) for value in _VALUES)
            if whole is not figure and not all(_agree(part * mean, of) for part, of in pairs):
                raise ForeignError(f"{place}.{name}: it is not that of a message over {mean:g} B")


def _require_sense(figure: Figure, where: str, name: str) -> None:
    """Refuses a figure that no computation of ours gives, since tables divide by most of them."""
    quartiles = (figure.minimum, figure.quartile_1, figure.median, figure.quartile_3)
    ordered = all(value <= more or _agree(value, more) for value, more in pairwise(quartiles))
    ordered &= figure.low <= figure.median <= figure.high
    # A net energy may be below 0 in some windows. The interval of a counter that stood still in
    # some processes may reach below 0, since Student's interval then has no logarithms.
    positive = figure.minimum >= 0 or "joule" in name or "watts" in name
    positive &= figure.low >= 0 or (figure.minimum == 0 and name != "seconds_per_message")
    positive &= figure.median > 0 or (figure.median == 0 and name in _MAY_BE_ZERO)
    if not (ordered and positive and figure.mad >= 0 and figure.samples > 0):
        raise ForeignError(f"{where}: its numbers are no estimate")


def _require_words(report: StoredCoreReport, where: str) -> None:
    for name in ("core", "algorithm", "configuration", "target", "digest", "joulemark_version"):
        _word(getattr(report, name) or "", f"{where}.{name}")
    _moment(report.made_at, f"{where}.made_at")


def put_into(store: Store, file: ImportedFile) -> int | None:
    """Adds the run of a file; returns its number, or None where the store has it already.

    Reports of cores are added too. No tool here computed their figures, so they are `published`,
    unless the store has the same report already.
    """
    number = None if file.content is None else add_content(store, file.content)
    known = store.core_reports() if file.core_reports else []
    for report in file.core_reports:
        published = dict.fromkeys(report.evidence, Evidence.PUBLISHED)
        if not any(
            stored.model_copy(update={"made_at": report.made_at}) == report for stored in known
        ):
            store.add_core_report(report.model_copy(update={"evidence": published}))
    return number
