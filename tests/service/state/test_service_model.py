"""Is a service what its records say, whatever came between: checkpoints, ends, crashes, torn logs?"""

from __future__ import annotations

import shutil
import tempfile
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path

import msgspec
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from eligo.errors import EligoError
from eligo.service.records import (
    NONE,
    Acknowledge,
    AddDocuments,
    AnyRecord,
    DeleteExpression,
    DeleteSubscription,
    Publish,
    PutExpression,
    PutSubscription,
    RemoveDocuments,
)
from eligo.service.service import Service, ServiceOptions
from eligo.service.state.outcome import Outcome
from eligo.service.state.publications import Publication
from plain_service import EVENTS, EXPRESSIONS, KEEP_LAST, REMEMBER, START, SUBSCRIPTIONS, PlainModel

OPTIONS = ServiceOptions(keep_last=KEEP_LAST, remember_publications=REMEMBER)

ids = st.sampled_from(["p", "q", "r", 7])
conditions = st.sampled_from([None, None, None, "", "*", "0123"])
tenants = st.sampled_from([None, None, "acme", "other"])
documents = st.sampled_from([msgspec.Raw(msgspec.json.encode(event)) for event in EVENTS])
times = st.integers(-90, 90).map(lambda minutes: START + timedelta(minutes=minutes))
names = st.sampled_from(["s", "t"])
records: st.SearchStrategy[AnyRecord] = st.one_of(
    st.builds(
        PutExpression,
        id=ids,
        expression=st.sampled_from([*EXPRESSIONS, "a = ", "a = 1) or (b = 'x'"]),
        tenant=tenants,
        valid_to=st.sampled_from([None, None, START - timedelta(days=1), START + timedelta(days=1)]),
        metadata=st.sampled_from([NONE, NONE, msgspec.Raw(b'{"k": 1}'), msgspec.Raw(b'{"k": "\xc3\xa4"}')]),
        if_match=conditions,
        only_tenant=tenants,
    ),
    st.builds(DeleteExpression, id=ids, if_match=conditions, only_tenant=tenants),
    st.builds(AddDocuments, documents=st.lists(documents, min_size=1, max_size=3), time=times),
    st.builds(RemoveDocuments, numbers=st.lists(st.integers(0, 12), min_size=1, max_size=2)),
    st.builds(
        Publish, document=documents, time=times, source=st.just("shop"), id=st.sampled_from([None, "1", "2", "3"])
    ),
    st.builds(PutSubscription, name=names, expression=st.sampled_from(list(SUBSCRIPTIONS))),
    st.builds(DeleteSubscription, name=names),
    st.builds(Acknowledge, subscription=names, seqs=st.lists(st.integers(1, 60), max_size=6)),
)
steps = st.lists(
    st.lists(records, min_size=1, max_size=8) | st.sampled_from(["checkpoint", "end", "crash", "torn", "other rules"]),
    min_size=1,
    max_size=14,
)


def write(service: Service, model: PlainModel, together: list[AnyRecord]) -> None:
    for record, answer in zip(together, service.submit_many(together).result(), strict=True):
        expected = model.apply(record)
        if isinstance(answer, EligoError):
            assert expected == "refused", answer
            continue
        assert isinstance(answer, Outcome)
        assert answer.seq == model.seq
        if isinstance(answer.result, Publication):
            assert tuple(answer.result) == expected
        elif expected == "etag":
            assert isinstance(answer.result, str)
        else:
            assert answer.result == expected, record


class Runs:
    """A service that ends and begins again, in one way or another."""

    def __init__(self, directory: Path, stack: ExitStack) -> None:
        self._directory, self._stack, self._number = directory, stack, 0
        self.service = self._opened(OPTIONS)

    def _opened(self, options: ServiceOptions) -> Service:
        service = Service.open(self._directory / str(self._number), options)
        self._stack.callback(service.close)
        return service

    def _copied(self) -> Path:
        """The directory as it is, while the service is running: what a crash would leave."""
        before = self._directory / str(self._number)
        self._number += 1
        after = self._directory / str(self._number)
        shutil.copytree(before, after)
        return after

    def step(self, what: str) -> None:
        if what == "checkpoint":
            self.service.checkpoint()
            return
        if what in ("end", "other rules"):
            self.service.close()
            rules = REMEMBER if what == "end" else REMEMBER + timedelta(microseconds=1)
            options = ServiceOptions(keep_last=KEEP_LAST, remember_publications=rules)
        else:
            after = self._copied()
            self.service.close()
            options = OPTIONS
            if what == "torn":
                segment = max((after / "log").glob("*.log"))
                segment.write_bytes(segment.read_bytes() + b"\x20\0\0\0torn")
        self.service = self._opened(options)
        if what == "torn":
            assert self.service.recovery is not None
            assert self.service.recovery.num_torn == 8


@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(steps)
def test_a_service_is_what_its_records_say(steps: list[list[AnyRecord] | str]) -> None:
    with ExitStack() as stack:
        directory = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        runs, model = Runs(directory, stack), PlainModel()
        for step in steps:
            if isinstance(step, str):
                runs.step(step)
            else:
                write(runs.service, model, step)
            model.compare(runs.service)
        runs.step("crash")
        model.compare(runs.service)


@settings(max_examples=30, deadline=None)
@given(st.lists(records, max_size=40), st.lists(st.integers(1, 10), min_size=1, max_size=8))
def test_how_records_are_grouped_changes_nothing(given: list[AnyRecord], sizes: list[int]) -> None:
    one_by_one, model = Service.open(None, OPTIONS), PlainModel()
    for record in given:
        write(one_by_one, model, [record])
    model.compare(one_by_one)
    one_by_one.close()
    grouped, again, rest = Service.open(None, OPTIONS), PlainModel(), list(given)
    for size in sizes * len(given):
        write(grouped, again, rest[:size])
        rest = rest[size:]
    again.compare(grouped)
    grouped.close()


def test_an_expression_cannot_leave_its_guard(tmp_path: Path) -> None:
    with Service.open(tmp_path / "data") as service:
        escaping = PutExpression(id="x", expression="a = 1\n) or (\nb = 'x'", tenant="acme")
        assert isinstance(service.submit_many([escaping]).result()[0], EligoError)
        assert service.expressions.index.match({"b": "x"}) == []


def test_a_bad_expression_among_many_harms_only_itself() -> None:
    with Service.open(None) as service:
        texts = ["a = 1", "a = ", "b = 'x'", "a > 1 and", "not a = 2"]
        puts = [PutExpression(id=f"e{place}", expression=text) for place, text in enumerate(texts)]
        answers = service.submit_many([*puts, DeleteExpression(id="e1"), DeleteExpression(id="e0")]).result()
        assert [isinstance(answer, EligoError) for answer in answers] == [False, True, False, True, False, True, False]
        assert "expected a value" in str(answers[1])
        assert service.expressions.index.ids == ["e2", "e4"]
