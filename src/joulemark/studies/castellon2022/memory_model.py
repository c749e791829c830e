# SPDX-License-Identifier: Apache-2.0
"""The energy complexity model (ECM) that castellon2022 rests on: banks, parallelism, energy.

A memory of P banks holds an input in chunks of B bytes. A bank has one open chunk; chunks of
different banks can be accessed at once (section II-B of the paper, after roy2013).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

Layout = Callable[[int, int, int], int]
"""(chunk, chunks, banks) -> bank; all from 0, chunk < chunks."""


def contiguous(chunk: int, chunks: int, banks: int) -> int:
    """The layout of the paper's Fig. 3: the first chunks / banks chunks lie in bank 0, and so on.

    If the banks do not divide the chunks, every bank but the last ones takes ceil(chunks / banks).
    """
    return chunk // -(-chunks // banks)


def interleaved(chunk: int, chunks: int, banks: int) -> int:  # noqa: ARG001 - a Layout
    """The layout of neighbours in neighbouring banks, which controllers have for larger units."""
    return chunk % banks


def parallelisation_index(order: Sequence[int], banks: int, layout: Layout) -> float:
    """Returns I: how many different banks P consecutive accesses touch, on average.

    The accesses are cut into groups of P; a last group that is not full counts only if it is the
    only one. 1 is serial, P fully parallel, and 0 stands for no access at all. Fewer accesses than
    P cannot reach P.

    Args:
        order: chunks in the order of access, a permutation of 0 ... len(order) - 1.
        banks: P, at least 1.
        layout: gives the bank of a chunk.

    References:
        castellon2022, section II-B: "the number of parallel block accesses across memory banks per
        P block accesses"; the cutting into groups is our reading.
    """
    chunks = len(order)
    if not chunks:
        return 0.0
    visited = [layout(chunk, chunks, banks) for chunk in order]
    last = chunks - chunks % banks if chunks >= banks else chunks
    groups = [visited[at : min(at + banks, chunks)] for at in range(0, last, banks)]
    return sum(len(set(group)) for group in groups) / len(groups)


def energy_complexity(tau: float, banks: int, chunk_bytes: int, index: float) -> float:
    """Returns E(A) = tau + P B / I, equation 1 of the paper.

    The paper calls E joules. E adds an execution time to a number of bytes, with no factor to turn
    either into energy, so only the order of two programs of equal tau means anything: the larger I,
    the smaller E.

    Args:
        tau: execution time, in a unit that the paper does not state.
        banks: P.
        chunk_bytes: B.
        index: I, above 0.
    """
    return tau + banks * chunk_bytes / index
