"""Which pages has the site, in which order, and where do their links lead?

The site is made of the same Markdown that is read on the repository's own pages. `docs/home.md` is the start page; its
headings and the links in its lists are the navigation. Pages outside of `docs` that it links to come along. What has
another name in the site:

    docs/home.md          index          the start page, where a web server looks for it
    docs/index.md         the-index      the page on the index
    README.md             index          who comes from a page gets to the start page
    ARCHITECTURE.md       architecture

Links to pages keep their meaning. Pictures come along; a link to any other file of the repository becomes its name.
"""

from __future__ import annotations

import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).parent.parent
HOME = Path("docs/home.md")
DECISIONS = Path("docs/decisions")
RENAMED = {
    HOME: Path("index.md"),
    Path("docs/index.md"): Path("the-index.md"),
    Path("README.md"): Path("index.md"),
    Path("ARCHITECTURE.md"): Path("architecture.md"),
    Path("CONTRIBUTING.md"): Path("contributing.md"),
    Path("CHANGELOG.md"): Path("changelog.md"),
}
PICTURES = (".png", ".svg")
LINK = re.compile(r"(!?)\[((?:[^\[\]`]|`[^`]*`|\[[^\]]*\])*)\]\(([^)\s]+)\)")
CODE = re.compile(r"^```.*?^```[^\n]*$|`[^`\n]+`", re.M | re.S)
"""What stands in code is no link."""


@dataclass(frozen=True)
class Section:
    """A part of the navigation."""

    title: str
    pages: tuple[Path, ...]
    """Of the repository, in their order."""


def pages() -> list[Path]:
    """Every page of the site, by its place in the repository."""
    docs = sorted(path.relative_to(REPOSITORY) for path in (REPOSITORY / "docs").rglob("*.md"))
    return [*docs, Path("ARCHITECTURE.md"), Path("CONTRIBUTING.md"), Path("CHANGELOG.md")]


def site_path(page: Path) -> Path:
    """Where a page of the repository stands in the site."""
    return RENAMED.get(page) or (page.relative_to("docs") if page.parts[0] == "docs" else page)


def links(page: Path) -> list[tuple[str, Path]]:
    """What a page links to in the repository: the text of each link, and the file."""
    text = CODE.sub("", (REPOSITORY / page).read_text(encoding="utf-8"))
    found = []
    for _, words, target in LINK.findall(text):
        if (file := _file_of(page, target)) is not None:
            found.append((words, file))
    return found


def _file_of(page: Path, target: str) -> Path | None:
    """The file of the repository that a link names; None for an address, and for a place on the page itself."""
    name = target.partition("#")[0]
    if not name or re.match(r"[a-z]+:", target):
        return None
    file = Path(os.path.normpath(page.parent / name))
    return file / "README.md" if (REPOSITORY / file).is_dir() else file


def sections() -> list[Section]:
    """The navigation: the headings of the start page, with the pages that the lists below them link to."""
    text = (REPOSITORY / HOME).read_text(encoding="utf-8")
    found = []
    for part in re.split(r"^## ", text, flags=re.M)[1:]:
        title, _, body = part.partition("\n")
        named = [_file_of(HOME, target) for target in re.findall(r"^- \[[^\]]*\]\(([^)\s]+)\)", body, re.M)]
        listed = tuple(dict.fromkeys(file for file in named if file is not None and file in pages()))
        if listed:
            found.append(Section(title.strip(), listed))
    known = {page for section in found for page in section.pages}
    others = [page for page in pages() if page not in known and page != HOME and page.parent != DECISIONS]
    return [*found, *([Section("More", tuple(others))] if others else [])]


def staged(page: Path, text: str) -> str:
    """A page's text with links as the site needs them."""
    kept: list[str] = []

    def keep(match: re.Match[str]) -> str:
        kept.append(match[0])
        return f"\0{len(kept) - 1}\0"

    def put_back(words: str) -> str:
        return re.sub("\0(\\d+)\0", lambda match: kept[int(match[1])], words)

    here = site_path(page).parent

    def rewritten(match: re.Match[str]) -> str:
        mark, words, target = match.groups()
        file = _file_of(page, target)
        if file is None:
            return match[0]
        anchor = target[target.index("#") :] if "#" in target else ""
        if mark or file.suffix in PICTURES:
            return f"{mark}[{words}]({os.path.relpath(Path('pictures') / file.name, here)})"
        if file in pages() or file in RENAMED:
            return f"[{words}]({os.path.relpath(site_path(file), here)}{anchor if file.name != 'README.md' else ''})"
        return words if words.startswith("`") or words.startswith("\0") else f"`{file}`"

    return put_back(LINK.sub(rewritten, CODE.sub(keep, text)))


def stage(folder: Path) -> None:
    """Write all pages to an empty folder, with their pictures, as Sphinx takes them."""
    for page in pages():
        text = staged(page, (REPOSITORY / page).read_text(encoding="utf-8"))
        for _, file in links(page):
            if file.suffix in PICTURES:
                (folder / "pictures").mkdir(exist_ok=True)
                shutil.copyfile(REPOSITORY / file, folder / "pictures" / file.name)
        if page == HOME:
            text += "".join(map(toctree, sections()))
        elif page == DECISIONS / "README.md":
            records = tuple(file for _, file in links(page) if file.parent == page.parent and file != page)
            text += toctree(Section("", records), page)
        place = folder / site_path(page)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")


def toctree(section: Section, beside: Path = HOME) -> str:
    """A section as Sphinx's table of contents, which makes the navigation and is not shown itself."""
    here = site_path(beside).parent
    names = [os.path.relpath(site_path(page).with_suffix(""), here) for page in section.pages]
    caption = f":caption: {section.title}\n" if section.title else ""
    return "\n\n```{toctree}\n:hidden:\n" + caption + "\n" + "\n".join(dict.fromkeys(names)) + "\n```\n"
