# SPDX-License-Identifier: Apache-2.0
"""Reads small system files, and keeps the reason of every fact that cannot be had."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

__all__ = ["Source", "cpu_numbers"]

T = TypeVar("T")


class Source:
    """A tree with `proc` and `sys` in it.

    A reader asks for a fact by its name in `Environment`; when no file gives it, the answer is
    None and `reasons` says why under that name.
    """

    def __init__(self, root: Path) -> None:
        """Args: `root`, the tree; `/` is this machine."""
        self.root = root
        self.live = root == Path("/")
        self.reasons: dict[str, str] = {}

    def text(self, path: str) -> str | None:
        """Content of a file without surrounding space; None where it cannot be read."""
        found, _ = self._look(path)
        return found

    def fact(self, name: str, *paths: str, parse: Callable[[str], T]) -> T | None:
        """The first of the files that can be read and understood.

        Args:
            name: field of `Environment`.
            paths: from the root, without a leading stroke.
            parse: may raise ValueError, which counts as not understood.
        """
        why = ""
        for path in paths:
            found, reason = self._look(path)
            if found is not None:
                try:
                    return parse(found)
                except ValueError:
                    reason = f"/{path} holds something that is not understood"
            why = why or reason
        return self.unknown(name, why)

    def unknown(self, name: str, reason: str) -> T | None:
        """Record why a fact is None, and return that None, as of the fact's own type."""
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
        try:
            found = (self.root / path).read_text("utf-8", "replace").strip().strip("\0")
        except FileNotFoundError:
            return None, f"there is no /{path} here"
        except PermissionError:
            return None, f"/{path} may be read by an administrator only"
        except OSError as error:
            return None, f"/{path} cannot be read ({error.strerror})"
        return (found, "") if found else (None, f"/{path} is empty")


def cpu_numbers(text: str) -> list[int]:
    """Read the kernel's list notation, as in `0-3,8`.

    Raises:
        ValueError: it is not in that notation.
    """
    numbers: list[int] = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        numbers.extend(range(int(first), int(last or first) + 1))
    return numbers
