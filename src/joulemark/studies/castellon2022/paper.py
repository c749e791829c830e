# SPDX-License-Identifier: Apache-2.0
"""The facts of castellon2022: its experiment and the figures it printed."""

from __future__ import annotations

from functools import cache, partial
from typing import Annotated

from pydantic import Field

from joulemark.studies.papers import Count, Paper, PaperFacts, Positive, read_paper


class CastellonExperiment(PaperFacts):
    """Section III."""

    sizes_bytes: Annotated[list[Count], Field(min_length=1)]
    repetitions: Count
    machine: str
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
