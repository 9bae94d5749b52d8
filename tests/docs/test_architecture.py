"""Is ARCHITECTURE.md a plan of this house? Its folders, their questions and its layers are compared with the tree."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from source_tree import REPOSITORY, SOURCE, floor_plan, question, section
from test_imports import LAYERS

PAGE = (REPOSITORY / "ARCHITECTURE.md").read_text(encoding="utf-8")


def test_every_folder_stands_there_with_its_question() -> None:
    plan = floor_plan(LAYERS)
    assert plan in PAGE, f"the plan under 'What is where?' should be\n{plan}"
    assert section(PAGE, "What is where?").count("?\n") == plan.count("\n") + 1, "a folder that does not exist"


def test_the_drawing_shows_the_layers() -> None:
    drawn = re.findall(r"^    (\w+(?: · \w+)*)", section(PAGE, "Who may import whom?"), re.M)
    assert [set(line.split(" · ")) for line in drawn] == [set(layer) for layer in LAYERS]


@pytest.mark.parametrize("part", sorted({part for layer in LAYERS for part in layer}))
def test_every_part_that_is_drawn_exists(part: str) -> None:
    assert (SOURCE / part).is_dir() or (SOURCE / f"{part}.py").is_file()


@pytest.mark.parametrize("name", sorted(set(re.findall(r"`([\w./]+/)`", PAGE))))
def test_folders_that_are_named_exist(name: str) -> None:
    assert (SOURCE / name).is_dir() or (REPOSITORY / name).is_dir()


@pytest.mark.parametrize("package", sorted(SOURCE.glob("*/__init__.py")), ids=lambda path: str(path.parent.name))
def test_a_package_at_the_top_has_a_section_under_its_question(package: Path) -> None:
    assert f"\n## {question(package.parent)} (`{package.parent.name}/`)\n" in PAGE
