# SPDX-License-Identifier: Apache-2.0
"""Words on our terminal, never a control sequence of others, and files that the user names."""

from __future__ import annotations

import os
import re
import stat
import sys
import textwrap
import threading
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

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
    return text.translate(
        {code: rf"\x{code:02x}" if code < 0x100 else rf"\u{code:04x}" for code in codes}
    )


_QUOTED: Final = re.compile(r"(?<!\w)'[^']+'(?!\w)")
"""A command or a name in a sentence."""
_JOINED: Final = "\0"
"""In place of a blank within quotes while a text is folded; no text on a terminal has it."""


def folded_text(text: str, width: int, *, rest: str = "") -> list[str]:
    """Lines of whole words. What is quoted stays together, so that a command can be copied.

    Args:
        text: one line.
        width: signs in a line; a word that is longer, or a command, makes its line longer.
        rest: stands before each line but the first.
    """
    if len(text) <= width:
        return [text]
    whole = _QUOTED.sub(lambda quoted: quoted[0].replace(" ", _JOINED), text)
    lines = textwrap.wrap(
        whole, width, subsequent_indent=rest, break_long_words=False, break_on_hyphens=False
    )
    return [line.replace(_JOINED, " ") for line in lines]


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
    found = os.terminal_size((80, 25))
    for stream in range(3):
        with suppress(OSError):
            found = os.get_terminal_size(stream)
            break
    sides = zip(("COLUMNS", "LINES"), found, strict=True)
    asked = [(os.environ.get(name, ""), side) for name, side in sides]
    return os.terminal_size([int(text) if text.isdigit() else side for text, side in asked])


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
