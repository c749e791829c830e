# SPDX-License-Identifier: Apache-2.0
"""`joulemark tune`: the compiler and the flags with which a function is fastest here."""

from __future__ import annotations

import textwrap
from typing import Annotated, Final

import typer

from joulemark.cli.own.add_options import FunctionOptions
from joulemark.cli.own.names import refuse_taken, require_variant
from joulemark.cli.own.options import folder_of
from joulemark.cli.own.tune_options import KeepOptions, TimingOptions, TriedOptions
from joulemark.cli.shared.cluster_options import SpreadOptions
from joulemark.cli.shared.option_groups import with_option_groups
from joulemark.cli.shared.options import JSON_OPTION
from joulemark.cli.shared.store_options import StoreOptions
from joulemark.cli.shared.terminal import examples
from joulemark.errors import UsageError
from joulemark.foreign.text import shortened
from joulemark.measure.cpus import require_allowed
from joulemark.own_code.adding import CodeRequest
from joulemark.own_code.flag_sets import FLAG_SETS
from joulemark.own_code.sources import Code, folders_of, source_files

__all__ = ["register", "tune"]

_HELP_COLUMNS: Final = 78
_EXIT_CODES: Final = """\b
Exit codes:
  0  compiler and flags are recommended; candidates that are not right are
     listed with the reason
  2  no candidate is right, or the one to keep was not kept, or the command
     makes no sense
"""


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command(
        epilog="\n\n".join(
            (
                _EXIT_CODES,
                f"\b\nSets of flags, the usual one first:\n{_known_sets()}",
                examples(
                    "joulemark tune mine.c --function my_sha256 --algorithm sha256",
                    "joulemark tune mine.c --function f --algorithm md5 --size 64,64KiB --keep",
                    "joulemark tune mine.c --function f --algorithm md5 --compiler clang "
                    "--flag-set O3-native",
                    "joulemark tune mac.c block.S --function mac --algorithm poly1305 --flags "
                    "'-O2 -mavx2'",
                ),
            )
        )
    )(tune)


def _known_sets() -> str:
    """The table of flag sets, as lines of help."""
    width = max(len(flags.name) for flags in FLAG_SETS)
    return "\n".join(
        textwrap.fill(
            f"{' '.join(flags.flags)}: {flags.reason}", _HELP_COLUMNS, break_on_hyphens=False,
            initial_indent=f"  {flags.name:{width}}  ", subsequent_indent=" " * (width + 4),
        )
        for flags in FLAG_SETS
    )  # fmt: skip


@with_option_groups
def tune(
    *,
    own: FunctionOptions,
    tried: TriedOptions,
    timing: TimingOptions,
    keeping: KeepOptions,
    spread: SpreadOptions,
    store: StoreOptions,
    json_: Annotated[bool, JSON_OPTION] = False,
) -> None:
    """Find the compiler and the flags with which a function of yours is fastest here.

    Each compiler is tried with each set of flags. What it makes is checked as 'joulemark test'
    checks, and timed in one stored run. Candidates that are slower at every length leave early. The
    usual flags are left only for others that are told to be faster. With --workers or --scheduler a
    cluster compiles; checks and times are of this machine.
    """
    if own.is_folder():
        raise UsageError(
            f"{shortened(own.files[0], 200)} is a folder, and tune takes files; joulemark add DIR "
            "--flag-set all builds and times what lies in folders with all flags"
        )
    function = own.function_in_files()
    facts = own.facts()
    sources = source_files(own.files)
    code = Code(sources, folders_of(tried.include or []), function)
    asked = CodeRequest(
        facts, own.kind(), own.variant(sources[0].path), own.order(), (), timing.limit_s(),
        folder_of(keeping.folder), keeping.replace_,
    )  # fmt: skip
    if keeping.replace_ and not keeping.keep:
        raise UsageError("--replace says where --keep may put the fastest; name both")
    sizes_bytes, budget_s = timing.sizes_bytes(), timing.budget_s()
    require_allowed(timing.cpu)
    require_variant(asked.variant)
    spread.check(None)
    candidates = tried.candidates()
    for candidate in candidates:
        require_variant(f"{asked.variant}-{candidate.suffix}")
    if keeping.keep:
        refuse_taken([asked], replacing=keeping.replace_)
    from joulemark.cli.own.tuning import tune_and_show  # noqa: PLC0415 - takes a second
    from joulemark.own_code.tuning.search import SearchRequest  # noqa: PLC0415 - as above

    wanted = SearchRequest(code, asked, tuple(candidates), sizes_bytes, budget_s, timing.cpu)
    tune_and_show(wanted, store.location, keep=keeping.keep, as_json=json_, spread=spread)
