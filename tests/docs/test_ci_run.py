# SPDX-License-Identifier: Apache-2.0
"""`.ci/run` runs the tests as on the machine of a new user, and on a machine of another release."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

MAKE = """\
#!/bin/sh
echo "$@"
find "$HOME" | wc -l
echo "$HOME" "$XDG_CACHE_HOME" "$PIP_CACHE_DIR" "$PIP_CONFIG_FILE" "${GIT_CONFIG_GLOBAL:-none}"
mkdir -p "$HOME/left/behind"
exit 7
"""


def ran(
    script: Path, make: str, folder: Path, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Runs `.ci/run` with another `make`, as a user who may not install packages."""
    programs = folder / "bin"
    programs.mkdir()
    for name, text in (("make", make), ("id", "#!/bin/sh\necho 1000\n")):
        (programs / name).write_text(text)
        (programs / name).chmod(0o755)
    ours = {"XDG_CACHE_HOME", "XDG_CONFIG_HOME", "PIP_CACHE_DIR", "PIP_CONFIG_FILE",
            "GIT_CONFIG_GLOBAL"}  # fmt: skip
    kept = {name: value for name, value in os.environ.items() if name not in ours}
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        [script], capture_output=True, text=True, check=False,
        env={**kept, "PATH": path, "TMPDIR": str(folder), **environment},
    )  # fmt: skip


def copied_script(repository: Path, folder: Path, other: str) -> Path:
    """Returns a copy of `.ci/run` that makes another machine by the shell lines `other`."""
    for name in (".ci", "tools"):
        (folder / "checkout" / name).mkdir(parents=True)
    script = folder / "checkout" / ".ci" / "run"
    shutil.copy(repository / ".ci" / "run", script)
    maker = folder / "checkout" / "tools" / "fresh_machine.sh"
    maker.write_text(f"#!/bin/sh\n{other}\n")
    maker.chmod(0o755)
    return script


def test_home_and_caches_are_empty_but_for_pips(repository: Path, tmp_path: Path) -> None:
    """The home is new and gone afterwards, pip's cache and settings are the old ones, and the exit
    code is make's.
    """
    home = tmp_path / "home"
    for folder in (home / ".config" / "pip", home / ".cache" / "YoWASP"):
        folder.mkdir(parents=True)
    (home / ".config" / "pip" / "pip.conf").write_text("[global]\n")
    done = ran(repository / ".ci" / "run", MAKE, tmp_path, HOME=str(home))
    assert done.returncode == 7, done.stderr
    arguments, files, places, other, _ = done.stdout.splitlines()
    assert other.startswith("not run: ")
    assert other.endswith("a machine is made by root")
    verb, python = arguments.split()
    assert verb == "test-ci"
    assert Path(python.removeprefix("PYTHON=")).resolve().name.startswith("python")
    assert int(files) == 1
    new_home, caches, pip_cache, pip_settings, git_settings = places.split()
    assert Path(new_home).parent == tmp_path
    assert Path(new_home) != home
    assert caches == f"{new_home}/.cache"
    assert pip_cache == str(home / ".cache" / "pip")
    assert pip_settings == str(home / ".config" / "pip" / "pip.conf")
    assert git_settings == "none"
    assert not Path(new_home).exists()


@pytest.mark.parametrize(
    ("here", "there", "outcome", "said"),
    [
        (0, 0, 0, "parts of this run: "),
        (0, 1, 1, "failed on trixie with exit code 1\n"),
        (2, 0, 2, "parts of this run: "),
        (2, 1, 2, "failed on trixie with exit code 1\n"),
        (0, 3, 0, "not run: set-up, lint and tests of compiled code on trixie: no mirror\n"),
        (0, 124, 0, "not finished: set-up, lint and tests of compiled code on trixie: "),
        (0, 137, 0, "not finished: set-up, lint and tests of compiled code on trixie: "),
        (2, 124, 2, "not finished: set-up, lint and tests of compiled code on trixie: "),
    ],
)
def test_both_machines_decide(
    here: int, there: int, outcome: int, said: str, repository: Path, tmp_path: Path
) -> None:
    """A failure on either machine is one of the run; a machine that cannot be made is named."""
    other = f'echo "asked $*"\necho "no mirror" >&2\nexit {there}'
    script = copied_script(repository, tmp_path, other)
    done = ran(script, f"#!/bin/sh\nexit {here}\n", tmp_path)
    assert done.returncode == outcome
    assert "asked trixie  bash .ci/run compiled\n" in done.stdout
    assert said in done.stdout


@pytest.mark.parametrize(("limit_s", "asked"), [("0", 0), ("10", 1)])
def test_the_other_machine_ends_within_the_limit(
    limit_s: str, asked: int, repository: Path, tmp_path: Path
) -> None:
    """A run on a slow machine tells how this machine did, and that the other one had no time."""
    script = copied_script(repository, tmp_path, "echo asked; exec sleep 60")
    done = ran(script, "#!/bin/sh\nexit 0\n", tmp_path, JOULEMARK_CI_LIMIT_S=limit_s)
    assert done.returncode == 0
    assert done.stdout.count("asked") == asked
    assert "not finished: set-up, lint and tests of compiled code on trixie: " in done.stdout
    assert done.stdout.splitlines()[-1].startswith("parts of this run: ")


@pytest.mark.parametrize(("fails", "outcome"), [("none", 0), ("test", 7), ("test-slow", 7)])
def test_compiled_code_on_another_machine(
    fails: str, outcome: int, repository: Path, tmp_path: Path
) -> None:
    """The other machine runs tests of seconds, and of the slow ones those of native code."""
    script = tmp_path / "compiled"
    script.write_text(f"#!/bin/sh\ncd {repository}\nexec bash .ci/run compiled\n")
    script.chmod(0o755)
    done = ran(script, f'#!/bin/sh\necho "$@"\n[ "$1" != {fails} ] || exit 7\n', tmp_path)
    assert done.returncode == outcome, done.stderr
    (test, _, *folders), (slow, _, native) = (line.split() for line in done.stdout.splitlines())
    assert (test, slow, native) == ("test", "test-slow", "TESTS=tests/native")
    assert {"tests/bindings", "tests/cli", "TIMED="} <= set(folders)
