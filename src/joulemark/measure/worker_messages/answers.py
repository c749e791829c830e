# SPDX-License-Identifier: Apache-2.0
"""Checks the types of workers' answers: foreign code runs there, and may write on the pipe.

The table of a plugin comes this way too.
"""

from __future__ import annotations

from typing import Any, TypeVar, get_args

from joulemark.foreign.records import parse_json, record_from_json, sample_from
from joulemark.foreign.text import ForeignError
from joulemark.measure.worker_messages.base import Refusal, Request
from joulemark.measure.worker_messages.energy import Metered, TakeWindow
from joulemark.measure.worker_messages.runs import Visit, Visited

A = TypeVar("A")


def decode_answer(request: Request[A], line: bytes) -> A | Refusal:
    """The answer to a request, or its refusal."""
    values = parse_json(line)
    if not isinstance(values, dict):
        raise ForeignError("no JSON object")
    if "error" in values:
        return record_from_json(Refusal, values)
    answer = record_from_json(_answer_type(request), values)
    if isinstance(answer, Visited):
        for sample in values["samples"]:
            sample_from(sample)
    _require_asked(request, answer)
    return answer


def _answer_type(request: Request[A]) -> type[A]:
    """The `A` of a class that is a `Request[A]`."""
    (base,) = type(request).__orig_bases__  # type: ignore[attr-defined]
    (kind,) = get_args(base)
    found: type[A] = kind
    return found


def _require_asked(request: Request[Any], answer: Any) -> None:
    """Refuses samples and windows of another kind or place in the run than the request has."""
    requested: tuple[int, ...] = ()
    places: list[tuple[int, ...]] = []
    if isinstance(request, Visit) and isinstance(answer, Visited):
        requested = (request.round_index, request.position, request.generation)
        places = [
            (sample.round_index, sample.position, sample.generation) for sample in answer.samples
        ]
    elif isinstance(request, TakeWindow) and isinstance(answer, Metered):
        of, taken = request.window, answer.window
        requested = (of.round_index, of.position, of.attempt, of.generation)
        places = [(taken.round_index, taken.position, taken.attempt, taken.generation)]
        if (taken.kind is not request.kind) or (request.load and answer.output is None):
            raise ForeignError("it is a window of another kind")
    if any(place != requested for place in places):
        raise ForeignError("it is of another place in the run")
