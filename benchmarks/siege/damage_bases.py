"""Does a damaged document base answer? Its files with flipped bits, cut off, exchanged, emptied or gone.

Each time the base is opened: what comes is a typed error, or the documents that were acknowledged, with nothing added
to them; bytes that were put behind a log are cut off with a warning.
"""

from __future__ import annotations

import random
import shutil
import tempfile
import warnings
from pathlib import Path

import numpy as np

import eligo
from benchmarks.siege.damage import HARMS
from benchmarks.siege.kill_adders import Model, content, small_logs
from benchmarks.siege.tally import Tally
from eligo.errors import EligoError
from eligo.joins.stored.base_directory import LOCK_NAME


def damage_bases(seed: int, number: int) -> Tally:
    """Damage the files of a base so many times, each time alone."""
    tally = Tally()
    rng = random.Random(f"damaged bases {seed}")
    with tempfile.TemporaryDirectory() as directory, small_logs():
        whole = Path(directory) / "whole.base"
        _made(whole, rng)
        before = content(whole, tally, read_only=True)
        for _ in range(number):
            _damaged_once(whole, Path(directory) / "x.base", before, rng, tally)
    return tally


def _made(path: Path, rng: random.Random) -> None:
    """A base with segments, dead documents and a log, as a process leaves it that was killed."""
    with eligo.DocumentBase(path) as base:
        base.add_batch({"n": np.arange(60), "s": [f"text {number}" for number in range(60)]})
        base.add_batch({"f": np.arange(40) / 8})
        base.remove(rng.sample(range(60), 20))
    base = eligo.DocumentBase(path)
    for number in range(10):
        base.add({"n": number, "tags": ["a", "b"]})
    base.remove([100])


def _damaged_once(whole: Path, path: Path, before: Model, rng: random.Random, tally: Tally) -> None:
    shutil.rmtree(path, ignore_errors=True)
    shutil.copytree(whole, path)
    files = sorted(file for file in path.rglob("*") if file.is_file() and file.name != LOCK_NAME)
    file = rng.choice(files)
    kind, harm = rng.choice(HARMS)
    data = harm(file.read_bytes(), rng, files)
    if data is None:
        file.unlink()
    else:
        file.write_bytes(data)
    tally.tried()
    tally.counts[f"files {kind}"] += 1
    what = f"{kind} {file.parent.name}/{file.name[:8]}"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = content(path, tally, read_only=rng.random() < 0.5)
    except EligoError:
        tally.counts["refused with a typed error"] += 1
    except Exception as error:
        tally.fail(f"{what}: {type(error).__name__}: {error}")
    else:
        tally.counts["opened with all that was acknowledged"] += 1
        if found != before:
            tally.fail(f"{what}: other documents")
