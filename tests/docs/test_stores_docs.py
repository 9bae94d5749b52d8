"""Is the page on stores true? Its examples are run on a real server, as one session."""

from __future__ import annotations

from pathlib import Path

from document_examples import python_blocks, run_block
from eligo.stores.address import SCHEMES
from store_places import S3Server

PAGE = Path(__file__).parents[2] / "docs" / "stores.md"


def test_examples(s3: S3Server) -> None:
    assert run_block("\n".join(python_blocks(PAGE))) == 5


def test_every_scheme_is_on_the_page() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert [scheme for scheme in SCHEMES if f"`{scheme}://" not in text] == []
