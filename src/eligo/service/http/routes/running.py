"""How is the service? Whether it lives, whether it is ready, what it holds, and how much it has done."""

from __future__ import annotations

import os
import re
import time
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from eligo import errors
from eligo._version import __version__
from eligo.errors import EligoError
from eligo.service.http.answers import json_answer
from eligo.service.http.asking import Asking
from eligo.service.http.call import call_of
from eligo.service.http.description import described
from eligo.service.http.problems import too_busy
from eligo.service.http.watching.metrics import CONTENT_TYPE, lags
from eligo.service.service import Service
from eligo.service.state import outcome
from eligo.service.state.checkpointer import said


def router(asking: Asking) -> APIRouter:
    """The routes for those who run it."""
    routes = APIRouter(tags=["running"])
    service = asking.service
    started = time.time()

    @routes.get("/healthz", **described(dict))
    async def healthz() -> Response:
        """The process lives."""
        return json_answer(service, {"status": "alive"})

    @routes.get("/readyz", **described(dict))
    async def readyz(min_version: Annotated[int, Query(ge=0, le=2**63 - 1)] = 0) -> Response:
        """It can answer, with this version at least; a follower when it has caught up."""
        if service.version < min_version:
            raise too_busy(503, f"version {min_version} is not here yet; {service.version} is")
        failure = service.committer.failure
        if failure is not None:
            raise too_busy(503, f"nothing is written any more: {failure}")
        following = service.following
        if following is not None and not following["has_caught_up"]:
            raise too_busy(503, "it has not caught up with what it follows yet")
        return json_answer(service, {"status": "ready"})

    @routes.get("/status", **described(dict))
    async def status(request: Request) -> Response:
        """What it holds, how far it is, and what waits."""
        fields = _state(service) | {"uptime_seconds": round(time.time() - started, 3)}
        if call_of(request).tenant is None:
            fields["subscriptions"] = lags(service)
        return json_answer(service, fields)

    @routes.get("/metrics", **described(text=True))
    async def metrics(request: Request) -> Response:
        """Figures for Prometheus; for a token of a tenant without those of single subscriptions."""
        names = call_of(request).tenant is None
        return Response(await asking.workers.run(asking.metrics, names), media_type=CONTENT_TYPE)

    @routes.get("/errors", **described(dict))
    async def known_errors() -> Response:
        """The problems that answers may have, by name."""
        return json_answer(service, {"errors": error_names()})

    return routes


def _state(service: Service) -> dict[str, Any]:
    """What a service holds, and what it has written."""
    commits = service.committer.commits
    return {
        "eligo": __version__,
        "missing": service.expressions.index.missing,
        "durability": service.options.durability,
        "expressions": len(service.expressions),
        "documents": len(service.documents),
        "held_messages": {
            "messages": service.subscriptions.bodies.num_messages,
            "bytes": service.subscriptions.bodies.num_bytes,
            "max_bytes": service.subscriptions.most_bytes,
        },
        "publications": {
            "remembered": len(service.state.publications),
            "most": service.state.publications.most,
            "forgotten_early": service.state.publications.num_forgotten_early,
        },
        "is_writable": service.committer.failure is None and service.following is None,
        "following": service.following,
        "failure": service.committer.failure,
        "log": {
            "bytes": service.log.num_bytes,
            "records": commits.num_records,
            "groups": commits.num_groups,
            "append_seconds": round(commits.append_seconds, 6),
            "apply_seconds": round(commits.apply_seconds, 6),
            "waiting_records": service.committer.num_waiting,
        },
        "checkpoint": _checkpoint(service),
        "resident_bytes": resident_bytes(),
    }


def _checkpoint(service: Service) -> dict[str, Any] | None:
    """The checkpoint that counts, and why a newer one could not be made; None in memory."""
    made = service.checkpoints
    if made is None:
        return None
    return {
        "seq": None if made.last is None else made.last.seq,
        "seconds": round(made.last_seconds, 6),
        "failed": made.num_failed,
        "error": None if made.last_error is None else said(made.last_error),
    }


def error_names() -> dict[str, str]:
    """Every error of ours by the name that its problem has."""
    kinds = [*vars(errors).values(), *vars(outcome).values()]
    found = {}
    for kind in kinds:
        if isinstance(kind, type) and issubclass(kind, EligoError):
            name = re.sub(r"(?<=[a-z])(?=[A-Z])", "-", kind.__name__.removesuffix("Error")).lower()
            found[name] = (kind.__doc__ or "").partition("\n")[0]
    return found


def resident_bytes() -> int | None:
    """The memory that the process has; None where the system does not say."""
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return None
