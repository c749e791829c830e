# SPDX-License-Identifier: Apache-2.0
"""`joulemark add`: a C file and the name of a function become an implementation.

Of a folder instead of files `joulemark.cli.own.add_tree` takes care.
"""

from __future__ import annotations

import shlex
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

import typer

from joulemark.cli.own.add_options import AfterOptions, BuildOptions, FunctionOptions
from joulemark.cli.own.add_tree import add_tree
from joulemark.cli.own.add_tree_options import EbacsOptions
from joulemark.cli.own.names import refuse_taken, require_variant
from joulemark.cli.own.options import folder_of, kept_by_name
from joulemark.cli.refusals import say
from joulemark.cli.shared.option_groups import with_option_groups
from joulemark.cli.shared.terminal import examples
from joulemark.errors import JoulemarkError, UsageError
from joulemark.foreign.text import visible
from joulemark.measure.workers.user_plugins import user_plugins_folder
from joulemark.own_code.adding import AddedImplementation, CodeRequest, add_code
from joulemark.own_code.checking import RejectedError
from joulemark.own_code.compilers import CompileError, Compiler, find_compiler
from joulemark.own_code.signature import KNOWN
from joulemark.own_code.sources import Code, folders_of, source_files
from joulemark.processes.limits import Limits

__all__ = ["add", "register"]

_HELP_COLUMNS: Final = 78
_EXIT_FAILED: Final = 2
_BENCH_SIZES: Final = (64, 1024, 16384)
_EXIT_CODES: Final = """\b
Exit codes:
  0  everything was compiled, is right, and is kept
  2  something does not compile, is wrong, crashes or hangs, and is not kept;
     or the command makes no sense
"""


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command(
        epilog="\n\n".join(
            (
                _EXIT_CODES,
                f"\b\nOrders of arguments that are found by themselves:\n{_known_orders()}",
                examples(
                    "joulemark add supercop/crypto_hash/sha256",
                    "joulemark add my-folder --primitive crypto_hash/blake256 --flag-set all",
                    "joulemark add mine.c --function my_sha256 --algorithm sha256",
                    "joulemark add mac.c block.S -I include --function mac --algorithm poly1305",
                    "joulemark add mine.c --function f --algorithm md5 --compiler gcc --compiler "
                    "clang",
                    "joulemark add mine.c --function f --algorithm md5 --flags '-O2 -mavx2'",
                ),
            )
        )
    )(add)


def _known_orders() -> str:
    """The signatures of hashes and MACs, as lines of help."""
    return "\n".join(
        textwrap.fill(
            "; ".join(order.text for order in orders), _HELP_COLUMNS, break_on_hyphens=False,
            initial_indent=f"  {kind:5}", subsequent_indent=" " * 7,
        )
        for kind, orders in KNOWN.items()
    )  # fmt: skip


@with_option_groups
def add(
    *, own: FunctionOptions, build: BuildOptions, after: AfterOptions, ebacs: EbacsOptions
) -> None:
    """Compile code of yours, check it, and keep it to be measured.

    FILE...: one function, with --function and --algorithm. DIR: implementations in the layout of
    eBACS, crypto_hash/PRIMITIVE/IMPLEMENTATION/api.h (also crypto_auth, crypto_onetimeauth): one of
    them, or a whole tree, tried as SUPERCOP does, and timed.

    All is compiled within limits of time and memory, none of your files is changed, and it is
    checked as 'joulemark test' checks. If it is right, every command knows it as ALGORITHM/NAME.
    What is not right is not kept, and the reason is given.
    """
    if own.is_folder():
        add_tree(own, build, after, ebacs)
        return
    if (option := ebacs.given()) is not None:
        raise UsageError(f"{option} is for a folder in the layout of eBACS, not for files")
    function = own.function_in_files()
    facts = own.facts()
    sources = source_files(own.files)
    code = Code(sources, folders_of(build.include or []), function)
    asked: list[str | None] = [*dict.fromkeys(build.compiler or ())] or [None]
    compilers = [find_compiler(name, Limits()) for name in asked]
    first = CodeRequest(
        facts, own.kind(), own.variant(sources[0].path), own.order(), build.words(),
        after.limit_s(), folder_of(after.folder), after.replace_,
    )  # fmt: skip
    jobs = list(_jobs(first, compilers))
    refuse_taken([asked for asked, _ in jobs], replacing=after.replace_)
    added = [
        kept for asked, compiler in jobs if (kept := _added(code, asked, compiler)) is not None
    ]
    if added and after.bench:
        _time(added, first)
    if added:
        typer.echo(f"next: {_next(added, first)}")
    if len(added) < len(jobs):
        raise typer.Exit(_EXIT_FAILED)


def _next(added: Sequence[AddedImplementation], asked: CodeRequest) -> str:
    """The command that times what was added beside the best of ours."""
    names = " ".join(addition.name for addition in added)
    command = f"joulemark bench {names} {asked.algorithm.id}/auto"
    if asked.folder == user_plugins_folder():
        return command
    return f"JOULEMARK_PLUGINS={visible(shlex.quote(str(asked.folder)))} {command}"


def _jobs(
    asked: CodeRequest, compilers: Sequence[Compiler]
) -> Iterator[tuple[CodeRequest, Compiler]]:
    """What each compiler is to make."""
    for compiler in compilers:
        variant = asked.variant if len(compilers) == 1 else f"{asked.variant}-{compiler.name}"
        require_variant(variant)
        yield replace(asked, variant=variant), compiler


def _added(code: Code, asked: CodeRequest, compiler: Compiler) -> AddedImplementation | None:
    """Compiles, checks, keeps and says so; None if it was refused, which is said too."""
    before = kept_by_name(asked.folder).get(asked.name)
    try:
        added = add_code(code, asked, compiler)
    except CompileError as error:
        for line in error.lines:
            typer.echo(line, err=True)  # cleaned of control signs already
        say(str(error))
        return None
    except RejectedError as error:
        stays = "what was added before stays" if before else "it is not kept"
        say(f"{asked.name} {error.verdict}, and {stays}: {error.why}")
        return None
    _show(code, added)
    return added


def _show(code: Code, added: AddedImplementation) -> None:
    made = added.plugin.made_from
    if made is None:
        raise JoulemarkError(f"{added.name} was kept without a note of what it was made of")
    names = " ".join(visible(file.given) for file in code.files)
    order = made.signature.replace(",", ", ")
    typer.echo(f"{added.name}: {code.function}({order}) of {names}")
    typer.echo(f"  compiled: {made.compiler}, {visible(made.flags) or 'no flags'}")
    if added.excluded:
        others = " and ".join(signature.text for signature in added.excluded)
        typer.echo(f"  signature: {made.signature} by its answers, which are wrong as {others}")
    typer.echo(f"  checked: {added.report.text}")
    typer.echo(f"  kept: {visible(str(added.entry))}")


def _time(added: Sequence[AddedImplementation], asked: CodeRequest) -> None:
    """Times what was added beside our own; nothing of it goes to the store."""
    from joulemark.cli.run.measuring import measure_and_show  # noqa: PLC0415 - takes a second
    from joulemark.cli.run.output_options import OutputOptions  # noqa: PLC0415 - as above
    from joulemark.measure.study import QUICK, Study  # noqa: PLC0415 - as above

    names = (*(addition.name for addition in added), f"{asked.algorithm.id}/auto")
    measure_and_show(
        Study(patterns=names, sizes_bytes=_BENCH_SIZES, effort=QUICK), OutputOptions(),
        store_location=None, plugins=(), fresh=True, hang_limit_s=asked.limit_s, cpu=None,
        kept_in=asked.folder,
    )  # fmt: skip
