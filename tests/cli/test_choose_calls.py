# SPDX-License-Identifier: Apache-2.0
"""The lines of code that `joulemark choose` prints make the right tags, in Python and in C."""

from __future__ import annotations

import hashlib
import hmac
import re
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import fake_store
import pytest
from fake_store import ENVIRONMENT

from joulemark import mac
from joulemark.cli import choose
from joulemark.mac import Key, tag_many
from joulemark.records import ImplementationFacts
from joulemark.records.sample import RawSample
from joulemark.records.trial import KeySetup, Trial, Workload
from joulemark.store.repository import Store

Run = Callable[..., Any]
SECRET = bytes(range(32))
MESSAGE = bytes(index % 251 for index in range(64))
NONCE = bytes(range(12))
ENGINE, SHANI = "hmac-sha256/engine", "hmac-sha256/portable"
PROGRAM = """
#include <joulemark/mac.h>
#include <stdio.h>

int main(void) {{
    const jm_mac *mac = {find};
    uint8_t secret[32], message[64], tags[{batch}][JM_OUTPUT_BYTES_MAX], *tag = tags[0];
    for (int i = 0; i < 32; i++) secret[i] = (uint8_t)i;
    for (int i = 0; i < 64; i++) message[i] = (uint8_t)(i % 251);
    const size_t bytes = sizeof message;
    jm_mac_key *key;
    if (!mac || jm_mac_key_new(mac, secret, sizeof secret, &key) != JM_OK) return 1;
    jm_mac_message messages[{batch}];
    for (size_t i = 0; i < {batch}; i++)
        messages[i] = (jm_mac_message){{key, message, bytes, tags[i]}};
    (void)messages, (void)tag, (void)bytes;
    if ({call} != JM_OK) return 2;
    for (size_t i = 0; i < {batch}; i++)
        for (size_t at = 0; at < jm_mac_tag_bytes(mac); at++) printf("%02x", tags[i][at]);
    jm_mac_key_free(mac, key);
    return 0;
}}
"""


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    """This machine is the one of the made-up runs."""

    class Model:
        def as_dict(self) -> dict[str, Any]:
            return dict(ENVIRONMENT)

    monkeypatch.setattr(choose, "capture", Model)


def add(store: Store, name: str, nanoseconds: float, *, batch: int = 1) -> None:
    """Adds a run of one implementation whose messages take the given nanoseconds."""
    run = store.begin_run(study={"patterns": []}, study_digest="d", seed=1, rounds=4,
                          environment=ENVIRONMENT, joulemark_version="0.1.0")  # fmt: skip
    facts: ImplementationFacts = replace(fake_store.facts(name), batch_calls=batch > 1)
    store.add_implementation(run, facts)
    setup = KeySetup.DISTINCT if batch > 1 else KeySetup.KEPT
    trial = Trial(name, Workload(64, key_setup=setup, batch=batch))
    for index in range(4):
        sample: RawSample = fake_store._sample(index, fake_store.PORTABLE, nanoseconds / 600)
        store.add_samples(run, trial, [sample])
    store.finish_run(run)


def lines_of(run: Run, store: Path, *arguments: object) -> dict[str, str]:
    """Language -> line of code that `choose` prints."""
    shown = run("choose", "--size", "64", "--store", store, *arguments)
    assert shown.exit_code == 0, shown.output
    rows = [line.split(None, 1) for line in shown.stdout.splitlines() if line.startswith("  ")]
    return {row[0]: row[1] for row in rows if row[0] in {"C", "Python"}}


def tags_in_c(line: str, batch: int, folder: Path, compiler: str) -> str:
    """Runs a C program with the line, linked to the package's library, and returns its tags."""
    found = re.search(r'jm_mac_find\w*\("[^)]*"\)', line)
    assert found
    program = folder / "call.c"
    program.write_text(PROGRAM.format(find=found[0], call=line, batch=batch), "utf-8")
    data = Path(mac.__file__).parent / "data" / "c"
    command = [compiler, "-Wall", "-Wextra", "-Werror", f"-I{data / 'include'}", program,
               f"-L{data / 'lib'}", "-ljoulemark", "-pthread", "-o", folder / "call"]  # fmt: skip
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    done = subprocess.run([folder / "call"], capture_output=True, text=True, check=False)
    assert done.returncode == 0
    return done.stdout


def expected() -> bytes:
    """The tag by Python's own HMAC."""
    return hmac.new(SECRET, MESSAGE, hashlib.sha256).digest()


@pytest.mark.parametrize("name", [ENGINE, SHANI])
def test_a_message(run: Run, tmp_path: Path, compiler: str, name: str) -> None:
    """The engine has lines in both languages, a variant in C alone; all give the right tag."""
    store = tmp_path / "store.db"
    with Store.open(store) as opened:
        add(opened, name, 100.0)
    lines = lines_of(run, store)
    assert ("Python" in lines) == (name == ENGINE)
    if "Python" in lines:
        scope = {"joulemark": __import__("joulemark"), "secret": SECRET, "message": MESSAGE,
                 "Key": Key}  # fmt: skip
        assert eval(lines["Python"], scope) == expected()
    assert tags_in_c(lines["C"], 1, tmp_path, compiler) == expected().hex()


def test_a_batch(run: Run, tmp_path: Path, compiler: str) -> None:
    """One call makes the right tags of all messages of the batch."""
    store = tmp_path / "store.db"
    with Store.open(store) as opened:
        add(opened, ENGINE, 100.0)
        add(opened, ENGINE, 30.0, batch=4)
    lines = lines_of(run, store, "--sessions", 4)
    keys, messages = [Key("hmac-sha256", SECRET)] * 4, [MESSAGE] * 4
    scope = {"joulemark": __import__("joulemark"), "keys": keys, "messages": messages}
    assert "tag_many" in lines["Python"]
    found = eval(lines["Python"], scope)
    assert [bytes(entry) for entry in found] == [expected()] * 4
    assert [bytes(entry) for entry in tag_many(keys, messages)] == [expected()] * 4
    assert tags_in_c(lines["C"], 4, tmp_path, compiler) == 4 * expected().hex()


def test_a_nonce(run: Run, tmp_path: Path) -> None:
    """The line names the nonce and gives the same tag as a call with it."""
    store = tmp_path / "store.db"
    with Store.open(store) as opened:
        add(opened, "gmac-aes128/portable", 100.0)
    line = lines_of(run, store)["Python"]
    key = Key("gmac-aes128", SECRET[:16])
    scope = {"joulemark": __import__("joulemark"), "secret": SECRET[:16], "message": MESSAGE,
             "nonce": NONCE}  # fmt: skip
    assert eval(line, scope) == key.tag(MESSAGE, nonce=NONCE)
