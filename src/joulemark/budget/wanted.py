# SPDX-License-Identifier: Apache-2.0
"""Which counts of firmware a packet's budget rests on: target, algorithms and lengths."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from joulemark.budget.counts import CCM, CCM_CIPHER, CIPHER_BLOCK_BYTES, shipped_series, target_of
from joulemark.budget.inputs import Inputs
from joulemark.budget.packets import fits, packet_of, payload_most
from joulemark.budget.parts import assemble
from joulemark.budget.plan import PayloadError
from joulemark.catalogue.algorithms import every_algorithm
from joulemark.catalogue.protocols import PacketProtocol, sheet
from joulemark.errors import UsageError


@dataclass(frozen=True, slots=True)
class WantedCounts:
    """What `joulemark bench` counts for a packet."""

    target: str
    algorithms: tuple[str, ...]
    sizes_bytes: tuple[int, ...]
    """Lengths of what the MAC reads, which is not the payload alone."""


def counted_algorithms(protocol: PacketProtocol, core: str) -> list[str]:
    """Returns what is counted on a core for the MACs of a protocol, as far as we have kernels.

    On a core without counts in the catalogue every algorithm of the catalogue counts as ours.
    """
    ours = {series.algorithm for series in shipped_series(core)} or set(every_algorithm())
    names = (CCM_CIPHER if name == CCM else name for name in protocol.algorithms)
    return [name for name in dict.fromkeys(names) if name in ours]


def counts_wanted(
    protocol_name: str, node: str, payload_bytes: int, named: Sequence[str] = ()
) -> WantedCounts:
    """Returns the counts that tell what authentication of such a packet costs.

    Args:
        protocol_name: a protocol of the catalogue, or a path that ends with `.toml`.
        node: the same of a node, whose processor's core is the target.
        payload_bytes: 0 or more.
        named: algorithms in place of the protocol's.
    """
    protocol, inputs = sheet(PacketProtocol, protocol_name), Inputs()
    core = assemble(node, inputs).microcontroller.core
    algorithms = tuple(named) or tuple(counted_algorithms(protocol, core))
    if not algorithms:
        raise UsageError(
            f"no kernel of firmware computes {', '.join(protocol.algorithms)}, which {protocol.id} "
            "has; name the algorithms that are counted"
        )
    tag_bytes = protocol.tag.value[0]
    packet = packet_of(protocol, inputs, payload_bytes, tag_bytes)
    if not fits(protocol, inputs, packet, None):
        most = payload_most(protocol, inputs, tag_bytes, None)
        raise PayloadError(payload_bytes, most, protocol, tag_bytes)
    sizes = {packet.mac_input_bytes}
    if protocol.acknowledged is not None and protocol.acknowledged.value:
        sizes.add(packet_of(protocol, inputs, 0, tag_bytes).mac_input_bytes)
    if CCM in protocol.algorithms:
        sizes.add(CIPHER_BLOCK_BYTES)
    return WantedCounts(target_of(core), algorithms, tuple(sorted(sizes)))
