# SPDX-License-Identifier: Apache-2.0
"""The times of Table 2: how long a packet takes at the paper's clock."""

from __future__ import annotations

from collections.abc import Sequence

from joulemark.studies.kaps2006.cores import Cores
from joulemark.studies.kaps2006.packets import aes_blocks, sha1_blocks
from joulemark.studies.kaps2006.paper import Kaps2006, Service
from joulemark.studies.outcome import Answer, Ground, by_its_figures, either

__all__ = ["milliseconds", "packet_times_s", "times"]


def packet_times_s(
    paper: Kaps2006, service: Service, payload_bytes: int, clocks: tuple[float, float], *,
    exact: bool,
) -> tuple[float, float]:  # fmt: skip
    """Returns the seconds of a packet with AES and with SHA-1.

    Args:
        paper: has the packet and the clock.
        service: the service that the packet gets.
        payload_bytes: 0 or more.
        clocks: clocks of a block of AES and of SHA-1.
        exact: whether SHA-1's padding is counted.
    """
    aes = aes_blocks(paper.packet, service, payload_bytes)
    sha1 = sha1_blocks(paper.packet, service, payload_bytes, exact=exact)
    clock_hz = paper.experiment.clock_hz
    return aes * clocks[0] / clock_hz, sha1 * clocks[1] / clock_hz


def milliseconds(seconds: float) -> str:
    """Writes a time with the two decimals that the paper prints."""
    return f"{seconds * 1e3:.2f}"


def times(paper: Kaps2006, cores: Cores, ours: Cores) -> Answer:
    """Judges the times of Table 2: blocks times clocks times the period, to the printed digits."""
    built = cores.block_clocks
    computed = _all(paper, built or paper.block_clocks)
    stated = [
        milliseconds(seconds)
        for row in paper.published_energy
        for seconds in (row.aes_s, row.sha1_s)
    ]
    whose = "By the clocks of the cores that we built from its text (simulated)" if built else (
        "By the paper's own clocks"
    )  # fmt: skip
    own = ours.block_clocks
    beside = f" Our own cores take {_pairs(_all(paper, own))} (simulated)." if own else ""
    why = f"{whose} it is {_pairs(computed)} for AES and SHA-1 in each service.{beside}"
    if built is None:
        return by_its_figures(why, agrees=computed == stated)
    return either(Ground.SIMULATED, why, holds=computed == stated)


def _all(paper: Kaps2006, clocks: tuple[float, float]) -> list[str]:
    """Returns the milliseconds of AES and SHA-1 in turn, for each service of Table 2."""
    return [
        milliseconds(seconds)
        for row in paper.published_energy
        for seconds in packet_times_s(paper, row.service, row.payload_bytes, clocks, exact=True)
    ]


def _pairs(texts: Sequence[str]) -> str:
    return ", ".join(
        f"{aes} and {sha1} ms" for aes, sha1 in zip(texts[::2], texts[1::2], strict=True)
    )
