# SPDX-License-Identifier: Apache-2.0
"""The application: one route, which only reads."""

from __future__ import annotations

from anyio import CapacityLimiter, to_thread
from fastapi import FastAPI, Request, Response
from starlette.types import ASGIApp

from joulemark.explorer.server.answers import Answers, attachment
from joulemark.explorer.server.guard import Guard

__all__ = ["application"]

_AT_ONCE = 2
"""Pages that are made at once: threads share one interpreter, so that more would only wait for each
other, and the first would be ready as late as the last."""


def application(answers: Answers, port: int) -> ASGIApp:
    """The ASGI application.

    Args:
        answers: of the store.
        port: on which it will listen.
    """
    # Without the pages of FastAPI about itself: they load scripts from elsewhere.
    app = FastAPI(title="Joulemark", docs_url=None, redoc_url=None, openapi_url=None)
    limiter = CapacityLimiter(_AT_ONCE)

    @app.api_route("/{path:path}", methods=["GET", "HEAD"])
    async def view(request: Request) -> Response:
        path = request.scope.get("raw_path", b"/").decode("ascii", "replace")
        query = request.scope.get("query_string", b"").decode("ascii", "replace")
        found = await to_thread.run_sync(answers.answer, path, query, limiter=limiter)
        headers = {"cache-control": "no-cache", "etag": found.etag}
        if request.headers.get("if-none-match") == found.etag:
            return Response(status_code=304, headers=headers)
        if found.file:
            headers["content-disposition"] = attachment(found.file)
        return Response(found.body, found.status, headers, found.type)

    return Guard(app, port)
