# SPDX-License-Identifier: Apache-2.0
"""`joulemark check --function`: two revisions of a function, without any file of Joulemark's."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from joulemark.cli import check
from joulemark.cli.check_pair import BuildPair

CALL = "whole_mac(key, in, length, out);"
TWICE = f"{CALL} {CALL} {CALL}"
NAME = "siphash-2-4/fastsip"
Gate = Callable[..., Any]
Library = Any


def digest(path: Path) -> str:
    """SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.fixture
def untimed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Builds are made and checked, and not timed."""
    monkeypatch.setattr(check, "pairs_of", lambda *_: [])


@pytest.mark.timing
def test_a_function_that_became_slower(gate: Gate, library: Library) -> None:
    """Code that works three times as long than on the main branch is red."""
    library.write(TWICE)
    result = gate()
    assert result.exit_code == 1, result.output
    first, *_, last = result.stdout.splitlines()
    assert first == "the working tree against main: regressed"
    assert f"{NAME} at 64 B is " in result.stdout
    assert last.startswith("  Measured: 4 generations of processes in ")
    assert "both compiled by gcc" in last
    assert "-O1" in last


@pytest.mark.parametrize("committed", [False, True])
def test_json_names_the_sources_of_both(
    gate: Gate, untimed: None, library: Library, tmp_path: Path, *, committed: bool
) -> None:
    """The files of the old branch and of the new code have their hashes in the answer."""
    before = digest(tmp_path / "src/fastsip.c")
    library.write(TWICE)
    if committed:
        library.git("switch", "--quiet", "--create", "change")
        library.commit()
    result = gate("--json", *(("--new-rev", "change") if committed else ()))
    assert result.exit_code == 3, result.output
    found = json.loads(result.stdout)
    revision = "change" if committed else "the working tree"
    assert (found["baseline"], found["run"]) == ("main", revision)
    old, new = found["made_of"]["old"], found["made_of"]["new"]
    assert old["signature"] == new["signature"] == "out,in,len,key"
    assert old["commit"] == library.git("rev-parse", "main")
    assert new["commit"] == (library.git("rev-parse", "change") if committed else None)
    hashes = [{file["name"]: file["sha256"] for file in side["sources"]} for side in (old, new)]
    assert hashes[0]["fastsip.c"] == before
    assert hashes[1]["fastsip.c"] == digest(tmp_path / "src/fastsip.c")
    assert (
        hashes[0]["fastsip.h"] == hashes[1]["fastsip.h"] == digest(tmp_path / "include/fastsip.h")
    )
    assert library.git("worktree", "list").count("\n") == 0


def test_a_new_order_of_arguments_is_found_again(
    gate: Gate, untimed: None, library: Library
) -> None:
    """Each revision is called by its own declaration, here without anything committed."""
    library.write(TWICE, "const uint8_t *key, const uint8_t *in, size_t length, uint8_t *out")
    result = gate("--json")
    assert result.exit_code == 3, result.output
    made = json.loads(result.stdout)["made_of"]
    assert [made[build]["signature"] for build in ("old", "new")] == [
        "out,in,len,key",
        "key,in,len,out",
    ]


@pytest.mark.parametrize("change", ["", "/* a comment */"])
def test_code_that_is_the_same_is_not_timed(gate: Gate, library: Library, change: str) -> None:
    """Without a change of code there is nothing to compare, whatever the paths of the checkouts."""
    path = "if (length == (size_t)-1) *out = __FILE__[in[0] % sizeof __FILE__];"
    library.write(f"{change} {path} {CALL}")
    library.commit()
    library.write(f"{path} {CALL} {change}")
    result = gate()
    assert result.exit_code == 6, result.output
    assert "Old and new are the same code (SHA-256 " in result.stdout


@pytest.mark.parametrize("made", ["libfastsip.a", "libfastsip.so", "fastsip.o"])
def test_a_build_of_its_own(
    gate: Gate, untimed: None, library: Library, tmp_path: Path, made: str
) -> None:
    """The library's own build makes what is linked; the header says how it is called."""
    library.write(TWICE)
    compiled = "cc -O1 -fPIC -Iinclude"
    build = {
        "fastsip.o": f"{compiled} -c src/fastsip.c",
        "libfastsip.a": f"{compiled} -c src/fastsip.c && ar rcs libfastsip.a fastsip.o",
        "libfastsip.so": f"{compiled} -shared src/fastsip.c -o libfastsip.so",
    }[made]
    options = ("--artifact", made) if made == "libfastsip.so" else ()
    files = ("include/fastsip.h", *(() if options else (made,)))
    result = gate("--build", build, *options, "--json", files=files)
    assert result.exit_code == 3, result.output
    found = json.loads(result.stdout)
    linked = [
        next(file["sha256"] for file in side["sources"] if file["name"] == made)
        for side in found["made_of"].values()
    ]
    assert linked[0] != linked[1]
    assert [side["linked"] for side in found["made_of"].values()] == [[made], [made]]
    assert not (tmp_path / made).exists()


def test_code_of_another_build_is_not_called_compiled_by_us() -> None:
    """What the user's build made was compiled by that, and only the code round it by us."""
    made = {"compiler": "gcc 12", "flags": "-O3", "linked": ["libsip.a"]}
    pair = BuildPair(Path("old"), Path("new"), "old", "new", made_of={"old": made, "new": made})
    assert pair.compiled_words == (
        "; libsip.a as each build made it, called from code compiled by gcc 12, -O3"
    )


def test_what_the_old_revision_lacks_leaves_nothing_to_compare(
    gate: Gate, library: Library, tmp_path: Path
) -> None:
    """A file or a function that is new, and old code that is wrong, are answer 3, in a sentence."""
    (tmp_path / "src/extra.c").write_text("int extra;\n")
    library.git("add", "src/extra.c")
    result = gate(files=("src/fastsip.c", "src/extra.c"))
    assert (result.exit_code, result.stderr) == (3, "")
    assert "  src/extra.c is not in main. So there is nothing to compare with." in result.stdout
    library.write(name="fastsipp")
    library.commit()
    library.write()
    result = gate("--junit", "j.xml")
    assert result.exit_code == 3
    assert "  In main no function fastsip is declared in src/fastsip.c; did you " in result.stdout
    assert "did you mean fastsipp?" in (tmp_path / "j.xml").read_text()
    library.write("out[0] = 1;")
    library.commit()
    library.write()
    result = gate()
    assert result.exit_code == 3
    assert f"  {NAME} of main is wrong: " in result.stdout


def test_new_code_that_is_wrong_is_a_regression(gate: Gate, library: Library) -> None:
    """Wrong answers of the new code are red, with the input that shows them."""
    library.write(f"{CALL} out[7] ^= length == 3;")
    result = gate("--json")
    assert result.exit_code == 1, result.output
    (reason,) = json.loads(result.stdout)["reasons"]
    assert reason.startswith(f"{NAME} of the working tree is wrong: a message of 3 bytes")


@pytest.mark.parametrize(
    ("words", "files", "says"),
    [
        ((), ("nowhere.c",), "nowhere.c is not in the working tree"),
        ((), ("untracked.c",), "git does not track it: git add untracked.c"),
        ((), ("/etc/passwd",), "/etc/passwd is outside of the repository "),
        ((), (), "name the files with its code, as joulemark add does"),
        (("-I", "nowhere"), ("src/fastsip.c",), "--include nowhere: the working tree has no such"),
        (("--artifact", "x.a"), ("src/fastsip.c",), "give --build COMMAND as well"),
        (("--build", "true"), ("include/fastsip.h", "x.a"), "'true' made no x.a in the working "),
        (("--compiler", "no-cc"), ("src/fastsip.c",), "--compiler no-cc is not installed here"),
        (("--name", "a b"), ("src/fastsip.c",), "'a b' cannot be the name of a variant"),
        (("--old", "x.so"), ("src/fastsip.c",), "--function is for revisions (--old-rev)"),
        (("--signature", "out,in,key"), ("src/fastsip.c",), "len is missing"),
    ],
)  # fmt: skip
def test_what_makes_no_sense(
    gate: Gate, library: Library, tmp_path: Path, words: tuple[str, ...], files: tuple[str, ...],
    says: str,
) -> None:  # fmt: skip
    """Slips are refused in one sentence, and nothing of a checkout stays."""
    (tmp_path / "untracked.c").write_text("int x;\n")
    result = gate(*words, files=files)
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert says in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert library.git("worktree", "list").count("\n") == 0


def test_one_file_must_not_stand_for_both(gate: Gate, library: Library, tmp_path: Path) -> None:
    """Flags and includes that lead into the working tree are refused."""
    made = gate("--flags", "-O1 -Iinclude")  # seen from the checkout
    assert made.exit_code == 6, made.output
    result = gate("--flags", f"-O1 -I{tmp_path}/include")
    assert result.exit_code == 2
    assert "this path is the same for both revisions" in result.stderr
    text = (tmp_path / "src/fastsip.c").read_text()
    (tmp_path / "src/fastsip.c").write_text(f'#include "{tmp_path}/include/fastsip.h"\n{text}')
    library.commit()
    result = gate()
    assert result.exit_code == 2
    assert "include/fastsip.h of the working tree, so one file would stand" in result.stderr


def test_what_does_not_compile_names_the_revision(gate: Gate, library: Library) -> None:
    """The first error of the compiler is in the sentence, with the revision."""
    library.write("return nothing_there;")
    library.commit()
    library.write()
    result = gate()
    assert result.exit_code == 2
    assert "in main src/fastsip.c is not compiled by gcc: src/fastsip.c:" in result.stderr
    assert "nothing_there" in result.stderr


def test_options_of_a_function_need_the_function(refused: Gate) -> None:
    """Without --function they would be left out in silence."""
    assert "--algorithm is for a function that --function" in refused(
        "check", "--old", "a.so", "--new", "b.so", "--algorithm", "md5"
    )
    assert "--include is for a function that --function names" in refused(
        "check", "--old-rev", "main", "--build", "x", "--artifact", "y", "-I", "z"
    )
    assert "--function needs --old-rev" in refused("check", "x.c", "--function", "f")
