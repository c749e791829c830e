# SPDX-License-Identifier: Apache-2.0
"""A confined process has no network and one folder, and a plugin's first start is confined."""

from __future__ import annotations

import json
import platform
import subprocess
import sys
from pathlib import Path

import pytest

from joulemark.processes.keeper import landlock_version
from joulemark.processes.tool import ask_tool

pytestmark = pytest.mark.skipif(
    landlock_version() < 3 or platform.machine() not in {"x86_64", "aarch64"},
    reason="the kernel offers no Landlock, or no filter for this architecture is known",
)
TRIES = """
import ctypes, json, os, signal, socket, sys
from joulemark.processes.keeper import confine
outside, inside, parent, confined = sys.argv[1:]
if confined == "yes":
    confine(inside)
def made(path):
    with open(path, "w") as file: file.write("x")
def raw(number, *words):
    if ctypes.CDLL(None, use_errno=True).syscall(number, *words) < 0:
        raise OSError(ctypes.get_errno())
tries = {
    "new file": lambda: made(outside + "/new"),
    "old file": lambda: made(outside + "/old"),
    "cut": lambda: os.truncate(outside + "/old", 0),
    "remove": lambda: os.unlink(outside + "/removed"),
    "folder": lambda: os.mkdir(outside + "/folder"),
    "link": lambda: os.symlink("x", outside + "/link"),
    "move in": lambda: os.rename(inside + "/moved", outside + "/moved"),
    "mode": lambda: os.chmod(outside + "/old", 0o600),
    "owner": lambda: os.chown(outside + "/old", os.getuid(), os.getgid()),
    "attribute": lambda: os.setxattr(outside + "/old", "user.x", b"x"),
    "tcp": lambda: socket.socket(),
    "udp": lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM),
    "udp6": lambda: socket.socket(socket.AF_INET6, socket.SOCK_DGRAM),
    "unix": lambda: socket.socket(socket.AF_UNIX),
    "ring": lambda: raw(425, 1, (ctypes.c_char * 120)()),
    "signal": lambda: os.kill(int(parent), 0),
    "environment": lambda: open(f"/proc/{parent}/environ").read(),
    "own file": lambda: made(inside + "/new"),
    "null": lambda: made("/dev/null"),
    "reading": lambda: open(outside + "/old").read(),
    "library": lambda: __import__("sqlite3"),
    "own signal": lambda: os.kill(os.getpid(), 0),
    "child": lambda: os.waitpid(os.posix_spawn("/bin/true", ["true"], {}), 0),
    "pair": lambda: os.pipe(),
}
done = []
for name, attempt in tries.items():
    try:
        attempt()
    except OSError:
        continue
    done.append(name)
print(json.dumps(done))
"""
ALLOWED = ["own file", "null", "reading", "library", "own signal", "child", "pair"]


def possible(folder: Path, *, confined: bool) -> list[str]:
    """Names of the attempts that succeed in a new process."""
    outside, inside = folder / "outside", folder / "inside"
    for path in (outside, inside):
        path.mkdir()
    for name in ("old", "removed"):
        (outside / name).write_text("kept")
    (inside / "moved").write_text("")
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as other:
        said = ask_tool([
            sys.executable, "-c", TRIES, str(outside), str(inside), str(other.pid),
            "yes" if confined else "no",
        ])  # fmt: skip
        assert said.code == 0, said.errors
        other.kill()
    found: list[str] = json.loads(said.output)
    return found


def test_what_a_confined_process_can_do(tmp_path: Path) -> None:
    """It works in its folder; files outside, sockets and other processes are out of reach."""
    for name in ("free", "confined"):
        (tmp_path / name).mkdir()
    free = possible(tmp_path / "free", confined=False)
    assert {"new file", "cut", "mode", "tcp", "udp", "environment", "signal"} < set(free)
    found = possible(tmp_path / "confined", confined=True)
    if landlock_version() < 6:
        found = [name for name in found if name != "signal"]
    assert found == ALLOWED
    assert (tmp_path / "confined" / "outside" / "old").read_text() == "kept"
    assert len([*(tmp_path / "confined" / "outside").iterdir()]) == 2
