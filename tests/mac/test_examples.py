# SPDX-License-Identifier: Apache-2.0
"""joulemark.mac: the examples and the types that its users read."""

from __future__ import annotations

import doctest
import subprocess
import sys
from importlib import resources
from pathlib import Path

import pytest

from joulemark import mac

WITH_EXAMPLES = {
    "joulemark.mac": mac,
    "algorithms": mac.algorithms,
    "tag_many": mac.tag_many,
    "verify_many": mac.verify_many,
    "Key": mac.Key,
    "Key.tag": mac.Key.tag,
    "Key.verify": mac.Key.verify,
    "Key.stream": mac.Key.stream,
    "Key.tag_many": mac.Key.tag_many,
    "Key.verify_many": mac.Key.verify_many,
}
USER = """
import numpy as np
from joulemark.mac import Key, Stream, algorithms, tag_many, verify_many

key = Key("hmac-sha256", bytearray(32))
one: bytes = key.tag(memoryview(b"message"))
stream: Stream = key.stream()
tags = key.tag_many([b"first", bytearray(b"second")])
row: np.ndarray[tuple[int, ...], np.dtype[np.uint8]] = tags[0]
authentic = key.verify_many(b"firstsecond", tags, np.array([0, 5, 11]))
several: bool = bool(authentic.all())
tag_many([key], np.zeros((3, 64), np.uint8), index=[0, 0, 0], out=np.empty((3, 32), np.uint8))
verify_many([key], [b"message"], [one], tag_bytes=16)
least: int = algorithms()["hmac-sha256"].tag_bytes_min
"""


def run(text: str, name: str, names: dict[str, object]) -> None:
    """Runs the examples in a text, which must contain at least one."""
    examples = doctest.DocTestParser().get_doctest(text, names, name, None, None)
    assert examples.examples, f"{name} shows no example"
    said: list[str] = []
    doctest.DocTestRunner(verbose=False).run(examples, out=said.append)
    assert not said, "".join(said)


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_examples_of_docstrings(name: str) -> None:
    """Every documented function shows an example that gives the stated result."""
    names = {**vars(mac)}
    run(WITH_EXAMPLES[name].__doc__ or "", name, names)


def test_everything_public_is_documented() -> None:
    """Each public name has a docstring, and so has each method."""
    classes = (mac.Key, mac.Stream)
    members = [
        getattr(class_, name) for class_ in classes for name in dir(class_) if name[0] != "_"
    ]
    public = [getattr(mac, name) for name in mac.__all__]
    assert all((entry.__doc__ or "").strip() for entry in [*public, *members])


def test_a_users_program_type_checks(tmp_path: Path) -> None:
    """Strict mypy accepts correct calls, and refuses a str for a message."""
    assert resources.files("joulemark").joinpath("py.typed").is_file()
    for text, verdict in ((USER, 0), (USER + 'key.tag("text")\n', 1)):
        program = tmp_path / "program.py"
        program.write_text(text, "utf-8")
        command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", program.name]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == verdict, done.stdout + done.stderr
