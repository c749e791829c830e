# SPDX-License-Identifier: Apache-2.0
"""Pages whose commands a reader is meant to type: their fences, and the commands in them.

The language of a fence names its contents: `sh` commands, one on each line; `text` the output of a
command; any other language a file or an example.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
PAGES = [
    "README.md",
    *sorted(
        path.relative_to(REPOSITORY).as_posix()
        for folder in ("docs/tutorial", "docs/how-to")
        for path in (REPOSITORY / folder).glob("*.md")
    ),
]
FOLDERS = (".ci", "bindings", "catalogue", "docs", "firmware", "harness", "hdl", "kernels",
           "providers", "requirements", "src", "tests", "tools", "vectors")  # fmt: skip
"""The folders of the repository; test_folder_readmes.py compares them with the tree."""
_FENCE = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_INDENTED = re.compile(r"\n\n {4,}\S")


def tracked() -> list[str]:
    """Paths that are, or would be, committed."""
    if not (REPOSITORY / ".git").exists():
        pytest.skip("not a git checkout")
    if shutil.which("git") is None:
        pytest.skip("no git; on Debian or Ubuntu: apt-get install git")
    names = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=REPOSITORY, check=True, capture_output=True, text=True,
    ).stdout.split("\0")  # fmt: skip
    return [name for name in names if name and (REPOSITORY / name).exists()]


def prose_pages() -> list[str]:
    """Every Markdown file of the repository, by its path."""
    found = [*REPOSITORY.glob("*.md")]
    for folder in FOLDERS:
        found += (REPOSITORY / folder).rglob("*.md")
    return sorted(path.relative_to(REPOSITORY).as_posix() for path in found)


def method_text() -> str:
    """All pages of docs/method, one behind the other."""
    pages = sorted((REPOSITORY / "docs" / "method").glob("*.md"))
    return "\n".join(page.read_text("utf-8") for page in pages)


@dataclass(frozen=True)
class Fence:
    """A block between two lines of three backticks."""

    language: str
    text: str


def fences_of(page: str) -> list[Fence]:
    """Every fence of a page, in order."""
    text = (REPOSITORY / page).read_text("utf-8")
    return [Fence(language.strip(), inside) for language, inside in _FENCE.findall(text)]


def commands_of(page: str) -> list[str]:
    """Every command of a page, in order, without the comment that explains it."""
    lines = [
        line for fence in fences_of(page) if fence.language == "sh"
        for line in fence.text.splitlines()
    ]  # fmt: skip
    return [re.sub(r"\s+#\s.*$", "", line).strip() for line in lines if line.strip()]


def has_indented_block(page: str) -> bool:
    """Whether a page has a block indented by four spaces, which cannot name a language."""
    return bool(_INDENTED.search(_FENCE.sub("", (REPOSITORY / page).read_text("utf-8"))))
