# SPDX-License-Identifier: Apache-2.0
"""Algorithm 1 of castellon2022: a permutation as corrected, none as printed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from joulemark.studies.castellon2022.claims import printed_table
from joulemark.studies.castellon2022.paper import entry, page_table


def by_the_loop(chunks: int, jump: int) -> list[int]:
    """Algorithm 1 statement by statement, with i > 0."""
    factor, table = 0, []
    for i in range(chunks):
        if i > 0 and i * jump % chunks == 0:
            factor += 1
        table.append((i * jump + factor) % chunks)
    return table


def test_the_example_of_the_paper() -> None:
    """Sixteen chunks and jump 4 begin 0, 4, 8, 12, 1, 5, 9, 13, 2, which is Fig. 3 less one."""
    assert page_table(16, 4) == [0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15]


def test_a_jump_of_one_changes_nothing() -> None:
    """The control of the study, ecm_j1, keeps the order."""
    assert page_table(17, 1) == list(range(17))


def test_it_is_a_permutation_for_every_small_case() -> None:
    """Up to 64 chunks and jump 64, every chunk appears once, and the loop gives the same table."""
    for chunks in range(65):
        for jump in range(1, 65):
            table = page_table(chunks, jump)
            assert sorted(table) == list(range(chunks)), (chunks, jump)
            assert table == by_the_loop(chunks, jump), (chunks, jump)


@given(chunks=st.integers(1, 3000), jump=st.integers(1, 10**12))
def test_it_is_a_permutation_beyond(chunks: int, jump: int) -> None:
    """Any number of chunks and any jump."""
    assert sorted(page_table(chunks, jump)) == list(range(chunks))


@given(chunks=st.integers(1, 10**9), jump=st.integers(1, 10**12), index=st.integers(0, 10**9 - 1))
def test_one_entry_is_within_the_table(chunks: int, jump: int, index: int) -> None:
    """The closed form needs no table and stays in its range."""
    assert 0 <= entry(index % chunks, chunks, jump) < chunks


def test_the_printed_form_is_no_permutation() -> None:
    """Counter-example: 512 bytes in chunks of 64, jump 8, the paper's own setting."""
    assert printed_table(8, 8) == [0, 0, 1, 2, 3, 4, 5, 6]


def test_when_the_printed_form_fails() -> None:
    """It fails exactly if the jump is a multiple of the number of chunks, which is two or more."""
    for chunks in range(1, 65):
        for jump in range(1, 129):
            fails = sorted(printed_table(chunks, jump)) != list(range(chunks))
            assert fails == (chunks > 1 and jump % chunks == 0), (chunks, jump)


@pytest.mark.parametrize(("chunks", "jump"), [(-1, 1), (4, 0), (4, -8)])
def test_arguments_that_make_no_sense_are_refused(chunks: int, jump: int) -> None:
    """Negative counts and jumps below one."""
    with pytest.raises(ValueError, match="no page table"):
        page_table(chunks, jump)
