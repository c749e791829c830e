# SPDX-License-Identifier: Apache-2.0
"""No secret is left behind by kernels as GCC and as clang compile them (decision 17)."""

from __future__ import annotations

import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from native_programs import frames_are_kept, nothing_is_left, program, run

pytestmark = pytest.mark.timeout(900)  # a build may wait for another worker's build

COPIES_OF_OTHERS = {
    ("block_hash.c.o", "jm_block_hash_update"),
    ("cmac.c.o", "stream_update"),
    ("engine_make.c.o", "jm_engine_make"),
    ("engine_make.c.o", "sets_same_key"),
    ("gmac_pclmul.c.o", "update_inner"),
    ("gmac_portable.c.o", "update_inner"),
    ("gmac_vpclmul.c.o", "update_inner"),
    ("merkle_damgard.c.o", "jm_md_state_update"),
    ("merkle_damgard.c.o", "jm_md_update"),
    ("poly1305_avx2.c.o", "update_inner"),
    ("poly1305_avx512ifma.c.o", "update_inner"),
    ("poly1305_bmi2.c.o", "update_inner"),
    ("poly1305_portable.c.o", "update_inner"),
    ("sponge.c.o", "digest"),
}
"""Functions that let the C library copy or compare messages, digests without a key, or tables."""
_COPIES_OF_TAILS = re.compile(r"(poly1305|siphash|halfsiphash)_mcu(8|32)\.c\.o")
"""Variants for microcontrollers copy the last bytes of a message one by one, and compilers for this
machine call the library for it."""
_MAC = re.compile(r"JM_KIND_MAC|hmac/hmac")
"""Text of a kernel that is a MAC; a folder without such text has hashes alone."""


@pytest.fixture(params=[
    "plain",
    "clang",
    pytest.param("all_with_clang", marks=pytest.mark.exhaustive),
])  # fmt: skip
def compiled(request: pytest.FixtureRequest) -> Path:
    """A build by the machine's compiler; builds by clang of nearly all kernels and of all."""
    folder = request.getfixturevalue(request.param)
    assert isinstance(folder, Path)
    return folder


def test_nothing_is_left_behind(compiled: Path) -> None:
    """No implementation leaves a key, key state, intermediate value or unsent tag anywhere."""
    done = run(program(compiled, "forgets"))
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    assert " 0 with something left" in done.stdout


@pytest.mark.parametrize("algorithm", ["hmac-sha256", "cmac-aes128", "siphash-2-4"])
def test_a_lazily_bound_library_leaves_nothing_more(compiled: Path, algorithm: str) -> None:
    """The linker stores registers when it binds a symbol, which it does once in a process."""
    done = run(program(compiled, "forgets_lazy"), algorithm)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]


@pytest.mark.parametrize("algorithm", ["hmac-sha256", "cmac-aes128", "siphash-2-4"])
@pytest.mark.parametrize("way", ["now", "static"])
def test_nor_does_another_way_of_linking(way: str, algorithm: str, plain: Path) -> None:
    """Neither a shared library bound early nor a static program leaves more."""
    if way == "static" and not list(plain.rglob("forgets_static")):
        pytest.skip("no static C library; on Debian or Ubuntu: apt-get install libc6-dev")
    done = run(program(plain, f"forgets_{way}"), algorithm)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]


def test_no_secret_goes_through_the_c_library(compiled: Path, repository: Path) -> None:
    """The C library chooses registers that a kernel without wide vectors cannot clear.

    HMAC over a hash without an HMAC kernel may use them: kernels/hmac/hmac_over_hash.h clears all
    registers of the CPU.
    """
    if platform.machine() != "x86_64" or not shutil.which("objdump"):
        pytest.skip("no objdump, or other registers than those of x86-64")
    alone = {f"{path.name}.o" for folder in (repository / "kernels").iterdir() if folder.is_dir()
             and not any(_MAC.search(path.read_text("utf-8")) for path in folder.glob("*.[ch]"))
             for path in folder.glob("*.c")}  # fmt: skip
    listing = run("objdump", "-dr", "--no-show-raw-insn", compiled / "libjm_kernels.a").stdout
    found = set()
    member = function = ""
    for line in listing.splitlines():
        if match := re.match(r"(\S+\.o): ", line):
            member = match[1]
        elif match := re.match(r"[0-9a-f]+ <(\w+)[^>]*>:", line):
            function = match[1]
        elif re.search(r"\sR_X86_64_\w+\s+(memcpy|memmove|memcmp|bcmp)\b", line):
            found.add((member, function))
    assert ("block_hash.c.o", "jm_block_hash_update") in found
    alone.add("known_answers.c.o")  # its key is public
    found = {item for item in found if item[0] not in alone and not _COPIES_OF_TAILS.match(item[0])}
    assert ("cmac.c.o", "stream_update") in found
    assert found <= COPIES_OF_OTHERS


@pytest.mark.exhaustive
@pytest.mark.timeout(3600)
def test_nor_by_any_other_compiler(by_each_compiler: Path) -> None:
    """Each version of GCC and Clang that this machine has."""
    nothing_is_left(by_each_compiler)


def configure(repository: Path, build: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Runs CMake alone for the C library."""
    ninja = Path(sys.executable).with_name("ninja")
    return run(ninja.with_name("cmake"), "-S", repository, "-B", build, "-G", "Ninja",
               f"-DCMAKE_MAKE_PROGRAM={ninja}", "-DJOULEMARK_BINDINGS=OFF",
               "-DJOULEMARK_PROVIDERS=OFF", *options)  # fmt: skip


def test_cmake_refuses_an_older_compiler(repository: Path, tmp_path: Path) -> None:
    """GCC 11 is named, with the version that is needed."""
    gcc = shutil.which("gcc")
    if gcc is None:
        pytest.skip("no GCC; on Debian or Ubuntu: apt-get install gcc")
    claimed = tmp_path / "gcc"
    claimed.write_text(f'#!/bin/sh\nexec {gcc} -U__GNUC__ -D__GNUC__=11 "$@"\n')
    claimed.chmod(0o755)
    done = configure(repository, tmp_path / "build", f"-DCMAKE_C_COMPILER={claimed}")
    assert done.returncode == 1
    assert "The kernels need GCC 12 or Clang 14" in " ".join(done.stderr.split())


def test_a_build_that_measures_no_frames_promises_nothing(repository: Path, tmp_path: Path) -> None:
    """CMake says so, and so do the package and the library."""
    done = configure(repository, tmp_path, "-DJOULEMARK_MEASURE_FRAMES=OFF")
    why = "this build was told not to measure its frames"
    assert f"leave no secret on the stack: {why}." in " ".join(done.stderr.split())
    wiping = tmp_path / "wiping"
    assert f'"{why}"' in (wiping / "joulemarkWiping.cmake").read_text("utf-8")
    assert f"wiping={why}\n" in (wiping / "joulemark.pc").read_text("utf-8")
    assert f'return "{why}";' in (wiping / "wiping_doubt.c").read_text("utf-8")


@pytest.mark.parametrize(
    "build", ["plain", pytest.param("all_with_clang", marks=pytest.mark.exhaustive)]
)
def test_each_frame_is_overwritten_whole(build: str, request: pytest.FixtureRequest) -> None:
    """The build has measured the frames of all kernels, also of those that this CPU cannot run."""
    folder = request.getfixturevalue(build)
    assert isinstance(folder, Path)
    frames_are_kept(folder)
    assert '"complete"' in (folder / "wiping" / "joulemarkWiping.cmake").read_text("utf-8")


def test_llvm_measures_the_same(compiled: Path, repository: Path, tmp_path: Path) -> None:
    """LLVM's objdump, which CMake takes for clang, writes other text than GNU's."""
    names = ("llvm-objdump", *(f"llvm-objdump-{version}" for version in range(22, 13, -1)))
    tools = ["objdump", next(filter(shutil.which, names), "")]
    if not all(map(shutil.which, tools)):
        pytest.skip("no objdump, or none of LLVM; on Debian or Ubuntu: apt-get install llvm")
    objects = [path for path in compiled.rglob("*.c.o") if "jm_kernels.dir" in str(path)]
    reports = [tmp_path / tool for tool in tools]
    for tool, report in zip(tools, reports, strict=True):
        done = run(sys.executable, repository / "tools" / "measure_frames.py", "--objdump", tool,
                   "--report", report, *objects)  # fmt: skip
        assert done.returncode == 0, done.stderr
    assert len(objects) > 50
    assert reports[0].read_text("utf-8") == reports[1].read_text("utf-8")


PLANTED = """
#include "common/secret.h"
#include <string.h>
void scatter(void *);
static __attribute__((noinline)) void fill(int turns) {
    char words[FRAME];
    memset(words, turns, sizeof words);
    scatter(words);
}
typedef void work(int);
static work *const table[] = {fill};
void choose(work *const *);
JM_APART jm_status inner(int turns) {
    CALL;
    return JM_OK;
}
jm_status outer(int turns) {
    const jm_status status = inner(turns);
    return JM_FORGET(status, 512);
}
"""


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.parametrize(("frame_bytes", "call", "is_kept"), [
    (64, "fill(turns)", True),
    (1000, "fill(turns)", False),
    (1000, "choose(table)", False),
    (1000, "scatter(&turns)", True),
])  # fmt: skip
def test_a_deep_frame_is_found(
    compiler: str, frame_bytes: int, call: str, is_kept: bool, repository: Path, tmp_path: Path
) -> None:
    """A frame that is called, or that a table in reach names, is held against JM_FORGET."""
    found = shutil.which(compiler)
    if found is None or shutil.which("objdump") is None:
        pytest.skip(f"no {compiler} or no objdump")
    source = tmp_path / "planted.c"
    source.write_text(PLANTED, "utf-8")
    done = run(found, "-O2", "-fPIC", "-fstack-usage", "-ffunction-sections", "-fdata-sections",
               f"-DFRAME={frame_bytes}", f"-DCALL={call}", "-Wno-unused", "-c",
               "-I", repository / "kernels", "-I", repository / "kernels" / "include",
               source, "-o", tmp_path / "planted.c.o")  # fmt: skip
    assert done.returncode == 0, done.stderr
    done = run(sys.executable, repository / "tools" / "measure_frames.py", "--objdump", "objdump",
               "--strict", "--report", tmp_path / "report", tmp_path / "planted.c.o")  # fmt: skip
    report = (tmp_path / "report").read_text("utf-8")
    assert report.startswith("kept" if is_kept else "BROKEN"), report
    assert "512 bytes overwritten" in report
    assert done.returncode == (not is_kept), done.stdout
    assert ("fill: " in report) == (not is_kept)
