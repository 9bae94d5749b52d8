"""Are the arguments of every call on Spark checked before anything runs? No session is needed to see it."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import eligo.spark
from eligo.errors import EligoError, InputError
from eligo.spark.call_arguments import CHECKS
from eligo.spark.tables.events import EventOptions
from odd_values import odd_values

NOT_CHECKED = {"options", "parameters", "max_rejects", "max_shrink", "allow_empty", "expected_version", "verify"}
"""Collections of others, and what is checked where it is used."""

FUNCTIONS = {
    name: getattr(eligo.spark, name)
    for name in eligo.spark.__all__
    if inspect.isfunction(getattr(eligo.spark, name)) and name != "rollback"
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_argument_of_every_function_has_a_check(name: str) -> None:
    parameters = set(inspect.signature(FUNCTIONS[name]).parameters)
    assert parameters - NOT_CHECKED <= set(CHECKS)
    assert hasattr(FUNCTIONS[name], "__wrapped__"), "put @checked_arguments on it"


def test_the_options_of_events_have_a_check() -> None:
    assert set(EventOptions.__annotations__) <= set(CHECKS)


@pytest.mark.parametrize("name", CHECKS)
def test_odd_values_are_taken_or_refused_with_an_error_of_ours(name: str) -> None:
    for _, value in odd_values():
        try:
            CHECKS[name](value, name)
        except EligoError as error:
            assert str(error)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: eligo.spark.build("rules.parquet", "x"), "parquet_expressions(spark, 'rules.parquet')"),
        (lambda: eligo.spark.build(Path("rules.csv"), "x"), "read it first"),
        (lambda: eligo.spark.build(pd.DataFrame({"id": [1]}), "x"), "spark.createDataFrame"),
        (lambda: eligo.spark.match("events.parquet", "x"), "parquet_events(spark, 'events.parquet')"),
        (lambda: eligo.spark.match(None, "x"), "events is a DataFrame"),
        (lambda: eligo.spark.generate(None, "abe_gen"), "spark is a SparkSession"),
        (lambda: eligo.spark.compact(5), "path is a string or a Path"),
        (lambda: eligo.spark.local_session(master=5), "master is a string"),
    ],
)
def test_the_usual_slips(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        call()
    assert message in str(caught.value)
