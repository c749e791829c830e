# SPDX-License-Identifier: Apache-2.0
"""Every fact has its source: algorithms have vectors, vectors a publication, citations an entry."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
SOURCES = {path.stem: path for path in (REPOSITORY / "vectors" / "SOURCES.d").glob("*.toml")}
VECTORS = sorted((REPOSITORY / "vectors").glob("*/*.json"))
SOURCE_FIELDS = {"title", "section", "url", "contains"}
NO_VARIANTS = {"common", "engine", "hmac", "include", "lanes", "mac"}
"""Folders of kernels/ that hold no primitive."""


def catalogue(folder: str = "algorithms") -> dict[str, dict[str, Any]]:
    """Files of one folder of the catalogue, by name."""
    paths = sorted((REPOSITORY / "catalogue" / folder).glob("*.toml"))
    return {path.stem: tomllib.loads(path.read_text("utf-8")) for path in paths}


def bibliography() -> dict[str, Any]:
    """Entries of the bibliography by id."""
    return tomllib.loads((REPOSITORY / "catalogue" / "bibliography.toml").read_text("utf-8"))


def cited() -> set[str]:
    """Ids that any file of the catalogue cites."""
    facts = (REPOSITORY / "catalogue").glob("*/*.toml")
    return {
        reference
        for path in facts
        for reference in tomllib.loads(path.read_text("utf-8")).get("references", [])
    }


def variants(folder: Path) -> set[str]:
    """Variants that a folder of kernels/ has a file for; `blake2b_portable` is one of blake2's."""
    named = re.compile(rf"{folder.name}[a-z12]?_(\w+)")
    stems = (named.fullmatch(path.stem) for path in folder.glob("*.c"))
    return {stem[1] for stem in stems if stem} - {"table"}


def test_every_algorithm_has_vectors() -> None:
    """The vector files that an algorithm lists are exactly those in its folder, at least one."""
    for name, facts in catalogue().items():
        there = {path.stem for path in VECTORS if path.parent.name == name}
        assert set(facts["vectors"]) == there, name
        assert there, name


def test_macs_alone_say_how_likely_a_forgery_is() -> None:
    """Each MAC, and nothing else, has a sentence on forgery with a number."""
    macs = {name for name, facts in catalogue().items() if facts["kind"] == "mac"}
    saying = {name: facts["forgery"] for name, facts in catalogue().items() if "forgery" in facts}
    assert saying.keys() == macs
    assert [name for name, said in saying.items() if "2^" not in said] == []


def test_every_folder_of_vectors_is_an_algorithm() -> None:
    """Each folder of vectors belongs to an algorithm of the catalogue."""
    assert {path.parent.name for path in VECTORS} <= catalogue().keys()


def test_every_vector_file_has_a_source_and_every_source_a_vector_file() -> None:
    """Each vector file has an entry of its name in SOURCES.d, and each entry a vector file."""
    assert {path.stem for path in VECTORS} == SOURCES.keys()


@pytest.mark.parametrize("name", sorted(SOURCES))
def test_a_source_says_where_to_look(name: str) -> None:
    """A source has title, section, address and contents, and nothing else."""
    source = tomllib.loads(SOURCES[name].read_text("utf-8"))
    assert source.keys() == SOURCE_FIELDS
    assert all(isinstance(text, str) and text.strip() for text in source.values())
    assert urlsplit(source["url"]).scheme == "https"


@pytest.mark.parametrize("path", VECTORS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_vector_file_is_what_its_path_says(path: Path) -> None:
    """Algorithm and source inside the file repeat its path, and it holds named cases."""
    content = json.loads(path.read_bytes())
    assert (content["algorithm"], content["source"]) == (path.parent.name, path.stem)
    names = [case["name"] for case in content["cases"]]
    assert names
    assert len(set(names)) == len(names)


def test_every_citation_has_an_entry() -> None:
    """Each id under `references` in the catalogue is in the bibliography."""
    assert sorted(cited() - bibliography().keys()) == []


def test_every_entry_is_cited() -> None:
    """Each entry of the bibliography is cited by some file of the catalogue."""
    assert sorted(bibliography().keys() - cited()) == []


@pytest.mark.parametrize(
    "folder",
    sorted(path for path in (REPOSITORY / "kernels").iterdir()
           if path.is_dir() and path.name not in NO_VARIANTS),
    ids=lambda path: path.name,
)  # fmt: skip
def test_readme_of_a_kernel_names_its_variants(folder: Path) -> None:
    """A folder of kernels has a README whose table has a row for each variant, and no other."""
    readme = (folder / "README.md").read_text("utf-8")
    rows = set(re.findall(r"^\| `(\w+)` \|", readme, flags=re.MULTILINE))
    assert rows == variants(folder)


def test_every_primitive_is_registered() -> None:
    """Each folder with a table has a line in kernels/registry.c, and each line a folder."""
    registry = (REPOSITORY / "kernels" / "registry.c").read_text("utf-8")
    registered = set(re.findall(r"^    TABLE\((\w+)\)", registry, flags=re.MULTILINE))
    tables = {path.parent.name for path in (REPOSITORY / "kernels").glob("*/*_table.c")}
    tables.remove("engine")  # its table is made from the others, after them
    assert registered == tables
