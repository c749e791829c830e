# SPDX-License-Identifier: Apache-2.0
"""Fixture: a browser's window for the reports of a module."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from report_window import ReportWindow

from browser_windows import chromium


@pytest.fixture(scope="module")
def window() -> Iterator[ReportWindow]:
    """A window of a headless Chromium, without a network."""
    with chromium() as browser:
        yield ReportWindow(browser)
