"""Is the site whole? Every page is reached from the start page, links lead on, and the reference is current."""

from __future__ import annotations

import os
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from document_examples import python_blocks, run_block
from website.pages import CODE, HOME, LINK, PICTURES, REPOSITORY, links, pages, sections, site_path, stage, staged
from website.reference import reference

DRAWINGS = sorted((REPOSITORY / "docs" / "drawings").glob("*.svg"))


def reached_from(start: Path) -> set[Path]:
    found: set[Path] = set()
    pending = [start]
    while pending:
        page = pending.pop()
        if page not in found:
            found.add(page)
            pending += [file for _, file in links(page) if file.suffix == ".md" and (REPOSITORY / file).is_file()]
    return found


def test_every_page_is_reached_by_links_from_the_start_page() -> None:
    assert set(pages()) - reached_from(HOME) == set()


def test_the_navigation_has_every_page_once() -> None:
    listed = [page for section in sections() for page in section.pages]
    assert len(listed) == len(set(listed))
    records = {page for page in pages() if page.parent.name == "decisions" and page.name != "README.md"}
    assert {*listed, HOME} | records == set(pages())


def test_staged_links_lead_to_staged_files(tmp_path: Path) -> None:
    stage(tmp_path)
    for page in tmp_path.rglob("*.md"):
        for _, _, target in LINK.findall(CODE.sub("", page.read_text(encoding="utf-8"))):
            if not re.match(r"[a-z]+:|#", target):
                file = page.parent / target.partition("#")[0]
                assert file.is_file(), f"{page.relative_to(tmp_path)}: {target}"
    assert (tmp_path / "index.md").read_text(encoding="utf-8").startswith("# Eligo\n")
    assert (tmp_path / "the-index.md").read_text(encoding="utf-8").startswith("# The index\n")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[x](index.md#changes)", "[x](the-index.md#changes)"),
        ("[x](../README.md)", "[x](index.md)"),
        ("[x](https://example.org/a)", "[x](https://example.org/a)"),
        ("[x](#here)", "[x](#here)"),
        ("`[x](index.md)`", "`[x](index.md)`"),
        ("[`x`](index.md)", "[`x`](the-index.md)"),
        ("[x](../LICENSE)", "`LICENSE`"),
        ("![x](drawings/keys.svg)", "![x](pictures/keys.svg)"),
    ],
)
def test_how_links_are_rewritten(text: str, expected: str) -> None:
    assert staged(Path("docs/events.md"), text) == expected
    assert site_path(Path("docs/how-to/emr.md")) == Path("how-to/emr.md")


def test_the_reference_is_current() -> None:
    page = REPOSITORY / "docs" / "reference.md"
    assert page.read_text(encoding="utf-8") == reference(), "run: make docs-reference"


@pytest.mark.parametrize("path", DRAWINGS, ids=lambda path: path.name)
def test_a_drawing_is_well_formed_named_and_fetches_nothing(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    root = ElementTree.fromstring(text)
    assert root.find("{http://www.w3.org/2000/svg}title") is not None
    assert re.findall(r"https?://(?!www\.w3\.org/2000/svg)", text) == []
    assert "prefers-color-scheme: dark" in text
    used = {file for page in [*pages(), Path("README.md")] for _, file in links(page) if file.suffix in PICTURES}
    assert path.relative_to(REPOSITORY) in used


def test_nothing_of_the_site_is_fetched_from_elsewhere() -> None:
    for path in (REPOSITORY / "website").rglob("*"):
        if path.suffix in (".py", ".css"):
            assert re.findall(r"https?://|@import", path.read_text(encoding="utf-8")) == [], path


def test_the_start_pages_example() -> None:
    assert sum(map(run_block, python_blocks(REPOSITORY / HOME))) == 1


def test_the_first_screen_of_the_readme_has_the_picture() -> None:
    readme = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    assert "](docs/drawings/system.svg)" in os.linesep.join(readme.splitlines()[:20])
