# SPDX-License-Identifier: Apache-2.0
"""Fig. 3, 4 and 5 of kaps2006: energy of a packet over its payload, published and ours."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import altair as alt

from joulemark.studies.drawing import colours, draw
from joulemark.studies.kaps2006.cores import Findings
from joulemark.studies.kaps2006.exact import PAYLOADS_BYTES
from joulemark.studies.kaps2006.firmware import Firmware
from joulemark.studies.kaps2006.packets import packet_energies
from joulemark.studies.kaps2006.paper import Kaps2006, Service
from joulemark.studies.outcome import Chart

__all__ = ["packet_charts"]

_Row = dict[str, str | float]
_SERVICES: Final[tuple[tuple[str, str, Service], ...]] = (
    ("fig3_mac", "Fig. 3, authentication", "mac"),
    ("fig4_encryption", "Fig. 4, encryption", "encryption"),
    ("fig5_both", "Fig. 5, authentication and encryption", "both"),
)


def packet_charts(paper: Kaps2006, findings: Findings) -> list[Chart]:
    """Returns one chart for each service of TinySec, and one of firmware if it was counted."""
    charts = [_chart(paper, findings, *service) for service in _SERVICES]
    if not isinstance(findings.firmware, str):
        charts.append(_firmware(paper, findings.firmware))
    return charts


def _sources(
    paper: Kaps2006, findings: Findings
) -> Iterator[tuple[str, tuple[float, float] | None, bool]]:
    """Yields name, joules of a block of AES and of SHA-1, and whether the padding is counted."""
    yield "as published", paper.block_energies_j, False
    yield "exact, published energies", paper.block_energies_j, True
    yield "its designs here", findings.cores.block_energies_j, True
    yield "our designs", findings.ours.block_energies_j, True


def _chart(paper: Kaps2006, findings: Findings, name: str, title: str, service: Service) -> Chart:
    data: list[_Row] = []
    for source, blocks, exact in _sources(paper, findings):
        if blocks is None:
            continue
        for packet in packet_energies(paper.packet, service, PAYLOADS_BYTES, *blocks, exact=exact):
            data.extend(
                {"payload": packet.payload_bytes, "energy": joules * 1e9, "core": core,
                 "source": source}
                for core, joules in (("AES", packet.aes_j), ("SHA-1", packet.sha1_j))
            )  # fmt: skip
    caption = (
        "Blocks of a packet by the energy of a block. The lines as published count blocks as the "
        "paper does; all others count SHA-1's padding too."
    )
    return draw(name, title, caption, _steps(data, "nJ", "core:N", "source:N"))


def _firmware(paper: Kaps2006, firmware: Firmware) -> Chart:
    """Draws the same packets in core cycles of an ATmega128L."""
    data: list[_Row] = []
    for _, title, service in _SERVICES:
        for payload in PAYLOADS_BYTES:
            packet = firmware.packet(paper.packet, service, payload)
            if packet is not None:
                data.extend(
                    {"payload": payload, "energy": joules * 1e6, "code": code,
                     "service": title.partition(", ")[2]}
                    for code, joules in (("AES", packet.aes_j), ("SHA-1", packet.sha1_j))
                )  # fmt: skip
    caption = (
        "Core cycles of a packet by the energy of a core cycle of the MICA2. Exact counts of "
        f"blocks. Counts: {'; '.join(firmware.sources)}."
    )
    title = "The same in firmware on an ATmega128L"
    return draw("firmware", title, caption, _steps(data, "µJ", "code:N", "service:N"))


def _steps(data: list[_Row], unit: str, colour: str, dash: str) -> alt.Chart:
    """Returns lines of AES and SHA-1 over the payload; `dash` is the field that dashes tell."""
    lines: alt.Chart = (
        alt.Chart(alt.InlineData(values=data))
        .mark_line(interpolate="step-before")
        .encode(
            x=alt.X("payload:Q", title="payload (bytes); a TinySec packet has at most 29"),
            y=alt.Y("energy:Q", title=f"{unit} per packet (modelled)"),
            color=alt.Color(colour, title=None, scale=colours(["AES", "SHA-1"])),
            strokeDash=alt.StrokeDash(dash, title=None),
        )
    )
    return lines
