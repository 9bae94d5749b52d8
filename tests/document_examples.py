"""Do the examples in a document give what it says beside them?

In a ```python block, a line `expression  # value` claims that the expression has that value. In a ```console block,
what stands below `$ cat FILE` is what the file holds from then on, and each line below `$ eligo …` is one that the
command prints, on stdout or stderr.
"""

from __future__ import annotations

import ast
import re
import shlex
import tokenize
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any


def python_blocks(path: Path) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", path.read_text(encoding="utf-8"), re.M | re.S)


def expected_results(block: str) -> dict[int, str]:
    """For a line `expression  # result`, its result by line number; the result is a Python value."""
    results = {}
    for token in tokenize.generate_tokens(StringIO(block).readline):
        if token.type == tokenize.COMMENT and token.line[: token.start[1]].strip():
            results[token.start[0]] = token.string.removeprefix("#").strip()
    return results


def run_block(block: str, names: dict[str, object] | None = None) -> int:
    """Run an example, compare each expression that has a result beside it, and count these.

    Examples that are given the same names go on where the one before has ended.
    """
    names = {} if names is None else names
    names.setdefault("__name__", "__example__")
    results = expected_results(block)
    compared = 0
    for statement in ast.parse(block).body:
        source = ast.unparse(statement)
        if isinstance(statement, ast.Expr) and statement.end_lineno in results:
            assert eval(source, names) == ast.literal_eval(results[statement.end_lineno]), source
            compared += 1
        else:
            exec(source, names)
    return compared


def run_page(path: Path, command: Callable[..., Any]) -> int:
    """Run the examples of a page one after another in the current directory, and count what was compared.

    `command("check", "rules.csv")` runs `eligo check rules.csv` and gives what it printed.
    """
    names: dict[str, object] = {}
    compared = 0
    text = path.read_text(encoding="utf-8")
    for language, block in re.findall(r"^```(python|console)\n(.*?)^```", text, re.M | re.S):
        compared += run_block(block, names) if language == "python" else _run_console(block, command)
    return compared


def _run_console(block: str, command: Callable[..., Any]) -> int:
    compared = 0
    for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
        first, _, below = part.partition("\n")
        program, *arguments = shlex.split(first)
        if program == "cat":
            Path(arguments[0]).write_text(below, encoding="utf-8")
            continue
        assert program == "eligo", first
        outcome = command(*arguments)
        printed = f"{outcome.out}\n{outcome.err}".splitlines()
        assert below or outcome.code == 0, f"{first} fails: {printed}"
        for line in below.splitlines():
            assert line in printed, f"{first} does not print {line!r}, but {printed}"
            compared += 1
    return compared
