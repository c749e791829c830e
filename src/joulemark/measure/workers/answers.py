# SPDX-License-Identifier: Apache-2.0
"""Answers of workers as typed values: foreign code runs there, and may write on the same pipe.

What a plugin's table says of itself comes this way too, so its numbers are held to bounds here: no
MAC has a key of a terabyte, and a name must fit on a line of a table.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final, NotRequired

from annotated_types import Ge, Gt, Le, MaxLen, MinLen
from typing_extensions import TypedDict

from joulemark.foreign.errors import ForeignError
from joulemark.foreign.json import parse_json
from joulemark.foreign.records import record_from_json
from joulemark.foreign.samples import sample_from
from joulemark.records.implementation import LibraryFile

__all__ = ["answer_of"]

_LONGEST_KEY: Final = 1 << 16
_Name = Annotated[str, MinLen(1), MaxLen(64)]
_Sentence = Annotated[str, MaxLen(2000)]
_Count = Annotated[int, Ge(0), Le(2**63 - 1)]
_Small = Annotated[int, Ge(0), Le(_LONGEST_KEY)]
_Output = str | None


class _Implementation(TypedDict):
    algorithm: _Name
    variant: _Name
    note: _Sentence | None
    kind: str
    cpu_features: list[str]
    missing_features: list[str]
    lanes: Annotated[int, Ge(1), Le(4096)]
    constant_time: bool
    block_bytes: Annotated[int, Ge(1), Le(_LONGEST_KEY)]
    output_bytes: Annotated[int, Ge(1), Le(_LONGEST_KEY)]
    key_bytes_min: _Small
    key_bytes_max: _Count | None
    key_bytes: _Small
    batch_calls: bool


class _Open(TypedDict):
    provider: _Sentence
    library_version: _Sentence
    compiler: _Sentence
    flags: _Sentence
    implementations: list[_Implementation]
    library_files: NotRequired[list[LibraryFile]]


class _Outputs(TypedDict):
    outputs: list[_Output]


class _Finding(TypedDict):
    verdict: str
    call: str
    line: str
    message_bytes: _Count
    key_bytes: _Count
    keys: _Count
    part: _Count
    parts: _Count
    at: int | None
    out: int | None
    got: str
    expected: str


class _Replay(TypedDict):
    finding: _Finding | None


class _Check(_Replay):
    coverage: dict[str, int]
    cpu_s: Annotated[float, Ge(0)]
    held_to: _Sentence
    every_sha256: str | None


class _Calibrate(TypedDict):
    messages: Annotated[int, Ge(1), Le(2**53)]
    message_ps: Annotated[float, Gt(0)]
    output: str


class _Visit(TypedDict):
    samples: Annotated[list[dict[str, Any]], MinLen(1)]
    output: str
    spot: _Finding | None


class _Observed(TypedDict):
    domain: str
    fault: str | None
    points: list[dict[str, Any]]
    snapshots: list[Any]


class _Observations(TypedDict):
    observations: list[_Observed]


class _Window(TypedDict):
    window: dict[str, Any]
    output: NotRequired[str]


class _LoopCost(TypedDict):
    messages: Annotated[int, Ge(1)]
    without_call_ns: list[_Count]
    empty_call_ns: list[_Count]


class _Clocks(TypedDict):
    monotonic_step_ns: _Count
    tsc: bool
    run_queue: bool
    perf_cycles_reason: str | None
    chain_adds: _Count
    chain_ticks: int | None


class _Error(TypedDict):
    error: str
    length_not_taken: NotRequired[bool]


_KINDS: Final[Mapping[str, Any]] = {
    "open": _Open, "outputs": _Outputs, "batches": _Outputs, "check": _Check, "replay": _Replay,
    "calibrate": _Calibrate, "visit": _Visit, "loop_cost": _LoopCost,
    "observe_meter": _Observations, "energy_window": _Window, "clocks": _Clocks,
}  # fmt: skip
"""Request -> what answers it; `replay` is the check of one case."""


def answer_of(op: str, line: bytes) -> dict[str, Any]:
    """The answer to a request, or a refusal with `error` in it.

    Raises:
        ForeignError: it is neither; the text says where.
    """
    answer = parse_json(line)
    if not isinstance(answer, dict):
        raise ForeignError("no JSON object")
    if "error" in answer:
        return {**record_from_json(_Error, answer)}
    record_from_json(_KINDS[op], answer)
    for sample in answer.get("samples", ()) if op == "visit" else ():
        sample_from({"round_index": 0, "position": 0, "generation": 0, **sample})
    return answer
