"""What was probably meant? Near misses of words, and the habits of other languages."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import SequenceMatcher

CUTOFF = 0.8
"""Similarity from which a word counts as a near miss; a mere swap of letters always does."""

OPERATOR_WORDS = {
    "between": "between … and …",
    "in": "in (…)",
    "not": "not",
    "is": "is missing",
    "exists": "exists",
    "starts": "starts with '…'",
    "under": "under '…'",
    "contains": "contains all (…)",
    "weak": "weak not in (…)",
    "strong": "strong not in (…)",
    "and": "and",
    "or": "or",
    "xor": "xor",
    "xnor": "xnor",
}
"""The words that may follow an attribute, each with what it begins."""

FOREIGN_WORDS = {
    "begins": "starts with '…'",
    "eq": "=",
    "equals": "=",
    "ge": ">=",
    "gt": ">",
    "gte": ">=",
    "has": "contains all (…)",
    "ilike": "starts with '…'",
    "includes": "contains all (…)",
    "isnull": "is missing",
    "le": "<=",
    "like": "starts with '…'",
    "lt": "<",
    "lte": "<=",
    "missing": "is missing",
    "ne": "!=",
    "neq": "!=",
    "notin": "not in (…)",
    "notnull": "exists",
    "null": "is missing",
    "prefix": "starts with '…'",
    "startswith": "starts with '…'",
    "within": "under '…'",
}
"""What other languages write after an attribute, and what is written here."""

SYMBOLS = {
    "&&": "and",
    "&": "and",
    "||": "or",
    "|": "or",
    "!": "not",
    "~": "not",
    "∧": "and",
    "∨": "or",
    "¬": "not",
    "⊕": "xor",
    "≠": "!=",
    "≤": "<=",
    "≥": ">=",
    "∈": "in (…)",
    "∉": "not in (…)",
}
"""Signs that are words here."""

QUOTES = {"‘": "’", "’": "’", "‚": "‘", "‛": "’", "“": "”", "”": "”", "„": "“", "‟": "”", "«": "»", "»": "«"}
QUOTES |= {"`": "`", "´": "´", "‹": "›", "›": "‹", "「": "」", "『": "』", "＂": "＂", "＇": "＇", "′": "′", "″": "″"}
"""Quotation marks that are not straight, with what closes them."""


def nearest(word: str, candidates: Iterable[str], *, cutoff: float = CUTOFF) -> str | None:
    """The candidate that a word is most like, whatever its case; None when none is near."""
    folded = word.lower()
    best: tuple[float, str] | None = None
    for candidate in candidates:
        other = candidate.lower()
        is_swap = sorted(other) == sorted(folded)
        similarity = 1.0 if is_swap else SequenceMatcher(None, folded, other).ratio()
        if similarity >= cutoff and (best is None or similarity > best[0]):
            best = (similarity, candidate)
    return best[1] if best else None


def did_you_mean(word: str, candidates: Iterable[str], *, cutoff: float = CUTOFF) -> str:
    """A question that names the nearest candidate; empty when none is near."""
    near = nearest(word, candidates, cutoff=cutoff)
    return f"did you mean `{near}`?" if near else ""


def operator_for(word: str) -> str:
    """A question or advice for a word after an attribute that is no operator; empty when nothing comes to mind."""
    if word.lower() in FOREIGN_WORDS:
        return f"write `{FOREIGN_WORDS[word.lower()]}`"
    near = nearest(word, OPERATOR_WORDS)
    return f"did you mean `{OPERATOR_WORDS[near]}`?" if near else ""
