# SPDX-License-Identifier: Apache-2.0
"""Compiles and links programs for firmware targets once, keeps them in a cache, and sizes them.

An object is named by a digest of its source, all headers, flags and compiler; a program by its
objects. Two processes that make the same file at once make equal bytes, and each puts them in place
by a rename.
"""

from __future__ import annotations

import hashlib
import io
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from joulemark.catalogue import data_folder
from joulemark.errors import ImplementationError, UnavailableError
from joulemark.firmware.target import Target, firmware_folder
from joulemark.hardware.manifest import ManifestTable, Words, read_facts
from joulemark.processes.child import named_variables
from joulemark.processes.tool import ToolOutput, ask_tool
from joulemark.user_folders import user_cache

# The sources that make each implementation for firmware (`firmware/bench/kernels.toml`).

_X86: Final = re.compile(
    r"(?:^|_)(?:aesni|avx2|avx512(?:ifma)?|bmi2|gfni|shani|ssse3|v?pclmul|vaes)(?:_|$)"
)
"""Techniques in the names of variants that no firmware target has."""


class _Primitive(ManifestTable):
    algorithms: list[Words]
    own: Words
    shared: list[Words]


class _Kernels(ManifestTable):
    primitive: list[_Primitive]


@dataclass(frozen=True, slots=True)
class KernelSources:
    """One implementation, and the sources that must be compiled for it."""

    algorithm: str
    variant: str
    files: tuple[Path, ...]
    """Source files, the variant's file first."""

    @property
    def name(self) -> str:
        """`algorithm/variant`."""
        return f"{self.algorithm}/{self.variant}"

    @property
    def symbol(self) -> str:
        """Name of its constant table in C."""
        return f"jm_{self.algorithm.replace('-', '_')}_{self.variant}"


@cache
def kernels_folder() -> Path:
    """Folder of the installed kernels' sources, or of the source tree if none are installed."""
    installed = data_folder("kernels")
    return installed if installed.is_dir() else firmware_folder().parent / "kernels"


@cache
def every_implementation() -> dict[str, KernelSources]:
    """Every implementation that firmware can be built from, by name, in the order of the table."""
    folder = kernels_folder()
    by_name = {}
    for primitive in read_facts(firmware_folder() / "bench" / "kernels.toml", _Kernels).primitive:
        before, _, after = primitive.own.partition("{variant}")
        for path in sorted(folder.glob(f"{before}*{after}")):
            variant = str(path.relative_to(folder))[len(before) : -len(after)]
            is_name = re.fullmatch(r"[a-z0-9]+(?:_[a-z0-9]+)*", variant)
            if _X86.search(variant) or not is_name or variant == "table":
                continue
            files = (path, *(folder / name for name in primitive.shared))
            for algorithm in primitive.algorithms:
                kernel_sources = KernelSources(algorithm, variant, files)
                by_name[kernel_sources.name] = kernel_sources
    return by_name


# The compiler of a target: whether it is installed, and its version.


def missing_tool(target: Target) -> str | None:
    """The first tool for this target that this machine lacks, with its package; None if none."""
    tools = target.toolchain
    for program, package in ((tools.compiler, tools.package), (tools.linker, tools.linker_package)):
        if program is not None and shutil.which(program) is None:
            return f"needs {program} (apt-get install {package})"
    for package, file in tools.headers.items():
        if not Path(file).exists():
            return f"needs {package} (apt-get install {package})"
    return None


@cache
def compiler_version(compiler: str) -> str:
    """The first line that the compiler prints about itself."""
    said = ask_tool([compiler, "--version"], timeout_s=20.0)
    return said.output.splitlines()[0].strip() if said.output.strip() else compiler


_LIMIT_S: Final = 300.0
"""Longest time of one run of a compiler; the largest file takes some seconds."""
_SECTIONS: Final = ("-ffunction-sections", "-fdata-sections", "-DJM_FREESTANDING")
_LINKED: Final = ("--gc-sections", "-u", "jm_bench_offsets")
_OVERFLOW: Final = re.compile(r"overflowed by (\d+)")
_HEADERS: Final = ("*.h", "*.ld", "*.inc")


def flags_text(target: Target) -> str:
    """The compiler flags that a record keeps."""
    return " ".join((*target.toolchain.flags, *_SECTIONS))


def bench_program(
    target: Target, kernel: KernelSources, lengths: Sequence[int], defines: Sequence[str] = ()
) -> Path:
    """The bench with one implementation, for messages of these lengths in bytes."""
    main = firmware_folder() / "bench" / "bench.c"
    return program_with(target, main, kernel, lengths, defines)


def program_with(
    target: Target,
    main: Path,
    kernel: KernelSources,
    lengths: Sequence[int],
    defines: Sequence[str] = (),
) -> Path:
    """A program with another `main` than the bench's, for the same implementation and lengths."""
    listed = ",".join(map(str, lengths))
    subject = [f"-DJM_BENCH_SUBJECT={kernel.symbol}", f"-DJM_BENCH_LENGTHS={listed}"]
    bench = _main(target, main, [*subject, *defines])
    return _link(target, [bench, *_objects(target, kernel.files)], kernel.name)


def empty_program(target: Target) -> Path:
    """The bench with an implementation that has no code: the part that all programs share."""
    bench = firmware_folder() / "bench"
    defines = ["-DJM_BENCH_SUBJECT=jm_nothing", "-DJM_BENCH_LENGTHS=0"]
    main = _main(target, bench / "bench.c", defines)
    return _link(target, [main, *_objects(target, [bench / "nothing.c"])], "")


def _main(target: Target, source: Path, defines: Sequence[str]) -> Path:
    port = f'-DJM_TARGET_PORT="{target.toolchain.port}"'
    return _object(target, source, (port, *defines))


def _objects(target: Target, files: Iterable[Path]) -> list[Path]:
    own = (firmware_folder() / name for name in target.toolchain.sources)
    return [_object(target, path, ()) for path in (*files, *own)]


def _object(target: Target, source: Path, defines: Sequence[str]) -> Path:
    lacking = missing_tool(target)
    if lacking is not None:
        raise UnavailableError(lacking)
    tools = target.toolchain
    firmware, kernels = firmware_folder(), kernels_folder()
    own_library = [f"-I{firmware / 'runtime'}"] if "runtime/memory.c" in tools.sources else []
    arguments = [
        tools.compiler,
        *tools.flags,
        *_SECTIONS,
        *defines,
        *own_library,
        *(f"-I{path}" for path in (firmware, firmware / "bench", kernels, kernels / "include")),
    ]
    name = [argument.replace(str(firmware), "").replace(str(kernels), "") for argument in arguments]
    key = _key(compiler_version(tools.compiler), *name, _headers(), source.read_bytes())

    def compile_to(path: Path) -> None:
        said = ask_compiler([*arguments, "-c", str(source), "-o", str(path)], path.parent)
        if said.code:
            raise ImplementationError(f"{source.name} does not compile: {_first_error(said)}")

    return in_place(f"{key}.o", compile_to)


def _link(target: Target, objects: Sequence[Path], name: str) -> Path:
    tools = target.toolchain
    firmware = str(firmware_folder())
    flags = [
        flag.replace("{folder}", str(target.folder)).replace("{firmware}", firmware)
        for flag in tools.link_flags
    ]
    shown = [flag.replace(firmware, "") for flag in flags]
    names = [path.name for path in objects]
    key = _key(
        compiler_version(tools.compiler), *shown, *_LINKED, *tools.libraries, *names, _headers()
    )
    if tools.linker is None:
        linker, linker_flags = tools.compiler, [f"-Wl,{','.join(_LINKED)}"]
    else:
        linker, linker_flags = tools.linker, [*_LINKED]

    def link_to(path: Path) -> None:
        said = ask_compiler(
            [linker, *flags, *linker_flags, *map(str, objects), *tools.libraries, "-o", str(path)],
            path.parent,
        )
        if said.code:
            raise _link_error(name, target, said)

    return in_place(f"{key}.elf", link_to)


def _link_error(name: str, target: Target, said: ToolOutput) -> Exception:
    """The error that the messages of a failed linker mean."""
    text = said.errors + said.output
    if "overflowed by" in text or "will not fit" in text or "out of range" in text.lower():
        overflow = _OVERFLOW.search(text)
        much = f"; {overflow[1]} bytes too many" if overflow else ""
        memory = target.memory
        return UnavailableError(
            f"it does not fit {target.title}, which has {memory.flash_bytes} bytes of flash and "
            f"{memory.ram_bytes} of RAM{much}"
        )
    if "undefined reference to `jm_" in text or "undefined symbol: jm_" in text:
        return UnavailableError(f"its sources have no code for {target.title}")
    return ImplementationError(f"{name} cannot be linked: {_first_error(said)}")


def _first_error(said: ToolOutput) -> str:
    lines = [line.strip() for line in (said.errors or said.output).splitlines() if line.strip()]
    return next(
        (line for line in lines if "error" in line.lower()), lines[-1] if lines else "no words"
    )


def ask_compiler(arguments: Sequence[str], scratch: Path, limit_s: float = _LIMIT_S) -> ToolOutput:
    """Runs a compiler or a linker, whose temporary files lie in `scratch` and go with that folder.

    A compiler that is ended, by an interrupt or for want of time, does not remove its files.
    """
    environment = named_variables({"TMPDIR": str(scratch)})
    try:
        return ask_tool(arguments, environment=environment, timeout_s=limit_s)
    except subprocess.TimeoutExpired:
        name = Path(arguments[0]).name
        raise ImplementationError(f"{name} was ended after {limit_s:g} s") from None


def in_place(name: str, make: Callable[[Path], None]) -> Path:
    """The file of this name in the user's cache, which `make` writes to a path if it is not there.

    The name contains a digest of all that the file depends on.
    """
    folder = user_cache("firmware")
    path = folder / name
    if path.exists():
        return path
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".making-", dir=folder) as working:
        new = Path(working) / name
        make(new)
        new.replace(path)
    return path


def _key(*parts: str | bytes) -> str:
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "little") + data)
    return digest.hexdigest()[:32]


@cache
def _headers() -> str:
    """SHA-256 of every header that a source may include, and of every linker script."""
    digest = hashlib.sha256()
    for folder in (kernels_folder(), firmware_folder()):
        for path in sorted(path for pattern in _HEADERS for path in folder.rglob(pattern)):
            digest.update(path.name.encode() + b"\0" + hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


# Sizes of a program in a target's memories, read from the linked file (ELF).

_WRITE, _ALLOCATED, _EXECUTED = 1, 2, 4
"""Flags of sections (ELF specification, sh_flags)."""
_POINTER_AND_OFFSETS = 8


@dataclass(frozen=True, slots=True)
class ProgramSizes:
    """Bytes of one program by kind."""

    code: int
    read_only: int
    variables: int
    """Initialised variables, with the constants on targets that copy those to RAM."""
    zeroed: int


def _sections(elf: ELFFile) -> Iterator[Any]:
    for section in elf.iter_sections():
        if section["sh_flags"] & _ALLOCATED and section["sh_size"]:
            yield section


def program_sizes(path: Path) -> ProgramSizes:
    """Adds up the sections that take memory of a machine."""
    code = read_only = variables = zeroed = 0
    with path.open("rb") as file:
        for section in _sections(ELFFile(file)):
            size, flags = section["sh_size"], section["sh_flags"]
            if section["sh_type"] == "SHT_NOBITS":
                zeroed += 0 if section.name.startswith(".stack") else size
            elif flags & _EXECUTED:
                code += size
            elif flags & _WRITE:
                variables += size
            else:
                read_only += size
    return ProgramSizes(code, read_only, variables, zeroed)


def state_bytes_of(path: Path, kernel: KernelSources) -> int | None:
    """Bytes of a key state or a schedule, from the implementation's table; None for a hash.

    `jm_bench_offsets` in the program has their offsets in the table.
    """
    elf = ELFFile(io.BytesIO(path.read_bytes()))
    table, offsets = symbol_address(elf, kernel.symbol), symbol_address(elf, "jm_bench_offsets")
    size, _, mac, cipher, _, key_state, _, schedule = (
        int.from_bytes(_bytes_at(elf, offsets + 2 * i, 2), "little")
        for i in range(_POINTER_AND_OFFSETS)
    )
    for pointer_at, within in ((mac, key_state), (cipher, schedule)):
        functions = int.from_bytes(_bytes_at(elf, table + pointer_at, size), "little")
        if functions:
            # On AVR a pointer lacks the bit by which a linker tells RAM from flash.
            space = table & ~0xFFFF if size == 2 else 0
            return int.from_bytes(_bytes_at(elf, (functions | space) + within, size), "little")
    return None


def symbol_address(elf: ELFFile, name: str) -> int:
    """Address of a symbol of a program."""
    for section in elf.iter_sections():
        if isinstance(section, SymbolTableSection):
            for symbol in section.get_symbol_by_name(name) or ():
                return int(symbol["st_value"])
    raise ImplementationError(f"the program has no {name}")


def _bytes_at(elf: ELFFile, address: int, count: int) -> bytes:
    for section in _sections(elf):
        begin = section["sh_addr"]
        if begin <= address and address + count <= begin + section["sh_size"]:
            data: bytes = section.data()
            return data[address - begin : address - begin + count]
    raise ImplementationError(f"the program has nothing at {address:#x}")
