# SPDX-License-Identifier: Apache-2.0
"""Keeping reports of cores in the store."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime

from joulemark import __version__
from joulemark.records.core_report import CoreReport, StoredCoreReport
from joulemark.store.repository import Store

Keyed = tuple[str, CoreReport]
"""A digest of all that a report depends on, and the report."""


def keep_reports(store_location: str, reports: Iterable[Keyed]) -> None:
    """Puts reports into the store, beside the software's runs."""
    with Store.open(store_location) as store:
        for key, report in reports:
            store.add_core_report(
                StoredCoreReport(
                    **dict(report),
                    digest=key,
                    joulemark_version=__version__,
                    made_at=datetime.now(UTC).isoformat(),
                )
            )
