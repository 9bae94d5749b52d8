"""What did a job do? One HTML page with its numbers and plots, which opens without a server or a network."""

from __future__ import annotations

import html
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from eligo.errors import printable
from eligo.report import svg_plots
from eligo.stores.address import Address, place
from eligo.stores.store import store_of

STYLE = """
:root { color-scheme: light dark; --ink: #1c2430; --quiet: #667085; --bar: #3b6fb6; --grid: #d6dbe3; --page: #fff; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e9ef; --quiet: #98a2b3; --bar: #7aa7e6; --grid: #3a4351; --page: #14181f; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--page); margin: 2rem auto;
  max-width: 60rem; padding: 0 1rem; }
h1 { font-size: 1.5rem; margin-bottom: 0.2rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
p.note { color: var(--quiet); margin-top: 0; }
table { border-collapse: collapse; } th { text-align: left; color: var(--quiet); font-weight: 500; }
td, th { padding: 0.15rem 1.2rem 0.15rem 0; vertical-align: top; } td.number { text-align: right; white-space: nowrap;
  font-variant-numeric: tabular-nums; } td.code { font: 13px/1.5 ui-monospace, monospace; overflow-wrap: anywhere; }
td.short { white-space: nowrap; }
svg { max-width: 100%; height: auto; } svg text { fill: var(--ink); font: 12px system-ui, sans-serif; }
svg .small { font-size: 11px; fill: var(--quiet); } svg .end { text-anchor: end; } svg .middle { text-anchor: middle; }
svg .bar { fill: var(--bar); } svg .axis { stroke: var(--quiet); } svg .grid { stroke: var(--grid); }
svg .line { fill: none; stroke: var(--bar); stroke-width: 2; }
"""

LONG_TEXT = 500
"""So many characters of an expression are shown."""
SHORT_TEXT = 32
"""Texts of a table up to this length, such as ids, stay on one line."""
SHARE_BORDERS = (0.0, 1e-4, 1e-3, 1e-2, 0.05, 0.1, 0.25, 0.5, 0.75, 1.0)


@dataclass(frozen=True)
class Report:
    """What the page tells; a part that is empty is left out."""

    title: str
    note: str = ""
    facts: Mapping[str, str] = field(default_factory=dict)
    stages: Mapping[str, float] = field(default_factory=dict)
    """Seconds by stage."""
    counts: npt.NDArray[np.int64] | None = None
    """For each expression that matches some event: how many."""
    num_expressions: int = 0
    num_events: int = 0
    most_matched: Sequence[tuple[Any, str, int]] = ()
    """Id, text and number of matches."""
    never_matched: Sequence[tuple[Any, str]] = ()
    """Id and text of expressions that match no event, the first ones."""
    num_rejected: int = 0
    rejects: Sequence[Sequence[Any]] = ()
    """Event, error and advice of events that could not be read, the first ones."""
    sharing: Sequence[Mapping[str, Any]] = ()
    """`Profile.sharing` as rows."""
    sharing_note: str = ""
    tables: Mapping[str, tuple[Sequence[str], Sequence[Sequence[Any]]]] = field(default_factory=dict)
    """Further tables by heading: names of columns, and rows."""

    def html(self) -> str:
        """The page."""
        parts = [f"<h1>{escape(self.title)}</h1>", f'<p class="note">{escape(self.note)}</p>', _facts(self.facts)]
        if self.stages:
            parts += [
                "<h2>Time by stage</h2>",
                svg_plots.bars(list(self.stages), list(self.stages.values()), unit="s", digits=1),
            ]
        if self.num_rejected:
            parts += self._rejects()
        if self.counts is not None:
            parts += self._matches(self.counts)
        if self.sharing:
            parts += self._sharing()
        for heading, (names, rows) in self.tables.items():
            if rows:
                parts += [f"<h2>{escape(heading)}</h2>", _table(names, rows)]
        body = "\n".join(parts)
        return (
            f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(self.title)}</title>'
            f'<meta name="viewport" content="width=device-width"><style>{STYLE}</style></head>\n'
            f"<body>\n{body}\n</body></html>\n"
        )

    def _matches(self, counts: npt.NDArray[np.int64]) -> list[str]:
        num_unmatched = max(self.num_expressions - len(counts), 0)
        parts = [
            "<h2>Matches for each expression</h2>",
            f'<p class="note">{len(counts):,} of {self.num_expressions:,} expressions match an event. '
            "Both axes are logarithmic.</p>",
            svg_plots.rank_line(counts.tolist(), x_title="expressions, the most matched first", y_title="matches"),
        ]
        if self.num_events:
            shares = np.concatenate([np.zeros(num_unmatched), counts / self.num_events])
            labels = ["none", *(f"≤ {border * 100:g}%" for border in SHARE_BORDERS[1:])]
            borders = [-1.0, 1e-15, *(border + 1e-12 for border in SHARE_BORDERS[1:])]
            values = np.histogram(shares, borders)[0]
            parts += [
                "<h2>Selectivity</h2>",
                svg_plots.columns(labels, values.tolist(), x_title="share of the events", y_title="expressions"),
            ]
        if self.most_matched:
            rows = [(count, str(id), _cut(text)) for id, text, count in self.most_matched]
            parts += ["<h2>Most matched expressions</h2>", _table(("matches", "id", "expression"), rows)]
        if num_unmatched:
            parts += self._never_matched(num_unmatched)
        return parts

    def _never_matched(self, number: int) -> list[str]:
        what = "expression matches" if number == 1 else "expressions match"
        rows = [(str(id), _cut(text)) for id, text in self.never_matched]
        return [
            "<h2>Never matched</h2>",
            f'<p class="note">{number:,} {what} no event{_first(len(rows), number)}. '
            "<code>eligo lint --events</code> says which of them never can.</p>",
            _table(("id", "expression"), rows) if rows else "",
        ]

    def _rejects(self) -> list[str]:
        what = "event" if self.num_rejected == 1 else "events"
        rows = [tuple(_cut(str(cell)) for cell in row) for row in self.rejects]
        return [
            "<h2>Rejected events</h2>",
            f'<p class="note">{self.num_rejected:,} {what} could not be read and had no matches'
            f"{_first(len(rows), self.num_rejected)}.</p>",
            _table(("event", "what is wrong", "what to do"), rows) if rows else "",
        ]

    def _sharing(self) -> list[str]:
        labels = [f"level {row['level']}: {row['occurrences']:,}, {row['distinct']:,} distinct" for row in self.sharing]
        return [
            "<h2>Sharing by level</h2>",
            '<p class="note">How often a subexpression occurs; level 1 are predicates. '
            f"{escape(self.sharing_note)}</p>",
            svg_plots.bars(labels, [row["ratio"] for row in self.sharing], unit="×", digits=2),
        ]

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the page, whole or not at all."""
        found = place(path)
        if isinstance(found, Address):
            store_of(found).put(found.key, [self.html().encode()])
            return
        path = found
        path.absolute().parent.mkdir(parents=True, exist_ok=True)
        partial = Path(f"{os.fspath(path)}.partial")
        try:
            partial.write_text(self.html(), encoding="utf-8")
            os.replace(partial, path)
        except BaseException:
            partial.unlink(missing_ok=True)
            raise


def escape(text: str) -> str:
    """A text of users' data for the page: no markup, nothing that cannot be seen."""
    return html.escape(printable(text, keep="\n\t"))


def _first(shown: int, number: int) -> str:
    return f"; these are the first {shown:,}" if 0 < shown < number else ""


def _facts(facts: Mapping[str, str]) -> str:
    rows = "".join(f"<tr><th>{escape(name)}</th><td>{escape(value)}</td></tr>" for name, value in facts.items())
    return f"<table>{rows}</table>"


def _table(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in names)
    body = "".join(f"<tr>{''.join(_cell(value) for value in row)}</tr>" for row in rows)
    return f"<table><tr>{head}</tr>{body}</table>"


def _cell(value: Any) -> str:
    text = f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
    kind = "number" if isinstance(value, (int, float)) else "code short" if len(text) <= SHORT_TEXT else "code"
    return f'<td class="{kind}">{escape(text)}</td>'


def _cut(text: str) -> str:
    return text if len(text) <= LONG_TEXT else f"{text[:LONG_TEXT]}… ({len(text):,} characters)"
