"""Is a version that others publish taken up while it is read, and what if it cannot be?"""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

import eligo
from eligo.errors import EligoError, InputError
from eligo.service.follow.follow import follow
from eligo.service.records import PutExpression
from eligo.service.service import Service
from eligo.service.state.outcome import ReadOnlyError
from owners import until
from served import served

EVERY = 0.01


def test_new_versions_are_taken_up_without_a_pause(tmp_path: Path) -> None:
    path = tmp_path / "ads.index"
    index = eligo.build({"e0": "x >= 0"})
    index.save(path)
    wrong: list[list[str]] = []
    over = threading.Event()
    with follow(str(path), every=EVERY) as follower:
        assert (follower.version, follower.expressions.index.match({"x": 1})) == (1, ["e0"])

        def read_on() -> None:
            last = 0
            while not over.is_set():
                found = follower.expressions.index.match({"x": 1})
                if sorted(found) != sorted(f"e{number}" for number in range(len(found))) or len(found) < last:
                    wrong.append(found)
                last = len(found)

        reader = threading.Thread(target=read_on)
        reader.start()
        for number in range(1, 6):
            index.insert(f"e{number}", "x >= 0")
            index.save(path)
            until(lambda number=number: follower.version == number + 1)  # type: ignore[misc]
            assert len(follower.expressions.index.match({"x": 1})) == number + 1
        over.set()
        reader.join()
        assert wrong == []
        until(lambda: (follower.following or {})["versions_behind"] == 0)
        with pytest.raises(ReadOnlyError, match=r"follows .*ads\.index"):
            follower.write(PutExpression(id="a", expression="x = 1"))


def test_what_an_owner_publishes_can_be_followed_as_an_index(tmp_path: Path) -> None:
    with Service.open(tmp_path / "owner") as owner:
        owner.write(PutExpression(id="a", expression="x > 1", tenant="acme"))
        owner.checkpoint()
        with follow(str(tmp_path / "owner" / "expressions"), every=EVERY) as follower:
            assert follower.expressions.index.match({"x": 2, **follower.expressions.guards("acme")}) == ["a"]
            assert follower.expressions.index.match({"x": 2, **follower.expressions.guards("other")}) == []
            owner.write(PutExpression(id="b", expression="x > 1"))
            owner.checkpoint()
            until(lambda: follower.version == owner.version)
            assert follower.expressions.get("a").tenant == "acme"
            assert len(follower.expressions) == 2


def test_expressions_about_documents_are_answered_without_any_which_is_said(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "ads.index"
    index = eligo.build({"a": "exists d (d.x < x)"})
    index.save(path)
    with served(service=follow(str(path), every=EVERY)) as asked:
        assert asked.match({"x": 2}).json["matches"] == []
        assert "an index has none" in caplog.text
        index.insert("b", "forall d (d.x < x)")
        index.save(path)
        until(lambda: asked.match({"x": 2}).json["matches"] == ["b"])


def test_a_version_that_cannot_be_opened_leaves_the_one_before(tmp_path: Path) -> None:
    path = tmp_path / "ads.index"
    eligo.build({"a": "x > 1"}).save(path)
    with follow(str(path), every=EVERY) as follower:
        good = (path / "manifest.json").read_bytes()
        aside = path / "aside"
        aside.write_bytes(good.replace(b'"version": 1', b'"version": 2'))
        aside.replace(path / "manifest.json")
        until(lambda: (follower.following or {})["error"] is not None)
        assert follower.expressions.index.match({"x": 2}) == ["a"]
        aside.write_bytes(good)
        aside.replace(path / "manifest.json")
        until(lambda: (follower.following or {})["error"] is None)


def test_what_is_no_index_is_said(tmp_path: Path) -> None:
    with pytest.raises(EligoError, match="nothing"):
        follow(str(tmp_path / "nothing"))
    eligo.build([(1, "x > 1")]).save(tmp_path / "numbers")
    with follow(str(tmp_path / "numbers")) as follower:
        assert follower.expressions.index.match({"x": 2}) == [1]
    eligo.build([("a", 'x > 1 and "@tenant" = 5')]).save(tmp_path / "tenants")
    with pytest.raises(InputError, match="tenants"):
        follow(str(tmp_path / "tenants"))


def test_a_change_is_refused_for_good_with_the_name_of_the_owner(tmp_path: Path) -> None:
    path = tmp_path / "ads.index"
    eligo.build({"a": "x = 1"}).save(path)
    with served(service=follow(str(path), every=EVERY)) as asked:
        for method, at, body in (
            ("PUT", "/expressions/b", {"expression": "x = 1"}),
            ("POST", "/publish", {"x": 1}),
            ("POST", "/documents", {"x": 1}),
        ):
            refused = asked.ask(method, at, body)
            assert (refused.status, refused.json["type"]) == (409, "/errors#follower"), at
            assert "ads.index" in refused.json["help"] and "retry-after" not in refused.headers
        for method, at in (
            ("POST", "/subscriptions/a/pull"),
            ("POST", "/subscriptions/a/ack"),
            ("GET", "/subscriptions/a/stream"),
            ("GET", "/subscriptions/a"),
            ("DELETE", "/subscriptions/a"),
        ):
            refused = asked.ask(method, at, {} if method == "POST" else None)
            assert (refused.status, refused.json["type"]) == (409, "/errors#follower"), at
            assert "delivers nothing" in refused.json["detail"] and "ads.index" in refused.json["help"]
        assert asked.ask("GET", "/subscriptions").json["subscriptions"] == []
        assert asked.match({"x": 1}).json["matches"] == ["a"]
