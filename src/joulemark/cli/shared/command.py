# SPDX-License-Identifier: Apache-2.0
"""A command as plain data, the `COMMAND` of its module.

    def runs(store: Annotated[str, STORE_OPTION] = DEFAULT_STORE) -> None: ...

    COMMAND: Final = Command(runs, ("joulemark runs",))

`joulemark.cli.app` makes a command of typer of it when the command is called.

Options that belong together may be one parameter of the function: a frozen dataclass whose fields
carry their declaration, here typer's. Typer then sees the fields in place of the group, in their
order, and the function gets the group. A field may be a group too:

    @dataclass(frozen=True, slots=True)
    class StoreOptions:
        store: Annotated[str, typer.Option("--store", help="...")] = "joulemark.db"

    def bench(store: StoreOptions) -> None: ...
"""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeVar, get_args, get_type_hints

import typer
from typer.core import TyperCommand

from joulemark.errors import UsageError
from joulemark.foreign import folded_text

if TYPE_CHECKING:
    from joulemark.fleet.spreading import Cluster


SCHEDULER_METAVAR: Final = "ADDRESS"
SCHEDULER_OPTION: Final[Any] = typer.Option(
    "--scheduler",
    metavar=SCHEDULER_METAVAR,
    envvar="JOULEMARK_SCHEDULER",
    help="Address of the Dask scheduler, such as tls://127.0.0.1:8786.",
)


def _file(option: str, help_: str) -> Any:
    return typer.Option(option, metavar="FILE", help=help_)


@dataclass(frozen=True, slots=True)
class TlsOptions:
    """Files by which the members of a cluster know one another."""

    fleet_keys: Annotated[
        Path | None,
        _file("--fleet-keys", "Keys that all members have, as 'joulemark fleet keys' makes them."),
    ] = None
    tls_ca_file: Annotated[
        Path | None,
        _file("--tls-ca-file", "Certificates, in PEM form, by which the cluster's are checked."),
    ] = None
    tls_cert: Annotated[
        Path | None, _file("--tls-cert", "Our certificate for the cluster, in PEM form.")
    ] = None
    tls_key: Annotated[
        Path | None, _file("--tls-key", "The certificate's key, unless the same file has it.")
    ] = None
    without_keys: Annotated[
        bool,
        typer.Option(
            "--without-keys",
            help="Take part without keys: every user who reaches a member runs code as you.",
        ),
    ] = False

    @property
    def files(self) -> tuple[Path | None, Path | None, Path | None, bool]:
        """Certificates of the cluster, our certificate, its key, and whether strangers may come."""
        own = self.tls_ca_file, self.tls_cert, self.tls_key
        if self.fleet_keys is None:
            return *own, self.without_keys
        if any(own):
            raise UsageError(
                "--fleet-keys replaces --tls-ca-file, --tls-cert and --tls-key; name it alone"
            )
        return self.fleet_keys, self.fleet_keys, None, self.without_keys


@dataclass(frozen=True, slots=True)
class SpreadOptions(TlsOptions):
    """The cluster that does work which any machine may do."""

    scheduler: Annotated[
        str | None,
        typer.Option(
            metavar=SCHEDULER_METAVAR,
            help="Let the workers of this Dask scheduler do the work (joulemark fleet).",
        ),
    ] = None
    workers: Annotated[
        int | None,
        typer.Option(
            metavar="N", help="Let a Dask cluster of N processes of this machine do the work."
        ),
    ] = None

    @property
    def given(self) -> bool:
        """Whether a cluster was asked for."""
        return self.scheduler is not None or self.workers is not None

    def check(self, jobs: int | None) -> None:
        """Refuses options that exclude one another."""
        given = {"--scheduler": self.scheduler, "--workers": self.workers, "--jobs": jobs}
        named = [option for option, value in given.items() if value is not None]
        if len(named) > 1:
            raise UsageError(f"{named[0]} and {named[1]} exclude one another; name one")
        if self.workers is not None and self.workers < 1:
            raise UsageError(f"--workers {self.workers}: give a number from 1")
        if self.scheduler is None and any(self.files):
            raise UsageError(
                "--fleet-keys, --tls-ca-file, --tls-cert, --tls-key and --without-keys are for "
                "--scheduler"
            )

    def cluster(self) -> AbstractContextManager[Cluster | None]:
        """The cluster that was asked for; None if none was."""
        if not self.given:
            return nullcontext()
        # Dask is an extra, and takes half a second to import.
        from joulemark.fleet.spreading import open_cluster  # noqa: PLC0415

        return open_cluster(self.scheduler, self.workers, self.files)


# A command, and the groups of options that its function takes.


@dataclass(frozen=True, slots=True)
class Command:
    """A command; the docstring of its function is its help."""

    function: Callable[..., Any]
    """Its parameters carry typer's declarations, or are groups of options (`option_groups`). It
    returns the exit code, None for 0, or a request to the body that the table names."""
    examples: tuple[str, ...]
    """Command lines."""
    notes: tuple[str, ...] = ()
    """Paragraphs of the help before the examples, such as the exit codes. One whose first line is
    a backspace keeps its lines."""
    settings: Mapping[str, Any] | None = None
    """Click's settings of the command's context."""
    options_once: bool = False
    """Whether an option of one value is refused if it comes twice; else its last value counts."""

    def add_to(self, app: typer.Typer, name: str, _summary: str) -> None:
        """Adds the command to `app` under that name."""
        settings = None if self.settings is None else {**self.settings}
        epilog = last_part(self.examples, self.notes)
        kind = _OptionsOnce if self.options_once else _PlainNumbers
        add = app.command(name, cls=kind, epilog=epilog, context_settings=settings)
        add(with_option_groups(self.function))


class _PlainNumbers(TyperCommand):
    """A command that takes no number in a form that Python alone reads, as 1_0 or other digits."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parses the words after the command's name."""
        given, _, _ = self.make_parser(ctx).parse_args(args=[*args])
        parameters: list[Any] = [*self.params]
        for parameter in parameters:
            kind = parameter.type_descriptor.annotation
            words = given.get(parameter.name or "")
            for word in words if isinstance(words, list | tuple) else (words,):
                plain = not isinstance(word, str) or (word.isascii() and "_" not in word)
                if not plain and {kind, *get_args(kind)} & {int, float}:
                    raise UsageError(
                        f"{parameter.opts[0]} {word[:40]}: give a number in plain digits, as 10"
                    )
        return super().parse_args(ctx, args)


class _OptionsOnce(_PlainNumbers):
    """A command whose answer would be wrong if a value of an option were dropped in silence."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parses the words after the command's name."""
        _, _, order = self.make_parser(ctx).parse_args(args=[*args])
        for parameter, number in Counter(order).items():
            one_value = not (parameter.multiple or getattr(parameter, "is_flag", False))
            if number > 1 and one_value and parameter.param_type_name == "option":
                raise UsageError(
                    f"{parameter.opts[0]} is given {number} times, and takes one value: give it "
                    "once, and run the command once for each value"
                )
        return super().parse_args(ctx, args)


_HELP_WIDTH: Final = 78
"""Signs in a line of examples, which Click puts behind two more."""


def last_part(examples: tuple[str, ...], notes: tuple[str, ...] = ()) -> str:
    """The last part of a help text: notes, then examples."""
    lines = [line for example in examples for line in folded_text(f"  {example}", _HELP_WIDTH)]
    shown = "\n".join(["\b", "Examples:", *lines])
    return "\n\n".join((*notes, shown))


# Options that belong together.

Answer = TypeVar("Answer")


def with_option_groups(command: Callable[..., Answer]) -> Callable[..., Answer]:
    """The command, in which the fields of a dataclass take the place of a parameter of its type."""
    hints = get_type_hints(command, include_extras=True)
    shown: dict[str, inspect.Parameter] = {}
    parameters = inspect.signature(command).parameters
    for name, parameter in parameters.items():
        for option in _options(name, hints[name], parameter.default):
            if option.name in shown:
                raise TypeError(f"{command.__name__} has two options named {option.name}")
            shown[option.name] = option

    def expanded(**given: Any) -> Answer:
        return command(**{name: _value(name, hints[name], given) for name in parameters})

    expanded.__name__ = command.__name__
    expanded.__doc__ = command.__doc__
    expanded.__module__ = command.__module__
    expanded.__annotations__ = {
        parameter.name: parameter.annotation for parameter in shown.values()
    }
    vars(expanded)["__signature__"] = inspect.Signature([*shown.values()])
    return expanded


def _options(name: str, kind: Any, default: Any) -> Iterator[inspect.Parameter]:
    """The parameter; or the fields of its group, which may be groups too.

    Each is by keyword alone: one without a default may follow one that has a default.
    """
    if not _is_group(kind):
        only = inspect.Parameter.KEYWORD_ONLY
        yield inspect.Parameter(name, only, default=default, annotation=kind)
        return
    for field in fields(kind):
        value = inspect.Parameter.empty if field.default is MISSING else field.default
        yield from _options(field.name, _hints(kind)[field.name], value)


def _value(name: str, kind: Any, given: dict[str, Any]) -> Any:
    """The value of a parameter; a group is made of the values of its options."""
    if not _is_group(kind):
        return given[name]
    hints = _hints(kind)
    return kind(
        **{field.name: _value(field.name, hints[field.name], given) for field in fields(kind)}
    )


def _is_group(kind: Any) -> bool:
    return is_dataclass(kind) and isinstance(kind, type)


@cache
def _hints(group: type) -> dict[str, Any]:
    return get_type_hints(group, include_extras=True)
