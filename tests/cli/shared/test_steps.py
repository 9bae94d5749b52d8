"""Does a long step say how far it is, on a terminal and in a log?"""

from __future__ import annotations

import io
import threading
from pathlib import Path

import pytest
from rich.console import Console

from eligo.cli.shared import steps
from eligo.cli.shared.step_status import Gauge
from eligo.storage.row_progress import RowsDone, tell_rows
from eligo.storage.work_files import WorkFiles, WorkKind


def test_rows_with_rate_and_time_left() -> None:
    done = [0]
    gauge = Gauge(lambda: (0, 2), 500_000, lambda: done[0])
    assert gauge.status(3) == (0, 500_000, "0 of 500,000 rows")
    done[0] = 250_000
    assert gauge.status(5) == (250_000, 500_000, "250,000 of 500,000 rows, 50,000 rows/s, 5 s left")
    assert gauge.status(8).text.endswith(", 50,000 rows/s, 2 s left"), "it goes down while the next rows are waited for"
    assert gauge.status(12).text.endswith("50,000 rows/s")
    done[0] = 600_000
    assert gauge.status(20) == (500_000, 500_000, "500,000 of 500,000 rows, 25,000 rows/s")


def test_tasks_where_rows_are_not_counted() -> None:
    assert Gauge(lambda: (1, 4)).status(3600).text == "1 of 4 tasks, 3 h 0 min left"
    assert Gauge(lambda: (1, 4), 4_000).status(100).text == "1 of 4 tasks, 10 rows/s, 5 min left"
    assert Gauge(lambda: (0, 0)).status(9) == (0, None, "")
    assert Gauge(lambda: (1, 4), None, lambda: 70).status(7) == (70, None, "70 rows, 10 rows/s")


def test_rows_that_tasks_tell_are_added_up(tmp_path: Path) -> None:
    work = WorkFiles.of(tmp_path / "x.index")
    done = RowsDone(work, WorkKind.ROWS_CHECKED)
    assert done() == 0
    tell_rows(work, WorkKind.ROWS_CHECKED.file(0), 10)
    tell_rows(work, WorkKind.ROWS_CHECKED.file(17), 5)
    tell_rows(work, WorkKind.ROWS_BUILT.file(0), 1_000)
    tell_rows(WorkFiles.of(tmp_path / "x.index"), WorkKind.ROWS_CHECKED.file(1), 1_000)
    assert done() == 15
    work.path(WorkKind.ROWS_CHECKED.file(0)).write_text("")  # as it is for a moment while the next number is written
    assert done() == 15
    work.remove()
    assert done() == 15
    assert RowsDone(work, WorkKind.ROWS_CHECKED)() == 0


@pytest.mark.parametrize("is_terminal", [False, True])
def test_a_step_tells_while_it_runs(monkeypatch: pytest.MonkeyPatch, is_terminal: bool) -> None:
    printed = io.StringIO()
    console = Console(file=printed, force_terminal=is_terminal, width=120)
    monkeypatch.setattr(steps, "messages", lambda: console)
    monkeypatch.setattr(steps, "LOG_SECONDS", 0.001)
    monkeypatch.setattr(steps, "POLL_SECONDS", 0.001)
    asked = threading.Semaphore(0)

    def rows_done() -> int:
        asked.release()
        return 300

    with steps.Steps() as shown:
        shown.begin("check expressions", None, 400, rows_done)
        for _ in range(3):  # by then, the first answers have been printed
            assert asked.acquire(timeout=60)
        shown.finish()
    assert ("… check expressions    300 of 400 rows" in printed.getvalue()) is not is_terminal
    assert "400 rows, " in printed.getvalue().splitlines()[-1]
    if is_terminal:
        assert "300 of 400 rows" in printed.getvalue()
