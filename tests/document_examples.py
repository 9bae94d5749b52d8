"""Do the examples in a document give what it says beside them?

In a ```python block, a line `expression  # value` claims that the expression has that value.
"""

from __future__ import annotations

import ast
import re
import tokenize
from io import StringIO
from pathlib import Path


def python_blocks(path: Path) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", path.read_text(encoding="utf-8"), re.M | re.S)


def expected_results(block: str) -> dict[int, str]:
    """For a line `expression  # result`, its result by line number; the result is a Python value."""
    results = {}
    for token in tokenize.generate_tokens(StringIO(block).readline):
        if token.type == tokenize.COMMENT and token.line[: token.start[1]].strip():
            results[token.start[0]] = token.string.removeprefix("#").strip()
    return results


def run_block(block: str) -> int:
    """Run an example, compare each expression that has a result beside it, and count these."""
    names: dict[str, object] = {"__name__": "__example__"}
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
