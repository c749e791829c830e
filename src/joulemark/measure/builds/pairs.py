# SPDX-License-Identifier: Apache-2.0
"""The implementations that two builds have in common, and the trials in which they compete."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path

from joulemark.catalogue.algorithms import alternatives
from joulemark.errors import UnavailableError, UsageError
from joulemark.measure.planning.trials import is_derived
from joulemark.measure.study import Study
from joulemark.measure.workers.inventory import Inventory, take_inventory
from joulemark.measure.workers.plugin_workshop import Source, installed_sources
from joulemark.records.failure import Failure
from joulemark.records.trial import NEW, OLD, Trial, of_build


@dataclass(frozen=True)
class Builds:
    """Two builds, opened."""

    inventory: Inventory
    """Every implementation of both, as `algorithm/variant@old` and `@new`, and our own kernels."""
    common: Inventory
    """Implementations of both builds by plain name, with the facts of the new build."""
    only: Mapping[str, tuple[str, ...]]
    """Build -> implementations that run here and of which the other build has none that does."""
    unavailable: tuple[Failure, ...]
    """Implementations of either build that this CPU cannot run."""

    def lacking(self, patterns: Sequence[str]) -> dict[str, str | None]:
        """Implementations that the patterns name and that run here in the old build alone.

        Args:
            patterns: patterns of plain names; none stands for all.

        Returns:
            Why the new build's cannot run here, by plain name; None where the new build has none.
        """
        refused = {failure.implementation: failure.reason for failure in self.unavailable}
        return {name: refused.get(f"{name}@{NEW}") for name in named_by(patterns, self.only[OLD])}

    def pairs(self, study: Study) -> list[tuple[Trial, Trial]]:
        """Trials of the old and the new build, workload by workload.

        Args:
            study: its patterns are of plain names; none stands for all that both builds have. A
                pattern that names what only the old build has brings no trial.
        """
        if not self.common.facts:
            refused = "".join(
                f"; {failure.implementation} cannot run here: {failure.reason}"
                for failure in self.unavailable
            )
            raise UnavailableError(
                "the builds have no implementation in common that this CPU can run: the old one "
                f"alone has {_listed(self.only[OLD])}, the new one alone {_listed(self.only[NEW])}"
                f"{refused}"
            )
        twin = next((pattern for pattern in study.patterns if "#" in pattern), None)
        if twin is not None:
            raise UsageError(f"'{twin}': the new build stands against the old; leave out the twin")
        patterns = tuple(
            pattern
            for pattern in study.patterns
            if named_by([pattern], self.common.facts) or not named_by([pattern], self.only[OLD])
        )
        if study.patterns and not patterns:
            return []
        patterns = patterns or tuple(fact for fact in self.common.facts if not is_derived(fact))
        plan = replace(study, patterns=patterns).plan(self.common)
        return [(of_build(trial, OLD), of_build(trial, NEW)) for trial in plan.trials]


def open_builds(old: Path, new: Path, *, passing: bool) -> Builds:
    """Opens both builds, each in a separate process.

    Args:
        old: shared object of the old build.
        new: shared object of the new build.
        passing: whether both are gone after the check, so that no command can repeat a finding.
    """
    found = {build: _open(build, path, passing=passing) for build, path in ((OLD, old), (NEW, new))}
    own = next(source for source in installed_sources() if source.kind == "builtin")
    both = Inventory(sources={own.name: own})
    for build, inventory in found.items():
        both.sources |= inventory.sources
        both.tables |= inventory.tables
        both.facts |= {
            f"{name}@{build}": replace(facts, implementation=f"{name}@{build}")
            for name, facts in inventory.facts.items()
        }
    names = {build: inventory.facts.keys() for build, inventory in found.items()}
    common = {name: facts for name, facts in found[NEW].facts.items() if name in names[OLD]}
    return Builds(
        inventory=both,
        common=replace(found[NEW], facts=common),
        only={
            OLD: tuple(sorted(names[OLD] - names[NEW])),
            NEW: tuple(sorted(names[NEW] - names[OLD])),
        },
        unavailable=tuple(
            replace(failure, implementation=f"{failure.implementation}@{build}")
            for build, inventory in found.items()
            for failure in inventory.unavailable
        ),
    )


def _open(build: str, path: Path, *, passing: bool) -> Inventory:
    source = Source(
        build, f"the {build} build", "plugin", str(path), None, from_user=True, passing=passing
    )
    inventory = take_inventory([source])
    for failure in inventory.unavailable:
        if failure.implementation == f"*/{build}":
            raise UnavailableError(f"--{build} {path} cannot be used: {failure.reason}")
    return inventory


def named_by(patterns: Sequence[str], names: Iterable[str]) -> list[str]:
    """The names that any of the patterns means; all of them where there is no pattern."""
    globs = [glob for pattern in patterns for glob in alternatives(pattern)]
    return [
        name for name in names if not patterns or any(fnmatchcase(name, glob) for glob in globs)
    ]


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(names) or "nothing"
