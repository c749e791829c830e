# SPDX-License-Identifier: Apache-2.0
"""A verdict on each claim of castellon2022, and the sentence with the figures that decide it.

Claims about energy are judged by joules if a meter was read, else by the time of the paper's own
regime, one HMAC through ctypes per event: a core that computes the same thing in the same way
draws the same power, so energy goes as time. If that is not so, only a meter can tell.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from joulemark.studies.castellon2022.findings import CastellonFindings, ProgramComparison, Saving
from joulemark.studies.castellon2022.paper import (
    Castellon2022,
    chunks_of,
    contiguous,
    interleaved,
    page_table,
    parallelisation_index,
)
from joulemark.studies.study import (
    Answers,
    ClaimAnswer,
    ClaimVerdict,
    Ground,
    by_its_figures,
    either,
    not_tested,
)

# How the study writes shares of a cost: "2.9 % more", never "saves -2.9 %".


def percent(share: float) -> str:
    """Writes a share in percent with one decimal, as in "2.3 %"."""
    return f"{100 * share:.1f} %"


def change(saved: float) -> str:
    """Writes a saved share of a cost, as in "2.3 % less", "2.9 % more" or "the same"."""
    return amount(saved, percent(abs(saved)), nothing=percent(0.0))


def amount(saved: float, text: str, *, nothing: str = "") -> str:
    """Writes an amount without a sign, and whether it is less or more."""
    if text == nothing:
        return "the same"
    return f"{text} {'less' if saved > 0 else 'more'}"


def _between(low: float, high: float) -> str:
    """Writes two saved shares: "1.8 to 2.9 % more", or "1.2 % more to 0.3 % less"."""
    texts = [change(low), change(high)]
    if texts[0] == texts[1]:
        return texts[0]
    words = {text.rsplit(" ", 1)[-1] for text in texts}
    if len(words) > 1:
        return " to ".join(texts)
    near, far = sorted((low, high), key=abs)
    return f"{100 * abs(near):.1f} to {change(far)}"


def interval(saving: Saving) -> str:
    """Writes a saving and its interval, as in "2.3 % less [2.1 to 2.4 % less]"."""
    return f"{change(saving.median)} [{_between(saving.low, saving.high)}]"


def extremes(shares: Sequence[float]) -> str:
    """Writes the least and the greatest of several saved shares."""
    return _between(min(shares), max(shares))


HEADLINE: Final = 0.17
"""Saving of the abstract, "up to 17 %"; a test compares it with the file of the paper."""
MATTERS: Final = 0.01
"""Smallest share of the cost that counts as an effect of the order: copies of the same code differ
by some tenths of a percent."""
_ABOUT: Final = 0.05
"""How far, in shares of the cost at 64 bytes, a growth that the paper calls "about" a round number
may lie from the paper's figures: half of the ten percent between two such numbers."""
_ROUNDING: Final = 0.005
"""Half of the last digit of a share printed in whole percent."""


def answers(paper: Castellon2022, findings: CastellonFindings) -> Answers:
    """Has an answer for each claim of the paper's file."""
    case = _Case(paper, findings)
    return {
        "function": case.function,
        "permutation": case.permutation,
        "parallel": case.parallel,
        "consistent": case.consistent,
        "small": lambda: case.range_of("smaller inputs", paper.experiment.small_sizes_bytes),
        "large": lambda: case.range_of("larger inputs", paper.experiment.large_sizes_bytes),
        "exception": case.exception,
        "headline": case.headline,
        "growth-engineered": lambda: case.growth("engineered", "ecm_j8"),
        "growth-standard": lambda: case.growth("standard", "standard"),
        "order": case.order,
        "memory": case.memory,
        "complexity": case.complexity,
    }


def printed_table(chunks: int, jump: int) -> list[int]:
    """Returns the table of Algorithm 1 with its condition as printed, i > 1: a counter-example."""
    factor, table = 0, []
    for i in range(chunks):
        if i > 1 and i * jump % chunks == 0:
            factor += 1
        table.append((i * jump + factor) % chunks)
    return table


@dataclass(frozen=True, slots=True)
class _Case:
    """The paper and our findings; each method that returns an answer judges one claim."""

    paper: Castellon2022
    findings: CastellonFindings

    def _at_sizes(self, sizes: Sequence[int]) -> tuple[str, list[ProgramComparison]]:
        by, rows = self.findings.decisive
        return by, [row for row in rows if row.size_bytes in sizes]

    def _reached(self, savings: Sequence[Saving], least: float, why: str) -> ClaimAnswer:
        """Judges whether every saving may be as large as claimed; open if one may be none."""
        if any(saving.high < least for saving in savings):
            return self._answer(why, holds=False)
        if all(saving.costs_less for saving in savings):
            return self._answer(why, holds=True)
        return not_tested(f"{why} The intervals are too wide to tell.")

    def _answer(self, why: str, *, holds: bool) -> ClaimAnswer:
        return either(Ground(self.findings.evidence.value), why, holds=holds)

    def _beside(self) -> str:
        """Returns a sentence on the kernel alone, for readers who doubt the decisive figures."""
        kernel = self.findings.kernel
        return (
            f"The kernel alone costs {extremes([row.saving.median for row in kernel])}; the order "
            f"of the chunks makes it cost {extremes([row.order_saving.median for row in kernel])}."
        )

    def function(self) -> ClaimAnswer:
        why = (
            "Both programs gave the tag of Python's hmac for every message, before and after "
            "timing."
        )
        return either(Ground.COMPUTED, why, holds=True)

    def permutation(self) -> ClaimAnswer:
        experiment = self.paper.experiment
        chunks = 512 // experiment.chunk_bytes
        table = printed_table(chunks, experiment.jump)
        right = page_table(chunks, experiment.jump)
        why = (
            f"As printed (i > 1) it gives {', '.join(map(str, table))} for {chunks} chunks and "
            f"jump {experiment.jump}: chunk 0 twice and chunk {chunks - 1} never. With i > 0, "
            f"which is built here, it gives {', '.join(map(str, right))}, and is a permutation for "
            "every count and jump."
        )
        return ClaimAnswer(ClaimVerdict.CONTRADICTED, Ground.PROVED, why)

    def parallel(self) -> ClaimAnswer:
        experiment = self.paper.experiment
        banks, jump = experiment.banks, experiment.jump
        rows = []
        for size in experiment.sizes_bytes:
            chunks = chunks_of(size, experiment.chunk_bytes)
            order = page_table(chunks, jump)
            rows.append(
                (
                    parallelisation_index(order, banks, contiguous),
                    parallelisation_index(order, banks, interleaved),
                    parallelisation_index(range(chunks), banks, interleaved),
                )
            )
        filled, mixed, plain = (max(column) for column in zip(*rows, strict=True))
        square = parallelisation_index(page_table(banks * jump, jump), banks, contiguous)
        why = (
            f"By the paper's own model (Fig. 3, banks filled one after the other) jump {jump} "
            f"reaches I = {filled:.1f} at most for its sizes; I = {square:.0f} needs "
            f"{banks * jump} chunks or a multiple laid out so. With neighbours in neighbouring "
            f"banks it is {mixed:.1f} at most, and the plain order has {plain:.1f}."
        )
        return ClaimAnswer(ClaimVerdict.CONTRADICTED, Ground.COMPUTED, why)

    def consistent(self) -> ClaimAnswer:
        by, rows = self.findings.decisive
        less = [row.size_bytes for row in rows if row.saving.costs_less]
        why = (
            f"The engineered program costs {extremes([row.saving.median for row in rows])} and is "
            f"shown to cost less at {len(less)} of {len(rows)} sizes, judged by {by}. "
            f"{self._beside()}"
        )
        return self._answer(why, holds=len(less) == len(rows))

    def range_of(self, what: str, sizes: Sequence[int]) -> ClaimAnswer:
        by, rows = self._at_sizes(sizes)
        if not rows:
            return not_tested("None of these sizes was measured.")
        published = self.paper.saving_of(what)
        words = "; ".join(f"{row.size_bytes} B {interval(row.saving)}" for row in rows)
        why = f"Judged by {by}, the engineered program costs: {words}. {self._beside()}"
        return self._reached([row.saving for row in rows], published.low, why)

    def exception(self) -> ClaimAnswer:
        by, all_rows = self.findings.decisive
        _, rows = self._at_sizes(self.paper.experiment.exception_sizes_bytes)
        if not rows:
            return not_tested("This size was not measured.")
        (row,) = rows
        mean = sum(each.saving.median for each in all_rows) / len(all_rows)
        least = self.paper.saving_of("exception").low
        why = (
            f"The engineered program costs {interval(row.saving)}, judged by {by}; the mean over "
            f"all sizes is {change(mean)}."
        )
        if row.saving.high < least or row.saving.low > mean:
            return self._answer(why, holds=False)
        return self._reached([row.saving], least, why)

    def headline(self) -> ClaimAnswer:
        by, rows = self.findings.decisive
        best = max(rows, key=lambda row: row.saving.median)
        published = self.paper.saving_of("up to")
        printed = max(row.saving for row in self.paper.published_energy)
        stated = [self.paper.saving_of(part) for part in ("introduction", "conclusion")]
        elsewhere = " and ".join(f"{percent(row.high)} in {row.place}" for row in stated)
        why = (
            f"The paper's own figures give {percent(printed)} less at most, and it says up to "
            f"{elsewhere}. Here the best by {by} is {interval(best.saving)}, at "
            f"{best.size_bytes} B."
        )
        if printed + _ROUNDING < published.low:
            return by_its_figures(why, agrees=False)
        return self._reached([best.saving], published.low, why)

    def growth(self, what: str, program: str) -> ClaimAnswer:
        by, rows = self.findings.decisive
        if (rows[0].size_bytes, rows[-1].size_bytes) != (64, 1024):
            return not_tested("64 and 1024 bytes were not both measured.")
        here = self.findings.decisive_growth[program]
        stated = next(row.stated for row in self.paper.published_growth if row.what == what)
        printed = self.paper.printed_growth(what)
        kernel = self.findings.kernel
        alone = kernel[-1].programs[program].median / kernel[0].programs[program].median - 1
        within = (
            ""
            if here.low is None or here.high is None
            else f" [{percent(here.low)}, {percent(here.high)}]"
        )
        why = (
            f"The paper's own figures give {percent(printed)}, it says {percent(stated)}. Here it "
            f"grows by {percent(here.median)}{within} by {by}, and by {percent(alone)} in the "
            "kernel alone; what does not grow is the call."
        )
        if abs(printed - stated) > _ABOUT:
            return by_its_figures(why, agrees=False)
        if here.low is None or here.high is None:
            return not_tested(f"{why} One process gives no interval.")
        low, high = sorted((printed, stated))
        return self._answer(why, holds=here.low <= high and here.high >= low)

    def order(self) -> ClaimAnswer:
        savings = [row.order_saving for row in self.findings.kernel]
        moved = sum(saving.low > MATTERS or saving.high < -MATTERS for saving in savings)
        still = sum(saving.low >= -MATTERS and saving.high <= MATTERS for saving in savings)
        why = (
            f"Jump 8 beside jump 1, the same program with the chunks in order, costs "
            f"{extremes([saving.median for saving in savings])}; at {moved} of {len(savings)} "
            f"sizes that is more than {percent(MATTERS)} either way. A message of 1024 bytes lies "
            "in the first-level cache, and its order in memory reaches no DRAM bank."
        )
        if max(moved, still) * 2 <= len(savings):
            return not_tested(f"{why} Most intervals are too wide to tell.")
        return either(Ground.MEASURED, why, holds=moved > still)

    def memory(self) -> ClaimAnswer:
        visits = self.findings.memory
        if visits is None:
            return not_tested(self.findings.memory_reason or "It was not measured.")
        rows = {(visit.size_bytes, visit.order): visit.programs for visit in visits}
        words = []
        for size in sorted({visit.size_bytes for visit in visits}):
            hostile, kind = rows[size, "same bank"], rows[size, "row by row"]
            reading, hashing = (
                change(1 - hostile[name].median / kind[name].median)
                for name in ("read", "standard")
            )
            words.append(f"at {size} B reading costs {reading}, and HMAC {hashing}")
        return not_tested(
            "In a buffer far beyond the caches, visits that return to one bank beside visits that "
            f"change banks: {'; '.join(words)}. Which bank an address lies in cannot be known from "
            "user space: pages, TLB and prefetchers are in the difference too, so neither side "
            "is proven."
        )

    def complexity(self) -> ClaimAnswer:
        ratios = [1 - row.saving.median for row in self.findings.kernel]
        why = (
            "The table is one pass over the chunks, the vector one more copy: both linear. Beside "
            f"the proof, the engineered program takes {min(ratios):.3f} to {max(ratios):.3f} times "
            "the standard one's time over all sizes (measured)."
        )
        return either(Ground.PROVED, why, holds=True)
