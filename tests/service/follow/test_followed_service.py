"""Does a follower answer as its owner does, whatever happens to either? And does it say how far behind it is?"""

from __future__ import annotations

import logging
import random
import shutil
import threading
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest

from eligo.errors import InputError, ServiceError
from eligo.service.follow import followed_service
from eligo.service.follow.follow import follow, read_token
from eligo.service.follow.follower_service import FollowerService
from eligo.service.records import AddDocuments, DeleteExpression, Publish, PutExpression, PutSubscription
from eligo.service.service import Service
from eligo.service.state.outcome import ReadOnlyError
from eligo.service.state.owner_lock import OwnedElsewhereError
from owners import Owner, asked, until

NOW = datetime(2026, 11, 18, 9, tzinfo=UTC)
EVENTS = [{"x": x, "s": s} for x in range(6) for s in ("a", "b")]


def answers(service: Service) -> dict[str, Any]:
    """All that can be asked of expressions and documents."""
    return {
        "expressions": sorted((str(each.id), each.expression, bytes(each.metadata)) for each in service.expressions),
        "matches": [sorted(service.expressions.index.match(event)) for event in EVENTS],
        "documents": dict(service.documents.snapshot().documents()),
    }


def caught_up(follower: FollowerService, owner: Owner) -> None:
    until(lambda: follower.seq == owner.service.seq)
    assert answers(follower) == answers(owner.service)


def publish(owner: Owner, id: str, document: dict[str, Any]) -> None:
    text = msgspec.Raw(msgspec.json.encode(document))
    owner.service.write(Publish(document=text, time=NOW, source="test", id=id))


def test_a_follower_takes_up_the_checkpoint_and_then_the_log(tmp_path: Path) -> None:
    with Owner.of(tmp_path / "owner") as owner:
        owner.put("before", "x > 1")
        publish(owner, "one", {"x": 1, "n": "a\nb"})
        owner.service.checkpoint()
        owner.put("behind", "x > 2")
        with follow(owner.url, tmp_path / "follower") as follower:
            caught_up(follower, owner)
            text = msgspec.Raw(b'{"x": 2, "text": "with\\nlines",\n "y": [1, 2]}')
            owner.service.write(AddDocuments(documents=[text], time=NOW))
            owner.service.write(PutSubscription(name="all", expression="x exists"))
            publish(owner, "two", {"x": 3})
            publish(owner, "two", {"x": 3})
            owner.service.write(PutExpression(id="m", expression="s = 'a'", metadata=msgspec.Raw(b'{"k":1}')))
            owner.service.write(DeleteExpression(id="before"))
            with pytest.raises(Exception, match="no expression"):
                owner.service.write(DeleteExpression(id="nothing"))
            caught_up(follower, owner)
            assert len(follower.documents) == 3
            assert list(follower.subscriptions) == []
            status = follower.following
            assert status is not None
            until(lambda: (follower.following or {})["records_behind"] == 0)
            assert (status["source"], status["checkpoints_taken_up"], status["error"]) == (owner.url, 1, None)


def test_a_follower_can_only_be_read(tmp_path: Path) -> None:
    record = PutExpression(id="a", expression="x = 1")
    with Owner.of(tmp_path / "owner") as owner, follow(owner.url, tmp_path / "follower") as follower:
        for write in (follower.submit, follower.write, lambda record: follower.submit_many([record])):
            with pytest.raises(ReadOnlyError, match="can only be read"):
                write(record)
        with pytest.raises(ReadOnlyError):
            follower.checkpoint()
        with pytest.raises(OwnedElsewhereError):
            follow(owner.url, tmp_path / "follower")


def test_a_follower_is_served_like_any_service(tmp_path: Path) -> None:
    with Owner.of(tmp_path / "owner") as owner:
        owner.put("a", "x > 1")
        with Owner(follow(owner.url, tmp_path / "follower")) as follower:
            until(lambda: follower.get("/readyz")[0] == 200)
            seq = owner.put("b", "x > 2")
            status, body = asked(f"{follower.url}/match?min_seq={seq}", body={"x": 3})
            assert (status, sorted(msgspec.json.decode(body)["matches"])) == (200, ["a", "b"])
            metrics = follower.get("/metrics")[1].decode()
            assert "eligo_follower_behind " in metrics and "eligo_follower_heard_seconds_ago " in metrics
            metrics = owner.get("/metrics")[1].decode()
            assert "eligo_follower_behind" not in metrics and "eligo_log_fsync_seconds_count 2.0" in metrics
            told = msgspec.json.decode(follower.get("/status")[1])
            assert told["following"]["source"] == owner.url
            assert told["is_writable"] is False
            status, body = asked(f"{follower.url}/documents", body={"x": 3})
            assert status == 409
            assert "can only be read" in msgspec.json.decode(body)["detail"]
            # The page that matched before sees the state that was swapped in, too.
            owner.service.checkpoint()
            caught_up_by_http = owner.put("c", "x > 0")
            status, body = asked(f"{follower.url}/match?min_seq={caught_up_by_http}", body={"x": 3})
            assert sorted(msgspec.json.decode(body)["matches"]) == ["a", "b", "c"]


def test_records_that_are_gone_are_made_up_for_by_the_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = threading.Event()
    held.set()
    real = followed_service.OwnerClient.log

    def waiting(client: Any, *arguments: Any) -> Any:
        held.wait(30)
        return real(client, *arguments)

    monkeypatch.setattr(followed_service.OwnerClient, "log", waiting)
    with Owner.of(tmp_path / "owner") as owner:
        monkeypatch.setattr(owner.service.log, "_segment_bytes", 100)
        owner.put("a", "x > 1")
        with follow(owner.url, tmp_path / "follower") as follower:
            caught_up(follower, owner)
            held.clear()
            before = follower.expressions.index
            for number in range(40):
                owner.put(f"e{number}", f"x > {number % 5}")
                if number % 10 == 9:
                    owner.service.checkpoint()
            assert owner.service.log.first_seq > 10
            assert owner.get("/log?from=3")[0] == 410
            held.set()
            caught_up(follower, owner)
            assert follower.expressions.index is not before
            assert "e39" not in before, "who has begun with the old state keeps it"
            assert follower._following.num_checkpoints == 2
            named = {path.name for path in (tmp_path / "follower").rglob("*.eligo")}
            assert len(named) < 20, "what no checkpoint names is removed"


def test_a_follower_goes_on_when_its_owner_comes_back(tmp_path: Path) -> None:
    owner = Owner.of(tmp_path / "owner")
    port = owner.port
    owner.put("a", "x > 1")
    with follow(owner.url, tmp_path / "follower") as follower:
        caught_up(follower, owner)
        owner.stop()
        until(lambda: (follower.following or {})["error"] is not None)
        assert follower.expressions.index.match({"x": 3}) == ["a"]
        with Owner.of(tmp_path / "owner", port=port) as owner:
            owner.put("b", "x > 2")
            caught_up(follower, owner)
            until(lambda: (follower.following or {})["error"] is None)


def test_an_owner_with_another_past_is_followed_from_its_checkpoint(tmp_path: Path) -> None:
    """Restored from an older copy, it has other records of the same numbers."""
    owner = Owner.of(tmp_path / "owner")
    port = owner.port
    owner.put("a", "x > 1")
    owner.stop()
    shutil.copytree(tmp_path / "owner", tmp_path / "copy")
    owner = Owner.of(tmp_path / "owner", port=port)
    with follow(owner.url, tmp_path / "follower") as follower:
        owner.put("lost", "x > 2")
        owner.put("lost too", "x > 2")
        caught_up(follower, owner)
        owner.stop()
        with Owner.of(tmp_path / "copy", port=port) as other:
            other.put("kept", "x > 0")
            other.put("kept too", "x > 0")
            until(lambda: "kept too" in follower.expressions and "lost" not in follower.expressions)
            assert answers(follower) == answers(other.service)


def test_an_owner_that_lost_its_last_records_has_overtaken_a_follower_that_had_a_checkpoint_alone(
    tmp_path: Path,
) -> None:
    """The follower has no record of the log, and the owner that comes back has more than before, and others."""
    owner = Owner.of(tmp_path / "owner")
    port = owner.port
    owner.put("a", "x > 1")
    owner.stop()
    shutil.copytree(tmp_path / "owner", tmp_path / "copy")
    owner = Owner.of(tmp_path / "owner", port=port)
    owner.put("lost", "x > 2")
    owner.service.checkpoint()
    with follow(owner.url, tmp_path / "follower") as follower:
        caught_up(follower, owner)
        owner.stop()
        service = Service.open(tmp_path / "copy")
        for number in range(3):
            service.write(PutExpression(id=f"kept {number}", expression="x > 0"))
        with Owner(service, port=port) as other:
            until(lambda: "kept 2" in follower.expressions)
            assert answers(follower) == answers(other.service)
            assert "lost" not in follower.expressions and "kept 0" in follower.expressions


def test_an_owner_with_other_rules_is_followed_by_these(tmp_path: Path) -> None:
    """They are in its checkpoint and in no record."""
    owner = Owner.of(tmp_path / "owner")
    port = owner.port
    add = [AddDocuments(documents=[msgspec.Raw(b'{"x": %d}' % number)], time=NOW) for number in range(12)]
    for record in add[:6]:
        owner.service.write(record)
    with follow(owner.url, tmp_path / "follower") as follower:
        caught_up(follower, owner)
        owner.stop()
        with Owner.of(tmp_path / "owner", port=port, keep_last=3) as owner:
            for record in add[6:]:
                owner.service.write(record)
            assert len(owner.service.documents) == 3
            caught_up(follower, owner)


def test_a_follower_that_starts_again_fetches_what_it_lacks_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fetched: list[str] = []
    real = followed_service.OwnerClient.fetch

    def noted(client: Any, entry: Any, path: Path) -> None:
        fetched.append(entry.sha256)
        real(client, entry, path)

    monkeypatch.setattr(followed_service.OwnerClient, "fetch", noted)
    with Owner.of(tmp_path / "owner") as owner:
        owner.put("a", "x > 1")
        owner.service.checkpoint()
        follow(owner.url, tmp_path / "follower").close()
        assert fetched
        fetched.clear()
        with follow(owner.url, tmp_path / "follower") as follower:
            caught_up(follower, owner)
        assert fetched == []
        # A file that was damaged here is fetched again.
        damaged = next((tmp_path / "follower" / "expressions" / "shards").glob("*.eligo"))
        data = bytearray(damaged.read_bytes())
        data[len(data) // 2] ^= 1
        damaged.unlink()
        damaged.write_bytes(bytes(data))
        with follow(owner.url, tmp_path / "follower") as follower:
            caught_up(follower, owner)
        assert damaged.stem in fetched


def test_what_an_owner_sends_is_verified(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(followed_service, "FIRST_TRIES", 2)
    with Owner.of(tmp_path / "owner") as owner:
        owner.put("a", "x > 1")
        owner.service.checkpoint()
        for shard in (tmp_path / "owner" / "expressions" / "shards").glob("*.eligo"):
            data = shard.read_bytes()
            shard.unlink()
            shard.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
        with pytest.raises(Exception, match="something else"):
            follow(owner.url, tmp_path / "follower")
        assert not list((tmp_path / "follower" / "expressions").rglob(shard.name))


def test_what_is_not_an_owner_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(followed_service, "FIRST_TRIES", 2)
    with pytest.raises(ServiceError, match="does not answer"):
        follow("http://127.0.0.1:1", tmp_path / "follower")
    for odd in ("http://", "http://name:secret@127.0.0.1:1", "ftp://x"):
        with pytest.raises(Exception) as caught:
            follow(odd, tmp_path / "follower")
        assert "secret" not in str(caught.value)
    with Owner(Service.open(None)) as owner, pytest.raises(ServiceError, match="503"):
        follow(owner.url, tmp_path / "follower")
    with Owner.of(tmp_path / "owner") as owner:
        with pytest.raises(InputError, match="no follower"):
            Service.open(tmp_path / "own").close()
            follow(owner.url, tmp_path / "own")
        with pytest.raises(InputError, match="needs a directory"):
            follow(owner.url)


def test_a_follower_becomes_an_owner_when_it_is_told_to(tmp_path: Path) -> None:
    with Owner.of(tmp_path / "owner") as owner:
        owner.put("a", "x > 1")
        owner.service.checkpoint()
        follow(owner.url, tmp_path / "follower").close()
    with Service.open(tmp_path / "follower") as promoted:
        assert promoted.expressions.index.match({"x": 2}) == ["a"]
        promoted.write(PutExpression(id="b", expression="x > 1"))


def test_the_token_is_in_no_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: Any) -> None:
    monkeypatch.setattr(followed_service, "FIRST_TRIES", 2)
    caplog.set_level(logging.DEBUG)
    (tmp_path / "token").write_text("planted-token\n")
    token = read_token(tmp_path / "token")
    assert token == "planted-token"
    with pytest.raises(ServiceError) as caught:
        follow("http://127.0.0.1:1", tmp_path / "follower", token=token)
    with Owner.of(tmp_path / "owner") as owner, follow(owner.url, tmp_path / "other", token=token) as follower:
        caught_up(follower, owner)
        assert "planted" not in str(follower.following)
    assert "planted" not in str(caught.value) + caplog.text
    monkeypatch.setenv("ELIGO_FOLLOW_TOKEN", "from the environment")
    assert read_token(None) == "from the environment"
    with pytest.raises(InputError, match="cannot read the token"):
        read_token(tmp_path / "none")


@pytest.mark.parametrize("seed", range(2))
def test_readers_of_a_follower_see_states_of_the_owner_alone(tmp_path: Path, seed: int) -> None:
    """Two expressions change together in one group; whoever asks sees a prefix of the records."""
    chance = random.Random(seed)
    wrong: list[list[str]] = []
    over = threading.Event()
    options = {"checkpoint_bytes": 2_000}
    with Owner.of(tmp_path / "owner", **options) as owner, follow(owner.url, tmp_path / "follower") as follower:

        def read_on() -> None:
            last = 0
            while not over.is_set():
                found = sorted(int(id[1:]) for id in follower.expressions.index.match({"x": 1}))
                # Ids are added in order, and never go: a state is 0, 1, … n, and n does not fall.
                if found != list(range(len(found))) or len(found) < last:
                    wrong.append([str(found), str(last)])
                last = len(found)

        readers = [threading.Thread(target=read_on) for _ in range(2)]
        for reader in readers:
            reader.start()
        number = 0
        while number < 150:
            size = chance.randint(1, 8)
            group = [PutExpression(id=f"e{number + each}", expression="x = 1") for each in range(size)]
            owner.service.submit_many(group).result()
            number += size
        caught_up(follower, owner)
        over.set()
        for reader in readers:
            reader.join()
        assert wrong == []
