"""What is below what? A taxonomy: a forest of named nodes, from `parent/child` paths or from a table of edges.

    Hierarchy.from_paths(["Sports/NFL", "Sports/MLB"])          Sports ── Sports/NFL
                                                                      └─ Sports/MLB
    Hierarchy.from_edges([("NFL", "Sports"), ("MLB", "Sports")])   the same shape, with short names

Without one, `under` goes by the path rule of `language.paths`; dates always do. A taxonomy has at most 1,000 levels,
because a value has the keys of all nodes above it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal

from eligo.arguments import items
from eligo.data.foreign_tables import arrow_table, is_pandas
from eligo.errors import ExpressionValueError, HierarchyError, shown
from eligo.language.value import canonical_value

MOST_LEVELS = 1_000
"""Levels of a taxonomy, from a root down to the node that is farthest from it."""


class Hierarchy:
    """A forest of strings: each node has one parent or none."""

    def __init__(self, parents: Mapping[str, str | None]) -> None:
        self._parents: dict[str, str | None] = {}
        if not isinstance(parents, Mapping):
            raise HierarchyError(
                f"a taxonomy is a mapping from nodes to their parents, not {shown(parents)}",
                help="or make it with Hierarchy.from_paths or Hierarchy.from_edges",
            )
        for child, parent in parents.items():
            self._parents[_name(child)] = None if parent is None else _name(parent)
        for parent in [parent for parent in self._parents.values() if parent is not None]:
            self._parents.setdefault(parent, None)
        self._children: dict[str, list[str]] = {}
        for child in sorted(self._parents):
            parent = self._parents[child]
            if parent is not None:
                self._children.setdefault(parent, []).append(child)
        self._refuse_cycles()

    @classmethod
    def from_paths(
        cls, paths: Iterable[str], separator: str = "/", *, names: Literal["path", "step"] = "path"
    ) -> Hierarchy:
        """A taxonomy from paths; every start of a path is a node.

        A node is called by its whole path, `Sports/NFL`, or with `names="step"` by its last step, `NFL`; then a step
        may have one parent only.
        """
        if not isinstance(separator, str) or not separator:
            raise HierarchyError(f"the separator of paths is a string and cannot be empty: {shown(separator)}")
        if not isinstance(names, str) or names not in ("path", "step"):
            raise HierarchyError(f"{shown(names)} is not a way to name nodes", help='"path" or "step"')
        if isinstance(paths, str | bytes) or not isinstance(paths, Iterable):
            raise HierarchyError(f"paths are a list of strings, not {shown(paths)}", help='write ["Sports/NFL"]')
        edges: list[tuple[str, str | None]] = []
        for path in items(paths, "paths"):
            steps = _name(path).split(separator)
            if "" in steps:
                raise HierarchyError(f"the path {shown(path)} has an empty step")
            if len(steps) > MOST_LEVELS:
                raise _too_deep(len(steps), steps[0])
            nodes = steps if names == "step" else [separator.join(steps[: end + 1]) for end in range(len(steps))]
            edges += zip(nodes, [None, *nodes], strict=False)
        return cls.from_edges(edges)

    @classmethod
    def from_edges(cls, edges: Any, *, child: str = "child", parent: str = "parent") -> Hierarchy:
        """A taxonomy from (child, parent) pairs, or from a table (Arrow, pandas) with these two columns.

        A parent of None (null) makes the child a root.
        """
        parents: dict[str, str | None] = {}
        for lower, upper in _pairs(edges, child, parent):
            if lower in parents and parents[lower] != upper:
                first, second = parents[lower], upper
                raise HierarchyError(
                    f"{lower!r} has two parents, {_shown(first)} and {_shown(second)}",
                    help="a taxonomy is a forest: give each node one parent, or copy the node under two names",
                )
            parents[lower] = upper
        return cls(parents)

    def _refuse_cycles(self) -> None:
        level_of: dict[str | None, int] = {None: 0}
        for start in self._parents:
            walked: dict[str, None] = {}
            node: str | None = start
            while node not in level_of:
                if node in walked:
                    cycle = list(walked)[list(walked).index(node) :]
                    shown = " under ".join(map(repr, [*cycle[:6], *(["…"] if len(cycle) > 6 else []), node]))
                    raise HierarchyError(f"a taxonomy cannot go round in a circle: {shown}")
                assert node is not None
                walked[node] = None
                node = self._parents[node]
            for level, name in enumerate(reversed(walked), level_of[node] + 1):
                level_of[name] = level
            if level_of[start] > MOST_LEVELS:
                raise _too_deep(level_of[start], start)

    def is_under(self, value: str, node: str) -> bool:
        """Whether the value is the node or below it; a value that the taxonomy does not have is under itself only."""
        current: str | None = _name(value)
        node = _name(node)
        while current is not None:
            if current == node:
                return True
            current = self._parents.get(current)
        return False

    def ancestors(self, value: str) -> list[str]:
        """The nodes above a value, the nearest first; none for a root and for what the taxonomy does not have."""
        found: list[str] = []
        current = self._parents.get(_name(value))
        while current is not None:
            found.append(current)
            current = self._parents[current]
        return found

    def nodes_under(self, node: str) -> Iterator[str]:
        """The node and all below it."""
        pending = [_name(node)]
        while pending:
            current = pending.pop()
            yield current
            pending.extend(reversed(self._children.get(current, ())))

    @property
    def roots(self) -> list[str]:
        """The nodes without a parent, sorted."""
        return sorted(node for node, parent in self._parents.items() if parent is None)

    def children(self, node: str) -> list[str]:
        """The nodes directly below, sorted."""
        return list(self._children.get(_name(node), ()))

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._parents))

    def __contains__(self, node: object) -> bool:
        return isinstance(node, str) and node in self._parents

    def __len__(self) -> int:
        return len(self._parents)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Hierarchy) and self._parents == other._parents

    def __hash__(self) -> int:
        return hash(frozenset(self._parents.items()))

    def __repr__(self) -> str:
        return f"<eligo.Hierarchy of {len(self):,} nodes, {len(self.roots):,} of them roots>"

    def to_json(self) -> dict[str, Any]:
        """A form that JSON can hold and `from_json` takes back."""
        edges = [[child, parent] for child, parent in sorted(self._parents.items()) if parent is not None]
        lone = [root for root in self.roots if root not in self._children]
        return {"edges": edges, "roots": lone} if lone else {"edges": edges}

    @classmethod
    def from_json(cls, form: Mapping[str, Any]) -> Hierarchy:
        """The taxonomy of `{"edges": [[child, parent], …], "roots": [node, …]}`; `roots` names those without edges."""
        if not isinstance(form, Mapping) or not isinstance(form.get("edges"), list) or set(form) - {"edges", "roots"}:
            raise HierarchyError('a taxonomy in JSON is {"edges": [[child, parent], …], "roots": [node, …]}')
        return cls.from_edges([*form["edges"], *((root, None) for root in _listed(form.get("roots", [])))])


def _listed(roots: Any) -> list[Any]:
    if not isinstance(roots, list):
        raise HierarchyError(f'"roots" is a list of nodes, not {shown(roots)}')
    return roots


def _too_deep(levels: int, name: str) -> HierarchyError:
    return HierarchyError(
        f"a taxonomy has at most {MOST_LEVELS:,} levels, and {name!r:.80} leads to one of {levels:,}",
        help="leave out levels that no expression asks for",
    )


def _name(raw: Any) -> str:
    try:
        value = canonical_value(raw)
    except ExpressionValueError as error:
        raise HierarchyError(error.message) from None
    if not isinstance(value, str):
        raise HierarchyError(f"the nodes of a taxonomy are strings, not {shown(raw)}")
    return value


def _pairs(edges: Any, child: str, parent: str) -> Iterator[tuple[str, str | None]]:
    if is_pandas(edges):
        columns = [column.tolist() for column in _columns(edges, list(edges.columns), child, parent)]
        edges = zip(*columns, strict=True)
    elif (table := arrow_table(edges)) is not None:
        columns = [column.to_pylist() for column in _columns(table, table.column_names, child, parent)]
        edges = zip(*columns, strict=True)
    if isinstance(edges, str | bytes | Mapping) or not isinstance(edges, Iterable):
        raise HierarchyError(f"edges are pairs (child, parent) or a table of them, not {shown(edges)}")
    for edge in items(edges, "edges"):
        ends = tuple(edge) if isinstance(edge, list | tuple) else ()
        if len(ends) != 2:
            raise HierarchyError(f"an edge is a pair (child, parent), not {shown(edge)}")
        lower, upper = ends
        is_root = upper is None or (isinstance(upper, float) and upper != upper)  # pandas writes a null as NaN
        yield _name(lower), None if is_root else _name(upper)


def _columns(table: Any, names: list[Any], *wanted: str) -> list[Any]:
    for name in wanted:
        if name not in names:
            raise HierarchyError(
                f"the table of edges has no column {shown(name)}; it has {', '.join(map(shown, names))}",
                help="name its columns: from_edges(table, child=…, parent=…)",
            )
    return [table[name] for name in wanted]


def _shown(parent: str | None) -> str:
    return "none" if parent is None else repr(parent)
