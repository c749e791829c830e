# SPDX-License-Identifier: Apache-2.0
"""Variables of a worker's environment: they arrive, and ours stay."""

from __future__ import annotations

from pathlib import Path

import pytest

from joulemark.measure.worker.client import WorkerClient
from joulemark.measure.worker.messages import OpenSource
from joulemark.measure.worker.sources import installed_sources


@pytest.mark.parametrize("variables", [None, {"JOULEMARK_TRIED": "yes"}])
def test_variables_of_a_worker(variables) -> None:
    """A variable of a worker is set in its process before the library is loaded."""
    own = next(
        installed_source
        for installed_source in installed_sources()
        if installed_source.kind == "builtin"
    )
    client = WorkerClient(own, None, variables)
    try:
        client.ask(OpenSource(), limit_s=60)
        found = Path(f"/proc/{client._child.pid}/environ").read_bytes().split(b"\0")
    finally:
        client.close()
    assert (b"JOULEMARK_TRIED=yes" in found) == (variables is not None)
    assert any(block.startswith(b"PATH=") for block in found)
