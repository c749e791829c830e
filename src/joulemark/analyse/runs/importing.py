# SPDX-License-Identifier: Apache-2.0
"""Puts the content of an exported file into a store."""

from __future__ import annotations

from dataclasses import replace

from joulemark.analyse.runs.imported import ImportedFile
from joulemark.records.evidence import Evidence
from joulemark.store.merging import add_content
from joulemark.store.repository import Store


def put_into(store: Store, file: ImportedFile) -> int | None:
    """Adds the run of a file; returns its number, or None where the store has it already.

    Reports of cores are added too. No tool here computed their figures, so they are `published`,
    unless the store has the same report already.

    Raises:
        StoreError: the store cannot be written; the run was then not added.
    """
    number = None if file.content is None else add_content(store, file.content)
    known = [stored.report for stored in store.core_reports()] if file.core_reports else []
    for report, made_at in file.core_reports:
        published = replace(
            report, evidence=dict.fromkeys(report.evidence, Evidence.PUBLISHED.value)
        )
        if report not in known and published not in known:
            store.add_core_report(published, made_at=made_at)
    return number
