"""What does the log say? One line of JSON for each thing, with the id of the request that it is about.

{"time": "2026-11-18T09:00:00.123Z", "level": "warning", "message": "slow", "request_id": "5f0c-2a", "route": "/top", …}
"""

from __future__ import annotations

import logging
import sys
import time
from datetime import UTC, datetime
from typing import TextIO

import msgspec

from eligo.service.http.call import Call
from eligo.service.http.settings import HttpSettings

logger = logging.getLogger("eligo.service.requests")

FIELDS = ("request_id", "method", "path", "route", "status", "seconds", "client", "tenant")


class JsonFormatter(logging.Formatter):
    """A record as a line of JSON; no text of users can begin another line."""

    def format(self, record: logging.LogRecord) -> str:
        moment = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        line = {
            "time": moment,
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        line |= {name: own for name in FIELDS if (own := getattr(record, name, None)) not in (None, "")}
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return msgspec.json.encode(line).decode()


def log_as_json(stream: TextIO | None = None, level: int = logging.INFO) -> None:
    """Have everything that Eligo and the server say written as JSON."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(JsonFormatter())
    for name in ("eligo", "uvicorn"):
        own = logging.getLogger(name)
        own.handlers[:] = [handler]
        own.setLevel(max(level, logging.WARNING) if name == "uvicorn" else level)
        own.propagate = False


def log_request(call: Call, settings: HttpSettings) -> None:
    """Say that a request was answered, where that is worth a line."""
    seconds = time.perf_counter() - call.started
    has_failed = call.status >= 500
    is_slow = seconds >= settings.slow_seconds and not call.lasts
    if not (has_failed or is_slow or settings.log_requests):
        return
    fields = {
        "request_id": call.request_id,
        "method": call.method,
        "path": call.path[:500],
        "route": call.route,
        "status": call.status,
        "seconds": round(seconds, 6),
        "client": call.client,
        "tenant": call.tenant,
    }
    level = logging.ERROR if has_failed else logging.WARNING if is_slow else logging.INFO
    logger.log(level, "failed" if has_failed else "slow" if is_slow else "answered", extra=fields)
