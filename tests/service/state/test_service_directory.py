"""Has a directory one owner, one policy, and does a service begin with an index that is there?"""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa
import pytest

import eligo
from eligo.errors import ForeignFileError, InputError
from eligo.index.guard import guarded
from eligo.service.records import (
    AddDocuments,
    DeleteExpression,
    Publish,
    PutExpression,
    PutSubscription,
)
from eligo.service.service import Service, ServiceOptions
from eligo.service.state import expressions
from eligo.service.state.outcome import ConditionError
from eligo.service.state.owner_lock import OwnedElsewhereError
from eligo.service.state.publications import Publication
from source_tree import REPOSITORY

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def json(text: str) -> msgspec.Raw:
    return msgspec.Raw(text.encode())


def test_a_second_owner_is_told_of_the_first(tmp_path: Path) -> None:
    script = "import sys, time; from eligo.service.service import Service\n"
    script += "service = Service.open(sys.argv[1]); print('open', flush=True); time.sleep(600)"
    command = [sys.executable, "-c", script, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=REPOSITORY) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "open\n"
        with pytest.raises(OwnedElsewhereError, match=f"process {process.pid}"):
            Service.open(tmp_path)
        process.kill()
    with Service.open(tmp_path) as service, pytest.raises(OwnedElsewhereError):
        Service.open(service.directory)


def test_what_expressions_mean_is_decided_once(tmp_path: Path) -> None:
    Service.open(tmp_path, ServiceOptions(missing="false")).close()
    with pytest.raises(InputError, match=r"missing = 'false', not 'unknown'"):
        Service.open(tmp_path, ServiceOptions(missing="unknown"))
    with Service.open(tmp_path) as service:
        service.write(PutExpression(id="a", expression="not a = 1"))
        assert service.expressions.index.match({}) == ["a"]


def test_rules_for_documents_can_be_changed(tmp_path: Path) -> None:
    with Service.open(tmp_path) as service:
        service.write(AddDocuments(documents=[json(f'{{"n": {n}}}') for n in range(6)], time=NOW))
        assert len(service.documents) == 6
    with Service.open(tmp_path, ServiceOptions(keep_last=2)) as service:
        assert len(service.documents) == 6  # until something comes
        service.write(AddDocuments(documents=[json('{"n": 6}')], time=NOW))
        assert list(service.documents) == [5, 6]


def test_the_age_of_documents_counts_from_the_time_of_the_record(tmp_path: Path) -> None:
    options = ServiceOptions(keep_for="1 hour")
    with Service.open(tmp_path, options) as service:
        service.write(AddDocuments(documents=[json('{"n": 0}')], time=NOW))
        service.write(AddDocuments(documents=[json('{"n": 1}')], time=NOW + timedelta(minutes=59)))
        assert list(service.documents) == [0, 1]
        service.write(AddDocuments(documents=[json('{"n": 2}')], time=NOW + timedelta(minutes=61)))
        assert list(service.documents) == [1, 2]


def test_a_service_begins_with_an_index_that_was_built(tmp_path: Path) -> None:
    texts = guarded(
        pa.array(["age > 18", "age > 60"], pa.large_string()), {"tenant": pa.array(["acme", "o'neil"], pa.string())}
    )
    built = eligo.build(pa.table({"id": ["a", "b"], "expression": texts}), missing="false")
    built.save(tmp_path / "expressions")
    with Service.open(tmp_path) as service:
        assert service.version == 1
        assert service.expressions.get("b").tenant == "o'neil"
        assert service.expressions.get("a").expression == "age > 18"
        service.write(PutExpression(id="c", expression="age > 1"))
        service.checkpoint()
        assert service.version == 2
    again = eligo.open(tmp_path / "expressions")
    assert again.match({"age": 70, "@tenant": "acme"}) == ["a", "c"]
    assert again.missing == "false"


def test_an_index_of_tenants_that_are_numbers_is_refused(tmp_path: Path) -> None:
    eligo.build({"a": '"@tenant" = 7^0 and (\nage > 18\n)'}).save(tmp_path / "expressions")
    with pytest.raises(InputError, match="strings"):
        Service.open(tmp_path)


def test_an_index_itself_is_not_taken_for_a_service(tmp_path: Path) -> None:
    eligo.build({"a": "age > 18"}).save(tmp_path)
    with pytest.raises(ForeignFileError, match="is an index"):
        Service.open(tmp_path)


def test_ids_stay_what_the_first_one_was(tmp_path: Path) -> None:
    with Service.open(tmp_path) as service:
        service.write(PutExpression(id=1, expression="a = 1"))
        service.write(DeleteExpression(id=1))
        service.checkpoint()
    with Service.open(tmp_path) as service:
        with pytest.raises(InputError, match="of type int"):
            service.write(PutExpression(id="1", expression="a = 1"))
        assert service.expressions.known_id("12") == 12
        assert service.expressions.known_id("012") == "012"


def test_texts_of_documents_are_days_where_expressions_say_so(tmp_path: Path) -> None:
    with Service.open(tmp_path) as service:
        service.write(PutSubscription(name="late", expression="exists d (d.sold >= date '2026-01-01' and a = d.a)"))
        service.write(AddDocuments(documents=[json('{"a": 1, "sold": "2026-02-01", "name": "2026-02-01"}')], time=NOW))
    with Service.open(tmp_path) as service:
        assert service.documents.document(0)["sold"] == ("2026-02-01", datetime(2026, 2, 1).date())
        assert service.documents.document(0)["name"] == ("2026-02-01",)
        published = service.write(Publish(document=json('{"a": 1}'), time=NOW)).result
        assert published == Publication(3, 1, 1)
        assert service.write(Publish(document=json('{"a": 2}'), time=NOW)).result == Publication(4, 2, 0)


def test_a_rejected_expression_is_told_with_its_place(tmp_path: Path) -> None:
    with Service.open(tmp_path) as service, pytest.raises(eligo.errors.ExpressionSyntaxError) as refused:
        service.write(PutExpression(id="a", expression="age >\n  and"))
    assert refused.value.position is not None
    assert refused.value.position.line == 2


def test_writers_of_many_threads_see_their_writes(tmp_path: Path) -> None:
    def work(service: Service, name: int) -> None:
        for number in range(20):
            id = f"{name}-{number}"
            outcome = service.write(PutExpression(id=id, expression=f"a = {number}", if_match=""))
            assert service.seq >= outcome.seq
            assert service.expressions.etag(id) == outcome.result
            with pytest.raises(ConditionError):
                service.write(PutExpression(id=id, expression="a = 1", if_match=""))

    with Service.open(tmp_path, ServiceOptions(checkpoint_bytes=4_000)) as service:
        with ThreadPoolExecutor(4) as threads:
            for done in [threads.submit(work, service, name) for name in range(4)]:
                done.result()
        assert len(service.expressions) == 80
        assert service.seq == 160
        assert service.checkpoints is not None
        service.checkpoints.wait()
        assert service.checkpoints.last_error is None
        assert service.checkpoints.last is not None
        assert service.checkpoints.last.seq > 0
        assert service.wait_for(160, timeout=0)


def test_pages_of_expressions_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    with Service.open(None) as service:
        for number in range(30):
            service.write(PutExpression(id=f"e{29 - number:02d}", expression=f"a = {number % 3}"))

        def page(**asked: Any) -> tuple[list[object], object]:
            found = service.expressions.page(**asked)
            return [stored.id for stored in found.expressions], found.next

        assert page(prefix="e1", limit=4) == (["e10", "e11", "e12", "e13"], "e13")
        assert page(after="e13", limit=2) == (["e14", "e15"], "e15")
        assert page(after="e27", limit=2) == (["e28", "e29"], None)
        every_third = [f"e{number:02d}" for number in range(2, 30, 3)]
        assert page(contains="a = 0", limit=100) == (every_third, None)
        assert page(prefix="x") == ([], None)
        monkeypatch.setattr(expressions, "MOST_LOOKED_AT", 7)
        assert page(contains="a = 0") == (["e02", "e05"], "e06")
        seen, after = [], None
        while True:
            found, after = page(contains="a = 0", after=after)
            seen += found
            if after is None:
                break
        assert seen == every_third


def test_nobody_else_reads_what_has_secrets(tmp_path: Path) -> None:
    directory = tmp_path / "above" / "data"
    with Service.open(directory) as service:
        service.write(PutSubscription(name="a", expression="x = 1"))
        service.checkpoint()
        service.write(PutSubscription(name="b", expression="x = 1"))
        private = [directory, *(directory / name for name in ("log", "state"))]
        assert [path.stat().st_mode & 0o777 for path in private] == [0o700] * 3
        files = [path for folder in private[1:] for path in folder.iterdir()]
        assert {path.stat().st_mode & 0o777 for path in files} == {0o600}
        assert any(path.suffix == ".log" for path in files)
    assert (tmp_path / "above").stat().st_mode & 0o777 != 0o700
