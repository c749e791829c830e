# SPDX-License-Identifier: Apache-2.0
"""The energy complexity model (ECM) that castellon2022 rests on: banks, parallelism, energy.

A memory of P banks holds an input in chunks of B bytes. A bank has one open chunk; chunks of
different banks can be accessed at once (section II-B of the paper, after roy2013).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

# Algorithm 1 of castellon2022: in which order the chunks of an input are laid out.


def page_table(chunks: int, jump: int) -> list[int]:
    """Returns the table of the corrected Algorithm 1: V[i] = (i jump + factor) mod chunks.

    `factor` begins at 0 and grows by one whenever i > 0 and i jump mod chunks = 0.

    It is a permutation for every number of chunks and every jump. Let g = gcd(jump, chunks) and
    p = chunks / g. Then i jump mod chunks = 0 exactly when p divides i, so `factor` is
    floor(i / p), and takes the values 0 to g - 1, each in one run of p steps. In a run,
    i jump mod chunks takes each of the p multiples of g once; with `factor` added the run is a
    coset of the multiples of g, and the g cosets divide 0 ... chunks - 1 among them.

    The paper prints i > 1. That differs only where p = 1, that is where `jump` is a multiple of
    `chunks`: there V[0] = V[1] = 0, and the last chunk is never reached.

    Args:
        chunks: N / B of the paper, at least 0.
        jump: at least 1.
    """
    if chunks < 0 or jump < 1:
        raise ValueError(f"no page table for {chunks} chunks and jump {jump}")
    return [entry(i, chunks, jump) for i in range(chunks)]


def entry(index: int, chunks: int, jump: int) -> int:
    """Returns V[index] by the closed form of the proof: (i jump + floor(i / p)) mod chunks.

    Index is from 0 to chunks - 1, and chunks and jump are at least 1.
    """
    period = chunks // math.gcd(jump, chunks)
    return (index * jump + index // period) % chunks


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
