# SPDX-License-Identifier: Apache-2.0
"""Algorithm 1 of castellon2022: in which order the chunks of an input are laid out."""

from __future__ import annotations

import math


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

    Raises:
        ValueError: an argument is out of its range.
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
