"""Do comments and pages name modules, files and functions that exist? A move must not leave old names behind."""

from __future__ import annotations

import ast
import builtins
import importlib
import io
import re
import sys
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import eligo
from source_tree import REPOSITORY, SOURCE, defined_names, module_name, source_files

QUOTED = re.compile(r"`([^`\n]+)`")
NAME = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*(?:\(\))?")
FILE = re.compile(r"[\w./-]+\.(?:py|md)")
OTHER_FILE = re.compile(r"[\w.-]+\.(?:json|toml|lock|typed)")

FOREIGN = {"fastmath", "sha256sum", "e", "NUMBA_DISABLE_JIT", "user.age", "conjunction.size"}
FOREIGN |= {"DataStreamWriter.trigger", "events.schema", "spark.jars", "spark.pyspark.python"}
FOREIGN |= {f"bool.{word}" for word in ("must", "filter", "should", "must_not")}
"""Names of others, and of examples."""
FOREIGN_PREFIXES = (
    "spark.task.",
    "spark.python.",
    "spark.executor.",
    "spark.executorEnv.",
    "spark.read.",
    "spark.sql.",
    "np.",
    "datetime.",
    "engine.",
    "index.",
    "ce.",
)
"""Settings and methods of Spark, of what an example has at hand, and attributes of CloudEvents."""

PAGES = sorted(
    path
    for pattern in ("*.md", "docs/**/*.md", "benchmarks/**/*.md")
    for path in REPOSITORY.glob(pattern)
    if path.name != "CHANGELOG.md"
)


@cache
def names_in_code() -> frozenset[str]:
    """Every word of the code that stands outside of comments and docstrings, and of module names."""
    words = {*dir(builtins), "eligo"}
    for path in source_files():
        text = path.read_text(encoding="utf-8")
        words |= {*path.relative_to(SOURCE).with_suffix("").parts}
        prose = {(node.lineno, node.col_offset) for node in _docstrings(text)}
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.NAME or (token.type == tokenize.STRING and token.start not in prose):
                words |= set(re.findall(r"\w+", token.string))
    return frozenset(words)


def _docstrings(text: str) -> Iterator[ast.Constant]:
    """Strings that are statements: docstrings, and what stands below a field."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node.value


def quoted_in_prose(text: str) -> list[str]:
    """What stands between backquotes in the comments and docstrings of a module."""
    starts = {(node.lineno, node.col_offset) for node in _docstrings(text)}
    prose = [
        token.string
        for token in tokenize.generate_tokens(io.StringIO(text).readline)
        if token.type == tokenize.COMMENT or (token.type == tokenize.STRING and token.start in starts)
    ]
    return [found for part in prose for found in QUOTED.findall(part)]


@cache
def dotted_names() -> frozenset[str]:
    """Modules and what they define, as far from the left as a comment may begin: `text.parse`, `parse.parse_all`."""
    dotted: set[str] = set()
    for path in source_files():
        parts = module_name(path).split(".")
        for place in range(len(parts)):
            module = ".".join(parts[place:])
            dotted |= {module, *(f"{module}.{name}" for name in defined_names(path))}
        dotted |= defined_names(path)
    return frozenset(dotted)


def is_known(name: str) -> bool:
    """Whether a word or a dotted name is one of ours: `push_negations`, `tree.postorder`, `language.text.parse`."""
    name = name.removesuffix("()")
    owner, _, method = name.rpartition(".")
    if not owner:
        return name in names_in_code()
    if name in dotted_names() or name.partition(".")[0] in sys.stdlib_module_names:
        return True
    if owner == "eligo":
        return method in eligo.__all__
    # A method may come from a class below, or be a field that is set when an object is made.
    return owner[0].isupper() and owner in dotted_names() and method in names_in_code()


def is_file(name: str, beside: Path) -> bool:
    """Whether a file is there, named from the top of the repository, of the source, or from where it is named."""
    places = (REPOSITORY, REPOSITORY / "src", SOURCE, REPOSITORY / "tests", beside)
    return any((place / name).is_file() for place in places)


def unknown_names(quoted: list[str], beside: Path) -> list[str]:
    """Those of quoted names that do not exist; what is no name, such as an example of a text, is passed over."""
    unknown = []
    for name in quoted:
        if name in FOREIGN or name.startswith(FOREIGN_PREFIXES) or OTHER_FILE.fullmatch(name):
            continue
        if FILE.fullmatch(name):
            unknown += [] if is_file(name, beside) else [name]
        elif NAME.fullmatch(name) and not is_known(name):
            unknown.append(name)
    return unknown


@pytest.mark.parametrize("path", source_files(), ids=module_name)
def test_comments_name_what_exists(path: Path) -> None:
    assert unknown_names(quoted_in_prose(path.read_text(encoding="utf-8")), path.parent) == []


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(REPOSITORY)))
def test_pages_name_modules_and_files_that_exist(path: Path) -> None:
    prose = re.sub(r"```.*?```", "", path.read_text(encoding="utf-8"), flags=re.S)
    dotted = [name for name in QUOTED.findall(prose) if FILE.fullmatch(name) or (NAME.fullmatch(name) and "." in name)]
    names = [name for name in dotted if not name.startswith("eligo.")]
    assert unknown_names(names, path.parent) == []


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(REPOSITORY)))
def test_pages_name_what_can_be_imported(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    for name in sorted(set(re.findall(r"(?<![\w./-])eligo(?:\.[A-Za-z_]\w*)+", text))):
        assert _exists(name), name
    for module, names in re.findall(r"^ *from (eligo[\w.]*) import \(?([\w, ]+)", text, re.M):
        for name in re.findall(r"\w+", names):
            assert _exists(f"{module}.{name}"), f"{module}.{name}"


def _exists(name: str) -> bool:
    """Whether a dotted name is a module, or something in one."""
    parts = name.split(".")
    for place in range(len(parts), 0, -1):
        module = ".".join(parts[:place])
        folder = SOURCE.parent.joinpath(*parts[:place])
        if folder.is_dir() or folder.with_suffix(".py").is_file():
            found: object = importlib.import_module(module)
            for part in parts[place:]:
                if not hasattr(found, part):
                    return False
                found = getattr(found, part)
            return True
    return False


@pytest.mark.parametrize("name", ["no_such_name", "tree.no_such_name", "kernels.parse.parse", "no_such_file.py"])
def test_a_name_that_is_gone_is_seen(name: str) -> None:
    assert unknown_names([name], SOURCE) == [name]


def test_names_that_exist_are_known() -> None:
    names = ["push_negations", "tree.postorder", "language.text.parse", "Index.match", "language/evaluate.py", "a = 1"]
    assert unknown_names(names, SOURCE) == []
