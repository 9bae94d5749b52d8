"""What is in the tree? Its files, its packages with their questions, and the names that each file defines."""

from __future__ import annotations

import ast
from collections.abc import Collection, Sequence
from functools import cache
from pathlib import Path

import eligo

SOURCE = Path(eligo.__file__).parent
REPOSITORY = Path(__file__).parent.parent


def source_files() -> list[Path]:
    return sorted(SOURCE.rglob("*.py"))


def packages() -> list[Path]:
    return sorted(path.parent for path in SOURCE.rglob("__init__.py"))


def module_name(path: Path) -> str:
    parts = ("eligo", *path.relative_to(SOURCE).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def question(package: Path) -> str:
    """The first sentence of a package's docstring: the question that its files answer."""
    docstring = ast.get_docstring(ast.parse((package / "__init__.py").read_text(encoding="utf-8")))
    assert docstring, package
    return docstring.splitlines()[0].partition("?")[0] + "?"


def section(page: str, heading: str) -> str:
    """What stands below a heading of a page."""
    return page.split(f"\n## {heading}\n")[1].split("\n## ")[0]


def floor_plan(layers: Sequence[Collection[str]]) -> str:
    """Every package with its question, from the lowest layer up; folders of one layer by name."""
    level = {part: place for place, layer in enumerate(layers) for part in layer}

    def rank(package: Path) -> tuple[int, tuple[str, ...]]:
        parts = package.relative_to(SOURCE).parts
        return -level[parts[0]], parts

    rows = []
    for package in sorted((path for path in packages() if path != SOURCE), key=rank):
        parts = package.relative_to(SOURCE).parts
        rows.append(f"{'    ' + '  ' * (len(parts) - 1) + parts[-1] + '/':<22} {question(package)}")
    return "\n".join(rows)


@cache
def defined_names(path: Path) -> frozenset[str]:
    """What a file defines: functions, classes with their methods as `Class.method`, and names that are assigned."""
    names = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        names |= _names(node)
        if isinstance(node, ast.ClassDef):
            names |= {f"{node.name}.{name}" for inner in node.body for name in _names(inner)}
    return frozenset(names)


def _names(node: ast.stmt) -> set[str]:
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return {node.name}
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return {name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)}
