# SPDX-License-Identifier: Apache-2.0
"""How long a frame is on the air, the steps in which a radio sends it, and receive windows."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from joulemark.budget.inputs import Inputs, Number
from joulemark.catalogue.nodes import Can, Lora, Radio
from joulemark.catalogue.protocols import PacketProtocol

# Frames on a CAN bus: how many bits they have at most, and how long they take.
#
# A node inserts a stuff bit after five equal bits, and the stuff bit counts among the next five: so
# n bits get at most (n - 1) / 4 stuff bits. The contents are not known here, so the bound is taken;
# random contents get one stuff bit in about 30.
#
# Source: ISO 11898-1, whose fields Linux counts in include/linux/can/length.h; for the bound Davis,
# Burns, Bril and Lukkien, "Controller Area Network (CAN) schedulability analysis: refuted,
# revisited and revised", 2007.

_CLASSIC_STUFFED: Final = {11: 34, 29: 54}
"""Identifier's bits -> bits from the start of a frame to the end of its CRC, without data."""
_CLASSIC_END: Final = 13
"""Delimiter of the CRC, acknowledgement 2, end of frame 7, space between frames 3."""
_FD_ARBITRATION: Final = {11: 17, 29: 36}
"""Identifier's bits -> bits from the start of a frame to the switch of the bit rate."""
_FD_CONTROL: Final = 5
"""Bits of error state and length, at the rate of the data phase."""
_FD_SHORT_CRC_BYTES: Final = 16
"""Length of the longest data with a CRC of 17 bits."""
_FD_CHECK: Final = {True: 4 + 17 + 6 + 1, False: 4 + 21 + 7 + 1}
"""Whether the CRC is short -> bits of stuff count, CRC, fixed stuff bits and delimiter."""
_FD_END: Final = 12
"""Acknowledgement 2, end of frame 7, space between frames 3."""


@dataclass(frozen=True, slots=True)
class FrameBits:
    """The most bits of a frame."""

    arbitration: int
    """Bits at the bit rate of the arbitration; all bits of a classic frame."""
    data: int
    """Bits at the bit rate of the data phase."""


def _stuff_bits(bits: int) -> int:
    return (bits - 1) // 4


def classic_bits(identifier_bits: int, data_bytes: int) -> FrameBits:
    """Returns the most bits of a classic frame with 0 to 8 bytes, to the start of the next frame.

    Example:
        >>> [classic_bits(11, size).arbitration for size in (0, 8)]
        [55, 135]
    """
    stuffed = _CLASSIC_STUFFED[identifier_bits] + 8 * data_bytes
    return FrameBits(stuffed + _stuff_bits(stuffed) + _CLASSIC_END, 0)


def fd_bits(identifier_bits: int, data_bytes: int) -> FrameBits:
    """Returns the most bits of a frame of CAN FD that switches its bit rate, to the next frame.

    The data have one of the lengths of CAN FD. As many stuff bits as possible fall into the slow
    part.

    Example:
        >>> fd_bits(11, 64)
        FrameBits(arbitration=33, data=679)
    """
    arbitration = _FD_ARBITRATION[identifier_bits]
    rest = _FD_CONTROL + 8 * data_bytes
    slow = _stuff_bits(arbitration)
    fast = _stuff_bits(arbitration + rest) - slow
    check = _FD_CHECK[data_bytes <= _FD_SHORT_CRC_BYTES]
    return FrameBits(arbitration + slow + _FD_END, rest + fast + check)


def can_airtime_s(radio: Radio, can: Can, inputs: Inputs, packet_bytes: int) -> Number:
    """Returns the seconds of the frames that carry a packet, each padded to a length that exists.

    `packet_bytes` is 0 or more.
    """
    assert radio.bit_rate is not None
    bit_s = 1 / inputs.take(radio, "bit_rate", radio.bit_rate)
    data_bit_s: Number = 0.0
    if can.data_rate is not None:
        data_bit_s = 1 / inputs.take(radio, "can.data_rate", can.data_rate)
    bits_of = classic_bits if can.data_rate is None else fd_bits
    most = inputs.whole(radio, "frame_limit", radio.frame_limit)
    lengths = inputs.lengths(radio, "can.lengths", can.lengths)
    seconds: Number = 0.0
    for size in _sizes(packet_bytes, most):
        bits = bits_of(can.identifier_bits, min(length for length in lengths if length >= size))
        seconds += bits.arbitration * bit_s + bits.data * data_bit_s
    return seconds


def _sizes(packet_bytes: int, most: int) -> Iterator[int]:
    """Yields the bytes of each frame; an empty packet is one frame without data."""
    full, rest = divmod(packet_bytes, most)
    yield from [most] * full
    if rest or not full:
        yield rest


_PREAMBLE_TAIL_SYMBOLS = 4.25


def lora_symbols(lora: Lora, payload_bytes: int) -> int:
    """Returns the symbols behind the preamble: 8, and groups of 5 to 8 by the coding rate.

    Source: Semtech SX1276/77/78/79 data sheet, section 4.1.1.7; SX1272 AN1200.13.

    Args:
        lora: the modulation.
        payload_bytes: payload of the physical layer, 0 or more.

    Example:
        >>> sf12 = Lora.model_construct(spreading_factor=12, coding_rate=1, explicit_header=True,
        ...                             crc=True, low_data_rate=True)
        >>> [lora_symbols(sf12, size) for size in (37, 41, 45, 46)]
        [48, 53, 53, 58]
    """
    bits = (
        8 * payload_bytes
        - 4 * lora.spreading_factor
        + 28
        + (16 if lora.crc else 0)
        - (0 if lora.explicit_header else 20)
    )
    a_group = 4 * (lora.spreading_factor - (2 if lora.low_data_rate else 0))
    return 8 + max(-(-bits // a_group), 0) * (lora.coding_rate + 4)


def airtime_s(radio: Radio, inputs: Inputs, packet_bytes: int) -> Number:
    """Returns the seconds in which a radio sends a frame around a packet of so many bytes."""
    sent = packet_bytes + inputs.whole(radio, "frame_overhead", radio.frame_overhead)
    if radio.can is not None:
        return can_airtime_s(radio, radio.can, inputs, sent)
    if radio.lora is None:
        assert radio.bit_rate is not None
        return 8 * sent / inputs.take(radio, "bit_rate", radio.bit_rate)
    lora = radio.lora
    symbol_s = math.ldexp(1, lora.spreading_factor) / inputs.take(
        radio, "lora.bandwidth", lora.bandwidth
    )
    preamble = lora.preamble_symbols + _PREAMBLE_TAIL_SYMBOLS
    return (preamble + lora_symbols(lora, sent)) * symbol_s


def window_s(radio: Radio, inputs: Inputs, protocol: PacketProtocol, place: int) -> Number | None:
    """Returns the seconds for which a radio listens in a receive window of a protocol.

    None if the radio has no symbols of LoRa.

    Args:
        radio: of the node.
        inputs: takes the values of both files.
        protocol: whose window it is.
        place: of the window in the protocol's list.
    """
    if radio.lora is None:
        return None
    window, path = protocol.window[place], f"window[{place}]"
    spreading_factor = window.spreading_factor or radio.lora.spreading_factor
    if window.bandwidth is None:
        bandwidth = inputs.take(radio, "lora.bandwidth", radio.lora.bandwidth)
    else:
        bandwidth = inputs.take(protocol, f"{path}.bandwidth", window.bandwidth)
    symbols = inputs.take(protocol, f"{path}.symbols", window.symbols)
    return symbols * math.ldexp(1, spreading_factor) / bandwidth


def whole_step_bytes(radio: Radio) -> int:
    """Returns the fewest bytes that are a whole number of the steps in which a radio sends."""
    if radio.can is not None:
        return int(radio.frame_limit.value)
    if radio.lora is None:
        return 1
    # Groups of 4 (SF - 2 DE) bits: so many bytes are two groups.
    return radio.lora.spreading_factor - (2 if radio.lora.low_data_rate else 0)
