# SPDX-License-Identifier: Apache-2.0
"""Figures that came in a file without the samples that they stand on: shown as `published`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from joulemark.analyse.results import DomainEnergy, Figure, Result, ResultSet
from joulemark.errors import StoreError
from joulemark.foreign.records import record_from_json
from joulemark.foreign.text import ForeignError
from joulemark.records.figures import ENERGY_FIELDS, Evidence
from joulemark.store.repository import Store

_WARNING: Final = (
    "the figures of this run are published: the file that they came in had no raw samples, so "
    "nothing of them was computed again here"
)
_ENERGY_WARNING: Final = (
    "the joules of this run are published: the file that they came in had no energy windows, so "
    "nothing of them was computed again here; times were"
)


def figures_of(holder: Result | DomainEnergy) -> Iterator[tuple[str, Figure]]:
    """Field name and figure of each figure that is not null, in the order of the fields."""
    for name in type(holder).model_fields:
        value = getattr(holder, name)
        if isinstance(value, Figure):
            yield name, value


def _trial_key(result: Result) -> tuple[Any, ...]:
    """Values that tell the trial of a result from the others of its run."""
    return (
        result.implementation,
        result.target,
        result.size_bytes,
        result.mode,
        result.cache,
        result.key_setup,
        result.batch,
        result.mix,
    )


def published_of(store: Store, run_id: int) -> ResultSet | None:
    """The results of an imported file, every figure as `published`; None of any other run."""
    stored = store.published(run_id)
    if stored is None:
        return None
    try:
        results = record_from_json(ResultSet, stored)
    except ForeignError as error:
        raise StoreError(
            f"{store.location} is damaged: what is kept as published of run {run_id} is no result "
            f"({error}); export another run, or take the store from a copy"
        ) from None
    return results.model_copy(
        update={
            "schema_version": ResultSet.model_fields["schema_version"].default,
            "context": {**results.context, "run": {**results.context.get("run", {}), "id": run_id}},
            "results": [_published(result) for result in results.results],
            "warnings": [_WARNING, *results.warnings],
        }
    )


def published_energy(computed: ResultSet, published: ResultSet) -> ResultSet:
    """Adds joules that only the file has, in `published`, to results that were computed."""
    there = {_trial_key(result): result for result in published.results}
    results = []
    for result in computed.results:
        other = there.get(_trial_key(result))
        if other is not None and other.energy and not result.energy:
            changed: dict[str, Any] = {name: getattr(other, name) for name in ENERGY_FIELDS}
            changed["energy"] = other.energy
            changed["reasons"] = {
                **{name: why for name, why in result.reasons.items() if name not in ENERGY_FIELDS},
                **{name: why for name, why in other.reasons.items() if name in ENERGY_FIELDS},
            }
            result = result.model_copy(update=changed)  # noqa: PLW2901
        results.append(result)
    return computed.model_copy(
        update={
            "context": {**computed.context, "meter": published.context.get("meter")},
            "results": results,
            "warnings": [*computed.warnings, _ENERGY_WARNING],
        }
    )


def _published(result: Result) -> Result:
    energy = [domain.model_copy(update=_changes(domain)) for domain in result.energy]
    return result.model_copy(update={**_changes(result), "energy": energy, "samples": None})


def _changes(holder: Result | DomainEnergy) -> dict[str, Any]:
    """The fields that become `published`: the holder's evidence, and that of each figure."""
    update = {"evidence": Evidence.PUBLISHED}
    figures = {name: figure.model_copy(update=update) for name, figure in figures_of(holder)}
    return {**update, **figures}
