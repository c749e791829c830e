# SPDX-License-Identifier: Apache-2.0
"""`joulemark new plugin`: its source compiles by its first comment, is right, and is timed."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from forked_commands import run_joulemark
from joulemark import _core
from joulemark.catalogue import data_folder
from joulemark.measure.worker.trials import portable_kernel
from joulemark.provider_builds import members, plugin_source

HEADER = (data_folder("c") / "include" / "joulemark" / "kernel.h").read_text("utf-8")
ONE_OF_EACH_KIND = ["hmac-sha256", "sha256", "aes128"]
COMMAND = re.compile(r"^ \*     ((?:cc|joulemark) .*)$", re.MULTILINE)


def shell(line: str, folder: Path) -> str:
    """Runs a line as a reader would who has `joulemark` on the path, and returns its output."""
    tools = Path(sys.executable).parent
    environment = {**os.environ, "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        ["sh", "-c", line], cwd=folder, env=environment, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    return said(line, done)


def ours(line: str, folder: Path) -> str:
    """Runs a line that is one command of ours, without a shell, and returns its output."""
    return said(line, run_joulemark(*shlex.split(line)[1:], cwd=folder, text=True))


def said(line: str, done: subprocess.CompletedProcess[str]) -> str:
    """Returns the output of a line that must succeed."""
    assert done.returncode == 0, line + done.stdout[-4000:] + done.stderr[-4000:]
    return done.stdout


def source_for(algorithm: str, header: str = HEADER) -> str:
    """Returns the source of a plugin for an algorithm."""
    kernel = portable_kernel(algorithm)
    assert kernel is not None
    return plugin_source(kernel, "a title", header)


def test_every_kind_of_the_interface_is_tried() -> None:
    """ONE_OF_EACH_KIND has an algorithm for each kind of implementation in the header."""
    kinds = {kernel.kind for name in ONE_OF_EACH_KIND if (kernel := portable_kernel(name))}
    enumerated = re.search(r"typedef enum jm_kind \{(.*?)\}", HEADER)
    assert enumerated is not None
    assert kinds == {text.lower() for text in re.findall(r"JM_KIND_(\w+)", enumerated[1])}


@pytest.mark.parametrize(
    "algorithm",
    [
        ONE_OF_EACH_KIND[0],
        *(pytest.param(name, marks=pytest.mark.exhaustive) for name in ONE_OF_EACH_KIND[1:]),
    ],
)
def test_it_compiles_is_right_and_is_timed(algorithm: str, tmp_path: Path) -> None:
    """The first comment's three commands compile without a warning, check, and time the source."""
    if shutil.which("cc") is None:
        pytest.skip("no C compiler; on Debian or Ubuntu: apt-get install gcc")
    (tmp_path / "mine.c").write_text(ours(f"joulemark new plugin {algorithm}", tmp_path), "utf-8")
    compile_, check, bench = COMMAND.findall((tmp_path / "mine.c").read_text("utf-8"))
    shell(compile_.replace(" -O3 ", " -O3 -Wall -Wextra -Werror "), tmp_path)
    assert f"{algorithm}/mine: " in (checked := ours(check, tmp_path))
    assert "right" in checked
    shown = ours(f"{bench} --quick --rounds 2 --size 64 --no-store", tmp_path)
    assert {"mine", "portable"} <= set(shown.replace("/", " ").split())


@pytest.mark.parametrize(
    "algorithm",
    sorted({
        implementation.algorithm for implementation in _core.builtin_plugin().implementations()
        if not implementation.nonce_bytes_max
    }),
)  # fmt: skip
def test_every_algorithm_with_a_kernel_has_one(run, compiler, tmp_path, algorithm) -> None:
    """The source for each algorithm with a kernel compiles without a warning."""
    result = run("new", "plugin", algorithm)
    assert result.exit_code == 0, result.output
    (tmp_path / "mine.c").write_text(result.stdout, "utf-8")
    subprocess.run(
        [compiler, "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only",
         f"-I{data_folder('c') / 'include'}", str(tmp_path / "mine.c")], check=True,
    )  # fmt: skip


def test_an_algorithm_with_nonces_has_none(refused) -> None:
    """An algorithm with nonces is refused: its table needs one more function, `set_nonce`."""
    assert "write its set_nonce by hand" in refused("new", "plugin", "gmac-aes128")


def test_a_kernel_that_is_not_there_is_refused(refused, monkeypatch) -> None:
    """An algorithm without a kernel of ours is refused."""
    monkeypatch.setattr("joulemark.cli.plugins.portable_kernel", lambda _: None)
    assert "no kernel of ours for ascon-mac" in refused("new", "plugin", "ascon-mac")
    assert "did you mean sha256?" in refused("new", "plugin", "SHA-256")


def test_the_interface_is_read_whole() -> None:
    """The header is read with functions, their parameters, values, and optional members."""
    found = {member.name: member for member in members(HEADER, "jm_mac_functions")}
    assert found["set_key"].parameter_names() == ["self", "key_state", "key", "key_bytes"]
    assert found["wipe_key"].type == "void"
    assert found["key_state_bytes"].parameters is None
    assert [name for name in found if not found[name].optional] == [
        "key_state_bytes", "set_key", "copy_key", "wipe_key", "tag",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("    uint32_t lanes;", "    uint32_t rooms;", r"no value for \['rooms'\].*\['lanes'\]"),
        ("    const char *provider;", "    const char *a, *provider;\n    int b;", r"\['b'\]"),
        ("struct jm_hash_functions", "struct jm_digest_functions", "no struct jm_hash_functions"),
        ("    size_t block_bytes;", "    size_t block_bytes[2];", "cannot be read"),
    ],
)
def test_a_change_of_the_interface_is_seen(old: str, new: str, said: str) -> None:
    """A member without a value, and a value without a member, are refused."""
    assert old in HEADER
    with pytest.raises(ValueError, match=said):
        source_for("sha256", HEADER.replace(old, new, 1))


def test_a_signature_comes_from_the_interface() -> None:
    """A parameter that is new in the header is in the plugin's function, and is passed on."""
    old = "size_t message_bytes,\n                        uint8_t *digest);"
    changed = HEADER.replace(old, old.replace(");", ", uint32_t flags);"), 1)
    assert changed != HEADER
    text = source_for("sha256", changed)
    assert "uint32_t flags) {" in text
    assert "digest(stand_in, message, message_bytes, digest, flags);" in text
