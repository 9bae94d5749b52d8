"""What does a follower ask of its owner? The checkpoint, its files, and then the log behind it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import FileResponse, Response

from eligo.errors import LogGoneError
from eligo.service.follow.checkpoint_text import OwnCheckpoints
from eligo.service.follow.log_piece import log_piece
from eligo.service.http.call import call_of
from eligo.service.http.delivering.delivery_requests import answer, bound_tenant
from eligo.service.http.description import described
from eligo.service.http.problems import HttpProblem
from eligo.service.service import Service
from eligo.storage.file_entries import SHA256_TEXT

MOST_WAIT = 30
"""Seconds for which a question for records is held."""


def router(service_of: Callable[[Request], Service]) -> APIRouter:
    """All routes."""
    routes = APIRouter(tags=["followers"])
    checkpoints = OwnCheckpoints()

    @routes.get("/checkpoint", **described(dict))
    async def checkpoint(request: Request) -> Response:
        """The checkpoint that counts, in texts that name its files."""
        service = _whole(request, service_of)
        return answer(await run_in_threadpool(checkpoints.last, service))

    @routes.get("/checkpoint/files/{sha256}", **described(bytes_out=True, refuses=(404,)))
    async def file(request: Request, sha256: str) -> Response:
        """A file of a checkpoint that was asked for."""
        _whole(request, service_of)
        path = checkpoints.path(sha256) if SHA256_TEXT.fullmatch(sha256) else None
        if path is None:
            raise HttpProblem(404, "no checkpoint has this file", help="ask for /checkpoint first, or again")
        return FileResponse(path, media_type="application/octet-stream")

    @routes.get("/log", **described(bytes_out=True, refuses=(410,)))
    async def log(
        request: Request,
        first: Annotated[int, Query(alias="from", ge=1, le=2**62, description="The first record that is wanted.")],
        crc: Annotated[int | None, Query(ge=0, le=2**32 - 1, description="Of the record before it.")] = None,
        rules: Annotated[int | None, Query(ge=0, le=2**32 - 1, description="Of those that it is applied by.")] = None,
        wait: Annotated[float, Query(ge=0, le=MOST_WAIT, description="Seconds, while there is no such record.")] = 0,
    ) -> Response:
        """Records from a number on, each in a frame; waits for the first of them as long as it is told to."""
        service = _whole(request, service_of)
        call_of(request).last()
        try:
            piece = await run_in_threadpool(log_piece, service, first, crc, rules)
            if not piece and wait and await service.wait_for_in_loop(first, wait):
                piece = await run_in_threadpool(log_piece, service, first, crc, rules)
        except LogGoneError as error:
            raise HttpProblem(410, error.message, help=error.help, name="log-gone") from None
        return Response(piece, media_type="application/octet-stream")

    return routes


def _whole(request: Request, service_of: Callable[[Request], Service]) -> Service:
    """The service, for those who may see all of it."""
    if bound_tenant(request) is not None:
        raise HttpProblem(403, "a token that is bound to a tenant cannot follow", help="take one without a tenant")
    return service_of(request)
