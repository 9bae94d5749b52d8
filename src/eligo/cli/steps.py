"""How does a long command show that it works? A line for each step when it is done, and a moving one on a terminal."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from types import TracebackType

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from eligo.cli.console import counted, messages

POLL_SECONDS = 0.2
Tasks = Callable[[], tuple[int, int]]
"""Gives how many parts of the running step are done, and how many there are (0 when that is not known)."""


class Steps:
    """Steps one after another, on stderr: `with Steps() as steps: steps.begin("match"); …; steps.finish("12 rows")`."""

    def __init__(self, width: int = 20) -> None:
        self._console = messages()
        self._width = width
        self._title = ""
        self._started = 0.0
        self._num_rows: int | None = None
        self._live: Progress | None = None
        self._stop = threading.Event()
        self._poller: threading.Thread | None = None

    def __enter__(self) -> Steps:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._hide()

    def begin(self, title: str, tasks: Tasks | None = None, num_rows: int | None = None) -> None:
        """A step starts, and with it the clock; `num_rows` is how many rows its tasks have together, if known."""
        self._hide()
        self._title, self._started, self._num_rows = title, time.perf_counter(), num_rows
        if self._console.is_terminal:
            self._show(tasks)

    def finish(self, result: str = "") -> float:
        """The step is done: its line stays, with its rows unless told otherwise. Returns the seconds that it took."""
        seconds = time.perf_counter() - self._started
        if not result and self._num_rows:
            result = f"{counted(self._num_rows, 'row')}, {self._num_rows / max(seconds, 1e-9):,.0f} rows/s"
        self._hide()
        title = f"{self._title:<{self._width}}"
        line = Text.assemble(("✓ ", "green"), (title, "bold"), f" {result}", (f"  {seconds:.1f} s", "dim"))
        self._console.print(line)
        return seconds

    def _show(self, tasks: Tasks | None) -> None:
        columns: list[ProgressColumn] = [SpinnerColumn(), TextColumn(f"[bold]{self._title:<{self._width}}")]
        if tasks is not None:
            columns += [BarColumn(bar_width=30), MofNCompleteColumn(), TextColumn("{task.fields[rate]}")]
        columns.append(TimeElapsedColumn())
        if tasks is not None:
            columns += [TextColumn("[dim]left"), TimeRemainingColumn()]
        self._live = Progress(*columns, console=self._console, transient=True)
        task = self._live.add_task(self._title, total=None, rate="")
        self._live.start()
        if tasks is not None:
            self._stop.clear()
            self._poller = threading.Thread(target=self._poll, args=(self._live, task, tasks), daemon=True)
            self._poller.start()

    def _poll(self, live: Progress, task: object, tasks: Tasks) -> None:
        while not self._stop.wait(POLL_SECONDS):
            done, total = tasks()
            if total:
                live.update(task, completed=done, total=total, rate=self._rate(done / total))  # type: ignore[arg-type]

    def _rate(self, share: float) -> str:
        """Rows a second so far, where their number is known."""
        if self._num_rows is None or not share:
            return ""
        return f"{share * self._num_rows / (time.perf_counter() - self._started):,.0f} rows/s"

    def _hide(self) -> None:
        self._stop.set()
        if self._poller is not None:
            self._poller.join()
        if self._live is not None:
            self._live.stop()
        self._poller = self._live = None
