"""Where do results live? One JSON file a run, named by experiment, scale and time; tables and plots read only these."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

FORMAT = 1
"""Raised when older files can no longer be read."""

DIRECTORY = Path(__file__).parent / "results"


Paper = float | tuple[float, float]
"""What a paper prints: a figure, or a range of which it does not say where its ends are."""


class ResultError(Exception):
    """There is no such result, or it cannot be read."""


@dataclass(frozen=True)
class Row:
    """What came of one measurement."""

    name: str
    title: str
    unit: str
    value: float | None = None
    """None when it was skipped."""
    skipped: str | None = None
    """Why it was skipped."""
    paper: Paper | None = None
    """What the paper prints for it."""
    bar: float | None = None
    at_least: bool = True
    """Whether the value should be at least, or at most, the bar."""
    is_reached: bool | None = None
    """None without a bar, when skipped, and at any scale but `full`."""
    details: Mapping[str, Any] | None = None
    spread: tuple[float, float] | None = None
    """Between which values half of the rounds lie, or all where they are few; None where that was not stored."""


@dataclass(frozen=True)
class Result:
    """A whole run."""

    experiment: str
    question: str
    scale: str
    seed: int
    machine: Mapping[str, Any]
    workloads: Mapping[str, Any]
    indexes: list[Mapping[str, Any]]
    rows: list[Row]
    peak_memory_gib: float | None = None
    format: int = FORMAT

    def row(self, name: str) -> Row | None:
        return next((row for row in self.rows if row.name == name), None)


PART = ".part"
"""Behind the name of what a run has stored that is under way, or was ended in the middle; never the newest."""


def save(result: Result, directory: Path = DIRECTORY) -> Path:
    """Store a result and return its file; the part of it that was stored goes away."""
    path = _file(result, directory)
    path.write_text(_text(result))
    discard_part(result, directory)
    return path


def save_part(result: Result, directory: Path = DIRECTORY) -> Path:
    """Store the rows that there are so far."""
    path = _file(result, directory)
    part = path.with_name(path.name + PART)
    part.write_text(_text(result))
    return part


def discard_part(result: Result, directory: Path = DIRECTORY) -> None:
    """Remove what was stored of a run so far."""
    path = _file(result, directory)
    path.with_name(path.name + PART).unlink(missing_ok=True)


def _file(result: Result, directory: Path) -> Path:
    directory.mkdir(parents=True, exist_ok=True)
    moment = str(result.machine["date"])[:19].replace("-", "").replace(":", "")
    return directory / f"{result.experiment}-{result.scale}-{moment}.json"


def _text(result: Result) -> str:
    return json.dumps(asdict(result), indent=1) + "\n"


def load(path: Path) -> Result:
    """A stored result."""
    try:
        form = json.loads(path.read_text())
        if form.get("format") != FORMAT:
            raise ResultError(f"{path.name} has format {form.get('format')!r}, this version reads {FORMAT}")
        return Result(**{**form, "rows": [_row(row) for row in form["rows"]]})
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise ResultError(f"{path.name} cannot be read as a result: {error}") from error


def _row(form: Mapping[str, Any]) -> Row:
    spread, paper = form.get("spread"), form.get("paper")
    return Row(**{**form, "spread": _pair(spread) if spread else None, "paper": _paper(paper)})


def _paper(form: Any) -> Paper | None:
    return _pair(form) if isinstance(form, list) else form


def _pair(form: Any) -> tuple[float, float]:
    low, high = form
    return float(low), float(high)


def latest(experiment: str, scale: str | None = None, directory: Path = DIRECTORY) -> Path:
    """The newest stored result of an experiment; of the full scale if there is one and none is named."""
    for wanted in (scale,) if scale else ("full", "small"):
        found = sorted(directory.glob(f"{experiment}-{wanted}-*.json"))
        if found:
            return found[-1]
    raise ResultError(f"there is no stored result of {experiment!r}; run it: python -m benchmarks run {experiment}")
