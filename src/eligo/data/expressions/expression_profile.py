"""What is a table of expressions like? Its sharing by level, its predicates, attributes and operators, and selectivity.

Sharing is as A-Tree 2021 draws it in its Figure 7: how often subexpressions of a level occur, over how many different
ones there are. It says how much an index that stores a subexpression once will save.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc


@dataclass(frozen=True)
class Profile:
    """What a table of expressions is like; the tables are small Arrow tables."""

    num_expressions: int
    num_rejected: int
    """Texts that are no expressions; `check` says why."""
    num_distinct: int
    """Expressions that differ in more than the order of their parts."""
    sharing: pa.Table
    """level, occurrences, distinct, ratio: level 1 are predicates, and the top level whole expressions."""
    operators: pa.Table
    """operator, occurrences: connectives and predicates, the most frequent first."""
    attributes: pa.Table
    """attribute, occurrences, distinct predicates, the most frequent first."""
    predicates: pa.Table
    """predicate, attribute, operator, occurrences(, selectivity): the most frequent ones."""
    sizes: pa.Table
    """num_predicates, num_expressions."""
    depths: pa.Table
    """depth, num_expressions."""
    selectivity: pa.Table | None = None
    """From a sample of events: share_from, share_to, num_expressions: how many expressions match what share of them."""

    @property
    def predicates_per_expression(self) -> float:
        """On average."""
        total = pc.sum(pc.multiply(self.sizes["num_predicates"], self.sizes["num_expressions"])).as_py() or 0
        return total / self.num_expressions if self.num_expressions else 0.0

    def to_json(self) -> dict[str, Any]:
        """All of it as plain values."""
        tables = ("sharing", "operators", "attributes", "predicates", "sizes", "depths", "selectivity")
        found = {name: getattr(self, name) for name in tables}
        return {
            "num_expressions": self.num_expressions,
            "num_rejected": self.num_rejected,
            "num_distinct": self.num_distinct,
            "predicates_per_expression": round(self.predicates_per_expression, 3),
            **{name: table.to_pylist() for name, table in found.items() if table is not None},
        }
