# SPDX-License-Identifier: Apache-2.0
"""The base installation, with numpy alone: which commands work, and how the others refuse."""

from __future__ import annotations

import hmac
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from joulemark import __version__
from joulemark.cli import table as lab
from joulemark.cli.table import COMMANDS, BaseEntry

LIGHT = [name for name, entry in COMMANDS.items() if isinstance(entry, BaseEntry)]
KEY, MESSAGE = b"0123456789abcdef", b"a message\n"
TAG = hmac.digest(KEY, MESSAGE, "sha256").hex()
WITHOUT_THE_LAB = """
import sys

class Without:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] not in sys.stdlib_module_names | {"joulemark", "numpy"}:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Without())
"""
"""Limits this interpreter to a base installation: Python, numpy and our package."""


def without_the_lab(code: str, *arguments: object, **more: object) -> subprocess.CompletedProcess:
    """Runs code in an interpreter that finds no package of the laboratory."""
    line = [sys.executable, "-c", WITHOUT_THE_LAB + code, *map(str, arguments)]
    return subprocess.run(line, capture_output=True, text=True, check=False, timeout=60, **more)


@pytest.fixture
def light(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess]:
    """Runs `joulemark` of a base installation in a folder with a key and a message."""
    (tmp_path / "key").write_bytes(KEY)
    (tmp_path / "key").chmod(0o600)
    (tmp_path / "message").write_bytes(MESSAGE)

    def call(*words: object, **more: object) -> subprocess.CompletedProcess:
        main = "from joulemark.cli.entry import main\nmain()"
        return without_the_lab(main, *words, cwd=tmp_path, **more)

    return call


@pytest.fixture
def light_refused(light: Callable[..., subprocess.CompletedProcess]) -> Callable[..., str]:
    """Runs a command that must be refused (exit code 2, no output) and returns its one line."""

    def call(*words: object) -> str:
        done = light(*words)
        assert done.returncode == 2, done
        assert done.stdout == ""
        assert len(done.stderr.splitlines()) == 1, done.stderr
        assert done.stderr.startswith("joulemark: ")
        return done.stderr

    return call


def test_the_base_is_numpy(repository: Path) -> None:
    """The base depends on numpy alone, and messages can name every package of the laboratory."""
    project = tomllib.loads((repository / "pyproject.toml").read_text("utf-8"))["project"]
    name = re.compile(r"[\w.-]+")
    assert [name.match(dependency)[0] for dependency in project["dependencies"]] == ["numpy"]
    of_the_lab = {name.match(entry)[0] for entry in project["optional-dependencies"]["lab"]}
    assert of_the_lab == set(lab.PACKAGES.values())
    of_extras = {
        name.match(optional_dependency)[0]
        for extra in ("explorer", "fleet")
        for optional_dependency in project["optional-dependencies"][extra]
    } - {"joulemark"}
    assert of_extras == {package for package, _ in lab.OF_EXTRAS.values()}


def test_messages_are_authenticated() -> None:
    """`joulemark.mac` makes tags one by one and in a batch."""
    code = (
        "from joulemark.mac import Key\nimport numpy as np\n"
        f"key = Key('hmac-sha256', {KEY!r})\n"
        f"print(key.tag({MESSAGE!r}).hex(), key.tag_many([{MESSAGE!r}]).tobytes().hex())"
    )
    assert without_the_lab(code).stdout.split() == [TAG, TAG]


@pytest.mark.parametrize("option", ["--version", "--include-dir", "--library-dir", "--cmake-dir"])
def test_an_option_prints_what_it_prints_elsewhere(light, command, option) -> None:
    """The option prints the same line as in the whole installation."""
    done = light(option)
    assert done.returncode == 0
    assert done.stdout == command(option).stdout.decode()
    assert done.stdout.strip()


def test_help_lists_all_commands(light) -> None:
    """Commands that work here come first, then those of the laboratory."""
    for words in ([], ["--help"], ["-h"]):
        done = light(*words)
        assert done.returncode == 0
        here, _, more = done.stdout.partition(lab.INSTALL)
        for name, entry in COMMANDS.items():
            part = here if name in LIGHT else more
            assert re.search(rf"^  {name} +{re.escape(entry.summary[:30])}", part, re.MULTILINE)


@pytest.mark.parametrize("name", LIGHT)
def test_help_names_all_that_a_command_takes(light, name) -> None:
    """Help has the declared options, arguments, purpose and examples."""
    shown = " ".join(light(name, "--help").stdout.replace(" \\\n", " ").split())
    base = COMMANDS[name].base()
    helps = {**base.arguments, **{name: option["help"] for name, option in base.options.items()}}
    for word, sentence in helps.items():
        assert word in shown
        assert sentence in shown
    assert COMMANDS[name].summary in shown
    assert all(example in shown for example in base.examples)


@pytest.mark.parametrize("name", LIGHT)
def test_help_is_the_same_elsewhere(light, command, name) -> None:
    """A command of the base has one reader and one help, with the laboratory and without it."""
    assert light(name, "--help").stdout == command(name, "--help").stdout.decode()


def test_a_tag_waits_for_no_package_of_the_laboratory(tmp_path) -> None:
    """Where all is installed, `tag` and `verify` import none of the packages they do without."""
    (tmp_path / "message").write_bytes(MESSAGE)
    code = (
        "import sys; from joulemark.cli.entry import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "slow = {'typer', 'rich', 'pydantic', 'numpy', 'scipy'}\n"
        "print(sorted(slow & set(sys.modules)), file=sys.stderr)"
    )
    for words in (["tag"], ["verify", "--tag", TAG]):
        done = subprocess.run(
            [sys.executable, "-c", code, *words, "hmac-sha256", "message", "--key-env", "K"],
            cwd=tmp_path, env={**os.environ, "K": KEY.decode()}, capture_output=True, check=True,
        )  # fmt: skip
        assert done.stdout.startswith((TAG.encode(), b"message: OK"))
        assert done.stderr == b"[]\n"


@pytest.mark.parametrize("name", [name for name in COMMANDS if name not in LIGHT])
def test_a_command_of_the_laboratory_says_so(light_refused, name) -> None:
    """The refusal names the missing package and the command that installs all."""
    line = light_refused(name)
    assert "this needs the Python package typer, which is not installed" in line
    assert line.rstrip().endswith("pip install 'joulemark[lab]'")


@pytest.mark.parametrize(
    "words",
    [
        ["hmac-sha256", "--key-file", "key", "message"],
        ["--key-file=key", "hmac-sha256", "message"],
        ["hmac-sha256", "message", "--key-file", "key"],
        ["--key-file", "key", "--", "hmac-sha256", "message"],
        ["hmac-sha256", "--key-file", "key", "--", "message"],
    ],
    ids=" ".join,
)
def test_a_file_is_tagged(light, words) -> None:
    """A file is tagged wherever the options stand."""
    done = light("tag", *words)
    assert (done.returncode, done.stdout) == (0, f"{TAG}  message\n")


@pytest.mark.parametrize("name", ["-message", "--", "--key-hex", "-1", "two words"])
def test_after_two_dashes_every_word_is_a_file(light, tmp_path, name) -> None:
    """`joulemark tag ... -- *` tags every file, however it is named."""
    (tmp_path / name).write_bytes(MESSAGE)
    done = light("tag", "hmac-sha256", "--key-file", "key", "--", "message", name)
    assert done.stdout == f"{TAG}  message\n{TAG}  {name}\n"


def test_standard_input_and_a_variable(light) -> None:
    """A key in hexadecimal from the environment authenticates a message from a pipe."""
    done = light("tag", "hmac-sha256", "--key-env", "K", "--key-hex", "-", input=MESSAGE.decode(),
                 env={**os.environ, "K": KEY.hex()})  # fmt: skip
    assert done.stdout == f"{TAG}  -\n"


@pytest.mark.parametrize(("tag", "said", "code"), [(TAG, "OK", 0), ("00" * 32, "FAILED", 1)])
def test_a_tag_is_checked(light, tag, said, code) -> None:
    """The exit code of `verify` is its answer."""
    done = light("verify", "hmac-sha256", "message", "--key-file", "key", "--tag", tag)
    assert (done.returncode, done.stdout) == (code, f"message: {said}\n")


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (["tga"], "no such command: tga; did you mean tag?"),
        (["--versoin"], "no such option: --versoin; did you mean --version?"),
        (["tag"], "missing argument ALGORITHM (see joulemark tag --help)"),
        (["tag", "hmac-sha265", "--key-file", "key"], "did you mean hmac-sha256"),
        (["tag", "hmac-sha256", "--keyfile", "key"], "did you mean --key-file"),
        (["tag", "hmac-sha256", "--key-file"], "option --key-file requires a value"),
        (["tag", "hmac-sha256", "--key-hex=1"], "option --key-hex takes no value"),
        (["tag", "hmac-sha256", "message"], "give the key by --key-file or by --key-env"),
        (["tag", "hmac-sha256", "--key-file", "key", "none"], "none cannot be read"),
        (["tag", "hmac-sha256", "-1"], "no such option: -1 (see joulemark tag --help)"),
        (["tag", "hmac-sha256", "--key-hex=c0ffee"], "option --key-hex takes no value (see"),
        (["verify", "hmac-sha256", "a", "b"], "got unexpected argument b"),
    ],
)
def test_a_slip_is_refused_in_a_sentence(light_refused, words, part) -> None:
    """A slip is refused in one sentence, as typer refuses it."""
    assert part in light_refused(*words)


def test_a_package_that_went_missing_later_is_named(command, tmp_path) -> None:
    """With typer and without scipy, scipy is named: no traceback, no code 70."""
    (tmp_path / "scipy.py").write_text("raise ModuleNotFoundError('No scipy', name='scipy')")
    done = command("bench", "sha256", env={**os.environ, "PYTHONPATH": str(tmp_path)})
    assert done.returncode == 2
    line = done.stderr.decode()
    assert line == (
        f"joulemark: this needs the Python package scipy, which is not installed: {lab.INSTALL}\n"
    )


def test_an_old_version_is_named(command, tmp_path) -> None:
    """A typer that lacks names that we import is refused as unfit, and `--version` still works."""
    (tmp_path / "typer.py").write_text("")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = command("list", env=environment)
    assert done.returncode == 2
    assert (
        b"typer, and the one that is installed is of a version that does not serve" in done.stderr
    )
    assert command("--version", env=environment).stdout.decode() == f"joulemark {__version__}\n"


def test_a_fault_of_ours_stays_one() -> None:
    """An import that fails in our own package is not blamed on the laboratory."""
    assert lab.lacking(ModuleNotFoundError("x", name="joulemark.nothing")) is None
    assert lab.lacking(ImportError("x")) is None
