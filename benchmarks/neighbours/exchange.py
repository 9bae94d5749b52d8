"""What do harnesses read and write? Plain lines, which every language splits without a library.

    r3 120 415 ⇥ s0 v7 ⇥ l0 v2 v5 v9        a conjunction: a range with both ends, a string, a list
    r3 127 ⇥ s0 v7 ⇥ l0 v1 v2 v3 v4         an event: a number, a string, a list

A name begins with r, s or l, by which its kind is known. A line of `expressions.tsv` is the conjunction whose id is the
number of the line, from 0 on. `checked.tsv`, `warm.tsv` and `asked.tsv` have events: those whose answers are compared,
those of the warm-up, and those that are timed. A harness writes `answers.txt`: for each checked event the ids that it
satisfies, ascending, with a space behind each.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

EXPRESSIONS, ATTRIBUTES, ANSWERS = "expressions.tsv", "attributes.txt", "answers.txt"
CHECKED, WARM, ASKED = "checked.tsv", "warm.tsv", "asked.tsv"

REWRITES = (
    (r" between (\d+) and (\d+)", r" \1 \2"),
    (r" and ", "\t"),
    (r" = | in \(", " "),
    (r"[',)]", ""),
)
"""From the text of a conjunction of `targeting` to its line, one replacement after the other."""

Event = Mapping[str, Any]


def write_expressions(directory: Path, expressions: pa.Table, attributes: Sequence[str]) -> None:
    """The conjunctions, and the names of all attributes."""
    lines = expressions.column("expression")
    for pattern, replacement in REWRITES:
        lines = pc.replace_substring_regex(lines, pattern, replacement)
    with (directory / EXPRESSIONS).open("w") as file:
        for chunk in lines.chunks:
            for first in range(0, len(chunk), 100_000):
                file.writelines(f"{line}\n" for line in chunk.slice(first, 100_000).to_pylist())
    (directory / ATTRIBUTES).write_text("".join(f"{name}\n" for name in attributes))


def write_events(path: Path, events: Iterable[Event]) -> None:
    """Events, a line each."""
    path.write_text("".join(f"{event_line(event)}\n" for event in events))


def event_line(event: Event) -> str:
    """`r3 127 ⇥ s0 v7 ⇥ l0 v1 v2 v3 v4`."""
    return "\t".join(
        " ".join((name, *value)) if isinstance(value, list) else f"{name} {value}" for name, value in event.items()
    )


def fields(line: str) -> list[list[str]]:
    """Names with their values, of a conjunction or an event."""
    return [field.split(" ") for field in line.rstrip("\n").split("\t")]


def read_event(line: str) -> dict[str, Any]:
    """The event of a line."""
    event: dict[str, Any] = {}
    for name, *values in fields(line):
        event[name] = int(values[0]) if name[0] == "r" else values[0] if name[0] == "s" else values
    return event


def read_events(path: Path) -> list[dict[str, Any]]:
    """The events of a file."""
    with path.open() as lines:
        return [read_event(line) for line in lines]


def write_answers(directory: Path, answers: Iterable[Iterable[int]]) -> None:
    """What a harness found for the checked events."""
    text = "".join("".join(f"{id} " for id in sorted(found)) + "\n" for found in answers)
    (directory / ANSWERS).write_text(text)


def read_answers(directory: Path) -> list[np.ndarray[Any, np.dtype[np.int64]]]:
    """The same, read again."""
    lines = (directory / ANSWERS).read_text().splitlines()
    return [np.array(line.split(), np.int64) for line in lines]
