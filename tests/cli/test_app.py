# SPDX-License-Identifier: Apache-2.0
"""Rules for every command: help, version, how it ends, and how fast it starts."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from joulemark import __version__
from joulemark.cli.app import RootGroup, app
from joulemark.errors import UnavailableError

COMMANDS = [
    "list", "show", "doctor", "meter", "test", "checksum", "providers", "new", "add", "tune",
    "added", "remove", "bench", "footprint", "fleet", "sessions", "gather", "energy", "compare",
    "compare-targets", "check", "runs", "results", "choose", "budget", "import", "store", "export",
    "report", "explore", "publish", "tag", "verify", "reproduce", "core",
]  # fmt: skip


def failing(error: BaseException):
    """Runs a command like ours whose one subcommand raises the error."""
    broken = typer.Typer(cls=RootGroup, rich_markup_mode=None)
    broken.callback()(lambda: None)

    @broken.command()
    def fail() -> None:
        raise error

    return CliRunner().invoke(broken, ["fail"], prog_name="joulemark")


def test_the_version_is_printed(run):
    """`--version` prints name and version alone."""
    result = run("--version")
    assert (result.exit_code, result.stdout) == (0, f"joulemark {__version__}\n")


def test_no_command_shows_the_help(run):
    """Without a command the help is the answer, and every command is in it."""
    result = run()
    assert result.exit_code == 0
    assert result.stdout == run("--help").stdout
    listed = result.stdout.split("Commands:")[1].splitlines()
    assert [line.split()[0] for line in listed if line.strip()] == COMMANDS


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_examples(run, name):
    """The help of each command shows at least two examples of that command."""
    result = run(name, "--help")
    assert result.exit_code == 0
    examples = result.stdout.split("Examples:")[1]
    assert examples.count(f"joulemark {name}") >= 2


def test_an_unknown_command_is_refused(refused):
    """The sentence names what was typed and where help is."""
    line = refused("benhc")
    assert "'benhc'" in line
    assert "joulemark --help" in line


def test_an_unknown_option_is_refused(refused):
    """The sentence names the option and the command whose help lists the right ones."""
    line = refused("tag", "hmac-sha256", "--frobnicate")
    assert "--frobnicate" in line
    assert "joulemark tag --help" in line


@pytest.mark.parametrize(
    "command",
    [
        "core report {}.toml --target generic",
        "core report siphash --liberty {}.lib",
        "check --old {0}.so --new {0}.so",
        "bench --plugin {}.so x",
    ],
)
def test_a_name_that_no_system_takes_is_refused(refused, command):
    """A name that is too long is the user's mistake, not ours; the sentence shows its beginning."""
    line = refused(*command.format("n" * 300).split())
    assert re.search("File name too long|no such file|there is no", line)  # Python 3.14: no file
    assert "nnn" in line
    assert len(line) < 500


def test_a_refusal_is_one_line_with_its_exit_code():
    """A JoulemarkError becomes its message on standard error, line breaks removed."""
    result = failing(UnavailableError("needs\n  AVX2"))
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == "joulemark: needs AVX2\n"


def test_a_fault_of_ours_asks_to_be_reported(monkeypatch):
    """An unexpected exception is one line and exit code 70, without a traceback."""
    monkeypatch.delenv("JOULEMARK_DEBUG", raising=False)
    result = failing(ZeroDivisionError("division by zero"))
    assert (result.exit_code, result.stdout) == (70, "")
    assert result.stderr.count("\n") == 1
    assert "ZeroDivisionError: division by zero" in result.stderr
    assert "report" in result.stderr


def test_a_fault_of_ours_shows_its_place_when_asked(monkeypatch):
    """JOULEMARK_DEBUG=1 brings the traceback."""
    monkeypatch.setenv("JOULEMARK_DEBUG", "1")
    result = failing(ZeroDivisionError("division by zero"))
    assert result.exit_code == 70
    assert "Traceback" in result.stderr


def test_an_interrupt_is_one_line():
    """Ctrl-C ends with 130 and one line."""
    result = failing(KeyboardInterrupt())
    assert (result.exit_code, result.stderr) == (130, "joulemark: interrupted\n")


def test_an_exit_code_of_a_command_is_kept():
    """`typer.Exit` passes through silently."""
    result = failing(typer.Exit(4))
    assert (result.exit_code, result.output) == (4, "")


def test_ctrl_c_on_the_real_command(key_file):
    """The real process, reading standard input, dies of SIGINT with 130 and one line."""
    line = [sys.executable, "-m", "joulemark.cli.entry", "tag", "hmac-sha256",
            "--key-file", str(key_file(b"k"))]  # fmt: skip
    with subprocess.Popen(
        line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        process.stdin.write(b"x" * (1 << 21))  # more than a pipe holds, so the command is reading
        process.stdin.flush()
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=20)
    assert process.returncode == 130, errors
    assert (output, errors) == (b"", b"joulemark: interrupted\n")


def test_a_closed_pipe_is_no_error(command):
    """A reader of our output may stop at any time, without a message of ours."""
    read_end, write_end = os.pipe()
    os.close(read_end)
    line = [sys.executable, "-m", "joulemark.cli.entry", "list"]
    result = subprocess.run(line, stdout=write_end, stderr=subprocess.PIPE, timeout=60, check=False)
    os.close(write_end)
    assert result.stderr == b""
    assert result.returncode == 141, "1 would be an answer, as of verify"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_said(command):
    """Output that cannot be written is a refusal, not a fault of ours."""
    line = [sys.executable, "-m", "joulemark.cli.entry", "--help"]
    with Path("/dev/full").open("wb") as full:
        result = subprocess.run(line, stdout=full, stderr=subprocess.PIPE, timeout=60, check=False)
    assert result.returncode == 2
    assert b"No space left" in result.stderr
    assert result.stderr.count(b"\n") == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_what_is_still_buffered_counts_as_output():
    """Text that a command printed but Python has not written yet is written before the end."""
    code = (
        "import typer; from joulemark.cli.app import RootGroup\n"
        "app = typer.Typer(cls=RootGroup); app.callback()(lambda: None)\n"
        "@app.command()\n"
        "def speak(): print('something')\n"
        "app(['speak'], prog_name='joulemark')"
    )
    environment = {name: os.environ[name] for name in os.environ if name != "PYTHONUNBUFFERED"}
    with Path("/dev/full").open("wb") as full:
        result = subprocess.run(
            [sys.executable, "-c", code],
            env=environment,
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert result.returncode == 2
    assert result.stderr.count(b"\n") == 1


def test_help_imports_nothing_slow():
    """`--help` starts without numpy, scipy, altair, SQLAlchemy, pydantic and the native module."""
    code = (
        "import sys; from joulemark.cli.app import app\n"
        "try: app(['--help'], prog_name='joulemark')\n"
        "except SystemExit: pass\n"
        "names = {'numpy', 'scipy', 'altair', 'sqlalchemy', 'pydantic', 'joulemark._core'}\n"
        "print(sorted(names & set(sys.modules)), file=sys.stderr)"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert result.stderr.strip() == b"[]"


def options_of(command):
    """Every option of every subcommand, as (command, option names, takes a value)."""
    for name, sub in typer.main.get_command(command).commands.items():
        for option in sub.params:
            if option.param_type_name == "option":
                yield name, option.opts, not option.is_flag


def test_no_option_takes_key_material():
    """Options about a key name a file or variable, or are switches; `bench --key` names a mode."""
    about_keys = {
        (name, option): takes
        for name, options, takes in options_of(app)
        for option in options
        if "key" in option
    }
    assert {option for option, takes in about_keys.items() if takes} == {
        ("bench", "--key"),
        ("bench", "--fleet-keys"),
        ("footprint", "--fleet-keys"),
        ("tune", "--fleet-keys"),
        ("bench", "--tls-key"),
        ("footprint", "--tls-key"),
        ("tune", "--tls-key"),
        ("tag", "--key-file"),
        ("tag", "--key-env"),
        ("verify", "--key-file"),
        ("verify", "--key-env"),
    }


@pytest.mark.parametrize("option", ["--key", "--key-hex=00", "--password", "--secret"])
def test_a_key_on_the_command_line_is_refused(refused, option):
    """Not even an abbreviation is taken, and the value is not repeated."""
    line = refused("tag", "hmac-sha256", option, "c0ffee15dead")
    assert "c0ffee15dead" not in line
