"""How are trees encoded as an index encodes them? By the encoder of texts, from the postfix form."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from eligo.data.expressions.encode_texts import encode_texts
from eligo.data.expressions.expression_table import ExpressionTable
from eligo.data.expressions.taxonomy_nodes import Taxonomy
from eligo.data.vocabulary import Vocabulary
from eligo.kernels.running import Running
from eligo.language.evaluate import Missing
from eligo.language.text.parse import ParsedBatch
from eligo.language.text.tree_postfix import PostfixWriter
from eligo.language.tree import Expression


def postfix_of(trees: Iterable[Expression]) -> ParsedBatch:
    """Trees as a batch of texts would be."""
    writer = PostfixWriter()
    for tree in trees:
        writer.add(tree)
    return writer.finish()


def encode_trees(
    trees: Iterable[Expression],
    missing: Missing = "unknown",
    hierarchies: Mapping[str, Taxonomy] | None = None,
    running: Running | None = None,
) -> tuple[Vocabulary, ExpressionTable]:
    """The vocabulary of trees and the table of them."""
    return encode_texts(postfix_of(trees), None, missing, hierarchies, running)
