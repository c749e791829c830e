# SPDX-License-Identifier: Apache-2.0
"""Statements of the documents against the tree: paths, links, versions, numbers, examples."""

from __future__ import annotations

import ast
import importlib
import re
import shlex
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from page_text import FOLDERS, method_text, prose_pages, tracked
from tool_scripts import tool
from typer.main import get_command

from joulemark.analyse import (
    Figure,
    Result,
    ResultFailure,
    ResultSet,
    doubts,
    gate,
    machine_load,
    verdict,
)
from joulemark.cli.app import app
from joulemark.measure import pool, study
from joulemark.measure.inventory import take_inventory
from joulemark.measure.plan import EnergyPlan
from joulemark.measure.worker import correctness
from joulemark.measure.worker.sources import plugin_source
from joulemark.stats import clustered
from joulemark.store.access import HEAD

REPOSITORY = Path(__file__).resolve().parents[2]
DOCUMENTS = prose_pages()
OF_THE_PAST = {"CHANGELOG.md", *(name for name in DOCUMENTS if name.startswith("docs/decisions/"))}
"""Documents about the past, which may name paths that are gone."""
CODE = re.compile(r"`([^`\n]+)`")
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
CONSTANT = re.compile(r"^\|(?P<cells>.*)\| (?P<value>[^|]+) \| `(?P<name>[\w.]+\.\w+)` \|$")
NOT_A_PATH = set("<>*{}$ ")
MODULES: dict[str, Any] = {
    "doubts": doubts,
    "gate": gate,
    "verdict": verdict,
    "machine_load": machine_load,
    "interval": clustered,
    "pool": pool,
    "correctness": correctness,
    "EnergyPlan": EnergyPlan,
}
"""First part of a constant's name in docs/method -> the module or class that has the constant;
other names are whole paths within the package.
"""
FORBIDDEN = [b"/wo" + b"rk/", b"/ro" + b"ot/", b"://py" + b"pi", b"files.python" + b"hosted"]
"""Places on one machine and hosts of package indexes; in halves, as the test reads this file."""


def text_of(document: str) -> str:
    """A document as it is."""
    return (REPOSITORY / document).read_text("utf-8")


def prose_of(document: str) -> str:
    """A document without its code blocks."""
    return re.sub(r"^```.*?^```", "", text_of(document), flags=re.MULTILINE | re.DOTALL)


def anchors_of(document: Path) -> set[str]:
    """Fragments that links into a document may name, made of its headings."""
    headings = re.findall(r"^#+ (.+)$", document.read_text("utf-8"), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def repository_files() -> list[Path]:
    """Everything that is, or would be, committed."""
    paths = [REPOSITORY / name for name in tracked()]
    return [path for path in paths if path.is_file()]


def paths_in(document: str) -> set[str]:
    """Words in backticks that are paths from the root of the repository."""
    return {
        word
        for word in CODE.findall(prose_of(document))
        if word.split("/")[0] in FOLDERS and "/" in word and not NOT_A_PATH & set(word)
    }


def test_contributing_names_files_that_exist() -> None:
    """A file that is named without its folder is somewhere, and one with a part of it is there."""
    named = re.findall(r"`((?:\w+/)*\w+\.(?:py|c|h|sv))`", prose_of("CONTRIBUTING.md"))
    files = ["/" + name for name in tracked()]
    assert "sha256_portable.c" in named, "no file was found, so none was checked"
    assert [name for name in named if not any(file.endswith("/" + name) for file in files)] == []


@pytest.mark.parametrize("document", [name for name in DOCUMENTS if name not in OF_THE_PAST])
def test_named_paths_exist(document: str) -> None:
    """Every path in backticks that begins with a folder of the repository is there."""
    missing = sorted(path for path in paths_in(document) if not (REPOSITORY / path).exists())
    assert not missing


def test_paths_are_found() -> None:
    """The test above finds a path to check."""
    assert "kernels/registry.c" in paths_in("CONTRIBUTING.md")


@pytest.mark.parametrize("document", DOCUMENTS)
def test_links_resolve(document: str) -> None:
    """Every link or picture within the repository leads to a file, and to a heading it has."""
    broken = []
    for target in LINK.findall(prose_of(document)):
        if "://" in target:
            continue
        path, _, fragment = target.partition("#")
        there = (REPOSITORY / document).parent / path if path else REPOSITORY / document
        if not there.exists() or (fragment and fragment not in anchors_of(there)):
            broken.append(target)
    assert not broken


def test_every_document_can_be_reached() -> None:
    """Links from README.md lead to every document."""
    seen, waiting = set(), ["README.md"]
    while waiting:
        document = waiting.pop()
        seen.add(document)
        for target in LINK.findall(prose_of(document)):
            path = target.partition("#")[0]
            if "://" in target or not path.endswith(".md"):
                continue
            there = ((REPOSITORY / document).parent / path).resolve()
            name = there.relative_to(REPOSITORY).as_posix()
            if there.exists() and name not in seen:
                waiting.append(name)
    assert sorted(set(DOCUMENTS) - seen) == []


def commands_in(document: str) -> Iterator[list[str]]:
    """Words of every `joulemark` command in a code block, without the program's name.

    What follows a bare `--` belongs to another program and is left out.
    """
    blocks = re.findall(r"^```(\w*)\n(.*?)^```", text_of(document), re.MULTILINE | re.DOTALL)
    for block in (text for language, text in blocks if language in {"", "sh"}):
        for line in block.splitlines():
            words = shlex.split(line, comments=True) if "joulemark " in line else []
            if words and Path(words[0]).name == "joulemark":
                end = words.index("--") if "--" in words else len(words)
                yield words[1:end]


@pytest.mark.parametrize("document", DOCUMENTS)
def test_commands_in_documents_exist(document: str) -> None:
    """Every command and option that a document shows is one that the program takes."""

    def taken(words: list[str]) -> bool:
        command = get_command(app)
        while words and words[0] in getattr(command, "commands", {}):
            command, words = command.commands[words[0]], words[1:]
        known = {
            option
            for parameter in command.params
            for option in (*parameter.opts, *parameter.secondary_opts)
        }
        given = {word for word in words if word.startswith("-")}
        unknown = hasattr(command, "commands") and not (words and given)
        return given <= known and not unknown

    wrong = [" ".join(words) for words in commands_in(document) if not taken(words)]
    assert not wrong


def test_readme_shows_five_commands() -> None:
    """README.md has five commands, so the test above checks some."""
    assert len(list(commands_in("README.md"))) == 5


def versions() -> Iterator[tuple[str, str]]:
    """Each file that states the version, with the version there."""
    yield "pyproject.toml", tomllib.loads(text_of("pyproject.toml"))["project"]["version"]
    for file, pattern in (
        ("src/joulemark/__init__.py", r'^__version__ = "(.+)"$'),
        ("CITATION.cff", r"^version: (\S+)$"),
        ("kernels/include/joulemark/mac.h", r'^#define JOULEMARK_VERSION "(.+)"$'),
    ):
        found = re.search(pattern, text_of(file), flags=re.MULTILINE)
        yield file, found[1] if found else "absent"


def test_one_version_everywhere() -> None:
    """The version is the same in the four files that state it."""
    assert len({version for _, version in versions()}) == 1, dict(versions())


def test_changelog_has_the_version() -> None:
    """CHANGELOG.md has sections for the version of pyproject.toml and for unreleased changes."""
    headings = re.findall(r"^## \[([^\]]+)\]", text_of("CHANGELOG.md"), flags=re.MULTILINE)
    assert headings[0] == "Unreleased"
    assert dict(versions())["pyproject.toml"] in headings


def test_json_reference_is_current() -> None:
    """docs/reference/json.md is what tools/generate_json_reference.py would write now."""
    generator = tool("generate_json_reference")
    assert generator.PAGE.read_text("utf-8") == generator.render()


@pytest.mark.parametrize("model", [ResultSet, Result, Figure, ResultFailure])
def test_json_reference_has_the_fields_of_the_model(model: Any) -> None:
    """The fields that the page lists are those that pydantic writes, in the same order."""
    listed = tool("generate_json_reference").field_names("analyse/__init__.py", model.__name__)
    assert listed == list(model.model_json_schema(mode="serialization")["properties"])


def stated_constants() -> dict[str, str]:
    """Rows of docs/method that end with the name of a constant."""
    rows = (CONSTANT.match(line) for line in method_text().splitlines())
    return {row["name"]: row["value"].strip() for row in rows if row}


def number(value: str) -> float:
    """A number as docs/method writes it, as in "1 %", "10 ms" or "20"."""
    amount, _, unit = value.partition(" ")
    return float(amount) * {"": 1.0, "%": 0.01, "ms": 1e6, "s": 1.0, "W": 1.0}[unit]


def test_method_states_the_thresholds_of_the_code() -> None:
    """Each number of docs/method that names its constant has the value that the constant has."""
    wrong = {}
    for name, value in stated_constants().items():
        module, _, constant = name.rpartition(".")
        holder = MODULES.get(module) or importlib.import_module(f"joulemark.{module}")
        actual = getattr(holder, constant)
        if number(value) != pytest.approx(actual):
            wrong[name] = (value, actual)
    assert not wrong


def test_method_states_every_threshold_of_the_warnings() -> None:
    """No public number of analyse/doubts.py is missing from docs/method."""
    numbers = {
        f"doubts.{name}"
        for name, value in vars(doubts).items()
        if name.isupper() and isinstance(value, int | float)
    }
    assert numbers <= stated_constants().keys()


def test_method_states_the_default_effort() -> None:
    """Rounds, window and generations in docs/method are those of the code."""
    for name, effort in (("default", study.STANDARD), ("`--quick`", study.QUICK)):
        window_ms = f"{effort.window_ns / 1e6:g} ms"
        row = f"| {name} | {effort.rounds} | {window_ms} | {effort.generations} |"
        assert row in method_text()


def test_decisions_are_listed_by_their_titles() -> None:
    """docs/decisions/README.md has each decision once, by number, title and file."""
    folder = REPOSITORY / "docs" / "decisions"
    text = text_of("docs/decisions/README.md")
    listed = [
        (number, " ".join(title.split()), name)
        for number, title, name in re.findall(
            r"^(\d+)\. \[([^\]]+)\]\(([^)]+)\)$", text, re.MULTILINE
        )
    ]
    titles = [
        (*path.read_text("utf-8").partition("\n")[0].removeprefix("# ").split(". ", 1), path.name)
        for path in sorted(folder.glob("0*.md"))
    ]
    assert listed == titles


def test_store_page_states_the_schema() -> None:
    """docs/reference/store.md names the schema that is written."""
    assert f"The schema is {HEAD};" in text_of("docs/reference/store.md")


def test_exit_codes_of_check_are_stated() -> None:
    """docs/reference/exit-codes.md has a row for each code of the gate."""
    stated = text_of("docs/reference/exit-codes.md")
    for code in gate.GateCode:
        words = code.name.lower().replace("_", " ")
        assert f"| {code.value} | {words}" in stated


def test_how_to_lists_the_environment_that_must_agree() -> None:
    """The how-to for the gate names each fact that two environments must share."""
    stated = text_of("docs/how-to/gate-a-pull-request.md")
    assert [key for key in gate.ENVIRONMENT_KEYS if f"`{key}`" not in stated] == []


def test_the_example_plugin_works(compiler: str, tmp_path: Path) -> None:
    """The C file of measure-your-own-code.md compiles, loads, and computes what it should."""
    found = re.search(r"```c\n(.*?)```", text_of("docs/how-to/measure-your-own-code.md"), re.DOTALL)
    assert found is not None
    source, plugin = tmp_path / "mine.c", tmp_path / "mine.so"
    source.write_text(found[1], "utf-8")
    flags = ["-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"]
    include = f"-I{REPOSITORY / 'kernels' / 'include'}"
    command = [compiler, *flags, include, "-o", str(plugin), str(source)]
    subprocess.run(command, check=True, timeout=60)
    inventory = take_inventory([plugin_source(str(plugin), [])])
    assert list(inventory.facts) == ["siphash-2-4/mine"]
    workers = pool.WorkerPool(inventory, None)
    try:
        workers.check("siphash-2-4/mine")
    finally:
        workers.close()


def test_nothing_names_a_machine_or_a_package_index() -> None:
    """No file of the repository holds a path of one machine or the host of a package index."""
    found = [
        f"{path.relative_to(REPOSITORY)}: {word.decode()}"
        for path in repository_files()
        for word in FORBIDDEN
        if word in path.read_bytes()
    ]
    assert not found


def test_every_test_here_says_what_it_expects() -> None:
    """Every test function of the suite has a docstring."""
    silent = [
        f"{path.relative_to(REPOSITORY)}: {node.name}"
        for path in sorted((REPOSITORY / "tests").rglob("test_*.py"))
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.FunctionDef)
        and node.name.startswith("test_")
        and not ast.get_docstring(node)
    ]
    assert not silent
