# SPDX-License-Identifier: Apache-2.0
"""When a result passes a vector: by its verdict, the length of its tag, and the reference."""

from __future__ import annotations

import pytest

from joulemark.foreign.vectors import Vector, VectorVerdict
from joulemark.hardware.flow.testing import _wrong

TAG = bytes(range(8))
OTHER = bytes(8)


@pytest.mark.parametrize(
    ("verdict", "tag", "size", "result", "reference", "said"),
    [
        (VectorVerdict.VALID, TAG, 8, TAG, TAG, None),
        (VectorVerdict.VALID, TAG[:4], 4, TAG, TAG, None),
        (VectorVerdict.VALID, OTHER, 8, TAG, TAG, "the reference says what the core says"),
        (VectorVerdict.VALID, TAG, 8, OTHER, TAG, "the reference says what the vector says; hint"),
        (VectorVerdict.VALID, TAG, 8, OTHER, b"third", "the reference agrees with neither; hint"),
        (VectorVerdict.VALID, TAG[:4], 4, TAG[:4] + OTHER[:4], TAG, "gives 0001020300000000, the"),
        (VectorVerdict.INVALID, OTHER, 8, TAG, TAG, None),
        (VectorVerdict.INVALID, TAG[:4], 8, TAG, TAG, None),
        (VectorVerdict.INVALID, TAG, 8, TAG, TAG, "which the vector says is wrong"),
        (VectorVerdict.ACCEPTABLE, TAG, 8, TAG, TAG, None),
        (VectorVerdict.ACCEPTABLE, OTHER, 8, TAG, TAG, None),
        (VectorVerdict.ACCEPTABLE, TAG, 8, OTHER, TAG, "the core gives 0000000000000000, the"),
    ],
)  # fmt: skip
def test_a_result_is_held_to_vector_and_reference(verdict, tag, size, result, reference, said):
    """A tag whose length is not that of its group is never equal."""
    vector = Vector("tcId 1", "x", b"", b"", tag, size, verdict)
    found = _wrong(vector, result, reference, "; hint")
    assert found is None if said is None else said in str(found)
