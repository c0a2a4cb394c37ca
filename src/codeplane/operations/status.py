"""State of the index of a repository. Read-only; takes no lock."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from codeplane.disk.locks import find_owner
from codeplane.git.index_stamp import index_stamp
from codeplane.index.fingerprint import runtime_fingerprint
from codeplane.operations.context import Context
from codeplane.operations.settings import index_options, overlay_enabled
from codeplane.query.files import list_files, summarize_index
from codeplane.query.snapshot import open_current
from codeplane.store.integrity import IndexCheck, Verdict, verify
from codeplane.store.layout import StateDirectory, open_state
from codeplane.store.records import FileState
from codeplane.store.registry import read_binding

_MAX_SET_ASIDE = 100


@dataclass(frozen=True)
class Status:
    state: str
    """ready, absent, building, requires_reindex, newer or corrupt."""
    root: Path
    reason: str | None = None
    repo_uuid: str | None = None
    index_version: str = ""
    """Versions of schema, extractor and tokenizer of this program."""
    generation: str | None = None
    epoch: int | None = None
    merkle_root: str | None = None
    head: str | None = None
    moved: bool = False
    """True if git changed since the last sync, so the next sync has work."""
    last_sync: float | None = None
    files: int = 0
    definitions: int = 0
    references: int = 0
    pending: int = 0
    languages: tuple[tuple[str, int, int, int], ...] = ()
    skipped: tuple[tuple[str, int], ...] = ()
    set_aside: tuple[tuple[str, str], ...] = ()
    source_bytes: int = 0
    index_bytes: int = 0
    cap_bytes: int = 0
    differences: tuple[str, ...] = ()
    """Fingerprint parts that differ from those of the index."""
    lock_owner: int | None = None
    overlay: str = "on"
    log_path: Path | None = None


def status(context: Context) -> Status:
    state, rules = open_state(context.root), runtime_fingerprint()
    found = verify(state, rules, read_binding(context.user_state, context.root))
    base = Status(
        state="ready" if found.verdict is Verdict.OK else found.verdict.value,
        root=context.root,
        reason=found.reason,
        repo_uuid=found.repo_uuid,
        index_version=f"{rules.schema}/{rules.extractor}/{rules.tokenizer}",
        generation=found.generation.name if found.generation else None,
        index_bytes=state.size_bytes() if state is not None else 0,
        differences=tuple(found.differences),
        lock_owner=find_owner(state.lock_path) if state is not None else None,
        overlay="on" if overlay_enabled(context) else "off",
        log_path=context.root / ".codeplane" / "logs" / "codeplane.jsonl",
    )
    if found.verdict is not Verdict.OK or state is None:
        return base
    return _with_contents(base, found, state, context)


def _with_contents(base: Status, found: IndexCheck, state: StateDirectory, context: Context) -> Status:
    assert found.epoch is not None
    with open_current(state, lexical=False) as snapshot:
        totals = summarize_index(snapshot)
        failed = list_files(snapshot, _MAX_SET_ASIDE, state=FileState.FAILED)
        pending = int(snapshot.reader.meta("pending") or 0)
        full = snapshot.reader.meta("pending_why") == "full"
    stamp = index_stamp(context.root)
    seen = (found.epoch.repo_version.get("index_mtime_ns"), found.epoch.repo_version.get("index_size"))
    fields = {
        "moved": stamp is not None and stamp != seen,
        "state": "building" if pending and not full else base.state,
        "reason": f"the size limit is reached; {pending} files are not indexed" if pending and full else base.reason,
        "epoch": found.epoch.epoch,
        "merkle_root": found.epoch.merkle_root,
        "head": found.epoch.head,
        "last_sync": found.epoch.published_ns / 1e9,
        "files": totals.files,
        "definitions": totals.definitions,
        "references": totals.references,
        "pending": pending,
        "languages": totals.languages,
        "skipped": tuple(sorted(totals.reasons.items())),
        "set_aside": tuple((file.path, file.reason or "") for file in failed.rows),
        "source_bytes": totals.source_bytes,
        "cap_bytes": index_options(context).cap_bytes(totals.source_bytes, totals.files),
    }
    return Status(**{**base.__dict__, **fields})
