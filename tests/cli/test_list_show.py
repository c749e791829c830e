# SPDX-License-Identifier: Apache-2.0
"""`joulemark list` and `joulemark show`."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest

from joulemark.catalogue import algorithms
from joulemark.catalogue.vectors import bibliography
from joulemark.measure.inventory import inventory_of
from joulemark.measure.worker.sources import ImplementationSource


@pytest.fixture(scope="module")
def inventory():
    """The inventory of this machine, taken once."""
    return inventory_of()


@pytest.fixture
def found_once(monkeypatch, inventory):
    """Commands use the inventory of this module instead of starting every provider again."""
    monkeypatch.setattr("joulemark.cli.listing.inventory_of", lambda _plugins: inventory)


@pytest.fixture
def without_nettle(monkeypatch):
    """A machine on which Nettle was not found when the package was built."""
    reason = "header nettle/cmac.h not found; apt-get install nettle-dev, then make setup"
    sources = [
        ImplementationSource("joulemark", "Joulemark's own kernels", "builtin", None, None),
        ImplementationSource("nettle", "Nettle", "plugin", None, reason),
    ]
    monkeypatch.setattr("joulemark.measure.inventory.installed_sources", lambda: sources)


def test_everything_is_listed_with_its_status(run):
    """Every algorithm of the catalogue with its status as a word, and our portable code for it."""
    result = run("list", "*")
    assert result.exit_code == 0
    for name, facts in algorithms().items():
        assert f"{name}  ({facts.title}): {facts.status}" in result.stdout
    assert result.stdout.count("  portable") >= len(algorithms())


@pytest.mark.usefixtures("found_once")
def test_the_overview_has_a_line_for_each_algorithm(run, inventory):
    """Without a pattern each algorithm has one line: status, auto, and how many can run."""
    lines = run("list").stdout.splitlines()
    rows = {line.split()[0]: line.split() for line in lines if line.startswith("  ")}
    for name, facts in algorithms().items():
        assert rows[name][1] == facts.status
    here = [name for name in inventory.facts if name.startswith("hmac-sha256/")]
    assert 2 <= int(rows["hmac-sha256"][3]) <= len(here)
    assert rows["hmac-sha256"][2] == inventory.facts["hmac-sha256/auto"].chosen
    assert len(lines) < len(algorithms()) + 60


@pytest.mark.usefixtures("found_once")
def test_patterns_choose(run):
    """A glob lists what it matches and nothing else."""
    found = json.loads(run("list", "hmac-sha*/portable", "--json").stdout)
    assert [algorithm["algorithm"] for algorithm in found["algorithms"]] == [
        "hmac-sha1", "hmac-sha256", "hmac-sha3-256", "hmac-sha3-512", "hmac-sha384", "hmac-sha512",
    ]  # fmt: skip
    for entry in found["algorithms"]:
        assert [
            implementation["implementation"] for implementation in entry["implementations"]
        ] == [f"{entry['algorithm']}/portable"]


@pytest.mark.usefixtures("found_once")
def test_hmac_over_other_hashes_is_one_line_and_shown_by_name(run):
    """The list has one line for the family; a named member is listed and shown alone."""
    text = run("list").stdout
    assert "family:hmac-derived" in text
    assert "hmac-keccak-256  (" not in text
    (entry,) = json.loads(run("list", "hmac-keccak-256", "--json").stdout)["algorithms"]
    assert entry["title"] == "HMAC over Keccak[c=512], 256 bits, final round"
    assert "none published" in run("show", "hmac-keccak-256/portable").stdout


@pytest.mark.usefixtures("found_once")
def test_json_carries_facts(run):
    """JSON has the version of its shape, provider, version and the facts of each implementation."""
    found = json.loads(run("list", "poly1305", "--json").stdout)
    assert found["schema_version"] == 1
    (entry,) = found["algorithms"]
    assert entry["status"] == "current"
    portable = entry["implementations"][0]
    assert portable["provider"] == "joulemark"
    assert portable["available"] is True
    assert portable["key_bytes"] == 32
    assert {"provider", "title", "available", "reason"} == set(found["providers"][0])


@pytest.mark.usefixtures("without_nettle")
def test_a_missing_library_is_named_with_its_package(run):
    """A missing library is listed with the package that brings it."""
    text = run("list").stdout
    assert "Nettle" in text
    assert "apt-get install nettle-dev" in text
    found = json.loads(run("list", "--json").stdout)
    assert [
        provider["provider"] for provider in found["providers"] if not provider["available"]
    ] == ["nettle"]


@pytest.mark.usefixtures("without_nettle")
def test_a_missing_cpu_feature_is_named(run, monkeypatch):
    """Variants that this CPU cannot run share a line for each missing feature."""
    from joulemark.measure import inventory
    from joulemark.measure.worker.client import WorkerClient

    monkeypatch.setattr(inventory, "WorkerClient", WorkerClient)  # known answers are asked again
    ask = WorkerClient.ask

    def without_features(self, request, *, limit_s):
        answer = ask(self, request, limit_s=limit_s)
        entries = tuple(
            entry if entry.variant == "portable" else replace(entry, missing_features=("AVX-7",))
            for entry in answer.implementations
        )
        return replace(answer, implementations=entries)

    monkeypatch.setattr(WorkerClient, "ask", without_features)
    text = run("list", "cmac-aes128").stdout
    assert "auto is portable here" in text
    lines = [line for line in text.splitlines() if "unavailable" in line]
    why = "needs AVX-7, which this CPU does not offer"
    (line,) = [line for line in lines if why in line]
    assert re.fullmatch(rf"  unavailable: [^:]*, aesni, [^:]*: {why}.*", line)
    assert "unavailable" in run("show", "cmac-aes128/aesni").stdout


@pytest.mark.usefixtures("found_once")
def test_an_unknown_name_gets_near_ones(refused):
    """An unknown name is answered with the name that was probably meant."""
    assert "hmac-sha256" in refused("list", "hmac-sha265")
    assert "poly1305" in refused("show", "poly130")
    assert "siphash-2-4/portable" in refused("show", "siphash-2-4/portabel")


@pytest.mark.usefixtures("found_once")
@pytest.mark.parametrize("name", ["", "*", "no such thing", "hmac-sha256/", "a/b/c", "ß\n"])
def test_nonsense_names_are_refused(refused, name):
    """Any other text as a name is refused in one sentence."""
    refused("show", name)


def test_a_plugin_that_is_not_there_is_refused(refused, tmp_path):
    """A missing plugin is refused by its file name."""
    assert "nowhere.so" in refused("list", "--plugin", tmp_path / "nowhere.so")


def test_a_plugin_called_like_a_provider_is_refused(refused, tmp_path):
    """A plugin with a provider's name is refused: the two could not be told apart."""
    file = tmp_path / "joulemark.so"
    file.touch()
    assert "exists already" in refused("list", "--plugin", file)


def test_a_plugin_that_is_no_plugin_is_listed_with_the_reason(run, tmp_path):
    """A file that is no plugin is listed with its reason, and the command succeeds."""
    file = tmp_path / "mine.so"
    file.write_bytes(b"not a shared object")
    result = run("list", "--plugin", file)
    assert result.exit_code == 0
    assert "plugin mine.so cannot be loaded" in result.stdout


def test_a_plugin_that_crashes_is_listed_with_the_reason(run, faulty_plugin):
    """A plugin that crashes while it is loaded ends its worker alone."""
    result = run("list", "siphash-2-4", "--plugin", faulty_plugin("CRASHES_WHEN_LOADED"))
    assert result.exit_code == 0
    assert "its process died" in result.stdout


def test_a_plugin_of_the_users_own_is_listed(run, faulty_plugin):
    """Implementations of a user's plugin are listed under the name of its file."""
    file = faulty_plugin("NONE")
    found = json.loads(run("list", "siphash-2-4/faulty", "--plugin", file, "--json").stdout)
    (entry,) = found["algorithms"][0]["implementations"]
    assert entry["provider"] == file.stem


@pytest.mark.usefixtures("found_once")
@pytest.mark.parametrize("name", sorted(algorithms()))
def test_show_says_everything(run, name):
    """The page of an algorithm has standard, status with reason, vectors and every reference."""
    facts = algorithms()[name]
    entry = json.loads(run("show", name, "--json").stdout)
    assert entry["standard"] == facts.standard
    assert entry["vector_cases"] > 0
    assert [reference["id"] for reference in entry["references"]] == facts.references
    text = " ".join(run("show", name).stdout.split())
    assert f"Status: {facts.status}. {' '.join(facts.status_reason.split())}" in text
    for reference in entry["references"]:
        assert reference["title"] in text
        assert reference["url"] in text


@pytest.mark.usefixtures("found_once")
def test_show_one_implementation(run):
    """A variant after a slash limits the list to that implementation."""
    entry = json.loads(run("show", "sha256/portable", "--json").stdout)
    assert [implementation["implementation"] for implementation in entry["implementations"]] == [
        "sha256/portable"
    ]


@pytest.mark.usefixtures("found_once")
def test_show_says_that_a_key_is_for_one_message(run):
    """The page of a one-time MAC says that its key is for one message only."""
    assert "one message only" in run("show", "poly1305").stdout


def test_every_citation_of_an_algorithm_resolves():
    """The bibliography holds what the algorithms cite."""
    cited = {reference for facts in algorithms().values() for reference in facts.references}
    assert cited <= set(bibliography())
