"""Passages: what is answered of each target, as much of it as one answer has room for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from codeplane.base.envelope import status_of
from codeplane.base.errors import CodePlaneError, ErrorCode, ErrorKind
from codeplane.base.limits import CHARS_PER_TOKEN
from codeplane.base.warnings import Notice
from codeplane.operations.reading.cutting import Bounds, Cut, cut
from codeplane.operations.reading.locating import Located, Unlocated, locate
from codeplane.operations.reading.outlines import outline_fields
from codeplane.operations.reading.signs import signs
from codeplane.operations.reading.sources import Sources
from codeplane.operations.reading.targets import Target
from codeplane.tools.calls import Call
from codeplane.tools.handlers.reading_budget import Allowance, relevance
from codeplane.tools.handlers.reading_request import Request, require_mode
from codeplane.tools.sizes import json_size

ANSWER_ROOM = 21_000
"""Characters of JSON for all passages of an answer."""
LEAST_ROOM = 1_500
"""With less than this left, a passage waits for the next answer."""
WORTH_SAVING = 800
"""Characters; what is shorter is given again rather than referred to."""
_UNBOUNDED = 1 << 40
_FIELDS_ROOM = 900
"""Characters of a passage beside its text and its path."""
_SAID = 6
"""How often a path may be said: as target, as part of a reference, in warnings and in the next call."""
_MAX_ECHO = 300
_MAX_NOTICES = 8


@dataclass(frozen=True)
class Passage:
    """One target as it is answered."""

    target: Target
    fields: dict[str, object]
    status: str = "ok"
    message: str | None = None
    located: Located | None = None
    shown: Cut | None = None
    first: int = 0
    truncated: bool = False
    degraded: bool = False
    served_by: str | None = None
    tokens: int = 0
    found: Located | Unlocated | None = None
    error: CodePlaneError | None = None

    @property
    def is_cut_away(self) -> bool:
        """Whether there is text, and no room for any of it."""
        return self.truncated and self.shown is not None and not self.shown.content


class Passages:
    """The passages of one answer, as long as there is room."""

    def __init__(self, call: Call, request: Request, allowance: Allowance, sources: Sources) -> None:
        self._call = call
        self.request = request
        self.allowance = allowance
        self._sources = sources
        self._room = _UNBOUNDED if call.surface.everything else ANSWER_ROOM
        self._told: dict[str, str] = {}
        """Digests that the answer has said already, by path."""
        self.all: list[Passage] = []
        self.notices: list[Notice] = []
        self.doubts: list[Notice] = []
        self.whole: dict[str, int] = {}
        """Tokens of each file of which something is given."""

    def take(self, target: Target) -> bool:
        """Whether there was room for it."""
        if self.all and self._room < LEAST_ROOM:
            return False
        try:
            passage = self._read(target)
        except CodePlaneError as error:
            if not self.request.many or error.code is ErrorCode.CANCELLED:
                raise
            fields = {"target": target.written[:_MAX_ECHO], **_short_error(error)}
            passage = Passage(target, fields, status_of(error), error=error)
        if passage.is_cut_away and self.all:
            return False
        self._note(passage)
        self.all.append(passage)
        self._room -= json_size(passage.fields)
        return True

    def _read(self, target: Target) -> Passage:
        request = self.request
        if target.mode is not None:
            require_mode(request.given, target.mode)
        found = locate(self._sources, target, request.wish)
        require_mode(request.given, found.mode)
        if isinstance(found, Unlocated):
            fields = {"mode": found.mode, "target": (target.symbol or target.written)[:_MAX_ECHO], **found.fields}
            return Passage(target, _fitted(fields, self._room), found.status, found.message, found=found)
        first = found.first + request.offset
        if first > max(1, found.last):
            raise _beyond(found, request.offset)
        lines, chars = self.allowance.bounds(request.limit, request.max_chars)
        extra = found.context | self._outline(found, first, lines)
        taken = json_size(extra) + len(found.path) * _SAID + _FIELDS_ROOM
        shown = cut(found.body, first, found.last, Bounds(lines, chars, max(0, self._room - taken)))
        truncated = request.text and (shown.within_line or shown.last < found.last)
        asked = request.limit is not None and shown.last - first + 1 == request.limit and not shown.within_line
        passage = Passage(
            target,
            extra,
            located=found,
            shown=shown,
            first=first,
            truncated=truncated,
            degraded=truncated and not asked,
            served_by=self._served_by(found, first, shown),
            tokens=self._tokens(found, shown),
            found=found,
        )
        return replace(passage, fields=self._fields(passage))

    def _outline(self, found: Located, first: int, lines: int) -> dict[str, object]:
        if not self.request.annotated or found.document is None:
            return {}
        last = min(found.last, first + lines - 1)
        whole = found.mode == "file" and (first, last) == (1, found.last)
        return outline_fields(self._sources, found.document, None if whole else (first, max(first, last)))

    def _tokens(self, found: Located, shown: Cut) -> int:
        """Of the text that is given; where none is, of all that was asked for."""
        if self.request.text or not found.last:
            return len(shown.content) // CHARS_PER_TOKEN
        return len(found.body.between(found.first, found.last).decode("utf-8")) // CHARS_PER_TOKEN

    def _served_by(self, found: Located, first: int, shown: Cut) -> str | None:
        """The request that gave the same lines of the same text to this session, if they need not be given again."""
        document = found.document
        if self.allowance.gives_again or document is None or found.mode == "diff_preview" or not self.request.text:
            return None
        if len(shown.content) < WORTH_SAVING or shown.within_line:
            return None
        return self._call.readings.find_served(self._call.session, found.path, document.digest, first, shown.last)

    def _note(self, passage: Passage) -> None:
        found, shown = passage.located, passage.shown
        if found is None or shown is None or not self.request.text:
            return
        self._tell(found.notices)
        if passage.served_by is not None:
            return
        first = passage.first if found.mode != "diff_preview" else 1
        self._tell(signs(found.path, shown.content, first))
        if found.document is not None and found.document.body is not None:
            self.whole[found.path] = found.document.body.tokens
        if not self.allowance.observed:
            return
        self.doubts += relevance(self._call, found.path)
        lines = max(0, shown.last - passage.first + 1)
        self._call.readings.note_read(
            self._call.session, found.path, lines, len(shown.content), degraded=passage.degraded
        )
        if found.document is not None and found.mode != "diff_preview" and not shown.within_line:
            given = (found.path, found.document.digest, passage.first, shown.last, self._call.request_id)
            self._call.readings.note_served(self._call.session, *given)

    def _tell(self, notices: Iterable[Notice]) -> None:
        self.notices += [notice for notice in notices if notice not in self.notices]
        del self.notices[_MAX_NOTICES:]

    def _fields(self, passage: Passage) -> dict[str, object]:
        found, shown, target = passage.located, passage.shown, passage.target
        assert found is not None and shown is not None
        fields: dict[str, object] = {"mode": found.mode}
        reference = found.symbol.reference if found.symbol is not None else None
        if target.written not in (found.path, reference):
            fields["target"] = (target.symbol or target.written)[:_MAX_ECHO]
        fields["path"] = found.path
        if found.symbol is not None:
            fields |= {"symbol_ref": reference, "kind": found.symbol.kind}
        if found.comparison is not None:
            fields |= {"against": self.request.wish.against, **found.comparison.fields()}
        elif shown.last >= passage.first >= 1:
            fields |= {"line_start": passage.first, "line_end": shown.last}
        if found.mode in ("file", "snippet"):
            fields["line_count"] = found.body.line_count
        fields |= passage.fields
        if passage.truncated:
            left = found.last - shown.last
            fields |= {"lines_left": left} if left else {}
            fields |= {"within_line": True} if shown.within_line else {}
            if self.request.many and found.comparison is None:
                fields["next"] = next_target(found, shown)
        if passage.served_by is not None:
            fields["already_served"] = passage.served_by
        elif self.request.text:
            fields["content"] = shown.content
        if found.document is not None:
            fields |= found.document.unusual()
            if self._told.get(found.path) != found.document.digest:
                fields["file_sha256"] = self._told[found.path] = found.document.digest
        return fields


def next_target(found: Located, shown: Cut) -> str:
    """The lines that were not shown any more."""
    return f"{found.path}:{shown.last + (not shown.within_line)}-{found.last}"


def _fitted(fields: dict[str, object], room: int) -> dict[str, object]:
    """With as many candidates as there is room for."""
    candidates = fields.get("candidates")
    if not isinstance(candidates, list) or json_size(fields) <= room:
        return fields
    left = fields.get("left_out", 0)
    assert isinstance(left, int)
    while len(candidates) > 1 and json_size(candidates) > room - _FIELDS_ROOM:
        candidates, left = candidates[:-1], left + 1
    return {**fields, "candidates": candidates, "left_out": left}


def _short_error(error: CodePlaneError) -> dict[str, object]:
    told: dict[str, object] = {"error": error.code.name, "message": error.message}
    # How the index stands is told with the error of a call, which names the way out.
    return told | ({"details": error.details} if error.details and error.code.kind is not ErrorKind.STATE else {})


def _beyond(found: Located, offset: int) -> CodePlaneError:
    count = found.last - found.first + 1 if found.last else 0
    return CodePlaneError(
        ErrorCode.ARGUMENT_INVALID,
        f"there are {count} lines, fewer than offset skips",
        expected=f"offset of at most {max(0, count - 1)}",
        received=str(offset),
        example={"target": "src/app.py", "offset": 100},
    )
