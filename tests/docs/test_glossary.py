# SPDX-License-Identifier: Apache-2.0
"""docs/glossary.md: a word for each thing, in option names, help texts, documents and classes."""

from __future__ import annotations

import ast
import re
from collections import defaultdict

import pytest
from page_text import REPOSITORY, prose_pages
from typer.main import get_command

from joulemark.cli.app import app

GLOSSARY = (REPOSITORY / "docs" / "glossary.md").read_text("utf-8")
DEFINITIONS, _, _REST = GLOSSARY.partition("## Options that say less")
EVERYDAY = set(
    re.findall(r"`([a-z]+)`", _REST.partition("## Everyday words")[2].partition("##")[0])
)
RETIRED = [
    word
    for cell in re.findall(
        r"^\| ([^|]+) \|", GLOSSARY.partition("| not this |")[2].partition("\n")[2], re.MULTILINE
    )
    if not cell.startswith("-")
    for word in cell.split(", ")
]
OF_THE_PAST = ("CHANGELOG.md", "docs/decisions/", "docs/glossary.md")
"""Pages about the past, and the page with the list of retired words."""


def defined() -> list[str]:
    """Every word that a row of the glossary explains, in order."""
    cells = re.findall(r"^\| ([^|]+) \| [^|]+ \|$", DEFINITIONS, re.MULTILINE)
    return [cell for cell in cells if cell != "word" and not cell.startswith("-")]


def option_words() -> dict[str, str]:
    """Word of a long option's name -> an option that has the word."""
    found, commands = {}, [get_command(app)]
    while commands:
        command = commands.pop()
        commands.extend(getattr(command, "commands", {}).values())
        for parameter in command.params:
            for option in (*parameter.opts, *parameter.secondary_opts):
                if option.startswith("--"):
                    found.update(dict.fromkeys(option[2:].split("-"), option))
    return found


def without_code(text: str) -> str:
    """Removes code from a text, since names in backticks may come from other projects."""
    return re.sub(r"`[^`]*`", " ", re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL))


def occurrences(word: str, text: str) -> list[str]:
    """Where a retired word stands, in any form, but not as a part of a name with hyphens."""
    spaced = re.escape(word).replace("\\ ", r"\s+")
    return re.findall(rf"(?<![\w-]){spaced}\w*", text, re.IGNORECASE)


def test_no_word_is_defined_twice() -> None:
    """Each word has one row, whatever its capitals."""
    words = [word.lower() for word in defined()]
    assert sorted(word for word in set(words) if words.count(word) > 1) == []
    assert len(words) > 80


def test_every_word_of_an_option_is_known() -> None:
    """A word of an option is defined, in singular or plural, or listed as everyday English."""
    known = {word.replace("-", "") for word in defined()} | EVERYDAY
    unknown = {
        word: option for word, option in option_words().items()
        if word not in known and word.removesuffix("s") not in known
    }  # fmt: skip
    assert unknown == {}


def test_everyday_words_are_not_defined() -> None:
    """No word is both defined and listed as everyday English."""
    assert sorted(EVERYDAY & set(defined())) == []


def test_retired_words_are_found() -> None:
    """The search finds each retired word, in the plural too, and no part of a name with hyphens."""
    assert {"rival", "zeroize", "wall-clock"} <= set(RETIRED)
    for word in RETIRED:
        assert occurrences(word, f"The {word}s are two.")
    assert occurrences("benchmark", "github-action-benchmark") == []
    assert occurrences("clock cycle", "40 clock\ncycles") != []


@pytest.mark.parametrize(
    "page", [page for page in prose_pages() if not page.startswith(OF_THE_PAST)]
)
def test_retired_words_are_gone(page: str) -> None:
    """No document uses a retired word outside code."""
    text = without_code((REPOSITORY / page).read_text("utf-8"))
    assert [found for word in RETIRED for found in occurrences(word, text)] == []


def test_retired_words_are_gone_from_help_texts() -> None:
    """No help text uses a retired word; docs/reference/cli.md has what `--help` prints."""
    helps = (REPOSITORY / "docs" / "reference" / "cli.md").read_text("utf-8")
    assert [found for word in RETIRED for found in occurrences(word, helps)] == []


def test_a_class_name_has_one_meaning() -> None:
    """No two public classes of the package have one name; another word says how they differ."""
    places = defaultdict(list)
    for path in sorted((REPOSITORY / "src").rglob("*.py")):
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(str(path.relative_to(REPOSITORY)))
    assert {name: files for name, files in places.items() if len(files) > 1} == {}


def test_no_screen_shows_the_name_of_a_class() -> None:
    """No string that is passed to a function has such a name, as renaming by search leaves it."""
    trees = {
        path.relative_to(REPOSITORY).as_posix(): ast.parse(path.read_text("utf-8"))
        for path in sorted((REPOSITORY / "src").rglob("*.py"))
    }
    classes = {
        node.name
        for tree in trees.values()
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef) and re.match(r"[A-Z][a-z0-9]+[A-Z]", node.name)
    }
    classes -= {"CoreAdapter"}  # users write such a class
    shown = [
        f"{place}:{text.lineno}: {text.value}"
        for place, tree in trees.items()
        for call in ast.walk(tree)
        if isinstance(call, ast.Call) and ast.unparse(call.func) not in {"cast", "resolve_name"}
        for part in (*call.args, *(keyword.value for keyword in call.keywords))
        for text in ast.walk(part)
        if isinstance(text, ast.Constant) and isinstance(text.value, str)
        if classes & set(re.findall(r"\w+", text.value))
    ]
    assert len(classes) > 300
    assert shown == []
