"""How does a report draw? As SVG text inside the page: bars, and a line over logarithmic axes. No library, no file.

Colours and anchors stand in the SVG itself, for viewers that do not apply a page's styles to it; where they do, the
styles win, as for a dark page.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

WIDTH, HEIGHT = 640, 280
LEFT, RIGHT, TOP, BOTTOM = 70, 20, 14, 46
LABEL_END = 'class="label end" text-anchor="end"'
LABEL_MIDDLE = 'class="label middle" text-anchor="middle"'
SMALL_END = 'class="small end" text-anchor="end" font-size="11"'
SMALL_MIDDLE = 'class="small middle" text-anchor="middle" font-size="11"'
BAR = 'class="bar" fill="#3b6fb6"'
GRID = 'class="grid" stroke="#d6dbe3"'
AXIS = 'class="axis" stroke="#667085"'
LINE = 'class="line" fill="none" stroke="#3b6fb6" stroke-width="2"'
FONT = 'font-family="system-ui, sans-serif" font-size="12"'
ROW = 24
"""The height of one bar of a bar chart."""


def bars(labels: Sequence[str], values: Sequence[float], *, unit: str = "", digits: int = 0) -> str:
    """Horizontal bars, one below the other, each with its label and its value."""
    label_width = 16 + max((8 * min(len(label), 44) for label in labels), default=0)
    largest = max(values, default=0) or 1
    room = WIDTH - label_width - 110
    height = ROW * len(values) + 8
    parts = [_open(height)]
    for row, (label, value) in enumerate(zip(labels, values, strict=True)):
        y = 4 + row * ROW
        length = max(room * value / largest, 1 if value else 0)
        told = f"{value:,.{digits}f}{f' {unit}' if unit else ''}"
        parts.append(f'<text x="{label_width - 8}" y="{y + 15}" {LABEL_END}>{escape(_cut(label))}</text>')
        parts.append(f'<rect x="{label_width}" y="{y + 3}" width="{length:.1f}" height="{ROW - 8}" {BAR}/>')
        parts.append(f'<text x="{label_width + length + 6:.1f}" y="{y + 15}" class="label">{told}</text>')
    return "".join([*parts, "</svg>"])


def columns(labels: Sequence[str], values: Sequence[float], *, x_title: str, y_title: str) -> str:
    """Vertical bars side by side, as of a histogram, over a logarithmic axis where they differ much."""
    largest = max(values, default=0) or 1
    positive = [value for value in values if value > 0]
    is_log = bool(positive) and largest / min(positive) > 50
    parts = [_open(HEIGHT), _axes(x_title, y_title)]
    room = (WIDTH - LEFT - RIGHT) / max(len(values), 1)
    for tick in _ticks(largest, is_log):
        parts.append(_y_tick(_height(tick, largest, is_log), tick))
    for place, (label, value) in enumerate(zip(labels, values, strict=True)):
        x = LEFT + place * room
        height = _height(value, largest, is_log)
        y = HEIGHT - BOTTOM - height
        parts.append(
            f'<rect x="{x + 2:.1f}" y="{y:.1f}" width="{max(room - 4, 1):.1f}" height="{height:.1f}" {BAR}>'
            f"<title>{escape(label)}: {value:,.0f}</title></rect>"
        )
        if len(values) <= 14 or place % math.ceil(len(values) / 14) == 0:
            middle = x + room / 2
            parts.append(f'<text x="{middle:.1f}" y="{HEIGHT - BOTTOM + 14}" {SMALL_MIDDLE}>{escape(label)}</text>')
    return "".join([*parts, "</svg>"])


def rank_line(values: Sequence[float], *, x_title: str, y_title: str) -> str:
    """Values from the largest to the smallest, over the logarithm of their rank."""
    falling = sorted((value for value in values if value > 0), reverse=True)
    if not falling:
        return f'{_open(40)}<text x="10" y="24" class="label">nothing to draw</text></svg>'
    number, largest = len(falling), falling[0]
    ranks = sorted({round(number ** (step / 200)) for step in range(201)} | {1, number})
    wide = math.log10(number) or 1.0
    points = []
    for rank in ranks:
        x = LEFT + (WIDTH - LEFT - RIGHT) * math.log10(rank) / wide
        y = HEIGHT - BOTTOM - _height(falling[rank - 1], largest, True)
        points.append(f"{x:.1f},{y:.1f}")
    parts = [_open(HEIGHT), _axes(x_title, y_title)]
    parts += [_y_tick(_height(tick, largest, True), tick) for tick in _ticks(largest, True)]
    powers = [10**power for power in range(int(math.log10(number)) + 1)]
    for rank in [*powers, *([number] if number >= 2 * powers[-1] else [])]:
        x = LEFT + (WIDTH - LEFT - RIGHT) * math.log10(rank) / wide
        parts.append(f'<text x="{x:.1f}" y="{HEIGHT - BOTTOM + 14}" {SMALL_MIDDLE}>{_short(rank)}</text>')
    parts.append(f'<polyline points="{" ".join(points)}" {LINE}/>')
    if len(points) == 1:
        parts.append(f'<circle cx="{points[0].split(",")[0]}" cy="{points[0].split(",")[1]}" r="4" {BAR}/>')
    return "".join([*parts, "</svg>"])


def _open(height: int) -> str:
    return f'<svg viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" role="img" {FONT}>'


def _axes(x_title: str, y_title: str) -> str:
    floor, middle = HEIGHT - BOTTOM, (TOP + HEIGHT - BOTTOM) / 2
    return (
        f'<line x1="{LEFT}" y1="{floor}" x2="{WIDTH - RIGHT}" y2="{floor}" {AXIS}/>'
        f'<line x1="{LEFT}" y1="{TOP}" x2="{LEFT}" y2="{floor}" {AXIS}/>'
        f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 10}" {LABEL_MIDDLE}>{escape(x_title)}</text>'
        f'<text x="14" y="{middle}" {LABEL_MIDDLE} transform="rotate(-90 14 {middle})">{escape(y_title)}</text>'
    )


def _height(value: float, largest: float, is_log: bool) -> float:
    room = HEIGHT - TOP - BOTTOM
    if value <= 0:
        return 0.0
    # On a logarithmic axis 1 stands a little above the floor, so that it can be seen.
    return room * (math.log10(value) + 0.3) / (math.log10(max(largest, 1)) + 0.3) if is_log else room * value / largest


def _ticks(largest: float, is_log: bool) -> list[float]:
    if is_log:
        powers = [10.0**power for power in range(int(math.log10(max(largest, 1))) + 1)]
        return [*powers, largest] if largest >= 2 * powers[-1] else powers
    step = 10 ** math.floor(math.log10(largest))
    while largest / step < 3 and step > 1:  # what is counted has no halves
        step /= 2
    return [step * number for number in range(int(largest / step) + 1)]


def _y_tick(height: float, value: float) -> str:
    y = HEIGHT - BOTTOM - height
    return (
        f'<line x1="{LEFT}" y1="{y:.1f}" x2="{WIDTH - RIGHT}" y2="{y:.1f}" {GRID}/>'
        f'<text x="{LEFT - 6}" y="{y + 4:.1f}" {SMALL_END}>{_short(value)}</text>'
    )


def _short(value: float) -> str:
    for power, letter in ((9, "G"), (6, "M"), (3, "k")):
        if value >= 10**power:
            return f"{value / 10**power:.3g}{letter}"
    return f"{value:g}"


def _cut(label: str) -> str:
    return label if len(label) <= 44 else f"{label[:43]}…"
