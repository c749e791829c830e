# SPDX-License-Identifier: Apache-2.0
"""The facts of westermann2010: its workload, and the figures of its two tables."""

from __future__ import annotations

from functools import cache, partial
from typing import Literal

from pydantic import Field

from joulemark.studies.papers import Count, Paper, PaperFacts, Positive, read_paper

Bits = Literal[256, 512]
BITS: tuple[Bits, Bits] = (256, 512)
"""Lengths of a digest; the paper has a table for each."""


class WestermannExperiment(PaperFacts):
    """Facts of section 2."""

    messages: Count
    message_bytes: Count
    bytes_interpretation: str
    rounds: Count
    idle_samples: Count
    sample_interval_s: Positive
    skipped_s: Positive
    rest_s: Positive
    machine: str
    one_binary: list[str]
    one_binary_place: str

    @property
    def total_bytes(self) -> int:
        """Bytes that one measurement hashes."""
        return self.messages * self.message_bytes


class PublishedFunction(PaperFacts):
    """A row of Table 1 or 2."""

    name: str
    bits: Bits
    algorithm: str = Field(description="id in our catalogue")
    candidate: bool
    watts: Positive
    seconds: Positive
    joules_per_byte: Positive


class Westermann2010(Paper):
    """`catalogue/papers/westermann2010.toml`."""

    experiment: WestermannExperiment
    published: list[PublishedFunction]

    def table(self, bits: Bits, *, candidates: bool = False) -> list[PublishedFunction]:
        """Returns the rows of one table in the paper's order.

        Args:
            bits: length of the digest.
            candidates: whether MD5, SHA-1 and SHA-2 are left out.
        """
        rows = (row for row in self.published if row.bits == bits)
        return [row for row in rows if row.candidate or not candidates]

    def row(self, name: str, bits: Bits) -> PublishedFunction:
        """Returns the printed row of one function."""
        return next(row for row in self.table(bits) if row.name == name)


westermann2010 = cache(partial(read_paper, Westermann2010, "westermann2010"))
"""The facts of the paper, read once."""
