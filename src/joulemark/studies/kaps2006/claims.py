# SPDX-License-Identifier: Apache-2.0
"""A verdict on each claim of kaps2006, from the cores of our flow and the paper's own figures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from joulemark.studies.core_figures import CoreFigures
from joulemark.studies.kaps2006.packets import (
    PacketEnergy,
    crossover_bytes,
    packet_energies,
    sha1_blocks,
)
from joulemark.studies.kaps2006.paper import Kaps2006, Service
from joulemark.studies.outcome import JudgedClaim, Verdict
from joulemark.units import format_joules, format_seconds, format_si

__all__ = ["PAYLOADS_BYTES", "Cores", "judge"]

PAYLOADS_BYTES: Final = range(1, 65)
"""Payloads of the charts; TinySec's end at 29 bytes, the paper's charts go on."""
_SIMILAR: Final = 0.10
"""Areas within this share of each other are called similar, as the paper's two are (5 %)."""
_LIMIT_W: Final = 30e-6
_DOMINATES: Final = 0.5
_NEARLY: Final = 0.2
"""AES takes at most this share more where it is said to take nearly as much."""
_CLOSE: Final = 1.5
"""Two energies, summed over all payloads, within this factor of each other are called close."""

Answer = tuple[Verdict, str]


@dataclass(frozen=True, slots=True)
class Cores:
    """The two cores as the paper built them, in our flow; None where the flow gave nothing."""

    sha1: CoreFigures | None
    aes: CoreFigures | None
    reason: str
    """Why one is None; empty if neither is."""


def judge(paper: Kaps2006, cores: Cores) -> list[JudgedClaim]:
    """Every claim of the paper's file, in its order.

    Raises:
        KeyError: the file has a claim that nothing here judges.
    """
    case = _Case(paper, cores)
    answers: dict[str, Callable[[], Answer]] = {
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
    }
    judged = []
    for claim in paper.claims:
        verdict, why = answers[claim.id]()
        judged.append(JudgedClaim(**claim.model_dump(), verdict=verdict, why=why))
    return judged


def _either(holds: bool) -> Verdict:
    return Verdict.HOLDS if holds else Verdict.FAILS


@dataclass(frozen=True, slots=True)
class _Case:
    paper: Kaps2006
    cores: Cores

    def _both(self, figure: str) -> tuple[float, float] | str:
        """One figure of SHA-1 and AES, or why there is none."""
        values = []
        for core in (self.cores.sha1, self.cores.aes):
            value = getattr(core, figure) if core is not None else None
            if value is None:
                why = core.reasons.get(figure) if core is not None else None
                return why or self.cores.reason or "the flow gave no figure"
            values.append(float(value))
        return values[0], values[1]

    def clocks(self, name: str, core: CoreFigures | None) -> Answer:
        published = self.paper.core(name).clocks
        if core is None or core.clocks_per_block is None:
            return Verdict.UNTESTED, self.cores.reason or "the core was not simulated"
        return _either(core.clocks_per_block == published), (
            f"The core that we built from the paper's text takes {core.clocks_per_block:g} clocks "
            f"between blocks (simulated)."
        )

    def similar_area(self) -> Answer:
        areas = self._both("area_ge")
        if isinstance(areas, str):
            return Verdict.UNTESTED, areas
        sha1, aes = areas
        return _either(abs(sha1 / aes - 1) <= _SIMILAR), (
            f"SHA-1 takes {sha1:.0f} GE and AES {aes:.0f} GE here (modelled), a ratio of "
            f"{sha1 / aes:.2f}; the paper's is "
            f"{self.paper.core('sha1').area_ge / self.paper.core('aes').area_ge:.2f}. The paper's "
            "SHA-1 leaves its 512-bit block in a memory outside, and so does ours."
        )

    def critical_path(self) -> Answer:
        paths = self._both("critical_path_s")
        if isinstance(paths, str):
            return Verdict.UNTESTED, paths
        sha1, aes = paths
        period = 1 / self.paper.experiment.clock_hz
        return _either(sha1 > 2 * aes and max(paths) < period / 10), (
            f"{format_seconds(sha1)} for SHA-1 and {format_seconds(aes)} for AES (modelled), a "
            f"ratio of {sha1 / aes:.2f}; the period at 500 kHz is {format_seconds(period)}."
        )

    def thirty_microwatts(self) -> Answer:
        powers = self._both("total_w")
        if isinstance(powers, str):
            return Verdict.UNTESTED, powers
        return _either(max(powers) < _LIMIT_W), (
            f"{format_si(powers[0], 'W')} for SHA-1 and {format_si(powers[1], 'W')} for AES at "
            "500 kHz (modelled from simulated toggles, another process than the paper's)."
        )

    def leakage(self) -> Answer:
        leaking, total = self._both("leakage_w"), self._both("total_w")
        if isinstance(leaking, str):
            return Verdict.UNTESTED, leaking
        if isinstance(total, str):
            return Verdict.UNTESTED, total
        shares = [leak / power for leak, power in zip(leaking, total, strict=True)]
        return _either(min(shares) > _DOMINATES), (
            f"Leakage is {100 * shares[0]:.1f} % of SHA-1's power and {100 * shares[1]:.1f} % of "
            "that of AES in this library at its corner; it is a property of the process, not of "
            "500 kHz."
        )

    def power_ratio(self) -> Answer:
        powers = self._both("total_w")
        if isinstance(powers, str):
            return Verdict.UNTESTED, powers
        ratio = powers[0] / powers[1]
        printed = self.paper.core("sha1").total_w / self.paper.core("aes").total_w
        return _either(abs(ratio - printed) <= _SIMILAR), (
            f"SHA-1 takes {ratio:.2f} times the power of AES here; the paper's Table 1 gives "
            f"{printed:.2f}."
        )

    def _published_at(self, service: Service, payload_bytes: int) -> str:
        clock = self.paper.experiment.clock_hz
        (energy,) = packet_energies(
            self.paper.packet, service, range(payload_bytes, payload_bytes + 1),
            self.paper.core("aes").block_j(clock), self.paper.core("sha1").block_j(clock),
            exact=False,
        )  # fmt: skip
        return (
            f"The paper's powers and clocks give {format_joules(energy.aes_j)} for AES and "
            f"{format_joules(energy.sha1_j)} for SHA-1 at {payload_bytes} bytes."
        )

    def mac(self) -> Answer:
        published = self._published_at("mac", self.paper.packet.payload_bytes_max)
        blocks = self._both("energy_per_block_j")
        if isinstance(blocks, str):
            return Verdict.UNTESTED, f"{published} Ours: {blocks}."
        payload = self.paper.packet.payload_bytes_max
        (ours,) = packet_energies(
            self.paper.packet, "mac", range(payload, payload + 1), blocks[1], blocks[0], exact=True
        )
        return _either(ours.sha1_j < ours.aes_j), (
            f"{published} Our cores of the same designs: {format_joules(ours.aes_j)} and "
            f"{format_joules(ours.sha1_j)}, SHA-1's padding counted ({ours.aes_blocks} and "
            f"{ours.sha1_blocks} blocks)."
        )

    def _energies(self, service: Service, payloads: range) -> tuple[list[PacketEnergy], str]:
        """By our cores with padding counted, or by the paper's; and whose they are."""
        blocks = self._both("energy_per_block_j")
        if isinstance(blocks, str):
            clock = self.paper.experiment.clock_hz
            sha1, aes = (self.paper.core(name).block_j(clock) for name in ("sha1", "aes"))
            return packet_energies(
                self.paper.packet, service, payloads, aes, sha1, exact=False
            ), f"There is no energy of our cores ({blocks}); by the paper's figures"
        return packet_energies(
            self.paper.packet, service, payloads, blocks[1], blocks[0], exact=True
        ), "By our cores"

    def _judged(self, holds: bool) -> Verdict:
        """A verdict needs our cores' energy: the paper's figures alone repeat the paper."""
        if isinstance(self._both("energy_per_block_j"), str):
            return Verdict.UNTESTED
        return _either(holds)

    def mac_small(self) -> Answer:
        payloads = range(1, self.paper.packet.payload_bytes_max)
        energies, whose = self._energies("mac", payloads)
        dearer = [one for one in energies if one.aes_j > one.sha1_j]
        if not dearer:
            return self._judged(holds=True), f"{whose} AES takes less at every such payload."
        most = max(one.aes_j / one.sha1_j - 1 for one in dearer)
        return self._judged(most <= _NEARLY), (
            f"{whose} AES takes more from {dearer[0].payload_bytes} bytes on, at most "
            f"{100 * most:.0f} %."
        )

    def encryption(self) -> Answer:
        energies, whose = self._energies("encryption", PAYLOADS_BYTES)
        ratios = [one.sha1_j / one.aes_j for one in energies]
        mean = sum(one.sha1_j for one in energies) / sum(one.aes_j for one in energies)
        return self._judged(1 / _CLOSE < mean < _CLOSE), (
            f"{whose} SHACAL-1 takes {mean:.2f} times the energy of AES over all payloads of 1 to "
            f"{PAYLOADS_BYTES[-1]} bytes ({min(ratios):.2f} to {max(ratios):.2f} at one payload)."
        )

    def crossover(self) -> Answer:
        clock = self.paper.experiment.clock_hz
        sha1, aes = (self.paper.core(name).block_j(clock) for name in ("sha1", "aes"))
        printed = crossover_bytes(
            packet_energies(self.paper.packet, "both", PAYLOADS_BYTES, aes, sha1, exact=False)
        )
        energies, whose = self._energies("both", PAYLOADS_BYTES)
        ours = crossover_bytes(energies)
        place = "at no payload" if ours is None else f"from {ours} bytes on"
        stated = self.paper.packet.crossover_bytes
        return self._judged(ours is not None and ours <= stated), (
            f"{whose} SHA-1 takes less {place}. The paper's own energies and counts of blocks put "
            f"it at {printed} bytes, not {stated}."
        )

    def blocks(self) -> Answer:
        packet = self.paper.packet
        wrong = [
            payload
            for payload in range(packet.sha1_block_bytes + 1)
            if sha1_blocks(packet, "mac", payload, exact=True)
            != sha1_blocks(packet, "mac", payload, exact=False)
        ]
        return Verdict.FAILS, (
            f"SHA-1 pads every message by at least {packet.sha1_padding_bytes} bytes, which the "
            f"count leaves out: one block more is needed for payloads of {wrong[0]} to {wrong[-1]} "
            f"bytes behind the 4-byte header. No TinySec payload (up to "
            f"{packet.payload_bytes_max} bytes) is among them."
        )
