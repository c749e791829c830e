# SPDX-License-Identifier: Apache-2.0
"""A reader of one kernel opens few files."""

from __future__ import annotations

import re
from pathlib import Path

HEADERS_MOST = 10
FIRMWARE_ALONE = {"forget_firmware.h"}
"""Headers that no build for a host opens."""


def headers_of(kernels: Path, path: Path, seen: set[Path]) -> set[Path]:
    """Our headers that a file includes, and those that they include, whatever the conditions."""
    for name in re.findall(r'^ *# *include "([^"]+)"', path.read_text(), re.MULTILINE):
        found = [
            header
            for header in (kernels / name, kernels / "include" / name)
            if header.is_file() and header not in seen and header.name not in FIRMWARE_ALONE
        ]
        for header in found:
            seen.add(header)
            headers_of(kernels, header, seen)
    return seen


def test_a_kernel_opens_few_headers(repository: Path) -> None:
    """More headers are a chain of includes: join those that are always read together."""
    kernels = repository / "kernels"
    opened = {path: headers_of(kernels, path, set()) for path in kernels.rglob("*.c")}
    many = {
        str(path.relative_to(kernels)): sorted(
            str(header.relative_to(kernels)) for header in headers
        )
        for path, headers in opened.items()
        if len(headers) > HEADERS_MOST
    }
    assert opened
    assert not many
