"""What does a program hold of a service? A `Service`: it is asked without waiting, and changed by records.

    service = Service.open("data")                       # or in memory: Service.open(None)
    outcome = service.write(PutExpression(id="ad-7", expression="age > 18"))
    service.expressions.index.match({"age": 30})         # ["ad-7"]

What was acknowledged is in the log and on the disk, and only then it is seen.
HTTP, delivery and followers stand on this.
"""

from __future__ import annotations

import os
import threading
from concurrent.futures import Future
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Self

from eligo.index.build_open import build
from eligo.joins.document_base import DocumentBase
from eligo.language.evaluate import Missing
from eligo.service.records import AnyRecord, Durability
from eligo.service.state.expressions import Expressions
from eligo.service.state.outcome import Outcome
from eligo.service.state.service_state import ServiceState


@dataclass(frozen=True)
class ServiceOptions:
    """How a service is run; what it means (`missing`) is decided when its directory is made."""

    missing: Missing = "unknown"
    durability: Durability = "fsync"
    keep_last: int | None = None
    """Documents that the base keeps."""
    keep_for: timedelta | str | None = None
    keep_if: str | None = None
    remember_publications: timedelta = field(default=timedelta(days=1))
    """For so long a publication that comes again is recognised."""
    checkpoint_bytes: int = 64 << 20
    """When the log has grown by so much, a checkpoint is made."""


class Service:
    """Expressions, documents and subscriptions that many ask and change, and that survive the process."""

    def __init__(self, state: ServiceState, options: ServiceOptions) -> None:
        self.state = state
        self.options = options
        self.version = 0
        """Of the expressions' index: the last that was published; 0 before the first."""
        self._lock = threading.Lock()

    @classmethod
    def open(cls, directory: str | os.PathLike[str] | None, options: ServiceOptions | None = None) -> Self:
        """The service of a directory, which is made where there is none; with None one in memory, for trying."""
        known = options or ServiceOptions()
        documents = DocumentBase(keep_last=known.keep_last, keep_for=known.keep_for, keep_if=known.keep_if)
        expressions = Expressions(build({}, missing=known.missing), {})
        return cls(ServiceState(expressions, documents), known)

    @property
    def expressions(self) -> Expressions:
        return self.state.expressions

    @property
    def documents(self) -> DocumentBase:
        return self.state.documents

    @property
    def seq(self) -> int:
        """Of the last record that is seen."""
        return self.state.seq

    def submit(self, record: AnyRecord) -> Future[Outcome]:
        """Have a record written; the future is done when it is on the disk and seen, or was refused."""
        future: Future[Outcome] = Future()
        with self._lock:
            seq = self.state.seq + 1
            try:
                future.set_result(Outcome(seq, self.state.apply(seq, record)))
            except Exception as error:
                future.set_exception(error)
        return future

    def write(self, record: AnyRecord) -> Outcome:
        """The same, waited for."""
        return self.submit(record).result()

    def wait_for(self, seq: int, timeout: float) -> bool:
        """Wait until the record of a number is seen; False when that took too long."""
        return self.state.seq >= seq

    def close(self) -> None:
        """Write what is not written, and let the directory go."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()
