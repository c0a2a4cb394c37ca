"""Call pipeline: parse arguments, find session and root, record the intent, run the handler, record the outcome.

Every call leaves exactly one outcome in the ledger. An unexpected exception becomes an INTERNAL error.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from codeplane import telemetry
from codeplane.base.call_record import EMPTY_RECORD
from codeplane.base.envelope import Answer, envelope, error_envelope, new_request_id
from codeplane.base.errors import CodePlaneError, ErrorCode, internal_error
from codeplane.base.limits import CHARS_PER_TOKEN, MAX_ANSWER_CHARS
from codeplane.base.text_lines import TextLine, agent_text, as_fields
from codeplane.base.warnings import Notice, WarningCode
from codeplane.edits.journal import MutationJournal
from codeplane.index.options import IndexProgress
from codeplane.ledger.events import Event
from codeplane.ledger.ledger import Ledger
from codeplane.operations.health import state_fields
from codeplane.operations.roots import OpenRoot, Roots
from codeplane.processes.memory import resident_bytes
from codeplane.tasks.handles import HandleStore
from codeplane.tasks.model import digest_params
from codeplane.tasks.open_tasks import OpenTasks
from codeplane.tasks.read_history import ReadHistory
from codeplane.tasks.sessions import Session, Sessions, client_digest
from codeplane.tools import catalog
from codeplane.tools.arguments import Arguments, validate
from codeplane.tools.body import count_chars, encode, encode_error, too_large
from codeplane.tools.calls import Call, CallReply, CallRequest, next_call
from codeplane.tools.handler import Handler, load_handler
from codeplane.tools.redaction import redact_fields, redact_text_lines
from codeplane.tools.routing import canonical_call, deprecated_answer, find_tool, read_only_error
from codeplane.tools.spec import Budget, ToolSpec
from codeplane.tools.surface import Format
from codeplane.tools.text.common import error_lines, trailing_lines, warning_lines
from codeplane.workspace.errors import copy_error

_REASONS = {
    ErrorCode.REQUIRES_REINDEX: "index_incompatible",
    ErrorCode.INDEX_NEWER: "index_incompatible",
    ErrorCode.NOT_INDEXED: "not_indexed",
    ErrorCode.NOT_READY: "indexing",
    ErrorCode.INDEX_STALE: "index_stale",
}
_REPAIRS = {
    ErrorCode.REQUIRES_REINDEX: "reindex",
    ErrorCode.NOT_INDEXED: "create",
    ErrorCode.INDEX_STALE: "sync",
}
"""Action of manage_index that resolves the error."""
_OP_TYPES = {"mutations": "mutation", "test_runs": "test_run"}
_OPENING_SECONDS = 0.005


class CallPipeline:
    """Runs calls. Thread-safe."""

    def __init__(
        self,
        roots: Roots,
        sessions: Sessions,
        tasks: OpenTasks,
        handles: HandleStore,
        read_history: ReadHistory,
        ledger: Ledger | None,
        *,
        once: bool = False,
    ) -> None:
        """With `once`, no further call follows, so that no cursors are kept."""
        self._roots = roots
        self._sessions = sessions
        self._tasks = tasks
        self._handles = handles
        self._read_history = read_history
        self._ledger = ledger
        self._once = once

    def call(self, request: CallRequest) -> CallReply:
        run = _Run(self, request)
        with telemetry.bind(op_id=run.request_id):
            body = run.answered()
            run.record_outcome(body)
        return CallReply(body, run.status == "error", run.format is not Format.TEXT)

    def state(self) -> dict[str, object]:
        """State for operators; cheap, never waits."""
        home = self._roots.home.workspace.state()
        return {
            "ready": home.phase == "ready",
            "index": state_fields(home),
            "sessions": self._sessions.sweep(),
            "handles": self._handles.sweep(),
            "memory": {"resident_bytes": resident_bytes(), **self._roots.cache_sizes()},
            **self._ledger_fields(),
        }

    def _ledger_fields(self) -> dict[str, object]:
        ledger = self._ledger
        if ledger is None:
            return {"ledger": "none"}
        fields: dict[str, object] = {"ledger": ledger.availability, "ledger_lost": ledger.lost}
        if ledger.quarantined:
            fields["ledger_put_aside"] = [{"kind": note.kind, "kept_as": note.moved_to} for note in ledger.quarantined]
        return fields

    def drop_caches(self) -> None:
        """Empty what the next calls can read again; for an idle engine."""
        self._roots.drop_caches()

    def leave(self, principal: str) -> None:
        """End the sessions of a client that disconnected, and drop its handles."""
        self._sessions.end(principal)

    def wait_until_open(self, seconds: float) -> None:
        """Wait until the state of the home index is known, at most `seconds`."""
        deadline = time.monotonic() + seconds
        while self._roots.home.workspace.state().phase == "opening" and time.monotonic() < deadline:
            time.sleep(_OPENING_SECONDS)

    def building(self) -> IndexProgress | None:
        """Progress of the home index while it is being built."""
        job = self._roots.home.workspace.state().active_job
        if job is None or job.kind == "sync" or not job.progress.files_total:
            return None
        return job.progress

    def close(self, timeout: float = 1.0) -> None:
        self._roots.close(timeout)
        self._sessions.close()
        if self._ledger is not None:
            self._ledger.close()


class _Run:
    """State of one call, from its request to its row in the ledger."""

    def __init__(self, pipeline: CallPipeline, request: CallRequest) -> None:
        self._pipeline = pipeline
        self._request = request
        self._started = time.monotonic()
        self._session: Session | None = None
        self._named_session = False
        self._warnings: tuple[Notice, ...] = ()
        self._path: dict[str, object] = {}
        self._elsewhere: Path | None = None
        self._intent: int | None = None
        self._journal: MutationJournal | None = None
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
        redacts = self._redacts and not answer.shows_secrets
        if self.format is Format.JSON:
            fields = envelope(answer, self._meta())
            body = encode(redact_fields(fields) if redacts else fields)
        else:
            body = self._text_body(redact_text_lines(self._rendered) if redacts else self._rendered)
        size = count_chars(body)
        # Answers for people go to a terminal, not into the context of a model.
        fits = size <= MAX_ANSWER_CHARS or self._request.surface.everything
        return body if fits else self._failed(too_large(size))

    def record_outcome(self, body: bytes) -> None:
        tokens = len(body) // CHARS_PER_TOKEN
        if self._session is not None:
            self._pipeline._tasks.spend(self._session, tokens)
        ledger, journal = self._pipeline._ledger, self._journal
        if journal is not None:
            self._intent = journal.intent
        if ledger is not None and (journal is None or not journal.is_finished):
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
                # The effect has happened, so the answer is still sent; the ledger writes the row later.
                telemetry.warn("the outcome of a call is not on disk yet", error=error.code.name)

    def _answer(self) -> Answer:
        spec = find_tool(self._request.tool, self._request.surface)
        sent = validate(spec, self._request.arguments)
        sent.pop("format", None)
        session = self._enter(spec, sent)
        older, values = spec.deprecated, sent
        if older is not None:
            self._warnings += (Notice(WarningCode.DEPRECATED_TOOL, {"use": older.canonical}),)
            spec, values = canonical_call(spec, sent)
        handler = load_handler(spec)
        arguments = handler.arguments.parse(values)
        budget = self._admit(spec, handler, values, arguments, session)
        # Registering another repository is an effect, too.
        root = self._root(spec, values)
        self._elsewhere = root.path if root.path != self._pipeline._roots.home.path else None
        answer = handler.run(self._call(root, session), arguments)
        repeated = self._pipeline._tasks.note(session, answer.record, budget)
        if repeated is not None:
            self._warnings += (Notice(repeated),)
        if self.format is Format.JSON and older is not None:
            answer = deprecated_answer(self._request.tool, older, handler, sent, answer)
        if self._warnings:
            answer = replace(answer, warnings=(*self._warnings, *answer.warnings))
        if self.format is not Format.JSON:
            lines = list(answer.lines if answer.lines is not None else handler.render(arguments, answer))
            self._rendered = [*lines, *trailing_lines(answer, {line.path for line in lines})]
        return answer

    def _admit(
        self,
        spec: ToolSpec,
        handler: Handler[Any],
        values: Mapping[str, object],
        arguments: Arguments,
        session: Session,
    ) -> Budget | None:
        """Reject what may not run; record the intent of a call with an effect. Return the budget that it consumes."""
        ledger = self._pipeline._ledger
        self._path = {"path": values["path"]} if "path" in values and not spec.path_names_file else {}
        effect = spec.has_effect(values)
        if effect and self._request.surface.read_only:
            raise read_only_error(spec)
        if handler.check is not None:
            handler.check(arguments)
        self._require_active()
        budget = spec.charged_budget(values)
        if effect:
            self._op_type = _OP_TYPES[budget] if budget else str(values.get("action", spec.name))
        if not spec.is_task_tool:
            self._pipeline._tasks.admit(session, budget)
        if effect and spec.records_intent:
            self._journal = MutationJournal(ledger, self._event(), self._started)
        elif effect and ledger is not None:
            self._intent = ledger.intent(self._event())
            # Writing it may have taken long.
            self._require_active()
        return budget

    def _call(self, root: OpenRoot, session: Session) -> Call:
        request, pipeline = self._request, self._pipeline
        return Call(
            root=root,
            roots=pipeline._roots,
            session=session,
            handles=pipeline._handles,
            read_history=pipeline._read_history,
            tasks=pipeline._tasks,
            surface=request.surface,
            request_id=self.request_id,
            progress=request.progress,
            cancelled=request.cancelled,
            once=pipeline._once,
            shared=request.shared,
            retry_key=request.retry_key,
            is_retry=request.is_retry,
            format=self.format,
            journal=self._journal,
        )

    def _enter(self, spec: ToolSpec, arguments: dict[str, object]) -> Session:
        """Return the session of the call, bound to the task that the call names or continues."""
        request, pipeline = self._request, self._pipeline
        session_id = arguments.pop("session_id", None)
        self._named_session = session_id is not None
        session = pipeline._sessions.resolve(request.principal, str(session_id) if session_id else None)
        self._session = session
        if session.fresh and pipeline._ledger is not None:
            lost = pipeline._ledger.take_interrupted(client_digest(request.principal))
            self._warnings += tuple(Notice(WarningCode.TASK_INTERRUPTED, {"task_id": task_id}) for task_id in lost)
        named = None if spec.is_task_tool else arguments.pop("task_id", None)
        session = pipeline._tasks.bind(session, str(named) if named else None, by_name=request.shared)
        self._session = session
        self._is_in_task = session.explicit and not spec.is_task_tool
        return session

    def _require_active(self) -> None:
        if self._request.cancelled():
            raise CodePlaneError(ErrorCode.CANCELLED, "the call was cancelled before it started; nothing was done")

    def _root(self, spec: ToolSpec, arguments: Mapping[str, object]) -> OpenRoot:
        path = None if spec.path_names_file else arguments.get("path")
        if path is not None and spec.name == "manage_index" and arguments.get("action") == "create":
            return self._pipeline._roots.register(str(path))
        return self._pipeline._roots.resolve(str(path) if path is not None else None)

    def _failed(self, error: CodePlaneError) -> bytes:
        self._error = error.code
        action = _REPAIRS.get(error.code)
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
            # Where it was raised, the calls that this client can make are not known.
            error = copy_error(error)
            error.remedy = f"Make the call in hints.{action}." if "tool" in hint else f"Run '{hint['command']}'."
        fields: Mapping[str, object] = error_envelope(
            error, self._meta(), self._warnings, hints, _REASONS.get(error.code)
        )
        self.status = str(fields["status"])
        if self.format is Format.TEXT:
            lines = [*error_lines(error, self._request.tool, hints), *warning_lines(self._warnings)]
            return self._text_body(redact_text_lines(lines) if self._redacts else lines)
        return encode_error(redact_fields(fields) if self._redacts else fields)

    @property
    def _redacts(self) -> bool:
        return self._pipeline._roots.home.context.config.secrets.redact

    def _text_body(self, lines: list[TextLine]) -> bytes:
        if self.format is Format.LINES:
            return encode({"status": self.status, "lines": as_fields(lines)})
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
