"""Index lifecycle on request: create, reindex, sync, status, clear. Unnecessary work is refused or reported.

Every action answers in the same shape; callers branch on status and reason, never on messages.
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
"""Suggests a next manage_index call with these arguments, or the equivalent command."""
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
            return _indexing_answer(state.active_job)
        built = _wait_for(root, root.workspace.build(force=False), tell, cancelled)
        state = root.workspace.state()
    changed = _save_settings(root, settings)
    if state.phase == "ready" and not force:
        if changed:
            return sync(root, tell=tell, cancelled=cancelled)
        if built is not None:
            return _built_answer(built)
        return Answer(
            {"files": state.last_report.files} if state.last_report is not None else {},
            reason="already_indexed",
            message="The index exists and is kept up to date.",
            hints={"sync": suggest({"action": "sync"}, "cpl init")},
            meta={"epoch": state.epoch} if state.epoch is not None else {},
        )
    if state.phase == "incompatible" and not force:
        raise _incompatible_error(state)
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
            return _indexing_answer(state.active_job)
        if settings is None:
            # The running build is as fresh as the requested one.
            return _build(root, force=True, wait=True, tell=tell, cancelled=cancelled)
        _wait_for(root, root.workspace.build(force=True), tell, cancelled)
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
    _save_settings(root, settings)
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
    message = "Up to date." if not report.changed else "Updated."
    return Answer(
        report_fields(report),
        message=message,
        warnings=report_notices(report),
        meta=report_meta(report),
    )


def status(root: OpenRoot) -> Answer:
    """Return the index status; a failed index is an error."""
    state = root.workspace.state()
    if state.phase == "incompatible":
        raise _incompatible_error(state)
    if state.phase == "error" and state.last_error is not None:
        raise _failed_error(state, state.last_error)
    fields: dict[str, object] = {"index_status": index_word(state.phase, state.published)}
    fields["startup_checks"] = startup_checks(state)
    if state.active_job is not None:
        fields["active_job"] = job_fields(state.active_job)
    if state.last_report is not None:
        fields["files"] = state.last_report.files
    if state.lock_owner is not None:
        fields["lock_owner"] = state.lock_owner
    settled = _read_settings(root)
    fields |= _first_values("ignore_patterns", settled.ignore_patterns)
    fields |= _first_values("custom_extensions", [f"{suffix}={name}" for suffix, name in settled.extensions])
    meta = {"epoch": state.epoch} if state.epoch is not None else {}
    if state.phase in ("opening", "building") or (state.phase == "waiting" and not state.published):
        return Answer(fields, status="not_ready", reason="indexing", message="The index is being built.", meta=meta)
    if state.phase == "absent":
        return Answer(fields, status="not_indexed", reason="not_indexed", message="There is no index.", meta=meta)
    ready = state.phase == "ready"
    message = "The index is ready." if ready else "Another process owns the index; it is read as it is."
    return Answer(fields, message=message, meta=meta)


def clear(root: OpenRoot, *, confirm: bool) -> Answer:
    if not confirm:
        raise CodePlaneError(
            ErrorCode.CONFIRMATION_REQUIRED,
            "clear removes the index of this repository",
            expected="confirm: true",
            example={"action": "clear", "confirm": True},
            remedy="Source files, configuration and ledger stay; the index can be rebuilt.",
        )
    report = root.workspace.clear(False)
    return Answer(
        {"removed": list(report.removed), "bytes": report.bytes},
        message="The index was removed." if report.removed else "There was nothing to remove.",
    )


def parse_settings(patterns: tuple[str, ...] | None, extensions: tuple[str, ...] | None) -> RootSettings | None:
    """Parse per-repository settings; None if none are given."""
    if patterns is None and extensions is None:
        return None
    for name, values in (("ignore_patterns", patterns), ("custom_extensions", extensions)):
        if values is not None and len(values) > _MAX_SETTINGS:
            raise CodePlaneError(
                ErrorCode.ARGUMENT_INVALID,
                f"too many '{name}'",
                expected=f"at most {_MAX_SETTINGS}",
                received=str(len(values)),
                remedy="Put the rest into the root .cplignore." if name == "ignore_patterns" else None,
            )
    for pattern in patterns or ():
        whole = storable(pattern) == pattern
        if not pattern.strip() or "\n" in pattern or len(pattern) > _MAX_PATTERN_CHARS or not whole:
            raise CodePlaneError(
                ErrorCode.ARGUMENT_INVALID,
                "an ignore pattern must be one line in .gitignore syntax",
                expected=f"single-line patterns of valid text, at most {_MAX_PATTERN_CHARS} characters each",
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
    """Return the preflight fields; the outcome itself says whether ignore rules changed."""
    fields = {name: value for name, value in preflight.diagnostics.items() if name != "ignore_rules_changed"}
    return {"outcome": preflight.outcome, **fields}


def _extension(item: str) -> tuple[str, str]:
    suffix, equals, name = item.strip().partition("=")
    known = sorted(language.name for language in languages())
    usable = suffix.startswith(".") and "/" not in suffix and len(suffix) <= _MAX_SUFFIX_CHARS
    if not equals or not usable or name.lower() not in known:
        raise CodePlaneError(
            ErrorCode.ARGUMENT_INVALID,
            "a custom extension needs a language to parse it as; text is searchable without one",
            expected=f".ext=language with one of {', '.join(known)}",
            received=item[:80],
            example={"action": "create", "custom_extensions": [".pyx=python"]},
        )
    return suffix.lower(), name.lower()


def _first_values(name: str, values: Sequence[str]) -> dict[str, object]:
    """Return the first values of a setting, and their total if there are more."""
    fields: dict[str, object] = {name: list(values[:_SHOWN_SETTINGS])} if values else {}
    return fields | ({f"{name}_total": len(values)} if len(values) > _SHOWN_SETTINGS else {})


def _save_settings(root: OpenRoot, settings: RootSettings | None) -> bool:
    """Save the settings for later syncs; return True if they changed."""
    if settings is None or settings == _read_settings(root):
        return False
    failed = write_settings(root.context.user_state, root.path, settings)
    if failed is not None:
        raise CodePlaneError(
            ErrorCode.STATE_DIRECTORY_READ_ONLY,
            "the settings of this repository cannot be saved",
            details={"why": failed.reason},
        )
    root.workspace.reconfigure()
    return True


def _read_settings(root: OpenRoot) -> RootSettings:
    return read_settings(root.context.user_state, root.path)


def _build(root: OpenRoot, *, force: bool, wait: bool, tell: ReportProgress, cancelled: Cancelled) -> Answer:
    job = root.workspace.build(force=force)
    if not wait:
        fields = {"active_job": {"kind": job.kind, "id": job.id, **progress_fields(job.progress)}}
        return Answer(fields, reason="indexing", message="Indexing has started; health_check shows the progress.")
    return _built_answer(_wait_for(root, job, tell, cancelled))


def _built_answer(report: SyncReport) -> Answer:
    return Answer(
        report_fields(report),
        message="Indexed.",
        warnings=tuple(notice for notice in report_notices(report) if notice.code is not WarningCode.INDEX_REBUILT),
        meta=report_meta(report),
    )


def _require_lock(state: WorkspaceState) -> None:
    """Raise INDEX_LOCKED if another process owns the index."""
    if state.phase == "waiting":
        raise CodePlaneError(
            ErrorCode.INDEX_LOCKED,
            "another process is using the index",
            details={"pid": state.lock_owner} if state.lock_owner is not None else None,
            remedy="Wait until it has finished, or stop it.",
        )


def _wait_for(root: OpenRoot, job: IndexJob, tell: ReportProgress, cancelled: Cancelled) -> SyncReport:
    """Wait for a build until the index is published; its references are resolved later.

    If the request is cancelled, the build continues. The start and the end of even a short build are reported.
    """
    reporter = _reporter(tell)
    reporter(job.progress)
    while not job.wait(_WAIT_SECONDS):
        if cancelled():
            raise CodePlaneError(ErrorCode.CANCELLED, "request cancelled; the build continues in the background")
        reporter(job.progress)
    if job.error is not None:
        raise job.error
    assert job.report is not None
    reporter(job.progress)
    # The next call must not be fields that the index is still opening.
    deadline = time.monotonic() + _OPENING_SECONDS
    while root.workspace.state().phase in ("opening", "building") and time.monotonic() < deadline:
        time.sleep(_OPENING_SLICE)
    return job.report


def _reporter(tell: ReportProgress) -> Callable[[IndexProgress], None]:
    """Report the phase itself; the presentation layer has the words."""

    def report(progress: IndexProgress) -> None:
        tell(progress.files_done, progress.files_total or None, progress.phase)

    return report


def _indexing_answer(job: ActiveJob) -> Answer:
    return Answer(
        {"active_job": job_fields(job)},
        status="not_ready",
        reason="indexing",
        message="The index is already being built.",
    )


def _incompatible_error(state: WorkspaceState) -> CodePlaneError:
    """Return the error that queries raise, with both schema versions."""
    if state.compatibility is None:
        return CodePlaneError(ErrorCode.REQUIRES_REINDEX, "the index was built by an incompatible version")
    return _failed_error(state, incompatible_error(state.compatibility, state.phase))


def _failed_error(state: WorkspaceState, error: CodePlaneError) -> CodePlaneError:
    """Replace details that the startup checks already contain."""
    fields = {name: value for name, value in error.details.items() if name not in _CHECK_DETAILS}
    return CodePlaneError(
        error.code, error.message, details={"startup_checks": startup_checks(state), **fields}, remedy=error.remedy
    )


_CHECK_DETAILS = ("differences", "indexed_fingerprint", "runtime_fingerprint")
