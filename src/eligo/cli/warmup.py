"""`eligo warmup`: compile the kernels now, so that no later run has to."""

from __future__ import annotations

import gc
import tempfile
import time
from pathlib import Path
from typing import Annotated

import typer

from eligo.arguments import path as local_path
from eligo.cli.shared.console import messages
from eligo.errors import StorageError

Cache = Annotated[
    str | None,
    typer.Option(
        metavar="DIR", help="Keep the code here, for processes that have ELIGO_CACHE_DIR=DIR.", show_default=False
    ),
]


def warmup(cache: Cache = None) -> None:
    """Compile what building and matching need with the engine a_tree, once after an installation or for an image.

    That is to build and open an index, and to match, rank and count. What inserts, merges, joins, updates on Spark and
    the engines that may be chosen for 10,000 expressions and more need beyond that is compiled when it is first used.

    Code is kept beside the installed package, or in the user's cache where that cannot be written. Without a warm-up
    small inputs are interpreted while another process compiles, and the first large one waits for the compiler.

    Examples:
      eligo warmup
      eligo warmup --cache /opt/eligo-code
    """
    from eligo.kernels.code_places import code_places, keep_code_in

    given = None if cache is None else Path(local_path(cache, "--cache"))
    if given is not None:
        given.mkdir(parents=True, exist_ok=True)
        keep_code_in(given)
    kept = code_places().written
    if kept is None or (given is not None and kept.parent != given.absolute()):
        raise StorageError(f"cannot write to {cache or 'any place for compiled code'}", help="choose another --cache")
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        compile_kernels(Path(folder))
    messages().print(f"compiled in {time.monotonic() - started:.0f} s; kept in {kept.parent}")


def compile_kernels(folder: Path) -> None:
    """Run each of these kernels once, on arrays in memory and on memory-mapped ones, which are compiled apart."""
    import pyarrow as pa

    import eligo
    from eligo.kernels.kernel import compiled_now
    from eligo.language.text.parse import COMPILED_FROM

    text = "age between 18 and 24 and (state in ('CA', 'NY') or not device = 'tv') and tags contains all ('a') xor vip"
    texts = [text] * (COMPILED_FROM // len(text) + 1)
    expressions = pa.table({"id": range(len(texts)), "expression": texts})
    event = {"age": 20, "state": "CA", "device": "tv", "tags": ["a", "b"], "vip": False, "day": None}
    events = pa.Table.from_pylist([event] * 40)
    gc.disable()  # a compiler makes many objects that stay, and looking through them again and again takes time
    try:
        with compiled_now():
            built = eligo.build(expressions, engine="a_tree")
            built.save(folder / "index")
            for index in (built, eligo.open(folder / "index")):
                index.match(event)
                index.top(event, 3, weights={"age": 2.0})
                index.match_batch(events)
                index.count_batch(events)
    finally:
        gc.enable()
