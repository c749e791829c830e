# SPDX-License-Identifier: Apache-2.0
"""The paper's conclusion, judged by our cores for the same purpose."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from joulemark.studies.kaps2006.cores import Cores
from joulemark.studies.kaps2006.packets import PacketEnergy, packet_energies
from joulemark.studies.kaps2006.paper import Kaps2006, Service
from joulemark.studies.outcome import Answer, Ground, by_its_figures, either
from joulemark.units import format_joules

__all__ = ["conclusion", "conclusion_words"]

_SERVICES: Final[dict[Service, str]] = {
    "mac": "authentication", "encryption": "encryption", "both": "both together",
}  # fmt: skip


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
        (False, "AES takes less energy for {}"), (True, "SHA-1 takes less energy for {}"),
        (None, "for {} it depends on the payload"),
    ):  # fmt: skip
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


def conclusion(paper: Kaps2006, ours: Cores) -> Answer:
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
