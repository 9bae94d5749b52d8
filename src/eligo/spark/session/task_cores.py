"""How many threads may a task use? As many as Spark gave it cores, one unless `spark.task.cpus` says otherwise.

Spark runs a task on each core already. Without this, each of them would start a thread for every core of the machine.
"""

from __future__ import annotations

import pyarrow as pa
from pyspark import TaskContext

from eligo.engines.threads import set_threads


def keep_to_task_cores() -> None:
    """In a task, let Eligo and Arrow use the task's cores only; elsewhere nothing changes."""
    context = TaskContext.get()
    if context is None:
        return
    cores = max(1, context.cpus())
    set_threads(cores)
    if pa.cpu_count() != cores:
        pa.set_cpu_count(cores)
