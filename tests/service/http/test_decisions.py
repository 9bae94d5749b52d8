"""Are decisions written down whatever is in them, and does a log that cannot be written hold up no stop?"""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest

from delivering_service import DEADLINE
from eligo.service.http.watching import decisions
from eligo.service.http.watching.decisions import Decisions
from eligo.service.records import PutExpression
from eligo.service.service import Service


def test_one_that_cannot_be_written_leaves_the_others(tmp_path: Path) -> None:
    with Service.open(None) as service:
        service.write(PutExpression(id="a", expression="x exists"))
        written = Decisions(tmp_path / "decisions", service)
        for number, x in enumerate((1, "\ud800", 2)):
            written.note(f"r{number}", 1, None, {"x": x}, ["a"])
        written.close()
    lines = [json.loads(line) for line in (tmp_path / "decisions").read_text().splitlines()]
    assert [line["request_id"] for line in lines if line["request_id"] != "r1"] == ["r0", "r2"]
    assert (tmp_path / "decisions").stat().st_mode & 0o077 == 0, "events stand in it"


def test_a_thread_that_has_died_holds_up_no_stop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decisions, "MOST_WAITING", 2)
    monkeypatch.setattr(Decisions, "_write", lambda self: None)
    with Service.open(None) as service:
        written = Decisions(tmp_path / "decisions", service)
        for _ in range(3):
            written.note("r", 1, None, {}, [])
        closing = threading.Thread(target=written.close, daemon=True)
        closing.start()
        closing.join(DEADLINE)
        assert not closing.is_alive()
        assert written.num_dropped == 1
