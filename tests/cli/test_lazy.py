# SPDX-License-Identifier: Apache-2.0
"""Commands are imported when they are called: the entries of their tables, and the time saved."""

from __future__ import annotations

import resource
import subprocess
import sys
from pkgutil import resolve_name
from typing import Any, get_args, get_type_hints

import pytest
import typer

from joulemark.cli.app import COMMANDS, app
from joulemark.cli.groups import CORE_COMMANDS, PAPERS, PROVIDER_COMMANDS
from joulemark.cli.table import BODIES, Entry

TABLES = {
    "": COMMANDS,
    "core": CORE_COMMANDS,
    "providers": PROVIDER_COMMANDS,
    "reproduce": PAPERS,
}
LONGEST = {
    ("--help",): 2.2,
    ("--version",): 2.2,
    ("list",): 9.0,
    ("bench", "--help"): 9.0,
    ("tag", "--help"): 2.0,
}
"""CPU time of a command, user and system together, over that of YARDSTICK, 0.11 s on AMD Zen 3."""
YARDSTICK = "import asyncio, email.message, http.client, unittest.mock, xml.dom.minidom"
"""Python's start with some modules of its own: how long it takes is this machine's own figure."""
ENTRIES = [
    pytest.param(group, name, entry, id=f"{group} {name}".strip())
    for group, table in TABLES.items()
    for name, entry in table.items()
]


def group_of(name: str) -> Any:
    """Returns a group by its name, and the whole command for an empty name."""
    whole: Any = typer.main.get_command(app)
    return whole.commands[name] if name else whole


@pytest.mark.parametrize(("group", "name", "entry"), ENTRIES)
def test_the_summary_is_that_of_the_command(group: str, name: str, entry: Entry) -> None:
    """A table's summary is the first sentence of the command's own help."""
    command = group_of(group).commands[name]
    assert command.name == name
    assert command.get_short_help_str(1000) == entry.summary


@pytest.mark.parametrize("words", [[], ["core"], ["reproduce"]])
def test_help_of_a_group_imports_no_command(words: list[str]) -> None:
    """The help of a group imports neither its commands nor the rooms below."""
    entries = (entry for table in TABLES.values() for entry in table.values())
    modules = {entry.place.partition(":")[0] for entry in entries}
    modules -= {COMMANDS[word].place.partition(":")[0] for word in words}
    code = (
        "import sys; from joulemark.cli.app import app\n"
        f"try: app({[*words, '--help']!r}, prog_name='joulemark')\n"
        "except SystemExit: pass\n"
        f"slow = {modules!r} | {{'joulemark.measure', 'joulemark.hardware', 'joulemark.store'}}\n"
        "print(sorted(slow & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert done.stderr.strip() == b"[]"


def requests_of(entry: Entry) -> set[type]:
    """Classes of requests that a command's function may return."""
    returned = get_type_hints(getattr(entry.command(), "function", int)).get("return")
    return set(get_args(returned) or [returned]) - {None, type(None), int}


def test_a_body_takes_what_a_command_returns() -> None:
    """Each request has its body, which takes its type; mypy sees each of both functions alone."""
    requests = {request for entry in COMMANDS.values() for request in requests_of(entry)}
    assert {request.__name__ for request in requests} == set(BODIES)
    for request in requests:
        assert get_type_hints(resolve_name(BODIES[request.__name__]))["request"] is request


@pytest.mark.parametrize("words", [["bench"], ["tune"], ["add"]])
def test_neither_help_nor_a_refusal_imports_a_body(words: list[str]) -> None:
    """Help and a refusal do not import the measuring modules, which take half a second."""
    for more in ("--help", "--no-such-option"):
        code = (
            "import sys; from joulemark.cli.app import app\n"
            f"try: app({[*words, more]!r}, prog_name='joulemark')\n"
            "except SystemExit: pass\n"
            "print(sorted({'joulemark.cli.measuring', 'sqlalchemy'} & set(sys.modules)))"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
        assert done.stdout.splitlines()[-1] == b"[]"


def test_completion_of_a_command_imports_none() -> None:
    """Names of commands are offered with their summaries from the table, without an import."""
    code = (
        "import os, sys; from joulemark.cli.app import app\n"
        "os.environ |= {'_JOULEMARK_COMPLETE': 'complete_zsh',\n"
        "               '_TYPER_COMPLETE_ARGS': 'joulemark co'}\n"
        "try: app([], prog_name='joulemark')\n"
        "except SystemExit: pass\n"
        "loaded = {'joulemark.cli.compare', 'joulemark.cli.core_run'} & set(sys.modules)\n"
        "print(sorted(loaded), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert b"Compare two implementations" in done.stdout
    assert done.stderr.strip() == b"[]"


def test_an_almost_right_name_is_recognised(refused) -> None:
    """The near name is offered in a lazy group too."""
    assert "Did you mean 'sweep'?" in refused("core", "swep")


def cpu_s(*words: str) -> float:
    """CPU time of one run of Python with these words, its children included."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *words], stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


@pytest.mark.timing
@pytest.mark.parametrize("words", LONGEST, ids=" ".join)
def test_cpu_time_of_a_command(words: tuple[str, ...]) -> None:
    """The least CPU time of some runs, workers included, is within the limit of the command.

    Other load of the machine only adds time, so some of the yardstick's runs, and a single run of
    the command within the limit, are enough.
    """
    limit_s = LONGEST[words] * min(cpu_s("-c", YARDSTICK) for _ in range(5))
    taken_s = (cpu_s("-m", "joulemark.cli.entry", *words) for _ in range(15))
    assert any(run_s <= limit_s for run_s in taken_s), f"always above {limit_s:.2f} s"
