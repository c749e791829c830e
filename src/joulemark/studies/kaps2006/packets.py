# SPDX-License-Identifier: Apache-2.0
"""Blocks and energy of a TinySec packet (kaps2006, sections 2 and 5), as published and exact.

The paper counts ceil(length / 64) + 1 operations of SHA-1 for an HMAC whose two key blocks are
kept. It leaves out the hash's own padding, at least 9 bytes, so whenever a message fills its last
block with more than 55 bytes the real count is one higher (`exact`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from joulemark.studies.kaps2006.paper import Packet, Service

__all__ = ["PacketEnergy", "aes_blocks", "crossover_bytes", "packet_energies", "sha1_blocks"]


@dataclass(frozen=True, slots=True)
class PacketEnergy:
    """What one packet costs with either algorithm."""

    service: Service
    payload_bytes: int
    aes_blocks: int
    sha1_blocks: int
    aes_j: float
    sha1_j: float


def _blocks(length_bytes: int, block_bytes: int) -> int:
    return -(-length_bytes // block_bytes)


def _authenticated_bytes(packet: Packet, service: Service, payload_bytes: int) -> int:
    """What the tag covers: the payload and the header of that kind of packet."""
    header = packet.both_header_bytes if service == "both" else packet.authentication_header_bytes
    return payload_bytes + header


def aes_blocks(packet: Packet, service: Service, payload_bytes: int) -> int:
    """AES operations of a packet: CBC-MAC over what is authenticated, CBC over the payload."""
    authenticated = _blocks(
        _authenticated_bytes(packet, service, payload_bytes), packet.aes_block_bytes
    )
    encrypted = _blocks(payload_bytes, packet.aes_block_bytes)
    return {"mac": authenticated, "encryption": encrypted, "both": authenticated + encrypted}[
        service
    ]


def sha1_blocks(packet: Packet, service: Service, payload_bytes: int, *, exact: bool) -> int:
    """SHA-1 operations of a packet: HMAC with kept midstates, SHACAL-1 over the payload.

    Args:
        packet: TinySec's sizes.
        service: what is done to the packet.
        payload_bytes: 0 or more.
        exact: whether the hash's padding is counted, which the paper does not.
    """
    authenticated = _authenticated_bytes(packet, service, payload_bytes)
    padding = packet.sha1_padding_bytes if exact else 0
    tag = _blocks(authenticated + padding, packet.sha1_block_bytes) + 1
    encrypted = _blocks(payload_bytes, packet.shacal_block_bytes)
    return {"mac": tag, "encryption": encrypted, "both": tag + encrypted}[service]


def packet_energies(
    packet: Packet, service: Service, payloads_bytes: range, aes_block_j: float,
    sha1_block_j: float, *, exact: bool,
) -> list[PacketEnergy]:  # fmt: skip
    """The energy of a packet over its payload, from the energy of one block of either core."""
    energies = []
    for payload in payloads_bytes:
        aes = aes_blocks(packet, service, payload)
        sha1 = sha1_blocks(packet, service, payload, exact=exact)
        energies.append(
            PacketEnergy(service, payload, aes, sha1, aes * aes_block_j, sha1 * sha1_block_j)
        )
    return energies


def crossover_bytes(
    energies: list[PacketEnergy], better: Callable[[PacketEnergy], bool] | None = None
) -> int | None:
    """Smallest payload from which on, to the end of the list, SHA-1 takes less than AES.

    Args:
        energies: by payload, ascending.
        better: what counts as less; SHA-1's joules below those of AES unless told.

    Returns:
        None where SHA-1 is not below AES at the end.
    """
    wins = better or (lambda packet: packet.sha1_j < packet.aes_j)
    found: int | None = None
    for packet in reversed(energies):
        if not wins(packet):
            break
        found = packet.payload_bytes
    return found
