# SPDX-License-Identifier: Apache-2.0
"""Plugins of outside libraries, compiled on the user's machine, and the beginning of a new plugin.

The list of providers names the plugin of each, from the package or from the user's folder.
`providers.json` of the package was made with it; the user's list was written by `joulemark
providers build`. A plugin of the package is preferred. The user's list names the Joulemark that
made its plugins: those of another Joulemark are not loaded.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from joulemark import __version__, _core
from joulemark.catalogue import data_folder
from joulemark.errors import JoulemarkError, UnavailableError
from joulemark.foreign import ForeignError
from joulemark.foreign.records import parse_json, record_from_json
from joulemark.user_folders import user_data, written_by_others

AGAIN: Final = "joulemark providers build"
LIST_FILE: Final = "providers.json"
_FOLDER: Final = re.compile(r"[0-9a-z]+")
_PACKAGE: Final = Path(__file__).parents[1]


@dataclass(frozen=True, slots=True)
class Provider:
    """A provider as CMake lists it; `libraries` are the files that it is linked with."""

    name: str
    title: str
    package: str
    """Package of Debian and Ubuntu with the library."""
    built: bool
    reason: str | None
    """Why the plugin was not built."""
    libraries: str = ""
    algorithms: str = ""
    """The only algorithms that the library has, separated by semicolons; empty: it has many."""

    def plugin(self, folder: Path) -> Path:
        """Path of the plugin in a folder of plugins."""
        return folder / f"{self.name}.so"


@dataclass(frozen=True, slots=True)
class Built:
    """The user's list."""

    joulemark_version: str
    interface: str
    """SHA-256 of the `joulemark/kernel.h` that the plugins were compiled with."""
    inputs: str
    """SHA-256 of all that the plugins depend on."""
    folder: str
    """Name of the folder of the plugins, beside the list."""
    providers: tuple[Provider, ...]


@dataclass(frozen=True, slots=True)
class ListedProvider:
    """A provider, and the plugin that is loaded for it."""

    provider: Provider
    plugin: Path | None
    unavailable: str | None
    """Why there is no plugin, with the remedy."""


@cache
def interface() -> str:
    """SHA-256 of our `joulemark/kernel.h`."""
    header = data_folder("c") / "include" / "joulemark" / "kernel.h"
    return hashlib.sha256(header.read_bytes()).hexdigest()


def user_folder() -> Path:
    """Folder of the user's list and plugins; it may be missing."""
    return user_data("providers")


def of_the_package(folder: Path | None = None) -> list[Provider]:
    """Every provider that this package knows; none if the list was not installed."""
    listing = (folder or _PACKAGE / "plugins") / LIST_FILE
    try:
        content = parse_json(listing.read_bytes()) if listing.exists() else []
        return [record_from_json(Provider, entry) for entry in content]
    except (OSError, TypeError, ForeignError) as error:
        raise JoulemarkError(
            f"{listing} cannot be read ({error}); run make setup to build the providers again"
        ) from error


def read_built(folder: Path) -> Built | None:
    """The user's list; None if nothing was built."""
    listing = folder / LIST_FILE
    try:
        built = record_from_json(Built, parse_json(listing.read_bytes()))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ForeignError) as error:
        raise JoulemarkError(
            f"{listing} cannot be read ({error}); {AGAIN} writes it again"
        ) from error
    if not _FOLDER.fullmatch(built.folder):
        raise JoulemarkError(
            f"{listing} cannot be read (folder: this is no name of a folder beside the list); "
            f"{AGAIN} writes it again"
        )
    return built


def listed(folder: Path | None = None, user: Path | None = None) -> list[ListedProvider]:
    """Every provider, with its plugin or the reason why there is none.

    Args:
        folder: of the package's list. If it is given, a user's list counts only if `user` is too.
        user: folder of the user's list; the usual folder unless given.
    """
    package = folder or _PACKAGE / "plugins"
    entries = {
        provider.name: _in_package(provider, package) for provider in of_the_package(package)
    }
    missing = [name for name, entry in entries.items() if not entry.provider.built]
    if missing and (folder is None or user is not None):
        try:
            users_folder = user or user_folder()
            built = read_built(users_folder)
        except UnavailableError:  # no home folder, so nothing was built in it
            built = None
        except JoulemarkError as error:
            for name in missing:
                entries[name] = ListedProvider(entries[name].provider, None, str(error))
            built = None
        if built is not None:
            entries |= {
                provider.name: _of_user(provider, built, users_folder)
                for provider in built.providers
                if provider.name in missing
            }
    return list(entries.values())


def _in_package(provider: Provider, folder: Path) -> ListedProvider:
    plugin = provider.plugin(folder)
    if provider.built and plugin.exists():
        return ListedProvider(provider, plugin, None)
    reason = provider.reason or f"its plugin was not built; install {provider.package}"
    return ListedProvider(provider, None, reason)


def _of_user(provider: Provider, built: Built, folder: Path) -> ListedProvider:
    plugin = provider.plugin(folder / built.folder)
    if (built.joulemark_version, built.interface) != (__version__, interface()):
        reason = (
            f"its plugin was built for another Joulemark ({built.joulemark_version}; this is "
            f"{__version__}); {AGAIN} builds it again"
        )
    elif not provider.built:
        reason = provider.reason or f"its plugin was not built; {AGAIN} says why"
    elif not plugin.is_file():
        reason = f"its plugin {plugin} is gone; {AGAIN} builds it again"
    elif (open_place := written_by_others(plugin)) is not None:
        reason = (
            f"others than you may write {open_place}, so its plugin may be theirs; remove "
            f"{folder}, and {AGAIN} builds it again"
        )
    else:
        return ListedProvider(provider, plugin, None)
    return ListedProvider(provider, None, reason)


# A new plugin in C that works at once, since our portable kernel stands in for its author's.
#
# The header of the interface is the source of all functions with their signatures and of all
# tables, so a change of the header changes the plugin. A member without a value is an error.
#
# The tables of a plugin, read from `joulemark/kernel.h`.
#
# The header is ours and has a known style: each member ends with a semicolon, comments are those of
# C, and `JM_OPTIONAL` marks each member that a table may leave out.

_COMMENT: Final = re.compile(r"/\*.*?\*/", re.DOTALL)
_FUNCTION: Final = re.compile(r"(?P<result>[\w *]+?)\(\*(?P<name>\w+)\)\((?P<parameters>.*)\)")
_VALUE: Final = re.compile(r"(?P<type>.*?)(?P<name>\w+)")
_OPTIONAL: Final = "JM_OPTIONAL "


@dataclass(frozen=True, slots=True)
class StructMember:
    """A member of a struct of the header."""

    name: str
    type: str
    """Type of the value, or of a function's result."""
    parameters: tuple[str, ...] | None
    """Declarations of a function's parameters, such as `size_t key_bytes`; None for a value."""
    optional: bool
    """Whether a table may leave the member out."""

    def parameter_names(self) -> list[str]:
        """The names of a function's parameters, in order."""
        return [parameter.replace("*", " ").split()[-1] for parameter in self.parameters or ()]


def members(header: str, struct: str) -> list[StructMember]:
    """The members of a struct of `joulemark/kernel.h`, in their order."""
    body = re.search(
        rf"struct {struct} \{{(.*?)^\}}", _COMMENT.sub(" ", header), re.DOTALL | re.MULTILINE
    )
    if body is None:
        raise ValueError(f"the header has no struct {struct}")
    return [_member(" ".join(text.split())) for text in body[1].split(";") if text.strip()]


def _member(text: str) -> StructMember:
    declaration = text.removeprefix(_OPTIONAL)
    optional = declaration != text
    if function := _FUNCTION.fullmatch(declaration):
        words = function["parameters"].split(",")
        parameters = () if words == ["void"] else tuple(word.strip() for word in words)
        return StructMember(function["name"], function["result"].strip(), parameters, optional)
    if (value := _VALUE.fullmatch(declaration)) is None:
        raise ValueError(f"the header has a member that cannot be read: {text}")
    return StructMember(value["name"], value["type"].strip(), None, optional)


_WIDTH: Final = 100
_COMMAND: Final = (
    'cc -std=gnu11 -O3 -shared -fPIC -I"$(joulemark --include-dir)" -o mine.so mine.c '
    '"$(joulemark --library-dir)/libjoulemark.a" -pthread'
)
_PLUGIN: Final = {
    "abi_version": "JM_ABI_VERSION",
    "provider": '"mine"',
    "library_version": "version",
    "compiler": "__VERSION__",
    "flags": '"-O3"',
    "count": "1",
    "implementations": "list",
}


def plugin_source(stand_in: _core.Implementation, title: str, header: str) -> str:
    """The text of `mine.c`, which calls the portable kernel until its author has written another.

    It will be compiled against `header`, the text of `joulemark/kernel.h`.
    """
    kind = stand_in.kind
    table = members(header, f"jm_{kind}_functions")
    demanded = [member for member in table if not member.optional]
    functions = [member for member in demanded if member.parameters is not None]
    sizes = [member for member in demanded if member.parameters is None]
    left_out = [member.name for member in table if member.optional]
    parts = [
        _head(stand_in, title),
        "#include <joulemark/kernel.h>\n#include <string.h>",
        _STAND_IN.format(algorithm=stand_in.algorithm),
        *(_function(function, kind) for function in functions),
        _table(
            f"static jm_{kind}_functions functions",
            {function.name: function.name for function in functions},
            f"Optional and left out: {', '.join(left_out)}." if left_out else "",
        ),
        _table(
            "static const jm_implementation implementation",
            _values(members(header, "jm_implementation"), _facts(stand_in)),
        ),
        'static const char *version(void) {\n    return "1.0";\n}',
        _entry(sizes, kind, _values(members(header, "jm_plugin"), _PLUGIN)),
    ]
    return "\n\n".join(parts) + "\n"


_STAND_IN: Final = """\
/* Joulemark's portable kernel, until your code is there. */
static const jm_implementation *stand_in;

static void find_stand_in(void) {{
    const jm_plugin *ours = jm_builtin_plugin();
    for (size_t i = 0; i < ours->count; i++) {{
        const jm_implementation *one = ours->implementations[i];
        if (!strcmp(one->algorithm, "{algorithm}") && !strcmp(one->variant, "portable"))
            stand_in = one;
    }}
}}"""


def _head(stand_in: _core.Implementation, title: str) -> str:
    name = f"{stand_in.algorithm}/mine"
    return f"""\
/* A plugin of Joulemark for {stand_in.algorithm} ({title}). This command compiles it:
 *
 *     {_COMMAND}
 *
 * These commands check and measure it:
 *
 *     joulemark test {name} --plugin ./mine.so
 *     joulemark bench {name} {stand_in.algorithm}/portable --plugin ./mine.so
 *
 * All of this works at once, because Joulemark's portable kernel stands in for your code. Put your
 * code into the functions that return what `stand_in` returns, set sizes of states to yours, and
 * remove `stand_in` and the archive of the command. The rules for each function are in
 * joulemark/kernel.h, in the folder that `joulemark --include-dir` prints. */"""


def _function(member: StructMember, kind: str) -> str:
    """A function with the interface's signature that calls the same function of the stand-in."""
    head = f"static {member.type}{'' if member.type.endswith('*') else ' '}{member.name}("
    arguments = ", ".join(["stand_in", *member.parameter_names()[1:]])
    word = "" if member.type == "void" else "return "
    return (
        "\n".join(_wrap(head, member.parameters or (), ") {"))
        + f"\n    (void)self;\n    {word}stand_in->{kind}->{member.name}({arguments});\n}}"
    )


def _wrap(head: str, pieces: tuple[str, ...], tail: str) -> Iterator[str]:
    """Lines with the pieces between commas, as many as are needed."""
    line = head
    for number, piece in enumerate(pieces, 1):
        end = tail if number == len(pieces) else ","
        if len(line) + len(piece) + len(end) > _WIDTH:
            yield line.rstrip()
            line = " " * len(head)
        line += piece + end + (" " if end == "," else "")
    yield line


def _facts(stand_in: _core.Implementation) -> dict[str, str]:
    """Values of the table of an implementation, in C."""
    longest = stand_in.key_bytes_max
    facts = {
        "algorithm": f'"{stand_in.algorithm}"',
        "variant": '"mine"',
        "kind": f"JM_KIND_{stand_in.kind.upper()}",
        "lanes": "1",
        "block_bytes": str(stand_in.block_bytes),
        "output_bytes": str(stand_in.output_bytes),
        stand_in.kind: "&functions",
    }
    if stand_in.kind != "hash":
        facts |= {
            "key_bytes_min": str(stand_in.key_bytes_min),
            "key_bytes_max": "SIZE_MAX" if longest is None else str(longest),
            "key_bytes": str(stand_in.key_bytes),
        }
    return facts


def _values(table: list[StructMember], values: Mapping[str, str]) -> dict[str, str]:
    """The values in the order of the table."""
    lacking = [member.name for member in table if not member.optional and member.name not in values]
    strange = sorted(values.keys() - {member.name for member in table})
    if lacking or strange:
        raise ValueError(f"no value for {lacking}, no member for {strange}")
    return {member.name: values[member.name] for member in table if member.name in values}


def _table(declaration: str, values: Mapping[str, str], note: str = "", indent: str = "") -> str:
    comment = f"{indent}/* {note} */\n" if note else ""
    lines = "".join(f"{indent}    .{name} = {value},\n" for name, value in values.items())
    return f"{comment}{indent}{declaration} = {{\n{lines}{indent}}};"


def _entry(sizes: list[StructMember], kind: str, plugin: Mapping[str, str]) -> str:
    """The function that Joulemark calls."""
    lines = "".join(
        f"    functions.{size.name} = stand_in->{kind}->{size.name};\n" for size in sizes
    )
    return (
        "const jm_plugin *joulemark_plugin(void) {\n"
        "    static const jm_implementation *const list[] = {&implementation};\n"
        + _table("static const jm_plugin plugin", plugin, indent="    ")
        + f"\n    find_stand_in();\n{lines}    return &plugin;\n}}"
    )
