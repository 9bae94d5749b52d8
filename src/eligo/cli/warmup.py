"""`eligo warmup`: compile the kernels now, so that the first real run does not wait for them."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from eligo.cli.shared.console import messages


def warmup() -> None:
    """Compile what building and matching need with the engines a_tree and scan, once after an installation.

    That is to build and open an index, and to match, rank and count. What inserts, merges, updates on Spark and the
    engines that may be chosen for 10,000 expressions and more need beyond that is compiled when it is first used.

    Loops are kept beside the installed package, for all processes of this machine. Without a warm-up the first run of a
    job compiles them itself and takes about a minute longer.

    Examples:
      eligo warmup
    """
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        compile_kernels(Path(folder))
    messages().print(f"compiled in {time.monotonic() - started:.0f} s")


def compile_kernels(folder: Path) -> None:
    """Run each of these kernels once, on arrays in memory and on memory-mapped ones, which are compiled apart."""
    import pyarrow as pa

    import eligo
    from eligo.language.text.parse import COMPILED_FROM

    text = "age between 18 and 24 and (state in ('CA', 'NY') or not device = 'tv') and tags contains all ('a') xor vip"
    texts = [text] * (COMPILED_FROM // len(text) + 1)
    expressions = pa.table({"id": range(len(texts)), "expression": texts})
    event = {"age": 20, "state": "CA", "device": "tv", "tags": ["a", "b"], "vip": False, "day": None}
    events = pa.Table.from_pylist([event] * 40)
    for engine in ("a_tree", "scan"):
        built = eligo.build(expressions, engine=engine)
        built.save(folder / engine)
        for index in (built, eligo.open(folder / engine)):
            index.match(event)
            index.top(event, 3, weights={"age": 2.0})
            index.match_batch(events)
            index.count_batch(events)
