"""Passages: what is answered of each target, as much of it as one answer has room for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import NamedTuple

from codeplane.base.envelope import status_of
from codeplane.base.errors import CodePlaneError, ErrorCode, ErrorKind
from codeplane.base.limits import CHARS_PER_TOKEN
from codeplane.base.warnings import Notice
from codeplane.operations.read.content_notices import content_notices
from codeplane.operations.read.cut_text import CutLimits, CutPart, CutText, cut_parts
from codeplane.operations.read.document_outline import outline_fields
from codeplane.operations.read.documents import Document
from codeplane.operations.read.locate import LocatedText, NotLocated, locate
from codeplane.operations.read.sources import ReadSources
from codeplane.operations.read.targets import ReadTarget
from codeplane.tasks.reading import GivenLines
from codeplane.tools.calls import Call
from codeplane.tools.handlers.read_budget import Allowance, relevance
from codeplane.tools.handlers.read_request import Request, require_mode
from codeplane.tools.sizes import json_size

ANSWER_ROOM = 21_000
"""Characters of JSON for all passages of an answer."""
LEAST_ROOM = 1_500
"""With less than this left, a passage waits for the next answer."""
WORTH_SAVING = 800
"""Characters; a shorter run of lines is given again rather than referred to."""
_UNBOUNDED = 1 << 40
_FIELDS_ROOM = 900
"""Characters of a passage beside its text and its path."""
_SAID = 6
"""How often a path may be said: as target, as part of a reference, in warnings and in the next call."""
_MAX_ECHO = 300
_MAX_NOTICES = 8


class GivenRun(NamedTuple):
    """Neighbouring lines that earlier answers of the session showed, and that are not shown again."""

    first: int
    last: int
    request_ids: tuple[str, ...]
    """Of those answers, in the order of the lines."""

    def as_dict(self) -> dict[str, object]:
        return {"line_start": self.first, "line_end": self.last, "request_ids": list(self.request_ids)}


@dataclass(frozen=True)
class Passage:
    """One target as it is answered."""

    target: ReadTarget
    fields: dict[str, object]
    status: str = "ok"
    message: str | None = None
    located: LocatedText | None = None
    shown: CutText | None = None
    first: int = 0
    truncated: bool = False
    degraded: bool = False
    parts: tuple[CutPart, ...] = ()
    """The lines that are shown."""
    given: tuple[GivenRun, ...] = ()
    """The lines that are not, since the session has them."""
    tokens: int = 0
    found: LocatedText | NotLocated | None = None
    error: CodePlaneError | None = None

    @property
    def is_cut_away(self) -> bool:
        """Whether there is text, and no room for any of it."""
        return self.truncated and self.shown is not None and not self.shown.content and not self.given

    @property
    def served_by(self) -> str | None:
        """The last of the answers that showed all of these lines before; None if some are shown now."""
        return self.given[-1].request_ids[-1] if self.given and not self.parts else None


class Passages:
    """The passages of one answer, as long as there is room."""

    def __init__(self, call: Call, request: Request, allowance: Allowance, sources: ReadSources) -> None:
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

    def take(self, target: ReadTarget) -> bool:
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

    def _read(self, target: ReadTarget) -> Passage:
        request = self.request
        if target.mode is not None:
            require_mode(request.given, target.mode)
        found = locate(self._sources, target, request.wish)
        require_mode(request.given, found.mode)
        if isinstance(found, NotLocated):
            fields = {"mode": found.mode, "target": (target.symbol or target.written)[:_MAX_ECHO], **found.fields}
            return Passage(target, _fitted(fields, self._room), found.status, found.message, found=found)
        first = found.first + request.offset
        if first > max(1, found.last):
            raise _beyond(found, request.offset)
        lines, chars = self.allowance.bounds(request.limit, request.max_chars)
        extra = found.context | self._outline(found, first, lines)
        taken = json_size(extra) + len(found.path) * _SAID + _FIELDS_ROOM
        # Lines that the session has do not count, unless lines were counted out by the caller or for the outline.
        counted = request.limit is not None or request.annotated
        last = min(found.last, first + lines - 1) if counted else found.last
        runs = self._given(found, first, last)
        bounds = CutLimits(lines, chars, max(0, self._room - taken))
        kept = cut_parts(found.body, first, last, bounds, [(run.first, run.last) for run in runs])
        shown = kept.whole
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
            parts=kept.parts,
            given=tuple(run for run in runs if run.first <= shown.last),
            tokens=self._tokens(found, shown),
            found=found,
        )
        return replace(passage, fields=self._fields(passage))

    def _outline(self, found: LocatedText, first: int, lines: int) -> dict[str, object]:
        if not self.request.annotated or found.document is None:
            return {}
        last = min(found.last, first + lines - 1)
        whole = found.mode == "file" and (first, last) == (1, found.last)
        return outline_fields(self._sources, found.document, None if whole else (first, max(first, last)))

    def _tokens(self, found: LocatedText, shown: CutText) -> int:
        """Of the text that is given; where none is, of all that was asked for."""
        if self.request.text or not found.last:
            return len(shown.content) // CHARS_PER_TOKEN
        return len(found.body.between(found.first, found.last).decode("utf-8")) // CHARS_PER_TOKEN

    def _given(self, found: LocatedText, first: int, last: int) -> list[GivenRun]:
        """Runs of these lines that the session was given of the same text, if they need not be given again."""
        document = found.document
        if self.allowance.gives_again or document is None or found.mode == "diff_preview" or not self.request.text:
            return []
        given = self._call.readings.find_given(self._call.session, found.path, document.digest, first, last)
        return [run for run in _runs(given) if self._is_worth_saving(found, run)]

    def _is_worth_saving(self, found: LocatedText, run: GivenRun) -> bool:
        return len(found.body.between(run.first, run.last).decode("utf-8")) >= WORTH_SAVING

    def _note(self, passage: Passage) -> None:
        found, shown = passage.located, passage.shown
        if found is None or shown is None or not self.request.text:
            return
        self._tell(found.notices)
        if passage.served_by is not None:
            return
        for part in passage.parts:
            first = part.first if found.mode != "diff_preview" else 1
            self._tell(content_notices(found.path, part.content, first))
        if found.document is not None and found.document.body is not None:
            self.whole[found.path] = found.document.body.tokens
        if not self.allowance.observed:
            return
        self.doubts += relevance(self._call, found.path)
        lines = sum(part.last - part.first + 1 for part in passage.parts)
        self._call.readings.note_read(
            self._call.session, found.path, lines, len(shown.content), degraded=passage.degraded
        )
        if found.document is None or found.mode == "diff_preview":
            return
        for part in passage.parts:
            # A line that is cut counts as not shown, and so do those that no part has.
            last = part.last - (shown.within_line and part is passage.parts[-1])
            if part.first <= last:
                given = (found.path, found.document.digest, part.first, last, self._call.request_id)
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
        fields |= _text_fields(passage) if self.request.text else {}
        if found.document is not None:
            fields |= found.document.unusual()
            if self._told.get(found.path) != found.document.digest and not self._knows_digest(found.document):
                fields["file_sha256"] = self._told[found.path] = found.document.digest
        return fields

    def _knows_digest(self, document: Document) -> bool:
        """Whether recent answers showed lines of this version with its digest. JSON has the digest in each answer."""
        if not self._call.wants_text or self.allowance.gives_again:
            return False
        given = self._call.readings.find_given(self._call.session, document.path, document.digest, 1, _UNBOUNDED)
        return bool(given)


def _text_fields(passage: Passage) -> dict[str, object]:
    """The text of a passage, or what stands in its place.

    - `content`: all lines from `line_start` to `line_end`.
    - `already_served`: the session was given all of them before; the request_id of the last answer that showed some.
      If several answers did, `given_before` tells which.
    - `parts` and `given_before`: some of them are new. `parts` is a list of `line_start`, `line_end` and `content`;
      `given_before` a list of `line_start`, `line_end` and `request_ids`, the answers that showed these lines. Together
      they cover the lines from `line_start` to `line_end` of the passage.
    """
    assert passage.shown is not None
    if not passage.given:
        return {"content": passage.shown.content}
    given = [run.as_dict() for run in passage.given]
    if passage.served_by is not None:
        several = len(passage.given) > 1 or len(passage.given[0].request_ids) > 1
        return {"already_served": passage.served_by} | ({"given_before": given} if several else {})
    parts = [{"line_start": part.first, "line_end": part.last, "content": part.content} for part in passage.parts]
    return {"parts": parts, "given_before": given}


def _runs(given: Iterable[GivenLines]) -> list[GivenRun]:
    """Neighbouring lines put together."""
    runs: list[GivenRun] = []
    for lines in given:
        if runs and runs[-1].last + 1 == lines.first:
            before = runs.pop()
            runs.append(GivenRun(before.first, lines.last, (*before.request_ids, lines.request_id)))
        else:
            runs.append(GivenRun(lines.first, lines.last, (lines.request_id,)))
    return [run._replace(request_ids=tuple(dict.fromkeys(run.request_ids))) for run in runs]


def next_target(found: LocatedText, shown: CutText) -> str:
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


def _beyond(found: LocatedText, offset: int) -> CodePlaneError:
    count = found.last - found.first + 1 if found.last else 0
    return CodePlaneError(
        ErrorCode.ARGUMENT_INVALID,
        f"there are {count} lines, fewer than offset skips",
        expected=f"offset of at most {max(0, count - 1)}",
        received=str(offset),
        example={"target": "src/app.py", "offset": 100},
    )
