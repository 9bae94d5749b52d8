"""`eligo token`: who may ask and change a service?"""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from eligo.arguments import path as local_path
from eligo.cli.shared import options
from eligo.cli.shared.console import messages
from eligo.cli.shared.service_extra import require_service
from eligo.errors import InputError


class Action(StrEnum):
    """What is done."""

    CREATE = "create"
    LIST = "list"
    REVOKE = "revoke"


class TokenScope(StrEnum):
    """What a token allows."""

    READ = "read"
    CONSUME = "consume"
    WRITE = "write"
    PUBLISH = "publish"
    ADMIN = "admin"


def token(
    action: Annotated[Action, typer.Argument(metavar="create|list|revoke", help="What to do.", show_default=False)],
    directory: Annotated[
        str, typer.Argument(metavar="DATA_DIR", help="The directory of the service.", show_default=False)
    ],
    which: Annotated[
        str | None, typer.Argument(metavar="NAME", help="The token that is revoked.", show_default=False)
    ] = None,
    name: Annotated[
        str | None, typer.Option("--name", metavar="NAME", help="What the new token is called.", show_default=False)
    ] = None,
    scope: Annotated[
        list[TokenScope] | None,
        typer.Option(
            "--scope",
            metavar="SCOPE",
            help="What the new token allows; may be given several times. consume takes messages, which write may, too; "
            "admin allows everything, and following.",
            show_default=False,
        ),
    ] = None,
    tenant: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The only tenant that the new token is good for.", show_default=False),
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Make, list and revoke tokens, with which a service can be reached from other machines.

    A new token is printed once; the directory keeps its hash. A service that runs takes up a change within a second,
    and once there has been a token, it needs one.

    Examples:
      eligo token create data --scope read --scope publish --tenant acme --name web-shop
      eligo token create data --scope consume --name mailer
      eligo token list data
      eligo token revoke data web-shop
    """
    require_service()
    from eligo.service.http.entrance.tokens import FILE, create_token, read_tokens, revoke_token
    from eligo.storage.replace_file import make_directory

    home = Path(local_path(directory, "DATA_DIR"))
    file = home / FILE
    if action is Action.LIST:
        for each in read_tokens(file) or ():
            fields = {"name": each.name, "scopes": each.scopes, "tenant": each.tenant}
            made = each.created.isoformat(timespec="seconds")
            tenant_text = "" if each.tenant is None else f"  tenant {each.tenant}"
            line = f"{each.name}  {','.join(each.scopes)}{tenant_text}  {made}"
            print(json.dumps({**fields, "created": made}) if as_json else line)
        return
    if action is Action.REVOKE:
        revoked = which or name
        if revoked is None:
            raise InputError("which token?", help=f"eligo token revoke {directory} NAME")
        revoke_token(file, revoked)
        messages().print(f"revoked {revoked}")
        return
    if not scope:
        raise InputError("a token has a scope", help="give --scope read, consume, write, publish or admin")
    make_directory(home, is_private=True)  # as the service itself would: secrets will be in it
    known = {each.name for each in read_tokens(file) or ()}
    called = (
        name
        or which
        or next(f"token-{number}" for number in range(1, len(known) + 2) if f"token-{number}" not in known)
    )
    text = create_token(file, called, [each.value for each in scope], tenant)
    messages().print(f"{called}: this token is shown once; send it as Authorization: Bearer …")
    print(text)
