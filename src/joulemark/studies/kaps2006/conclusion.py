# SPDX-License-Identifier: Apache-2.0
"""The conclusion of kaps2006: judged by its two designs, rebuilt, beside our other designs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from joulemark.studies.kaps2006.measurement import Cores
from joulemark.studies.kaps2006.paper import Kaps2006, PacketEnergy, Service, packet_energies
from joulemark.studies.study import ClaimAnswer, Ground, by_its_figures, either
from joulemark.units import format_joules

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


def conclusion(paper: Kaps2006, rebuilt: Cores, others: Cores) -> ClaimAnswer:
    """Judges that SHA-1 takes less for longer payloads by the paper's two designs, rebuilt.

    Without them the paper is held against itself. Our other designs for the same clock stand
    beside the verdict, since the conclusion speaks of the algorithms.
    """
    packet = paper.packet
    where = f"for payloads of {packet.crossover_bytes} to {packet.payload_bytes_max} bytes"
    at_longest = f"at {packet.payload_bytes_max} bytes"
    blocks = rebuilt.block_energies_j
    judged = _published(paper) if blocks is None else _outcome(paper, blocks, exact=True)
    whose = "the paper's own figures" if blocks is None else "its two designs, rebuilt (modelled),"
    why = f"By {whose} {_winners(judged.sha1_wins)} {where}; {at_longest}: {judged.figures()}."
    if others.block_energies_j is not None:
        other = _outcome(paper, others.block_energies_j, exact=True)
        assert others.sha1 is not None
        assert others.aes is not None
        why = (
            f"{why} By our own designs for the same clock ({others.sha1.point.core} and "
            f"{others.aes.point.core}, modelled) {_winners(other.sha1_wins)} {where}; "
            f"{at_longest}: {other.figures()}."
        )
        if other.sha1_wins != judged.sha1_wins:
            why = f"{why} So the conclusion is one of two designs, not of two algorithms."
    holds = all(judged.sha1_wins.values())
    return (
        by_its_figures(why, agrees=holds)
        if blocks is None
        else either(Ground.MODELLED, why, holds=holds)
    )


def conclusion_words(paper: Kaps2006, block_j: tuple[float, float]) -> str:
    """Writes the conclusion by the energies of a block of our own cores, for the summary."""
    here, published = _outcome(paper, block_j, exact=True), _published(paper)
    same = here.at_longest == published.at_longest
    beside = "the same" if same else f"that {_winners(published.at_longest)}"
    return (
        f"By our own cores {_winners(here.at_longest)} at {paper.packet.payload_bytes_max} bytes "
        f"of payload ({here.figures()}); the paper concludes {beside}."
    )
