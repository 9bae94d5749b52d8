"""How do tenants and validity windows get into an index? As predicates in front of the expression; engines see no more.

    "@tenant" = 'acme'^0 and "@time" >= timestamp '2026-01-01 00:00:00Z'^0 and (
    age > 18
    )

The weight 0 leaves scores as they were. The expression has lines of its own, so that a comment at its end cannot
swallow the parenthesis; it has been parsed alone before, so its own parentheses are even. Columns are put together by
Arrow: no object is made for a row.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from eligo.data.schema.attribute import Attribute, AttributeKind
from eligo.data.schema.guards import TENANT, TENANT_WORDS, TIME, tenant_kind
from eligo.data.schema.schema import Schema
from eligo.data.vocabulary import Vocabulary
from eligo.errors import InputError
from eligo.language.tree import And, Equals, Expression, In
from eligo.language.value import Kind
from eligo.storage.directory import open_file
from eligo.storage.manifest import Manifest
from eligo.stores.address import Place


class GuardColumns(NamedTuple):
    """Names of the columns that guard expressions; None where there is none."""

    tenant: str | None = None
    valid_from: str | None = None
    """From this moment on the expression is in force; null: always has been."""
    valid_to: str | None = None
    """From this moment on it no longer is; null: for ever."""

    @property
    def given(self) -> dict[str, str]:
        """Field to column, of those that there are."""
        return {field: name for field, name in self._asdict().items() if name is not None}

    def __bool__(self) -> bool:
        return bool(self.given)


def missing_guard(columns: dict[str, pa.Array]) -> pa.Array | None:
    """Which rows lack a tenant though there is a column of them; None when none can."""
    return columns["tenant"].is_null() if "tenant" in columns else None


def guarded(texts: pa.Array, columns: dict[str, pa.Array]) -> pa.Array:
    """The texts with their guards in front; `columns` has the columns by field, tenants without nulls."""
    guards = []
    if "tenant" in columns:
        guards.append(_joined(f'"{TENANT}" = ', _literal(columns["tenant"]), "^0 and "))
    for field, comparison in (("valid_from", ">="), ("valid_to", "<")):
        if field in columns:
            moments = _moments(columns[field])
            guard = _joined(f'"{TIME}" {comparison} timestamp \'', moments, "'^0 and ")
            guards.append(pc.fill_null(guard, ""))
    head = _joined(*guards)
    is_open = pc.equal(head, "")
    return pc.if_else(is_open, texts, _joined(head, "(\n", texts, "\n)"))


def guarded_schema(schema: Schema | None, columns: GuardColumns, types: dict[str, str]) -> Schema | None:
    """The schema with the kinds of what guards ask for, which hold from now on; also where there was no schema."""
    if not columns:
        return schema
    known = Schema([]) if schema is None else schema
    added = []
    for name, kind in _guard_kinds(columns, types).items():
        declared = known.get(name)
        if declared is None:
            added.append(Attribute(name, kind))
        elif declared.kind != kind or declared.several:
            given = f"list[{declared.kind}]" if declared.several else declared.kind
            raise InputError(
                f"the schema has {name!r} as {given}, and the table has it as {kind}",
                help="leave it out of the schema: it comes in by itself",
            )
    return Schema([*known, *added], closed=known.closed)


def _guard_kinds(columns: GuardColumns, types: dict[str, str]) -> dict[str, AttributeKind]:
    kinds: dict[str, AttributeKind] = {}
    if columns.tenant is not None:
        kinds[TENANT] = "string" if types["tenant"] == "string" else "int"
    if columns.valid_from or columns.valid_to:
        kinds[TIME] = "timestamp"
    return kinds


def require_same_tenants(
    index: Place, manifest: Manifest, schema: Schema | None, columns: GuardColumns, types: dict[str, str]
) -> None:
    """Refuse changes whose tenants the index does not tell apart as its own.

    An expression without a tenant in an index of tenants would be everybody's; one with a tenant of another kind would
    be nobody's, because events have tenants of one kind.
    """
    has_kind = schema is not None and TENANT in schema
    known = tenant_kind(schema, [] if has_kind else _compared_tenants(index, manifest))
    if known is None:
        return
    if columns.tenant is None:
        raise InputError(
            f"the expressions of {index} have tenants", help="name the column of them: tenant=… (--tenant-column)"
        )
    if known not in TENANT_WORDS:
        raise InputError(
            f"some tenants of {index} are strings and some are numbers, so that no event can have them all",
            help="build it again: all tenants of a table are of one kind",
        )
    given = "string" if types["tenant"] == "string" else "int"
    if given != known:
        raise InputError(
            f"the tenants of {index} are {TENANT_WORDS[known]}, and those of column {columns.tenant!r} are "
            f"{TENANT_WORDS[given]}",
            help="cast the column; those of CSV are strings, so give JSON lines or Parquet for integers",
        )


def is_of_tenants(tree: Expression) -> bool:
    """Whether an expression is of some tenants, and not everybody's: among all that it asks for is who they are."""
    pending = [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, And):
            pending += node.children
        elif isinstance(node, Equals | In) and node.attribute == TENANT:
            return True
    return False


def _compared_tenants(index: Place, manifest: Manifest) -> list[frozenset[Kind]]:
    """What each part of a version compares tenants with."""
    entries = [manifest.vocabulary, *(delta.vocabulary for delta in manifest.deltas)]
    vocabularies = (Vocabulary.from_arrays(open_file(index, entry).arrays) for entry in entries)
    return [vocabulary.attribute_kinds().get(TENANT, frozenset()) for vocabulary in vocabularies]


def _literal(tenants: pa.Array) -> pa.Array:
    if pa.types.is_integer(tenants.type):
        return tenants.cast(pa.large_string())
    escaped = pc.replace_substring(tenants.cast(pa.large_string()), pattern="'", replacement="''")
    return _joined("'", escaped, "'")


def _moments(moments: pa.Array) -> pa.Array:
    """Such as 2026-01-31 10:00:00.000000Z; the language takes a moment without a zone as UTC."""
    in_utc = moments.cast(pa.timestamp("us", "UTC") if moments.type.tz is not None else pa.timestamp("us"))
    return in_utc.cast(pa.large_string())


def _joined(*pieces: Any) -> pa.Array:
    texts = [pa.scalar(piece, pa.large_string()) if isinstance(piece, str) else piece for piece in pieces]
    return pc.binary_join_element_wise(*texts, pa.scalar("", pa.large_string()))
