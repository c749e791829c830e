# SPDX-License-Identifier: Apache-2.0
"""The implementations that can run here, and why the others cannot, before any measurement."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from joulemark.errors import JoulemarkError, UnavailableError, UsageError
from joulemark.measure import inventory
from joulemark.measure.inventory import Inventory, select_here, take_inventory
from joulemark.measure.study import Study
from joulemark.measure.worker import client
from joulemark.measure.worker.sources import ImplementationSource, installed_sources, plugin_source
from joulemark.records import Failure, FailureKind
from known_libraries import known_client


def listing(folder: Path, **entry: object) -> Path:
    """A plugin folder that lists one provider."""
    whole = {"name": "nettle", "title": "Nettle", "package": "nettle-dev", "built": False,
             "reason": "header nettle/cmac.h not found; apt-get install nettle-dev"}  # fmt: skip
    (folder / "providers.json").write_text(json.dumps([whole | entry]))
    return folder


def test_missing_library_names_its_package(tmp_path: Path) -> None:
    """A library that was not found is listed as unavailable with the package that brings it."""
    sources = installed_sources(listing(tmp_path))
    assert [source.name for source in sources] == ["joulemark", "nettle", "python"]
    inventory = take_inventory([sources[1]])
    assert inventory.facts == {}
    assert [failure.implementation for failure in inventory.unavailable] == ["*/nettle"]
    assert "nettle-dev" in inventory.unavailable[0].reason


def test_plugin_file_that_vanished_is_unavailable(tmp_path: Path) -> None:
    """A provider that was built but whose file is gone names its package too."""
    sources = installed_sources(listing(tmp_path, built=True, reason=None))
    assert "nettle-dev" in (sources[1].unavailable or "")


def test_unreadable_listing_is_one_sentence(tmp_path: Path) -> None:
    """A damaged list of providers says what to do."""
    (tmp_path / "providers.json").write_text("not json")
    with pytest.raises(JoulemarkError, match="make setup"):
        installed_sources(tmp_path)


MISSING = Inventory(
    facts=dict.fromkeys(("blake3-keyed/portable", "hmac-sha256/portable", "hmac-sha256/shani")),
    unavailable=[
        Failure(f"*/{name}", FailureKind.UNAVAILABLE, f"{name}.h not found")
        for name in ("blake3", "libb2", "openssl")
    ],
)  # type: ignore[arg-type]  # facts are not read


FEW = replace(
    MISSING,
    sources={
        "blake3": ImplementationSource(
            "blake3", "BLAKE3", "plugin", None, "blake3.h not found",
            algorithms=("blake3", "blake3-keyed"),
        )
    },
)  # fmt: skip


@pytest.mark.parametrize("pattern", ["hmac-sha256/blake3", "hmac-*/blake3", "hmac-sha256/blake3_x"])
def test_a_library_is_not_blamed_for_what_no_version_of_it_has(pattern: str) -> None:
    """BLAKE3's library has no HMAC, so that its installation would help nobody here."""
    with pytest.raises(UsageError, match=r"no implementation|unknown algorithm"):
        select_here([pattern], FEW)
    for asked in ("blake3-keyed/blake3", "*/blake3"):
        with pytest.raises(UnavailableError, match=r"^blake3 is unavailable"):
            select_here([asked], FEW)
    names = [failure.implementation for failure in FEW.missing_for(["hmac-sha256"])]
    assert names == ["*/libb2", "*/openssl"]
    assert len(FEW.missing_for(["hmac-sha256", "blake3-keyed"])) == 3


@pytest.mark.parametrize(
    "patterns",
    [("blake3-kyed",), ("blake3-keyed/portabel",), ("hmac-sah256", "blake3-keyed/portable"),
     ("myopenssl/x",), ("hmac-sah256/openssl",), ("hmac-sha256/notopenssl_mac",),
     ("blake3-kyed/blake3",), ("openssll",)],
)  # fmt: skip
def test_a_misspelt_pattern_blames_no_library(patterns: tuple[str, ...]) -> None:
    """The name of a missing library within a wrong name says nothing about the library."""
    with pytest.raises(UsageError, match=r"unknown algorithm|no implementation"):
        select_here(patterns, MISSING)


@pytest.mark.parametrize(
    ("pattern", "library"),
    [("hmac-sha256/openssl", "openssl"), ("hmac-sha256/openssl_mac", "openssl"),
     ("hmac-*/openssl*", "openssl"), ("*/openssl_*", "openssl"), ("openssl", "openssl"),
     ("family:hmac/libb2", "libb2"), ("blake3-keyed/blake3#2", "blake3")],
)  # fmt: skip
def test_a_missing_library_that_a_pattern_names_is_said(pattern: str, library: str) -> None:
    """A pattern that asks for a library which is not here gets the library's reason."""
    with pytest.raises(UnavailableError, match=f"^{library} is unavailable: {library}.h not found"):
        select_here(["hmac-sha256", pattern], MISSING)


def test_library_that_cannot_be_loaded_is_unavailable(tmp_path: Path) -> None:
    """A shared object that the loader refuses is reported with the loader's reason."""
    broken = tmp_path / "nettle.so"
    broken.write_bytes(b"not a shared object")
    inventory = take_inventory(
        [ImplementationSource("nettle", "Nettle", "plugin", str(broken), None)]
    )
    assert inventory.unavailable[0].kind is FailureKind.UNAVAILABLE
    assert "nettle.so" in inventory.unavailable[0].reason


def test_plugin_names_must_be_new(tmp_path: Path) -> None:
    """A plugin may not take the name of a provider; a missing file is named."""
    file = tmp_path / "openssl.so"
    file.write_bytes(b"")
    with pytest.raises(UsageError, match="rename the file"):
        plugin_source(str(file), ["openssl"])
    with pytest.raises(UsageError, match="no such file"):
        plugin_source(str(tmp_path / "absent.so"), [])


def test_auto_stands_for_the_last_variant() -> None:
    """Each algorithm of ours has an `auto`, which names an existing variant."""
    inventory = take_inventory([s for s in installed_sources() if s.kind == "builtin"])
    for name, facts in inventory.facts.items():
        if facts.chosen is not None:
            algorithm = name.split("/")[0]
            siblings = [fact for fact in inventory.facts if fact.startswith(f"{algorithm}/")]
            assert siblings[-1] == name
            assert siblings[-2] == f"{algorithm}/{facts.chosen}"


def test_asking_for_what_this_cpu_lacks_says_so() -> None:
    """An explicit variant that needs a missing CPU feature is refused, never replaced."""
    inventory = take_inventory([s for s in installed_sources() if s.kind == "builtin"])
    inventory.unavailable.append(
        Failure("hmac-sha256/avx9", FailureKind.UNAVAILABLE, "needs AVX9, which is not here")
    )
    with pytest.raises(UnavailableError, match="needs AVX9"):
        Study(patterns=("hmac-sha256/avx9",)).plan(inventory)
    both = Study(patterns=("hmac-sha256/avx9", "hmac-sha256/portable")).plan(inventory)
    assert {trial.implementation for trial in both.trials} == {"hmac-sha256/portable"}


def test_asking_for_a_missing_library_names_the_package(tmp_path: Path) -> None:
    """A pattern that only a missing provider could match is answered with its package."""
    builtin = [s for s in installed_sources() if s.kind == "builtin"]
    inventory = take_inventory([*builtin, *installed_sources(listing(tmp_path))[1:2]])
    with pytest.raises(UnavailableError, match="nettle-dev"):
        Study(patterns=("hmac-sha256/nettle",)).plan(inventory)


def test_other_code_is_another_plan(faulty_plugin: Callable[[str], Path], tmp_path: Path) -> None:
    """A plugin compiled anew has another digest, so its samples are not mixed with the old ones."""

    def plan_with(fault: str) -> str:
        file = tmp_path / "mine.so"
        file.write_bytes(faulty_plugin(fault).read_bytes())
        inventory: Inventory = take_inventory([plugin_source(str(file), [])])
        return Study(patterns=("siphash-2-4/faulty",)).plan(inventory).digest()

    first = plan_with("NONE")
    assert plan_with("NONE") == first
    assert plan_with("WRONG_ALWAYS") != first


def test_what_a_library_lacks_is_unavailable(plugin_of: Callable[..., Path]) -> None:
    """Each function that refuses, dies or hangs is told with the reason; the rest is offered."""
    found = take_inventory([plugin_source(str(plugin_of("lacking")), [])])
    assert list(found.facts) == ["siphash-2-4/offered"]
    assert {failure.kind for failure in found.unavailable} == {FailureKind.UNAVAILABLE}
    told = {
        failure.implementation.removeprefix("siphash-2-4/"): failure.reason
        for failure in found.unavailable
    }
    here = "the library that is here (0.9) does not offer it: "
    assert told == {
        "no_key": f"{here}no key can be set up",
        "no_copy": f"{here}it refuses to copy a key",
        "no_nonce": f"{here}it refuses the nonce",
        "no_message": f"{here}it refuses a message",
        "no_stream": f"{here}it refuses a message in pieces",
        "no_batch": f"{here}it refuses a batch",
        "crashes": f"{here}its first call crashes (SIGSEGV)",
        "aborts": f"{here}its first call aborts (SIGABRT)",
        "hangs": f"{here}its first call does not end",
        "exits": f"{here}its first call ends the process",
    }
    with pytest.raises(UnavailableError, match="does not offer it: it refuses a batch"):
        Study(patterns=("siphash-2-4/no_batch",)).plan(found)


def test_known_libraries_cost_tests_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """The second inventory of a test process is the same and starts nothing."""
    sources = installed_sources()
    real = take_inventory(sources)
    monkeypatch.setattr(inventory, "WorkerClient", known_client)
    assert take_inventory(sources) == real
    monkeypatch.delattr(client, "KeptChild")
    assert take_inventory(sources) == real


@pytest.mark.parametrize(
    ("patterns", "errors"),
    [
        ((), ["cmac-aes128/shani", "cmac-aes128/mine"]),
        (("cmac-aes128",), ["cmac-aes128/shani", "cmac-aes128/mine", "cmac-aes128/botan#2"]),
    ],
)
def test_a_wrong_library_that_nobody_named_is_a_library_less(
    patterns: tuple[str, ...], errors: list[str]
) -> None:
    """Our kernels and the user's code are errors always, an outside library where it was named."""
    known = Inventory(
        facts={
            f"cmac-aes128/{variant}": SimpleNamespace(provider=provider)
            for variant, provider in (("shani", "joulemark"), ("botan", "botan"), ("mine", "user"))
        },  # type: ignore[arg-type]  # other facts are not read
        sources={
            "joulemark": ImplementationSource("joulemark", "Joulemark", "builtin", None, None),
            "botan": ImplementationSource("botan", "Botan 3", "plugin", "botan.so", None),
            "user": ImplementationSource("user", "user", "plugin", "user.so", None, from_user=True),
        },
    )
    failures = [
        Failure("cmac-aes128/shani", FailureKind.CRASH, "it crashed"),
        Failure("cmac-aes128/mine", FailureKind.WRONG_OUTPUT, "it is wrong"),
        Failure("cmac-aes128/botan#2", FailureKind.WRONG_OUTPUT, "it is wrong"),
        Failure("*/openssl", FailureKind.UNAVAILABLE, "it is not here"),
        Failure("cmac-aes128/botan", FailureKind.REFUSED, "it takes no such length", 7),
    ]
    found = Study(patterns=patterns).errors(failures, known)
    assert [failure.implementation for failure in found] == errors
