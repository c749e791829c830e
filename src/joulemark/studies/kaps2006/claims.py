# SPDX-License-Identifier: Apache-2.0
"""A verdict on each claim of kaps2006, by the cores of our flow or the paper's own figures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from joulemark.studies.kaps2006.conclusion import (
    PAYLOADS_BYTES,
    conclusion,
    crossings,
    differing_payloads,
    times,
)
from joulemark.studies.kaps2006.measurement import Cores, KapsFindings, with_memory
from joulemark.studies.kaps2006.paper import (
    Kaps2006,
    KapsCore,
    PacketEnergy,
    Service,
    aes_blocks,
    crossover_bytes,
    packet_energies,
    packet_energy,
    sha1_blocks,
)
from joulemark.studies.papers import CoreFigures, MemoryFigures
from joulemark.studies.study import (
    Answers,
    ClaimAnswer,
    ClaimVerdict,
    Ground,
    by_its_figures,
    either,
    not_tested,
)
from joulemark.units import format_joules, format_seconds, format_si

_SIMILAR: Final = 0.10
"""Largest difference of similar areas, as a share; that of the paper's two areas is 5 %."""
_LIMIT_W: Final = 30e-6
_DOMINATES: Final = 0.5
"""Smallest share of the power that dominates it."""
_NEARLY: Final = 1 / 3
"""Largest share by which energies differ that are "almost equal" or follow each other "closely":
"almost 1/3 more" is the least difference that section 5 calls one."""
_A_THIRD: Final = 0.33
_ROUNDED: Final = 0.02
"""How far "almost a third", "20 %" and "48 %" may lie from the figures that they sum up."""
_STATED_MORE: Final = 0.10
"""Share by which SHA-1 takes more power, as the paper says."""
BOUNDS: Final = (
    f"Areas are similar up to {_SIMILAR:.0%} of difference.",
    f"A power that is about 10 % higher lies at most {100 * _SIMILAR:g} percentage points from it.",
    "Iterations are fewer if they are so at more than half of the payloads, and more at none.",
    f"Energies are close, nearly equal or follow each other up to {_NEARLY:.0%} of difference.",
    f"A part of the power dominates from {_DOMINATES:.0%} on.",
    f"A share that sums up figures lies at most {100 * _ROUNDED:g} percentage points from them.",
    f"A core takes microwatts up to {_LIMIT_W * 1e6:g} uW.",
)


def answers(paper: Kaps2006, findings: KapsFindings) -> Answers:
    """Has an answer for each claim of the paper's file."""
    cores, ours = findings.cores, findings.ours
    case = _Case(paper, cores, findings.memory)
    return {
        "sha1-clocks": lambda: case.clocks("sha1", cores.sha1),
        "aes-clocks": lambda: case.clocks("aes", cores.aes),
        "similar-area": case.similar_area,
        "critical-path": case.critical_path,
        "thirty-microwatts": case.thirty_microwatts,
        "leakage": case.leakage,
        "power-ratio": case.power_ratio,
        "mac": case.mac,
        "mac-small": case.mac_small,
        "encryption": case.encryption,
        "crossover": case.crossover,
        "blocks": case.blocks,
        "times": lambda: times(paper, cores, ours),
        "third": case.third,
        "iterations": case.iterations,
        "feldhofer": case.feldhofer,
        "supplies": case.supplies,
        "conclusion": lambda: conclusion(paper, cores, ours),
    }


@dataclass(frozen=True, slots=True)
class _Pair:
    """One figure of SHA-1 and of AES, both by our cores or both by the paper."""

    sha1: float
    aes: float
    ours: bool
    absent: str
    """Why the figures are not ours, as a sentence behind a space. Empty if they are ours, or if no
    core was asked for, which the page says once for the whole study."""

    def answer(self, why: str, *, holds: bool) -> ClaimAnswer:
        """Judges by our cores, or else says whether the paper agrees with itself."""
        if self.ours:
            return either(Ground.MODELLED, why, holds=holds)
        return by_its_figures(why, agrees=holds)

    @property
    def whose(self) -> str:
        return "By our cores (modelled)" if self.ours else "By the paper's own figures"


@dataclass(frozen=True, slots=True)
class _Case:
    """The paper and our findings; each method that returns an answer judges one claim."""

    paper: Kaps2006
    cores: Cores
    memory: MemoryFigures | None

    def _pair(self, figure: str, published: Callable[[KapsCore], float]) -> _Pair:
        """Returns a figure of our cores if both have it, else the paper's own figure."""
        ours = self.cores.both(figure)
        if ours is not None:
            return _Pair(float(ours[1]), float(ours[0]), ours=True, absent="")
        sha1, aes = (published(self.paper.core(name)) for name in ("sha1", "aes"))
        return _Pair(sha1, aes, ours=False, absent=self._absent(figure))

    def _absent(self, figure: str) -> str:
        if not self.cores.asked:
            return ""
        reasons = [core.reasons.get(figure) for core in (self.cores.sha1, self.cores.aes) if core]
        why = next((reason for reason in reasons if reason), None) or self.cores.reason
        return f" Our cores have no figure: {why or 'the flow gave none'}."

    def _blocks(self) -> _Pair:
        clock = self.paper.experiment.clock_hz
        return self._pair("energy_per_block_j", lambda core: core.block_j(clock))

    def clocks(self, name: str, core: CoreFigures | None) -> ClaimAnswer:
        published = self.paper.core(name).clocks
        if core is None or core.clocks_per_block is None:
            return not_tested(self.cores.reason if self.cores.asked else "No core was built here.")
        why = (
            f"The core that we built from the paper's text takes {core.clocks_per_block:g} clocks "
            f"between blocks (simulated)."
        )
        return either(Ground.SIMULATED, why, holds=core.clocks_per_block == published)

    def similar_area(self) -> ClaimAnswer:
        area = self._pair("area_ge", lambda core: core.area_ge)
        printed = self.paper.core("sha1").area_ge / self.paper.core("aes").area_ge
        beside = (
            f"; the paper's is {printed:.2f}. The paper's SHA-1 leaves its 512-bit block in a "
            "memory outside, and so does ours."
            if area.ours
            else "."
        )
        why = (
            f"{area.whose} SHA-1 takes {area.sha1:.0f} GE and AES {area.aes:.0f} GE, a ratio of "
            f"{area.sha1 / area.aes:.2f}{beside}{area.absent}"
        )
        return area.answer(why, holds=abs(area.sha1 / area.aes - 1) <= _SIMILAR)

    def critical_path(self) -> ClaimAnswer:
        path = self._pair("period_s", lambda core: core.critical_path_s)
        period = 1 / self.paper.experiment.clock_hz
        why = (
            f"{path.whose} it is {format_seconds(path.sha1)} for SHA-1 and "
            f"{format_seconds(path.aes)} for AES, a ratio of {path.sha1 / path.aes:.2f}"
            f"{' of the shortest clock periods' if path.ours else ''}; the period at 500 kHz is "
            f"{format_seconds(period)}.{path.absent}"
        )
        far_shorter = max(path.sha1, path.aes) < period / 10
        return path.answer(why, holds=path.sha1 > 2 * path.aes and far_shorter)

    def thirty_microwatts(self) -> ClaimAnswer:
        power = self._pair("total_w", lambda core: core.total_w)
        process = ", in another process than the paper's" if power.ours else ""
        why = (
            f"{power.whose} it is {format_si(power.sha1, 'W', digits=4)} for SHA-1 and "
            f"{format_si(power.aes, 'W', digits=4)} for AES at 500 kHz{process}.{power.absent}"
        )
        return power.answer(why, holds=max(power.sha1, power.aes) < _LIMIT_W)

    def leakage(self) -> ClaimAnswer:
        leaking = self._pair("leakage_w", lambda core: core.static_w)
        total = self._pair("total_w", lambda core: core.total_w)
        shares = [leaking.sha1 / total.sha1, leaking.aes / total.aes]
        place = (
            " in this library at its corner; it is a property of the process, not of 500 kHz."
            if leaking.ours
            else "."
        )
        why = (
            f"{leaking.whose} leakage is {100 * shares[0]:.1f} % of SHA-1's power and "
            f"{100 * shares[1]:.1f} % of that of AES{place}{leaking.absent}"
        )
        return leaking.answer(why, holds=min(shares) > _DOMINATES)

    def power_ratio(self) -> ClaimAnswer:
        power = self._pair("total_w", lambda core: core.total_w)
        ratio = power.sha1 / power.aes
        printed = self.paper.core("sha1").total_w / self.paper.core("aes").total_w
        beside = f"; the paper's Table 1 gives {printed:.2f}" if power.ours else ""
        why = f"{power.whose} SHA-1 takes {ratio:.2f} times the power of AES{beside}.{power.absent}"
        stated = printed if power.ours else 1 + _STATED_MORE
        return power.answer(why, holds=abs(ratio - stated) <= _SIMILAR)

    def mac(self) -> ClaimAnswer:
        payload = self.paper.packet.payload_bytes_max
        block = self._blocks()
        published = self._mac(payload, *self.paper.block_energies_j, exact=False)
        why = (
            f"The paper's powers and clocks give {format_joules(published.aes_j, digits=4)} for "
            f"AES and {format_joules(published.sha1_j, digits=4)} for SHA-1 at {payload} bytes."
            f"{block.absent}"
        )
        if not block.ours:
            return block.answer(why, holds=published.sha1_j < published.aes_j)
        ours = self._mac(payload, block.aes, block.sha1, exact=True)
        why = (
            f"{why} Our cores of the same designs (modelled): {format_joules(ours.aes_j)} and "
            f"{format_joules(ours.sha1_j)}, SHA-1's padding counted ({ours.aes_blocks} and "
            f"{ours.sha1_blocks} blocks).{self._with_memory(payload)}"
        )
        return block.answer(why, holds=ours.sha1_j < ours.aes_j)

    def _with_memory(self, payload: int) -> str:
        """Writes the energy of SHA-1 with the memory outside, as a sentence behind a space."""
        counted = with_memory(self.cores, self.memory)
        energies = None if counted is None else counted.block_energies_j
        if energies is None or self.memory is None:
            return ""
        packet = self._mac(payload, *energies, exact=True)
        most, least = (
            packet.sha1_blocks * (edge - self.memory.energy_j)
            for edge in (self.memory.most_j, self.memory.least_j)
        )
        return (
            f" With the memory outside, made of latches, SHA-1 takes "
            f"{format_joules(packet.sha1_j)} (from {format_joules(packet.sha1_j + least)} to "
            f"{format_joules(packet.sha1_j + most)}, as its words change)."
        )

    def _mac(self, payload: int, aes_j: float, sha1_j: float, *, exact: bool) -> PacketEnergy:
        """Returns an authenticated packet, from the energy of a block of either core."""
        return packet_energy(self.paper.packet, "mac", payload, aes_j, sha1_j, exact=exact)

    def _energies(self, service: Service, payloads: range) -> tuple[list[PacketEnergy], _Pair]:
        """Returns packets by our cores with padding counted, or by the paper, and their blocks."""
        block = self._blocks()
        return packet_energies(
            self.paper.packet, service, payloads, block.aes, block.sha1, exact=block.ours
        ), block

    def mac_small(self) -> ClaimAnswer:
        payloads = range(1, self.paper.packet.payload_bytes_max)
        energies, block = self._energies("mac", payloads)
        dearer = [packet for packet in energies if packet.aes_j > packet.sha1_j]
        if not dearer:
            why = f"{block.whose} AES takes less at every such payload.{block.absent}"
            return block.answer(why, holds=True)
        most = max(packet.aes_j / packet.sha1_j - 1 for packet in dearer)
        why = (
            f"{block.whose} AES takes more from {dearer[0].payload_bytes} bytes on, at most "
            f"{100 * most:.0f} %.{block.absent}"
        )
        return block.answer(why, holds=most <= _NEARLY)

    def encryption(self) -> ClaimAnswer:
        longest = self.paper.packet.payload_bytes_max
        energies, block = self._energies("encryption", range(1, longest + 1))
        ratios = [packet.sha1_j / packet.aes_j for packet in energies]
        mean = sum(packet.sha1_j for packet in energies) / sum(packet.aes_j for packet in energies)
        why = (
            f"{block.whose} SHACAL-1 takes {mean:.2f} times the energy of AES over all payloads of "
            f"1 to {longest} bytes ({min(ratios):.2f} to {max(ratios):.2f} at one payload); up to "
            f"a third is called close, as for authentication.{block.absent}"
        )
        return block.answer(why, holds=1 / (1 + _NEARLY) <= mean <= 1 + _NEARLY)

    def third(self) -> ClaimAnswer:
        payload = self.paper.packet.payload_bytes_max
        printed = next(row for row in self.paper.published_energy if row.service == "both")
        more = printed.aes_j / printed.sha1_j - 1
        why = (
            f"By Table 2 it takes {format_joules(printed.aes_j, digits=5)} against "
            f"{format_joules(printed.sha1_j, digits=4)}, {100 * more:.0f} % more."
        )
        if abs(more - _A_THIRD) > _ROUNDED:
            return by_its_figures(why, agrees=False)
        energies, block = self._energies("both", range(payload, payload + 1))
        here = energies[0].aes_j / energies[0].sha1_j - 1
        return block.answer(f"{why} {block.whose} {100 * here:.0f} %.", holds=here > 0)

    def iterations(self) -> ClaimAnswer:
        packet = self.paper.packet
        payloads = range(packet.crossover_bytes, packet.payload_bytes_max + 1)
        counts = [
            (aes_blocks(packet, "both", size), sha1_blocks(packet, "both", size, exact=True))
            for size in payloads
        ]
        fewer = sum(sha1 < aes for aes, sha1 in counts)
        more = sum(sha1 > aes for aes, sha1 in counts)
        why = (
            f"Counted for both services together with the hash's padding, SHA-1 needs "
            f"{min(sha1 for _, sha1 in counts)} to {max(sha1 for _, sha1 in counts)} blocks and "
            f"AES {min(aes for aes, _ in counts)} to {max(aes for aes, _ in counts)}: from "
            f"{payloads[0]} to {payloads[-1]} bytes fewer at {fewer} payloads, as many at "
            f"{len(counts) - fewer - more}, more at {more}."
        )
        return by_its_figures(why, agrees=not more and fewer * 2 > len(counts))

    def feldhofer(self) -> ClaimAnswer:
        ours, other = self.paper.core("aes"), self.paper.smallest_other
        more, fewer = ours.area_ge / other.area_ge - 1, 1 - ours.clocks / other.clocks
        why = (
            f"{ours.area_ge:g} against {other.area_ge:g} gate equivalents are {100 * more:.1f} % "
            f"more, and {ours.clocks} against {other.clocks} clocks {100 * fewer:.1f} % fewer."
        )
        return by_its_figures(
            why, agrees=abs(more - 0.20) < _ROUNDED and abs(fewer - 0.48) < _ROUNDED
        )

    def supplies(self) -> ClaimAnswer:
        power = self._pair("total_w", lambda core: core.total_w)
        needed = max(power.sha1, power.aes)
        supplies = self.paper.supplies
        enough = [supply.what for supply in supplies if supply.watts >= needed]
        short = [supply.what for supply in supplies if supply.watts < needed]
        each = ", ".join(f"{supply.what} {format_si(supply.watts, 'W')}" for supply in supplies)
        why = (
            f"{power.whose} the dearer core takes {format_si(needed, 'W', digits=4)}. Section 1 "
            f"has {each}: enough is {' and '.join(enough) or 'none'}, too little "
            f"{' and '.join(short) or 'none'}.{power.absent}"
        )
        return power.answer(why, holds=not short)

    def crossover(self) -> ClaimAnswer:
        printed = crossings(self.paper)["both", False]
        stated = self.paper.packet.crossover_bytes
        why = (
            f"The paper's own energies and counts of blocks put it at {printed} bytes, not "
            f"{stated}."
        )
        energies, block = self._energies("both", PAYLOADS_BYTES)
        ours = crossover_bytes(energies)
        if block.ours:
            place = "at no payload" if ours is None else f"from {ours} bytes on"
            why = f"{why} {block.whose} SHA-1 takes less {place}."
        if printed != stated:
            return by_its_figures(f"{why}{block.absent}", agrees=False)
        return block.answer(why, holds=ours is not None and ours <= stated)

    def blocks(self) -> ClaimAnswer:
        packet = self.paper.packet
        wrong = differing_payloads(packet, range(packet.sha1_block_bytes + 1))["mac"]
        why = (
            f"SHA-1 pads every message by at least {packet.sha1_padding_bytes} bytes, which the "
            f"count leaves out: one block more is needed for payloads of {wrong[0]} to {wrong[-1]} "
            f"bytes behind the 4-byte header. No TinySec payload (up to "
            f"{packet.payload_bytes_max} bytes) is among them."
        )
        return ClaimAnswer(ClaimVerdict.CONTRADICTED, Ground.PROVED, why)
