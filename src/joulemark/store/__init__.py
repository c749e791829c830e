# SPDX-License-Identifier: Apache-2.0
"""Raw samples and what they stand on, kept so that a killed run loses nothing."""

from joulemark.store.content import RunContent
from joulemark.store.cores import CoreReportRecord, StoredCoreReport
from joulemark.store.energy import StoredWindow
from joulemark.store.merging import add_content, content_of, copy_store
from joulemark.store.repository import RunRecord, Store

__all__ = [
    "CoreReportRecord",
    "RunContent",
    "RunRecord",
    "Store",
    "StoredCoreReport",
    "StoredWindow",
    "add_content",
    "content_of",
    "copy_store",
]
