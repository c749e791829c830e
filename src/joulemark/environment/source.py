# SPDX-License-Identifier: Apache-2.0
"""Reads small system files, and keeps the reason for every fact that is unknown."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")


class SystemFiles:
    """A tree with `proc` and `sys` in it.

    A fact is asked for by its name in `Environment`; if no file gives the fact, the answer is None
    and `reasons` says why under that name.

    Args:
        root: the folder of the tree; `/` is this machine.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self.live = root == Path("/")
        self.reasons: dict[str, str] = {}

    def text(self, path: str) -> str | None:
        """Content of a file without surrounding space; None where it cannot be read."""
        return self._look(path)[0]

    def fact(self, name: str, *paths: str, parse: Callable[[str], T]) -> T | None:
        """The value of the first file that can be read and understood.

        Args:
            name: field of `Environment`.
            paths: files from the root, without a leading stroke.
            parse: the function from a text to the value; it raises ValueError for a text that it
                does not understand.
        """
        why = ""
        for path in paths:
            text, reason = self._look(path)
            if text is not None:
                try:
                    return parse(text)
                except ValueError:
                    reason = f"/{path} holds something that is not understood"
            why = why or reason
        return self.unknown(name, why)

    def unknown(self, name: str, reason: str) -> T | None:
        """Records why a fact is unknown, and returns None for it, which has any type."""
        self.reasons[name] = reason
        return None

    def folders(self, pattern: str) -> Iterator[str]:
        """Folders and files that match, as paths from the root, in order."""
        for path in sorted(self.root.glob(pattern)):
            yield path.relative_to(self.root).as_posix()

    def exists(self, path: str) -> bool:
        """Whether there is such a file or folder, readable or not."""
        try:
            return (self.root / path).exists()
        except OSError:
            return True

    def _look(self, path: str) -> tuple[str | None, str]:
        """Content of a file, or None and the reason."""
        try:
            text = (self.root / path).read_text("utf-8", "replace").strip().strip("\0")
        except FileNotFoundError:
            return None, f"there is no /{path} here"
        except PermissionError:
            return None, f"/{path} may be read by an administrator only"
        except OSError as error:
            return None, f"/{path} cannot be read ({error.strerror})"
        return (text, "") if text else (None, f"/{path} is empty")


def cpu_numbers(text: str) -> list[int]:
    """The numbers in the kernel's notation of lists, as in `0-3,8`."""
    numbers: list[int] = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        numbers.extend(range(int(first), int(last or first) + 1))
    return numbers
