# SPDX-License-Identifier: Apache-2.0
"""READMEs that list a folder list all of its contents, and nothing else."""

from __future__ import annotations

import re

from page_text import FOLDERS, REPOSITORY, tracked


def listed(readme: str) -> list[str]:
    """First cells of the table of a README, in order."""
    text = (REPOSITORY / readme).read_text("utf-8")
    return re.findall(r"^\| `([^`]+)` \| .+ \|$", text, re.MULTILINE)


def test_tools_are_all_listed() -> None:
    """tools/README.md has one line for each tool, by name."""
    here = [name.split("/")[1] for name in tracked() if name.startswith("tools/")]
    assert listed("tools/README.md") == sorted(set(here) - {"README.md"})


def test_folders_of_tests_are_all_listed() -> None:
    """tests/README.md has one line for each folder of tests, by name."""
    here = {name.split("/")[1] for name in tracked() if re.match(r"tests/[^/]+/", name)}
    assert listed("tests/README.md") == sorted(here)


def alternatives(name: str) -> list[str]:
    """`a/{b,c}` as two paths."""
    before, brace, rest = name.partition("{")
    return [before + part for part in rest.rstrip("}").split(",")] if brace else [name]


def test_paths_that_tests_mirror_exist() -> None:
    """The paths that tests/README.md says are tested are there."""
    text = (REPOSITORY / "tests" / "README.md").read_text("utf-8")
    named = re.findall(r"`((?:src/joulemark|[a-z]+)/[\w./{},]*)`", text)
    paths = [path for name in named for path in alternatives(name)]
    assert "src/joulemark/judging" in paths
    assert [path for path in paths if not (REPOSITORY / path).exists()] == []


def test_folders_are_those_of_the_repository() -> None:
    """FOLDERS, in which other tests look for paths and pages, has all folders of the repository."""
    here = {name.split("/")[0] for name in tracked() if "/" in name}
    assert sorted(FOLDERS) == sorted(here)


TIMES = re.compile(r"\d (?:ns|(?:TSC )?ticks|(?:core )?cycles)\b|TSC ticks per byte")
MACHINES = re.compile(
    r"AMD|Intel|Zen|Xeon|Cortex|Neoverse|ATmega|AVR|RV32|MSP430|simulated|one machine|the CPU below"
    r"|are an\s+example|slew"  # the last: of a cell library
)
OF_SOFTWARE = ("kernels/", "harness/", "providers/", "docs/decisions/", "docs/method/",
               "docs/how-to/", "docs/tutorial/")  # fmt: skip


def test_times_stand_beside_their_cpu() -> None:
    """A part of a page that has a time or a number of cycles says on which machine it was so."""
    pages = [name for name in tracked() if name.endswith(".md") and name.startswith(OF_SOFTWARE)]
    nowhere = [
        f"{page}: {found[0]}"
        for page in pages
        for part in re.split(r"^#+ .*$", (REPOSITORY / page).read_text("utf-8"), flags=re.MULTILINE)
        if (found := TIMES.search(part)) and not MACHINES.search(part)
    ]
    assert len(pages) > 100
    assert nowhere == []
