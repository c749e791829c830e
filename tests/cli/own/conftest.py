# SPDX-License-Identifier: Apache-2.0
"""Fixtures: code of a user who knows nothing of Joulemark, and an empty folder for plugins."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from joulemark.cli import add_tree
from joulemark.cli import testing as test
from joulemark.measure.worker.sources import installed_sources
from joulemark.own_code import checking

OWN = Path(__file__).resolve().parents[2] / "plugins" / "own"
FAST = ("--flags", "-O1")
Run = Callable[..., Any]


@pytest.fixture(autouse=True)
def kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, compiler: str) -> Path:
    """The folder of added plugins, empty; checks take one pass and see no outside library."""
    folder = tmp_path / "kept"
    monkeypatch.setenv("JOULEMARK_PLUGINS", str(folder))
    monkeypatch.setattr(checking, "_CPU_S", 0.0)
    monkeypatch.setattr(add_tree, "_CPU_S", 0.0)
    monkeypatch.setattr(test, "_CPU_S", 0.0)
    own = [
        installed_source
        for installed_source in installed_sources()
        if installed_source.kind == "builtin"
    ]
    monkeypatch.setattr("joulemark.measure.inventory.installed_sources", lambda: list(own))
    return folder


@pytest.fixture
def mine(tmp_path: Path) -> Callable[..., Path]:
    """`mine(HASH)`: a file with the function HASH over hash or MAC of `tests/plugins/own`."""

    def make(text: str, base: str = "sha256", name: str = "mine.c") -> Path:
        path = tmp_path / name
        path.write_text(f'#include "{OWN / base}.c"\n{text}\n', "utf-8")
        return path

    return make


@pytest.fixture
def add(run: Run) -> Run:
    """`add(path, ...)`: adds the function `mine` of a file as SHA-256, unless told otherwise."""

    def call(*words: object, function: str = "mine", algorithm: str = "sha256") -> Any:
        fast = () if "--flags" in words else FAST
        return run("add", *words, "--function", function, "--algorithm", algorithm, *fast)

    return call


@pytest.fixture
def ebacs(tmp_path: Path) -> Callable[..., Path]:
    """`ebacs("crypto_hash/sha256/ref", fault="HANGS")`: makes an implementation in `tree`.

    Files that are given by name (dots as underscores) replace those that it has anyway.
    """

    def make(name: str, *, fault: str = "NONE", before: str = "", **files: str) -> Path:
        folder = tmp_path / "tree" / name
        operation = name.split("/", maxsplit=1)[0]
        folder.mkdir(parents=True)
        base = "sha256" if operation == "crypto_hash" else "siphash"
        sizes = {"sha256": (32, 0), "siphash": (8, 16)}[base]
        text = f'#define FAULT {fault}\n#include "{OWN / base}.c"\n{before}\n{_CALLS[base]}'
        made = {
            "api_h": f"#define CRYPTO_BYTES {sizes[0]}\n#define CRYPTO_KEYBYTES {sizes[1]}\n",
            "code_c": text.replace("crypto_auth", operation), **files,
        }  # fmt: skip
        for file, content in made.items():
            if content:
                (folder / file.replace("_", ".")).write_text(content, "utf-8")
        return folder

    return make


_CALLS = {
    "sha256": """\
#include "crypto_hash.h"
int crypto_hash(unsigned char *out, const unsigned char *in, unsigned long long length) {
    whole_hash(in, length, out);
    return 0;
}
""",
    "siphash": """\
#include "crypto_auth.h"
#include "crypto_verify_8.h"
#ifndef EQUAL
#define EQUAL crypto_verify_8
#endif
int crypto_auth(unsigned char *out, const unsigned char *in, unsigned long long length,
                const unsigned char *k) {
    whole_mac(k, in, length, out);
    return 0;
}
int crypto_auth_verify(const unsigned char *tag, const unsigned char *in,
                       unsigned long long length, const unsigned char *k) {
    unsigned char right[8];
    crypto_auth(right, in, length, k);
    return EQUAL(tag, right);
}
""",
}
"""Functions of eBACS over those of `tests/plugins/own`."""
