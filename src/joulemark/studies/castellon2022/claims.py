# SPDX-License-Identifier: Apache-2.0
"""A verdict on each claim of castellon2022, and the sentence with the figures that decide it.

Claims about energy are judged by joules where a meter was read, else by the time of the paper's own
regime, one HMAC through ctypes per event: a core that computes the same thing in the same way
draws the same power, so energy goes as time. Where that is not so, only a meter can tell.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from joulemark.studies.castellon2022.findings import Comparison, Findings
from joulemark.studies.castellon2022.memory_model import (
    contiguous,
    interleaved,
    parallelisation_index,
)
from joulemark.studies.castellon2022.page_table import page_table
from joulemark.studies.castellon2022.paper import Castellon2022
from joulemark.studies.castellon2022.savings import Saving
from joulemark.studies.outcome import JudgedClaim, Verdict

__all__ = ["HEADLINE", "MATTERS", "chunks_of", "judge", "percent", "printed_table"]

HEADLINE: Final = 0.17
"""The abstract: up to 17 %; the file of the paper has it too, and a test holds them together."""
MATTERS: Final = 0.01
"""Smallest share of the cost that counts as an effect of the order: copies of the same code differ
by some tenths of a percent."""
_GROWTH_WITHIN: Final = 0.15
"""How far, in shares of the cost at 64 bytes, a growth may lie from the one stated."""

Answer = tuple[Verdict, str]


def judge(paper: Castellon2022, findings: Findings) -> list[JudgedClaim]:
    """Every claim of the paper's file, in its order.

    Raises:
        KeyError: the file has a claim that nothing here judges.
    """
    case = _Case(paper, findings)
    answers: dict[str, Callable[[], Answer]] = {
        "function": case.function,
        "permutation": case.permutation,
        "parallel": case.parallel,
        "consistent": case.consistent,
        "small": lambda: case.range_of("smaller inputs", paper.experiment.small_sizes_bytes),
        "large": lambda: case.range_of("larger inputs", paper.experiment.large_sizes_bytes),
        "headline": case.headline,
        "growth-engineered": lambda: case.growth("engineered", "ecm_j8"),
        "growth-standard": lambda: case.growth("standard", "standard"),
        "order": case.order,
        "memory": case.memory,
        "complexity": case.complexity,
    }
    judged = []
    for claim in paper.claims:
        verdict, why = answers[claim.id]()
        judged.append(JudgedClaim(**claim.model_dump(), verdict=verdict, why=why))
    return judged


def percent(share: float) -> str:
    """A share in percent with one digit, as in "-2.3 %"."""
    return f"{100 * share:.1f} %"


def chunks_of(size_bytes: int, chunk_bytes: int) -> int:
    """Chunks of a padded message after the key's block: the message, 0x80 and 8 bytes of length."""
    return -(-(size_bytes + 9) // chunk_bytes)


def printed_table(chunks: int, jump: int) -> list[int]:
    """Algorithm 1 with the condition as printed, i > 1: the counter-example."""
    factor, table = 0, []
    for i in range(chunks):
        if i > 1 and i * jump % chunks == 0:
            factor += 1
        table.append((i * jump + factor) % chunks)
    return table


def _reached(savings: Sequence[Saving], least: float) -> Verdict:
    """Whether every saving may be as large as said; too noisy to tell where it may be none too."""
    if any(one.high < least for one in savings):
        return Verdict.FAILS
    return Verdict.HOLDS if all(one.low > 0 for one in savings) else Verdict.UNTESTED


def _words(saving: Saving) -> str:
    return f"{percent(saving.median)} [{percent(saving.low)}, {percent(saving.high)}]"


def _extremes(savings: Sequence[Saving]) -> str:
    medians = [one.median for one in savings]
    return f"{percent(min(medians))} to {percent(max(medians))}"


@dataclass(frozen=True, slots=True)
class _Case:
    """The paper and what was found."""

    paper: Castellon2022
    findings: Findings

    def _of(self, sizes: Sequence[int]) -> tuple[str, list[Comparison]]:
        by, rows = self.findings.decisive
        return by, [row for row in rows if row.size_bytes in sizes]

    def _beside(self) -> str:
        """The other regime and the order's own share, for whoever doubts the first."""
        kernel = self.findings.kernel
        return (
            f"The kernel alone saves {_extremes([row.saving for row in kernel])}, of which the "
            f"order of the chunks {_extremes([row.order_saving for row in kernel])}."
        )

    def function(self) -> Answer:
        return Verdict.HOLDS, (
            "Both programs gave the tag of Python's hmac for every message, before and after "
            "timing."
        )

    def permutation(self) -> Answer:
        experiment = self.paper.experiment
        chunks = 512 // experiment.chunk_bytes
        printed = ", ".join(map(str, printed_table(chunks, experiment.jump)))
        right = ", ".join(map(str, page_table(chunks, experiment.jump)))
        return Verdict.FAILS, (
            f"As printed (i > 1) it gives {printed} for {chunks} chunks and jump "
            f"{experiment.jump}: chunk 0 twice and chunk {chunks - 1} never. With i > 0, which is "
            f"built here, it gives {right}, and is a permutation for every count and jump."
        )

    def parallel(self) -> Answer:
        experiment = self.paper.experiment
        banks, jump = experiment.banks, experiment.jump
        rows = []
        for size in experiment.sizes_bytes:
            chunks = chunks_of(size, experiment.chunk_bytes)
            order = page_table(chunks, jump)
            rows.append(
                (parallelisation_index(order, banks, contiguous),
                 parallelisation_index(order, banks, interleaved),
                 parallelisation_index(range(chunks), banks, interleaved))
            )  # fmt: skip
        filled, mixed, plain = (max(column) for column in zip(*rows, strict=True))
        square = parallelisation_index(page_table(banks * jump, jump), banks, contiguous)
        return Verdict.FAILS, (
            f"By the paper's own model (Fig. 3, banks filled one after the other) jump {jump} "
            f"reaches I = {filled:.1f} at most for its sizes; I = {square:.0f} needs "
            f"{banks * jump} chunks or a multiple laid out so. With neighbours in neighbouring "
            f"banks it is {mixed:.1f} at most, and the plain order has {plain:.1f}."
        )

    def consistent(self) -> Answer:
        by, rows = self.findings.decisive
        less = [row.size_bytes for row in rows if row.saving.low > 0]
        why = (
            f"By {by} the engineered program saves {_extremes([row.saving for row in rows])} and "
            f"is shown to cost less at {len(less)} of {len(rows)} sizes. {self._beside()}"
        )
        return (Verdict.HOLDS if len(less) == len(rows) else Verdict.FAILS), why

    def range_of(self, what: str, sizes: Sequence[int]) -> Answer:
        by, rows = self._of(sizes)
        if not rows:
            return Verdict.UNTESTED, "None of these sizes was measured."
        published = self.paper.saving_of(what)
        words = "; ".join(f"{row.size_bytes} B {_words(row.saving)}" for row in rows)
        why = f"By {by} it saves: {words}. {self._beside()}"
        return _reached([row.saving for row in rows], published.low), why

    def headline(self) -> Answer:
        by, rows = self.findings.decisive
        best = max(rows, key=lambda row: row.saving.median)
        published = self.paper.saving_of("up to")
        printed = max(one.saving for one in self.paper.published_energy)
        why = (
            f"The best by {by} is {_words(best.saving)}, at {best.size_bytes} B. The paper's own "
            f"figures give {percent(printed)} at most."
        )
        return _reached([best.saving], published.low), why

    def growth(self, what: str, program: str) -> Answer:
        by, rows = self.findings.decisive
        first, last = rows[0], rows[-1]
        if (first.size_bytes, last.size_bytes) != (64, 1024):
            return Verdict.UNTESTED, "64 and 1024 bytes were not both measured."
        grown = last.programs[program].median / first.programs[program].median - 1
        stated = next(one.stated for one in self.paper.published_growth if one.what == what)
        small, large = self.paper.energy_at(64), self.paper.energy_at(1024)
        assert small is not None
        assert large is not None
        printed = (
            large.engineered_joules / small.engineered_joules
            if what == "engineered"
            else large.standard_joules / small.standard_joules
        ) - 1
        kernel = self.findings.kernel
        alone = kernel[-1].programs[program].median / kernel[0].programs[program].median - 1
        why = (
            f"By {by} its median grows by {percent(grown)}, that of the kernel alone by "
            f"{percent(alone)}; what does not grow is the call. The paper's own figures give "
            f"{percent(printed)}, not {percent(stated)}."
        )
        return (Verdict.HOLDS if abs(grown - stated) <= _GROWTH_WITHIN else Verdict.FAILS), why

    def order(self) -> Answer:
        rows = self.findings.kernel
        moved = [
            row for row in rows
            if row.order_saving.low > MATTERS or row.order_saving.high < -MATTERS
        ]  # fmt: skip
        why = (
            f"Jump 8 beside jump 1, the same program with the chunks in order, saves "
            f"{_extremes([row.order_saving for row in rows])}; at {len(moved)} of {len(rows)} "
            f"sizes that is more than {percent(MATTERS)} either way. A message of 1024 bytes "
            "lies in the first-level cache, and its order in memory reaches no DRAM bank."
        )
        return (Verdict.HOLDS if len(moved) * 2 > len(rows) else Verdict.FAILS), why

    def memory(self) -> Answer:
        found = self.findings.memory
        if found is None:
            return Verdict.UNTESTED, self.findings.memory_reason or "It was not measured."
        rows = {(one.size_bytes, one.order): one for one in found}
        sizes = sorted({one.size_bytes for one in found})
        said = []
        for size in sizes:
            hostile, kind = rows[size, "same bank"], rows[size, "row by row"]
            reading = hostile.programs["read"].median / kind.programs["read"].median - 1
            hashing = hostile.programs["standard"].median / kind.programs["standard"].median - 1
            said.append(
                f"at {size} B reading takes {percent(reading)} more, and HMAC {percent(hashing)}"
            )
        why = (
            "In a buffer far beyond the caches, visits that return to one bank beside visits that "
            f"change banks: {'; '.join(said)}. Which bank an address lies in cannot be known from "
            "user space: pages, TLB and prefetchers are in the difference too, so neither side "
            "is proven."
        )
        return Verdict.UNTESTED, why

    def complexity(self) -> Answer:
        kernel = self.findings.kernel
        ratios = [1 - row.saving.median for row in kernel]
        return Verdict.HOLDS, (
            "The table is one pass over the chunks, the vector one more copy: both linear. The "
            f"engineered program takes {min(ratios):.3f} to {max(ratios):.3f} times the standard "
            "one's time over all sizes."
        )
