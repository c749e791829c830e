# SPDX-License-Identifier: Apache-2.0
"""A user's code made into a shared object; the compiler runs within limits for each file."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from elftools.common.exceptions import ELFError
from elftools.elf.dynamic import DynamicSection
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from joulemark.catalogue import data_folder
from joulemark.errors import JoulemarkError, UnavailableError, UsageError
from joulemark.foreign import shortened
from joulemark.own_code import CXX, Code, SourceFile
from joulemark.processes.child import named_variables
from joulemark.processes.tool import Limits, ToolOutput, run_limited

# Compilers of this machine, run within limits, and their complaints, fit to be shown.

_CXX_NAMES: Final = {"gcc": "g++", "clang": "clang++", "cc": "c++"}
_C_NAMES: Final = re.compile(r"gcc|clang|\bcc\b")
_USUAL: Final = ("gcc", "clang", "cc")
"""Compilers that are taken if none is named, the first that is here."""
_VERSION_S: Final = 10.0
"""Limit of `--version`, which a compiler answers at once."""
_MOST_LINES: Final = 5
_LINE_CHARACTERS: Final = 300
_TELLING: Final = ("error:", "undefined reference", "undefined symbol", "multiple definition")
_NOT_TELLING: Final = "ld returned"
"""A line of gcc that repeats the linker's error without its reason."""


class CompileError(JoulemarkError):
    """Sources that this compiler does not take, with its first errors, fit to be shown."""

    def __init__(self, sentence: str, lines: Sequence[str]) -> None:
        super().__init__(sentence)
        self.lines = tuple(lines)


@dataclass(frozen=True, slots=True)
class Compiler:
    """A compiler of C."""

    program: str
    """Path of the program."""
    name: str
    """The name that was asked for, such as `gcc`."""
    version: str
    """First line of its answer to `--version`."""
    limits: Limits

    def of_cxx(self) -> Compiler:
        """The compiler of C++ that goes with it: g++ with gcc, clang++ with clang, c++ with cc."""
        name = _C_NAMES.sub(lambda found: _CXX_NAMES[found[0]], self.name)
        beside = Path(self.program).with_name(name)
        program = str(beside) if beside.is_file() else shutil.which(name)
        if name == self.name or program is None:
            raise UnavailableError(
                f"the compiler of C++ that goes with {self.name} is not found"
                + (f" ({name})" if name != self.name else "")
                + "; on Debian or Ubuntu: apt-get install g++, or clang"
            )
        return replace(self, program=program, name=name)

    def run(
        self, arguments: Sequence[str], scratch: Path, doing: str, folder: Path | None = None
    ) -> ToolOutput:
        """Runs the compiler in a folder, ours unless named, with `scratch` for temporary files.

        The sentence of an error begins with `doing`, as in "gcc, compiling mine.c,".
        """
        environment = named_variables({"LC_ALL": "C", "TMPDIR": str(scratch)})
        line = [self.program, *arguments]
        try:
            return run_limited(line, self.limits, environment=environment, folder=folder)
        except subprocess.TimeoutExpired:
            raise CompileError(f"{doing} was ended after {self.limits.seconds:g} s", ()) from None


def find_compiler(name: str | None, limits: Limits) -> Compiler:
    """The compiler of that name; None: the usual one."""
    names = _USUAL if name is None else (name,)
    path = next(filter(None, (shutil.which(command) for command in names if command)), None)
    if path is None:
        where = "no C compiler is" if name is None else f"--compiler {shortened(name)} is not"
        package = name if name in _USUAL[:2] else "gcc"
        raise UnavailableError(
            f"{where} installed here: on Debian or Ubuntu apt-get install {package}"
        )
    name = name or Path(path).name
    try:
        said = run_limited([path, "--version"], replace(limits, seconds=_VERSION_S))
    except subprocess.TimeoutExpired:
        raise UnavailableError(
            f"{shortened(name, 200)} --version does not end within {_VERSION_S:g} s; name another "
            "compiler with --compiler"
        ) from None
    lines = said.output.splitlines() or [name]
    return Compiler(path, Path(name).name, shortened(lines[0], 100), limits)


def complaints(said: ToolOutput, hidden: Iterable[tuple[str, str]] = ()) -> list[str]:
    """The first lines that say what is wrong; if no line does, the last lines.

    The user's names take the place of the paths of ours that `hidden` has.
    """
    text = said.errors or said.output
    for path, shown in hidden:
        text = text.replace(path, shown)
    lines = [line for line in text.splitlines() if line.strip()]
    lines = [line for line in lines if _NOT_TELLING not in line] or lines
    telling = [line for line in lines if any(word in line for word in _TELLING)]
    chosen = telling[:_MOST_LINES] or lines[-_MOST_LINES:]
    return [shortened(line, _LINE_CHARACTERS) for line in chosen]


_SHARED: Final = ("-fPIC", "-fvisibility=hidden")
"""The linker then cannot take a library's function for a user's function of the same name."""
_UNESCAPED_SPACE: Final = re.compile(r"(?<!\\)\s+")
_ESCAPED: Final = re.compile(r"\\([ \t#])")


@dataclass(frozen=True, slots=True)
class Toolchain:
    """A compiler with the user's flags."""

    compiler: Compiler
    flags: tuple[str, ...]
    scratch: Path
    """Folder of everything that is compiled."""
    folder: Path | None = None
    """Checkout in which the compiler works, and whose path is left out of what it makes; None: the
    current folder."""

    @property
    def nameless(self) -> tuple[str, ...]:
        """Flags without which the code holds the path of the checkout, by `__FILE__`."""
        return () if self.folder is None else (f"-ffile-prefix-map={self.folder}=.",)


@dataclass(frozen=True, slots=True)
class Unit:
    """A compiled file."""

    object: Path
    read: tuple[Path, ...]
    """Files that the compiler read, without those of the system."""


def macros_of(tools: Toolchain) -> str:
    """The macros that compiler and flags define, which name the instructions that may be used."""
    said = tools.compiler.run(
        [*tools.flags, "-dM", "-E", "-x", "c", "/dev/null"],
        tools.scratch,
        f"{tools.compiler.name}, asked for its macros,",
    )
    return said.output


def compile_file(
    tools: Toolchain,
    source: Path,
    code: Code,
    *,
    shown: str,
    before: SourceFile | None = None,
    own: bool = False,
) -> Unit:
    """Compiles a file, which messages call `shown`.

    In the same translation unit the file `before` stands before it. A file of our `own` gets our
    headers, and not the user's flags.
    """
    number = len(list(tools.scratch.glob("*.o")))
    target, read = tools.scratch / f"{number}.o", tools.scratch / f"{number}.d"
    compiler = tools.compiler.of_cxx() if source.suffix in CXX else tools.compiler
    flags = ("-std=gnu11", "-O2") if own else tools.flags
    includes = (f"-I{data_folder('c') / 'include'}",) if own else code.include_flags
    included = ("-include", str(before.path)) if before else ()
    said = compiler.run(
        [
            *flags,
            *_SHARED,
            *tools.nameless,
            *includes,
            *included,
            "-MMD",
            "-MF",
            str(read),
            "-c",
            str(source),
            "-o",
            str(target),
        ],
        tools.scratch,
        f"{compiler.name}, compiling {shown},",
        tools.folder,
    )
    if said.code or not target.is_file():
        raise CompileError(
            f"{shown} is not compiled by {compiler.name}", complaints(said, code.shown_names)
        )
    return Unit(target, _files_read(read, tools))


def copies_beside(code: Code, folder: Path) -> list[Path]:
    """Copies the shared libraries of the code into a folder, under the names by which they load."""
    copies = []
    for path in code.shared:
        copy = folder / (_soname(path) or path.name)
        if copy.exists():
            raise UsageError(f"{path}: a plugin has no room for a library called {copy.name}")
        shutil.copyfile(path, copy)
        copies.append(copy)
    return copies


def _soname(path: Path) -> str:
    """The name by which programs ask for a shared library (DT_SONAME); empty if it says none."""
    try:
        with path.open("rb") as file:
            dynamic = ELFFile(file).get_section_by_name(".dynamic")
            tags = dynamic.iter_tags("DT_SONAME") if isinstance(dynamic, DynamicSection) else ()
            return next((Path(str(getattr(tag, "soname", ""))).name for tag in tags), "")
    except (ELFError, OSError) as error:
        raise UsageError(f"{path} is no shared library that can be read ({error})") from None


def symbol_bytes(object_file: Path, name: str) -> int | None:
    """The size of an object file's variable; None if it has no such variable."""
    with object_file.open("rb") as file:
        table = ELFFile(file).get_section_by_name(".symtab")
        found = table.get_symbol_by_name(name) if isinstance(table, SymbolTableSection) else None
        return int(found[0]["st_size"]) if found else None


def link(
    tools: Toolchain, units: Sequence[Unit], code: Code, target: Path, beside: Sequence[Path] = ()
) -> None:
    """Makes the shared object, of what was compiled and of the code that was compiled before."""
    compiler = tools.compiler.of_cxx() if code.has_cxx else tools.compiler
    said = compiler.run(
        [
            "-shared",
            "-Wl,-Bsymbolic",
            "-Wl,-z,defs",
            *(str(unit.object) for unit in units),
            *map(str, code.built),
            # The plugin keeps the name; of a library without DT_SONAME it would keep a path.
            *(word for path in beside for word in (f"-L{path.parent}", f"-l:{path.name}")),
            *(("-Wl,-rpath,$ORIGIN", "-Wl,--disable-new-dtags") if beside else ()),
            *tools.flags,
            "-o",
            str(target),
        ],
        tools.scratch,
        f"{compiler.name}, linking,",
        tools.folder,
    )
    if said.code or not target.is_file():
        of_cxx = f'; C++ has to declare {code.function} as extern "C"' if code.has_cxx else ""
        of_built = "; compiled code has to be position-independent (-fPIC)" if code.built else ""
        raise CompileError(
            f"{code.file_names} cannot be linked; name the files and libraries that are missing "
            f"(libraries in --flags, such as -lm){of_cxx}{of_built}",
            complaints(said, code.shown_names),
        )


def _files_read(rule: Path, tools: Toolchain) -> tuple[Path, ...]:
    """The files of a make rule, in which a compiler lists the files that it read."""
    folder = tools.folder or Path()
    try:
        text = rule.read_text("utf-8", "surrogateescape").replace("\\\n", " ")
    except OSError:
        return ()
    words = _UNESCAPED_SPACE.split(text.partition(": ")[2].strip())
    named = (_ESCAPED.sub(r"\1", word).replace("$$", "$") for word in words if word)
    paths = ((folder / name).resolve() for name in named)
    return tuple(path for path in paths if tools.scratch not in path.parents)
