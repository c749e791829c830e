# SPDX-License-Identifier: Apache-2.0
"""`joulemark add`: a C file and the name of a function become an implementation.

`joulemark.cli.add_tree` takes a folder instead of files.
"""

from __future__ import annotations

import shlex
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

import typer

from joulemark.cli.add_tree import EbacsOptions, TreeAdded, add_tree
from joulemark.cli.own_options import AfterOptions, BuildOptions, FunctionOptions
from joulemark.cli.plugins import kept_by_name, refuse_taken, require_variant
from joulemark.cli.shared.command import Command
from joulemark.cli.shared.terminal import print_text
from joulemark.errors import JoulemarkError, UsageError
from joulemark.foreign import say, visible
from joulemark.measure.worker.sources import user_plugins_folder
from joulemark.own_code import KNOWN, Code, shown_call
from joulemark.own_code.adapter import KEY_BYTES_MOST
from joulemark.own_code.adding import AddedImplementation, CodeRequest, add_code
from joulemark.own_code.building import CompileError, Compiler, find_compiler
from joulemark.own_code.checking import RejectedError
from joulemark.processes.tool import Limits

_HELP_COLUMNS: Final = 78
_EXIT_FAILED: Final = 2
_EXIT_CODES: Final = """\b
Exit codes:
  0  everything was compiled, is right, and is kept
  2  something does not compile, is wrong, crashes or hangs, and is not kept;
     or the command makes no sense
"""


@dataclass(frozen=True, slots=True)
class FilesAdded:
    """Functions in files that were added. `timing` times them where that was asked."""

    added: Sequence[AddedImplementation]
    asked: CodeRequest
    """The request of the first one."""
    complete: bool
    """Whether nothing was refused."""

    def end(self) -> None:
        """Prints the command that times what was added, and ends this one."""
        if self.added:
            names = " ".join(addition.name for addition in self.added)
            command = f"joulemark bench {names} {self.asked.algorithm.id}/auto"
            if self.asked.folder != user_plugins_folder():
                folder = visible(shlex.quote(str(self.asked.folder)))
                command = f"JOULEMARK_PLUGINS={folder} {command}"
            typer.echo(f"next: {command}")
        if not self.complete:
            raise typer.Exit(_EXIT_FAILED)


def _known_orders() -> str:
    """Orders of the arguments of hashes and MACs, as lines of help."""
    return "\n".join(
        textwrap.fill(
            "; ".join(order.text for order in orders),
            _HELP_COLUMNS,
            break_on_hyphens=False,
            initial_indent=f"  {kind:5}",
            subsequent_indent=" " * 7,
        )
        for kind, orders in KNOWN.items()
    )


def add(
    *, own: FunctionOptions, build: BuildOptions, after: AfterOptions, ebacs: EbacsOptions
) -> FilesAdded | TreeAdded | None:
    """Compile code of yours, check it, and keep it to be measured.

    The code runs with your rights, first before any check: add only code that you would run by
    hand. Until it has been found right it has no network and writes into one folder alone, where
    the kernel offers that (Landlock, Linux 5.13 and later); it can read what you can read.

    FILE...: one function, or init, update and final of a stream, with --function and --algorithm.
    DIR: implementations in the layout of
    eBACS, crypto_hash/PRIMITIVE/IMPLEMENTATION/api.h (also crypto_auth, crypto_onetimeauth): one of
    them, or a whole tree, tried as SUPERCOP does, and timed.

    All is compiled within limits of time and memory, none of your files is changed, and it is
    checked as 'joulemark test' checks. If it is right, every command knows it as ALGORITHM/NAME.
    What is not right is not kept, and the reason is given.
    """
    if own.is_folder():
        return add_tree(own, build, after, ebacs)
    if (option := ebacs.given()) is not None:
        raise UsageError(f"{option} is for a folder in the layout of eBACS, not for files")
    code, unflagged = own.code_and_request(
        build.include, after.hang_limit, after.folder, replace_=after.replace_
    )
    named: list[str | None] = [*dict.fromkeys(build.compiler or ())] or [None]
    compilers = [find_compiler(name, Limits()) for name in named]
    first = replace(unflagged, flags=build.words())
    jobs = list(_jobs(first, compilers))
    refuse_taken([asked for asked, _ in jobs], replacing=after.replace_)
    added = []
    for asked, compiler in jobs:
        if (kept := add_or_say(code, asked, compiler)) is not None:
            _show(code, kept)
            added.append(kept)
    done = FilesAdded(added, first, complete=len(added) == len(jobs))
    if added and after.bench:
        return done
    done.end()
    return None


def _jobs(
    asked: CodeRequest, compilers: Sequence[Compiler]
) -> Iterator[tuple[CodeRequest, Compiler]]:
    """The request to each compiler."""
    for compiler in compilers:
        variant = asked.variant if len(compilers) == 1 else f"{asked.variant}-{compiler.name}"
        require_variant(variant)
        yield replace(asked, variant=variant), compiler


def add_or_say(code: Code, asked: CodeRequest, compiler: Compiler) -> AddedImplementation | None:
    """Compiles, checks and keeps the code; or says why it is refused, and returns None."""
    before = kept_by_name(asked.folder).get(asked.name)
    try:
        return add_code(code, asked, compiler)
    except CompileError as error:
        for line in error.lines:
            typer.echo(line, err=True)  # cleaned of control signs already
        say(str(error))
    except RejectedError as error:
        stays = "what was added before stays" if before else "it is not kept"
        size = asked.context_bytes
        few = "" if size is None else f" (is the context larger than --context-bytes {size}?)"
        say(f"{asked.name} {error.verdict}, and {stays}: {error.why}{few}")
    return None


def _show(code: Code, added: AddedImplementation) -> None:
    made = added.plugin.made_from
    if made is None:
        raise JoulemarkError(f"{added.name} was kept without a note of what it was made of")
    names = " ".join(visible(file.given) for file in code.files)
    call = shown_call(code.function, made.signature)
    print_text(f"{added.name} is right and kept: {call} of {names}")
    print_text(f"  compiled: {made.compiler}, {visible(made.flags) or 'no flags'}")
    if added.excluded:
        others = " and ".join(signature.text for signature in added.excluded)
        print_text(f"  signature: {made.signature} by its answers, which are wrong as {others}")
    opened = added.plugin.opened
    cut = opened and KEY_BYTES_MOST in {entry.key_bytes_max for entry in opened.implementations}
    keys = f"; keys to {KEY_BYTES_MOST} bytes, none longer" if cut else ""
    print_text(f"  checked: {added.report.text}{keys}")
    print_text(f"  kept: {visible(str(added.entry))}")


COMMAND: Final = Command(
    add,
    (
        "joulemark add supercop/crypto_hash/sha256",
        "joulemark add my-folder --primitive crypto_hash/blake256 --flag-set all",
        "joulemark add mine.c --function my_sha256 --algorithm sha256",
        "joulemark add mac.c block.S -I include --function mac --algorithm poly1305",
        "joulemark add sip.c --function sip_init,sip_update,sip_final --algorithm siphash-2-4",
        "joulemark add mine.c --function f --algorithm md5 --compiler gcc --compiler clang",
        "joulemark add mine.c --function f --algorithm md5 --flags '-O2 -mavx2'",
    ),
    notes=(
        _EXIT_CODES,
        f"\b\nOrders of arguments that are found by themselves:\n{_known_orders()}",
    ),
)
