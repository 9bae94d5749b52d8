"""Which structures are there? Those of Tatbul 2001, section 4.1, by name."""

from __future__ import annotations

from collections.abc import Mapping

from eligo.ranges.cluster import Cluster
from eligo.ranges.elementary import Elementary
from eligo.ranges.hybrid import Hybrid
from eligo.ranges.interval_tree import IntervalTree
from eligo.ranges.segment_index import SegmentIndex
from eligo.ranges.structure import Structure

STRUCTURES: Mapping[str, type[Structure]] = {
    structure.name: structure for structure in (Cluster, Elementary, Hybrid, SegmentIndex, IntervalTree)
}
"""In the paper's order."""
