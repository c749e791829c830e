# SPDX-License-Identifier: Apache-2.0
"""The files that are damaged, and the commands that then read them: stores, baselines, libraries,
manifests, vectors, meters.

Each subject makes one case from one generator: it writes files into the working folder and returns
the command line to be run there.
"""

from __future__ import annotations

import json
import random
import re
import shutil
import sqlite3
import sys
import threading
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

TESTS = Path(__file__).resolve().parent.parent
sys.path[1:1] = [str(TESTS / part) for part in ("cli", "store", "hardware/asic")]

import fake_store  # noqa: E402 - from another folder of tests
from damage import ODD, damaged_bytes, damaged_text, damaged_value, damaged_word  # noqa: E402
from meter_trees import NAMES, damage_tree, damaged_stream, later_damage, whole_tree  # noqa: E402
from small_library import library  # noqa: E402
from store_data import (  # noqa: E402
    CORE_REPORT,
    COUNT,
    FACTS,
    FIRMWARE_COUNT,
    FIRMWARE_TRIAL,
)
from stored_energy_data import METER, window  # noqa: E402
from stored_sessions_data import POINT  # noqa: E402

from joulemark.records.energy_window import DomainTrace, TracePoint, WindowKind  # noqa: E402
from joulemark.records.trial import RTL, Mode, Trial, Workload  # noqa: E402
from joulemark.store.repository import Store  # noqa: E402

Case = Callable[[random.Random], list[str]]

_READERS = (
    ["runs"], ["runs", "--json"], ["export"], ["export", "--raw"], ["export", "--format", "csv"],
    ["export", "--format", "markdown"], ["export", "--format", "cores_csv"],
    ["compare", "hmac-sha256/portable", "hmac-sha256/shani"], ["compare", "--run", "2",
     "hmac-sha256/portable", "hmac-sha256/portable#2"], ["check", "--baseline", "1"],
    ["check", "--baseline", "1", "--json"],
)  # fmt: skip
_ONE_LOOK = ("--once", "--interval", "0.05")
_TOKEN = re.compile(r"[\w.+-]+")


def whole_store(path: Path) -> Path:
    """A store with runs, energy, sessions, firmware, a simulated core and a report of one."""
    with Store.open(path) as store:
        for seed in (1, 2):
            run_id = fake_store.add_run(store, seed=seed, environment={
                "turbo": True, "governor": "powersave", "caches_bytes": {"L1d": 32768},
                "cpu_features": ["avx2"], "reasons": {"tsc_hz": "not told"}})  # fmt: skip
            store.set_conditions(run_id, {"cpu": 1, "cpu_named": False, "cpu_busy_share": 0.1,
                                          "cpu_not_held": "taken", "cpus_allowed": 2, "nice": 0,
                                          "load_average": [0.5, 0.4, 0.3]})  # fmt: skip
            trial = Trial("sha256/core_sha256_pipeline", Workload(64, Mode.LATENCY), RTL)
            store.add_implementation(run_id, _facts_of(trial.implementation))
            store.add_clock_count(run_id, trial, COUNT)
            store.add_firmware_count(run_id, FIRMWARE_TRIAL, FIRMWARE_COUNT)
            _add_energy(store, run_id)
        store.add_core_report(CORE_REPORT)
        store.add_sessions(POINT)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
    return path


def _facts_of(name: str) -> Any:
    return replace(FACTS, implementation=name, provider="core", kind="hash")


def _add_energy(store: Store, run_id: int) -> None:
    pace = {"period_s": 0.001, "jitter_s": 1e-5, "poll_s": 1e-5, "power_w": 10.0, "walk_j2": 1e-9,
            "white_j2": 1e-10, "updates": 4000}  # fmt: skip
    store.set_meter(run_id, replace(METER, paces={"intel-rapl:0": pace}))
    trial = Trial(fake_store.PORTABLE, Workload(64))
    for round_index in range(4):
        for position, kind in enumerate(
            (WindowKind.DEEP_IDLE, WindowKind.ACTIVE_IDLE, WindowKind.LOAD)
        ):
            start_ns = 10**12 + (round_index * 3 + position) * 10**9
            load = kind is WindowKind.LOAD
            points = tuple(
                TracePoint(
                    start_ns + at, start_ns + at + 1000, 10**6 + at // 100 * (2 if load else 1)
                )
                for at in (0, 125_000_000, 250_000_000)
            )
            store.add_energy_window(run_id, trial if load else None, window(
                kind=kind, round_index=round_index, position=position, wall_start_ns=start_ns,
                wall_ns=250_000_000, messages=400_000 if load else 0, thread_cpu_ns=250_000_000,
                machine_busy_ns=250_000_000, traces=(DomainTrace("intel-rapl:0", points),),
                chain_ticks_before=8192, chain_ticks_after=8192))  # fmt: skip


_WYCHEPROOF = json.dumps(
    {
        "algorithm": "HMACSHA1", "schema": "mac_test_schema_v1.json", "numberOfTests": 3,
        "testGroups": [
            {"type": "MacTest", "keySize": 160, "tagSize": 80, "tests": [
                {"tcId": number, "comment": "", "flags": [], "key": "0b" * size,
                 "msg": "4869" * size, "tag": "b6" * 10, "result": result}
                for number, (size, result) in enumerate(
                    ((20, "valid"), (80, "invalid"), (0, "acceptable")), 1
                )
            ]},
            {"type": "AeadTest", "tests": [{"tcId": 4}]},
        ],
    },
    indent=1,
)  # fmt: skip
_HASHES = """# "SHA-1 ShortMsg" information
[L = 20]

Len = 0
Msg = 00
MD = da39a3ee5e6b4b0d3255bfef95601890afd80709

Len = 24
Msg = 616263
MD = a9993e364706816aba3e25717850c26c9cd0d89d

Len = 5
Msg = 98
MD = 29826b003b906e660eff4027ce98af3531ac75ba
"""
_MACS = """[L=20]

Count = 0
Klen = 4
Tlen = 10
Key = 4a656665
Msg = 7768617420646f2079612077616e7420666f72206e6f7468696e673f
Mac = effcdf6ae5eb2fa2d274

Count = 1
Klen = 16
Mlen = 0
Tlen = 4
Key = 2b7e151628aed2a6abf7158809cf4f3c
Msg = 00
Mac = bb1d6929
Result = F (1 - Message changed)
"""
_VECTORS = (
    (_WYCHEPROOF, "hmac_sha1"), (_HASHES, "sha1_serial"), (_MACS, "hmac_sha1"),
    (_MACS, "aes128_cmac"),
)  # fmt: skip
"""Text, and a core that it is for."""


class Subjects:
    """The cases of each kind, all made in one folder from sound files that are made once."""

    def __init__(self, folder: Path) -> None:
        sound = folder / "sound"
        sound.mkdir()
        self._store = whole_store(sound / "store.db").read_bytes()
        self._export = _exported(sound)
        self._library = library()
        (sound / "toy.v").write_text("module toy_mac; endmodule\n")
        toy = TESTS / "hardware" / "cores" / "toy_mac"
        self._manifest = (toy / "toy_mac.toml").read_text("utf-8")
        self._busy: threading.Thread | None = None
        self._tree = sound / "machine"
        whole_tree(self._tree)
        self._folder = folder / "case"
        self._folder.mkdir()
        self._toy = toy
        self.by_name: dict[str, Case] = {
            "store-bytes": self._store_bytes,
            "store-values": self._store_values,
            "baselines": self._baselines,
            "libraries": self._libraries,
            "manifests": self._manifests,
            "vectors": self._vectors,
            "meter-trees": self._meter_trees,
            "meter-streams": self._meter_streams,
        }

    def clear(self) -> Path:
        """Empties the working folder and returns it."""
        if self._busy is not None:
            self._busy.join()
        for path in self._folder.iterdir():
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
        return self._folder

    def _store_bytes(self, chance: random.Random) -> list[str]:
        (self._folder / "x.db").write_bytes(damaged_bytes(self._store, chance))
        return [*_reader(chance), "--store", "x.db"]

    def _store_values(self, chance: random.Random) -> list[str]:
        path = self._folder / "x.db"
        path.write_bytes(self._store)
        with closing(sqlite3.connect(path)) as connection:
            connection.text_factory = bytes
            damage_one_value(connection, chance)
        return [*_reader(chance), "--store", "x.db"]

    def _baselines(self, chance: random.Random) -> list[str]:
        (self._folder / "x.db").write_bytes(self._store)
        if chance.random() < 0.2:
            content = damaged_bytes(self._export.encode(), chance)
        else:
            value = json.loads(self._export)
            for _ in range(chance.choice((1, 1, 3))):
                value = damaged_value(value, chance)
            content = json.dumps(value).encode()
        (self._folder / "base.json").write_bytes(content)
        return ["check", "--baseline", "base.json", "--store", "x.db"]

    def _libraries(self, chance: random.Random) -> list[str]:
        text = _damaged(self._library, chance)
        (self._folder / "x.lib").write_bytes(text.encode("utf-8", "surrogatepass"))
        return ["core", "report", "siphash", "--liberty", "x.lib", "--no-cache", "--no-store"]

    def _manifests(self, chance: random.Random) -> list[str]:
        for name in ("toy_mac.v", "model.py"):
            shutil.copyfile(self._toy / name, self._folder / name)
        text = _damaged(self._manifest, chance)
        (self._folder / "x.toml").write_bytes(text.encode("utf-8", "surrogatepass"))
        return ["core", "report", "./x.toml", "--target", "generic", "--no-cache", "--no-store"]

    def _vectors(self, chance: random.Random) -> list[str]:
        if chance.random() < 0.5:
            value = json.loads(_WYCHEPROOF)
            for _ in range(chance.choice((1, 1, 3))):
                value = damaged_value(value, chance)
            content, core = json.dumps(value).encode(), "hmac_sha1"
        else:
            text, core = chance.choice(_VECTORS)
            content = _damaged(text, chance).encode("utf-8", "surrogatepass")
        (self._folder / "x.vectors").write_bytes(content)
        only = ["--only", chance.choice(("1", "2", "x"))] if chance.random() < 0.2 else []
        return ["core", "run", core, "--vectors", "x.vectors", *only]

    def _meter_trees(self, chance: random.Random) -> list[str]:
        tree = self._folder / "machine"
        shutil.copytree(self._tree, tree, symlinks=True)
        damage_tree(tree, chance)
        if chance.random() < 0.5:
            self._meanwhile(later_damage(tree, random.Random(chance.random())))
        where = ["--sysfs", "machine/sys", "--proc", "machine/proc"]
        if chance.random() < 0.3:
            return ["doctor", "--quick", *where, *chance.choice(([], ["--json"]))]
        name = chance.choice(([], *([text] for text in NAMES)))
        return ["meter", *name, *_ONE_LOOK, *where, *chance.choice(([], ["--json"]))]

    def _meter_streams(self, chance: random.Random) -> list[str]:
        name, write = damaged_stream(self._folder / "watts.csv", chance)
        self._meanwhile(write)
        return ["meter", name, *_ONE_LOOK]

    def _meanwhile(self, what: Callable[[], None]) -> None:
        """Does something while the command runs; the next case waits for its end."""
        self._busy = threading.Thread(target=what, daemon=True)
        self._busy.start()


def _reader(chance: random.Random) -> list[str]:
    """A command that reads a store; a report, whose charts take seconds, now and then."""
    return ["report"] if chance.random() < 0.01 else chance.choice(_READERS)


def _damaged(text: str, chance: random.Random) -> str:
    if chance.random() < 0.1:
        return damaged_bytes(text.encode(), chance).decode("utf-8", "surrogateescape").encode(
            "utf-8", "replace").decode()  # fmt: skip
    if chance.random() < 0.5:
        return damaged_text(text, chance)
    return damaged_word(
        text, chance, lambda name: [found.span() for found in _TOKEN.finditer(name)]
    )


def damage_one_value(connection: sqlite3.Connection, chance: random.Random) -> str:
    """Puts an odd value into one column of one row; returns which, empty if it was refused."""
    every = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
    named = [name.decode() for (name,) in connection.execute(every).fetchall()]
    tables = [
        entry for entry in named if connection.execute(f"SELECT 1 FROM {entry} LIMIT 1").fetchone()
    ]
    table = chance.choice(tables)
    columns = [entry[1].decode() for entry in connection.execute(f"PRAGMA table_info({table})")]
    column = chance.choice(columns)
    rows = connection.execute(f'SELECT rowid, "{column}" FROM {table}').fetchall()
    row, found = chance.choice(rows)
    odd: Any = chance.choice((*ODD, b"\xff\xfe", b"", "[]", "{}", "null", "2020-01-01", -(2**63)))
    if isinstance(found, bytes) and found[:1] in (b"{", b"[") and chance.random() < 0.8:
        odd = json.dumps(damaged_value(json.loads(found), chance))
    elif isinstance(odd, list | dict):
        odd = json.dumps(odd)
    elif isinstance(odd, int) and not -(2**63) <= odd < 2**63:
        odd = str(odd)
    elif isinstance(odd, str):
        odd = odd.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
    connection.execute("PRAGMA foreign_keys = OFF")
    connection.execute("PRAGMA ignore_check_constraints = ON")
    try:
        connection.execute(f'UPDATE {table} SET "{column}" = ? WHERE rowid = ?', (odd, row))
        connection.commit()
    except sqlite3.Error:
        return ""
    return f"{table}.{column} of row {row}"


def _exported(folder: Path) -> str:
    from joulemark.analyse.assemble import result_set

    with Store.open(folder / "store.db") as store:
        whole = json.loads(result_set(store, 1, raw=True).model_dump_json())
    # A few trials and samples, so that a damaged place is often one that is read.
    whole["results"] = whole["results"][:3]
    for result in whole["results"]:
        result["samples"] = result["samples"][:6] if result["samples"] else result["samples"]
    return json.dumps(whole)
