# SPDX-License-Identifier: Apache-2.0
"""The program that draws charts in a browser, from the installed vl-convert."""

from __future__ import annotations

from functools import cache
from typing import Final

import vl_convert

__all__ = ["chart_library"]

_EXPORTED: Final = "window.vegaEmbed = vegaEmbed;"


@cache
def chart_library() -> str:
    """Vega, Vega-Lite and vega-embed in one script, once for all charts; safe in an element."""
    return vl_convert.javascript_bundle(_EXPORTED).replace("</script", "<\\/script")
