"""How many threads may a task use? As many as Spark gave it cores, one unless `spark.task.cpus` says otherwise.

Spark runs a task on each core already. Without this, each of them would start a thread for every core of the machine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import wraps
from typing import Concatenate, ParamSpec

import pyarrow as pa
from pyspark import TaskContext

from eligo.engines.threads import set_threads

P = ParamSpec("P")
Batches = Iterator[pa.RecordBatch]


def keep_to_task_cores() -> None:
    """In a task, let Eligo and Arrow use the task's cores only; elsewhere nothing changes."""
    context = TaskContext.get()
    if context is None:
        return
    cores = max(1, context.cpus())
    set_threads(cores)
    if pa.cpu_count() != cores:
        pa.set_cpu_count(cores)


def on_task_cores(function: Callable[Concatenate[Batches, P], Batches]) -> Callable[Concatenate[Batches, P], Batches]:
    """The function over batches, which keeps to the task's cores from its first line on."""

    @wraps(function)
    def kept(batches: Batches, /, *args: P.args, **kwargs: P.kwargs) -> Batches:
        keep_to_task_cores()
        yield from function(batches, *args, **kwargs)

    return kept
