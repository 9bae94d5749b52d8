"""Does every kernel say what it is given? A parameter that may be anything tells a reader nothing, and mypy neither."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import eligo

SOURCE = Path(eligo.__file__).parent
COMPILERS = {"kernel", "hot_loop", "generator", "inlined"}
"""What `eligo.kernels.compiled` compiles with."""
ANYTHING = {("addresses.py", "flat", "dtype")}
"""A type, which is a value at compile time only."""


def kernel_files() -> list[Path]:
    rooms = ("engines", "kernels", "ranges")
    return sorted(path for room in rooms for path in (SOURCE / room).rglob("*.py") if path.parent.name == "kernels")


@pytest.mark.parametrize("path", kernel_files(), ids=lambda path: str(path.relative_to(SOURCE)))
def test_parameters_of_kernels_have_types(path: Path) -> None:
    for function in ast.parse(path.read_text(encoding="utf-8")).body:
        if not isinstance(function, ast.FunctionDef):
            continue
        if not COMPILERS & {ast.unparse(decorator) for decorator in function.decorator_list}:
            continue
        for parameter in function.args.args:
            is_typed = parameter.annotation is not None and ast.unparse(parameter.annotation) != "Any"
            assert is_typed or (path.name, function.name, parameter.arg) in ANYTHING, (function.name, parameter.arg)
