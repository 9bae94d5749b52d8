"""Is a store spoken to as a program says, and does nobody else hear of it?"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import eligo
from eligo.errors import EligoError, InputError, StorageError
from eligo.stores.address import Address
from eligo.stores.given_options import given_values, options_for, set_store_options
from eligo.stores.resolved_options import resolved_options
from eligo.stores.store import store_of
from faulty_store import Exchange, faulty_store
from store_places import ELSEWHERE, SECRET, S3Server

TOP = Address("s3", ELSEWHERE, "")
PLANTED = "planted-option-93ab77"
SERVICE_ACCOUNT = '{"type": "service_account", "private_key": "…"}'


@pytest.fixture(autouse=True)
def _taken_back() -> Iterator[None]:
    yield
    set_store_options(str(TOP), None)


def given(server: S3Server) -> dict[str, str]:
    return {"endpoint": server.endpoint, "access_key_id": "someone", "secret_access_key": PLANTED}


@contextmanager
def heard(server: S3Server) -> Iterator[tuple[str, list[str]]]:
    """An endpoint for a while, and the headers of what it was asked."""
    sent: list[str] = []

    def note(exchange: Exchange) -> None:
        sent.append(str(exchange.headers))
        exchange.give(exchange.forwarded())

    with faulty_store(server.endpoint) as between:
        between.when("GET", ".", note, times=None)
        yield between.endpoint, sent


def test_options_count_before_the_environment(s3: S3Server, elsewhere: S3Server) -> None:
    home = elsewhere.new_home()
    index = eligo.build({1: "age = 3"})
    with pytest.raises(EligoError, match="NoSuchBucket"):
        index.publish(home)
    eligo.set_store_options(home, given(elsewhere))
    assert index.publish(home) == 1
    assert eligo.open(home).match({"age": 3}) == [1]
    assert elsewhere.requests("PUT", f"{home.split('/')[3]}/.*versions") == 1
    eligo.set_store_options("s3://eligo-elsewhere", None)
    with pytest.raises(EligoError, match="NoSuchBucket"):
        eligo.open(home)


def test_no_message_has_a_value(elsewhere: S3Server) -> None:
    home = elsewhere.new_home()
    for options in (
        {"secret_access_key": PLANTED, "endpoint": "http://127.0.0.1:1", "access_key_id": "x"},
        {"no_such_name": PLANTED},
        {"secret_access_key": PLANTED, "request_timeout": PLANTED},
    ):
        eligo.set_store_options(home, options)
        with pytest.raises(EligoError) as caught, pytest.MonkeyPatch.context() as patch:
            patch.setenv("ELIGO_STORE_SECONDS", "1")
            eligo.open(home)
        assert PLANTED not in f"{caught.value} {caught.value.help} {caught.value!r}"
    for wrong in ({"secret_access_key": 5}, {5: PLANTED}, [PLANTED], PLANTED):
        with pytest.raises(InputError) as refused:
            eligo.set_store_options(home, wrong)  # type: ignore[arg-type]
        assert PLANTED not in str(refused.value)
    with pytest.raises(InputError, match="path of a machine"):
        eligo.set_store_options("ads.index", {})


@pytest.mark.parametrize(
    "names",
    [
        ("aws_access_key_id", "aws_secret_access_key", "aws_endpoint_url"),
        ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "ENDPOINT_URL"),
        ("access_key_id", "aws_secret_access_key", "aws_endpoint"),
    ],
)
def test_keys_by_any_of_their_names_do_without_the_token_of_others(
    names: tuple[str, ...], elsewhere: S3Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_SESSION_TOKEN", "of-others")
    with heard(elsewhere) as (endpoint, sent):
        set_store_options(str(TOP), dict(zip(names, ("someone", PLANTED, endpoint), strict=True)))
        assert list(store_of(TOP).list("nothing/")) == []
    assert sent and all("of-others" not in headers and "Credential=someone/" in headers for headers in sent)


def test_a_token_goes_with_its_keys_by_any_of_its_names(elsewhere: S3Server) -> None:
    for name in ("session_token", "aws_session_token", "token", "aws_token"):
        with heard(elsewhere) as (endpoint, sent):
            set_store_options(str(TOP), {**given(elsewhere), "endpoint": endpoint, name: f"token-{name}"})
            assert list(store_of(TOP).list("nothing/")) == []
        assert sent and all(f"token-{name}" in headers for headers in sent), name


def test_an_option_is_given_once() -> None:
    set_store_options(str(TOP), {"aws_access_key_id": PLANTED, "access_key_id": "another"})
    with pytest.raises(InputError, match="access_key_id and aws_access_key_id") as caught:
        store_of(TOP)
    assert PLANTED not in str(caught.value)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ({"type": "authorized_user", "refresh_token": PLANTED}, "of the kind authorized_user"),
        ({"type": "external_account", "token_url": PLANTED}, "of the kind external_account"),
        ({"type": PLANTED}, "of a kind that is not known"),
        ({"private_key": PLANTED}, "of a kind that is not known"),
        ({"type": [PLANTED]}, "of a kind that is not known"),
        ([PLANTED], "no JSON object"),
    ],
)
def test_what_is_no_service_account_is_not_given_away(
    content: object, told: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "key.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(path))
    with pytest.raises(StorageError, match=told) as caught:
        resolved_options(Address("gs", "b", ""))
    assert "GOOGLE_APPLICATION_CREDENTIALS" in caught.value.message
    assert PLANTED not in f"{caught.value} {caught.value.help} {caught.value!r}" and caught.value.__cause__ is None


def test_credentials_of_google_that_are_for_service_accounts_need_no_kind(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("GOOGLE_SERVICE_ACCOUNT", str(tmp_path / "key.json"))
    with pytest.raises(StorageError, match="GOOGLE_SERVICE_ACCOUNT names cannot be read"):
        resolved_options(Address("gs", "b", ""))
    (tmp_path / "key.json").write_text('{"private_key": "…"}', encoding="utf-8")
    assert resolved_options(Address("gs", "b", "")) == {"service_account_key": '{"private_key": "…"}'}
    monkeypatch.setenv("GOOGLE_SERVICE_ACCOUNT_KEY", '{"type": "authorized_user"}')
    with pytest.raises(StorageError, match="GOOGLE_SERVICE_ACCOUNT_KEY has credentials of the kind authorized_user"):
        resolved_options(Address("gs", "b", ""))


def test_options_are_those_of_the_whole_store() -> None:
    set_store_options(f"s3a://{ELSEWHERE}/some/index", {"Region": "eu-west-1"})
    assert options_for(TOP) == (("region", "eu-west-1"),)
    assert options_for(Address("s3", "another", "")) == ()
    assert ("region", "eu-west-1") in given_values()


def test_what_the_environment_comes_to(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    found = resolved_options(TOP)
    assert found["secret_access_key"] == SECRET and found["endpoint"] == os.environ["AWS_ENDPOINT_URL"]
    key = tmp_path / "key.json"
    key.write_text(SERVICE_ACCOUNT, encoding="utf-8")
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(key))
    assert resolved_options(Address("gs", "b", "")) == {"service_account_key": SERVICE_ACCOUNT}
    monkeypatch.setenv("AZURE_STORAGE_ACCOUNT_KEY", "k")
    assert resolved_options(Address("abfss", "c@a", ""))["azure_storage_account_key"] == "k"
    with pytest.raises(StorageError, match="no credentials"):
        resolved_options(Address("hdfs", "n:1", ""))
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "profile"))
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    (tmp_path / "config").write_text("[default]\nregion = eu-west-1\n", encoding="utf-8")
    with pytest.raises(StorageError, match="no credentials"):
        resolved_options(TOP)
    (tmp_path / "profile").write_text(
        "[default]\naws_access_key_id = a\naws_secret_access_key = b\naws_session_token = c\n", encoding="utf-8"
    )
    expected = {"access_key_id": "a", "secret_access_key": "b", "session_token": "c", "region": "eu-west-1"}
    assert resolved_options(TOP) == expected
