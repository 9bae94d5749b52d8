"""How does a long command show that it works? A line for each step when it is done, and what it is at until then.

On a terminal that is a moving line; in a log, a line now and then, so that a step of hours is not silent.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from types import TracebackType

from rich.progress import (
    BarColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
)
from rich.text import Text

from eligo.cli.shared.console import counted, messages, rate
from eligo.cli.shared.step_status import Gauge, Tasks

POLL_SECONDS = 0.5
LOG_SECONDS = 30.0
"""Between two lines about a step where there is no terminal."""


class Steps:
    """Steps one after another, on stderr: `with Steps() as steps: steps.begin("match"); …; steps.finish("12 rows")`."""

    def __init__(self, width: int = 20) -> None:
        self._console = messages()
        self._width = width
        self._title = ""
        self._started = 0.0
        self._gauge = Gauge()
        self._live: Progress | None = None
        self._stop = threading.Event()
        self._watcher: threading.Thread | None = None

    def __enter__(self) -> Steps:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._hide()

    def begin(
        self,
        title: str,
        tasks: Tasks | None = None,
        num_rows: int | None = None,
        rows_done: Callable[[], int] | None = None,
    ) -> None:
        """A step starts, and with it the clock; `num_rows` is how many rows its tasks have together, if known."""
        self._hide()
        self._title, self._started, self._gauge = title, time.perf_counter(), Gauge(tasks, num_rows, rows_done)
        is_measured = tasks is not None or rows_done is not None
        if self._console.is_terminal:
            self._show(is_measured)
        elif is_measured:
            self._start(self._log)

    def finish(self, result: str = "") -> float:
        """The step is done: its line stays, with its rows unless told otherwise. Returns the seconds that it took."""
        seconds = time.perf_counter() - self._started
        num_rows = self._gauge.num_rows
        if not result and num_rows:
            result = f"{counted(num_rows, 'row')}, {rate(num_rows, seconds)} rows/s"
        self._hide()
        title = f"{self._title:<{self._width}}"
        line = Text.assemble(("✓ ", "green"), (title, "bold"), f" {result}", (f"  {seconds:.1f} s", "dim"))
        self._console.print(line)
        return seconds

    def _show(self, is_measured: bool) -> None:
        columns: list[ProgressColumn] = [SpinnerColumn(), TextColumn(f"[bold]{self._title:<{self._width}}")]
        if is_measured:
            columns += [BarColumn(bar_width=30), TextColumn("{task.fields[status]}")]
        columns.append(TimeElapsedColumn())
        self._live = Progress(*columns, console=self._console, transient=True)
        task = self._live.add_task(self._title, total=None, status="")
        self._live.start()
        if is_measured:
            self._start(self._poll, self._live, task)

    def _start(self, watch: Callable[..., None], *arguments: object) -> None:
        self._stop.clear()
        watcher = threading.Thread(target=watch, args=arguments, daemon=True)
        watcher.start()
        self._watcher = watcher  # not before: an interrupt may come in between, and only what was started can be joined

    def _poll(self, live: Progress, task: TaskID) -> None:
        while not self._stop.wait(POLL_SECONDS):
            status = self._gauge.status(time.perf_counter() - self._started)
            live.update(task, completed=status.done, total=status.total, status=status.text)

    def _log(self) -> None:
        while not self._stop.wait(LOG_SECONDS):
            seconds = time.perf_counter() - self._started
            told = self._gauge.status(seconds).text
            if told:
                self._console.print(f"… {self._title:<{self._width}} {told}  {seconds:.0f} s")

    def _hide(self) -> None:
        self._stop.set()
        if self._watcher is not None:
            self._watcher.join()
        if self._live is not None:
            self._live.stop()
        self._watcher = self._live = None
