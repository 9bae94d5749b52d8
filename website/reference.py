"""What can be called from Python? Told as Markdown from docstrings: `make docs-reference` writes docs/reference.md."""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import eligo
import eligo.spark
from eligo.data.schema.attribute import Attribute
from eligo.index.view import View

HEADER = """\
# Python reference

<!-- Written by `make docs-reference` from the docstrings; a test compares it with them. -->

Everything public, in alphabetical order. Names load when they are first used. What each is for stands on the pages that
[the start page](home.md) lists; every error is an `EligoError` that says what is wrong, where, and what to do.
"""
LINE = 100
"""Characters of a signature's line."""
SHOWN_DUNDERS = ("__len__", "__contains__", "__iter__", "__getitem__")


def reference() -> str:
    """The Markdown text."""
    parts = [HEADER, "## eligo\n", *_module(eligo)]
    parts += [_class("Attribute", Attribute, "Of a `Schema`."), _class("View", View, "Of `Index.view`.")]
    parts += ["## eligo.spark\n", *_module(eligo.spark)]
    return "\n".join(parts)


def _module(module: ModuleType) -> Iterator[str]:
    prefix = module.__name__
    for name in sorted(module.__all__, key=str.lower):
        public = getattr(module, name)
        if isinstance(public, type):
            yield _class(f"{prefix}.{name}", public)
        else:
            yield "\n".join([f"### {prefix}.{name}\n", _code(f"{prefix}.{name}", public), _prose(public)])


def _class(name: str, public: type, note: str = "") -> str:
    is_made = not issubclass(public, BaseException) and (dataclasses.is_dataclass(public) or "__init__" in vars(public))
    parts = [f"### {name}\n", *([_code(name, public)] if is_made else []), *([f"{note}\n"] if note else [])]
    parts.append(_prose(public))
    for method_name, raw in _methods(public):
        method = raw.__func__ if isinstance(raw, classmethod | staticmethod) else raw
        short = f"{name.rpartition('.')[2]}.{method_name}"
        if isinstance(method, property):
            parts += [f"#### {short}\n", _prose(method)] if method.__doc__ else []
        elif method.__doc__:
            is_bound = isinstance(raw, classmethod) or not isinstance(raw, staticmethod)
            parts += [f"#### {short}\n", _code(short, method, without_first=is_bound), _prose(method)]
    return "\n".join(parts)


def _methods(public: type) -> Iterator[tuple[str, Any]]:
    """Public methods and properties of a class of ours, in the order of the source."""
    seen: set[str] = set()
    for owner in public.__mro__:
        if not owner.__module__.startswith("eligo"):
            continue
        for name, value in vars(owner).items():
            is_public = not name.startswith("_") or name in SHOWN_DUNDERS
            is_method = callable(value) or isinstance(value, classmethod | staticmethod | property)
            if name not in seen and is_public and is_method and not isinstance(value, type):
                seen.add(name)
                yield name, value


def _code(name: str, public: Any, *, without_first: bool = False) -> str:
    """The signature, as it would be written; one parameter a line where it is long."""
    signature = inspect.signature(public)
    parameters = list(signature.parameters.values())
    if without_first:
        signature = signature.replace(parameters=parameters[1:])
    text = _plain(f"{name}{signature}")
    if len(text) > LINE:
        shown, star_given = [], False
        for parameter in signature.parameters.values():
            if parameter.kind is parameter.KEYWORD_ONLY and not star_given:
                shown.append("*")
                star_given = True
            star_given |= parameter.kind is parameter.VAR_POSITIONAL
            shown.append(_plain(str(parameter)))
        ending = _plain(str(signature)).rpartition(" -> ")
        result = f" -> {ending[2]}" if ending[1] else ""
        text = f"{name}(\n" + "".join(f"    {each},\n" for each in shown) + f"){result}"
    return f"```python\n{text}\n```\n"


def _plain(text: str) -> str:
    """A signature without quotes around annotations, places in memory and long names of modules."""
    text = re.sub(r"<(?:function|class) '?([\w.]+)'?[^>]*>", lambda match: match[1].rpartition(".")[2], text)
    text = re.sub(r"Limits\([^)]*\)", "Limits()", text)
    text = re.sub(r'(->|:) "([^"]*)"', r"\1 \2", re.sub(r"(->|:) '([^']*)'", r"\1 \2", text))
    return re.sub(r"\b(?:eligo|datetime|typing|collections\.abc)\.(?:[a-z_]+\.)*(?=[A-Z])", "", text)


def _prose(public: Any) -> str:
    """The docstring; a drawing in it stays a drawing."""
    text = inspect.getdoc(public) or ""
    return f"{text.strip()}\n" if text else ""


if __name__ == "__main__":
    print(reference(), end="")
