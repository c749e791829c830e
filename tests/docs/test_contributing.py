# SPDX-License-Identifier: Apache-2.0
"""The index of CONTRIBUTING.md names every part of the page, in order."""

from __future__ import annotations

import re

from page_text import REPOSITORY

TEXT = (REPOSITORY / "CONTRIBUTING.md").read_text("utf-8")
INDEX = TEXT.partition("\n## ")[0]


def anchor(heading: str) -> str:
    """The fragment that a link to a heading has."""
    return "#" + re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def test_the_index_is_the_headings() -> None:
    """The index links each part once, in the order of the page."""
    headings = re.findall(r"^## (.+)$", TEXT, re.MULTILINE)
    assert re.findall(r"\]\((#[^)]+)\)", INDEX) == [anchor(heading) for heading in headings]
