"""Are guards those of every index, and read back as they were given?"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eligo.index.guard import guarded
from eligo.service.state.guarded_text import Guarded, in_utc, with_guards, without_guards

moments = st.none() | st.datetimes(timezones=st.just(UTC)) | st.datetimes().map(in_utc)
tenants = st.none() | st.text(st.characters(codec="utf-8"), max_size=8) | st.sampled_from(["a'b", "'", "x'^0 and (\n"])
texts = st.sampled_from(["age > 18", "a = 1 -- the end", "(\n a = 1 \n)", "\"@tenant\" = 'x'^0 and (\na = 1\n)", ""])


@given(texts, tenants, moments, moments)
def test_the_text_is_that_of_a_table(
    text: str, tenant: str | None, start: datetime | None, end: datetime | None
) -> None:
    columns = {} if tenant is None else {"tenant": pa.array([tenant], pa.string())}
    for name, moment in (("valid_from", start), ("valid_to", end)):
        if moment is not None:
            columns[name] = pa.array([moment], pa.timestamp("us", "UTC"))
    expected = guarded(pa.array([text], pa.large_string()), columns)[0].as_py() if columns else text
    assert with_guards(Guarded(text, tenant, start, end)) == expected


@given(texts.filter(lambda text: not text.startswith('"@')), tenants, moments, moments)
def test_guards_are_read_back(text: str, tenant: str | None, start: datetime | None, end: datetime | None) -> None:
    given = Guarded(text, tenant, start, end)
    assert without_guards(with_guards(given)) == given


def test_a_text_that_is_a_guard_itself_has_one_reading() -> None:
    once = with_guards(Guarded("age > 18", "acme"))
    twice = with_guards(Guarded(once, "other"))
    assert without_guards(twice) == Guarded(once, "other")
    assert without_guards(once) == Guarded("age > 18", "acme")


@pytest.mark.parametrize("text", ['"@tenant" = 7^0 and (\na = 1\n)', "\"@tenant\" = 'x' and a = 1", '"@time" exists'])
def test_what_only_begins_like_a_guard_is_an_expression(text: str) -> None:
    assert without_guards(text) == Guarded(text)


def test_moments_are_in_utc() -> None:
    in_berlin = datetime(2026, 1, 1, 1, tzinfo=timezone(timedelta(hours=1)))
    assert without_guards(with_guards(Guarded("a = 1", valid_from=in_berlin))).valid_from == in_berlin
    naive = datetime(2026, 1, 1)
    assert without_guards(with_guards(Guarded("a = 1", valid_to=naive))).valid_to == naive.replace(tzinfo=UTC)
