"""What did tests say in an environment, and where is it shown? Counts, and a table between two markers of a page."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree


class Counts(NamedTuple):
    """How many tests ended how."""

    passed: int
    failed: int
    """Or could not be begun."""
    skipped: int


def counts_in(report: Path) -> Counts:
    """Those of a report that pytest has written with `--junitxml`; it is our own, of a run that has just ended."""
    totals = dict.fromkeys(("tests", "failures", "errors", "skipped"), 0)
    for suite in ElementTree.parse(report).getroot().iter("testsuite"):
        for name in totals:
            totals[name] += int(suite.get(name, 0))
    failed = totals["failures"] + totals["errors"]
    return Counts(totals["tests"] - failed - totals["skipped"], failed, totals["skipped"])


def markers(name: str) -> tuple[str, str]:
    """What stands before and after a table in its page."""
    return f"<!-- {name}: begin -->", f"<!-- {name}: end -->"


def write_between(page: Path, name: str, text: str) -> None:
    """Put a text between its markers."""
    begin, end = markers(name)
    content = page.read_text(encoding="utf-8")
    before, _, rest = content.partition(begin)
    _, found, after = rest.partition(end)
    if not found:
        raise SystemExit(f"{page} has no place for the table: {begin} … {end}")
    page.write_text(f"{before}{begin}\n{text}\n{end}{after}", encoding="utf-8")


def pinned_version(pins: str, package: str) -> str:
    """The version of a package in a text of pins; a dash where it has none."""
    found = re.search(rf"^{re.escape(package)}==(\S+)", pins, re.MULTILINE)
    return found[1] if found else "–"
