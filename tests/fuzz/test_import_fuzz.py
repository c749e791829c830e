# SPDX-License-Identifier: Apache-2.0
"""Mutated files for `joulemark import`: each is refused in a sentence, or imported whole."""

from __future__ import annotations

import copy
import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from damage import damaged_bytes, damaged_text, damaged_value
from subjects import whole_store

from joulemark.analyse.assemble import result_set
from joulemark.analyse.importing import put_into, read_export
from joulemark.errors import StoreError, UsageError
from joulemark.report.export import exporter, formats
from joulemark.store.merging import content_of
from joulemark.store.repository import Store

TEXTS = sorted(set(formats()) - {"png", "svg"})
"""Formats that are quick to make."""


@pytest.fixture(scope="module")
def exports(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """Small exports of each kind that import takes: with raw samples, older ones, without."""
    with Store.open(whole_store(tmp_path_factory.mktemp("sound") / "store.db")) as store:
        whole = json.loads(result_set(store, 1, raw=True).model_dump_json())
    exact = [
        result for result in whole["results"] if result["clocks_per_message"] or result["toolchain"]
    ]
    whole["results"] = [*whole["results"][:2], *exact]
    for result in whole["results"]:
        result["samples"] = result["samples"][:4]
    names = {result["implementation"] for result in whole["results"]}
    facts = whole["context"]["implementations"]
    whole["context"]["implementations"] = {name: facts[name] for name in sorted(names)}
    whole["raw"]["energy_windows"] = [
        energy_window
        for energy_window in whole["raw"]["energy_windows"]
        if not energy_window["trial"] or energy_window["trial"]["implementation"] in names
    ][:6]
    older = [copy.deepcopy(whole) for _ in range(2)]
    for entry, version in zip(older, (6, 5), strict=True):
        entry["schema_version"] = version
        del entry["raw"]
    plain = copy.deepcopy(whole)
    plain["raw"] = None
    for result in plain["results"]:
        result["samples"] = None
    cores_alone = {**plain, "results": [], "failures": [], "warnings": [],
                   "context": {"run": {}, "environment": {}, "implementations": {}}}  # fmt: skip
    return [whole, *older, plain, cores_alone]


def mutated(exports: list[dict[str, Any]], chance: random.Random) -> bytes:
    """One file with one or two damages."""
    value = copy.deepcopy(chance.choice(exports))
    kind = chance.random()
    if kind < 0.75:
        for _ in range(chance.choice((1, 1, 2))):
            value = damaged_value(value, chance)
        return json.dumps(value).encode("utf-8", "surrogatepass")
    text = json.dumps(value)
    if kind < 0.9:
        return damaged_text(text, chance).encode("utf-8", "surrogatepass")
    return damaged_bytes(text.encode(), chance)


def outcome(path: Path, store: Store) -> str:
    """The outcome of the import of a file, after all checks."""
    try:
        file = read_export(path)
        number = put_into(store, file)
    except (UsageError, StoreError) as error:
        said = str(error)
        assert said.startswith(str(path)), said
        assert "\n" not in said
        assert said.isprintable(), said
        assert store.runs() == []
        return "refused"
    if file.content is None:
        return "reports of cores"
    assert number is not None
    assert content_of(store, number).digest() == file.content.digest()
    assert put_into(store, file) is None
    for name in TEXTS:
        exporter(name).render(result_set(store, number, raw=True), None)
    store.delete_run(number)
    return "imported"


PARTS = [0, *(pytest.param(number, marks=pytest.mark.exhaustive) for number in range(1, 16))]
CASES = 125
"""Cases in each part; all parts have 2000 together."""


@pytest.mark.parametrize("part", PARTS)
def test_mutated_files(part: int, exports: list[dict[str, Any]], tmp_path: Path) -> None:
    """No import ends in a traceback or half done; a failure prints the seed that repeats it."""
    seed = random.SystemRandom().randrange(10**6)
    counts: Counter[str] = Counter()
    path = tmp_path / "mutated.json"
    with Store.open(":memory:") as store:
        for number in range(CASES):
            path.write_bytes(mutated(exports, random.Random(f"{seed}/{number}")))
            try:
                counts[outcome(path, store)] += 1
            except BaseException as error:
                error.add_note(f"case {number} of seed {seed}; the file is {path}")
                raise
    assert counts["refused"] > CASES / 10
    assert counts["imported"] > CASES / 25
