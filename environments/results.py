"""What did tests say in an environment, where is it kept, and where is it shown?

Counts are kept in `environments/results`, in the repository: a run elsewhere adds to what is known and takes nothing
away. A table is made of all that is kept, and stands between two markers of a page.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

from environments.environment import REPOSITORY

RESULTS = REPOSITORY / "environments" / "results"
"""A file for each kind of run."""
OF_RUNS = (":/", ":/!environments/results", ":/!docs")
"""What a run may not have changed to be of a commit; results, and the pages that show them, it changes itself."""


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


def kept(name: str, directory: Path = RESULTS) -> dict[str, Any]:
    """The results of a kind of run."""
    file = directory / f"{name}.json"
    found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    return found


def keep(name: str, results: dict[str, Any], directory: Path = RESULTS) -> None:
    """Keep the results of a kind of run."""
    directory.mkdir(parents=True, exist_ok=True)
    text = json.dumps(results, indent=1, ensure_ascii=False, sort_keys=True)
    (directory / f"{name}.json").write_text(f"{text}\n", encoding="utf-8")


def today() -> str:
    """The day of a run."""
    return datetime.now(UTC).date().isoformat()


def commit() -> str:
    """The commit of the checkout; with a plus where files differ from it."""

    def said(*arguments: str) -> str:
        command = ["git", "--no-optional-locks", *arguments]
        return subprocess.run(command, cwd=REPOSITORY, check=True, capture_output=True, text=True).stdout.strip()

    return said("rev-parse", "--short=12", "HEAD") + ("+" if said("status", "--porcelain", "--", *OF_RUNS) else "")


def one_after_another(found: Iterable[str]) -> str:
    """Each of these once, such as the commits of parts of a row."""
    return ", ".join(dict.fromkeys(found)) or "–"


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
