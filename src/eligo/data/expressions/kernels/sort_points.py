"""How are the points of a predicate put in order, with their weights? By insertion if they are few, else by a heap."""

from __future__ import annotations

from typing import Any

from eligo.kernels.compiled import compiled_form_of, part

FEW = 24
"""Up to so many points are sorted by insertion."""


def sort_points(points: Any, weights: Any, first: int, last: int) -> None:
    """Sort points[first:last], ascending and distinct, with their weights."""
    pairs = sorted(zip(points[first:last], weights[first:last], strict=True))
    for place, (point, weight) in enumerate(pairs, first):
        points[place], weights[place] = point, weight


@compiled_form_of(sort_points)
def _compiled_sort_points(points: Any, weights: Any, first: Any, last: Any) -> None:
    if last - first > FEW:
        heap_sort(points, weights, first, last)
        return
    for place in range(first + 1, last):
        point, weight = points[place], weights[place]
        while place > first and points[place - 1] > point:
            points[place] = points[place - 1]
            weights[place] = weights[place - 1]
            place -= 1
        points[place] = point
        weights[place] = weight


@part
def heap_sort(points: Any, weights: Any, first: int, last: int) -> None:
    """Sort points[first:last] with their weights, however many there are."""
    for root in range((last - first) // 2 - 1, -1, -1):
        sift_down(points, weights, first, root, last - first)
    for end in range(last - first - 1, 0, -1):
        points[first], points[first + end] = points[first + end], points[first]
        weights[first], weights[first + end] = weights[first + end], weights[first]
        sift_down(points, weights, first, 0, end)


@part
def sift_down(points: Any, weights: Any, first: int, root: int, count: int) -> None:
    """Let the root of a heap of `count` points from `first` on sink to its place."""
    point, weight = points[first + root], weights[first + root]
    child = 2 * root + 1
    while child < count:
        if child + 1 < count and points[first + child] < points[first + child + 1]:
            child += 1
        if points[first + child] <= point:
            break
        points[first + root] = points[first + child]
        weights[first + root] = weights[first + child]
        root = child
        child = 2 * root + 1
    points[first + root] = point
    weights[first + root] = weight
