# SPDX-License-Identifier: Apache-2.0
"""The kernels on other architectures: built by cross compilers, run under qemu if need be.

`make test` builds AArch64, and s390x for big endian, with a few programs and less optimization;
`make test-all` builds all architectures with nearly all programs, as users do.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import pytest
from native_programs import nothing_is_left, program, run

from cmake_builds import NATIVE_TESTS, build

NOT_CHECKED = 77
"""Exit code of a program that has nothing to check on an architecture."""
FEW = (
    "arith",
    "clocks",
    "known_answers",
    "hash_blocks",
    "mac_library",
    "hash_random",
    "mac_random",
)
ALL = (
    *FEW, "batch_random", "batches_survive", "check_engine", "ecm", "engine", "gather",
    "latency_buckets", "length_fuzz", "loop_survives", "narrow_modes", "universal_hashes",
)  # fmt: skip
BOUNDED: Mapping[str, tuple[str, ...]] = {"batch_random": ("500",), "length_fuzz": ("3", "1")}
"""Programs that would run for minutes, with the messages of each kernel, or seconds and seed."""
NOT_UNDER_QEMU: Mapping[str, tuple[str, ...]] = {"x86_64": ("check_engine",)}
"""Programs whose threads end with SIGSEGV now and then where qemu plays the machine it runs on."""
UNDER_QEMU_S = 900


def starts(program: str) -> bool:
    """Whether the kernel runs this program: x86-64 has 32-bit programs as an option."""
    try:
        return run(program, "--version").returncode == 0
    except OSError:
        return False


@dataclass(frozen=True)
class Machine:
    """An architecture with a compiler for it.

    Attributes:
        processor: CMake's name of it.
        compiler: program that compiles for it.
        package: of Debian, which has that program.
        triplet: of the folder in /usr with its C library; empty where this machine runs it.
        qemu: program that runs it; empty where this machine does.
        by_clang: whether that compiler is Clang, which is told the triplet.
        cpu: qemu's name of the CPU that it plays; empty for the one of its choice.
    """

    processor: str
    compiler: str
    package: str
    triplet: str
    qemu: str
    by_clang: bool = False
    cpu: str = ""

    @property
    def c_library(self) -> str:
        """The package of Debian that has its C library."""
        names = {"aarch64": "arm64", "arm": "armhf", "i686": "i386"}
        return f"libc6-dev-{names.get(self.processor, self.processor)}-cross"

    @property
    def emulator(self) -> tuple[str, ...]:
        """The command before a program; none is emulated that the kernel here can start itself."""
        if not self.qemu:
            return ()
        libraries = f"/usr/{self.triplet}/lib"
        loader = f"{libraries}/ld-linux.so.2"
        if self.processor == "i686" and starts(loader):
            return (loader, "--library-path", libraries)
        if self.cpu:
            return (self.qemu, "-cpu", self.cpu)
        return (self.qemu, "-L", f"/usr/{self.triplet}")


MACHINES = {
    "aarch64": Machine("aarch64", "aarch64-linux-gnu-gcc", "gcc-aarch64-linux-gnu",
                       "aarch64-linux-gnu", "qemu-aarch64-static"),
    "s390x": Machine("s390x", "s390x-linux-gnu-gcc", "gcc-s390x-linux-gnu",
                     "s390x-linux-gnu", "qemu-s390x-static"),
    "riscv64": Machine("riscv64", "riscv64-linux-gnu-gcc", "gcc-riscv64-linux-gnu",
                       "riscv64-linux-gnu", "qemu-riscv64-static"),
    "armhf": Machine("arm", "arm-linux-gnueabihf-gcc", "gcc-arm-linux-gnueabihf",
                     "arm-linux-gnueabihf", "qemu-arm-static"),
    "i686": Machine("i686", "i686-linux-gnu-gcc", "gcc-i686-linux-gnu",
                    "i686-linux-gnu", "qemu-i386-static"),
    "aarch64_clang": Machine("aarch64", "clang", "clang", "aarch64-linux-gnu",
                             "qemu-aarch64-static", by_clang=True),
    "aarch64_clang_19": Machine("aarch64", "clang-19", "clang-19", "aarch64-linux-gnu",
                                "qemu-aarch64-static", by_clang=True),
    "musl": Machine("x86_64", "x86_64-linux-musl-gcc", "musl-tools", "", ""),
    # Which kernels may run is asked of the CPU: of another maker's, of one without SHA instructions
    # and AVX-512, and of one without AVX.
    "intel_avx2": Machine("x86_64", "gcc", "gcc", "", "qemu-x86_64-static", cpu="Icelake-Server"),
    "intel_sse": Machine("x86_64", "gcc", "gcc", "", "qemu-x86_64-static", cpu="Nehalem"),
}  # fmt: skip
IN_EVERY_RUN = ("aarch64", "s390x")


def needs(machine: Machine) -> None:
    """Skips, naming the package, where the machine cannot be built for or run."""
    if shutil.which(machine.compiler) is None:
        pytest.skip(
            f"no {machine.compiler}; on Debian or Ubuntu: apt-get install {machine.package}"
        )
    if machine.emulator[:1] == (machine.qemu,) and shutil.which(machine.qemu) is None:
        pytest.skip(f"no {machine.qemu}; on Debian or Ubuntu: apt-get install qemu-user-static")
    if machine.triplet and not Path(f"/usr/{machine.triplet}/include").is_dir():
        pytest.skip(f"no C library of {machine.processor}; apt-get install {machine.c_library}")


def built(
    repository: Path, name: str, targets: tuple[str, ...], *, optimization: str = "-O3"
) -> Path:
    """Builds for a machine, with warnings as errors, and runs the build's own check of answers."""
    machine = MACHINES[name]
    needs(machine)
    options = {
        **NATIVE_TESTS,
        "CMAKE_SYSTEM_NAME": "Linux",
        "CMAKE_SYSTEM_PROCESSOR": machine.processor,
        "CMAKE_C_COMPILER": machine.compiler,
        "CMAKE_CROSSCOMPILING_EMULATOR": ";".join(machine.emulator or ("env",)),
        "JOULEMARK_C_LIBRARY": "ON",
        "JOULEMARK_OPTIMIZATION": optimization,
    }
    if machine.by_clang:
        options["CMAKE_C_COMPILER_TARGET"] = machine.triplet
    libraries = ("joulemark_shared", "joulemark_static", "check_answers")
    return build(repository, f"for_{name}{optimization}", options, (*libraries, *targets))


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("name", IN_EVERY_RUN)
def test_other_architectures(name: str, repository: Path) -> None:
    """Both byte orders: answers, streams, time stamps, and the functions of joulemark/mac.h."""
    passes(name, repository, FEW, optimization="-O2")


@pytest.mark.exhaustive
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("name", MACHINES)
def test_every_architecture(name: str, repository: Path) -> None:
    """All programs that qemu can run; sessions need its threads."""
    passes(name, repository, ALL)


def passes(
    name: str, repository: Path, targets: tuple[str, ...], *, optimization: str = "-O3"
) -> None:
    """Every program ends with 0, or says that it has nothing to check."""
    machine = MACHINES[name]
    left_out = NOT_UNDER_QEMU.get(machine.processor, ()) if machine.emulator else ()
    targets = tuple(target for target in targets if target not in left_out)
    folder = built(repository, name, targets, optimization=optimization)
    failed = []
    for target in targets:
        command = (*machine.emulator, program(folder, target), *BOUNDED.get(target, ()))
        done = run(*command, timeout_s=UNDER_QEMU_S)
        if done.returncode not in {0, NOT_CHECKED}:
            failed.append(f"{target}: {done.stdout[-1500:]}{done.stderr[-500:]}")
    assert not failed, "\n".join(failed)


@pytest.mark.exhaustive
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(("target", "system", "processor"), [
    ("aarch64-macos", "Darwin", "arm64"),
    ("x86_64-freebsd", "FreeBSD", "amd64"),
    ("x86_64-windows-gnu", "Windows", "AMD64"),
])  # fmt: skip
def test_the_library_links_for_other_systems(
    target: str, system: str, processor: str, repository: Path, tmp_path: Path
) -> None:
    """Static and shared, by the Clang and the C libraries that the package ziglang has."""
    found = find_spec("ziglang")
    if found is None or found.origin is None:
        pytest.skip("no ziglang: pip install ziglang")
    zig = Path(found.origin).with_name("zig")
    for name, words in (("cc", f"cc -target {target}"), ("ar", "ar"), ("ranlib", "ranlib")):
        (tmp_path / name).write_text(f'#!/bin/sh\nexec "{zig}" {words} "$@"\n', "utf-8")
        (tmp_path / name).chmod(0o755)
    options = {
        "CMAKE_SYSTEM_NAME": system, "CMAKE_SYSTEM_PROCESSOR": processor,
        "CMAKE_C_COMPILER": str(tmp_path / "cc"), "CMAKE_AR": str(tmp_path / "ar"),
        "CMAKE_RANLIB": str(tmp_path / "ranlib"), "JOULEMARK_BINDINGS": "OFF",
        "JOULEMARK_PROVIDERS": "OFF", "JOULEMARK_C_LIBRARY": "ON",
    }  # fmt: skip
    shutil.rmtree(repository / "build" / f"zig_{target}", ignore_errors=True)
    build(repository, f"zig_{target}", options, ("joulemark_static", "joulemark_shared"))


@pytest.mark.exhaustive
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("name", MACHINES)
def test_nothing_is_left_behind_elsewhere(name: str, repository: Path) -> None:
    """No frame is deeper than what is overwritten, and a search finds only what it planted."""
    folder = built(repository, name, ("forgets", "wiping/wiping_doubt.c"))
    nothing_is_left(folder, MACHINES[name].emulator)
