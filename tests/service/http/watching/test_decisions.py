"""Does a line say by which version an event was answered?"""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

from eligo.service.http.watching.decisions import Decisions
from eligo.service.records import PutExpression
from eligo.service.service import Service


class SlowlyAsked:
    """A service whose expressions are not told to the one who writes lines before they may be."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.may_be_told = threading.Event()

    @property
    def version(self) -> int:
        return self.service.version

    @property
    def expressions(self) -> Any:
        self.may_be_told.wait()
        return self.service.expressions


def test_the_version_is_that_of_the_answer(tmp_path: Path) -> None:
    file = tmp_path / "decisions.log"
    with Service.open(tmp_path / "data") as service:
        service.write(PutExpression(id="a", expression="x = 1"))
        answered = service.version
        slow = SlowlyAsked(service)
        decisions = Decisions(file, slow)  # type: ignore[arg-type]
        decisions.note("r-1", service.seq, None, b'{"x":1}', ["a"])
        assert service.checkpoint().expressions == service.version != answered
        slow.may_be_told.set()
        decisions.close()
    [line] = map(json.loads, file.read_bytes().splitlines())
    assert (line["version"], line["event"], line["matches"]) == (answered, {"x": 1}, ["a"])
