"""Does every public function and method answer whatever it is given, or refuse it with an error of ours?

The names are read from `eligo.__all__`, the methods from the classes and the arguments from the signatures, so what is
new is swept by itself; it only needs to be said what a good argument is, in `GOOD`.
"""

from __future__ import annotations

import dataclasses
import inspect
import io
import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

import eligo
from eligo.errors import EligoError
from eligo.language.text.parse import parse
from odd_values import odd_values

TEXTS = {"a": "x = 1 and (y = 'u'^2 or not z)", "b": "x between 0 and 5", "c": "day under '2024/01'"}
EVENT = {"x": 1, "y": "u"}


@cache
def built_once() -> eligo.Index:
    return eligo.build(TEXTS)


@cache
def asking_nobody() -> eligo.Client:
    return eligo.Client("http://127.0.0.1:9", timeout=1, retries=0)


GOOD: dict[str, Callable[[], Any]] = {
    "address": lambda: "s3://odd-arguments",
    "attributes": lambda: {"x": "int"},
    "dataclass": lambda: Event,
    "document": lambda: {"properties": {"x": {"type": "integer"}}},
    "documents": lambda: [{"x": 1}, {"y": "u"}],
    "edges": lambda: [("b", "a")],
    "error": lambda: EligoError("x"),
    "event": lambda: EVENT,
    "events": lambda: [EVENT] * 2,
    "expression": lambda: "x = 2",
    "expressions": lambda: TEXTS,
    "frame": lambda: pd.DataFrame({"x": [1]}),
    "form": lambda: {"edges": [["b", "a"]]},
    "id": lambda: "a",
    "name": lambda: "x",
    "node": lambda: "a",
    "number": lambda: 0,
    "numbers": lambda: [0],
    "options": lambda: {"region": "us-east-1"},
    "parents": lambda: {"b": "a"},
    "path": lambda: next(PATHS),
    "paths": lambda: ["a/b"],
    "high": lambda: 5,
    "low": lambda: 1,
    "body": lambda: lambda document: document["x"],
    "prefix": lambda: "u",
    "rejects": list,
    "source": lambda: '{"x": 1}',
    "struct": lambda: {"type": "struct", "fields": []},
    "table": lambda: pa.table({"x": [1]}),
    "batch": lambda: pa.table({"x": [1]}),
    "column": lambda: pa.array(["{}"]),
    "texts": lambda: ['{"x": 1}'],
    "text": lambda: "x = 1",
    "threads": lambda: 1,
    "tree": lambda: parse("x = 1"),
    "url": lambda: "http://127.0.0.1:9",
    "messages": lambda: [1],
    "value": lambda: 1,
    "vocabulary": lambda: built_once().vocabulary,
    "weight": lambda: 1.0,
    "where": lambda: "x = 1",
}
"""By the name of a parameter that must be given."""

PATHS = (f"good-{number}" for number in itertools.count())

MADE_BY_ELIGO = {"EventBatch", "Explanation", "Finding", "Index", "Matcher", "Matches", "Reject", "TopMatches", "View"}
"""Their constructors are not for callers."""
NOT_SWEPT = {
    "Expression.content": "of nodes, not of the class that they share",
    "EventBatch.from_values": "takes the arrays of readers, which are checked before",
    "EventBatch.from_json_texts": "takes texts in memory that were laid out by a reader",
    "EventBatch.of_unweighted": "takes the arrays of kernels",
}


NOT_CALLED = {"AsyncClient"}
"""Is awaited; it sends the calls of `Client`, by test."""


@dataclass
class Event:
    x: int


def instances() -> dict[str, Callable[[], Any]]:
    """An object of each public class to call methods of; also what public functions return."""

    def index() -> Any:
        made = eligo.build(TEXTS, merge_at=None)
        made.insert("d", "x = 1")
        return made

    def base() -> Any:
        made = eligo.DocumentBase()
        made.add_batch([EVENT, {"z": True}, {"day": "2024-01-31"}])
        return made

    return {
        # Nobody listens at this port, so that what can be sent is answered with an error of ours.
        "Client": asking_nobody,
        "Column": lambda: eligo.col("x"),
        "DocumentBase": base,
        "EventBatch": lambda: built_once().encode([EVENT]),
        "Explanation": lambda: eligo.explain(parse("x = 1"), EVENT),
        "Expression": lambda: parse("x = 1"),
        "Finding": lambda: eligo.lint({"a": "x >"})[0],
        "Hierarchy": lambda: eligo.Hierarchy.from_paths(["a/b"]),
        "Index": index,
        "Limits": eligo.Limits,
        "Matcher": lambda: index().matcher(),
        "Matches": lambda: index().match_batch([EVENT]),
        "Reject": lambda: eligo.Reject("a", "x", EligoError("x")),
        "Schema": lambda: eligo.Schema.from_dict({"x": "int"}),
        "TopMatches": lambda: index().top_batch([EVENT]),
    }


OPERATORS = ("__and__", "__or__", "__xor__", "__rand__", "__eq__", "__lt__", "__contains__", "__getitem__")


def swept() -> Iterator[tuple[str, Callable[[], Callable[..., Any]]]]:
    """Every public function and method by its name, with what gives it anew."""
    made = instances()
    for name in [*(each for each in eligo.__all__ if each not in NOT_CALLED), "Column"]:
        public = getattr(eligo, name) if name != "Column" else type(eligo.col("x"))
        if isinstance(public, type) and issubclass(public, BaseException):
            continue
        if not isinstance(public, type):
            yield name, lambda public=public: public  # type: ignore[misc]
            continue
        is_record = (
            dataclasses.is_dataclass(public) and name not in made
        )  # made by Eligo, and told apart by fields only
        if not is_record and name not in MADE_BY_ELIGO | {"Expression"}:
            yield name, lambda public=public: public  # type: ignore[misc]
        for method in [*(each for each in dir(public) if not each.startswith("_")), *OPERATORS]:
            label = f"{name}.{method}"
            attribute = next((vars(each)[method] for each in _own_classes(public) if method in vars(each)), None)
            is_callable = callable(attribute) or isinstance(attribute, classmethod | staticmethod)
            if attribute is None or not is_callable or label in NOT_SWEPT or (is_record and method in OPERATORS):
                continue
            yield label, lambda name=name, method=method: getattr(made[name](), method)  # type: ignore[misc]


def _own_classes(public: type) -> list[type]:
    return [each for each in public.__mro__ if each not in (object, tuple)]


SWEPT = dict(swept())
CALLED_BACK = {(name, what) for name in ("events", "sample", "body") for what in ("a function", "a class")}
"""A function that encodes events, or says what is true of a document, is the caller's own, and so is what it raises."""


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdout", io.StringIO())
    yield
    eligo.set_threads(None)


def parameters_of(call: Callable[..., Any]) -> list[inspect.Parameter]:
    return list(inspect.signature(call).parameters.values())


def good_arguments(call: Callable[..., Any]) -> dict[str, Any]:
    """The arguments that must be given."""
    required = [
        each
        for each in parameters_of(call)
        if each.default is each.empty and each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)
    ]
    return {each.name: GOOD[each.name]() for each in required if each.name in GOOD}


def called(call: Callable[..., Any], parameter: inspect.Parameter, value: Any) -> Any:
    if parameter.kind is parameter.VAR_POSITIONAL:
        return call(value)
    arguments = {**good_arguments(call), parameter.name: value}
    positional = [arguments.pop(each.name) for each in parameters_of(call) if each.kind is each.POSITIONAL_ONLY]
    return call(*positional, **arguments)


@pytest.mark.parametrize("name", SWEPT)
def test_odd_arguments_get_an_answer_or_an_error_of_ours(name: str) -> None:
    foreign = []
    call = SWEPT[name]()
    for parameter in parameters_of(call):
        for what, value in odd_values():
            if (parameter.name, what) in CALLED_BACK:
                continue
            try:
                changes = (".insert", ".delete", ".replace", ".change")
                call = SWEPT[name]() if any(change in name for change in changes) else call
                answer = called(call, parameter, value)
                if inspect.isgenerator(answer):
                    list(itertools.islice(answer, 10))
            except EligoError as error:
                assert str(error).strip()
            except Exception as error:
                foreign.append(f"{name}({parameter.name}={what}): {type(error).__name__}: {error}"[:300])
    assert not foreign, "\n" + "\n".join(foreign)
