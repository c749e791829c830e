# SPDX-License-Identifier: Apache-2.0
"""The facts of rashwan2012: workload and functions; the paper prints charts and no numbers."""

from __future__ import annotations

from functools import cache, partial

from pydantic import Field

from joulemark.studies.papers import Count, Paper, PaperFacts, read_paper


class RashwanExperiment(PaperFacts):
    """Facts of section III."""

    sessions: Count
    smallest_bytes: Count
    largest_bytes: Count
    sizes_interpretation: str
    machine: str
    library: str
    per_thread_function: str
    per_thread_place: str

    @property
    def sizes_bytes(self) -> list[int]:
        """Powers of two from the smallest to the largest."""
        bits = range(self.smallest_bytes.bit_length() - 1, self.largest_bytes.bit_length())
        return [1 << bit for bit in bits]


class PaperFunction(PaperFacts):
    """A function that the paper measured."""

    name: str
    algorithm: str = Field(description="id in our catalogue, if the catalogue has it")


class Rashwan2012(Paper):
    """`catalogue/papers/rashwan2012.toml`."""

    experiment: RashwanExperiment
    functions: list[PaperFunction]
    beyond: list[PaperFunction] = Field(default_factory=list)
    """Functions that the paper did not measure, and that a designer would weigh today."""


rashwan2012 = cache(partial(read_paper, Rashwan2012, "rashwan2012"))
"""The facts of the paper, read once."""
