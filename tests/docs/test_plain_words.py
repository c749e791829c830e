# SPDX-License-Identifier: Apache-2.0
"""Documents have none of the phrases over which readers stumble."""

from __future__ import annotations

import re

import pytest
from page_text import REPOSITORY, prose_pages

PHRASES = {
    r"anew": "again, or name the new thing",
    r"afresh": "again",
    r"of (?:its|their) own": "separate, or nothing",
    r"for nothing": "free of charge, or say who does the work",
    r"without further ado": "say what is not needed",
}
"""Pattern of a phrase -> words that replace it."""
THE_PAST = "CHANGELOG.md"
"""The page whose texts about a release stay as they were."""


def found_in(text: str) -> list[str]:
    """The phrases in the prose of a text, however its lines are broken."""
    prose = re.sub(r"^```.*?^```|`[^`]*`", " ", text, flags=re.MULTILINE | re.DOTALL)
    patterns = (pattern.replace(" ", r"\s+") for pattern in PHRASES)
    return [
        found[0]
        for pattern in patterns
        for found in re.finditer(rf"\b{pattern}\b", prose, re.IGNORECASE)
    ]


@pytest.mark.parametrize("page", [page for page in prose_pages() if page != THE_PAST])
def test_prose_is_plain(page: str) -> None:
    """No document or README has one of the phrases."""
    assert found_in((REPOSITORY / page).read_text("utf-8")) == []


def test_phrases_are_found() -> None:
    """Phrases are found in any case and across lines, and not inside other words or code."""
    assert found_in("It begins Anew, in a process of\nits own.") == ["Anew", "of\nits own"]
    assert found_in("A canvas of it sown; `anew`.") == []
