"""How is a forgery that crashes told from one that is refused? Many are judged in another process, which reports.

    python -m benchmarks.siege.judging DIRECTORY ENGINE FIRST COUNT

prints a line before and after each; whoever reads them sees which one the process ended, or stopped, with.
"""

from __future__ import annotations

import os
import queue
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import warnings
from pathlib import Path

from benchmarks.siege import forge
from benchmarks.siege.tally import Tally

SECONDS = 120.0
"""A forgery that takes longer than this hangs, even on a machine with much else to do."""
COMPILER_SECONDS = 900.0
"""What the first answers may take, when kernels are compiled for them."""


def forge_files(engine: str, seed: int, number: int, *, interpreted: bool = False) -> Tally:
    """Forge indexes of one engine so many times, and judge each; a process that ends is started again behind it.

    The first is forged from `seed`, the next from the number after it. `interpreted` runs the kernels without the
    compiler, where reading beyond an array is an exception.
    """
    tally = Tally()
    with tempfile.TemporaryDirectory(prefix="eligo-siege-") as folder:
        forge.make(Path(folder) / "index", engine)
        at, end = seed, seed + number
        while at < end:
            at = _judge_some(folder, engine, at, end, interpreted, tally)
    return tally


def _judge_some(folder: str, engine: str, first: int, end: int, interpreted: bool, tally: Tally) -> int:
    """Judge until all are done, or until one ends the process or takes too long; returns the number after it."""
    command = [sys.executable, "-m", "benchmarks.siege.judging", folder, engine, str(first), str(end)]
    environment = {**os.environ, **({"NUMBA_DISABLE_JIT": "1"} if interpreted else {})}
    with tempfile.TemporaryFile("w+") as said:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=said, text=True, env=environment)
        lines, reader = _lines(process)
        number, forged, patience = first, "", COMPILER_SECONDS
        try:
            while (line := lines.get(timeout=patience)) is not None:
                patience = SECONDS
                kind, _, rest = line.partition(" ")
                if kind == "forged":
                    number, forged = int(rest.partition(" ")[0]), rest
                    tally.tried()
                elif kind == "judged":
                    _note(tally, rest, f"{engine} {forged}")
            if process.wait() == 0:
                return end
            what = f"ends the process with {process.returncode}"
        except queue.Empty:
            what = "hangs"
        finally:
            process.kill()
            process.wait()
            reader.join()
        said.seek(0)
        if not forged:
            raise RuntimeError(f"judging {engine} {what} before anything is forged: {said.read()[-2000:]}")
        tally.fail(f"{engine} {forged}: {what}")
        return number + 1


def _lines(process: subprocess.Popen[str]) -> tuple[queue.Queue[str | None], threading.Thread]:
    """What a process prints, line by line, and None at its end, read by a thread: so one can wait for a while only."""
    lines: queue.Queue[str | None] = queue.Queue()
    output = process.stdout
    assert output is not None

    def read() -> None:
        with output:
            for line in output:
                lines.put(line.rstrip("\n"))
        lines.put(None)

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    return lines, reader


def _note(tally: Tally, outcome: str, forged: str) -> None:
    if outcome == forge.ANSWERED:
        tally.counts["answered within its arrays"] += 1
    elif outcome.startswith("refused: "):
        tally.counts["refused with a typed error"] += 1
    else:
        tally.fail(f"{forged}: {outcome}")


def main(folder: str, engine: str, first: int, end: int) -> None:
    """Forge and judge in this process."""
    warnings.simplefilter("ignore")
    whole = forge.judge(Path(folder) / "index")  # and compiles what is not compiled yet
    if whole != forge.ANSWERED:
        raise RuntimeError(f"the index is refused before anything is forged: {whole}")
    copied = Path(folder) / "copied"
    for number in range(first, end):
        shutil.rmtree(copied, ignore_errors=True)
        shutil.copytree(Path(folder) / "index", copied)
        said = forge.forge(copied, random.Random(f"{engine} {number}"))
        print(f"forged {number} {said[:600]}", flush=True)
        try:
            outcome = forge.judge(copied)
        except Exception as error:  # which is what is looked for
            outcome = f"foreign: {type(error).__name__}: {error}"
        print(f"judged {' '.join(outcome.split())[:600]}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
