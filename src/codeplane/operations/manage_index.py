"""The life of an index on request: create, rebuild, sync, look, clear. What is needless is refused or said.

Every action answers in the same shape; whoever asks branches on status and reason, never on
words.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence

from codeplane.base.envelope import Answer
from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.warnings import Notice, WarningCode
from codeplane.index.options import IndexProgress, SyncReport
from codeplane.languages.registry import languages
from codeplane.operations.health import index_word, job_fields, progress_fields, startup_checks
from codeplane.operations.read_meta import report_meta
from codeplane.operations.roots import OpenRoot
from codeplane.store.codec import storable
from codeplane.store.registry import RootSettings, read_settings, write_settings
from codeplane.workspace.compatibility import IGNORE_ONLY, PROBE_FAILED, UNKNOWN, Preflight, incompatible_error
from codeplane.workspace.freshness import ActiveJob, WorkspaceState, report_notices
from codeplane.workspace.requests import IndexJob

SuggestCall = Callable[[Mapping[str, object], str], dict[str, object]]
"""A next call of manage_index with these arguments, or the command that stands for it."""
ReportProgress = Callable[[float, float | None, str], None]
Cancelled = Callable[[], bool]

_WAIT_SECONDS = 0.2
_OPENING_SECONDS = 5.0
_OPENING_SLICE = 0.002
_MAX_SETTINGS = 100
_MAX_PATTERN_CHARS = 300
_MAX_SUFFIX_CHARS = 40
_SHOWN_SETTINGS = 10
_WARNINGS = {
    IGNORE_ONLY: WarningCode.REINDEX_UNNECESSARY_IGNORE_ONLY,
    UNKNOWN: WarningCode.REINDEX_PREFLIGHT_UNKNOWN,
    PROBE_FAILED: WarningCode.IGNORE_POLICY_PROBE_FAILED,
}


def create(
    root: OpenRoot,
    *,
    force: bool,
    settings: RootSettings | None,
    wait: bool,
    suggest: SuggestCall,
    tell: ReportProgress,
    cancelled: Cancelled,
) -> Answer:
    state = root.workspace.state()
    _require_lock(state)
    built: SyncReport | None = None
    if state.phase == "building" and state.active_job is not None:
        if not wait:
            return _indexing(state.active_job)
        built = _waited(root, root.workspace.build(force=False), tell, cancelled)
        state = root.workspace.state()
    changed = _settle(root, settings)
    if state.phase == "ready" and not force:
        if changed:
            return sync(root, tell=tell, cancelled=cancelled)
        if built is not None:
            return _built(built)
        return Answer(
            {"files": state.last_report.files} if state.last_report is not None else {},
            reason="already_indexed",
            message="The index is there and is kept up to date.",
            hints={"sync": suggest({"action": "sync"}, "cpl init")},
            meta={"epoch": state.epoch} if state.epoch is not None else {},
        )
    if state.phase == "incompatible" and not force:
        raise _incompatible(state)
    return _build(root, force=force, wait=wait, tell=tell, cancelled=cancelled)


def reindex(
    root: OpenRoot,
    *,
    allow_unnecessary: bool,
    settings: RootSettings | None,
    wait: bool,
    suggest: SuggestCall,
    tell: ReportProgress,
    cancelled: Cancelled,
) -> Answer:
    state = root.workspace.state()
    _require_lock(state)
    if state.active_job is not None and state.active_job.kind != "sync":
        if not wait:
            return _indexing(state.active_job)
        if settings is None:
            # What is being built is as new as what was asked for.
            return _build(root, force=True, wait=True, tell=tell, cancelled=cancelled)
        _waited(root, root.workspace.build(force=True), tell, cancelled)
    preflight = root.workspace.preflight()
    fields = preflight_fields(preflight)
    warnings = tuple(Notice(code) for code in [_WARNINGS.get(preflight.outcome)] if code is not None)
    if preflight.outcome == IGNORE_ONLY and not allow_unnecessary and settings is None:
        return Answer(
            {"preflight": fields},
            status="blocked",
            reason="unnecessary_reindex_ignore_only",
            message="Only ignore rules changed; a sync is enough.",
            warnings=warnings,
            hints={
                "sync": suggest({"action": "sync"}, "cpl init"),
                "override_reindex": suggest(
                    {"action": "reindex", "allow_unnecessary_reindex": True},
                    "cpl call manage_index action=reindex allow_unnecessary_reindex=true",
                ),
            },
        )
    _settle(root, settings)
    answer = _build(root, force=True, wait=wait, tell=tell, cancelled=cancelled)
    hints: dict[str, object] = {"preflight": {"probe_failed": True}} if preflight.outcome == PROBE_FAILED else {}
    return Answer(
        {**answer.result, "preflight": fields},
        status=answer.status,
        reason="preflight_unknown" if preflight.outcome == UNKNOWN else answer.reason,
        message=answer.message,
        warnings=(*warnings, *answer.warnings),
        hints=hints,
        meta=answer.meta,
    )


def sync(root: OpenRoot, *, tell: ReportProgress, cancelled: Cancelled) -> Answer:
    report = root.workspace.sync(_reporter(tell), cancelled)
    message = "Up to date." if not report.changed else "Brought up to date."
    return Answer(
        report_fields(report),
        message=message,
        warnings=report_notices(report),
        meta=report_meta(report),
    )


def status(root: OpenRoot) -> Answer:
    """How the index stands. A status that was asked for is answered, whatever it is."""
    state = root.workspace.state()
    if state.phase == "incompatible":
        raise _incompatible(state)
    if state.phase == "error" and state.last_error is not None:
        raise _failed(state, state.last_error)
    fields: dict[str, object] = {"index_status": index_word(state.phase, state.published)}
    fields["startup_checks"] = startup_checks(state)
    if state.active_job is not None:
        fields["active_job"] = job_fields(state.active_job)
    if state.last_report is not None:
        fields["files"] = state.last_report.files
    if state.lock_owner is not None:
        fields["lock_owner"] = state.lock_owner
    settled = _settled(root)
    fields |= _first("ignore_patterns", settled.ignore_patterns)
    fields |= _first("custom_extensions", [f"{suffix}={name}" for suffix, name in settled.extensions])
    meta = {"epoch": state.epoch} if state.epoch is not None else {}
    if state.phase in ("opening", "building") or (state.phase == "waiting" and not state.published):
        return Answer(fields, status="not_ready", reason="indexing", message="The index is being built.", meta=meta)
    if state.phase == "absent":
        return Answer(fields, status="not_indexed", reason="not_indexed", message="There is no index.", meta=meta)
    ready = state.phase == "ready"
    message = "The index is ready." if ready else "Another process keeps the index; it is read as it is."
    return Answer(fields, message=message, meta=meta)


def clear(root: OpenRoot, *, confirm: bool) -> Answer:
    if not confirm:
        raise CodePlaneError(
            ErrorCode.CONFIRMATION_REQUIRED,
            "clear removes the index of this repository",
            expected="confirm: true",
            example={"action": "clear", "confirm": True},
            remedy="Sources, configuration and ledger stay; the index can be built again.",
        )
    report = root.workspace.clear(False)
    return Answer(
        {"removed": list(report.removed), "bytes": report.bytes},
        message="The index was removed." if report.removed else "There was nothing to remove.",
    )


def parse_settings(patterns: tuple[str, ...] | None, extensions: tuple[str, ...] | None) -> RootSettings | None:
    """What was asked to hold for this repository from now on; None when nothing was."""
    if patterns is None and extensions is None:
        return None
    for name, given in (("ignore_patterns", patterns), ("custom_extensions", extensions)):
        if given is not None and len(given) > _MAX_SETTINGS:
            raise CodePlaneError(
                ErrorCode.ARGUMENT_INVALID,
                f"'{name}' are too many",
                expected=f"at most {_MAX_SETTINGS}",
                received=str(len(given)),
                remedy="Put the rest into the .cplignore of the root." if name == "ignore_patterns" else None,
            )
    for pattern in patterns or ():
        whole = storable(pattern) == pattern
        if not pattern.strip() or "\n" in pattern or len(pattern) > _MAX_PATTERN_CHARS or not whole:
            raise CodePlaneError(
                ErrorCode.ARGUMENT_INVALID,
                "an ignore pattern is one line as in .gitignore",
                expected=f"patterns of one line of valid text each, of at most {_MAX_PATTERN_CHARS} characters",
                received=repr(pattern[:80]),
                example={"action": "create", "ignore_patterns": ["*.generated.ts"]},
            )
    return RootSettings(tuple(patterns or ()), tuple(sorted(_extension(item) for item in extensions or ())))


def report_fields(report: SyncReport) -> dict[str, object]:
    fields: dict[str, object] = {"decision": report.decision, "files": report.files}
    counts = (("added", report.added), ("modified", report.modified), ("removed", report.removed))
    fields.update((name, count) for name, count in (*counts, ("pending", report.pending)) if count)
    if report.reconciled:
        fields["reconciled_ignores"] = True
    return fields


def preflight_fields(preflight: Preflight) -> dict[str, object]:
    """The outcome itself says whether ignore rules changed."""
    told = {name: value for name, value in preflight.diagnostics.items() if name != "ignore_rules_changed"}
    return {"outcome": preflight.outcome, **told}


def _extension(item: str) -> tuple[str, str]:
    suffix, equals, name = item.strip().partition("=")
    known = sorted(language.name for language in languages())
    usable = suffix.startswith(".") and "/" not in suffix and len(suffix) <= _MAX_SUFFIX_CHARS
    if not equals or not usable or name.lower() not in known:
        raise CodePlaneError(
            ErrorCode.ARGUMENT_INVALID,
            "a custom extension says which language it is parsed as; all text is searchable without one",
            expected=f".ext=language with one of {', '.join(known)}",
            received=item[:80],
            example={"action": "create", "custom_extensions": [".pyx=python"]},
        )
    return suffix.lower(), name.lower()


def _first(name: str, values: Sequence[str]) -> dict[str, object]:
    """As much of a setting as fits into a status, and how much there is where that is more."""
    fields: dict[str, object] = {name: list(values[:_SHOWN_SETTINGS])} if values else {}
    return fields | ({f"{name}_total": len(values)} if len(values) > _SHOWN_SETTINGS else {})


def _settle(root: OpenRoot, settings: RootSettings | None) -> bool:
    """Keep the settings for every later look; whether they are others than before."""
    if settings is None or settings == _settled(root):
        return False
    failed = write_settings(root.context.user_state, root.path, settings)
    if failed is not None:
        raise CodePlaneError(
            ErrorCode.STATE_DIRECTORY_READ_ONLY,
            "the settings of this repository cannot be kept",
            details={"why": failed.reason},
        )
    root.workspace.reconfigure()
    return True


def _settled(root: OpenRoot) -> RootSettings:
    return read_settings(root.context.user_state, root.path)


def _build(root: OpenRoot, *, force: bool, wait: bool, tell: ReportProgress, cancelled: Cancelled) -> Answer:
    job = root.workspace.build(force=force)
    if not wait:
        fields = {"active_job": {"kind": job.kind, "id": job.id, **progress_fields(job.progress)}}
        return Answer(fields, reason="indexing", message="Indexing has begun; health_check shows how far it is.")
    return _built(_waited(root, job, tell, cancelled))


def _built(report: SyncReport) -> Answer:
    return Answer(
        report_fields(report),
        message="Indexed.",
        warnings=tuple(notice for notice in report_notices(report) if notice.code is not WarningCode.INDEX_REBUILT),
        meta=report_meta(report),
    )


def _require_lock(state: WorkspaceState) -> None:
    """Nothing is settled for an index that another process keeps."""
    if state.phase == "waiting":
        raise CodePlaneError(
            ErrorCode.INDEX_LOCKED,
            "another process is using the index",
            details={"pid": state.lock_owner} if state.lock_owner is not None else None,
            remedy="Wait until it is done, or end it.",
        )


def _waited(root: OpenRoot, job: IndexJob, tell: ReportProgress, cancelled: Cancelled) -> SyncReport:
    """The build goes on when who waits for it gives up."""
    reporter = _reporter(tell)
    while not job.wait(_WAIT_SECONDS):
        if cancelled():
            raise CodePlaneError(ErrorCode.CANCELLED, "nobody waits any more; the build goes on")
        reporter(job.progress)
    if job.error is not None:
        raise job.error
    assert job.report is not None
    # Whoever was told that it is done asks next, and must not be told that it is not.
    deadline = time.monotonic() + _OPENING_SECONDS
    while root.workspace.state().phase in ("opening", "building") and time.monotonic() < deadline:
        time.sleep(_OPENING_SLICE)
    return job.report


def _reporter(tell: ReportProgress) -> Callable[[IndexProgress], None]:
    """What is told is the phase itself; whoever shows it to a person has the words."""

    def report(progress: IndexProgress) -> None:
        tell(progress.files_done, progress.files_total or None, progress.phase)

    return report


def _indexing(job: ActiveJob) -> Answer:
    return Answer(
        {"active_job": job_fields(job)},
        status="not_ready",
        reason="indexing",
        message="An index is being built already.",
    )


def _incompatible(state: WorkspaceState) -> CodePlaneError:
    """What questions are told too, with the two versions of the schema."""
    if state.compatibility is None:
        return CodePlaneError(ErrorCode.REQUIRES_REINDEX, "the index was built by an incompatible version")
    return _failed(state, incompatible_error(state.compatibility, state.phase))


def _failed(state: WorkspaceState, error: CodePlaneError) -> CodePlaneError:
    """The same error with the checks of the start instead of what they say already."""
    told = {name: value for name, value in error.details.items() if name not in _IN_CHECKS}
    return CodePlaneError(
        error.code, error.message, details={"startup_checks": startup_checks(state), **told}, remedy=error.remedy
    )


_IN_CHECKS = ("differences", "indexed_fingerprint", "runtime_fingerprint")
