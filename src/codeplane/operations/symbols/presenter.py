"""Messages about resolved symbols, the same on every tool and command."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from codeplane.base.paths import display
from codeplane.base.symbols import symbol_ref
from codeplane.base.text_lines import TextLine, heading, note, symbol, text
from codeplane.operations.signatures import cut_signature, telling_signature
from codeplane.operations.symbols.model import AmbiguousSymbol, SymbolNotFound
from codeplane.query.relations import Symbol

MAX_NAMED = 5
"""Maximum references that a message names."""
_MAX_WRITTEN = 80
_MAX_REFERENCE = 160
_MAX_MESSAGE = 300
_MAX_SIGNATURE = 100


def unresolved_message(unresolved: AmbiguousSymbol | SymbolNotFound) -> str:
    """Return why a written form does not name one symbol."""
    if isinstance(unresolved, SymbolNotFound):
        return not_found_message(unresolved)
    return ambiguous_message(unresolved)


def unresolved_lines(unresolved: AmbiguousSymbol | SymbolNotFound) -> list[TextLine]:
    if isinstance(unresolved, SymbolNotFound):
        return not_found_lines(unresolved)
    return ambiguous_lines(unresolved)


def not_found_message(missing: SymbolNotFound) -> str:
    """`no symbol named 'Carrt.total'; did you mean shop/cart.py#Cart.total?`"""
    if missing.line is not None:
        what = f"no symbol at {_shorten(missing.scope, _MAX_REFERENCE)}:{missing.line}"
    else:
        place = f" in {_shorten(missing.scope, _MAX_REFERENCE)}" if missing.scope else ""
        what = f"no {missing.kind or 'symbol'} named '{_shorten(missing.name, _MAX_WRITTEN)}'{place}"
    return what + did_you_mean(missing.suggestions)


def did_you_mean(references: Sequence[str]) -> str:
    """Return the end of a not-found message; empty without a suggestion."""
    named = _fitting(references)
    if not named:
        return ""
    *others, last = named
    return f"; did you mean {', '.join(others)} or {last}?" if others else f"; did you mean {last}?"


def ambiguous_message(ambiguous: AmbiguousSymbol) -> str:
    """`'total' names 3 symbols: a.py#X.total, b.py#Y.total, c.py#total`"""
    named = _fitting(short_references(ambiguous.candidates))
    if named and ambiguous.total > len(named):
        named.append("...")
    which = f": {', '.join(named)}" if named else ""
    return f"'{_shorten(ambiguous.written, _MAX_WRITTEN)}' names {ambiguous.total} symbols{which}"


def short_references(symbols: Sequence[Symbol]) -> list[str]:
    """Return references without a line, as long as they are unambiguous."""
    short = [symbol_ref(each.path, each.lexical_path) for each in symbols]
    counts = Counter(short)
    return [ref if counts[ref] == 1 else each.reference for ref, each in zip(short, symbols, strict=True)]


def candidate_fields(candidate: Symbol) -> dict[str, object]:
    """Return a candidate as JSON fields: enough to choose and to request it."""
    fields: dict[str, object] = {
        "symbol_ref": candidate.reference,
        "kind": candidate.kind,
        "line_end": candidate.end_line,
    }
    signature = telling_signature(candidate.signature, candidate.name, _MAX_SIGNATURE)
    return fields | ({"signature": signature} if signature else {})


def not_found_lines(missing: SymbolNotFound) -> list[TextLine]:
    return [text(not_found_message(missing))]


def ambiguous_lines(ambiguous: AmbiguousSymbol) -> list[TextLine]:
    """Return the message, and a row for each known candidate if the message cannot name all."""
    lines = [text(ambiguous_message(ambiguous))]
    if ambiguous.total <= MAX_NAMED:
        return lines
    lines += symbol_rows(ambiguous.candidates)
    left = ambiguous.total - len(ambiguous.candidates)
    return [*lines, note(f"more: {left}")] if left else lines


def symbol_rows(symbols: Sequence[Symbol]) -> list[TextLine]:
    """Return symbols grouped by path, one line each."""
    lines: list[TextLine] = []
    path = ""
    for each in sorted(symbols, key=lambda each: (each.path, each.start_line, each.lexical_path)):
        if each.path != path:
            path = each.path
            lines.append(heading(path))
        owner = each.lexical_path.rpartition(".")[0]
        shown = display(cut_signature(each.signature) or f"{each.kind} {each.name}")
        lines.append(symbol(path, each.start_line, each.end_line, shown, f"[{display(owner)}]" if owner else ""))
    return lines


def _fitting(references: Sequence[str]) -> list[str]:
    """Return the first references that fit into a message."""
    named: list[str] = []
    room = _MAX_MESSAGE
    for reference in references[:MAX_NAMED]:
        # A truncated reference would name something else. A path or a heading may be a whole sentence that addresses
        # the model; such references stay in data fields.
        if len(reference) <= min(_MAX_REFERENCE, room) and len(reference.split()) == 1:
            named.append(display(reference))
            room -= len(reference)
    return named


def _shorten(words: str, limit: int) -> str:
    return display(words if len(words) <= limit else f"{words[: limit - 3]}...")
