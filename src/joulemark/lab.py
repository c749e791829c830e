# SPDX-License-Identifier: Apache-2.0
"""The laboratory: packages that measuring, storing and drawing need, and authenticating does not.

`pip install joulemark` brings numpy alone; `pip install 'joulemark[lab]'` brings the rest. Code
imports the packages as if all were installed. When an import fails, the command line asks `lacking`
whether a package of the laboratory is missing or the fault is ours.
"""

from __future__ import annotations

from typing import Final

INSTALL: Final = "pip install 'joulemark[lab]'"
PACKAGES: Final = {
    "alembic": "alembic",
    "annotated_types": "annotated-types",
    "elftools": "pyelftools",
    "jinja2": "jinja2",
    "markupsafe": "markupsafe",
    "pydantic": "pydantic",
    "pydantic_core": "pydantic",
    "rich": "rich",
    "scipy": "scipy",
    "serial": "pyserial",
    "sqlalchemy": "SQLAlchemy",
    "typer": "typer",
    "typing_extensions": "typing-extensions",
    "uncertainties": "uncertainties",
    "vl_convert": "vl-convert-python",
}
"""Module -> the package that brings it, as the extra `lab` of pyproject.toml has it."""
_EXPLORER_INSTALL: Final = "pip install 'joulemark[explorer]'"
_FLEET_INSTALL: Final = "pip install 'joulemark[fleet]'"
OF_EXTRAS: Final = {
    "anyio": ("fastapi", _EXPLORER_INSTALL),
    "fastapi": ("fastapi", _EXPLORER_INSTALL),
    "starlette": ("fastapi", _EXPLORER_INSTALL),
    "uvicorn": ("uvicorn", _EXPLORER_INSTALL),
    "cryptography": ("cryptography", _FLEET_INSTALL),
    "dask": ("distributed", _FLEET_INSTALL),
    "distributed": ("distributed", _FLEET_INSTALL),
}
"""Module of another extra than `lab` -> its package, and the command that installs it."""


def lacking(error: ImportError) -> str | None:
    """The sentence on a package of an extra that could not be imported; None for other packages.

    Example:
        >>> lacking(ModuleNotFoundError("No module named 'rich'", name="rich"))
        "this needs the Python package rich, which is not installed: pip install 'joulemark[lab]'"
    """
    name = error.name or ""
    module = name.partition(".")[0]
    package, install = OF_EXTRAS.get(module, (PACKAGES.get(module), INSTALL))
    if package is None:
        return None
    what = (
        "which is not installed"
        if isinstance(error, ModuleNotFoundError) and "." not in name
        else "and the one that is installed is of a version that does not serve"
    )
    return f"this needs the Python package {package}, {what}: {install}"
