"""One function that is declared in some places and defined in another: whoever reads it means the definition.

A prototype of a header, the signatures of an overloaded function. A declaration gives way only to a definition that
it declares; two definitions stay two.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from codeplane.languages.registry import find
from codeplane.operations.reading.symbols import Matches, Span
from codeplane.operations.signatures import parameters_of

_BRACED = frozenset({"c", "cpp", "typescript", "tsx"})
_OVERLOAD = re.compile(r"\s*@(?:\w+\.)?overload\b")


class Text(NamedTuple):
    """A symbol as it is written, and in which language."""

    language: str
    text: str


def without_declarations(matches: Matches, read: Callable[[Span], Text | None]) -> Matches:
    """The definitions, where all that is found besides are declarations of them; these are named."""
    if not 1 < matches.total == len(matches.spans):
        return matches
    texts = {span: read(span) for span in matches.spans}
    declared = [span for span, text in texts.items() if text is not None and _is_declaration(span, text)]
    defined = [span for span in matches.spans if span not in declared]
    given = [span for span in declared if any(_declares(span, other, texts[span]) for other in defined)]
    left = tuple(span for span in matches.spans if span not in given)
    return Matches(left, len(left), declarations=_references(given)) if given else matches


def _is_declaration(span: Span, written: Text) -> bool:
    if written.language == "python":
        return _OVERLOAD.match(written.text) is not None
    # A signature may hold braces; a body lies behind it.
    return written.language in _BRACED and "{" not in " ".join(written.text.split())[len(span.signature) :]


def _declares(declared: Span, defined: Span, written: Text | None) -> bool:
    if (declared.lexical_path, declared.kind) != (defined.lexical_path, defined.kind) or written is None:
        return False
    language = find(written.language)
    if language is None or language.announces is None:
        return declared.path == defined.path
    return language.announces(parameters_of(declared.signature), parameters_of(defined.signature))


def _references(spans: Sequence[Span]) -> tuple[str, ...]:
    return tuple(span.reference for span in spans)
