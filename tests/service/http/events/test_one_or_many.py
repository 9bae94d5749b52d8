"""Is a body taken for what it is, whatever stands first in it?"""

from __future__ import annotations

import pytest

from eligo.service.http.events.one_or_many import are_many
from served import Served


@pytest.mark.parametrize(
    ("body", "is_many"),
    [
        (b'{"events":[{"x":1}]}', True),
        (b' {"weights":null, "events" : [ {"x":1}]}', True),
        (b'{"\\u0065vents":[{"x":1}]}', True),
        (b'{"weights":{},"\\u0065vents":[]}', True),
        (b'{"events":[1,2]}', True),
        (b'{"weight":{},"events":[{"x":1}]}', True),
        (b'{"events":["golf"],"x":1}', False),
        (b'{"x":1,"events":[]}', False),
        (b'{"events":"golf"}', False),
        (b'{"events":{"x":1}}', False),
        (b'{"events":null}', False),
        (b'{"x":{"events":[{"x":1}]}}', False),
        (b'{"x":"events\\"","y":"\\u0041"}', False),
        (b'{"events":[{"x":1}]', False),
        (b'{"events":[{"x":"\xff"}]', False),
        (b'\xef\xbb\xbf{"weights":null,"events":[{"x":1}]}', True),
        (b'{"weights":null,"events":[{"x":NaN}]}', True),
        (b'{"weights":null,"events":[{"x":"\\ud800"}]}', True),
        (b'{"y":NaN,"events":[1]}', False),
        (b"", False),
    ],
)
def test_many_events_are_told_from_one(body: bytes, is_many: bool) -> None:
    assert are_many(body) is is_many


def test_the_order_of_members_changes_no_answer(asked: Served) -> None:
    asked.put("a", "x = 1")
    asked.put("hobby", "events = 'golf'")
    for body in (b'{"events":[{"x":1},{}],"weights":null}', b'{"weights":null,"events":[{"x":1},{}]}'):
        for accept in ("*/*", "application/json;q=0.9, */*"):
            assert asked.match(body, headers={"accept": accept}).json["matches"] == [["a"], []]
        top = asked.ask("POST", "/top", body).json["matches"]
        assert [[each["id"] for each in row] for row in top] == [["a"], []]
        assert asked.ask("POST", "/count", body).json["events"] == 2
    assert asked.match(b'{"weight":{},"events":[{"x":1}]}').status == 422
    assert asked.match(b'{"weights":null,"events":[{"x":NaN}]}').status == 400
    assert asked.match(b'\xef\xbb\xbf{"weights":null,"events":[{"x":1}]}').json["matches"] == [["a"]]
    assert asked.match({"events": ["golf"], "x": 1}).json["matches"] == ["a", "hobby"]
    assert asked.match({"x": 2, "events": ["golf"]}).json["matches"] == ["hobby"]
    assert asked.match({"events": [{"events": ["golf"]}]}).json["matches"] == [["hobby"]]
    assert asked.match({"events": "golf"}).json["matches"] == ["hobby"]
