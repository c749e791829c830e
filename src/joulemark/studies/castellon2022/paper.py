# SPDX-License-Identifier: Apache-2.0
"""The facts of castellon2022: its experiment, the figures it printed, its energy model."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Annotated

from pydantic import Field

from joulemark.report import Table, text_table
from joulemark.studies.papers import Count, Paper, PaperFacts, Positive, read_paper
from joulemark.units import format_bytes


class CastellonExperiment(PaperFacts):
    """Section III."""

    sizes_bytes: Annotated[list[Count], Field(min_length=1)]
    repetitions: Count
    machine: str
    thermal_design_w: Positive
    """The most that its CPU is made to draw."""
    banks: Count
    parallelisation_index: Positive
    jump: Count
    jump_place: str
    chunk_bytes: Count
    chunk_interpretation: str
    small_sizes_bytes: list[int]
    large_sizes_bytes: list[int]
    exception_sizes_bytes: list[int]
    """Sizes of larger inputs that the paper names as an exception."""
    sizes_interpretation: str


class CastellonEnergy(PaperFacts):
    """Means of 1000 events, in joules, for one size or for several together."""

    sizes_bytes: list[int]
    standard_joules: Positive
    engineered_joules: Positive

    @property
    def saving(self) -> float:
        """Share of the standard program's energy that the engineered program saves: 1 - E / O."""
        return 1 - self.engineered_joules / self.standard_joules


class PublishedSaving(PaperFacts):
    """A range of savings, as a share of the standard program's energy."""

    what: str
    low: float
    high: float
    interpretation: str | None = None


class PublishedGrowth(PaperFacts):
    """How much more 1024 bytes cost than 64, as a share of the latter."""

    what: str
    stated: float


class Castellon2022(Paper):
    """`catalogue/papers/castellon2022.toml`."""

    experiment: CastellonExperiment
    published_energy: list[CastellonEnergy]
    published_saving: list[PublishedSaving]
    published_growth: list[PublishedGrowth]

    def energy_at(self, size_bytes: int) -> CastellonEnergy | None:
        """Returns the printed energies of a size; None if the paper prints none."""
        return next((row for row in self.published_energy if size_bytes in row.sizes_bytes), None)

    def printed_growth(self, what: str) -> float:
        """Returns how much the printed mean of `engineered` or `standard` grows, as a share.

        The growth is that from 64 to 1024 bytes.
        """
        first, last = self.energy_at(64), self.energy_at(1024)
        assert first is not None
        assert last is not None
        joules = f"{what}_joules"
        return float(getattr(last, joules) / getattr(first, joules)) - 1

    def saving_of(self, what: str) -> PublishedSaving:
        """Returns the printed range of savings under this word of the file."""
        return next(saving for saving in self.published_saving if saving.what == what)

    def saving_at(self, size_bytes: int) -> PublishedSaving:
        """Returns the printed range of savings for inputs of this size."""
        if size_bytes in self.experiment.exception_sizes_bytes:
            return self.saving_of("exception")
        small = size_bytes in self.experiment.small_sizes_bytes
        return self.saving_of("smaller inputs" if small else "larger inputs")


castellon2022 = cache(partial(read_paper, Castellon2022, "castellon2022"))
"""The facts of the paper, read once."""


@dataclass(frozen=True, slots=True)
class MemoryModel:
    """The energy complexity model's values; None stands for the paper's, or for Algorithm 1's."""

    banks: int | None = None
    """P, at least 1."""
    chunk_bytes: int | None = None
    """B, at least 1."""
    index: float | None = None
    """I, from 1 to P; else that of Algorithm 1 with a jump of P."""


# Algorithm 1 of castellon2022: in which order the chunks of an input are laid out. Then the energy
# complexity model (ECM) that the paper rests on: banks, parallelism, energy.
#
# A memory of P banks holds an input in chunks of B bytes. A bank has one open chunk; chunks of
# different banks can be accessed at once (section II-B of the paper, after roy2013).


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


def chunks_of(size_bytes: int, chunk_bytes: int) -> int:
    """Returns the chunks of a padded message behind the key's block.

    The padded message has 0x80 and 8 bytes of length behind the message.
    """
    return -(-(size_bytes + 9) // chunk_bytes)


def model_table(paper: Castellon2022, model: MemoryModel) -> Table:
    """Returns the parallelisation index of every message, by layout and order (modelled).

    The jump is the number of banks, as section II-C has it: "for P-way access, jumps of P".
    """
    experiment = paper.experiment
    banks = model.banks or experiment.banks
    chunk_bytes = model.chunk_bytes or experiment.chunk_bytes
    lines = []
    for size in experiment.sizes_bytes:
        chunks = chunks_of(size, chunk_bytes)
        plain, jumped = list(range(chunks)), page_table(chunks, banks)
        cells = [
            parallelisation_index(order, banks, layout)
            for layout in (contiguous, interleaved)
            for order in (plain, jumped)
        ]
        added = energy_complexity(0.0, banks, chunk_bytes, model.index or cells[1])
        lines.append(
            [format_bytes(size), str(chunks), *(f"{cell:.2f}" for cell in cells), f"{added:.0f}"]
        )
    return text_table(
        title="The paper's model of memory",
        caption=f"Parallelisation index I of P = {banks} banks (modelled), for the padded "
        f"message's chunks of B = {chunk_bytes} bytes in their own order and with jump {banks}: "
        "banks filled one after the other, as in Fig. 3, or with neighbours in neighbouring "
        "banks. The last column is P B / I of equation 1, which the paper adds to a time; it has "
        "the unit of B, bytes.",
        headings=[
            "Message",
            "Chunks",
            "filled, plain",
            f"filled, jump {banks}",
            "interleaved, plain",
            f"interleaved, jump {banks}",
            f"P B / I, filled, jump {banks}"
            if model.index is None
            else f"P B / I, I = {model.index:g}",
        ],
        rows=lines,
    )
