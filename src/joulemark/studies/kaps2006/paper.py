# SPDX-License-Identifier: Apache-2.0
"""The facts of kaps2006: its cores, its packet, and the figures it printed."""

from __future__ import annotations

from functools import cache, partial
from typing import Final, Literal

from joulemark.studies.papers import Count, Paper, PaperFacts, Positive, read_paper

Service = Literal["mac", "encryption", "both"]
SERVICES: Final[tuple[Service, ...]] = ("mac", "encryption", "both")


class KapsExperiment(PaperFacts):
    """Facts of section 5."""

    process: str
    clock_hz: Positive


class KapsCore(PaperFacts):
    """A column of Table 1."""

    core: Literal["sha1", "aes"]
    clocks: Count
    area_ge: Positive
    critical_path_s: Positive
    static_w: Positive
    dynamic_w: Positive
    total_w: Positive

    def block_j(self, clock_hz: float) -> float:
        """Returns the energy of a block at a clock: total power times the time of its clocks."""
        return self.total_w * self.clocks / clock_hz


class TinySecPacket(PaperFacts):
    """TinySec's packet, as the paper counts it."""

    payload_bytes_max: Count
    authentication_header_bytes: Count
    both_header_bytes: Count
    aes_block_bytes: Count
    sha1_block_bytes: Count
    sha1_padding_bytes: Count
    padding_interpretation: str
    shacal_block_bytes: Count
    crossover_bytes: Count


class KapsEnergy(PaperFacts):
    """A column of Table 2."""

    service: Service
    payload_bytes: Count
    aes_j: Positive
    sha1_j: Positive
    aes_s: Positive
    sha1_s: Positive
    aes_w: Positive
    sha1_w: Positive
    aes_j_per_bit: Positive
    """Energy of a bit of payload; printed with two digits."""
    sha1_j_per_bit: Positive


class BlockMemory(PaperFacts):
    """The memory outside that holds SHA-1's block, and the accesses of one block of 80 rounds."""

    words: Count
    word_bits: Count
    reads: Count
    writes: Count
    reads_needed: Count
    writes_needed: Count
    interpretation: str


class Kaps2006(Paper):
    """`catalogue/papers/kaps2006.toml`."""

    experiment: KapsExperiment
    published_core: list[KapsCore]
    packet: TinySecPacket
    published_energy: list[KapsEnergy]
    block_memory: BlockMemory

    def core(self, name: str) -> KapsCore:
        """Returns the printed column of a core, `sha1` or `aes`."""
        return next(column for column in self.published_core if column.core == name)

    @property
    def block_energies_j(self) -> tuple[float, float]:
        """Energies of a block of AES and of SHA-1, at the paper's clock."""
        clock_hz = self.experiment.clock_hz
        return self.core("aes").block_j(clock_hz), self.core("sha1").block_j(clock_hz)

    @property
    def block_clocks(self) -> tuple[float, float]:
        """Clocks of a block of AES and of SHA-1."""
        return float(self.core("aes").clocks), float(self.core("sha1").clocks)


kaps2006 = cache(partial(read_paper, Kaps2006, "kaps2006"))
"""The facts of the paper, read once."""
