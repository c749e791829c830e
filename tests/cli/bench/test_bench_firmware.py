# SPDX-License-Identifier: Apache-2.0
"""`joulemark bench --target mcu:...` and `joulemark footprint`, as a user calls them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from forked_commands import run_joulemark
from joulemark.analyse import SCHEMA_VERSION
from joulemark.firmware.firmware_counts import missing
from joulemark.firmware.target import target_named

SMALL = "halfsiphash-2-4/portable"


@pytest.fixture(autouse=True)
def _simulated_avr() -> None:
    lacking = missing(target_named("mcu:atmega128"))
    if lacking is not None:
        pytest.skip(f"mcu:atmega128 {lacking}")


def _bench(folder: Path, *arguments: str) -> dict[str, object]:
    done = run_joulemark("bench", *arguments, "--json", cwd=folder, text=True)
    assert done.returncode == 0, done.stderr
    found: dict[str, object] = json.loads(done.stdout)
    return found


def test_counts_go_through_the_store(tmp_path: Path) -> None:
    """Counts have no spread, an evidence word and a reason for absent time; the store keeps all."""
    found = _bench(tmp_path, SMALL, "--target", "mcu:atmega128", "--size", "16,33")
    assert found["schema_version"] == SCHEMA_VERSION
    results = found["results"]
    assert isinstance(results, list)
    assert [result["size_bytes"] for result in results] == [16, 33]
    for result in results:
        assert (result["target"], result["evidence"]) == ("mcu:atmega128", "simulated")
        cycles = result["core_cycles_per_message"]
        assert cycles["low"] == cycles["high"] == cycles["median"] > 1000
        assert result["core_cycles_per_byte"]["median"] == cycles["median"] / result["size_bytes"]
        assert result["instructions_per_message"]["evidence"] == "simulated"
        assert result["code_bytes"]["evidence"] == "measured"
        assert result["state_bytes"]["median"] == 24
        assert result["seconds_per_message"] is None
        assert "has core cycles and no clock" in result["reasons"]["seconds_per_message"]
        assert "avr-gcc" in result["toolchain"]
        assert "simavr" in result["toolchain"]
    kept = run_joulemark("export", "--output", "run.json", cwd=tmp_path, text=True)
    assert kept.returncode == 0, kept.stderr
    assert json.loads((tmp_path / "run.json").read_text("utf-8"))["results"] == results
    table = run_joulemark("results", cwd=tmp_path, text=True)
    assert "core cycles" in table.stdout
    assert "simulated" in table.stdout
    page = run_joulemark("report", "--output", "page.html", cwd=tmp_path, text=True)
    assert page.returncode == 0, page.stderr
    assert "mcu:atmega128" in (tmp_path / "page.html").read_text("utf-8")
    csv = run_joulemark("export", "--output", "run.csv", cwd=tmp_path, text=True)
    assert csv.returncode == 0, csv.stderr
    assert "instructions_per_message" in (tmp_path / "run.csv").read_text("utf-8")


def test_what_does_not_fit_is_named_and_the_rest_stands(tmp_path: Path) -> None:
    """Code too large for the small part is named with the target; the other code has figures."""
    done = run_joulemark(
        "bench", SMALL, "cmac-aes128/portable", "--target", "mcu:atmega328p", "--size", "16",
        cwd=tmp_path, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "halfsiphash-2-4: on mcu:atmega328p" in done.stdout
    assert "cmac-aes128/portable on mcu:atmega328p: unavailable: it does not fit" in done.stderr


@pytest.mark.parametrize(
    ("option", "words"),
    [
        (("--batch", "16"), "--batch: firmware takes messages one after another"),
        (("--mode", "latency"), "--mode: nothing overlaps on these processors"),
        (("--size", "65536"), "--size: firmware takes messages of at most 65535 bytes"),
        (("--rounds", "3"), "--rounds: a simulation is exact and is done once"),
    ],
)
def test_what_has_no_answer_is_refused(tmp_path: Path, option: tuple[str, ...], words: str) -> None:
    """An option without meaning for firmware gives one sentence and exit code 2."""
    done = run_joulemark(
        "bench", SMALL, "--target", "mcu:atmega128", *option, cwd=tmp_path, text=True
    )
    assert done.returncode == 2
    assert words in done.stderr.replace("\n", " ")


def test_unknown_names_are_refused(tmp_path: Path) -> None:
    """An unknown target and an algorithm without code for firmware are refused."""
    done = run_joulemark("bench", SMALL, "--target", "mcu:z80", cwd=tmp_path, text=True)
    assert (done.returncode, "'mcu:z80' is not one of host" in done.stderr) == (2, True)
    done = run_joulemark("bench", "kmac128", "--target", "mcu:atmega128", cwd=tmp_path, text=True)
    assert done.returncode == 2
    assert "on firmware targets:" in done.stderr
    assert "there is code for" in done.stderr
    done = run_joulemark(
        "bench", "hmac-sha1/auto", "--target", "mcu:atmega128", cwd=tmp_path, text=True
    )
    assert done.returncode == 2
    assert "on the host auto asks the CPU" in done.stderr


def test_variants_for_small_machines_need_no_word(tmp_path: Path) -> None:
    """The name of an algorithm is enough to run the variants for small machines too."""
    found = _bench(tmp_path, "hmac-sha1", "--target", "mcu:atmega128", "--size", "16")
    results = found["results"]
    assert isinstance(results, list)
    cycles = {
        result["implementation"]: result["core_cycles_per_message"]["median"] for result in results
    }
    assert cycles["hmac-sha1/mcu8"] < cycles["hmac-sha1/portable"] / 2


def test_footprint_prints_every_size(tmp_path: Path) -> None:
    """`footprint` prints every size as a table and as JSON."""
    arguments = ("footprint", SMALL, "--target", "mcu:atmega128")
    done = run_joulemark(*arguments, cwd=tmp_path, text=True)
    assert done.returncode == 0, done.stderr
    assert "mcu:atmega128: ATmega128, 131072 bytes of flash, 4096 of RAM" in done.stdout
    found = json.loads(run_joulemark(*arguments, "--json", cwd=tmp_path, text=True).stdout)
    (entry,) = found["footprints"]
    assert entry["implementation"] == SMALL
    assert entry["state_bytes"] == 24
    assert entry["stack_bytes"] > 24
    assert entry["reason"] is None
