"""How the index on disk stands to this program and to this user, and what a reader is told when it does not fit."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.index.fingerprint import runtime_fingerprint
from codeplane.index.options import IndexOptions
from codeplane.query.snapshot import Snapshot
from codeplane.store.fingerprint import Fingerprint, differences, is_newer, parse_fingerprint
from codeplane.store.integrity import IndexCheck, Verdict, verify
from codeplane.store.layout import StateDirectory, open_state
from codeplane.store.registry import read_binding
from codeplane.workspace.freshness import Compatibility


@cache
def runtime() -> Fingerprint:
    """Looked up once: asking for the versions of all grammars takes longer than a question."""
    return runtime_fingerprint()


def has_current(state: StateDirectory | None) -> bool:
    """Whether there is an index, be it a damaged one: that is rebuilt, since its length is known."""
    if state is None:
        return False
    try:
        return state.current() is not None
    except CodePlaneError as error:
        if error.code is not ErrorCode.INDEX_CORRUPT:
            raise
        return True


def inspect(options: IndexOptions) -> Compatibility:
    """The verdict on the index as it lies there; takes no lock."""
    root = Path(os.path.realpath(options.root))
    return describe(verify(open_state(root), runtime(), read_binding(options.user_state, root)))


def describe(found: IndexCheck) -> Compatibility:
    now = _fields(runtime())
    indexed = {**now, **{name: values[0] for name, values in found.differences.items()}}
    known = found.generation is not None and found.verdict is not Verdict.CORRUPT
    return Compatibility(found.verdict.value, found.reason, now, indexed if known else {}, dict(found.differences))


def usable() -> Compatibility:
    """Of an index that was just made."""
    now = _fields(runtime())
    return Compatibility(Verdict.OK.value, None, now, now)


def incompatible(found: Compatibility, phase: str) -> CodePlaneError:
    """What a reader is told of an index that other rules made."""
    details: dict[str, object] = {
        **diagnostics(found),
        "source": "index",
        "reason": "newer" if found.verdict == Verdict.NEWER else "fingerprint_mismatch",
        "status_at_check": phase,
    }
    if found.verdict == Verdict.NEWER:
        return CodePlaneError(
            ErrorCode.INDEX_NEWER,
            "the index is newer than this CodePlane",
            details=details,
            remedy="upgrade CodePlane, or clear the index",
        )
    return CodePlaneError(
        ErrorCode.REQUIRES_REINDEX,
        f"the index was built by an incompatible version: {', '.join(found.differences)} changed",
        details=details,
        remedy="build it anew: manage_index with action 'reindex', or 'cpl init'",
    )


def diagnostics(found: Compatibility) -> dict[str, object]:
    """What an index that cannot be used was made by, beside what would make it now. What agrees says nothing."""
    differing = sorted(found.differences)
    return {
        "differences": differing,
        "indexed_fingerprint": {name: found.indexed[name] for name in differing if name in found.indexed},
        "runtime_fingerprint": {name: found.runtime[name] for name in differing if name in found.runtime},
    }


def require_ours(snapshot: Snapshot, options: IndexOptions, owner: int | None) -> None:
    """For reading without the lock: whose holder may be replacing this index just because it is not to be read."""
    meta = snapshot.reader.meta
    binding = read_binding(options.user_state, Path(os.path.realpath(options.root)))
    if binding is None or not binding.covers(meta("repo_uuid") or "", meta("index_id") or ""):
        raise not_ready("the index was not made here by this user; it is being replaced", owner)
    indexed = parse_fingerprint(meta("fingerprint") or "")
    differing = differences(indexed, runtime())
    if differing:
        verdict = Verdict.NEWER if is_newer(indexed, runtime()) else Verdict.REQUIRES_REINDEX
        raise incompatible(
            Compatibility(verdict.value, None, _fields(runtime()), _fields(indexed), differing), "waiting"
        )
    if meta("pending") not in (None, "0") and meta("pending_why") != "full":
        raise not_ready("the index is not finished", owner)


def not_ready(message: str, owner: int | None) -> CodePlaneError:
    details: dict[str, object] = {"phase": "waiting"}
    if owner is not None:
        details["pid"] = owner
    return CodePlaneError(ErrorCode.NOT_READY, message, details=details, remedy="Wait until it is done.")


def _fields(fingerprint: Fingerprint) -> dict[str, str]:
    """What decides whether two indexes differ; who wrote them does not."""
    return {name: value for name, value in fingerprint.as_dict().items() if name != "product"}
