"""Health of the server of a repository. Reads known state; never blocks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from codeplane.index.options import IndexProgress
from codeplane.languages.registry import languages
from codeplane.languages.versions import grammar_versions
from codeplane.store.schema import SCHEMA_VERSION
from codeplane.workspace.compatibility import diagnostics
from codeplane.workspace.freshness import ActiveJob, WorkspaceState

_HEALTH = {
    "opening": "warming",
    "waiting": "warming",
    "building": "indexing",
    "absent": "error",
    "incompatible": "error",
    "error": "error",
}
_INDEX_STATUS = {
    "ok": "compatible",
    "absent": "not_indexed",
    "building": "not_indexed",
    "requires_reindex": "reindex_required",
    "newer": "reindex_required",
    "corrupt": "corrupt_manifest",
}


@dataclass(frozen=True)
class Health:
    status: str
    """warming, ready, indexing or error."""
    index_status: str
    tantivy_ok: bool
    sqlite_ok: bool

    @classmethod
    def of(cls, state: WorkspaceState) -> Health:
        verdict = state.compatibility.verdict if state.compatibility is not None else "building"
        usable = verdict == "ok"
        status = _HEALTH.get(state.phase, "ready")
        if state.phase == "waiting" and state.lock_owner is None and usable:
            # Nothing can be written, but the index can be read.
            status = "ready"
        if state.phase == "ready" and state.prewarm in ("pending", "running"):
            status = "warming"
        if state.phase == "ready" and state.prewarm == "failed":
            status = "error"
        if state.phase == "ready" and state.active_job is not None and state.active_job.kind != "sync":
            status = "indexing"
        # A failed prewarm is retried. Reads are answered, as long as they do not meet what failed.
        prewarmed = state.prewarm != "failed"
        return cls(status, _INDEX_STATUS.get(verdict, "not_indexed"), usable and prewarmed, usable)


def health_fields(state: WorkspaceState) -> dict[str, object]:
    """Return the fields of `health_check`."""
    health = Health.of(state)
    fields: dict[str, object] = {
        "status": health.status,
        "tantivy_ok": health.tantivy_ok,
        "sqlite_ok": health.sqlite_ok,
        "grammars": grammars(),
        "prewarm_status": state.prewarm,
        "watcher": state.watcher,
        "startup_checks": startup_checks(state),
    }
    if state.active_job is not None:
        fields["active_job"] = job_fields(state.active_job)
    if state.lock_owner is not None:
        fields["lock_owner"] = state.lock_owner
    if state.unparsed:
        fields["files_not_parsed"] = state.unparsed
    if state.unfinished_writes:
        fields["unfinished_writes"] = [found.as_dict() for found in state.unfinished_writes]
    if state.last_error is not None:
        fields["last_error"] = {"code": state.last_error.code.number, "error": state.last_error.code.name}
    return fields


def state_fields(state: WorkspaceState) -> dict[str, object]:
    """Return a summary of the index state."""
    fields: dict[str, object] = {"status": Health.of(state).status, "phase": state.phase, "watcher": state.watcher}
    fields |= {"prewarm": state.prewarm}
    optional = (("epoch", state.epoch), ("lock_owner", state.lock_owner), ("last_sync", state.last_sync))
    fields.update((name, value) for name, value in optional if value is not None)
    if state.active_job is not None:
        fields["active_job"] = job_fields(state.active_job)
    if state.unparsed:
        fields["files_not_parsed"] = state.unparsed
    if state.last_error is not None:
        fields["last_error"] = state.last_error.code.name
    return fields


def startup_checks(state: WorkspaceState) -> dict[str, object]:
    """Return whether this version can use the index that it found."""
    found = state.compatibility
    index: dict[str, object] = {
        "status": Health.of(state).index_status,
        "current_schema_version": found.indexed.get("schema") if found is not None and found.indexed else None,
        "required_schema_version": str(SCHEMA_VERSION),
    }
    if found is not None and found.differences:
        index |= diagnostics(found)
    return {"index": {name: value for name, value in index.items() if value is not None}}


def is_newer(state: WorkspaceState) -> bool:
    """True if a newer version built the index, which must not be replaced."""
    return state.compatibility is not None and state.compatibility.verdict == "newer"


def index_word(phase: str, published: bool = True) -> str:
    """Return the index state in one word, the same on every surface."""
    if phase == "waiting" and not published:
        # The lock owner of a missing index is building it.
        return "indexing"
    return _INDEX_WORD.get(phase, "failed")


_INDEX_WORD = {
    "ready": "indexed",
    "waiting": "indexed",
    "opening": "indexing",
    "building": "indexing",
    "absent": "not_indexed",
    "incompatible": "requires_reindex",
}


def grammars() -> Mapping[str, object]:
    """Return languages with and without an installed grammar."""
    installed = grammar_versions()
    available = [language.name for language in languages() if installed.get(language.distribution) != "missing"]
    missing = [language.name for language in languages() if language.name not in available]
    return {"available": available} | ({"missing": missing} if missing else {})


def job_fields(job: ActiveJob) -> dict[str, object]:
    return {"kind": job.kind, **({"id": job.id} if job.id else {}), **progress_fields(job.progress)}


def progress_fields(progress: IndexProgress | None) -> Mapping[str, object]:
    if progress is None:
        return {}
    fields: dict[str, object] = {"phase": progress.phase}
    if progress.files_total:
        fields["files_done"] = progress.files_done
        fields["files_total"] = progress.files_total
        fields["percent"] = 100 * progress.files_done // progress.files_total
    return fields
