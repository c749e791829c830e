# SPDX-License-Identifier: Apache-2.0
"""Blocks and energy of a TinySec packet (kaps2006, sections 2 and 5), as published and exact.

The paper counts ceil(length / 64) + 1 operations of SHA-1 for an HMAC whose two key blocks are
kept. It leaves out the hash's own padding of at least 9 bytes. So if a message has more than 55
bytes in its last block, the real count is one higher (`exact`).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import takewhile

from joulemark.studies.kaps2006.paper import Service, TinySecPacket


@dataclass(frozen=True, slots=True)
class PacketEnergy:
    """Blocks and energy of one packet with either algorithm."""

    service: Service
    payload_bytes: int
    aes_blocks: int
    sha1_blocks: int
    aes_j: float
    sha1_j: float


def _blocks(length_bytes: int, block_bytes: int) -> int:
    return -(-length_bytes // block_bytes)


def authenticated_bytes(packet: TinySecPacket, service: Service, payload_bytes: int) -> int:
    """Returns the bytes that the tag covers: payload and header of that kind of packet."""
    header = packet.both_header_bytes if service == "both" else packet.authentication_header_bytes
    return payload_bytes + header


def aes_blocks(packet: TinySecPacket, service: Service, payload_bytes: int) -> int:
    """Returns the AES operations of a packet: CBC-MAC of covered bytes, CBC over the payload."""
    covered = authenticated_bytes(packet, service, payload_bytes)
    tag = _blocks(covered, packet.aes_block_bytes)
    encrypted = _blocks(payload_bytes, packet.aes_block_bytes)
    return {"mac": tag, "encryption": encrypted, "both": tag + encrypted}[service]


def sha1_blocks(packet: TinySecPacket, service: Service, payload_bytes: int, *, exact: bool) -> int:
    """Returns the SHA-1 operations of a packet: HMAC with kept midstates, SHACAL-1 of the payload.

    Args:
        packet: TinySec's sizes.
        service: the service that the packet gets.
        payload_bytes: 0 or more.
        exact: whether to count the hash's padding, which the paper leaves out.
    """
    covered = authenticated_bytes(packet, service, payload_bytes)
    padding = packet.sha1_padding_bytes if exact else 0
    tag = _blocks(covered + padding, packet.sha1_block_bytes) + 1
    encrypted = _blocks(payload_bytes, packet.shacal_block_bytes)
    return {"mac": tag, "encryption": encrypted, "both": tag + encrypted}[service]


def packet_energy(
    packet: TinySecPacket,
    service: Service,
    payload_bytes: int,
    aes_block_j: float,
    sha1_block_j: float,
    *,
    exact: bool,
) -> PacketEnergy:
    """Returns the energy of a packet, from the energy of one block of either core."""
    aes = aes_blocks(packet, service, payload_bytes)
    sha1 = sha1_blocks(packet, service, payload_bytes, exact=exact)
    return PacketEnergy(service, payload_bytes, aes, sha1, aes * aes_block_j, sha1 * sha1_block_j)


def packet_energies(
    packet: TinySecPacket,
    service: Service,
    payloads_bytes: range,
    aes_block_j: float,
    sha1_block_j: float,
    *,
    exact: bool,
) -> list[PacketEnergy]:
    """Returns the energy of a packet over its payload."""
    return [
        packet_energy(packet, service, payload, aes_block_j, sha1_block_j, exact=exact)
        for payload in payloads_bytes
    ]


def crossover_bytes(energies: list[PacketEnergy]) -> int | None:
    """Returns the smallest payload from which on, to the end, SHA-1 takes less than AES.

    Payloads ascend. None if SHA-1 does not take less at the end.
    """
    less = takewhile(lambda packet: packet.sha1_j < packet.aes_j, reversed(energies))
    return min((packet.payload_bytes for packet in less), default=None)
