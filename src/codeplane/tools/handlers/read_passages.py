"""Passages: the lines of each target, as many as fit into one answer."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import NamedTuple

from codeplane.base.credentials import PRIVATE_KEY, is_in_key, redact
from codeplane.base.envelope import status_of
from codeplane.base.errors import CodePlaneError, ErrorCode, ErrorKind
from codeplane.base.limits import CHARS_PER_TOKEN
from codeplane.base.warnings import Notice
from codeplane.operations.read.content_notices import content_notices
from codeplane.operations.read.cut_text import CutLimits, CutPart, CutParts, CutText, cut_parts
from codeplane.operations.read.document_outline import outline_fields
from codeplane.operations.read.documents import Document, TextBody
from codeplane.operations.read.locate import locate
from codeplane.operations.read.model import LocatedText, NotLocated
from codeplane.operations.read.sources import ReadSources
from codeplane.operations.read.targets import ReadTarget
from codeplane.tasks.read_history import ShownLines
from codeplane.tools.body import json_size
from codeplane.tools.calls import Call
from codeplane.tools.handlers.read_full import Allowance, relevance_notices
from codeplane.tools.handlers.read_request import ReadCall, require_mode

ANSWER_CHARS = 21_000
"""Maximum characters of JSON for all passages of an answer."""
MIN_ROOM = 1_500
"""If less is left, the next passage goes to the next answer."""
MIN_OMITTED_CHARS = 800
"""Minimum characters of lines that are left out because the session has them; shorter runs are sent again."""
_UNBOUNDED = 1 << 40
_FIELDS_ROOM = 900
"""Characters of a passage besides its text and path."""
_PATH_REPEATS = 6
"""Maximum repetitions of a path: target, symbol reference, warnings, next call."""
_MAX_ECHO = 300
_MAX_NOTICES = 8


class GivenRun(NamedTuple):
    """Consecutive lines that earlier answers of the session contain, and that are left out."""

    first: int
    last: int
    request_ids: tuple[str, ...]
    """Request ids of those answers, in the order of the lines."""

    def as_dict(self) -> dict[str, object]:
        return {"line_start": self.first, "line_end": self.last, "request_ids": list(self.request_ids)}


@dataclass(frozen=True)
class ReadPassage:
    """Answer for one target."""

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
    """Lines that are sent."""
    given: tuple[GivenRun, ...] = ()
    """Lines that are left out because the session has them."""
    tokens: int = 0
    found: LocatedText | NotLocated | None = None
    error: CodePlaneError | None = None

    @property
    def is_cut_away(self) -> bool:
        """True if there is text but no space for any of it."""
        return self.truncated and self.shown is not None and not self.shown.content and not self.given

    @property
    def served_by(self) -> str | None:
        """Request id of the last answer with these lines; None if some lines are sent now."""
        return self.given[-1].request_ids[-1] if self.given and not self.parts else None


class Passages:
    """Passages of one answer, as long as there is space."""

    def __init__(self, call: Call, request: ReadCall, allowance: Allowance, sources: ReadSources) -> None:
        self._call = call
        self.request = request
        self.allowance = allowance
        self._sources = sources
        self._room = _UNBOUNDED if call.surface.everything else ANSWER_CHARS
        self._sent_digests: dict[str, str] = {}
        """Digests that the answer already contains, by path."""
        self.all: list[ReadPassage] = []
        self.notices: list[Notice] = []
        self.doubts: list[Notice] = []
        self.whole_tokens: dict[str, int] = {}
        """Tokens of each whole file that lines are sent of."""

    def add(self, target: ReadTarget) -> bool:
        """Read a target. Return False if there is no space for it."""
        if self.all and self._room < MIN_ROOM:
            return False
        try:
            passage = self._read(target)
        except CodePlaneError as error:
            if not self.request.is_list or error.code is ErrorCode.CANCELLED:
                raise
            fields = {"target": target.written[:_MAX_ECHO], **_short_error(error)}
            passage = ReadPassage(target, fields, status_of(error), error=error)
        if passage.is_cut_away and self.all:
            return False
        self._note(passage)
        self.all.append(passage)
        self._room -= json_size(passage.fields)
        return True

    def _read(self, target: ReadTarget) -> ReadPassage:
        request = self.request
        if target.mode is not None:
            require_mode(request.mode_parameters, target.mode)
        found = locate(self._sources, target, request.options)
        require_mode(request.mode_parameters, found.mode)
        if isinstance(found, NotLocated):
            fields = {"mode": found.mode, "target": (target.symbol or target.written)[:_MAX_ECHO], **found.fields}
            return ReadPassage(target, _fit_candidates(fields, self._room), found.status, found.message, found=found)
        first = found.first + request.offset
        if first > max(1, found.last):
            raise _beyond(found, request.offset)
        lines, chars = self.allowance.bounds(request.limit, request.max_chars)
        extra = found.context | self._outline(found, first, lines)
        taken = json_size(extra) + len(found.path) * _PATH_REPEATS + _FIELDS_ROOM
        # Lines that the session has do not count, unless the caller or the outline limits the lines.
        counted = request.limit is not None or request.annotated
        last = min(found.last, first + lines - 1) if counted else found.last
        runs = self._omitted_runs(found, first, last)
        bounds = CutLimits(lines, chars, max(0, self._room - taken))
        kept = cut_parts(found.body, first, last, bounds, [(run.first, run.last) for run in runs])
        if not request.shows_secrets:
            kept = _hide_key_bodies(found.body, kept)
        shown = kept.whole
        truncated = request.with_text and (shown.within_line or shown.last < found.last)
        asked = request.limit is not None and shown.last - first + 1 == request.limit and not shown.within_line
        passage = ReadPassage(
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
        """Return the tokens of the text that is sent; without text, those of the whole target."""
        if self.request.with_text or not found.last:
            return len(shown.content) // CHARS_PER_TOKEN
        return len(found.body.between(found.first, found.last).decode("utf-8")) // CHARS_PER_TOKEN

    def _omitted_runs(self, found: LocatedText, first: int, last: int) -> list[GivenRun]:
        """Return runs of these lines that the session has of the same version, unless they are to be sent again."""
        document = found.document
        if self.allowance.resends or document is None or found.mode == "diff_preview" or not self.request.with_text:
            return []
        given = self._call.read_history.find_shown(self._call.session, found.path, document.digest, first, last)
        return [run for run in _merge_runs(given) if self._is_worth_omitting(found, run)]

    def _is_worth_omitting(self, found: LocatedText, run: GivenRun) -> bool:
        return len(found.body.between(run.first, run.last).decode("utf-8")) >= MIN_OMITTED_CHARS

    def _note(self, passage: ReadPassage) -> None:
        found, shown = passage.located, passage.shown
        if found is None or shown is None or not self.request.with_text:
            return
        self._add_notices(found.notices)
        if passage.served_by is not None:
            return
        for part in passage.parts:
            first = part.first if found.mode != "diff_preview" else 1
            shows_secrets = self.request.shows_secrets
            self._add_notices(content_notices(found.path, part.content, first, shows_secrets=shows_secrets))
        if found.document is not None and found.document.body is not None:
            self.whole_tokens[found.path] = found.document.body.tokens
        if not self.allowance.observed:
            return
        self.doubts += relevance_notices(self._call, found.path)
        lines = sum(part.last - part.first + 1 for part in passage.parts)
        self._call.read_history.record_read(
            self._call.session, found.path, lines, len(shown.content), degraded=passage.degraded
        )
        if found.document is None or found.mode == "diff_preview":
            return
        for part in passage.parts:
            # A truncated line counts as not sent, and so do lines outside the parts.
            last = part.last - (shown.within_line and part is passage.parts[-1])
            if part.first <= last:
                given = (found.path, found.document.digest, part.first, last, self._call.request_id)
                self._call.read_history.record_shown(self._call.session, *given)

    def _add_notices(self, notices: Iterable[Notice]) -> None:
        self.notices += [notice for notice in notices if notice not in self.notices]
        del self.notices[_MAX_NOTICES:]

    def _fields(self, passage: ReadPassage) -> dict[str, object]:
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
            fields |= {"against": self.request.options.against, **found.comparison.fields()}
        elif shown.last >= passage.first >= 1:
            fields |= {"line_start": passage.first, "line_end": shown.last}
        if found.mode in ("file", "snippet"):
            fields["line_count"] = found.body.line_count
        fields |= passage.fields
        if passage.truncated:
            left = found.last - shown.last
            fields |= {"lines_left": left} if left else {}
            fields |= {"within_line": True} if shown.within_line else {}
            if self.request.is_list and found.comparison is None:
                fields["next"] = next_target(found, shown)
        fields |= _text_fields(passage) if self.request.with_text else {}
        if found.document is not None:
            fields |= found.document.unusual()
            if self._sent_digests.get(found.path) != found.document.digest and not self._knows_digest(found.document):
                fields["file_sha256"] = self._sent_digests[found.path] = found.document.digest
        return fields

    def _knows_digest(self, document: Document) -> bool:
        """True if a recent answer has the digest of this version. In JSON, every answer has it."""
        if not self._call.wants_text or self.allowance.resends:
            return False
        given = self._call.read_history.find_shown(self._call.session, document.path, document.digest, 1, _UNBOUNDED)
        return bool(given)


def _hide_key_bodies(body: TextBody, kept: CutParts) -> CutParts:
    """Redact the parts that begin within a private key; the pipeline redacts what begins in the part itself."""
    if PRIVATE_KEY not in body.data:
        return kept
    starts = [len(body.between(1, part.first - 1)) for part in kept.parts]
    parts = [
        part._replace(content=redact(part.content, in_key=True)) if is_in_key(body.data, start) else part
        for part, start in zip(kept.parts, starts, strict=True)
    ]
    return kept._replace(parts=tuple(parts))


def _text_fields(passage: ReadPassage) -> dict[str, object]:
    """Return the text of a passage, or references to earlier answers.

    - `content`: all lines from `line_start` to `line_end`.
    - `already_served`: the session has all lines; request_id of the last answer with some of them. If there are
      several, `given_before` lists them.
    - `parts` and `given_before`: some lines are new. `parts` lists `line_start`, `line_end` and `content`;
      `given_before` lists `line_start`, `line_end` and `request_ids` of earlier answers. Together they cover the lines
      from `line_start` to `line_end` of the passage.
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


def _merge_runs(given: Iterable[ShownLines]) -> list[GivenRun]:
    """Merge adjacent lines."""
    runs: list[GivenRun] = []
    for lines in given:
        if runs and runs[-1].last + 1 == lines.first:
            before = runs.pop()
            runs.append(GivenRun(before.first, lines.last, (*before.request_ids, lines.request_id)))
        else:
            runs.append(GivenRun(lines.first, lines.last, (lines.request_id,)))
    return [run._replace(request_ids=tuple(dict.fromkeys(run.request_ids))) for run in runs]


def next_target(found: LocatedText, shown: CutText) -> str:
    """Target of the lines that follow."""
    return f"{found.path}:{shown.last + (not shown.within_line)}-{found.last}"


def _fit_candidates(fields: dict[str, object], room: int) -> dict[str, object]:
    """Drop candidates that do not fit."""
    candidates = fields.get("candidates")
    if not isinstance(candidates, list) or json_size(fields) <= room:
        return fields
    left = fields.get("left_out", 0)
    assert isinstance(left, int)
    while len(candidates) > 1 and json_size(candidates) > room - _FIELDS_ROOM:
        candidates, left = candidates[:-1], left + 1
    return {**fields, "candidates": candidates, "left_out": left}


def _short_error(error: CodePlaneError) -> dict[str, object]:
    fields: dict[str, object] = {"error": error.code.name, "message": error.message}
    # The state of the index is reported by the error of a whole call, with its remedy.
    return fields | ({"details": error.details} if error.details and error.code.kind is not ErrorKind.STATE else {})


def _beyond(found: LocatedText, offset: int) -> CodePlaneError:
    count = found.last - found.first + 1 if found.last else 0
    return CodePlaneError(
        ErrorCode.ARGUMENT_INVALID,
        f"offset {offset} is beyond the last of {count} lines",
        expected=f"offset of at most {max(0, count - 1)}",
        received=str(offset),
        example={"target": "src/app.py", "offset": 100},
    )
