# SPDX-License-Identifier: Apache-2.0
"""The energy complexity model, on the examples the paper gives and at its edges."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from joulemark.studies.castellon2022.paper import (
    contiguous,
    energy_complexity,
    interleaved,
    page_table,
    parallelisation_index,
)


def test_the_figure_of_the_paper() -> None:
    """Fig. 3: of sixteen chunks in four banks, 1 to 4 lie in the first, 13 to 16 in the last."""
    banks = [contiguous(chunk, 16, 4) for chunk in range(16)]
    assert banks == [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3]


def test_a_rest_of_chunks_stays_within_the_banks() -> None:
    """Nine chunks in eight banks: two in each bank that has any."""
    assert [contiguous(chunk, 9, 8) for chunk in range(9)] == [0, 0, 1, 1, 2, 2, 3, 3, 4]


def test_serial_and_parallel_orders() -> None:
    """In order, four accesses meet one bank; with jump 4 they meet four."""
    assert parallelisation_index(range(16), 4, contiguous) == 1
    assert parallelisation_index(page_table(16, 4), 4, contiguous) == 4


def test_interleaved_banks_turn_it_round() -> None:
    """Where neighbours lie in neighbouring banks, the plain order is parallel and jump 8 serial."""
    assert parallelisation_index(range(64), 8, interleaved) == 8
    assert parallelisation_index(page_table(64, 8), 8, interleaved) == 1


def test_the_last_group_counts_only_alone() -> None:
    """Of nine accesses the first eight count; two alone are a group."""
    assert parallelisation_index(range(9), 8, interleaved) == 8
    assert parallelisation_index(range(2), 8, interleaved) == 2
    assert parallelisation_index([], 8, interleaved) == 0


@given(chunks=st.integers(1, 500), banks=st.integers(1, 32), jump=st.integers(1, 64))
def test_the_index_lies_between_serial_and_parallel(chunks: int, banks: int, jump: int) -> None:
    """1 <= I <= P, and no more than there are chunks, for either layout."""
    for layout in (contiguous, interleaved):
        index = parallelisation_index(page_table(chunks, jump), banks, layout)
        assert 1 <= index <= min(banks, chunks)


def test_more_parallel_is_less_energy() -> None:
    """E = tau + P B / I: with P = 8 and B = 64, I = 8 gives tau + 64 and I = 1 tau + 512."""
    assert energy_complexity(3.0, 8, 64, 8.0) == 67.0
    assert energy_complexity(3.0, 8, 64, 1.0) == 515.0


def test_no_parallelism_at_all_has_no_energy() -> None:
    """I is above 0."""
    with pytest.raises(ZeroDivisionError):
        energy_complexity(1.0, 8, 64, 0.0)
