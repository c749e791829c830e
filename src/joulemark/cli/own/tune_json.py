# SPDX-License-Identifier: Apache-2.0
"""The JSON of `joulemark tune`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, Final

from joulemark.analyse.machine_load import load_doubts
from joulemark.analyse.results import Figure
from joulemark.cli.own.tune_screen import add_command, figures_of
from joulemark.own_code.tuning.choice import Choice
from joulemark.own_code.tuning.making import (
    CandidateOutcome,
    ReadyCandidate,
    RefusedCandidate,
    SameCode,
)
from joulemark.own_code.tuning.search import SearchAnswer, SearchRequest
from joulemark.own_code.tuning.standing import OVERALL, Field
from joulemark.store.repository import Store

__all__ = ["TUNE_VERSION", "as_dict"]

TUNE_VERSION: Final = 1


def as_dict(wanted: SearchRequest, found: SearchAnswer, store: Store) -> dict[str, Any]:
    """A search and its answer as JSON values; ratios are seconds over seconds, lengths in bytes."""
    choice = found.choice
    figures = {} if found.run_id is None else figures_of(store, found.run_id)
    chosen = found.ready[choice.chosen].candidate if choice else None
    return {
        "schema_version": TUNE_VERSION,
        "algorithm": wanted.request.algorithm.id,
        "function": wanted.code.function,
        "run": found.run_id,
        "rounds": found.rounds,
        "usual": wanted.candidates[0].name,
        "chosen": _choice(choice, found) if choice else None,
        "add": add_command(wanted, chosen) if chosen else None,
        "lengths": [
            {"size_bytes": place, **_field(field, found)}
            for place, field in (choice.fields if choice else {}).items()
            if place != OVERALL
        ],
        "candidates": [_candidate(made, found, figures) for made in found.outcomes],
        "warnings": []
        if found.run_id is None
        else [load_doubt.sentence for load_doubt in load_doubts(store.samples(found.run_id))],
    }


def _choice(choice: Choice, found: SearchAnswer) -> dict[str, Any]:
    candidate = found.ready[choice.chosen].candidate
    return {
        "candidate": candidate.name,
        "compiler": candidate.compiler.version,
        "flags": candidate.flags,
        "is_usual": choice.is_usual,
        "over_usual": asdict(choice.over_usual) if choice.over_usual else None,
        "perhaps_as_good": [found.ready[name].candidate.name for name in choice.perhaps_as_good],
        "may_gain": choice.may_gain if math.isfinite(choice.may_gain) else None,
    }


def _field(field: Field, found: SearchAnswer) -> dict[str, Any]:
    names = [found.ready[name].candidate.name for name in field.perhaps_best]
    return {"best": names[0], "perhaps_best": names}


def _candidate(
    made: CandidateOutcome, found: SearchAnswer, figures: Mapping[tuple[str, int], Figure]
) -> dict[str, Any]:
    candidate = made.candidate
    values: dict[str, Any] = {
        "candidate": candidate.name,
        "compiler": candidate.compiler.version,
        "flags": candidate.flags,
        "implementation": None,
        "same_code_as": made.first.name if isinstance(made, SameCode) else None,
        "refused": f"{made.verdict}: {made.why}" if isinstance(made, RefusedCandidate) else None,
        "left_after_rounds": None,
        "seconds_per_message": [],
        "to_best": [],
    }
    if isinstance(made, ReadyCandidate):
        gaps = found.choice.to_best.get(made.name, {}) if found.choice else {}
        failed = [
            failure.reason for failure in found.failures if failure.implementation == made.name
        ]
        values |= {
            "implementation": made.name,
            "refused": failed[0] if failed else None,
            "left_after_rounds": found.fallen.get(made.name),
            "seconds_per_message": [
                {"size_bytes": size, **figure.model_dump(mode="json")}
                for (name, size), figure in figures.items()
                if name == made.name
            ],
            "to_best": [
                {"size_bytes": None if place == OVERALL else place, **asdict(gap)}
                for place, gap in gaps.items()
            ],
        }
    return values
