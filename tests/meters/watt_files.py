# SPDX-License-Identifier: Apache-2.0
"""Files of watts for tests."""

from __future__ import annotations

from pathlib import Path

from joulemark.meters.instruments.external import read_recording
from joulemark.meters.watt_stream import WattStream


def rows(form: str, count: int = 400) -> str:
    """Lines of a form with `s`, seconds, and `ms`, milliseconds, a thousand lines a second."""
    return "".join(f"{form.format(s=f'{n / 1000:.3f}', ms=f'{n:.2f}')}\n" for n in range(count))


def watts(path: Path, text: str, settings: str = "") -> float:
    """Mean power of a recording with this text."""
    path.write_text(text)
    recording = read_recording(f"external:{path}{settings}")
    return recording.joules / recording.covered_s


def streamed(text: str, clock: str | None = "monotonic") -> WattStream:
    """The stream after these lines."""
    stream = WattStream("test", clock)
    for line in text.splitlines():
        stream.line(line)
    return stream
