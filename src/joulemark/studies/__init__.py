# SPDX-License-Identifier: Apache-2.0
"""Papers repeated on this machine, side by side with what they printed.

Each folder here with an `__init__.py` is a study, named as the paper's file in `catalogue/papers/`.
The docstring of that `__init__.py` is the study's summary, and its `study.py` has `STUDY`, a
`Study` (`study.py` beside this file). Modules that several studies use lie beside the folders.
"""

from __future__ import annotations

import pkgutil
from importlib import import_module


def summaries() -> dict[str, str]:
    """Returns the summary of every study by its id; no module of a study is imported."""
    return {
        folder.name: import_module(f"{__name__}.{folder.name}").__doc__ or ""
        for folder in pkgutil.iter_modules(__path__)
        if folder.ispkg
    }
