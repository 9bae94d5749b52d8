"""What is counted of requests? How many by route and status, and how long they took, in classes.

Counted by one thread in a few steps, since that is done for every request; Prometheus is told when it asks.
"""

from __future__ import annotations

from bisect import bisect_left

BOUNDS = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
"""Upper ends of the classes of latencies, in seconds."""


class RouteFigures:
    """The figures of one route."""

    __slots__ = ("by_status", "classes", "seconds")

    def __init__(self) -> None:
        self.by_status: dict[int, int] = {}
        self.classes = [0] * (len(BOUNDS) + 1)
        self.seconds = 0.0

    def note(self, status: int, seconds: float) -> None:
        """One request was answered."""
        self.by_status[status] = self.by_status.get(status, 0) + 1
        self.classes[bisect_left(BOUNDS, seconds)] += 1
        self.seconds += seconds


class Figures:
    """Those of all routes; belongs to one loop."""

    def __init__(self) -> None:
        self.routes: dict[str, RouteFigures] = {}
        self.num_matches = 0

    def note(self, route: str, status: int, seconds: float, num_matches: int) -> None:
        """One request was answered."""
        own = self.routes.get(route)
        if own is None:
            own = self.routes[route] = RouteFigures()
        own.note(status, seconds)
        self.num_matches += num_matches
