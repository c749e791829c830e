# SPDX-License-Identifier: Apache-2.0
"""A browser's window with a report in it."""

from __future__ import annotations

from browser_windows import Window


class ReportWindow(Window):
    """The charts of a page and the table that it shows."""

    def marks(self, chart: str, kind: str) -> int:
        """How many marks of one kind are drawn in one chart."""
        return self.page.locator(f"#chart-{chart} svg .{kind} path").count()

    def title(self, chart: str) -> str:
        """The line above one chart."""
        return self.page.locator(f"#chart-{chart} svg .role-title-text").text_content() or ""

    def column(self, place: int) -> list[str]:
        """Texts of one column of the table that is shown."""
        cells = f".group:not([hidden]) tbody tr > :nth-child({place})"
        return [text.strip() for text in self.page.locator(cells).all_text_contents()]
