# SPDX-License-Identifier: Apache-2.0
"""When a result passes a vector: by its verdict, the length of its tag, and the reference."""

from __future__ import annotations

import pytest

from joulemark.foreign.vectors import Vector, Verdict
from joulemark.hardware.drive.vector_run import _wrong

TAG = bytes(range(8))
OTHER = bytes(8)


@pytest.mark.parametrize(
    ("verdict", "tag", "size", "result", "reference", "said"),
    [
        (Verdict.VALID, TAG, 8, TAG, TAG, None),
        (Verdict.VALID, TAG[:4], 4, TAG, TAG, None),
        (Verdict.VALID, OTHER, 8, TAG, TAG, "the reference says what the core says"),
        (Verdict.VALID, TAG, 8, OTHER, TAG, "the reference says what the vector says; hint"),
        (Verdict.VALID, TAG, 8, OTHER, b"third", "the reference agrees with neither; hint"),
        (Verdict.VALID, TAG[:4], 8, TAG[:4], TAG[:4], "the core gives 00010203, the vector"),
        (Verdict.VALID, TAG[:4], 4, TAG[:4] + OTHER[:4], TAG, "gives 0001020300000000, the"),
        (Verdict.INVALID, OTHER, 8, TAG, TAG, None),
        (Verdict.INVALID, TAG[:4], 8, TAG, TAG, None),
        (Verdict.INVALID, TAG, 8, TAG, TAG, "which the vector says is wrong"),
        (Verdict.ACCEPTABLE, TAG, 8, TAG, TAG, None),
        (Verdict.ACCEPTABLE, OTHER, 8, TAG, TAG, None),
        (Verdict.ACCEPTABLE, TAG, 8, OTHER, TAG, "the core gives 0000000000000000, the reference"),
    ],
)  # fmt: skip
def test_a_result_is_held_to_vector_and_reference(verdict, tag, size, result, reference, said):
    """A tag whose length is not that of its group is never equal."""
    vector = Vector("tcId 1", "x", b"", b"", tag, size, verdict)
    found = _wrong(vector, result, reference, "; hint")
    assert found is None if said is None else said in str(found)
