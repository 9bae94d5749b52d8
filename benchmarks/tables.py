"""How do stored results get into the documentation? As Markdown tables between markers, written from JSON only."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable
from pathlib import Path

from benchmarks.results import Paper, Result, ResultError, Row

Spread = tuple[float, float]
"""The lower and the upper end."""


def result_table(result: Result) -> str:
    """A result as Markdown: where it was measured, and a row for each measurement."""
    columns: list[tuple[str, str, Callable[[Row], str]]] = [
        ("", "---", lambda row: row.title),
        ("measured", "---:", _measured),
    ]
    if any(row.paper is not None for row in result.rows):
        columns.append(("paper", "---:", lambda row: "" if row.paper is None else as_printed(row.paper)))
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
    return f"skipped: {row.skipped}" if row.value is None else f"{figure_with_spread(row.value, row.spread)} {row.unit}"


def _bar(row: Row) -> str:
    return "" if row.bar is None else f"{'≥' if row.at_least else '≤'} {row.bar:,g}"


def _verdict(row: Row) -> str:
    return {True: "reached", False: "**not reached**", None: ""}[row.is_reached]


def figure(value: float) -> str:
    """At most three significant digits; zeros at the end of a fraction are left out."""
    text = rounded(value, _places(value, 3))
    return text.rstrip("0").rstrip(".") if "." in text else text


def figure_with_spread(value: float, spread: Spread | None) -> str:
    """`2.2 (2.1–2.4)`: two significant digits where they tell the ends of the spread apart, else three."""
    if spread is None:
        return figure(value)
    places = _places_within(value, spread)
    return f"{rounded(value, places)} ({rounded(spread[0], places)}–{rounded(spread[1], places)})"


def figure_within(value: float, spread: Spread | None) -> str:
    """The same without the spread, where there is no room for it."""
    return figure(value) if spread is None else rounded(value, _places_within(value, spread))


def _places_within(value: float, spread: Spread) -> int:
    places = _places(value, 2)
    return places if 10.0**-places <= (spread[1] - spread[0]) / 2 else _places(value, 3)


def as_printed(value: Paper) -> str:
    """What a paper prints, digit by digit; `1.58–2.97` for a range."""
    if isinstance(value, tuple):
        return "–".join(map(as_printed, value))
    return f"{value:,.10g}"


def rounded(value: float, places: int) -> str:
    """To so many places behind the point, or, below zero, before it."""
    return f"{round(value, places):,.{max(places, 0)}f}"


def _places(value: float, digits: int) -> int:
    """The place of the last of so many significant digits."""
    if value == 0 or not math.isfinite(value):
        return 0
    return digits - 1 - math.floor(math.log10(abs(float(f"{value:.{digits - 1}e}"))))


def write_into(page: Path, experiment: str, table: str) -> None:
    """Replace what stands between the experiment's markers on a page."""
    begin, end = f"<!-- results: {experiment} -->", "<!-- end of results -->"
    pattern = re.compile(re.escape(begin) + r".*?" + re.escape(end), re.DOTALL)
    text = page.read_text()
    if not pattern.search(text):
        raise ResultError(f"{page.name} has no place for {experiment!r}: it needs {begin} and {end}")
    page.write_text(pattern.sub(lambda _: f"{begin}\n{table}\n{end}", text, count=1))
