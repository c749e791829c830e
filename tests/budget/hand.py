# SPDX-License-Identifier: Apache-2.0
"""Numbers of five nodes as a person copies them from the data sheets, for sums by hand.

Each number is written as its document prints it, times the power of ten of its prefix. This module
does not read the catalogue. The packet: 24 bytes of payload every 10 s.
"""

from __future__ import annotations

from dataclasses import dataclass

from joulemark.budget.plan import Question
from joulemark.budget.planner import Planner

PAYLOAD = 24
PERIOD_S = 10.0
YEAR_S = 365.25 * 24 * 3600
SF7_SYMBOL_S = 2**7 / 125e3
SF12_SYMBOL_S = 2**12 / 125e3


@dataclass(frozen=True)
class Hand:
    """One node with its usual protocol."""

    node: str
    protocol: str
    tag_bits: int
    cycle_j: float
    """Volts by amperes by the period of the clock."""
    clock_hz: float
    send_w: float
    receive_w: float
    waiting_w: float
    sleep_w: float
    wake_up_j: float
    plain_s: float
    """Seconds on the air without security."""
    untagged_s: float
    secure_s: float
    longer_tag_s: float
    """Seconds on the air with one more byte of the tag."""
    byte_s: float
    """Mean seconds on the air of a byte."""
    winner: str
    core_cycles: float
    battery_j: float
    discharge_per_year: float
    windows_j: float = 0.0
    """Joules of the receive windows behind a packet."""
    joins_w: float = 0.0

    def planner(self, **more: object) -> Planner:
        """The planner of the package for the same node, protocol and packet."""
        question = Question(PAYLOAD, PERIOD_S, tag_bits=self.tag_bits)
        changed = {name: more.get(name, getattr(question, name)) for name in vars_of(question)}
        return Planner.of(self.protocol, self.node, Question(**changed))  # type: ignore[arg-type]

    @property
    def compute_j(self) -> float:
        """Energy of computing the tag."""
        return self.core_cycles * self.cycle_j

    @property
    def packet_j(self) -> float:
        """Energy of authentication: computing, and the radio and processor for its bytes."""
        return self.compute_j + (self.secure_s - self.plain_s) * (self.send_w + self.waiting_w)

    @property
    def power_w(self) -> float:
        """Mean power of the node without authentication."""
        return self.sleep_w + self.joins_w + (self.plain_j + self.windows_j) / PERIOD_S

    @property
    def plain_j(self) -> float:
        """Energy of a packet without authentication."""
        return self.wake_up_j + self.plain_s * (self.send_w + self.waiting_w)


def vars_of(question: Question) -> tuple[str, ...]:
    """Names of the fields of a question."""
    return tuple(type(question).__dataclass_fields__)


def lora_s(symbol_s: float, groups: int) -> float:
    """8 + 4.25 symbols of preamble, 8 of header, and groups of 5."""
    return (12.25 + 8 + 5 * groups) * symbol_s


# MICA2, TinySec-Auth. 32 bytes of preamble and start, then 4 + 24 + 4 (plain: 7 + 24) bytes at
# 19.2 kbit/s. 28 bytes are authenticated: 2 blocks of AES, one fewer than the 20 924 cycles of 3.
_MICA2_WAIT_W = 3 * 3.34e-3
MICA2 = Hand(
    node="mica2", protocol="tinysec_auth", tag_bits=0, cycle_j=3 * 8e-3 / 7.3728e6,
    clock_hz=7.3728e6, send_w=3 * 16.5e-3, receive_w=3 * 9.6e-3, waiting_w=_MICA2_WAIT_W,
    sleep_w=3 * 8e-6, wake_up_j=3 * 8e-3 * 4e-6 + 2e-3 * (3 * 1e-3 + _MICA2_WAIT_W),
    plain_s=(32 + 31) * 8 / 19200, untagged_s=(32 + 28) * 8 / 19200,
    secure_s=(32 + 32) * 8 / 19200, longer_tag_s=(32 + 33) * 8 / 19200, byte_s=8 / 19200,
    winner="cbc-mac-aes128/plain_c", core_cycles=20924 - 6794,
    battery_j=2.6 * 3600 * 2.5 * 0.95, discharge_per_year=0.03,
)  # fmt: skip

# TelosB, IEEE 802.15.4 with MIC-64. 6 bytes of PHY header, then 17 + 24 + 8 (plain: 11 + 24) bytes
# of 32 us. CCM over 15 + 24 = 39 bytes: B0, 3 blocks for 2 + 39 bytes, S0: 5 blocks of 9 792.
TELOSB = Hand(
    node="telosb", protocol="ieee802154_mic", tag_bits=64, cycle_j=3 * 1.8e-3 / 4e6,
    clock_hz=4e6, send_w=3 * 17.4e-3, receive_w=3 * 18.8e-3, waiting_w=3 * 54.5e-6,
    sleep_w=3 * 5.1e-6, wake_up_j=3 * 1.8e-3 * 6e-6 + 1.5e-3 * (3 * 426e-6 + 3 * 54.5e-6),
    plain_s=(6 + 35) * 32e-6, untagged_s=(6 + 41) * 32e-6, secure_s=(6 + 49) * 32e-6,
    longer_tag_s=(6 + 50) * 32e-6, byte_s=32e-6, winner="ccm-aes128/plain_c",
    core_cycles=5 * 9792, battery_j=2.6 * 3600 * 2.5 * 0.95, discharge_per_year=0.03,
)  # fmt: skip

# nRF52840 with the same packet: 5 blocks of 3 299.
NRF52840 = Hand(
    node="nrf52840_802154", protocol="ieee802154_mic", tag_bits=64, cycle_j=3 * 3.3e-3 / 64e6,
    clock_hz=64e6, send_w=3 * 6.40e-3, receive_w=3 * 6.53e-3, waiting_w=3 * 0.6e-3,
    sleep_w=3 * 1.5e-6, wake_up_j=3 * 3.3e-3 * 3e-6 + 0.4e-3 * (3 * 0.6e-3 + 3 * 0.6e-3),
    plain_s=(6 + 35) * 32e-6, untagged_s=(6 + 41) * 32e-6, secure_s=(6 + 49) * 32e-6,
    longer_tag_s=(6 + 50) * 32e-6, byte_s=32e-6, winner="ccm-aes128/plain_c",
    core_cycles=5 * 3299, battery_j=0.235 * 3600 * 2.9 * 0.85, discharge_per_year=0.01,
)  # fmt: skip

# LoRa: 9 + 24 = 33 bytes without the tag, 37 with it. CMAC over B0 and the frame, 16 + 33 = 49
# bytes: 4 blocks, one more than the 18 371 cycles of 3. A cycle takes 3 V by 139 uA/MHz.
# SF7: groups of 28 bits. 33 bytes: ceil((264 - 28 + 28 + 16) / 28) = 10; 37: ceil(312 / 28) = 12;
# 38: ceil(320 / 28) = 12. Two groups are 7 bytes.
_L053_CYCLE_J = 3 * 139e-12
_LORA_SLEEP_W = 3 * 0.8e-6 + 3.3 * 0.2e-6
_LORA_LISTEN_W = 3.3 * 11.5e-3 + 3 * 0.8e-6
_LORA_WAKE_J = 3 * 139e-12 * 32e6 * 5e-6 + 0.5e-3 * (3.3 * 1.6e-3 + 3 * 0.8e-6)


def lora_join_w(request_s: float, accept_s: float) -> float:
    """Mean power of one join in a year: a request sent and its answer received."""
    sent_j = _LORA_WAKE_J + request_s * (3.3 * 29e-3 + 3 * 0.8e-6)
    return (sent_j + _LORA_WAKE_J + accept_s * _LORA_LISTEN_W) / YEAR_S


# Two windows of 8 symbols, the first as the packet, the second at SF12. A join sends 23 bytes,
# ceil(200 / 28) = 8 groups, and receives 33.
SF7 = Hand(
    node="lora_sf7", protocol="lorawan_1_0", tag_bits=0, cycle_j=_L053_CYCLE_J, clock_hz=32e6,
    send_w=3.3 * 29e-3, receive_w=3.3 * 11.5e-3, waiting_w=3 * 0.8e-6, sleep_w=_LORA_SLEEP_W,
    wake_up_j=_LORA_WAKE_J, plain_s=lora_s(SF7_SYMBOL_S, 10), untagged_s=lora_s(SF7_SYMBOL_S, 10),
    secure_s=lora_s(SF7_SYMBOL_S, 12), longer_tag_s=lora_s(SF7_SYMBOL_S, 12),
    byte_s=10 * SF7_SYMBOL_S / 7, winner="cmac-aes128/plain_c", core_cycles=18371 + 5886,
    battery_j=2.6 * 3600 * 3.6 * 0.90, discharge_per_year=0.01,
    windows_j=2 * _LORA_WAKE_J + 8 * (SF7_SYMBOL_S + SF12_SYMBOL_S) * _LORA_LISTEN_W,
    joins_w=lora_join_w(lora_s(SF7_SYMBOL_S, 8), lora_s(SF7_SYMBOL_S, 10)),
)  # fmt: skip

# The same windows. Of the join 23 bytes are ceil(180 / 40) = 5 groups.
# SF12 with low data rate: groups of 40 bits. 33 bytes: ceil((264 - 48 + 28 + 16) / 40) = 7;
# 37: ceil(292 / 40) = 8; 38: ceil(300 / 40) = 8. Two groups are 10 bytes.
SF12 = Hand(
    node="lora_sf12", protocol="lorawan_1_0", tag_bits=0, cycle_j=_L053_CYCLE_J, clock_hz=32e6,
    send_w=3.3 * 29e-3, receive_w=3.3 * 11.5e-3, waiting_w=3 * 0.8e-6, sleep_w=_LORA_SLEEP_W,
    wake_up_j=_LORA_WAKE_J, plain_s=lora_s(SF12_SYMBOL_S, 7), untagged_s=lora_s(SF12_SYMBOL_S, 7),
    secure_s=lora_s(SF12_SYMBOL_S, 8), longer_tag_s=lora_s(SF12_SYMBOL_S, 8),
    byte_s=10 * SF12_SYMBOL_S / 10, winner="cmac-aes128/plain_c", core_cycles=18371 + 5886,
    battery_j=2.6 * 3600 * 3.6 * 0.90, discharge_per_year=0.01,
    windows_j=2 * _LORA_WAKE_J + 8 * 2 * SF12_SYMBOL_S * _LORA_LISTEN_W,
    joins_w=lora_join_w(lora_s(SF12_SYMBOL_S, 5), lora_s(SF12_SYMBOL_S, 7)),
)  # fmt: skip

NODES = (MICA2, TELOSB, NRF52840, SF7, SF12)
