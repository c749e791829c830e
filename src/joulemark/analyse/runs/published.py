# SPDX-License-Identifier: Apache-2.0
"""Figures that came in a file without the samples that they stand on: shown as `published`."""

from __future__ import annotations

from typing import Any, Final

from joulemark.analyse.results import DomainEnergy, Figure, Result, ResultSet
from joulemark.errors import StoreError
from joulemark.foreign.errors import ForeignError
from joulemark.foreign.records import record_from_json
from joulemark.records.evidence import Evidence
from joulemark.store.repository import Store

__all__ = ["ENERGY_FIELDS", "published_energy", "published_of", "trial_key"]

_WARNING: Final = (
    "the figures of this run are published: the file that they came in had no raw samples, so "
    "nothing of them was computed again here"
)
_ENERGY_WARNING: Final = (
    "the joules of this run are published: the file that they came in had no energy windows, so "
    "nothing of them was computed again here; times were"
)
ENERGY_FIELDS: Final = (
    "joules_per_message", "joules_per_byte", "gross_joules_per_message", "watts",
    "joule_seconds_per_message",
)  # fmt: skip


def trial_key(result: Result) -> tuple[Any, ...]:
    """What names the trial of a result within its run."""
    return (
        result.implementation, result.target, result.size_bytes, result.mode, result.cache,
        result.key_setup, result.batch, result.mix,
    )  # fmt: skip


def published_of(store: Store, run_id: int) -> ResultSet | None:
    """What a file said of a run, every figure as `published`; None where nothing is kept of one.

    Raises:
        StoreError: what is kept is damaged.
    """
    kept = store.published(run_id)
    if kept is None:
        return None
    try:
        found = record_from_json(ResultSet, kept)
    except ForeignError as error:
        raise StoreError(
            f"{store.location} is damaged: what is kept as published of run {run_id} is no result "
            f"({error}); export another run, or take the store from a copy"
        ) from None
    return found.model_copy(
        update={
            "schema_version": ResultSet.model_fields["schema_version"].default,
            "context": {**found.context, "run": {**found.context.get("run", {}), "id": run_id}},
            "results": [_published(result) for result in found.results],
            "warnings": [_WARNING, *found.warnings],
        }
    )


def published_energy(computed: ResultSet, kept: ResultSet) -> ResultSet:
    """Results that were computed, with the joules that only the file has."""
    there = {trial_key(result): result for result in kept.results}
    results = []
    for result in computed.results:
        other = there.get(trial_key(result))
        if other is not None and other.energy and not result.energy:
            changed: dict[str, Any] = {name: getattr(other, name) for name in ENERGY_FIELDS}
            changed["energy"] = other.energy
            changed["reasons"] = {
                **{name: why for name, why in result.reasons.items() if name not in ENERGY_FIELDS},
                **{name: why for name, why in other.reasons.items() if name in ENERGY_FIELDS},
            }
            results.append(result.model_copy(update=changed))
        else:
            results.append(result)
    return computed.model_copy(
        update={
            "context": {**computed.context, "meter": kept.context.get("meter")},
            "results": results,
            "warnings": [*computed.warnings, _ENERGY_WARNING],
        }
    )


def _published(result: Result) -> Result:
    energy = [domain.model_copy(update=_changes(domain)) for domain in result.energy]
    return result.model_copy(update={**_changes(result), "energy": energy, "samples": None})


def _changes(holder: Result | DomainEnergy) -> dict[str, Any]:
    """Its evidence, and that of each of its figures."""
    changed: dict[str, Any] = {"evidence": Evidence.PUBLISHED}
    for name in type(holder).model_fields:
        value = getattr(holder, name)
        if isinstance(value, Figure):
            changed[name] = value.model_copy(update={"evidence": Evidence.PUBLISHED})
    return changed
