# SPDX-License-Identifier: Apache-2.0
"""tools/fresh_machine.sh: what it refuses, which step failed, and that both commands run."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Call = Callable[..., subprocess.CompletedProcess[str]]
HOME_OF_APT = Path("/usr/lib/apt/apt-helper")

UNSHARE = """\
#!/bin/sh
case "$*" in
    *debootstrap*) mkdir -p "$MACHINE/etc/apt/apt.conf.d" "$MACHINE/root" ;;
    *"apt-get update"*) echo "asked for: $*"; exit "$PACKAGES_END" ;;
    *PRETTY_NAME*) echo "a system" ;;
    *"make bench"*) echo "bench ran"; exit "$BENCH_END" ;;
    *"make test"*) echo "9 passed" ;;
esac
"""
STUBS = {
    "id": "#!/bin/sh\necho 0\n",
    "git": "#!/bin/sh\n",
    "debootstrap": "#!/bin/sh\n",
    "apt-config": "#!/bin/sh\n",
    "unshare": UNSHARE,
}


@pytest.fixture
def call(repository: Path, tmp_path: Path) -> Call:
    """Calls the tool as root, with programs that only say what they were asked."""
    programs, source = tmp_path / "bin", tmp_path / "source"
    programs.mkdir()
    for name, text in STUBS.items():
        (programs / name).write_text(text)
        (programs / name).chmod(0o755)
    (source / "dists" / "trixie").mkdir(parents=True)
    (source / "dists" / "trixie" / "Release").write_text("Origin: Debian\n")
    (tmp_path / "debian-archive-keyring.gpg").touch()

    def called(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["sh", repository / "tools" / "fresh_machine.sh", *words], capture_output=True,
            text=True, check=False,
            env={**os.environ, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
                 "MACHINE": str(tmp_path / "machine"), "SOURCE": f"file:{source}",
                 "KEYRINGS": str(tmp_path), "PACKAGES_END": "0", "BENCH_END": "0", **environment},
        )  # fmt: skip

    return called


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ((), "no release is named"),
        (("../etc",), "is not the name of a release"),
        (("trixie", str(Path(__file__).parent)), "holds something else than a machine"),
    ],
)
def test_a_wrong_call_is_refused(words: tuple[str, ...], reason: str, call: Call) -> None:
    """A wrong call gets one sentence and exit code 2."""
    done = call(*words)
    assert done.returncode == 2, done.stderr
    assert done.stderr.startswith("fresh_machine: ")
    assert done.stderr.count("\n") == 1
    assert reason in done.stderr


def test_a_machine_that_cannot_be_made_is_named(call: Call, tmp_path: Path) -> None:
    """Where root, the release, its keys or its packages are missing, the exit code is 3."""
    if not HOME_OF_APT.exists():
        pytest.skip(f"{HOME_OF_APT} is not here: no apt")
    (tmp_path / "bin" / "id").write_text("#!/bin/sh\necho 1000\n")
    done = call("trixie")
    assert (done.returncode, "made by root" in done.stderr) == (3, True)
    (tmp_path / "bin" / "id").write_text(STUBS["id"])
    machine = str(tmp_path / "machine")
    done = call("potato", machine)
    assert (done.returncode, "has the release potato" in done.stderr) == (3, True)
    done = call("trixie", machine, PACKAGES_END="100")
    assert (done.returncode, "the step 'apt-get install python3 " in done.stderr) == (3, True)
    if Path("/usr/share/keyrings/ubuntu-archive-keyring.gpg").exists():
        return  # no key is missing here
    (tmp_path / "source" / "dists" / "trixie" / "Release").write_text("Origin: Ubuntu\n")
    done = call("trixie", str(tmp_path / "other"))
    assert (done.returncode, "has ubuntu-archive-keyring.gpg" in done.stderr) == (3, True)


def test_both_commands_run_and_a_failed_one_is_named(
    call: Call, repository: Path, tmp_path: Path
) -> None:
    """README's packages are installed, its commands run, and the summary names the failed one."""
    if not HOME_OF_APT.exists():
        pytest.skip(f"{HOME_OF_APT} is not here: no apt")
    done = call("trixie", str(tmp_path / "machine"), BENCH_END="2")
    assert done.returncode == 1, done.stderr
    (packages,) = [
        line.removeprefix("apt-get install ")
        for line in (repository / "README.md").read_text("utf-8").splitlines()
        if line.startswith("apt-get install ")
    ]
    assert f" sh {packages}\n" in done.stdout.split("asked for: ")[1]
    summary = done.stdout.split("== trixie: summary\n")[1].splitlines()
    assert summary[0].startswith("trixie: a system; commit ")
    assert summary[1].startswith("trixie: make bench: FAILED with exit code 2 after ")
    assert summary[2] == "    bench ran"
    assert summary[3].startswith("trixie: make test: done in ")
    assert summary[4] == "    9 passed"
    assert call("trixie", str(tmp_path / "machine")).returncode == 0
