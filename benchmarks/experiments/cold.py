"""How long does it take without compiled code? To the first answer, and to have all of it compiled beforehand.

Both begin in a new process whose directory for compiled code is empty. The first answer is the README's example, waited
for by the clock: the imports and everything else that Python does are inside. A warm-up is counted in seconds of
processor time, because what else a machine does at that hour makes it longer by the clock.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter

from benchmarks.bench import Bench
from benchmarks.experiment import Bar, Experiment, Measurement, Outcome

EXAMPLE = """
import sys, time
import eligo

index = eligo.build(
    {
        "golf": "age between 18 and 34 and interests in ('golf'^2, 'tennis')",
        "shop": "state in ('CA', 'NY') and not device = 'tv'",
        "trip": "page under 'Travel/Europe' or interests contains all ('food', 'maps')",
    }
)
found = index.match({"age": 27, "state": "NY", "device": "phone", "interests": ["golf", "food"]})
assert found == ["golf", "shop"], found
print("answered", flush=True)
"""
WARM_UP = "from eligo.cli.main import run; raise SystemExit(run())"
ROUNDS = 5


def environment(cache: str) -> dict[str, str]:
    """What a user's process has, with this directory for compiled code and nothing said of when to compile."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("ELIGO_", "NUMBA_"))}
    paths = os.pathsep.join(os.path.abspath(path) for path in sys.path)
    return {**kept, "ELIGO_CACHE_DIR": cache, "PYTHONPATH": paths}


def answer_seconds(cache: str) -> float:
    """How long the README's example takes, from the start of Python to its answer."""
    started = perf_counter()
    with subprocess.Popen(
        [sys.executable, "-c", EXAMPLE], env=environment(cache), stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        said = process.stdout.readline()
        seconds = perf_counter() - started
    if said != "answered\n" or process.returncode:
        raise RuntimeError(f"the example ended with {process.returncode}")
    return seconds


def first_answer(bench: Bench) -> Outcome:
    """The README's example several times, each time with a directory of its own."""
    seconds = []
    for _ in range(ROUNDS if bench.is_full else 1):
        # What was asked for is still compiled behind the process that has ended, for some seconds.
        with TemporaryDirectory(ignore_cleanup_errors=True) as cache:
            seconds.append(answer_seconds(cache))
    return Outcome(median(seconds), {"rounds_s": seconds}, (min(seconds), max(seconds)))


def warm_up(bench: Bench) -> Outcome:
    """`eligo warmup` into an empty directory: processor time of the process and of all that it starts."""
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), perf_counter()
    with TemporaryDirectory() as cache:
        command = [sys.executable, "-c", WARM_UP, "warmup", "--cache", cache]
        subprocess.run(command, env=environment(cache), check=True, stdout=subprocess.DEVNULL)
        seconds = perf_counter() - started
        files = [path.stat().st_size for path in Path(cache).rglob("*.code")]
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Outcome(processor, {"seconds": seconds, "num_files": len(files), "bytes": sum(files)})


EXPERIMENT = Experiment(
    "cold",
    "How long does it take without compiled code?",
    (
        Measurement(
            "first_answer",
            "the README's example in a new process, to its first answer",
            "s",
            first_answer,
            Bar(3, at_least=False),
        ),
        Measurement(
            "warm_up",
            "`eligo warmup`, processor time",
            "s",
            warm_up,
            Bar(40, at_least=False),
        ),
    ),
)
