"""The way of every call: validate, find session and root, note the intent, answer, note the outcome.

One call leaves exactly one outcome in the ledger, whatever happens in it. An exception that
nobody foresaw is an answer too.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import orjson

from codeplane import telemetry
from codeplane.base.call_record import EMPTY_RECORD
from codeplane.base.envelope import Answer, envelope, error_envelope, new_request_id
from codeplane.base.errors import CodePlaneError, ErrorCode, internal_error
from codeplane.base.limits import CHARS_PER_TOKEN, MAX_ANSWER_CHARS
from codeplane.base.text_lines import TextLine, agent_text, as_fields
from codeplane.base.warnings import Notice, WarningCode
from codeplane.index.options import IndexProgress
from codeplane.ledger.events import Event
from codeplane.ledger.ledger import Ledger
from codeplane.operations.editing.editor import Editor
from codeplane.operations.health import state_fields
from codeplane.operations.roots import OpenRoot, Roots
from codeplane.tasks.handles import Handles
from codeplane.tasks.model import digest_params
from codeplane.tasks.open_tasks import OpenTasks
from codeplane.tasks.reading import Readings
from codeplane.tasks.sessions import Session, Sessions, client_digest
from codeplane.tools import catalog
from codeplane.tools.arguments import example, nearest, shown, validate
from codeplane.tools.calls import Call, CallReply, CallRequest, next_call, path_argument
from codeplane.tools.compat_names import camelled, echoed
from codeplane.tools.formats import Format
from codeplane.tools.handlers import ARGUMENTS, CHECKS, HANDLERS, RESULTS
from codeplane.tools.journal import CallJournal
from codeplane.tools.spec import ToolSpec
from codeplane.tools.surface import Surface
from codeplane.tools.text import render_answer
from codeplane.tools.text.common import error_lines, warning_lines
from codeplane.workspace.waiting import copy_error

_REASONS = {
    ErrorCode.REQUIRES_REINDEX: "index_incompatible",
    ErrorCode.INDEX_NEWER: "index_incompatible",
    ErrorCode.NOT_INDEXED: "not_indexed",
    ErrorCode.NOT_READY: "indexing",
    ErrorCode.INDEX_STALE: "index_stale",
}
_MENDS = {
    ErrorCode.REQUIRES_REINDEX: "reindex",
    ErrorCode.NOT_INDEXED: "create",
    ErrorCode.INDEX_STALE: "sync",
}
"""The action of manage_index that does away with an error."""
_OP_TYPES = {"mutations": "mutation", "test_runs": "test_run"}
_MAX_ECHO = 500
_OPENING_SECONDS = 0.005


class Pipeline:
    """Thread-safe: many calls at a time."""

    def __init__(
        self,
        roots: Roots,
        sessions: Sessions,
        tasks: OpenTasks,
        handles: Handles,
        readings: Readings,
        ledger: Ledger | None,
        editor: Editor | None = None,
        *,
        once: bool = False,
    ) -> None:
        """With `once` no second call can come, so that nothing is kept for one."""
        self._roots = roots
        self._sessions = sessions
        self._tasks = tasks
        self._handles = handles
        self._readings = readings
        self._ledger = ledger
        self._editor = editor
        self._once = once

    def call(self, request: CallRequest) -> CallReply:
        run = _Run(self, request)
        with telemetry.bind(op_id=run.request_id):
            body = run.answered()
            run.record_outcome(body)
        return CallReply(body, run.status == "error", run.format is not Format.TEXT)

    def state(self) -> dict[str, object]:
        """What an operator wants to know; cheap, and never waits."""
        home = self._roots.home.workspace.state()
        return {
            "ready": home.phase == "ready",
            "index": state_fields(home),
            "sessions": self._sessions.sweep(),
            "handles": self._handles.sweep(),
            **self._ledger_fields(),
        }

    def _ledger_fields(self) -> dict[str, object]:
        ledger = self._ledger
        if ledger is None:
            return {"ledger": "none"}
        fields: dict[str, object] = {"ledger": ledger.availability, "ledger_lost": ledger.lost}
        if ledger.quarantined:
            fields["ledger_put_aside"] = [{"kind": file.kind, "kept_as": file.moved_to} for file in ledger.quarantined]
        return fields

    def leave(self, principal: str) -> None:
        """Somebody who asked is gone: their sessions end, and what was kept for them is forgotten."""
        self._sessions.end(principal)

    def wait_until_open(self, seconds: float) -> None:
        """Until it is known how the index of home stands, within a time."""
        deadline = time.monotonic() + seconds
        while self._roots.home.workspace.state().phase == "opening" and time.monotonic() < deadline:
            time.sleep(_OPENING_SECONDS)

    def building(self) -> IndexProgress | None:
        """How far the index of home is, while it is being built."""
        job = self._roots.home.workspace.state().active_job
        if job is None or job.kind == "sync" or not job.progress.files_total:
            return None
        return job.progress

    def close(self, timeout: float = 1.0) -> None:
        if self._editor is not None:
            self._editor.close(timeout)
        self._roots.close(timeout)
        self._sessions.close()
        if self._ledger is not None:
            self._ledger.close()


class _Run:
    """One call, from its first byte to its row in the ledger."""

    def __init__(self, pipeline: Pipeline, request: CallRequest) -> None:
        self._pipeline = pipeline
        self._request = request
        self._started = time.monotonic()
        self._session: Session | None = None
        self._named_session = False
        self._warnings: tuple[Notice, ...] = ()
        self._path: dict[str, object] = {}
        self._elsewhere: Path | None = None
        self._intent: int | None = None
        self._journal: CallJournal | None = None
        self._error: ErrorCode | None = None
        self._epoch: int | None = None
        self._record = EMPTY_RECORD
        self._op_type = "read"
        self._is_in_task = False
        self.format = request.format
        self._rendered: list[TextLine] = []
        self.request_id = new_request_id()
        self.status = "error"

    def answered(self) -> bytes:
        try:
            answer = self._answer()
        except CodePlaneError as error:
            return self._failed(error)
        except Exception as error:
            telemetry.error("call failed", tool=self._request.tool, **telemetry.describe(error))
            return self._failed(internal_error(error))
        self.status = answer.status
        self._record = answer.record
        epoch = answer.meta.get("epoch")
        self._epoch = epoch if isinstance(epoch, int) else None
        body = _dump(envelope(answer, self._meta())) if self.format is Format.JSON else self._text_body(self._rendered)
        size = _chars(body)
        # What a person asks for goes to a terminal, not into the context of a model.
        fits = size <= MAX_ANSWER_CHARS or self._request.surface.everything
        return body if fits else self._failed(_too_large(size))

    def record_outcome(self, body: bytes) -> None:
        tokens = len(body) // CHARS_PER_TOKEN
        if self._session is not None:
            self._pipeline._tasks.spend(self._session, tokens)
        ledger, journal = self._pipeline._ledger, self._journal
        if journal is not None:
            self._intent = journal.intent
        if ledger is not None and (journal is None or not journal.is_over):
            event = replace(
                self._event(),
                epoch=self._epoch,
                intent=self._intent,
                status=self.status,
                error_code=self._error.number if self._error is not None else None,
                duration_ms=round((time.monotonic() - self._started) * 1000),
                tokens_given=tokens,
                record=self._record,
            )
            try:
                ledger.outcome(event)
            except CodePlaneError as error:
                # What was done is done, and its answer must not be lost with the row: the ledger keeps that for later.
                telemetry.warn("the outcome of a call is not on the disk yet", error=error.code.name)

    def _answer(self) -> Answer:
        request = self._request
        spec = _find(request.tool, request.surface)
        arguments = validate(spec, request.arguments)
        arguments.pop("format", None)
        session = self._enter(spec, arguments)
        older, sent = spec.deprecated, arguments
        if older is not None:
            self._warnings += (Notice(WarningCode.DEPRECATED_TOOL, {"use": older.canonical}),)
            spec, arguments = _canonical(spec, arguments)
        self._path = {} if spec.path_names_file else path_argument(arguments)
        effect = spec.has_effect(arguments)
        if effect and request.surface.read_only:
            raise _read_only(spec)
        check = CHECKS.get(spec.name)
        if check is not None:
            check(arguments)
        self._require_wanted()
        counts = spec.counts_as(arguments)
        if effect:
            self._op_type = _OP_TYPES[counts] if counts else str(arguments.get("action", spec.name))
        if not spec.names_tasks:
            self._pipeline._tasks.admit(session, counts)
        if effect and spec.journals:
            self._journal = CallJournal(self._pipeline._ledger, self._event(), self._started)
        elif effect and self._pipeline._ledger is not None:
            self._intent = self._pipeline._ledger.intent(self._event())
            # The disk may have kept it waiting.
            self._require_wanted()
        # That another repository is added is an effect too.
        root = self._root(spec, arguments)
        self._elsewhere = root.path if root.path != self._pipeline._roots.home.path else None
        call = Call(
            root=root,
            roots=self._pipeline._roots,
            session=session,
            handles=self._pipeline._handles,
            readings=self._pipeline._readings,
            tasks=self._pipeline._tasks,
            surface=request.surface,
            request_id=self.request_id,
            progress=request.progress,
            cancelled=request.cancelled,
            once=self._pipeline._once,
            shared=request.shared,
            format=self.format,
            editor=self._pipeline._editor,
            journal=self._journal,
        )
        answer = HANDLERS[spec.name](call, arguments)
        repeated = self._pipeline._tasks.note(session, answer.record, counts)
        if repeated is not None:
            self._warnings += (Notice(repeated),)
        if self.format is not Format.JSON:
            answer = replace(answer, warnings=(*self._warnings, *answer.warnings))
            self._rendered = render_answer(spec.name, arguments, answer)
            return answer
        if older is not None and request.tool in RESULTS:
            answer = replace(answer, result=RESULTS[request.tool](sent, answer.result))
        if older is not None and older.camel_case:
            answer = replace(answer, result=camelled(answer.result), hints=camelled(answer.hints))
        if older is not None and older.echoes:
            answer = replace(answer, result={**echoed(older, sent, answer.meta), **answer.result})
        return replace(answer, warnings=(*self._warnings, *answer.warnings)) if self._warnings else answer

    def _enter(self, spec: ToolSpec, arguments: dict[str, object]) -> Session:
        """The session of the call, within the task that it names or goes on with."""
        request, pipeline = self._request, self._pipeline
        session_id = arguments.pop("session_id", None)
        self._named_session = session_id is not None
        session = pipeline._sessions.resolve(request.principal, str(session_id) if session_id else None)
        self._session = session
        if session.fresh and pipeline._ledger is not None:
            lost = pipeline._ledger.take_interrupted(client_digest(request.principal))
            self._warnings += tuple(Notice(WarningCode.TASK_INTERRUPTED, {"task_id": task_id}) for task_id in lost)
        named = None if spec.names_tasks else arguments.pop("task_id", None)
        session = pipeline._tasks.bind(session, str(named) if named else None, by_name=request.shared)
        self._session = session
        self._is_in_task = session.explicit and not spec.names_tasks
        return session

    def _require_wanted(self) -> None:
        if self._request.cancelled():
            raise CodePlaneError(ErrorCode.CANCELLED, "the call was cancelled before it began; nothing was done")

    def _root(self, spec: ToolSpec, arguments: Mapping[str, object]) -> OpenRoot:
        path = None if spec.path_names_file else arguments.get("path")
        if path is not None and spec.name == "manage_index" and arguments.get("action") == "create":
            return self._pipeline._roots.register(str(path))
        return self._pipeline._roots.resolve(str(path) if path is not None else None)

    def _failed(self, error: CodePlaneError) -> bytes:
        self._error = error.code
        action = _MENDS.get(error.code)
        hints: dict[str, object] = {}
        if error.code in (ErrorCode.TASK_BUDGET_EXCEEDED, ErrorCode.TASK_CLOSED):
            surface = self._request.surface
            hints["open_task"] = next_call(surface, "task", {"action": "open"}, "cpl call task action=open")
        if error.code is ErrorCode.TASK_BUDGET_EXCEEDED:
            self._record = replace(EMPTY_RECORD, limit_triggered=f"max_{error.details['budget_type']}")
        if action is not None:
            arguments = {"action": action, **self._path}
            hint = next_call(self._request.surface, "manage_index", arguments, "cpl init", self._elsewhere)
            hints[action] = hint
            # Whoever raised it could not know which calls this client can make.
            error = copy_error(error)
            error.remedy = f"Make the call in hints.{action}." if "tool" in hint else f"Run '{hint['command']}'."
        fields = error_envelope(error, self._meta(), self._warnings, hints, _REASONS.get(error.code))
        self.status = str(fields["status"])
        if self.format is Format.TEXT:
            lines = [*error_lines(error, self._request.tool, hints), *warning_lines(self._warnings)]
            return self._text_body(lines)
        body = _dump(fields)
        return body if _chars(body) <= MAX_ANSWER_CHARS else _dump(_shortened(fields))

    def _text_body(self, lines: list[TextLine]) -> bytes:
        if self.format is Format.LINES:
            return _dump({"status": self.status, "lines": as_fields(lines)})
        return agent_text(lines).encode("utf-8", "backslashreplace")

    def _meta(self) -> dict[str, object]:
        meta: dict[str, object] = {"request_id": self.request_id, "timestamp_ms": time.time_ns() // 1_000_000}
        session = self._session
        if session is not None and (self._named_session or session.fresh):
            meta["session_id"] = session.id
        if session is not None and self._is_in_task:
            meta |= {"task_id": session.task_id, "task_state": self._pipeline._tasks.state(session).value}
        return meta

    def _event(self) -> Event:
        request, session = self._request, self._session
        return Event(
            tool=request.tool if request.tool in catalog.BY_NAME else "unknown",
            request_id=self.request_id,
            session_id=session.id if session is not None else None,
            task_id=session.task_id if session is not None else None,
            op_type=self._op_type,
            params_digest=digest_params(request.arguments),
        )


def _find(name: str, surface: Surface) -> ToolSpec:
    spec = catalog.BY_NAME.get(name)
    if spec is not None and surface.reaches(spec):
        return spec
    known = [candidate.name for candidate in catalog.visible(surface)]
    guess: str | None = nearest(name, known)
    if spec is not None:
        # What a name that is hidden here resembles may do something else altogether.
        guess = spec.deprecated.canonical if spec.deprecated and spec.deprecated.canonical in known else None
    remedy = f"Use '{guess}'." if guess else None
    if spec is not None:
        remedy = f"It is in the toolset '{spec.category}': start the server with --toolsets, or run 'cpl call {name}'."
    raise CodePlaneError(
        ErrorCode.UNKNOWN_TOOL,
        f"there is no tool '{shown(name)}' here",
        expected=guess or ", ".join(known),
        received=shown(name),
        example=example(catalog.BY_NAME[guess]) if guess else None,
        remedy=remedy,
    )


def _canonical(spec: ToolSpec, arguments: Mapping[str, object]) -> tuple[ToolSpec, dict[str, object]]:
    """The call that an older name stands for, with the defaults of the canonical tool."""
    assert spec.deprecated is not None
    renames = spec.deprecated.renames
    adapt = ARGUMENTS.get(spec.name)
    own = adapt(arguments) if adapt is not None else arguments
    renamed = {renames.get(name, name): value for name, value in own.items()}
    canonical = catalog.BY_NAME[spec.deprecated.canonical]
    return canonical, validate(canonical, {**renamed, **spec.deprecated.fixed})


def _read_only(spec: ToolSpec) -> CodePlaneError:
    allowed = "; ".join(f"{name}: {', '.join(map(_word, values))}" for name, values in spec.harmless.items())
    return CodePlaneError(
        ErrorCode.READ_ONLY,
        f"this server is read-only, and {spec.name} would change something",
        expected=allowed or "a tool without effects",
        remedy="A person can start the server without --read-only.",
    )


def _word(value: str | bool) -> str:
    return value if isinstance(value, str) else str(value).lower()


def _too_large(size: int) -> CodePlaneError:
    return CodePlaneError(
        ErrorCode.ANSWER_TOO_LARGE,
        f"the answer has {size} characters, and may have {MAX_ANSWER_CHARS}",
        remedy="Ask for less: a smaller limit, a smaller depth, fewer sections.",
    )


def _shortened(fields: Mapping[str, object]) -> dict[str, object]:
    """An error that tells the caller's own words back, cut to what is enough to recognise them."""
    error = fields["error"]
    assert isinstance(error, dict)
    kept = {name: value for name, value in error.items() if name not in ("details", "example")}
    cut = {name: value[:_MAX_ECHO] if isinstance(value, str) else value for name, value in kept.items()}
    return {**fields, "error": cut}


def _dump(fields: Mapping[str, object]) -> bytes:
    try:
        return orjson.dumps(fields, default=str)
    except orjson.JSONEncodeError:
        return orjson.dumps(_valid(fields), default=str)


def _chars(body: bytes) -> int:
    return len(body) if len(body) <= MAX_ANSWER_CHARS else len(body.decode("utf-8"))


def _valid(value: object) -> object:
    """Names on disk need not be valid text; what is not is shown escaped."""
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode("utf-8")
    if isinstance(value, Mapping):
        return {str(_valid(key)): _valid(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_valid(item) for item in value]
    return value
