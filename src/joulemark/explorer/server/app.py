# SPDX-License-Identifier: Apache-2.0
"""The web application: one route, which only reads."""

from __future__ import annotations

from anyio import CapacityLimiter, to_thread
from fastapi import FastAPI, Request, Response
from starlette.types import ASGIApp

from joulemark.explorer.server.answers import Answers, attachment
from joulemark.explorer.server.guard import Guard

__all__ = ["application"]

_AT_ONCE = 2
"""Most pages that are made at once: threads share one interpreter, so that more pages would only
wait for each other, and the first would be ready as late as the last."""


def application(answers: Answers, port: int) -> ASGIApp:
    """The ASGI application.

    Args:
        answers: answers about the store.
        port: port on which the server will listen.
    """
    # The pages of FastAPI about itself are left out: they load scripts from other servers.
    app = FastAPI(title="Joulemark", docs_url=None, redoc_url=None, openapi_url=None)
    limiter = CapacityLimiter(_AT_ONCE)

    @app.api_route("/{path:path}", methods=["GET", "HEAD"])
    async def view(request: Request) -> Response:
        path = request.scope.get("raw_path", b"/").decode("ascii", "replace")
        query = request.scope.get("query_string", b"").decode("ascii", "replace")
        answer = await to_thread.run_sync(answers.answer, path, query, limiter=limiter)
        headers = {"cache-control": "no-cache", "etag": answer.etag}
        if request.headers.get("if-none-match") == answer.etag:
            return Response(status_code=304, headers=headers)
        if answer.file:
            headers["content-disposition"] = attachment(answer.file)
        return Response(answer.body, answer.status, headers, answer.type)

    return Guard(app, port)
