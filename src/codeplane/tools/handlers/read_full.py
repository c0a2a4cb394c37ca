"""Handlers of read_file_full, which reports the size of a file before it sends it, and of reset_budget; and the read
budget of a session: limits on one call, and advice when a session reads too much.

Budgets are advisory by default and never shorten an answer. In a task with limits, or if the configuration enforces
them, answers are cut to a third beyond the budget, and reads are refused at twice the budget.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from shlex import quote

from codeplane.base.call_record import CallRecord
from codeplane.base.credentials import is_in_key, redact
from codeplane.base.envelope import Answer
from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.limits import CHARS_PER_TOKEN
from codeplane.base.paths import RepoPath, display
from codeplane.base.warnings import Notice, WarningCode
from codeplane.config.model import ReadingConfig
from codeplane.disk.safe_open import Root
from codeplane.operations.read.content_notices import content_notices
from codeplane.operations.read.cut_text import CutLimits, piece_of
from codeplane.operations.read.locate import locate
from codeplane.operations.read.model import LocatedText, NotLocated, ReadOptions
from codeplane.operations.read.sources import ReadSources
from codeplane.operations.read.targets import ReadTarget
from codeplane.tasks.model import digest_params
from codeplane.tasks.read_history import BudgetState, ReadBudget
from codeplane.tools.arguments import Arguments
from codeplane.tools.calls import Call, path_argument
from codeplane.tools.handlers.paging import reject_with_cursor, take_rest

PAGE_CHARS = 20_000
PAGE_ROOM = 23_000
_UNBOUNDED = 1 << 40


@dataclass(frozen=True, kw_only=True)
class ReadFileFullArguments(Arguments):
    file: str | None = None
    confirm: bool = False
    cursor: str | None = None
    path: str | None = None


def read_file_full(call: Call, args: ReadFileFullArguments) -> Answer:
    if args.cursor is not None:
        return _next_page(call, args, args.cursor)
    if args.file is None:
        raise CodePlaneError(
            ErrorCode.ARGUMENT_INVALID,
            "read_file_full needs 'file'",
            expected="the path of a file",
            received=", ".join(args.given) or "no arguments",
            example={"file": "src/app.py"},
        )
    found = _locate(call, call.root.path, call.file(args.file))
    if isinstance(found, NotLocated):
        return Answer(found.fields, status=found.status, message=found.message)
    if args.confirm:
        return _page(call, args, found, _FileRest(found.path, "", 0, call.root.path))
    return _size(call, args, found)


@dataclass(frozen=True)
class _FileRest:
    """Rest of a file behind a cursor: the byte offset in one version of the text."""

    file: RepoPath
    digest: str
    offset: int
    root: Path


def _locate(call: Call, place: Path, written: str) -> LocatedText | NotLocated:
    with Root.open(place) as root:
        return locate(ReadSources(root, call.root.workspace), ReadTarget(written, "file"), ReadOptions())


def _size(call: Call, args: ReadFileFullArguments, found: LocatedText) -> Answer:
    document = found.document
    assert document is not None
    tokens = found.body.tokens
    fields: dict[str, object] = {
        "path": found.path,
        "size": document.size,
        "line_count": found.body.line_count,
        "token_estimate": tokens,
        "pages": max(1, -(-tokens * CHARS_PER_TOKEN // PAGE_CHARS)),
        "file_sha256": document.digest,
    }
    place = path_argument(args.path) if call.root.path != call.roots.home.path else {}
    hints = {
        "confirm": call.next_call(
            "read_file_full", {"file": found.path, "confirm": True, **place}, f"cpl read {quote(found.path)}"
        ),
        "outline": call.next_call("file_outline", {"file": found.path, **place}, f"cpl outline {quote(found.path)}"),
    }
    message = "confirm=true returns the text; an outline or single symbols cost less."
    return Answer(fields, message=message, warnings=found.notices, hints=hints)


def _next_page(call: Call, args: ReadFileFullArguments, cursor: str) -> Answer:
    rest = take_rest(call, cursor, _FileRest, "read_file_full")
    reject_with_cursor(cursor, [name for name in args.given if name not in ("cursor", "confirm")], "cursor")
    found = _locate(call, rest.root, rest.file)
    if isinstance(found, NotLocated) or found.document is None or found.document.digest != rest.digest:
        raise CodePlaneError(
            ErrorCode.FILE_CHANGED,
            f"'{display(rest.file)}' changed since the first page",
            remedy="Read it from the beginning.",
        )
    return _page(call, args, found, rest)


def _page(call: Call, args: ReadFileFullArguments, found: LocatedText, rest: _FileRest) -> Answer:
    allowance = find_allowance(call, digest_params(args.as_dict()), True)
    document = found.document
    assert document is not None
    data = found.body.data
    if not allowance.observed:
        bounds = CutLimits(_UNBOUNDED, _UNBOUNDED, _UNBOUNDED)
    else:
        bounds = CutLimits(_UNBOUNDED, PAGE_CHARS, PAGE_ROOM - len(found.path))
    content = piece_of(data, rest.offset, bounds)
    end = rest.offset + len(content.encode("utf-8"))
    if end < len(data) and "\n" in content:
        # End at a line break, if there is one.
        content = content[: content.rindex("\n") + 1]
        end = rest.offset + len(content.encode("utf-8"))
    first = data.count(b"\n", 0, rest.offset) + 1
    last = first + content.count("\n") - content.endswith("\n")
    if call.root.context.config.secrets.redact and is_in_key(data, rest.offset):
        content = redact(content, in_key=True)
    fields: dict[str, object] = {"path": found.path}
    if content:
        fields |= {"line_start": first, "line_end": last}
    fields |= {"line_count": found.body.line_count, "content": content}
    fields |= {**document.unusual(), "file_sha256": document.digest}
    if end < len(data) and not call.once:
        following = _FileRest(found.path, document.digest, end, rest.root)
        cursor = call.mint_cursor(following)
        fields["pagination"] = {"next_cursor": cursor, "total_estimate": len(data) - end}
    if allowance.observed:
        call.read_history.record_read(call.session, found.path, last - first + 1, len(content), degraded=False)
        call.read_history.record_shown(call.session, found.path, document.digest, first, last, call.request_id)
    meta: dict[str, object] = {"token_estimate": len(content) // CHARS_PER_TOKEN}
    meta |= {"truncated": True} if end < len(data) else {}
    shows_secrets = not call.root.context.config.secrets.redact
    notices = (
        *(found.notices if not rest.offset else ()),
        *content_notices(found.path, content, first, shows_secrets=shows_secrets),
    )
    record = CallRecord((found.path,), found.body.tokens)
    return Answer(fields, warnings=notices, meta=meta | budget_meta(call, allowance, ()), record=record)


def reset_budget(call: Call, args: Arguments) -> Answer:
    call.read_history.reset(call.session)
    return Answer({"budget_state": BudgetState.OK.value}, message="The read budget was reset.")


ADVICE = "Use search to narrow scope, then read one symbol by its symbol_ref."
_DEGRADED = 3
"""Factor by which answers are shortened beyond an enforced budget."""


@dataclass(frozen=True)
class Allowance:
    """Limits of one call."""

    budget: ReadBudget
    budget_state: BudgetState = BudgetState.OK
    enforced: bool = False
    observed: bool = True
    """True for the session of an agent; False for a person or a single call, which have no budget."""
    resends: bool = True
    """True if lines that the session has already read are sent again."""

    def bounds(self, limit: int | None, max_chars: int | None) -> tuple[int, int]:
        """Return the maximum lines and characters of one target."""
        if not self.observed:
            return limit or _UNBOUNDED, max_chars or _UNBOUNDED
        budget = self.budget
        lines, chars = limit or budget.max_single_lines, max_chars or budget.max_preview_chars
        if not self.enforced:
            return lines, chars
        lines, chars = min(lines, budget.max_single_lines), min(chars, budget.max_preview_chars)
        if self.budget_state is BudgetState.SOFT:
            return max(1, lines // _DEGRADED), max(1, chars // _DEGRADED)
        return lines, chars


def find_allowance(call: Call, request: str, fresh: bool) -> Allowance:
    """Return the limits of a call. Raises BUDGET_EXCEEDED if an enforced budget is used up."""
    config = call.root.context.config.reading
    budget = _budget(config)
    if call.once or call.surface.everything:
        return Allowance(budget, observed=False)
    repeated = call.read_history.begin(call.session, request)
    budget_state = call.read_history.budget_state(call.session, budget)
    enforced = call.session.explicit or config.enforce
    if enforced and budget_state is BudgetState.HARD:
        raise _exceeded(call, budget)
    return Allowance(budget, budget_state, enforced, resends=fresh or repeated)


def budget_meta(call: Call, allowance: Allowance, doubts: Sequence[Notice]) -> dict[str, object]:
    """Return `stabilization`, if there is something to report: each time an enforced budget applies, and advice only
    now and then."""
    if not allowance.observed:
        return {}
    budget_state = call.read_history.budget_state(call.session, allowance.budget)
    advises = call.read_history.should_mention(call.session, budget_state)
    if not advises and not doubts and not (allowance.enforced and budget_state is not BudgetState.OK):
        return {}
    fields: dict[str, object] = {"budget_state": budget_state.value}
    if advises:
        fields["suggested_next_action"] = ADVICE
    if doubts:
        fields["warnings"] = [doubt.as_dict() for doubt in doubts]
    if advises:
        fields["metrics_snapshot"] = call.read_history.metrics(call.session).as_dict()
    return {"stabilization": fields}


def relevance_notices(call: Call, path: str) -> list[Notice]:
    """Warn about a file that is unrelated to the results of recent searches, and name related ones."""
    others = call.read_history.suggest_instead(call.session, path)
    return [Notice(WarningCode.LOW_RELEVANCE, {"path": path, "found": list(others)})] if others else []


def _budget(config: ReadingConfig) -> ReadBudget:
    return ReadBudget(config.max_reads, config.max_total_lines, config.max_single_lines, config.max_preview_chars)


def _exceeded(call: Call, budget: ReadBudget) -> CodePlaneError:
    metrics = call.read_history.metrics(call.session)
    return CodePlaneError(
        ErrorCode.BUDGET_EXCEEDED,
        f"Read budget exceeded. Use search to narrow scope: {metrics.reads_count} reads, "
        f"{metrics.reads_lines_total} lines.",
        details={
            "metrics": metrics.as_dict(),
            "max_reads": budget.max_reads,
            "max_total_lines": budget.max_total_lines,
            "next": call.next_call("search", {"query": "what you look for"}, "cpl search WORDS"),
        },
        remedy="Search, or reset the count with reset_budget." if call.shows("reset_budget") else ADVICE,
    )
