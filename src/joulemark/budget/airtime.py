# SPDX-License-Identifier: Apache-2.0
"""How long a frame is on the air, the steps in which a radio sends it, and receive windows."""

from __future__ import annotations

import math

from joulemark.budget.can_frames import can_airtime_s
from joulemark.budget.inputs import Inputs, Number
from joulemark.catalogue.planning.nodes import Lora, Radio
from joulemark.catalogue.planning.protocols import Protocol

__all__ = ["airtime_s", "lora_symbols", "whole_step_bytes", "window_s"]

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
        8 * payload_bytes - 4 * lora.spreading_factor + 28
        + (16 if lora.crc else 0) - (0 if lora.explicit_header else 20)
    )  # fmt: skip
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


def window_s(radio: Radio, inputs: Inputs, protocol: Protocol, place: int) -> Number | None:
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
