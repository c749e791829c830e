# SPDX-License-Identifier: Apache-2.0
"""`joulemark add DIR` a second time, after an interrupt, and with requests that make no sense."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from joulemark.cli import add_tree
from joulemark.processes.keeper import children_of
from living import outliving

Run = Callable[..., Any]
OPTIONS = ("--no-bench", "--json", "--compiler", "gcc", "--flags", "-O1")

ZEROS = """\
#include "crypto_auth.h"
int crypto_auth(unsigned char *out, const unsigned char *in, unsigned long long length,
                const unsigned char *k) {
    for (int i = 0; i < 32; i++) out[i] = 0;
    return 0;
}
int crypto_auth_verify(const unsigned char *tag, const unsigned char *in,
                       unsigned long long length, const unsigned char *k) {
    for (int i = 0; i < 32; i++)
        if (tag[i]) return -1;
    return 0;
}
"""


@pytest.fixture
def built(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the implementations that are built and tried from now on, in order."""
    names: list[str] = []
    plain = add_tree.run_jobs

    def noting(jobs: Any, *words: Any) -> None:
        names.extend(job.name for job in jobs)
        plain(jobs, *words)

    monkeypatch.setattr(add_tree, "run_jobs", noting)
    return names


def verdicts(answer: str) -> dict[str, tuple[str, bool]]:
    """Implementation -> verdict, and whether an earlier command found it."""
    return {
        outcome["implementation"].split("/")[2]: (outcome["verdict"], outcome["before"])
        for outcome in json.loads(answer)["outcomes"]
    }


def test_a_second_call_knows_what_the_first_found(run: Run, ebacs: Run, built: list[str]) -> None:
    """A verdict is known again while the files are the same and the kept plugin is there."""
    good = ebacs("crypto_hash/sha256/good")
    ebacs("crypto_hash/sha256/bad", before="#error bad")
    add = ("add", "tree", *OPTIONS)
    assert verdicts(run(*add).stdout) == {
        "bad": ("does not compile", False), "good": ("right", False),
    }  # fmt: skip
    assert sorted(built) == ["sha256/bad", "sha256/good"]
    built.clear()
    assert verdicts(run(*add).stdout) == {
        "bad": ("does not compile", True), "good": ("right", True),
    }  # fmt: skip
    assert built == []
    (good / "note").write_text("of another content")
    result = run(*add)
    assert verdicts(result.stdout)["good"] == ("name is taken", False)
    assert "was added already, of other files, compiler or flags; --replace" in result.stdout
    assert built == []
    assert verdicts(run(*add, "--replace").stdout)["good"] == ("right", False)
    assert built == ["sha256/good"]
    built.clear()
    assert run("remove", "sha256/good").exit_code == 0
    assert verdicts(run(*add).stdout)["good"] == ("right", False)
    assert built == ["sha256/good"]
    built.clear()
    assert verdicts(run(*add, "--again").stdout)["good"] == ("right", False)
    assert sorted(built) == ["sha256/bad", "sha256/good"]


def test_an_interrupt_ends_tidily(ebacs: Run, kept: Path, tmp_path: Path) -> None:
    """After SIGINT no process or file is left except the verdicts so far, which are known again."""
    ebacs("crypto_hash/sha256/a", before="#error quick")
    hanging = [ebacs(f"crypto_hash/sha256/{name}", fault="HANGS") for name in ("b", "c", "d")]
    command = [sys.executable, "-m", "joulemark.cli.entry", "add", "tree", *OPTIONS]
    before = {*tmp_path.iterdir(), kept}
    with subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        end_s = time.monotonic() + 120
        below: list[int] = []
        while time.monotonic() < end_s and not (list(kept.glob(".tried/*.json")) and below):
            below = _worker_below(process.pid)
            time.sleep(0.05)
        time.sleep(0.5)  # a build is counted once its file is safe on the disk
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=60)
    assert below
    assert process.returncode == 130
    assert output == ""
    assert errors.splitlines()[-1] == (
        "joulemark: stopped; what came of 1 of 4 builds is kept, and the same command goes on from "
        "there"
    )
    assert outliving(below) == []
    assert [path.name for path in kept.iterdir()] == [".tried"]
    assert {*tmp_path.iterdir()} == before
    for folder in hanging:
        shutil.rmtree(folder)
    again = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert verdicts(again.stdout) == {"a": ("does not compile", True)}


def _worker_below(pid: int) -> list[int]:
    """All processes below a process, once one of them has loaded foreign code."""
    found, new = [], children_of(pid)
    while new:
        found += new
        new = [child for number in new for child in children_of(number)]
    loaded = any("plugin.so" in _command(item) for item in found)
    return found if loaded else []


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().decode("utf-8", "replace")
    except OSError:
        return ""


def test_a_checksum_of_the_tree_that_is_not_ours(run: Run, ebacs: Run, built: list[str]) -> None:
    """A folder with another checksum is of another function, and nothing of it is built."""
    folder = ebacs("crypto_hash/sha256/good")
    (folder.parent / "checksumsmall").write_text("ab" * 32)
    [outcome] = json.loads(run("add", "tree", *OPTIONS).stdout)["outcomes"]
    assert outcome["verdict"] == "cannot be taken"
    assert outcome["reason"].startswith("the file checksumsmall beside it has abab")
    assert outcome["reason"].endswith(": the folder is of another function")
    assert built == []


def test_a_part_of_an_output_is_tried_and_not_kept(run: Run, ebacs: Run) -> None:
    """A shortened output, a name of ours and a name that cannot be a variant are not kept."""
    ebacs("crypto_auth/hmacsha512256/zero", code_c=ZEROS,
          api_h="#define CRYPTO_BYTES 32\n#define CRYPTO_KEYBYTES 32\n")  # fmt: skip
    ebacs("crypto_hash/sha256/portable")
    odd = ebacs('crypto_hash/sha256/an "odd" name')
    ebacs("crypto_hash/sha256/\udcff")
    part, coded, oddly, name = json.loads(run("add", "tree", *OPTIONS).stdout)["outcomes"]
    assert part["verdict"] == "wrong answer"
    assert part["reason"].startswith("its checksumsmall is ")
    assert ", not 15c0bb089c680e53" in part["reason"]
    assert oddly["verdict"] == "cannot be taken"
    assert oddly["reason"].startswith("'an \"odd\" name' cannot be part of a name, which has 1 to")
    assert coded["implementation"] == "crypto_hash/sha256/\\udcff"
    assert coded["verdict"] == "cannot be taken"
    named = run("add", odd, *OPTIONS, "--name", "even")
    assert json.loads(named.stdout)["outcomes"][0]["name"] == "sha256/even"
    assert named.exit_code == 0
    assert name["verdict"] == "name is taken"
    assert "sha256/portable is an implementation already" in name["reason"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("tree",), "neither lies in a folder crypto_hash, crypto_auth, crypto_onetimeauth nor"),
        (("absent",), "absent: there is no such file or folder"),
        (("\udcff",), "\\udcff: rename it; this is no text in UTF-8"),
        (("tree", "tree"), "name one folder, or files of one function"),
        (("tree", "--primitive", "md5"), "--primitive md5: give an operation and a primitive"),
        (("tree", "--primitive", "crypto_hash/md5", "--algorithm", "md5"), "say the same thing"),
        (("bare", "--primitive", "crypto_hash/md5"), "joulemark: bare is empty"),
        (("tree", "--algorithm", "aes128"), "aes128 is a cipher, and add takes hashes and MACs"),
        (("tree", "--signature", "out,in,len"), "--signature is for a function in files"),
        (("tree", "-I", "."), "--include is for a function in files"),
        (("tree", "--primitive", "crypto_hash/md5", "--flag-set", "O9"), "there is no such set"),
        (("tree", "--flag-set", "all", "--flags", "-O2"), "--flags and --flag-set exclude"),
        (("a.c", "--json", "--function", "f", "--algorithm", "md5"), "--json is for a folder"),
        (("a.c", "--function", "f"), "(--algorithm is missing)"),
        (("a.c", "--algorithm", "md5"), "(--function is missing)"),
    ],
)
def test_what_makes_no_sense(
    run: Run, kept: Path, tmp_path: Path, words: tuple[str, ...], said: str
) -> None:
    """Requests that make no sense give one sentence and exit code 2."""
    (tmp_path / "tree" / "folder").mkdir(parents=True)
    if "O9" in words or "--flags" in words:
        (tmp_path / "tree" / "crypto_hash" / "md5" / "x").mkdir(parents=True)
    (tmp_path / "a.c").touch()
    (tmp_path / "bare").mkdir()
    (tmp_path / "\udcff").mkdir()
    result = run("add", *words)
    assert result.exit_code == 2, result.output
    [line] = result.stderr.splitlines()
    assert said in line
    assert not kept.exists()


def test_links_that_lead_in_a_circle(run: Run, ebacs: Run, tmp_path: Path) -> None:
    """A link to itself, as api.h, source or folder, costs its own implementation alone."""
    ebacs("crypto_hash/sha256/right")
    for place, link in (("api", "api.h"), ("source", "more.c"), ("folder", "deeper")):
        folder = ebacs(f"crypto_hash/sha256/{place}")
        (folder / link).unlink(missing_ok=True)
        (folder / link).symlink_to(folder / link)
    for path in (tmp_path / "tree" / "crypto_hash" / "round", tmp_path / "tree" / "crypto_auth"):
        path.symlink_to(path)
    result = run("add", tmp_path / "tree", "--no-bench", "--json", "--flags", "-O1")
    outcomes = {line["implementation"]: line for line in json.loads(result.stdout)["outcomes"]}
    assert result.exit_code == 2
    assert outcomes["crypto_hash/sha256/right"]["verdict"] == "right"
    for name in ("crypto_hash/round", "crypto_auth"):
        assert outcomes[name]["verdict"] == "cannot be taken"
    for place in ("api", "source", "folder"):
        found = outcomes[f"crypto_hash/sha256/{place}"]
        assert found["verdict"] == "cannot be taken"
        assert "Too many levels of symbolic links" in found["reason"]
