"""How do stored results get into the documentation? As Markdown tables between markers, written from JSON only."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

from benchmarks.results import Result, ResultError, Row


def result_table(result: Result) -> str:
    """A result as Markdown: where it was measured, and a row for each measurement."""
    columns: list[tuple[str, str, Callable[[Row], str]]] = [
        ("", "---", lambda row: row.title),
        ("measured", "---:", _measured),
    ]
    if any(row.paper is not None for row in result.rows):
        columns.append(("paper", "---:", lambda row: "" if row.paper is None else figure(row.paper)))
    if any(row.bar is not None for row in result.rows):
        columns += [("bar", "---:", _bar), ("", "---", _verdict)]
    header = [" | ".join(titles) for titles in ([title for title, _, _ in columns], [rule for _, rule, _ in columns])]
    body = [" | ".join(write(row) for _, _, write in columns) for row in result.rows]
    return "\n".join([machine_line(result), "", *(f"| {line} |" for line in (*header, *body))])


def picture_line(source: Path, page: Path, question: str) -> str:
    """The picture beside a stored result, as a page shows it; empty if none was drawn."""
    picture = source.with_suffix(".png")
    if not picture.exists():
        return ""
    place = Path(os.path.relpath(picture.resolve(), page.resolve().parent)).as_posix()
    return f"\n\n![{question}]({place})"


def machine_line(result: Result) -> str:
    """One sentence on where and when."""
    about = result.machine
    commit = f"commit {str(about['commit'])[:12]}" if about["commit"] else "no commit"
    changes = " with changes" if about["is_dirty"] else ""
    versions = ", ".join(f"{name} {version}" for name, version in about["versions"].items() if version)
    return (
        f"Scale `{result.scale}`, {str(about['date'])[:10]}, {about['cores']} cores of {about['cpu']}, "
        f"{about['memory_gib']} GiB, {commit}{changes}; {versions}. Peak memory {result.peak_memory_gib} GiB."
    )


def _measured(row: Row) -> str:
    return f"skipped: {row.skipped}" if row.value is None else f"{figure(row.value)} {row.unit}"


def _bar(row: Row) -> str:
    return "" if row.bar is None else f"{'≥' if row.at_least else '≤'} {row.bar:,g}"


def _verdict(row: Row) -> str:
    return {True: "reached", False: "**not reached**", None: ""}[row.is_reached]


def figure(value: float) -> str:
    """Whole numbers from a hundred on, else up to four significant digits."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.4g}"


def write_into(page: Path, experiment: str, table: str) -> None:
    """Replace what stands between the experiment's markers on a page."""
    begin, end = f"<!-- results: {experiment} -->", "<!-- end of results -->"
    pattern = re.compile(re.escape(begin) + r".*?" + re.escape(end), re.DOTALL)
    text = page.read_text()
    if not pattern.search(text):
        raise ResultError(f"{page.name} has no place for {experiment!r}: it needs {begin} and {end}")
    page.write_text(pattern.sub(lambda _: f"{begin}\n{table}\n{end}", text, count=1))
