"""`eligo serve`: expressions, documents and subscriptions over HTTP, kept in a directory."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from eligo.arguments import path as local_path
from eligo.cli.service.durability import read_durability, warning_of
from eligo.cli.shared.console import messages
from eligo.cli.shared.options import MissingPolicy
from eligo.cli.shared.service_extra import require_service
from eligo.errors import InputError

LOOPBACK = ("127.0.0.1", "localhost", "::1")


def serve(
    directory: Annotated[
        str | None,
        typer.Argument(
            metavar="[DATA_DIR]",
            help="Where everything is kept; made where there is none. An index can be followed without one.",
            show_default=False,
        ),
    ] = None,
    host: Annotated[
        str, typer.Option(metavar="ADDRESS", help="Where it listens; elsewhere than here needs tokens.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(metavar="NUMBER", min=0, max=65535, help="0 for any that is free.")] = 8080,
    follow: Annotated[
        str | None,
        typer.Option(
            metavar="INDEX|URL",
            help="Serve an index that others publish, or another service, read-only.",
            show_default=False,
        ),
    ] = None,
    follow_token: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="A token of the service that is followed; else that in ELIGO_FOLLOW_TOKEN.",
            show_default=False,
        ),
    ] = None,
    durability: Annotated[
        str,
        typer.Option(
            metavar="WHEN",
            help="fsync: changes are on the disk before they are acknowledged; interval=50ms: soon after.",
        ),
    ] = "fsync",
    missing: Annotated[
        MissingPolicy | None,
        typer.Option(
            metavar="unknown|false",
            help="What a predicate on a missing attribute is; of a directory that is there, as it was made.",
            show_default=False,
        ),
    ] = None,
    keep_last: Annotated[int, typer.Option(metavar="NUMBER", min=1, help="Documents that the base keeps.")] = 1_000_000,
    keep_for: Annotated[
        str | None, typer.Option(metavar="TIME", help="How long it keeps them, such as '7 days'.", show_default=False)
    ] = None,
    keep_if: Annotated[
        str | None, typer.Option(metavar="EXPRESSION", help="Which documents it keeps.", show_default=False)
    ] = None,
    max_body: Annotated[
        int, typer.Option(metavar="BYTES", min=1 << 20, help="Of a body that is read whole; 1 MiB at the least.")
    ] = 64 << 20,
    max_concurrent: Annotated[int, typer.Option(metavar="NUMBER", min=1, help="Requests answered at once.")] = 1_024,
    max_lasting: Annotated[int, typer.Option(metavar="NUMBER", min=1, help="Streams and pulls held at once.")] = 1_024,
    max_seconds: Annotated[float, typer.Option(metavar="SECONDS", min=0.1, help="For one request.")] = 30.0,
    allow_origin: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ORIGIN", help="An origin whose pages may ask, such as https://shop.example.", show_default=False
        ),
    ] = None,
    allow_webhook: Annotated[
        list[str] | None,
        typer.Option(
            metavar="HOST", help="A private or loopback host that webhooks may be sent to.", show_default=False
        ),
    ] = None,
    token_file: Annotated[
        str | None,
        typer.Option(
            "--tokens",
            metavar="FILE",
            help="The tokens that count, made by eligo token in some directory; else those in DATA_DIR.",
            show_default=False,
            dir_okay=False,
        ),
    ] = None,
    decisions: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Write down what /match and /top answered, and by what.",
            show_default=False,
            dir_okay=False,
        ),
    ] = None,
    log_requests: Annotated[bool, typer.Option("--log-requests", help="Log every request.")] = False,
) -> None:
    """Run the service: expressions, documents, subscriptions and a page over HTTP.

    It answers on this machine only, to everybody, until there is a token (eligo token). What was acknowledged is on the
    disk. SIGTERM and Ctrl-C let it finish what it has begun.

    Examples:
      eligo serve data
      eligo serve data --port 9000 --keep-for '30 days'
      eligo serve --follow ads.index
      eligo serve replica --follow http://eligo.example:8080
    """
    require_service()
    from eligo.service.delivery.deliverer import DeliveryOptions
    from eligo.service.follow.follow import follow as open_follower
    from eligo.service.follow.follow import read_token
    from eligo.service.http.entrance.tokens import FILE, read_tokens
    from eligo.service.http.server import run_service
    from eligo.service.http.settings import HttpSettings
    from eligo.service.http.watching.request_log import log_as_json
    from eligo.service.service import Service, ServiceOptions

    seconds = read_durability(durability)
    if directory is None and follow is None:
        raise InputError("it is not said where everything is kept", help="name a directory: eligo serve DATA_DIR")
    home = None if directory is None else Path(local_path(directory, "DATA_DIR"))
    known_tokens, known_secret = _local(token_file, "--tokens"), _local(follow_token, "--follow-token")
    tokens = known_tokens if known_tokens is not None or home is None else home / FILE
    has_tokens = tokens is not None and read_tokens(tokens) is not None
    _require_tokens(host, home, known_tokens, has_tokens)
    say = messages().print
    log_as_json()
    settings = HttpSettings(
        max_body=max_body,
        max_concurrent=max_concurrent,
        max_lasting=max_lasting,
        max_seconds=max_seconds,
        allow_origins=tuple(allow_origin or ()),
        tokens=tokens,
        decisions=_local(decisions, "--decisions"),
        log_requests=log_requests,
    )
    service_options = ServiceOptions(
        missing=None if missing is None else missing.value,
        durability="fsync" if seconds is None else seconds,
        keep_last=keep_last,
        keep_for=keep_for,
        keep_if=keep_if,
    )
    if seconds is not None:
        say(warning_of(seconds))
    if follow is None:
        opened: Service = Service.open(home, service_options)
    else:
        opened = open_follower(follow, home, token=read_token(known_secret), options=service_options)
    with opened as service:

        def started(address: str) -> None:
            say(f"serving {len(service.expressions):,} expressions of {follow or home} at {address}")
            say(f"  the page: {address}/")
            if follow is None:
                put = '{"expression": "age >= 18"}'
                say(f"  try:      curl -X PUT {address}/expressions/adults -d '{put}'")
            say(f"""            curl {address}/match -d '{{"age": 30}}'""")
            if not has_tokens:
                say("warning: there are no tokens, so everybody on this machine may do everything (eligo token)")

        run_service(service, host, port, settings, DeliveryOptions(allow_webhooks=tuple(allow_webhook or ())), started)
    say("stopped: everything is written")


def _local(file: str | None, name: str) -> Path | None:
    return None if file is None else Path(local_path(file, name))


def _require_tokens(host: str, directory: Path | None, token_file: Path | None, has_tokens: bool) -> None:
    """Tokens that were named are there, and a service that others can reach has some."""
    if has_tokens:
        return
    if token_file is not None:
        raise InputError(
            f"{token_file} is not there, so nobody could ask", help="eligo token create DIR makes DIR/tokens.json"
        )
    if host not in LOOPBACK:
        make = f"make one: eligo token create {directory or 'DIR'} --scope admin"
        raise InputError(
            f"without a token the service is not reachable from other machines, so it does not listen on {host}",
            help=make if directory else f"{make}, then name it: --tokens DIR/tokens.json",
        )
