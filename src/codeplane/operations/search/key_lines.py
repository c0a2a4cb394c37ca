"""Lines of private keys among the hits of a search: the answer has one line, but not the frame of the key."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from codeplane.base.credentials import is_in_key, is_key_line, redact
from codeplane.base.errors import CodePlaneError
from codeplane.base.limits import MAX_LEXICAL_BYTES
from codeplane.disk.safe_open import Root
from codeplane.operations.search.hit_context import HitContext
from codeplane.operations.search.model import Hit


def hide_key_lines(root: Path, hits: Iterable[Hit]) -> tuple[Hit, ...]:
    """Return the hits with lines of private keys redacted."""
    return tuple(
        hit._replace(snippet=_hide(root, hit.path, hit.snippet), evidence=_hide(root, hit.path, hit.evidence))
        if is_key_line(hit.snippet) or is_key_line(hit.evidence)
        else hit
        for hit in hits
    )


def hide_key_bodies(root: Path, hits: Sequence[Hit], contexts: Sequence[HitContext]) -> tuple[HitContext, ...]:
    """Return the contexts of hits with private keys redacted that begin before the body shown."""
    return tuple(
        replace(context, body=_hide(root, hit.path, context.body)) for hit, context in zip(hits, contexts, strict=False)
    )


def _hide(root: Path, path: str, text: str) -> str:
    first = text.partition("\n")[0]
    if not is_key_line(first):
        return text
    try:
        with Root.open(root) as opened:
            data = opened.read_file(path, MAX_LEXICAL_BYTES).data
    except CodePlaneError:
        return text
    at = data.find(first.strip().encode())
    return redact(text, in_key=True) if at >= 0 and is_in_key(data, at) else text
