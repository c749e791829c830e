# SPDX-License-Identifier: Apache-2.0
"""castellon2022's programs as gcc and clang build them: tags, joules, the table and the claims."""

from __future__ import annotations

import hmac
import shutil
from pathlib import Path

import pytest
from made_findings import comparisons, findings, verdicts

from joulemark.environment import capture
from joulemark.errors import WrongOutputError
from joulemark.measure.inventory import Inventory
from joulemark.measure.plan import EnergyPlan
from joulemark.records.figures import Evidence
from joulemark.store.repository import Store
from joulemark.studies.castellon2022 import compilers
from joulemark.studies.castellon2022.compilers import (
    CompilerWork,
    compilers_named,
    measure_compilers,
)
from joulemark.studies.castellon2022.findings import CastellonFindings, CompilerFindings
from joulemark.studies.castellon2022.paper import MemoryModel, castellon2022
from joulemark.studies.castellon2022.tables import tables
from joulemark.studies.castellon2022.through_ctypes import PROGRAMS
from joulemark.studies.equipment import CpuEquipment
from joulemark.studies.study import ClaimVerdict

BOTH = ("gcc", "clang")
pytestmark = pytest.mark.skipif(
    any(shutil.which(name) is None for name in BOTH), reason="needs gcc and clang"
)
METERED = EnergyPlan(
    meter="simulated:update_ms=5", rounds=1, window_s=0.2, precision=1.0, foreign_limit=1e4,
    warm_up_s=0.0, retakes=0,
)  # fmt: skip


def work() -> CompilerWork:
    """One length by both compilers, whose names are refused where either is missing."""
    compilers = compilers_named(BOTH)
    return CompilerWork(compilers, (64,), 4, 50_000, METERED, {"study": "test"}, fresh=True)


@pytest.mark.usefixtures("quick_workers")
def test_two_compilers_under_the_simulated_meter(tmp_path: Path) -> None:
    """Each builds all programs, whose tags are right; joules come from the simulated meter."""
    with Store.open(str(tmp_path / "store.db")) as store:
        equipment = CpuEquipment(
            inventory=Inventory(), store=store, environment=capture(), folder=tmp_path
        )
        found, no_energy = measure_compilers(work(), equipment)
    assert no_energy is None
    assert [each.compiler for each in found] == [*BOTH]
    assert "clang" in found[1].version
    for each in found:
        (row,) = each.kernel
        assert set(row.programs) == {*PROGRAMS}
        if each.energy is not None:  # a window may be void on a busy machine
            assert each.energy.evidence is Evidence.SIMULATED


def test_a_wrong_program_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is timed of a compiler that builds a program with another tag."""

    def built(_code: object, _names: object, _by: object, _tools: object, plugin: Path) -> None:
        shutil.copy(compilers.CastellonLibrary().path, plugin)

    def tag(_self: object, name: str, key: bytes, message: bytes) -> bytes:
        right = hmac.digest(key, message, "sha256")
        return right[::-1] if name == "ecm_j8" else right

    monkeypatch.setattr(compilers, "build_kernels", built)
    monkeypatch.setattr(compilers.CastellonLibrary, "tag", tag)
    refused = pytest.raises(WrongOutputError, match="ecm_j8 of castellon2022 computes no HMAC")
    with Store.open(str(tmp_path / "store.db")) as store, refused:
        equipment = CpuEquipment(
            inventory=Inventory(), store=store, environment=capture(), folder=tmp_path
        )
        measure_compilers(work(), equipment)


def built_by(**saved: float) -> CastellonFindings:
    """Findings in which E takes 14 % less, and as each compiler builds it that share less."""
    rows = comparisons(0.14, copied=0.0)
    return findings(rows).model_copy(
        update={
            "compilers": [
                CompilerFindings(
                    compiler=name, version=f"{name} 1", flags="-O3", energy=None,
                    kernel=comparisons(share, copied=0.0),
                )
                for name, share in saved.items()
            ]
        }
    )  # fmt: skip


def test_a_claim_names_the_compilers_on_which_it_holds() -> None:
    """A verdict that is not that of every compiler is none."""
    alike = verdicts(built_by(gcc=0.14, clang=0.15))["consistent"]
    assert alike.verdict is ClaimVerdict.HOLDS
    assert "it holds by all fillings with gcc and clang." in alike.why
    apart = verdicts(built_by(gcc=0.14, clang=-0.05))["consistent"]
    assert apart.verdict is ClaimVerdict.UNTESTED
    assert "holds by all fillings with gcc; it does not hold" in apart.why
    assert "with clang" in apart.why


def test_the_table_has_a_row_for_each_size_and_compiler() -> None:
    """Both fillings stand beside each other, and equal tags are said."""
    found = tables(
        castellon2022(), with_series(built_by(gcc=0.14, clang=-0.05)), None, MemoryModel()
    )
    (table,) = [table for table in found if table.title.startswith("E against O by compiler")]
    texts = table.texts()
    sizes = castellon2022().experiment.sizes_bytes
    assert [row[1] for row in texts] == ["gcc", "clang"] * len(sizes)
    assert "14.0 % less" in texts[0][4]
    assert "5.0 % more" in texts[1][4]
    assert "gave the same tag" in table.caption


def with_series(found: CastellonFindings) -> CastellonFindings:
    """The findings with seconds of the standard program, which the last table needs."""
    seconds = {"standard": {row.size_bytes: row.programs["standard"] for row in found.kernel}}
    return found.model_copy(update={"seconds": seconds})
