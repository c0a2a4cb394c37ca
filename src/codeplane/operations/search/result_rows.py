"""Hits as rows: the fields at each level of detail.

The level of detail changes the fields, never the hits or their order. Empty fields are omitted. Values come from the
repository and are data.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from codeplane.base.symbols import symbol_ref
from codeplane.operations.search.hit_context import NO_CONTEXT, HitContext
from codeplane.operations.search.model import Factors, Hit

Detail = Literal["location", "signature", "context"]
Explain = Literal["off", "basic", "full"]
Row = dict[str, object]

MAX_SNIPPET = 240
MAX_SIGNATURE = 160
MAX_OUTER_SIGNATURE = 100

_SCORE_DIGITS = 3
_BASIC_DIGITS = 2
_FULL_DIGITS = 4
_LEAD = 40
"""Characters cut before the match in a cut line."""


@dataclass(frozen=True)
class RowOptions:
    """Amount of detail per result."""

    detail: Detail = "signature"
    compact: bool = False
    """Identity, position and score at any level of detail; path:line is a reference that every tool accepts."""
    snippets: bool = True
    explain: Explain = "off"

    @property
    def needs_context(self) -> bool:
        return self.detail == "context" and not self.compact


def row_of(hit: Hit, view: RowOptions, *, exhaustive: bool, context: HitContext = NO_CONTEXT) -> Row:
    """Return one result as a row. `exhaustive` results are matches, with a column and a match type."""
    row: Row = {
        "path": hit.path,
        "line_start": hit.line_start,
        "line_end": hit.line_end,
        "kind": hit.kind,
        "name": hit.name,
    }
    if view.compact:
        more: Row = {"score": _score(hit)}
    elif view.detail == "location":
        more = {}
    else:
        more = _match(hit, exhaustive) | _symbol(hit) | _text(hit, view)
        if view.detail == "context":
            more |= {
                "body_preview": context.body,
                "parent": context.parent,
                "related_symbols": list(context.related),
            }
    if view.explain != "off":
        more["ranking_reasons"] = basic_reasons(hit.factors) if view.explain == "basic" else full_reasons(hit.factors)
    row.update((name, value) for name, value in more.items() if value)
    return row


def basic_reasons(factors: Factors) -> dict[str, float]:
    """Return the share of each factor, without those that round to zero."""
    named = _named(factors)
    whole = sum(abs(value) for value in named.values())
    shares = {name: round(value / whole, _BASIC_DIGITS) for name, value in named.items()} if whole else {}
    return {name: share for name, share in shares.items() if share}


def full_reasons(factors: Factors) -> dict[str, float]:
    return {name: round(value, _FULL_DIGITS) for name, value in _named(factors).items()}


def _named(factors: Factors) -> dict[str, float]:
    """Return the common factors in their order, then mode-specific ones by name."""
    own = factors._asdict()
    del own["others"]
    return own | {name: factors.others[name] for name in sorted(factors.others)}


def _match(hit: Hit, exhaustive: bool) -> Row:
    return {
        "column": hit.column,
        "match_line": hit.match_line if hit.match_line != hit.line_start else 0,
        "match_type": hit.match_type if exhaustive else "",
        "tier": hit.tier,
        "via": hit.via,
        "matches": hit.collapsed + 1 if hit.collapsed else 0,
    }


def _symbol(hit: Hit) -> Row:
    # For a match, the line itself is more useful than the rest of a long signature.
    room = MAX_SIGNATURE if not hit.column else MAX_OUTER_SIGNATURE
    signature = hit.signature if len(hit.signature) <= room else hit.signature[: room - 1] + "…"
    return {
        "qualified_name": hit.qualified_name,
        "signature": signature,
        "language": hit.language,
        "visibility": hit.visibility,
        "symbol_ref": _symbol_ref(hit),
        "score": _score(hit),
    }


def _text(hit: Hit, view: RowOptions) -> Row:
    """Return the matching line; the signature replaces it for symbols found by name."""
    shows_line = view.snippets and (hit.column or hit.match_line or not hit.signature)
    return {"snippet": cut_line(hit.snippet, hit.column)} if shows_line else {}


def cut_line(line: str, column: int) -> str:
    """Strip the indentation, and cut the line to the text around a column."""
    text = line.strip()
    if len(text) <= MAX_SNIPPET:
        return text
    at = max(0, column - 1 - (len(line) - len(line.lstrip())))
    start = max(0, min(at - _LEAD, len(text) - MAX_SNIPPET))
    cut = text[start : start + MAX_SNIPPET]
    return ("…" if start else "") + cut + ("…" if start + MAX_SNIPPET < len(text) else "")


def _symbol_ref(hit: Hit) -> str:
    if not hit.lexical_path:
        return ""
    return symbol_ref(hit.path, hit.lexical_path, hit.def_line or hit.line_start)


def _score(hit: Hit) -> float:
    return round(hit.score, _SCORE_DIGITS)
