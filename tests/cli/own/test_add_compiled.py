# SPDX-License-Identifier: Apache-2.0
"""`joulemark add` of C++ and of code that was compiled before: objects, archives, libraries."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

HASH = "void mine(const uint8_t *in, size_t n, uint8_t *out) { whole_hash(in, n, out); }"
HEADER = """\
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif
void mine(const uint8_t *in, size_t n, uint8_t *out);
#ifdef __cplusplus
}
#endif
"""
CXX = """\
#include <vector>
#include "mine.h"
extern "C" void plain(const uint8_t *in, size_t n, uint8_t *out);
namespace {
struct Whole {
    std::vector<uint8_t> bytes;
    explicit Whole(const uint8_t *in, size_t n) : bytes(in, in + n) {}
};
}
void mine(const uint8_t *in, size_t n, uint8_t *out) {
    const Whole whole(in, n);
    plain(whole.bytes.data(), n, out);
}
"""
Run = Callable[..., Any]


@pytest.fixture
def header(tmp_path: Path) -> Path:
    """The declaration of `mine`, for C and C++."""
    path = tmp_path / "mine.h"
    path.write_text(HEADER, "utf-8")
    return path


@pytest.fixture
def built(mine: Run, tmp_path: Path, compiler: str) -> Callable[..., Path]:
    """`built("mine.o")`: the right code as an object, an archive or a shared library."""

    def make(name: str, *flags: str) -> Path:
        source, path, unit = mine(HASH, name="code.c"), tmp_path / name, tmp_path / "unit.o"
        pic = () if "-fno-pic" in flags else ("-fPIC",)
        subprocess.run([compiler, "-O1", *pic, *flags, "-c", source, "-o", unit], check=True)
        if name.endswith(".o"):
            unit.rename(path)
        elif name.endswith(".a"):
            subprocess.run(["ar", "rcs", path, unit], check=True)
        else:
            words = [f"-Wl,-soname,{flag.partition('=')[2]}" for flag in flags if "soname" in flag]
            subprocess.run([compiler, "-shared", *words, unit, "-o", path], check=True)
        source.unlink()
        return path

    return make


@pytest.fixture
def cxx(mine: Run, tmp_path: Path) -> Callable[[str], tuple[Path, Path]]:
    """`cxx(CXX)`: a file of C++, and the file of C that it calls."""
    if shutil.which("g++") is None:
        pytest.skip("no g++; on Debian or Ubuntu: apt-get install g++")

    def make(text: str) -> tuple[Path, Path]:
        source = tmp_path / "mine.cpp"
        source.write_text(text, "utf-8")
        return source, mine(HASH.replace("void mine", "void plain"), name="plain.c")

    return make


def test_cxx_is_compiled_and_linked_by_its_compiler(add: Run, cxx: Run, header: Path) -> None:
    """A class of C++ beside a file of C is right; header and both sources are on record."""
    source, plain = cxx(CXX)
    result = add(source, header, plain, "--compiler", "gcc")
    assert result.exit_code == 0, result.output
    assert "sha256/mine is right and kept: mine(in, len, out) of " in result.stdout


def test_cxx_without_extern_c_gets_the_remedy(add: Run, cxx: Run, header: Path) -> None:
    """A function that only C++ can call is refused with the words to add."""
    source, plain = cxx(CXX.replace('#include "mine.h"', "#include <cstdint>\n#include <cstddef>"))
    result = add(source, header, plain, "--compiler", "gcc")
    assert result.exit_code == 2, result.output
    assert 'C++ has to declare mine as extern "C"' in " ".join(result.stderr.split())


@pytest.mark.parametrize("name", ["mine.o", "libmine.a", "libmine.so", "libmine.so.2"])
def test_compiled_code_is_added_with_its_hash(
    run: Run, add: Run, header: Path, built: Run, kept: Path, name: str
) -> None:
    """Compiled code and a header are enough, and what was linked is on record."""
    code = built(name)
    result = add(header, code)
    assert result.exit_code == 0, result.output
    [noted] = json.loads(run("added", "--json").stdout)["added"]
    assert {source["name"] for source in noted["plugin"]["made_from"]["sources"]} == {
        "mine.h",
        name,
    }
    code.unlink()  # nothing of it is needed from now on
    assert run("test", "sha256/mine").exit_code == 0
    [entry] = kept.iterdir()
    libraries = [name] if ".so" in name else []
    assert sorted(path.name for path in entry.iterdir()) == sorted(
        ["plugin.json", "plugin.so", *libraries]
    )


def test_a_library_is_kept_under_the_name_by_which_it_is_loaded(
    run: Run, add: Run, header: Path, built: Run, kept: Path
) -> None:
    """A copy of the library lies beside the plugin; another one in its place is not loaded."""
    result = add(header, built("libmine.so", "-Dsoname=libmine.so.7"))
    assert result.exit_code == 0, result.output
    [entry] = kept.iterdir()
    library = entry / "libmine.so.7"
    assert library.is_file()
    library.write_bytes(library.read_bytes() + b"\0")
    listed = run("list", "sha256/mine")
    assert listed.exit_code == 2
    assert "libmine.so.7 is not what was kept there" in run("list").stdout


def test_code_that_is_not_position_independent_gets_the_remedy(
    add: Run, header: Path, built: Run
) -> None:
    """An object for programs alone cannot be linked into a plugin, and the sentence says why."""
    result = add(header, built("mine.o", "-fno-pic", "-mcmodel=small"))
    assert result.exit_code == 2, result.output
    assert "compiled code has to be position-independent (-fPIC)" in " ".join(result.stderr.split())


def test_what_is_no_library_is_refused(add: Run, header: Path, tmp_path: Path, kept: Path) -> None:
    """A file that only has the name of a library is refused in one sentence."""
    path = tmp_path / "libmine.so"
    path.write_bytes(b"no library")
    result = add(header, path)
    assert result.exit_code == 2
    assert "is no shared library that can be read" in " ".join(result.stderr.split())
    assert list(kept.iterdir()) == []
