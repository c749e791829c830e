# SPDX-License-Identifier: Apache-2.0
"""`joulemark import`: runs of other machines, each once, with figures computed or as published."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fake_store import OPENSSL, PORTABLE, SHANI, add_run, store_with
from typer.testing import Result

from energy_windows import DOMAIN, RECORD, window
from joulemark.analyse import SCHEMA_VERSION
from joulemark.records.energy_window import DomainTrace, EnergyWindow, TracePoint, WindowKind
from joulemark.records.sample import FirmwareCount
from joulemark.records.trial import Trial, Workload
from joulemark.store.merging import content_of
from joulemark.store.repository import Store

Run = Callable[..., Result]
SCRIPT = "<script>alert(1)</script>"
ON_A_NODE = Trial(PORTABLE, Workload(64), "mcu:atmega128")
COUNT = FirmwareCount(
    core_cycles=286_156, instructions=190_000, key_core_cycles=None, code_bytes=31_494,
    constant_bytes=392, static_ram_bytes=0, state_bytes=None, stack_bytes=1551,
    evidence="simulated", compiler="avr-gcc (GCC) 5.4.0", flags="-mmcu=atmega128 -O2",
    simulator="simavr 1.6",
)  # fmt: skip


@pytest.fixture
def exported(run: Run, tmp_path: Path) -> Callable[..., dict[str, Any]]:
    """Returns what `export` prints of a run with the given changes."""

    def export(*words: str, **changes: Any) -> dict[str, Any]:
        path = tmp_path / "there.db"
        path.unlink(missing_ok=True)
        store_with(path, changes)
        found: dict[str, Any] = json.loads(run("export", *words, "--store", path).stdout)
        return found

    return export


def of_a_second(number: int, place: int, watts: float) -> EnergyWindow:
    """A window of one second: the given watts, and up to two millionths more by its round."""
    start_ns = number * 10**10 + place * 2 * 10**9
    counts = round(watts * (1 + 1e-6 * (number % 3)) * 1000)
    points = tuple(
        TracePoint(start_ns + after, start_ns + after + 20_000, 1000 + more)
        for after, more in ((0, 0), (10**9, counts))
    )
    return replace(
        window(DomainTrace(DOMAIN.id, points)),
        kind=WindowKind.LOAD if place == 1 else WindowKind.DEEP_IDLE,
        round_index=number, position=place, generation=number, wall_start_ns=start_ns,
        wall_ns=10**9, messages=10**6 if place == 1 else 0, thread_cpu_ns=10**9,
    )  # fmt: skip


def written(value: Any, name: str = "run.json") -> Path:
    """Writes a value as JSON into the working folder and returns the file."""
    Path(name).write_text(json.dumps(value))
    return Path(name)


def test_figures_are_computed_again(run: Run, exported: Callable[..., dict[str, Any]]) -> None:
    """Figures are computed from the raw samples; another figure in the file is not believed."""
    there = exported("--raw")
    changed = json.loads(json.dumps(there))
    changed["results"][0]["seconds_per_message"]["median"] = 1e-12
    said = run("import", written(changed)).stdout
    assert said == "run.json: run 1, of Model T, 144 samples\n"
    here = json.loads(run("export", "--raw").stdout)
    assert here["results"] == there["results"]
    assert here["context"] == there["context"]
    assert here["raw"]["loop"] == there["raw"]["loop"]


def test_twice_is_once(run: Run, exported: Callable[..., dict[str, Any]]) -> None:
    """The same run is imported once, whatever its file is called, and not where it was measured."""
    there = exported("--raw")
    first, again = written(there), written({**there, "warnings": []}, "again.json")
    assert run("import", first, again).stdout.endswith(
        "again.json: the store has this run already\n"
    )
    here = run("import", first, "--store", "there.db")
    assert here.stdout == "run.json: the store has this run already\n"
    without = written(exported(), "without.json")
    assert run("import", without, "--store", "there.db").stdout.endswith("already\n")
    assert len(json.loads(run("runs", "--json").stdout)["runs"]) == 1


def test_without_samples(run: Run, exported: Callable[..., dict[str, Any]]) -> None:
    """Figures are kept as published, in every view, and no stated evidence is believed."""
    there = exported()
    assert "its figures are published" in run("import", written(there)).stdout
    here = json.loads(run("export").stdout)
    assert {result["evidence"] for result in here["results"]} == {"published"}
    assert {result["seconds_per_message"]["evidence"] for result in here["results"]} == {
        "published"
    }
    medians = [[result["seconds_per_message"]["median"] for result in each["results"]]
               for each in (here, there)]  # fmt: skip
    assert medians[0] == medians[1]
    assert here["warnings"][0].startswith("the figures of this run are published")
    assert "published" in run("runs").stdout
    assert "published" in run("results").stdout
    assert "measured" not in run("export", "--format", "markdown").stdout.split("## Warnings")[0]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda of: of["seconds_per_message"].update(low=-1.0), "seconds_per_message: its numbers"),
        (lambda of: of["seconds_per_message"].update(minimum=-5.0), "seconds_per_message: its num"),
        (lambda of: of["seconds_per_message"].update(quartile_1=9.0), "seconds_per_message: its n"),
        (lambda of: of["seconds_per_message"].update(mad=-1e-9), "seconds_per_message: its number"),
        (lambda of: of.update(seconds_per_message=None), "bytes_per_second: it is not 64 bytes ov"),
        (lambda of: of.update(bytes_per_second=1e30), "bytes_per_second: it is not 64 bytes over"),
        (lambda of: of["core_cycles_per_byte"].update(minimum=0.1), "core_cycles_per_byte: it is "),
        (lambda of: of.update(size_bytes=0, mean_bytes=0.0), "bytes_per_second: it is not 0 bytes"),
        (lambda of: of.update(mean_bytes=65.0), "mean_bytes: its messages have 64 bytes"),
        (lambda of: of.update(algorithm="cmac-aes128"), "algorithm: its implementation is one of"),
    ],
)  # fmt: skip
def test_published_figures_that_cannot_be(
    change: Callable[[dict[str, Any]], object], says: str,
    refused: Callable[..., str], exported: Callable[..., dict[str, Any]],
) -> None:  # fmt: skip
    """Figures without samples must agree with each other, with the length and with the name."""
    there = exported(sizes=(64,), names=(PORTABLE,))
    change(there["results"][0])
    assert f"results.0.{says}" in refused("import", written(there))


def test_withheld_samples_come_along(run: Run, exported: Callable[..., dict[str, Any]]) -> None:
    """Samples of an implementation that failed have no result, and are not lost."""
    there = exported("--raw", broken=(SHANI,), names=(PORTABLE, SHANI, OPENSSL))
    assert {entry["trial"]["implementation"] for entry in there["raw"]["withheld"]} == {SHANI}
    run("import", written(there))
    with Store.open("there.db") as left, Store.open("joulemark.db") as right:
        assert content_of(right, 1).digest() == content_of(left, 1).digest()
        assert content_of(right, 1).failures == content_of(left, 1).failures


@pytest.mark.parametrize("version", [1, 2, 3, 4, 5, 6])
def test_older_versions(version: int, run: Run, exported: Callable[..., dict[str, Any]]) -> None:
    """Each earlier version of the file is imported with the fields that it had."""
    there = exported("--raw")
    del there["raw"]
    there["schema_version"] = version
    for result in there["results"]:
        if version < 5:
            del result["repeatability"]
            for sample in result["samples"]:
                for name in ("window_index", "visit_wall_ns", "visit_thread_cpu_ns", "width_adds",
                             "width_ticks_before", "width_ticks_after"):  # fmt: skip
                    del sample[name]
        if version < 3:
            for name in ("mix", "mean_bytes", "batch_calls"):
                del result[name]
        if version < 2:
            del result["energy"]
    if version < 5:
        del there["context"]["run"]["conditions"]
    if version < 4:
        del there["core_reports"]
    said = run("import", written(there))
    assert said.exit_code == 0, said.output
    here = json.loads(run("export").stdout)
    assert [result["seconds_per_message"] for result in here["results"]] == [
        result["seconds_per_message"] for result in there["results"]
    ]
    loop = here["context"]["loop"]
    assert loop["evidence"] == "published"
    assert loop["seconds_per_message"] == there["context"]["loop"]["seconds_per_message"]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda run: run["results"][0]["samples"][3].update(wall_ns=0), "results.0.samples.3: wa"),
        (lambda run: run["results"][1]["samples"].append(run["results"][1]["samples"][0]),
         "results.1.samples.24: this window of its round is there twice"),
        (lambda run: run["results"].append(run["results"][0]), "results.6: its trial is there"),
        (lambda run: run["results"][2].update(samples=None), "results.2.samples: it has none"),
        (lambda run: run["results"][0].update(implementation="x" * 300), "results.0"),
        (lambda run: run["context"]["run"].update(seed=2**63), "context.run.seed: "),
        (lambda run: run["context"]["run"].update(started_at="now"), "run.started_at: 'now'"),
        (lambda run: run["context"]["run"].update(started_at="2026-01-01T00:00:00"), "time zone"),
        (lambda run: run["context"]["environment"].update(tsc_hz="x"), "environment.tsc_hz"),
        (lambda run: run["context"]["implementations"].popitem(), "it says nothing of hmac-sha"),
        (lambda run: run["raw"]["loop"].update(messages=0), "raw.loop.messages"),
        (lambda run: run.update(schema_version=SCHEMA_VERSION + 1), "schema_version"),
        (lambda run: run.update(schema_version=True), "schema_version: input should be 1, 2"),
        (lambda run: run.update(more=1), "more: extra"),
        (lambda run: run["context"]["run"].clear(), "context.run: it does not say which run"),
    ],
)  # fmt: skip
def test_refused_at_its_place(
    change: Callable[[dict[str, Any]], object], says: str,
    refused: Callable[..., str], exported: Callable[..., dict[str, Any]],
) -> None:  # fmt: skip
    """One sentence names the file and the place; a good file beside it is not imported either."""
    there = exported("--raw")
    good = written(there, "good.json")
    change(there)
    said = refused("import", good, written(there))
    assert "run.json is not a result" in said
    assert says in said
    assert "nothing was imported" in said
    assert not Path("joulemark.db").exists()


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "no JSON"),
        (b'{"schema_version": NaN}', "NaN is no number of JSON"),
        (b'{"a": 1e999}', "1e999 is too large"),
        (b'{"a": ' + b"9" * 400 + b"}", "more than 64 bits"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"a":' * 70 + b"1" + b"}" * 70, "nested too deeply"),
        (b"\xff\xfe", "no JSON"),
        (b'"\x1b[2J"', "no JSON"),
    ],
)
def test_no_json_of_ours(content: bytes, says: str, refused: Callable[..., str]) -> None:
    """Depth, numbers and bytes that JSON or Python cannot keep are refused in one sentence."""
    Path("bad.json").write_bytes(content)
    assert says in refused("import", "bad.json")


def test_no_file(refused: Callable[..., str], tmp_path: Path) -> None:
    """A missing file, a folder and a device are refused by name."""
    assert "gone.json" in refused("import", "gone.json")
    assert str(tmp_path) in refused("import", tmp_path)
    assert "/dev/zero" in refused("import", "/dev/zero")


def test_markup_is_text(run: Run, exported: Callable[..., dict[str, Any]]) -> None:
    """Markup and control characters in names and words are shown as text on the page."""
    there = exported("--raw")
    text = json.dumps(there).replace("Model T", f"{SCRIPT}\\u001b[2J").replace(
        "it computed nonsense", SCRIPT
    ).replace(SHANI, f"hmac-sha256/{SCRIPT}")  # fmt: skip
    Path("run.json").write_text(text)
    said = run("import", "run.json")
    assert said.exit_code == 0, said.output
    assert "\x1b" not in said.output
    page = run("report", "-o", "page.html")
    assert page.exit_code == 0, page.output
    html = Path("page.html").read_text()
    assert SCRIPT not in html
    assert "\x1b" not in html
    assert "&lt;script&gt;alert(1)" in html


def test_windows_of_energy(run: Run, tmp_path: Path) -> None:
    """Energy is computed again from the windows of the file; older files state it as published."""
    with Store.open(tmp_path / "there.db") as store:
        run_id = add_run(store, names=(PORTABLE,), sizes=(64,))
        store.set_meter(run_id, RECORD)
        for number in range(10):
            for place, watts in ((0, 10.0), (1, 40.0), (2, 10.0)):
                trial = Trial(PORTABLE, Workload(64)) if place == 1 else None
                store.add_energy_window(run_id, trial, of_a_second(number, place, watts))
        windows = store.energy_windows(1)
        assert all(isinstance(stored_window.window, EnergyWindow) for stored_window in windows)
    there = json.loads(run("export", "--raw", "--store", "there.db").stdout)
    assert there["results"][0]["joules_per_message"] is not None
    run("import", written(there))
    with Store.open("joulemark.db") as store:
        assert store.energy_windows(1) == windows
    here = json.loads(run("export", "--raw").stdout)
    assert here["results"] == there["results"]
    there["schema_version"] = 6
    del there["raw"]
    run("import", written(there), "--store", "older.db")
    older = json.loads(run("export", "--store", "older.db").stdout)
    [result] = older["results"]
    assert result["seconds_per_message"]["evidence"] == "measured"
    assert result["joules_per_message"]["evidence"] == "published"
    assert {entry["evidence"] for entry in result["energy"]} == {"published"}


@pytest.fixture
def of_firmware(run: Run) -> dict[str, Any]:
    """What `export --raw` prints of a run with samples of the host and a count of firmware."""
    with Store.open("there.db") as store:
        run_id = add_run(store, names=(PORTABLE,), sizes=(64,))
        store.add_firmware_count(run_id, ON_A_NODE, COUNT)
    found: dict[str, Any] = json.loads(run("export", "--raw", "--store", "there.db").stdout)
    return found


def test_counts_of_firmware(run: Run, of_firmware: dict[str, Any]) -> None:
    """Counts are imported exactly; in a file without samples the same figures are published."""
    assert run("import", written(of_firmware)).stdout.endswith("of Model T, 25 samples\n")
    with Store.open("there.db") as left, Store.open("joulemark.db") as right:
        assert right.firmware_counts(1) == {ON_A_NODE: COUNT}
        assert content_of(right, 1).digest() == content_of(left, 1).digest()
    assert json.loads(run("export", "--raw").stdout)["results"] == of_firmware["results"]
    alone = {**of_firmware, "results": of_firmware["results"][1:]}
    assert run("import", written(alone), "--store", "alone.db").stdout.endswith(" 1 samples\n")
    [result] = json.loads(run("export", "--store", "alone.db").stdout)["results"]
    assert result["core_cycles_per_message"]["evidence"] == "simulated"
    for entry in of_firmware["results"]:
        entry["samples"] = None
    said = run("import", written({**of_firmware, "raw": None}), "--store", "plain.db")
    assert "its figures are published" in said.stdout
    plain = json.loads(run("export", "--store", "plain.db").stdout)["results"][1]
    assert plain["core_cycles_per_message"]["evidence"] == "published"
    assert plain["code_bytes"]["median"] == 31_494


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda item: item[0].update(core_cycles=0), "samples.0: core_cycles is 0, not a whole"),
        (lambda item: item[0].update(code_bytes=-1), "samples.0: code_bytes is -1, not a whole"),
        (lambda item: item[0].update(stack_bytes=2**63), "samples.0: stack_bytes is 9223"),
        (lambda item: item[0].update(instructions=1.5), "samples.0: instructions: "),
        (lambda item: item[0].update(state_bytes=True), "samples.0: state_bytes: "),
        (lambda item: item[0].update(evidence="measured"), "evidence is neither simulated nor"),
        (lambda item: item[0].update(compiler="x" * 256), "compiler has more than 255 signs"),
        (lambda item: item[0].update(simulator=None), "samples.0: simulator: "),
        (lambda item: item[0].update(joules=1), "it has the unknown field 'joules'"),
        (lambda item: item[0].pop("flags"), "samples.0: flags: field required"),
        (lambda item: item.append(item[0]), "samples: what is simulated has one count, not 2"),
        (lambda item: item.clear(), "samples: what is simulated has one count, not 0"),
    ],
)  # fmt: skip
def test_no_count_of_firmware(
    change: Callable[[list[dict[str, Any]]], object], says: str,
    refused: Callable[..., str], of_firmware: dict[str, Any],
) -> None:  # fmt: skip
    """Each field has its type and its range, or the file is refused at its place."""
    change(of_firmware["results"][1]["samples"])
    said = refused("import", written(of_firmware))
    assert "results.1.samples" in said
    assert says in said
    assert not Path("joulemark.db").exists()


def test_a_baseline_with_firmware(run: Run, of_firmware: dict[str, Any]) -> None:
    """A check against a file leaves out its counts, which are exact and not judged by samples."""
    said = run("check", "--baseline", written(of_firmware), "--store", "there.db")
    assert "is not a result" not in said.output
    assert said.exit_code in {0, 2, 3}, said.output


def test_a_run_that_was_stopped_is_not_gone_on_with(
    run: Run, exported: Callable[..., dict[str, Any]]
) -> None:
    """A new run never goes on with an imported run, even if both have the same study."""
    there = exported("--raw", finished=False)
    run("import", written(there))
    with Store.open("joulemark.db") as store:
        assert store.run(1).finished_at is None
        assert store.resumable_run("d", {"cpu_model": "Model T"}) is None
        add_run(store, finished=False)
        assert store.resumable_run("d", {"cpu_model": "Model T"}) is not None


def test_a_pipe_is_waited_for_with_a_word(tmp_path: Path, key_file: Callable[..., Path]) -> None:
    """Each command that reads a named pipe names it after a second, and Ctrl-C ends the wait."""
    os.mkfifo(tmp_path / "pipe")
    key = str(key_file(bytes(32)))
    for words in (
        ("import", "pipe"),
        ("verify", "hmac-sha256", "--key-file", key, "--tag-file", "pipe", "key"),
        ("tag", "hmac-sha256", "--key-file", key, "pipe"),
        ("tag", "hmac-sha256", "--key-file", "pipe", key),
    ):
        with subprocess.Popen(
            [sys.executable, "-m", "joulemark.cli.entry", *words], cwd=tmp_path, text=True,
            stderr=subprocess.PIPE,
        ) as process:  # fmt: skip
            assert process.stderr is not None
            said = process.stderr.readline()
            process.send_signal(signal.SIGINT)
            assert said.startswith("joulemark: pipe is a pipe; waiting until a program has")
            assert process.wait(60) == 130
