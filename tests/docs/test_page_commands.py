# SPDX-License-Identifier: Apache-2.0
"""Every command that a page tells its reader to type, run in order, each page in its own folder.

`make test` runs the commands with less effort and leaves out slow ones; `make test-all` runs them
as they stand. `page_rules_of_*.py` have the differences with their reasons; a command fails if it
neither runs nor has a reason there.
"""

from __future__ import annotations

import itertools
import re
import shlex
import subprocess
import sys
import time
from collections import deque
from pathlib import Path

import pytest
from page_places import PRESENT, core_tools_missing, place_of, shell
from page_rule import TOOLS_OF_CORES, Rule
from page_rules import RULES, TEXTS
from page_text import PAGES, commands_of, fences_of, has_indented_block

from forked_commands import run_joulemark

WITH_COMMANDS = [page for page in PAGES if commands_of(page)]
AS_IT_IS = Rule()
LANGUAGES = {"sh", "text", "c", "cmake", "cpp", "go", "pycon", "python", "rust", "systemverilog"}
LANGUAGES |= {"toml", "yaml", "zig"}
"""Languages of fences: commands, output and files; tests/mac and tests/library use the examples."""
OURS = re.compile(r"(env )?([A-Z_]+=\S+ )*(\.venv/bin/)?joulemark ")
ASSIGNMENT = re.compile("[A-Z_]+=")
WITHOUT = ("joulemark.measure.energy_run:EnergyRun._warm_up",)
"""Five seconds of load before the first metered window; no page asks for that power."""
ADD_CPU_S = 0.2
"""CPU time of the check of added code, for its page has what the command says of the check; a
user's command takes 2 s, and tests/kernels and tests/cli/own see that faults are found.
"""
FOR_A_SHELL = re.compile(r"[|&;<>()$`*?\[~#\n]")
COMMAND = re.compile(r"\s*(\$ |(\S*/)?joulemark [a-z]|make [a-z])")


def rule_of(page: str, command: str) -> Rule:
    """The rule of a command; the empty rule if it has none."""
    return RULES.get(page, {}).get(command, AS_IT_IS)


def left_out(rule: Rule, *, whole: bool) -> str | None:
    """Why a command is not run here and now; None if it runs."""
    if rule.never:
        return rule.never
    if rule.late and not whole:
        return f"make test-all runs it: {rule.late}"
    if rule.needs:
        here, reason = PRESENT[rule.needs]
        if not here():
            return reason
    return core_tools_missing() if rule.late == TOOLS_OF_CORES else None


def as_run(command: str, rule: Rule, *, whole: bool) -> str:
    """The script that the shell gets for a command."""
    if rule.short and not whole:
        return rule.short + rule.more
    return (rule.instead or command) + rule.more + ("" if whole else rule.less)


def run(
    script: str, folder: Path, environment: dict[str, str], *, whole: bool
) -> subprocess.CompletedProcess[str]:
    """Runs a script as a reader's shell does.

    `joulemark` alone runs without importing it again, up to the first command that needs a shell.
    """
    if whole:
        return shell(script, folder, environment)
    waiting = deque(script.split(" && "))
    output = errors = ""
    while waiting and OURS.match(waiting[0]) and not FOR_A_SHELL.search(waiting[0]):
        command = waiting.popleft()
        words = shlex.split(command.removeprefix("env "))
        own = dict(word.split("=", 1) for word in itertools.takewhile(ASSIGNMENT.match, words))
        done = run_joulemark(
            *words[len(own) + 1 :], cwd=folder, env=environment | own, text=True, timeout_s=600,
            without=WITHOUT, check_cpu_s=ADD_CPU_S if "add" in words else 0.0,
            # The simulated machine counts the CPU time of processes below the command.
            own_workers="simulated" in command,
        )  # fmt: skip
        output, errors = output + done.stdout, errors + done.stderr
        if done.returncode:
            break
    else:
        if waiting:
            done = shell(" && ".join(waiting), folder, environment)
            output, errors = output + done.stdout, errors + done.stderr
    return subprocess.CompletedProcess(script, done.returncode, output, errors)


def run_page(page: str, folder: Path, *, whole: bool) -> None:
    """Runs the commands of a page, and prints those left out with the reason."""
    print(f"\n{page}")
    with place_of(page, folder, whole=whole) as environment:
        for command in commands_of(page):
            rule = rule_of(page, command)
            reason = left_out(rule, whole=whole)
            if reason is not None:
                print(f"  not run: {command}\n    {reason}")
                continue
            script = as_run(command, rule, whole=whole)
            began_s = time.monotonic()
            done = run(script, folder, environment, whole=whole)
            said = done.stdout + done.stderr
            print(f"  {done.returncode}, {time.monotonic() - began_s:.1f} s: {script}")
            assert done.returncode in rule.codes, f"{script}\n{said[-4000:]}"
            assert "Traceback" not in said, f"{script}\n{said[-4000:]}"
            joined = " ".join(said.split())
            wanted = rule.says if done.returncode == 0 or 0 not in rule.codes else ()
            missing = [name for name in wanted if " ".join(name.split()) not in joined]
            assert not missing, f"{script}\nnot said: {missing}\n{said[-4000:]}"


@pytest.mark.timeout(900)
@pytest.mark.parametrize("page", WITH_COMMANDS)
def test_commands_with_less_effort(page: str, tmp_path: Path) -> None:
    """Each command ends with the right exit code and prints the expected words."""
    run_page(page, tmp_path, whole=False)


@pytest.mark.exhaustive
@pytest.mark.timeout(4 * 3600)
@pytest.mark.parametrize("page", WITH_COMMANDS)
def test_commands_as_they_stand(page: str, tmp_path: Path) -> None:
    """Each command does so too with all of the effort that the page asks for."""
    run_page(page, tmp_path, whole=True)


@pytest.mark.parametrize("page", PAGES)
def test_every_block_says_what_it_is(page: str) -> None:
    """No page has a fence of an unknown language or an indented block, which no test would run."""
    assert not has_indented_block(page)
    assert {fence.language for fence in fences_of(page)} <= LANGUAGES
    texts = [fence.text for fence in fences_of(page) if fence.language == "text"]
    assert not [line for text in texts for line in text.splitlines() if COMMAND.match(line)]


@pytest.mark.parametrize("page", RULES)
def test_every_rule_is_of_a_command(page: str) -> None:
    """Each rule has its command on the page."""
    assert sorted(RULES[page].keys() - set(commands_of(page))) == []


def test_every_change_has_its_reason() -> None:
    """A rule that replaces a command or adds words to it has a reason."""
    silent = [
        command
        for rules in RULES.values()
        for command, rule in rules.items()
        if (rule.instead or rule.more) and not rule.why
    ]
    assert silent == []


@pytest.mark.parametrize("page", PAGES)
def test_every_text_is_checked_or_has_its_reason(page: str) -> None:
    """Each output on a page is compared with a command of the page, or has its reason."""
    checked = [say for rule in RULES.get(page, {}).values() for say in rule.says]
    listed = TEXTS.get(page, {})
    texts = [fence.text for fence in fences_of(page) if fence.language == "text"]
    loose = [
        text
        for text in texts
        if not any(" ".join(name.split()) in " ".join(text.split()) for name in checked)
        and not any(text.strip().startswith(name) for name in listed)
    ]
    assert loose == []
    assert [
        name for name in listed if not any(text.strip().startswith(name) for text in texts)
    ] == []


def test_a_command_that_fails_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An unexpected exit code fails the page, and so do missing words."""
    here = sys.modules[__name__]
    wrong = Rule(says=("no such words",)), Rule(codes=frozenset({3}))
    for rule, word in zip(wrong, ("not said", "--version"), strict=True):
        monkeypatch.setattr(here, "commands_of", lambda _page: ["joulemark --version"])
        monkeypatch.setattr(here, "rule_of", lambda _page, _command, rule=rule: rule)
        folder = tmp_path / word
        folder.mkdir()
        with pytest.raises(AssertionError, match=word):
            run_page("README.md#", folder, whole=False)
