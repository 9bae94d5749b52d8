"""Do the walks lead through this house? Their files and functions exist, and are met when the walk is taken."""

from __future__ import annotations

import re

import pytest

from benchmarks.floor_plan import WALKS, calls
from source_tree import REPOSITORY, SOURCE, defined_names, section

PAGE = (REPOSITORY / "docs" / "walks.md").read_text(encoding="utf-8")
HEADINGS = {
    "an expression, by the library": "One expression, from its text to a shard: by the library",
    "an expression, by Spark": "One expression, from its text to a shard: by Spark",
    "an event, by Spark": "One event, from a Spark row to a written match",
    "an insert": "One insert",
}
WORD = re.compile(r"`([\w/]+\.py)`|`([\w.]+)\(\)`( of\s+`([\w/]+\.py)`)?")


def named(text: str) -> list[tuple[str, str]]:
    """Each function with its file: the one that it is said to be of, or else the one that was named last."""
    found = []
    file = ""
    for own_file, function, _, other in WORD.findall(text):
        file = own_file or file
        if function:
            assert file or other, function
            found.append((other or file, function))
    return found


def steps(text: str) -> list[str]:
    return re.findall(r"^\d+\. .*(?:\n {3,}\S.*)*", text, re.M)


@pytest.mark.parametrize("file", sorted(set(re.findall(r"`([\w/]+\.py)`", PAGE))))
def test_every_file_exists(file: str) -> None:
    assert (SOURCE / file).is_file()


@pytest.mark.parametrize("name", WALKS)
def test_every_step_is_in_a_file_and_every_function_exists(name: str) -> None:
    text = section(PAGE, HEADINGS[name])
    assert len(steps(text)) == len(re.findall(r"^\d+\. ", text, re.M)) >= 9
    for number, step in enumerate(steps(text), 1):
        assert re.match(rf"{number}\. `[\w/]+\.py`", step), step
        for file, function in named(step):
            assert function in defined_names(SOURCE / file), f"{file} has no {function}"


def strangers(name: str) -> list[tuple[str, str]]:
    """Functions that a walk names and does not call."""
    called = calls(SOURCE, name)
    return [each for step in steps(section(PAGE, HEADINGS[name])) for each in named(step) if each not in called]


@pytest.mark.parametrize("name", ["an expression, by the library", "an insert"])
def test_every_function_is_met_on_the_walk(name: str) -> None:
    assert strangers(name) == []


@pytest.mark.long
@pytest.mark.parametrize("name", ["an expression, by Spark", "an event, by Spark"])
def test_every_function_is_met_on_the_walk_with_spark(name: str) -> None:
    assert strangers(name) == []


def test_the_drawings_name_folders_and_modules_that_exist() -> None:
    blocks = re.findall(r"(?<=\n\n)(?: {4}.*\n)+", PAGE)
    drawings = "".join(block for block in blocks if "──▶" in block or "─┐" in block)
    folders = set(re.findall(r"\b[a-z_]+/[a-z_]+\b", drawings))
    modules = set(re.findall(r"\b[a-z]+_[a-z_]+\b", re.sub(r"\w+/\w+", "", drawings)))
    assert {"language/text", "index/live"} <= folders
    assert {folder for folder in folders if not (SOURCE / folder).is_dir()} == set()
    assert "part_build" in modules
    assert modules - {path.stem for path in SOURCE.rglob("*.py")} == set()
