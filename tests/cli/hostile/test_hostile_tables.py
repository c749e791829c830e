# SPDX-License-Identifier: Apache-2.0
"""Wrong tables of plugins, and files that are no plugins: each is refused or measured."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Collection
from pathlib import Path

import pytest
from hostile_runs import RIVAL, HostileRun, bench_beside_rival, check_contained, run_hostile

from joulemark.measure.inventory import Inventory, take_inventory
from joulemark.measure.worker.sources import installed_sources, plugin_source

Plugins = Callable[..., list[Path]]
Selected = Callable[[str, Collection[str]], list[str]]
LIMIT_S = 300.0
NAMED, SEGV, LENGTHS = "letters, digits", "SIGSEGV", "its table has "
REFUSED = {
    **dict.fromkeys(
        ("variant_of_two_lines", "variant_of_a_twin", "variant_of_a_build", "variant_of_a_pattern",
         "variant_of_a_path", "variant_of_markup", "variant_of_a_formula", "variant_of_an_option",
         "variant_of_spaces", "variant_written_backwards", "algorithm_of_a_path",
         "algorithm_of_two_lines"), NAMED),
    **dict.fromkeys(("variant_of_nothing", "variant_without_end", "no_variant"), "0.variant: "),
    **dict.fromkeys(("algorithm_of_nothing", "no_algorithm"), "0.algorithm: "),
    **dict.fromkeys(("variant_of_no_text", "version_of_no_text", "provider_of_no_text",
                     "note_of_no_text"), "cannot be loaded"),
    **dict.fromkeys(("variant_of_ours", "variant_called_auto"), "has an implementation of this"),
    "algorithm_of_nobody": "not in the catalogue",
    "algorithm_of_another_kind": "its table calls sha256 a mac, which is a hash",
    "note_without_end": "0.note: ", "version_of_nothing": "library_version: ",
    "version_that_crashes": SEGV, "flags_without_end": "without end",
    "interface_of_tomorrow": "compile it again", "interface_of_nobody": "compile it again",
    "count_of_more_than_there_are": SEGV, "count_without_end": SEGV,
    **dict.fromkeys(("kind_of_nothing", "kind_of_a_hash", "kind_of_a_cipher", "kind_of_nobody"),
                    "its table calls siphash-2-4 a "),
    "features_of_nobody": "feature_31, which this CPU does not offer",
    "lanes_of_none": "0.lanes: ", "lanes_without_end": "0.lanes: ",
    "block_of_nothing": "0.block_bytes: ", "block_without_end": "0.block_bytes: ",
    "output_of_nothing": "0.output_bytes: ", "output_without_end": "0.output_bytes: ",
    **dict.fromkeys(("block_of_another_length", "output_of_another_length", "output_of_too_much"),
                    LENGTHS),
    **dict.fromkeys(("key_of_nothing", "key_of_sixty_thousand", "keys_upside_down",
                     "key_outside_its_bounds"), "its table uses a key of "),
    "key_without_end": "0.key_bytes: ", "no_table": "returned NULL",
    "no_provider": "provider: ", "no_compiler": "compiler: ", "no_flags": "flags: ",
    **dict.fromkeys(("no_version_function", "no_list", "no_implementation", "list_of_nowhere",
                     "implementation_of_nowhere", "variant_of_nowhere", "functions_of_nowhere"),
                    SEGV),
    "aborts_when_loaded": "SIGABRT", "aborts_when_asked": "SIGABRT",
    "exits_when_loaded": "exit code 0", "writes_no_json_when_loaded": "wrote on the pipe",
}  # fmt: skip
"""Table or attack on loading -> part of the sentence that says why nothing of it is run."""
REFUSED_ALIKE = {
    "variant_of_a_twin", "variant_of_a_build", "variant_of_a_pattern", "variant_of_markup",
    "variant_of_a_formula", "variant_of_an_option", "variant_of_spaces", "variant_of_nothing",
    "algorithm_of_a_path", "algorithm_of_nothing", "provider_of_no_text", "note_of_no_text",
    "kind_of_a_cipher", "kind_of_nobody", "interface_of_nobody", "count_without_end",
    "lanes_without_end", "block_without_end", "output_without_end", "output_of_too_much",
    "key_of_sixty_thousand", "implementation_of_nowhere", "variant_of_nowhere", "list_of_nowhere",
}  # fmt: skip
"""Tables whose check refuses another table of `REFUSED` too."""
LOADED = {
    **dict.fromkeys(
        ("note_in_control_sequences", "version_in_control_sequences", "flags_in_control_sequences",
         "constant_time_of_seven", "state_of_nothing", "implementation_twice",
         "functions_of_two_kinds"), ("measured", "")),
    "keys_of_any_length": ("error", "a key of 0 bytes is refused"),
    "state_without_end": ("wrong output", "its state"),
    "state_of_almost_all": ("wrong output", "its state"),
    "stream_without_functions": ("crash", SEGV),
    "stream_without_end": ("wrong output", "its state"),
    **dict.fromkeys(("no_functions", "no_set_key", "no_copy_key", "no_wipe_key", "no_tag",
                     "tag_of_nowhere", "batch_of_nowhere"), ("crash", SEGV)),
    **dict.fromkeys(("gone_later", "renamed_later", "key_grows_later", "output_grows_later",
                     "kind_changes_later"), ("error", "its table changes from one process")),
    "crashes_later": ("crash", "SIGABRT"),
}  # fmt: skip
"""Table that is accepted at first -> kind of its failure, and part of the reason."""
LOADED_ALIKE = {"state_of_almost_all", "no_copy_key", "no_wipe_key", "tag_of_nowhere",
                "renamed_later", "kind_changes_later"}  # fmt: skip
"""Tables that fail in the same way as another table of `LOADED`."""


def cases(names: Collection[str], alike: Collection[str]) -> list[object]:
    """A case for each name; a name in `alike` is exhaustive."""
    return [pytest.param(name, marks=pytest.mark.exhaustive) if name in alike else name
            for name in names]  # fmt: skip


@pytest.fixture(scope="module")
def inventory(
    hostile_plugins: Plugins, selected: Selected, tmp_path_factory: pytest.TempPathFactory
) -> Inventory:
    """The inventory of our kernels and of all plugins that are refused."""
    names = selected(test_a_wrong_table_is_refused_in_words.__name__, REFUSED)
    left = tmp_path_factory.mktemp("refused") / "left"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JOULEMARK_TEST_LEFT", str(left))
        sources = [source for source in installed_sources() if source.kind == "builtin"]
        sources += [plugin_source(str(plugin), []) for plugin in hostile_plugins(*names)]
        return take_inventory(sources)


@pytest.mark.parametrize("name", cases(REFUSED, REFUSED_ALIKE))
def test_a_wrong_table_is_refused_in_words(name: str, inventory: Inventory) -> None:
    """A wrong table is refused for a printable reason, and our own kernels are all there."""
    opened = inventory.tables.get(name)
    entries = opened.implementations if opened else ()
    called = {f"*/{name}", *(f"{entry.algorithm}/{entry.variant}" for entry in entries)}
    reasons = [
        failure.reason for failure in inventory.unavailable if failure.implementation in called
    ]
    assert any(REFUSED[name] in reason for reason in reasons), reasons
    assert all(reason.isprintable() for reason in reasons)
    assert {facts.provider for facts in inventory.facts.values()} == {"joulemark"}
    assert RIVAL in inventory.facts


def test_wrong_words_are_listed_without_their_signs(
    hostile_plugins: Plugins, tmp_path: Path
) -> None:
    """A list for people shows names, versions, notes and flags without their control sequences."""
    names = ["variant_of_two_lines", "algorithm_of_two_lines", "variant_written_backwards",
             "note_in_control_sequences", "version_in_control_sequences",
             "flags_in_control_sequences", "aborts_when_loaded"]  # fmt: skip
    plugins = hostile_plugins(*names)
    odd = tmp_path / "plug\033[2J\u202ein.so"
    odd.write_bytes(b"\x7fELF")
    (tmp_path / "run").mkdir()
    check_contained(run_hostile(["list"], [*plugins, odd], tmp_path / "run", limit_s=60), 0)


@pytest.fixture(scope="module")
def measured(
    hostile_plugins: Plugins, selected: Selected, tmp_path_factory: pytest.TempPathFactory
) -> HostileRun:
    """Runs `joulemark bench` with all tables of `LOADED`."""
    names = selected(test_a_table_that_lies_is_its_own_failure.__name__, LOADED)
    done = bench_beside_rival(
        names, hostile_plugins(*names), tmp_path_factory.mktemp("measured"),
        limit_s=LIMIT_S,
    )  # fmt: skip
    check_contained(done, 2)
    assert done.has_figures(RIVAL)
    return done


@pytest.mark.parametrize("name", cases(LOADED, LOADED_ALIKE))
def test_a_table_that_lies_is_its_own_failure(name: str, measured: HostileRun) -> None:
    """A lying table has one printable failure and no figures; a harmless table has figures."""
    kind, says = LOADED[name]
    failures = measured.failures_of(name)
    assert measured.has_figures(f"siphash-2-4/{name}") is (kind == "measured")
    found = [(text, says in reason, reason.isprintable()) for text, reason in failures
             if text != "unavailable"]  # fmt: skip
    assert found == ([] if kind == "measured" else [(kind, True, True)]), failures


def test_a_table_of_none_has_none(hostile_plugins: Plugins, tmp_path: Path) -> None:
    """An implementation of an empty table is not found, and the message says so."""
    words = ["bench", "siphash-2-4/count_of_none", "--no-store"]
    done = run_hostile(words, hostile_plugins("count_of_none"), tmp_path, limit_s=LIMIT_S)
    check_contained(done, 2)
    assert b"no implementation 'siphash-2-4/count_of_none'" in done.stderr


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", ["loops_when_loaded", "sleeps_when_asked"])
def test_a_plugin_that_never_opens_is_given_up(
    name: str, hostile_plugins: Plugins, tmp_path: Path
) -> None:
    """A plugin that never opens is given up after the 20 s that a library may take to load."""
    words = ["bench", f"siphash-2-4/{name}", "--no-store"]
    done = run_hostile(words, hostile_plugins(name), tmp_path, limit_s=LIMIT_S)
    check_contained(done, 2)
    assert b"no answer within 20 s; its process was ended" in done.stderr


def _other_machine(whole: bytes) -> bytes:
    """The same object marked as AArch64 on x86-64, and as x86-64 elsewhere."""
    machine = {b"\x3e\x00": b"\xb7\x00"}.get(whole[18:20], b"\x3e\x00")
    return whole[:18] + machine + whole[20:]


@pytest.mark.parametrize(
    ("made", "says"),
    [
        (lambda _: b"", "file too short"),
        (lambda _: b"#!/bin/sh\nexit 0\n" * 100, "invalid ELF header"),
        (lambda whole: whole[:600], "cannot be used"),
        (lambda whole: whole[: len(whole) // 2], "cannot be used"),
        (lambda whole: whole[:4] + b"\x01" + whole[5:], "wrong ELF class"),
        (lambda whole: whole[:5] + b"\x02" + whole[6:], "ELF file data encoding"),
        (_other_machine, "cannot open shared object file"),
        (lambda whole: whole[:64] + bytes(448) + whole[512:], "cannot be loaded"),
        (lambda whole: whole.replace(b"joulemark_plugin\0", b"joulemark_plugon\0"),
         "does not export joulemark_plugin"),
    ],
    ids=["empty", "script", "head", "half", "class", "order", "machine", "no_segments", "symbol"],
)  # fmt: skip
def test_a_file_that_is_no_plugin_is_refused(
    made: Callable[[bytes], bytes], says: str, refused: Callable[..., str],
    hostile_plugins: Plugins, tmp_path: Path,
) -> None:  # fmt: skip
    """A file that is no plugin is refused in one sentence with its name."""
    [whole] = hostile_plugins("harmless")
    plugin = tmp_path / "harmless.so"
    plugin.write_bytes(made(whole.read_bytes()))
    sentence = refused("bench", RIVAL, "--size", "16", "--no-store", "--plugin", plugin)
    assert says in sentence
    assert "harmless.so" in sentence


def test_what_is_no_file_is_refused(refused: Callable[..., str], tmp_path: Path) -> None:
    """Folders, pipes, sockets, devices and odd names are refused without being opened."""
    folder, pipe, plug, loop = (tmp_path / name for name in ("folder", "pipe", "plug", "loop"))
    folder.mkdir()
    os.mkfifo(pipe)
    loop.symlink_to(loop)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(plug))
        for path in (folder, pipe, plug, loop, "/dev/zero", "/dev/tty", "", "n" * 300, "a\nb"):
            refused("list", "--plugin", path)
