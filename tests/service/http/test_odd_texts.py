"""Does whatever is acknowledged come through a checkpoint and a replay, however odd its text?"""

from __future__ import annotations

import shutil
from pathlib import Path

import msgspec
import pytest

from eligo.errors import InputError
from eligo.service.records import PutExpression, PutSubscription
from eligo.service.service import Service
from eligo.service.state.checkpoint_writer import CheckpointWriter
from eligo.service.state.metadata import MetadataRows
from served import served

ODD = (
    b'"\xff"',
    b'"\xed\xa0\x80"',
    b'"\\ud800"',
    b'"\\u0000"',
    b"1e400",
    b"-0.0",
    b"9" * 400,
    b"18446744073709551616",
    b"NaN",
    b"Infinity",
    b'"' + "\U0001f600".encode() + b'"',
    b"[[1]]",
    b"{}",
    b"1,",
)
LINES = {"content-type": "application/x-ndjson"}


def test_what_is_acknowledged_can_be_checkpointed_and_replayed(tmp_path: Path) -> None:
    directory, copy = tmp_path / "data", tmp_path / "copy"
    with served(service=Service.open(directory)) as asked:
        asked.put("plain", "a = 1", metadata={"k": "\u00e4"})
        requests = []
        for number, odd in enumerate(ODD):
            object = b'{"k":%b}' % odd
            body = b'{"expression":"x = 1","metadata":%b}' % object
            requests += [
                ("PUT", f"/expressions/m{number}", body, {}),
                ("PUT", f"/expressions/t{number}", b'{"expression":"x = 1","tenant":%b}' % odd, {}),
                ("PUT", f"/expressions/e{number}", b'{"expression":%b}' % odd, {}),
                (
                    "PUT",
                    f"/expressions/f{number}",
                    b'{"expression":{"attribute":"x","operator":"=","value":%b}}' % odd,
                    {},
                ),
                ("POST", "/expressions", b'{"id":%b,"expression":"x = 1"}' % odd, LINES),
                ("POST", "/expressions", b'{"id":"r%d","expression":"x = 1","metadata":%b}' % (number, object), LINES),
                ("PUT", f"/subscriptions/s{number}", body, {}),
                ("PUT", f"/subscriptions/n{number}", b'{"expression":"x = 1","max_pending":%b}' % odd, {}),
                ("POST", "/documents", object, {}),
                ("POST", "/documents", b'{"documents":[%b]}' % object, {}),
                ("POST", "/publish", object, {}),
                ("POST", "/subscriptions/s9/nack", b'{"seqs":[1],"reason":%b}' % odd, {}),
            ]
        for method, path, sent, headers in requests:
            answer = asked.ask(method, path, sent, headers)
            assert answer.status < 500, (method, path, sent[:60], answer.body)
        assert asked.service.committer.failure is None
        for path in ("/expressions/m0", "/expressions/r0", "/expressions/m2", "/subscriptions/s0"):
            assert asked.ask("GET", path).status == 404, path
        refused = asked.ask("PUT", "/expressions/m0", b'{"expression":"x = 1","metadata":{"k":"\xff"}}')
        assert (refused.status, refused.json["type"]) == (422, "/errors#input")
        shutil.copytree(directory, copy, ignore=shutil.ignore_patterns("LOCK", "*.lock"))
        held = sorted(each.id for each in asked.service.expressions), len(asked.service.documents)
        asked.service.checkpoint()
    for path in (directory, copy):
        with Service.open(path) as again:
            assert (sorted(each.id for each in again.expressions), len(again.documents)) == held
            again.checkpoint()


def test_a_record_that_could_not_be_read_again_is_not_written() -> None:
    with Service.open(None) as service:
        for record in (
            PutExpression(id="a", expression="x = 1", metadata=msgspec.Raw(b'{"k":"\xff"}')),
            PutExpression(id="a", expression="x = 1", metadata=msgspec.Raw(b'{"k":NaN}')),
            PutExpression(id="\ud800", expression="x = 1"),
            PutSubscription(name="s", expression="x = 1", metadata=msgspec.Raw(b'"\xff')),
        ):
            with pytest.raises(InputError):
                service.write(record)
        assert service.seq == 0 and service.write(PutExpression(id="a", expression="x = 1")).seq == 1


def test_metadata_of_an_old_log_that_is_no_text_can_be_checkpointed(tmp_path: Path) -> None:
    with Service.open(tmp_path) as service:
        record = PutExpression(id="a", expression="x = 1", metadata=msgspec.Raw(b'{"k":"\xff"}'))
        service.state.apply(1, record)
        etag = service.expressions.etag("a")
        rows = service.expressions.metadata.freeze()
        assert MetadataRows.changed(*rows).get("a") == '{"k":"\ufffd"}'.encode()
        assert service.expressions.etag("a") == etag


def test_a_checkpoint_that_fails_is_shown_and_everything_is_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = Service.open(tmp_path)

    def fail(*given: object) -> None:
        raise ValueError("no room")

    with served(service=service) as asked:
        asked.put("a", "x = 1")
        assert asked.ask("GET", "/status").json["checkpoint"]["error"] is None
        assert b"eligo_checkpoint_failed 0.0" in asked.ask("GET", "/metrics").body
        with monkeypatch.context() as patched:
            patched.setattr(CheckpointWriter, "write", fail)
            with pytest.raises(ValueError, match="no room"):
                service.checkpoint()
        told = asked.ask("GET", "/status").json["checkpoint"]
        assert (told["failed"], told["error"]) == (1, "ValueError: no room")
        metrics = asked.ask("GET", "/metrics").body
        assert b"eligo_checkpoint_failed 1.0" in metrics and b"eligo_checkpoint_failures_total 1.0" in metrics
        monkeypatch.setattr(CheckpointWriter, "write", fail)
    monkeypatch.undo()
    with Service.open(tmp_path) as again:
        assert len(again.expressions) == 1
