# SPDX-License-Identifier: Apache-2.0
"""The times of Table 2: how long a packet takes at the paper's clock."""

from __future__ import annotations

from collections.abc import Sequence

from joulemark.studies.kaps2006.cores import Cores
from joulemark.studies.kaps2006.packets import aes_blocks, sha1_blocks
from joulemark.studies.kaps2006.paper import Kaps2006, Service
from joulemark.studies.outcome import Answer, Ground, either

__all__ = ["milliseconds", "packet_times_s", "times"]


def packet_times_s(
    paper: Kaps2006, service: Service, payload_bytes: int, clocks: tuple[float, float], *,
    exact: bool,
) -> tuple[float, float]:  # fmt: skip
    """Seconds of a packet with AES and with SHA-1, from the clocks of a block of either.

    Args:
        paper: its packet and its clock.
        service: what is done to the packet.
        payload_bytes: 0 or more.
        clocks: of a block of AES and of SHA-1.
        exact: whether SHA-1's padding is counted.
    """
    blocks = (
        aes_blocks(paper.packet, service, payload_bytes),
        sha1_blocks(paper.packet, service, payload_bytes, exact=exact),
    )
    aes, sha1 = (
        number * each / paper.experiment.clock_hz
        for number, each in zip(blocks, clocks, strict=True)
    )
    return aes, sha1


def milliseconds(seconds: float) -> str:
    """With the two digits that the paper prints."""
    return f"{seconds * 1e3:.2f}"


def times(paper: Kaps2006, cores: Cores, ours: Cores) -> Answer:
    """Blocks by clocks by the period, to the digits that were printed."""
    printed = (paper.core("aes").clocks, paper.core("sha1").clocks)
    built = cores.block_clocks
    found = _all(paper, built or printed)
    stated = [
        text
        for published_energy in paper.published_energy
        for text in (milliseconds(published_energy.aes_s), milliseconds(published_energy.sha1_s))
    ]
    whose = "By the clocks of the cores that we built from its text (simulated)" if built else (
        "By the paper's own clocks"
    )  # fmt: skip
    own = ours.block_clocks
    beside = f" Our own cores take {_pairs(_all(paper, own))} (simulated)." if own else ""
    why = f"{whose} it is {_pairs(found)} for AES and SHA-1 in each service.{beside}"
    ground = Ground.SIMULATED if built else Ground.COMPUTED
    return either(ground, why, holds=found == stated)


def _all(paper: Kaps2006, clocks: tuple[float, float]) -> list[str]:
    """AES and SHA-1 in turn, in milliseconds, for each service of Table 2."""
    return [
        milliseconds(seconds)
        for published_energy in paper.published_energy
        for seconds in packet_times_s(
            paper, published_energy.service, published_energy.payload_bytes, clocks, exact=True
        )
    ]


def _pairs(texts: Sequence[str]) -> str:
    return ", ".join(
        f"{aes} and {sha1} ms" for aes, sha1 in zip(texts[::2], texts[1::2], strict=True)
    )
