"""Outline that accompanies a text, of the same bytes or not at all."""

from __future__ import annotations

from codeplane.base.envelope import status_of
from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.operations.outline import Outline, OutlineOptions, file_outline, show_outline
from codeplane.operations.outline_tree import Window
from codeplane.operations.read.documents import Document
from codeplane.operations.read.sources import ReadSources, parse_document
from codeplane.query.files import get_file
from codeplane.query.snapshot import Snapshot

MAX_CHARS = 5_000
_POLICIES = (None, "strict")


def outline_fields(sources: ReadSources, document: Document, window: Window | None) -> dict[str, object]:
    """Return the outline; `outline_status` says why there is none."""

    def ask(snapshot: Snapshot) -> tuple[str | None, Outline]:
        found = file_outline(snapshot, document.path, OutlineOptions(window=window, max_chars=MAX_CHARS))
        known = get_file(snapshot, document.path)
        return known.digest if known is not None else None, found

    for policy in _POLICIES:
        try:
            read = sources.workspace.read(
                ask, policy or sources.policy, file=document.path, cancelled=sources.cancelled
            )
        except CodePlaneError as error:
            if error.code is ErrorCode.CANCELLED:
                raise
            if error.code is ErrorCode.NOT_READY:
                return _parsed_fields(sources, document, window)
            return {"outline_status": "not_indexed" if error.code is ErrorCode.FILE_NOT_FOUND else status_of(error)}
        indexed, found = read.value
        if indexed == document.digest:
            return _fields(found)
    return {"outline_status": "stale"}


def _parsed_fields(sources: ReadSources, document: Document, window: Window | None) -> dict[str, object]:
    found = parse_document(sources, document.path)
    if found is None or found[0].digest != document.digest:
        return {"outline_status": "not_ready"}
    return _fields(show_outline(found[1], OutlineOptions(window=window, max_chars=MAX_CHARS)))


def _fields(found: Outline) -> dict[str, object]:
    symbols = [node.as_dict() for node in found.symbols]
    fields: dict[str, object] = {"outline_status": "ok", "outline": symbols, "has_more": found.has_more}
    return fields | ({"left_out": found.left_out} if found.left_out else {})
