# SPDX-License-Identifier: Apache-2.0
"""The program that draws charts in a browser, from the installed vl-convert.

Putting it together takes a second of CPU time, so the user's cache keeps it, with its digest.
"""

from __future__ import annotations

import hashlib
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from typing import Final

import vl_convert

from joulemark.errors import UnavailableError
from joulemark.report.files import ReportError, write_atomically
from joulemark.user_folders import user_cache

_EXPORTED: Final = "window.vegaEmbed = vegaEmbed;"


@cache
def chart_library() -> str:
    """Vega, Vega-Lite and vega-embed in one script, once for all charts; safe in an element."""
    return _bundle().replace("</script", "<\\/script")


def _bundle() -> str:
    try:
        folder = user_cache("charts")
    except UnavailableError:  # without a home folder it is put together each time
        return str(vl_convert.javascript_bundle(_EXPORTED))
    about = f"{version('vl-convert-python')} {_EXPORTED}"
    cached = folder / f"{hashlib.sha256(about.encode()).hexdigest()[:32]}.js"
    with suppress(OSError, ValueError):
        digest, script = cached.read_bytes().split(b"\n", 1)
        if hashlib.sha256(script).hexdigest().encode() == digest:
            return script.decode()
    script = vl_convert.javascript_bundle(_EXPORTED).encode()
    with suppress(OSError, ReportError):
        folder.mkdir(parents=True, exist_ok=True)
        write_atomically(cached, hashlib.sha256(script).hexdigest().encode() + b"\n" + script)
    return script.decode()
