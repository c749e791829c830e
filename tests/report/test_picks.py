# SPDX-License-Identifier: Apache-2.0
"""Lines that a chart shows first: few, ours among them, and the best of each library."""

from __future__ import annotations

from typing import Any

from joulemark.report.drawing.rows import (
    MOST,
    best_at_one_length,
    mark_picked,
    pick_parameters,
    pictures,
)


def row(variant: str, provider: str, value: float, size: int = 64, **more: Any) -> dict[str, Any]:
    """One point of a chart."""
    return {
        "low": 0.9 * value, "high": 1.1 * value, "algorithm": "hmac-sha256",
        "workload": "w", "variant": variant, "provider": provider,
        "value": value, "bytes": size, **more,
    }  # fmt: skip


LIBRARIES = ("openssl", "nettle", "libsodium", "cryptopp", "ipsec_mb", "python")


def crowd() -> list[dict[str, Any]]:
    """Two variants of each of six libraries and of ours, the slowest, at two lengths."""
    own = [row(f"own{n}", "joulemark", 900.0 + n, size) for n in (1, 0) for size in (64, 4096)]
    return own + [
        row(f"{name}{n}", name, 100.0 * place + n, size)
        for place, name in enumerate(LIBRARIES, 1)
        for n in (1, 0)
        for size in (64, 4096)
    ]


def picked(data: list[dict[str, Any]], workload: str = "w") -> set[str]:
    """Variants that the chart shows at first."""
    for pictured in pictures(data).values():
        mark_picked(pictured, best_at_one_length)
    return {entry["variant"] for entry in data if entry["picked"] and entry["workload"] == workload}


def test_ours_and_the_best_of_the_fastest_libraries_are_picked() -> None:
    """At most six lines are picked, one of each provider, and ours is always among them."""
    assert picked(crowd()) == {"own0", *(f"{name}0" for name in LIBRARIES[: MOST - 1])}


def test_64_bytes_decide_where_they_were_measured() -> None:
    """A variant that is better at another length only is not picked."""
    data = [*crowd(), row("long", "openssl", 1e6), row("long", "openssl", 1.0, 4096)]
    data.append(row("longer", "nettle", 1e6, 4096))  # so that 64 is not the commonest length
    assert "long" not in picked(data)


def test_the_engine_stands_for_ours_where_it_is_as_good() -> None:
    """The engine has our line if its interval overlaps our best's; else the best has the line."""
    for cost, ours in ((905.0, "engine"), (1200.0, "own0")):
        names = picked([*crowd(), row("engine", "joulemark", cost)])
        assert names & {"engine", "own0", "own1"} == {ours}
        assert len(names) == MOST


def test_without_64_bytes_the_commonest_length_decides() -> None:
    """Here 4096 bytes decide, as all variants have them; only one variant has 16 bytes too."""
    data = [entry for entry in crowd() if entry["bytes"] == 4096] + [
        row("openssl1", "openssl", 1.0, 16)
    ]
    assert "openssl0" in picked(data)
    assert "openssl1" not in picked(data)


def test_few_variants_are_all_shown_and_need_no_dropdown() -> None:
    """Six variants of one provider stay as they are."""
    data = [row(f"own{n}", "joulemark", 1.0 + n) for n in range(MOST)]
    assert len(picked(data)) == MOST
    lines = pick_parameters(data, "bytes")[0]
    assert "bind" not in lines
    assert lines["value"] == "best"


def test_each_workload_has_its_own_lines_and_legend() -> None:
    """The best of single messages need not be the best of batches."""
    batches = [entry | {"workload": "batch", "value": 1 / entry["value"]} for entry in crowd()]
    data = crowd() + batches
    assert "own0" in picked(data)
    assert "own1" in picked(data, "batch")
    lines, legends = (pick_parameter for pick_parameter in pick_parameters(data, "bytes"))
    assert lines["bind"]["options"] == ["best", "all"]
    order = legends["value"]["hmac-sha256"]
    assert order["w"][:3] == ["own1", "own0", "python1"]
    assert len(order["batch"]) == 14
