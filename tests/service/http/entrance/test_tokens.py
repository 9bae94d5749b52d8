"""Who may do what, with a token and without?"""

from __future__ import annotations

from pathlib import Path

import pytest

from eligo.errors import DamagedFileError, InputError, UnknownIdError
from eligo.service.http.entrance.access import scope_of
from eligo.service.http.entrance.tokens import SCOPES, Tokens, create_token, read_tokens, revoke_token
from eligo.service.http.settings import HttpSettings
from served import Served, bearer, served


def test_only_the_hash_of_a_token_is_kept(tmp_path: Path) -> None:
    file = tmp_path / "tokens.json"
    text = create_token(file, "shop", ["read"], "acme")
    assert text not in file.read_text() and text.removeprefix("eligo_") not in file.read_text()
    known = Tokens(file).find(text.encode())
    assert known is not None and (known.name, known.scopes, known.tenant) == ("shop", ["read"], "acme")
    assert Tokens(file).find(text.encode()[:-1]) is None and Tokens(file).find(known.hash.encode()) is None
    assert create_token(file, "other", ["admin"]) != text
    revoke_token(file, "shop")
    assert Tokens(file).find(text.encode()) is None
    assert [token.name for token in read_tokens(file) or ()] == ["other"]


def test_what_cannot_be_a_token_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "tokens.json"
    create_token(file, "a", ["read"])
    for name, scopes, tenant in (("a", ["read"], None), ("", ["read"], None), ("b", [], None), ("b", ["admin"], "t")):
        with pytest.raises(InputError):
            create_token(file, name, scopes, tenant)  # type: ignore[arg-type]
    with pytest.raises(UnknownIdError):
        revoke_token(file, "b")
    file.write_text("{}")
    with pytest.raises(DamagedFileError):
        read_tokens(file)


REQUESTS = (
    ("GET", "/status", "read"),
    ("GET", "/metrics", "read"),
    ("POST", "/match", "read"),
    ("POST", "/documents/find", "read"),
    ("GET", "/subscriptions/a/dead", "read"),
    ("POST", "/subscriptions/a/ack", "consume"),
    ("POST", "/subscriptions/a/nack", "consume"),
    ("POST", "/subscriptions/a/pull", "consume"),
    ("POST", "/subscriptions/a/dead/resend", "consume"),
    ("GET", "/subscriptions/a/stream", "consume"),
    ("PUT", "/expressions/a", "write"),
    ("DELETE", "/expressions/a", "write"),
    ("POST", "/expressions", "write"),
    ("POST", "/documents", "write"),
    ("PUT", "/subscriptions/a", "write"),
    ("POST", "/publish", "publish"),
    ("GET", "/log", "admin"),
    ("GET", "/checkpoint", "admin"),
    ("GET", "/checkpoint/files/abc", "admin"),
    ("GET", "/healthz", None),
    ("GET", "/readyz", None),
    ("GET", "/", None),
    ("GET", "/openapi.json", None),
)


@pytest.mark.parametrize(("method", "path", "scope"), REQUESTS)
def test_every_request_needs_its_scope(tmp_path: Path, method: str, path: str, scope: str | None) -> None:
    assert scope_of(method, path) == scope


def test_scopes_are_kept_to(tmp_path: Path) -> None:
    file = tmp_path / "tokens.json"
    by_scope = {scope: create_token(file, scope, [scope]) for scope in SCOPES}
    with served(HttpSettings(tokens=file)) as asked:
        for method, path, scope in REQUESTS[:16]:
            refused = asked.ask(method, path, b"{}")
            assert (refused.status, refused.headers["www-authenticate"]) == (401, "Bearer"), path
            assert asked.ask(method, path, b"{}", bearer("eligo_" + "x" * 43)).status == 401
            for own, text in by_scope.items():
                status = asked.ask(method, path, b"{}", bearer(text)).status
                is_allowed = own in (scope, "admin") or (scope, own) == ("consume", "write")
                assert (status == 403) == (not is_allowed), (method, path, own, status)
                assert status != 401
        assert asked.ask("GET", "/healthz").status == asked.ask("GET", "/openapi.json").status == 200
        revoke_token(file, "read")
        assert _soon(asked, by_scope["read"], 401)


def test_a_line_end_behind_a_path_leads_to_no_route(tmp_path: Path) -> None:
    """It would be let in by the scope of one path, and answered by the route of another."""
    file = tmp_path / "tokens.json"
    text = create_token(file, "reader", ["read"])
    with served(HttpSettings(tokens=file)) as asked:
        for path in ("/publish", "/expressions", "/documents", "/subscriptions/s/pull", "/match"):
            refused = asked.ask("POST", f"{path}%0A", b'{"x": 1}', bearer(text))
            assert (refused.status, refused.json["type"]) == (400, "/errors#path"), path
        assert asked.service.seq == 0


def _soon(asked: Served, text: str, status: int) -> bool:
    import time

    ends = time.monotonic() + 20
    while time.monotonic() < ends:
        if asked.match({}, headers=bearer(text)).status == status:
            return True
        time.sleep(0.2)
    return False


def test_tokens_that_cannot_be_read_let_nobody_in(tmp_path: Path) -> None:
    file = tmp_path / "tokens.json"
    with served(HttpSettings(tokens=file)) as asked:
        assert asked.match({}).status == 200
        file.write_bytes(b"{\xff")
        assert _soon(asked, "", 503)
        for _ in range(3):
            refused = asked.match({})
            assert (refused.status, refused.json["type"]) == (503, "/errors#tokens")
            assert str(file) in refused.json["detail"] and refused.json["help"]
        assert asked.ask("GET", "/healthz").status == 200
        file.unlink()
        text = create_token(file, "a", ["read"])
        assert _soon(asked, text, 200)
        assert asked.match({}).status == 401
        good = file.read_bytes()
        file.write_text("{}")
        assert _soon(asked, text, 503)
        assert asked.match({}, headers=bearer(text)).status == 503
        file.write_bytes(good)
        assert _soon(asked, text, 200)


def test_metrics_name_no_subscriptions_for_a_tenant(tmp_path: Path) -> None:
    file = tmp_path / "tokens.json"
    boss = bearer(create_token(file, "boss", ["admin"]))
    acme = bearer(create_token(file, "acme", ["read"], "acme"))
    with served(HttpSettings(tokens=file)) as asked:
        body = {"expression": "x = 1", "tenant": "other"}
        assert asked.ask("PUT", "/subscriptions/of-others", body, boss).status == 201
        assert b"of-others" in asked.ask("GET", "/metrics", headers=boss).body
        of_acme = asked.ask("GET", "/metrics", headers=acme).body
        assert b"of-others" not in of_acme and b"eligo_expressions" in of_acme


def test_a_token_of_a_tenant_sees_and_changes_its_own_only(tmp_path: Path) -> None:
    file = tmp_path / "tokens.json"
    boss = bearer(create_token(file, "boss", ["admin"]))
    acme = bearer(create_token(file, "acme", ["read", "write"], "acme"))
    with served(HttpSettings(tokens=file)) as asked:
        for id, tenant in (("ours", "acme"), ("theirs", "other"), ("all", None)):
            asked.ask("PUT", f"/expressions/{id}", {"expression": "x = 1", "tenant": tenant}, boss)
        assert asked.match({"x": 1}, headers=acme).json["matches"] == ["ours", "all"]
        assert asked.match({"x": 1}, "?tenant=acme", acme).status == 200
        for path in (
            "/match?tenant=other",
            "/match?tenant=other&metadata=true",
            "/top?tenant=other",
            "/count?tenant=other",
        ):
            assert asked.ask("POST", path, {"x": 1}, acme).status == 403
        assert asked.match({"events": [{"x": 1}]}, headers=acme).json["matches"] == [["ours", "all"]]
        assert asked.match(b'{"x":1,"@tenant":"other"}', headers=acme).status == 422
        assert asked.ask("GET", "/expressions/theirs", headers=acme).status == 404
        assert asked.ask("POST", "/explain?id=theirs", {}, acme).status == 404
        assert asked.ask("DELETE", "/expressions/theirs", headers=acme).status == 404
        assert asked.ask("DELETE", "/expressions/all", headers=acme).status == 403
        for id in ("theirs", "all"):
            assert asked.ask("PUT", f"/expressions/{id}", {"expression": "x = 2"}, acme).status == 403
        assert asked.ask("PUT", "/expressions/new", {"expression": "x = 1", "tenant": "other"}, acme).status == 403
        assert asked.ask("PUT", "/expressions/new", {"expression": "x = 1"}, acme).status == 201
        assert asked.service.expressions.get("new").tenant == "acme"
        rows = b'{"id":"theirs","delete":true}\n{"id":"n2","expression":"x = 1","tenant":"other"}\n'
        rows += b'{"id":"ours","delete":true}'
        results = asked.ask("POST", "/expressions", rows, acme).lines
        assert ["error" in row for row in results] == [True, True, False]
        listed = asked.ask("GET", "/expressions", headers=acme).json["expressions"]
        assert [each["id"] for each in listed] == ["all", "new"]
        assert asked.ask("GET", "/documents", headers=acme).status == 403


def test_without_tokens_only_this_machine_may_ask(asked: Served) -> None:
    assert asked.match({}).status == 200
    assert asked.match({}, headers={"host": "localhost:8080"}).status == 200
    rebound = asked.match({}, headers={"host": "eligo.evil.example"})
    assert (rebound.status, rebound.json["type"]) == (403, "/errors#foreign-host")


def test_pages_of_other_origins_may_ask_nothing_unless_named(asked: Served) -> None:
    for method, path in (("POST", "/match"), ("GET", "/status"), ("POST", "/expressions")):
        refused = asked.ask(method, path, b"{}", {"origin": "https://evil.example"})
        assert refused.status == 403 and "access-control-allow-origin" not in refused.headers
    assert asked.match({}, headers={"origin": f"http://127.0.0.1:{asked.port}"}).status == 200
    preflight = asked.ask("OPTIONS", "/match", headers={"origin": "https://evil.example"})
    assert "access-control-allow-origin" not in preflight.headers
    with served(HttpSettings(allow_origins=("https://shop.example",))) as open_to:
        for answer in (
            open_to.match({}, headers={"origin": "https://shop.example"}),
            open_to.ask("GET", "/status", headers={"origin": "https://shop.example"}),
            open_to.ask("OPTIONS", "/match", headers={"origin": "https://shop.example"}),
        ):
            assert answer.headers["access-control-allow-origin"] == "https://shop.example"
        assert open_to.match({}, headers={"origin": "https://other.example"}).status == 403
