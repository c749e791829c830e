# SPDX-License-Identifier: Apache-2.0
"""`joulemark add` of right code: it is kept, and every command finds it."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from joulemark.own_code import checking
from joulemark.processes.keeper import children_of, landlock_version

HASH = "void mine(const uint8_t *in, size_t n, uint8_t *out) { whole_hash(in, n, out); }"
Run = Callable[..., Any]


def test_right_code_is_kept_and_found(run: Run, add: Run, mine: Run, kept: Path) -> None:
    """Every command finds added code by its name, and its sources and flags are on record."""
    result = add(mine(HASH))
    assert result.exit_code == 0, result.output
    first, compiled, checked, where, following = result.stdout.splitlines()
    assert first == f"sha256/mine is right and kept: mine(in, len, out) of {mine(HASH)}"
    assert compiled.startswith("  compiled: ")
    assert compiled.endswith(", -O1")
    assert checked.startswith("  checked: 3 published vectors, 4 201 lengths, ")
    assert "held to our portable kernel: right" in checked
    assert "; keys to " not in checked
    [entry] = kept.iterdir()
    assert where == f"  kept: {entry}"
    assert following == "next: joulemark bench sha256/mine sha256/auto"
    assert sorted(path.name for path in entry.iterdir()) == ["plugin.json", "plugin.so"]

    listed = json.loads(run("list", "sha256/mine", "--json").stdout)
    [found] = listed["algorithms"][0]["implementations"]
    assert found["available"]
    assert found["provider"] == "mine-sha256"
    assert found["flags"] == "-O1"
    assert found["library_version"] == f"of sources {entry.name[:12]}"
    assert run("test", "sha256/mine").exit_code == 0

    [noted] = json.loads(run("added", "--json").stdout)["added"]
    made = noted["plugin"]["made_from"]
    assert noted["name"] == "sha256/mine"
    assert [source["name"] for source in made["sources"]] == ["mine.c", "sha256.c"]
    assert (made["function"], made["signature"], made["flags"]) == ("mine", "in,len,out", "-O1")
    assert "mine(in, len, out)" in run("added").stdout

    assert run("remove", "sha256/mine").stdout == "sha256/mine is gone\n"
    assert list(kept.iterdir()) == []
    assert "nothing was added" in run("added").stdout
    assert "did you mean" not in run("remove", "sha256/mine").stderr


def test_children_of_right_code_end(add: Run, mine: Run) -> None:
    """A daemon that right code started ends too, even in a separate session."""
    before = set(children_of(os.getpid()))
    result = add(mine(HASH), "--flags", "-O1 -DFAULT=LEAVES_CHILDREN")
    assert result.exit_code == 0, result.output
    assert set(children_of(os.getpid())) <= before


def test_answers_decide_between_two_orders(add: Run, mine: Run) -> None:
    """If a declaration allows two orders of arguments, the answers decide, and a line says so."""
    text = "void mine(uint8_t *out, uint8_t *in, unsigned n) { whole_hash(in, n, out); }"
    result = add(mine(text.replace("*out, uint8_t *in", "*in, uint8_t *out")))
    assert result.exit_code == 0, result.output
    assert "signature: in,out,len by its answers, which are wrong as out,in,len" in result.stdout


def test_keys_and_several_files(run: Run, add: Run, mine: Run, tmp_path: Path) -> None:
    """A MAC in two files and a header is added, though both have a `static` named `turned`."""
    (tmp_path / "headers").mkdir()
    (tmp_path / "headers" / "block.h").write_text(
        "#include <stddef.h>\nvoid block(const void *key, const void *in, size_t n, void *out);\n"
    )
    block = mine("void block(const void *key, const void *in, size_t n, void *out) "
                 "{ whole_mac(key, in, n, out); }", "siphash", "block.c")  # fmt: skip
    first = tmp_path / "first.c"
    first.write_text(
        '#include "block.h"\nstatic size_t turned;\n'
        "int mine(const void *in, const size_t n, const void *k, unsigned char *out, size_t m)\n"
        "{ turned = m; if (turned == 8) block(k, in, n, out); return 1; }\n"
    )
    result = add(first, block, "-I", tmp_path / "headers", algorithm="siphash-2-4")
    assert result.exit_code == 0, result.output
    assert (
        "siphash-2-4/first is right and kept: mine(in, len, key, out, outlen) of " in result.stdout
    )
    [noted] = json.loads(run("added", "--json").stdout)["added"]
    names = [source["name"] for source in noted["plugin"]["made_from"]["sources"]]
    assert names == ["first.c", "block.c", "block.h", "siphash.c"]


HMAC = """
#include <stdlib.h>
void mine(uint8_t *out, const uint8_t *in, size_t n, const uint8_t *key, size_t keylen) {
    uint8_t *inner = calloc(1, 64 + n), outer[96] = {0};
    if (keylen > 64) whole_hash(key, keylen, inner);
    else if (keylen) memcpy(inner, key, keylen);
    for (int i = 0; i < 64; i++) outer[i] = inner[i] ^ 0x5c, inner[i] ^= 0x36;
    if (n) memcpy(inner + 64, in, n);
    whole_hash(inner, 64 + n, outer + 64);
    whole_hash(outer, 96, out);
    free(inner);
}
"""


def test_the_longest_key_that_was_tried_is_said(add: Run, mine: Run) -> None:
    """A function that takes keys of any length gets some: a cut at 256 bytes is not seen."""
    result = add(mine(HMAC), algorithm="hmac-sha256")
    assert result.exit_code == 0, result.output
    checked = " ".join(result.stdout.split("  checked: ")[1].split("  kept: ")[0].split())
    assert re.search(r" key lengths, .*; keys to 256 bytes, none longer$", checked)


def test_each_compiler_makes_one(run: Run, add: Run, mine: Run) -> None:
    """Each compiler makes a plugin named after it; code that clang refuses gcc may still take."""
    if shutil.which("clang") is None:
        pytest.skip("no clang; on Debian or Ubuntu: apt-get install clang")
    text = f"#ifdef __clang__\n#error no clang\n#endif\n{HASH}"
    result = add(mine(text), "--compiler", "gcc", "--compiler", "clang", "--name", "two")
    assert result.exit_code == 2, result.output
    assert "sha256/two-gcc is right and kept: mine(in, len, out)" in result.stdout
    assert "mine.c is not compiled by clang" in result.stderr
    assert result.stdout.endswith("next: joulemark bench sha256/two-gcc sha256/auto\n")
    assert run("list", "sha256/two-clang").exit_code == 2


def test_lengths_that_a_type_cannot_say_are_refused(
    add: Run, mine: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All lengths of the type are checked, and longer messages do not count as wrong."""
    monkeypatch.setattr(checking, "_CPU_S", 0.5)
    text = "int mine(void *out, const void *in, uint16_t n) { whole_hash(in, n, out); return 7; }"
    result = add(mine(text))
    assert result.exit_code == 0, result.output
    longest = re.search(r"4 201 lengths, .* more to (\d+) (\d+) bytes, ", result.stdout)
    assert longest, result.stdout
    assert 5000 < int(longest[1] + longest[2]) <= 65535


@pytest.mark.skipif(landlock_version() < 3, reason="the kernel offers no Landlock")
def test_the_first_start_of_code(
    add: Run, mine: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What code does before any check: it sees no secret, has no network, and leaves no file.

    A constructor ends the process if it can do any of this, so the code is kept only if it cannot.
    The compiler notes its variables.
    """
    seen, left = tmp_path / "seen", tmp_path / "left"
    wrapper = tmp_path / "noting"
    wrapper.write_text(f'#!/bin/sh\nenv >> {seen}\nexec {shutil.which("gcc")} "$@"\n')
    wrapper.chmod(0o755)
    for name in ("JOULEMARK_STORE", "PGPASSWORD", "GITHUB_TOKEN"):
        monkeypatch.setenv(name, "planted-77")
    text = f"""
        #include <stdio.h>
        #include <stdlib.h>
        #include <string.h>
        #include <sys/socket.h>
        #include <unistd.h>
        extern char **environ;
        __attribute__((constructor)) static void first(void) {{
            for (char **one = environ; *one; one++)
                if (strstr(*one, "planted-77")) _exit(41);
            if (socket(AF_INET, SOCK_DGRAM, 0) >= 0 || socket(AF_UNIX, SOCK_STREAM, 0) >= 0)
                _exit(42);
            if (fopen("{left}", "w")) _exit(43);
            if (!fopen("here", "w") || !fopen("/dev/null", "w")) _exit(44);
        }}
        {HASH}"""
    result = add(mine(text), "--compiler", wrapper)
    assert result.exit_code == 0, result.output
    assert "PATH=" in seen.read_text()
    assert "planted-77" not in seen.read_text()
    assert not left.exists()
