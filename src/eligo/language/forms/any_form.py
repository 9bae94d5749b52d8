"""Which tree is meant by what a caller gives as an expression? A tree, a text, the JSON form, or a column."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from eligo.errors import ExpressionValueError, shown
from eligo.language.tree import Expression


def as_tree(form: Any) -> Expression:
    """The tree of an expression in any of its forms; texts and the JSON form are read as `parse` and `from_json` do.

    What reads them is loaded only when it is needed, so that trees alone wait for no compiler.
    """
    if isinstance(form, Expression):
        return form
    if isinstance(form, str):
        from eligo.language.text.parse import parse

        return parse(form)
    if isinstance(form, Mapping):
        from eligo.language.forms.json_form import from_json

        return from_json(form)
    convert = getattr(type(form), "as_expression", None)
    if callable(convert):
        tree = convert(form)
        if isinstance(tree, Expression):
            return tree
    raise ExpressionValueError(
        f"{shown(form)} is not an expression", help="give a tree, a text such as 'age >= 18', or the JSON form"
    )
