# SPDX-License-Identifier: Apache-2.0
"""The picture of README.md: few lines, named, in the colours that every report has."""

from __future__ import annotations

import re
from pathlib import Path

from joulemark.catalogue import algorithms
from joulemark.report.drawing.rows import MOST
from joulemark.report.style import LIGHT, OWN_PROVIDER, is_known, provider_colour

REPOSITORY = Path(__file__).resolve().parents[2]
PICTURE = REPOSITORY / "docs" / "images" / "nanoseconds_per_message.svg"
LINE = re.compile(r'variant: (\w+)" role="graphics-symbol" aria-roledescription="line mark" '
                  r'd="[^"]*" stroke="(#\w+)"')  # fmt: skip
PROVIDERS = ("openssl", "ipsec_mb", "libsodium", "nettle", "cryptopp", "python")


def provider_of(variant: str) -> str:
    """The provider of a variant; names of outside variants begin with it."""
    return next((name for name in PROVIDERS if variant.startswith(name)), OWN_PROVIDER)


def test_lines_have_the_colours_of_reports() -> None:
    """Lines have the provider's colour, as on the page and in exports."""
    lines = dict(LINE.findall(PICTURE.read_text("utf-8")))
    assert 1 < len(lines) <= MOST
    assert "engine" in lines
    assert all(map(is_known, PROVIDERS))
    for variant, colour in lines.items():
        assert colour == LIGHT.palette[provider_colour(provider_of(variant))], variant


def test_each_line_is_named_at_its_end() -> None:
    """Each line has its name at its end; the picture has a light ground for dark pages."""
    text = PICTURE.read_text("utf-8")
    ends = " ".join(part.partition("</g>")[0] for part in text.split("mark-text role-mark")[1:])
    names = set(re.findall(r">(?:Joulemark )?(\w+)</text>", ends))
    assert set(dict(LINE.findall(text))) <= names
    assert f'fill="{LIGHT.paper}"' in text
    assert any(f">{name} " in text for name in algorithms())
