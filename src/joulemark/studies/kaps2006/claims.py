# SPDX-License-Identifier: Apache-2.0
"""A verdict on each claim of kaps2006, by the cores of our flow or the paper's own figures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from joulemark.studies.kaps2006.exact import PAYLOADS_BYTES, crossings, differing_payloads, times
from joulemark.studies.kaps2006.measurement import Cores, KapsFindings, with_memory
from joulemark.studies.kaps2006.paper import (
    Kaps2006,
    KapsCore,
    PacketEnergy,
    Service,
    crossover_bytes,
    packet_energies,
    packet_energy,
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

# The paper's conclusion, judged by our cores for the same purpose.

_SERVICES: Final[dict[Service, str]] = {
    "mac": "authentication",
    "encryption": "encryption",
    "both": "both together",
}


@dataclass(frozen=True, slots=True)
class _Outcome:
    """The algorithm that takes less energy, service by service."""

    sha1_wins: dict[Service, bool | None]
    """Whether SHA-1 takes less at every payload; None if that depends on the payload."""
    longest: dict[Service, PacketEnergy]
    """Energies at the longest payload."""

    def figures(self) -> str:
        """Writes the energies, as in "authentication 8.1 nJ with AES and 10.7 nJ with SHA-1"."""
        return ", ".join(
            f"{_SERVICES[service]} {format_joules(packet.aes_j)} with AES and "
            f"{format_joules(packet.sha1_j)} with SHA-1"
            for service, packet in self.longest.items()
        )

    @property
    def at_longest(self) -> dict[Service, bool | None]:
        """Whether SHA-1 takes less at the longest payload."""
        return {service: packet.sha1_j < packet.aes_j for service, packet in self.longest.items()}


def _winners(sha1_wins: dict[Service, bool | None]) -> str:
    """Writes the winners, as in "AES takes less energy for authentication and encryption"."""
    parts = []
    for wins, words in (
        (False, "AES takes less energy for {}"),
        (True, "SHA-1 takes less energy for {}"),
        (None, "for {} it depends on the payload"),
    ):
        services = [_SERVICES[service] for service, known in sha1_wins.items() if known is wins]
        if wins is not None and len(services) == len(_SERVICES):
            return f"{'SHA-1' if wins else 'AES'} takes less energy in all {len(services)} services"
        if services:
            parts.append(words.format(" and ".join(services)))
    return ", ".join(parts)


def _outcome(paper: Kaps2006, block_j: tuple[float, float], *, exact: bool) -> _Outcome:
    """Computes the outcome from the energies of a block of AES and of SHA-1."""
    packet = paper.packet
    payloads = range(packet.crossover_bytes, packet.payload_bytes_max + 1)
    wins: dict[Service, bool | None] = {}
    longest: dict[Service, PacketEnergy] = {}
    for service in _SERVICES:
        energies = packet_energies(packet, service, payloads, *block_j, exact=exact)
        better = [energy.sha1_j < energy.aes_j for energy in energies]
        wins[service] = better[0] if len(set(better)) == 1 else None
        longest[service] = energies[-1]
    return _Outcome(wins, longest)


def _published(paper: Kaps2006) -> _Outcome:
    return _outcome(paper, paper.block_energies_j, exact=False)


def conclusion(paper: Kaps2006, ours: Cores) -> ClaimAnswer:
    """Judges that SHA-1 takes less for longer payloads by our own cores, else by the paper's."""
    published = _published(paper)
    packet = paper.packet
    where = f"for payloads of {packet.crossover_bytes} to {packet.payload_bytes_max} bytes"
    blocks = ours.block_energies_j
    if blocks is None:
        why = (
            f"By the paper's own figures {_winners(published.sha1_wins)} {where}; at "
            f"{packet.payload_bytes_max} bytes: {published.figures()}."
        )
        return by_its_figures(why, agrees=all(published.sha1_wins.values()))
    here = _outcome(paper, blocks, exact=True)
    assert ours.sha1 is not None
    assert ours.aes is not None
    why = (
        f"By our own cores for the same clock ({ours.sha1.point.core} and {ours.aes.point.core}, "
        f"modelled) {_winners(here.sha1_wins)} {where}; at {packet.payload_bytes_max} bytes: "
        f"{here.figures()}. By the paper's figures {_winners(published.sha1_wins)}: its "
        "conclusion is one of its two designs."
    )
    return either(Ground.MODELLED, why, holds=all(here.sha1_wins.values()))


def conclusion_words(paper: Kaps2006, block_j: tuple[float, float]) -> str:
    """Writes the conclusion by the energies of a block of our own cores, for the summary."""
    here, published = _outcome(paper, block_j, exact=True), _published(paper)
    same = here.at_longest == published.at_longest
    beside = "the same" if same else f"that {_winners(published.at_longest)}"
    return (
        f"By our own cores {_winners(here.at_longest)} at {paper.packet.payload_bytes_max} bytes "
        f"of payload ({here.figures()}); the paper concludes {beside}."
    )


_SIMILAR: Final = 0.10
"""Largest difference of similar areas, as a share; that of the paper's two areas is 5 %."""
_LIMIT_W: Final = 30e-6
_DOMINATES: Final = 0.5
"""Smallest share of the power that dominates it."""
_NEARLY: Final = 0.2
"""Largest share that AES takes more and is still said to take nearly as much."""
_CLOSE: Final = 1.5
"""Largest ratio of two close energies, summed over all payloads."""
_STATED_MORE: Final = 0.10
"""Share by which SHA-1 takes more power, as the paper says."""


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
        "conclusion": lambda: conclusion(paper, ours),
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
        energies, block = self._energies("encryption", PAYLOADS_BYTES)
        ratios = [packet.sha1_j / packet.aes_j for packet in energies]
        mean = sum(packet.sha1_j for packet in energies) / sum(packet.aes_j for packet in energies)
        why = (
            f"{block.whose} SHACAL-1 takes {mean:.2f} times the energy of AES over all payloads of "
            f"1 to {PAYLOADS_BYTES[-1]} bytes ({min(ratios):.2f} to {max(ratios):.2f} at one "
            f"payload).{block.absent}"
        )
        return block.answer(why, holds=1 / _CLOSE < mean < _CLOSE)

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
