# SPDX-License-Identifier: Apache-2.0
"""A verdict on each claim of castellon2022, and the sentence with the figures that decide it.

Claims about energy are judged by joules if a meter was read, else by the time of the paper's own
regime, one HMAC through ctypes per event: a core that computes the same thing in the same way
draws the same power, so energy goes as time. If that is not so, only a meter can tell.

The paper does not say how its programs fill their chunks, and did not publish them. A claim about
their costs has a verdict only if it is the same for every filling; else it is not tested, and the
sentence says which filling makes it true.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from joulemark.studies.castellon2022.findings import CastellonFindings, Savings, by_filling
from joulemark.studies.castellon2022.paper import (
    Castellon2022,
    chunks_of,
    contiguous,
    interleaved,
    page_table,
    parallelisation_index,
)
from joulemark.studies.castellon2022.savings import (
    Saving,
    change,
    extremes,
    growth_text,
    interval,
    percent,
    reached,
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
from joulemark.units import format_joules, format_seconds

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
_SLOWER_CPU: Final = 20
"""How many times as long an HMAC may take on the paper's CPU of 2011 as here, generously."""

BOUNDS: Final = (
    "A program costs less if the interval of its saving, for all sizes together, is above 0.",
    f"It does not if that interval holds 0 and ends below {MATTERS:.0%} of the cost.",
    f"The order matters from {MATTERS:.0%} of the cost on.",
    f"A growth is about a round number up to {100 * _ABOUT:g} percentage points from it.",
    f"The paper's CPU takes less than {_SLOWER_CPU} times as long as this machine's.",
)


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
        "absolute": case.absolute,
        "growth-engineered": lambda: case.growth("engineered", ("ecm_j8", "ecm_chunks_j8")),
        "growth-standard": lambda: case.growth("standard", ("standard", "standard_chunks")),
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


def _range_words(savings: Savings) -> str:
    less = sum(saved.costs_less for saved in savings.values())
    costs = extremes([saved.median for saved in savings.values()])
    return f"{costs} (shown to be less at {less} of {len(savings)} sizes)"


_BY_COMPILER: Final = {
    True: "holds by all fillings with",
    False: "does not hold by any filling with",
    None: "is open, by filling or by wide intervals, with",
}


def _all_less(savings: Savings) -> bool | None:
    """Whether every saving is shown; False if some saving that matters is excluded."""
    unsaved = [saved for saved in savings.values() if not saved.costs_less]
    if any(saved.high <= MATTERS for saved in unsaved):
        return False
    return None if unsaved else True


@dataclass(frozen=True, slots=True)
class _Case:
    """The paper and our findings; each method that returns an answer judges one claim."""

    paper: Castellon2022
    findings: CastellonFindings

    def _by_filling(
        self, judge: Callable[[Savings], bool | None], words: Callable[[Savings], str]
    ) -> ClaimAnswer:
        """Judges the savings of each filling that was measured; None is "cannot be told".

        `words` writes the savings of a filling.
        """
        by, rows = self.findings.decisive
        known = by_filling(rows)
        found = {filling: judge(savings) for filling, savings in known.items()}
        costs = "; ".join(f"{filling}: {words(savings)}" for filling, savings in known.items())
        why = f"Judged by {by}, E costs beside O: {costs}.{self._compilers_say(judge)}"
        if None in found.values():
            return not_tested(f"{why} The intervals are too wide to tell.")
        if len(set(found.values())) == 1:
            holds = bool(next(iter(found.values())))
            if any(said is not holds for said in self._by_compiler(judge).values()):
                return not_tested(f"{why} The verdict is not that of every compiler.")
            return self._answer(why, holds=holds)
        true = " and ".join(f"'{filling}'" for filling, holds in found.items() if holds)
        return not_tested(
            f"{why} The claim holds for {true}, and for no other filling; the paper does not say "
            "which its programs have."
        )

    def _by_compiler(self, judge: Callable[[Savings], bool | None]) -> dict[str, bool | None]:
        """Compiler -> the verdict of all fillings of its programs; None if it is open."""
        by_compiler: dict[str, bool | None] = {}
        for each in self.findings.compilers:
            found = {judge(savings) for savings in by_filling(each.decisive).values()}
            by_compiler[each.compiler] = found.pop() if len(found) == 1 else None
        return by_compiler

    def _compilers_say(self, judge: Callable[[Savings], bool | None]) -> str:
        """A sentence that names the compilers on which the claim holds; empty without any."""
        said: dict[str, list[str]] = {}
        for compiler, holds in self._by_compiler(judge).items():
            said.setdefault(_BY_COMPILER[holds], []).append(compiler)
        texts = [f"{words} {' and '.join(names)}" for words, names in said.items()]
        return f" Built by compilers that were named, it {'; it '.join(texts)}." if said else ""

    def _answer(self, why: str, *, holds: bool | None) -> ClaimAnswer:
        return either(Ground(self.findings.evidence.value), why, holds=holds)

    def function(self) -> ClaimAnswer:
        why = (
            "Both programs gave the tag of Python's hmac for every message, before and after "
            "timing."
        )
        if self.findings.compilers:
            names = " and ".join(each.compiler for each in self.findings.compilers)
            why += f" So did all programs of both fillings as {names} built them."
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
        return self._by_filling(_all_less, _range_words)

    def _measured(self, sizes: Sequence[int]) -> list[int]:
        """Those of the sizes that were measured."""
        _, rows = self.findings.decisive
        return [row.size_bytes for row in rows if row.size_bytes in sizes]

    def range_of(self, what: str, sizes: Sequence[int]) -> ClaimAnswer:
        measured = self._measured(sizes)
        if not measured:
            return not_tested("None of these sizes was measured.")
        least = self.paper.saving_of(what).low
        return self._by_filling(
            lambda savings: reached([savings[size] for size in measured], least),
            lambda savings: ", ".join(f"{size} B {interval(savings[size])}" for size in measured),
        )

    def exception(self) -> ClaimAnswer:
        measured = self._measured(self.paper.experiment.exception_sizes_bytes)
        if not measured:
            return not_tested("This size was not measured.")
        (size,) = measured
        least = self.paper.saving_of("exception").low

        def mean(savings: Savings) -> float:
            return sum(saved.median for saved in savings.values()) / len(savings)

        def judge(savings: Savings) -> bool | None:
            saved, all_sizes = savings[size], mean(savings)
            if saved.high < least or saved.low > all_sizes:
                return False
            return reached([saved], least) if saved.high < all_sizes else None

        return self._by_filling(
            judge,
            lambda savings: f"{interval(savings[size])}, all sizes {change(mean(savings))}",
        )

    def headline(self) -> ClaimAnswer:
        published = self.paper.saving_of("up to")
        printed = max(row.saving for row in self.paper.published_energy)
        stated = [self.paper.saving_of(part) for part in ("introduction", "conclusion")]
        elsewhere = " and ".join(f"{percent(row.high)} in {row.place}" for row in stated)

        def best(savings: Savings) -> Saving:
            return max(savings.values(), key=lambda saved: saved.median)

        answer = self._by_filling(
            lambda savings: reached([best(savings)], published.low),
            lambda savings: f"at best {interval(best(savings))}",
        )
        if printed + _ROUNDING >= published.low:
            return answer
        why = (
            f"The paper's own figures give {percent(printed)} less at most, and it says up to "
            f"{elsewhere}. {answer.why}"
        )
        return by_its_figures(why, agrees=False)

    def absolute(self) -> ClaimAnswer:
        """Judges the printed joules by the most that the paper's CPU may draw."""
        energy = self.paper.energy_at(64)
        by, rows = self.findings.decisive
        row = next((row for row in rows if row.size_bytes == 64), None)
        if energy is None or row is None:
            return not_tested("64 bytes were not measured.")
        joules = energy.standard_joules
        here = row.programs["standard"].median
        if self.findings.energy is not None:
            times = joules / here
            why = (
                f"By {by} an HMAC of 64 bytes costs {format_joules(here)} here, and the paper "
                f"prints {format_joules(joules)}: {times:.0f} times as much."
            )
            return self._answer(why, holds=times <= _SLOWER_CPU)
        watts = self.paper.experiment.thermal_design_w
        implied_s = joules / watts
        times = implied_s / here
        why = (
            f"The paper's CPU is made for {watts:g} W at most, so {format_joules(joules)} are at "
            f"least {format_seconds(implied_s)} of the whole CPU; here an HMAC of 64 bytes through "
            f"ctypes takes {format_seconds(here)}, {times:.0f} times less. A CPU of 2011 takes "
            f"less than {_SLOWER_CPU} times as long as this machine's, so the figure holds much "
            "beside the HMAC."
        )
        return self._answer(why, holds=times <= _SLOWER_CPU)

    def growth(self, what: str, programs: tuple[str, str]) -> ClaimAnswer:
        """Judges a growth by both fillings of a program."""
        by, rows = self.findings.decisive
        if (rows[0].size_bytes, rows[-1].size_bytes) != (64, 1024):
            return not_tested("64 and 1024 bytes were not both measured.")
        grown = self.findings.decisive_growth
        here = [grown[program] for program in programs if program in grown]
        stated = next(row.stated for row in self.paper.published_growth if row.what == what)
        printed = self.paper.printed_growth(what)
        kernel = self.findings.kernel
        alone = [
            kernel[-1].programs[program].median / kernel[0].programs[program].median - 1
            for program in programs
            if program in kernel[0].programs
        ]
        words = " and ".join(map(growth_text, here))
        fillings = " (byte by byte, and copying whole chunks)" if len(here) > 1 else ""
        why = (
            f"The paper's own figures give {percent(printed)}, it says {percent(stated)}. Here it "
            f"grows by {words}{fillings} by {by}, and by {' and '.join(map(percent, alone))} in "
            "the kernel alone; what does not grow is the call."
        )
        if abs(printed - stated) > _ABOUT:
            return by_its_figures(why, agrees=False)
        low, high = min(printed, stated) - _ABOUT, max(printed, stated) + _ABOUT
        found: set[bool | None] = set()
        for each in here:
            if each.low is None or each.high is None:
                return not_tested(f"{why} One process gives no interval.")
            apart = each.high < low or each.low > high
            found.add(False if apart else True if low <= each.low and each.high <= high else None)
        if len(found) > 1 and None not in found:
            return not_tested(f"{why} The paper does not say which filling its programs have.")
        return self._answer(why, holds=None if None in found else found.pop())

    def order(self) -> ClaimAnswer:
        kernel = [*self.findings.kernel]
        for each in self.findings.compilers:
            kernel += each.kernel
        savings = [row.order_saving for row in kernel]
        savings += [row.chunks_order_saving for row in kernel if row.chunks_order_saving]
        names = " and ".join(each.compiler for each in self.findings.compilers)
        built = f", as installed and as built by {names}" if names else ""
        moved = sum(saving.low > MATTERS or saving.high < -MATTERS for saving in savings)
        still = sum(saving.low >= -MATTERS and saving.high <= MATTERS for saving in savings)
        why = (
            f"Jump 8 beside jump 1, the same program with the chunks in order, costs "
            f"{extremes([saving.median for saving in savings])} over both fillings{built}; in "
            f"{moved} of "
            f"{len(savings)} cases that is more than {percent(MATTERS)} either way. A message of "
            "1024 bytes lies in the first-level cache, and its order in memory reaches no DRAM "
            "bank."
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
        ratios = [
            1 - saved.median
            for row in self.findings.kernel
            for saved in (row.saving, row.chunks_saving)
            if saved is not None
        ]
        why = (
            "The table is one pass over the chunks, the vector one more copy: both linear. Beside "
            f"the proof, the engineered program takes {min(ratios):.3f} to {max(ratios):.3f} times "
            "the standard one's time with the same filling, over all sizes (measured)."
        )
        return either(Ground.PROVED, why, holds=True)
