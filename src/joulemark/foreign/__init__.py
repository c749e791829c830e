# SPDX-License-Identifier: Apache-2.0
"""Input from outside, made into typed values or refused: text, JSON, records, files, names.

Stores, baselines, cell libraries, manifests and the answers of workers are all read through this
room, so that other rooms may trust the types. A refusal is a `ForeignError`, which the reader of
each kind turns into the sentence that names the file and the place.
"""

from __future__ import annotations

import os
import re
import select
import stat
import sys
import textwrap
import threading
import unicodedata
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from difflib import SequenceMatcher
from pathlib import Path
from typing import IO, Any, Final

from joulemark.units import format_bytes

# The refusal of a value from outside, and foreign words on our terminal.


class ForeignError(ValueError):
    """A value from outside has another form than it must have; the text says where in the value."""


_SPACE: Final = re.compile(r"[\t\n\v\f\r\x1c-\x1e\x85\u2028\u2029]+")
"""Where Python, or a reader of CSV, ends a line or a field."""


def visible(text: str) -> str:
    r"""The text in one line; signs that a terminal may not show become codes: `\x1b`, `\u202e`.

    These are all signs that `str.isprintable` refuses, except spaces: control characters (ISO/IEC
    6429), formats such as marks that turn the direction of writing (Unicode Standard Annex 9),
    surrogates, private and unassigned code points.
    """
    if text.isprintable():
        return text
    text = _SPACE.sub(" ", text)
    odd = {sign for sign in text if not sign.isprintable()}
    codes = [ord(sign) for sign in odd if unicodedata.category(sign) != "Zs"]  # Zs: a wide space
    return text.translate({code: code_of(code) for code in codes})


def code_of(code_point: int) -> str:
    r"""A sign in place of itself: `\x1b`, `\u202e`."""
    return rf"\x{code_point:02x}" if code_point < 0x100 else rf"\u{code_point:04x}"


_QUOTED: Final = re.compile(r"(?<!\w)'[^']+'(?!\w)")
"""A command or a name in a sentence."""
_JOINED: Final = "\0"
"""In place of a blank within quotes while a text is folded; no text on a terminal has it."""


_COMMAND: Final = re.compile(r" *joulemark [a-z]")
"""The begin of a line that is a command to be copied."""
_GOES_ON: Final = " \\"
"""Ends a line of a command that goes on in the next, as shells have it."""


def folded_text(text: str, width: int, *, rest: str = "") -> list[str]:
    """Lines of whole words. What is quoted stays together, and a command can be copied.

    A line that is a command, and a quoted command that is wider than a line, are broken as shells
    have it, with a backslash at the end.

    Args:
        text: one line.
        width: signs in a line; a word that is longer makes its line longer.
        rest: stands before each line but the first.
    """
    if len(text) <= width:
        return [text]
    whole = _QUOTED.sub(lambda quoted: quoted[0].replace(" ", _JOINED), text)
    if _COMMAND.match(text):
        indent = " " * (len(text) - len(text.lstrip(" ")))
        lines = _continued(whole, width, f"{indent}    ")
    else:
        lines = []
        for line in _wrapped(whole, width, rest):
            parts = [line]
            if len(line) > width and "'joulemark" in line:
                parts = _continued(line.replace(_JOINED, " "), width, f"{rest}    ")
            lines += parts
    return [line.replace(_JOINED, " ") for line in lines]


def _wrapped(text: str, width: int, rest: str) -> list[str]:
    return textwrap.wrap(
        text, max(width, 1), subsequent_indent=rest, break_long_words=False, break_on_hyphens=False
    )


def _continued(command: str, width: int, rest: str) -> list[str]:
    *lines, last = _wrapped(command, width - len(_GOES_ON), rest)
    return [*(line + _GOES_ON for line in lines), last]


def visible_values(value: Any) -> Any:
    """A value as JSON has it, all text in it made visible, names of fields too."""
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, dict):
        return {visible(name): visible_values(item) for name, item in value.items()}
    if isinstance(value, list):
        return [visible_values(item) for item in value]
    return value


def shortened(text: str, most: int = 60) -> str:
    """The text made visible, at most `most` characters of it."""
    shown = visible(text[: most + 1])
    return shown if len(shown) <= most else f"{shown[: most - 3]}..."


# Sentences on standard error, and the size of the terminal.


def say(message: str) -> None:
    """Prints a sentence on standard error, with the program's name, control signs made visible.

    On a terminal it is folded between words.
    """
    said = f"joulemark: {visible(' '.join(message.split()))}"
    room = screen_size().columns if sys.stderr.isatty() else len(said)
    print("\n".join(folded_text(said, room, rest="  ")), file=sys.stderr, flush=True)


def screen_size() -> os.terminal_size:
    """Signs and lines of the terminal that any standard stream has; 80 by 25 without one."""
    sizes = [os.terminal_size((80, 25))]
    for stream in range(3):
        with suppress(OSError):
            sizes.insert(-1, os.get_terminal_size(stream))
    asked = [os.environ.get(name, "") for name in ("COLUMNS", "LINES")]
    sizes.insert(0, os.terminal_size([int(text) if text.isdecimal() else 0 for text in asked]))
    # A terminal whose size nobody has set, such as that of some containers, says 0.
    return os.terminal_size([next(filter(None, sides)) for sides in zip(*sizes, strict=True)])


# Reading a file that the user names, whose length is not known.

_PATIENCE_S: Final = 1.0


@contextmanager
def waiting_told(path: Path) -> Iterator[None]:
    """Says after a second that a named pipe is waited for, which may be for ever."""
    is_pipe = False
    with suppress(OSError, ValueError):
        is_pipe = stat.S_ISFIFO(path.stat().st_mode)
    told = threading.Timer(
        _PATIENCE_S,
        lambda: say(
            f"{shortened(str(path), 200)} is a pipe; waiting until a program has written to it and "
            "closed it; Ctrl-C ends"
        ),
    )
    told.daemon = True
    if is_pipe:
        told.start()
    try:
        yield
    finally:
        told.cancel()


def wait_for_input(stream: IO[bytes]) -> None:
    """Waits until a pipe that does not block has data or has ended.

    Whoever opened the other end may have set that, so a moment without data is no end.
    """
    select.select([stream], [], [])


def read_stream(stream: IO[bytes], most_bytes: int) -> bytes:
    """The content of a stream to its end, but at most so many bytes."""
    content = b""
    while len(content) < most_bytes:
        more = stream.read(most_bytes - len(content))
        if more is None:
            wait_for_input(stream)
        elif more:
            content += more
        else:
            break
    return content


def read_whole(path: Path, most_bytes: int) -> bytes:
    """The whole content of a file or pipe.

    Raises:
        ForeignError: the file cannot be read, is a device, or has more than `most_bytes`.
    """
    try:
        with waiting_told(path), path.open("rb") as file:
            mode = path.stat().st_mode
            is_device = stat.S_ISCHR(mode) or stat.S_ISBLK(mode)
            content = b"" if is_device else file.read(most_bytes + 1)
    except OSError as error:
        raise ForeignError(error.strerror or type(error).__name__) from None
    except ValueError as error:  # a NUL in the path
        raise ForeignError(str(error)) from None
    if is_device:
        raise ForeignError("it is a device, not a file")
    if len(content) > most_bytes:
        raise ForeignError(f"it has more than {format_bytes(most_bytes)}")
    return content


# Guesses of the name that a user meant who typed a name that does not exist.
#
# Everybody mistakes case and the signs between words: `HMAC_SHA256` certainly means `hmac-sha256`.
# For slips of single letters the likeliest names are guessed.

_WORDS: Final = re.compile(r"[^\W\d_]+|\d+")
_ALIKE: Final = 0.6
"""Least similarity of two names, as `difflib` counts it: 1 for equal names."""
_AS_GOOD: Final = 0.1
"""Similarity that a name may have less than the best name, and still be offered beside it."""
_SURE: Final = 0.8
"""Similarity from which on a name is likelier than names that only contain the typed text."""
_MOST: Final = 4
"""Most names that are offered."""


def near_names(typed: str, known: Iterable[str]) -> list[str]:
    """The names that were probably meant, the likeliest first: at most four, perhaps none.

    Names that differ only in case, signs or the order of words are certain, and offered alone.

    Args:
        typed: a name that is not among `known`.
        known: all names.

    Example:
        >>> near_names("HMAC_SHA256", ["hmac-sha256", "hmac-sha512"])
        ['hmac-sha256']
        >>> near_names("sah256", ["sha256", "sha512", "aes128"])
        ['sha256']
    """
    words = _words(typed)
    names = {name: _words(name) for name in sorted(known)}
    for certain in (
        [name for name, spellings in names.items() if "".join(spellings) == "".join(words)],
        [name for name, spellings in names.items() if sorted(spellings) == sorted(words)],
    ):
        if words and certain:
            return certain[:_MOST]
    text = "".join(words)
    alike = {name: _likeness(text, "".join(spellings)) for name, spellings in names.items()}
    best = sorted((name for name in alike if alike[name] >= _ALIKE), key=alike.__getitem__)[::-1]
    close = [name for name in best if alike[name] > alike[best[0]] - _AS_GOOD]
    within = [name for name, spellings in names.items() if text and text in "".join(spellings)]
    first, second = (close, within) if best and alike[best[0]] >= _SURE else (within, close)
    return list(dict.fromkeys([*first, *second]))[:_MOST]


def did_you_mean(typed: str, known: Iterable[str]) -> str:
    """End of a sentence that offers the names that were probably meant; empty if none is near.

    Example:
        >>> did_you_mean("Siphash24", ["siphash-2-4", "siphash-2-4-128"])
        '; did you mean siphash-2-4?'
    """
    near = near_names(typed, known)
    return f"; did you mean {' or '.join(near)}?" if near else ""


def _words(name: str) -> list[str]:
    """Runs of letters and of digits in a name, without regard to case."""
    return _WORDS.findall(name.casefold())


def _likeness(typed: str, name: str) -> float:
    """Similarity; below `_ALIKE` perhaps a bound of it, since lengths tell most names apart."""
    matcher = SequenceMatcher(None, typed, name, autojunk=False)
    bound = matcher.real_quick_ratio()
    return bound if bound < _ALIKE else matcher.ratio()
