"""What may be chosen of how a service is asked over HTTP? Its limits, who may come, and what is written down.

Every limit has an answer of its own that says what it is: 413 for what is too large, 429 for a client that asks too
much at once, 503 for a server that has too much to do.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class HttpSettings:
    """How requests are taken."""

    max_body: int = 64 << 20
    """Bytes of a body that is read whole."""
    max_stream: int = 1 << 30
    """Bytes of a body that is read line by line."""
    max_line: int = 1 << 20
    """Bytes of one line of it."""
    max_events: int = 100_000
    """Events of a body that is read whole."""
    max_block: int = 256
    """Requests for one event each that are matched as one block."""
    max_results: int = 10_000
    """Things that one page of a list has."""
    max_concurrent: int = 1_024
    """Requests that are being answered; those that last by their nature, as streams, do not count."""
    max_lasting: int = 1_024
    """Streams, pulls and readers of the log that are held."""
    max_lasting_per_client: int = 512
    """The same of one token, or of one address where there are no tokens."""
    max_concurrent_per_client: int = 512
    """The same of one token, or of one address where there are no tokens."""
    max_connections: int = 4_096
    """Connections, whatever is asked by them."""
    max_head_seconds: float = 10.0
    """Until the head of a request has come."""
    max_seconds: float = 30.0
    """For one request, and until one that lasts is read; those that last by their nature have bounds of their own."""
    max_wait: float = 10.0
    """Seconds that a read waits for `min_seq`."""
    num_workers: int = min(4, os.cpu_count() or 1)
    """Threads for what takes longer than one event."""
    allow_origins: tuple[str, ...] = ()
    """Origins whose pages may ask; none unless named."""
    tokens: Path | None = None
    """The file of tokens; without one everybody may do everything."""
    decisions: Path | None = None
    """Where it is written down what was answered; nowhere unless named."""
    log_requests: bool = False
    """Whether every request is logged, and not only those that failed or were slow."""
    slow_seconds: float = 1.0
    """From here on a request is slow."""
