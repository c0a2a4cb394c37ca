"""Checks of the index on disk: is it built by this version and for this user, and would a rebuild change anything?"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import basename
from codeplane.disk.ignore import IGNORE_FILES, IgnoreRules
from codeplane.disk.safe_open import Root
from codeplane.disk.walk import walk
from codeplane.index.fingerprint import runtime_fingerprint
from codeplane.index.options import IndexOptions, effective_options
from codeplane.query.snapshot import Snapshot, open_current
from codeplane.store.fingerprint import Fingerprint, differences, is_newer, parse_fingerprint
from codeplane.store.integrity import IndexCheck, Verdict, verify
from codeplane.store.layout import StateDirectory, open_state
from codeplane.store.registry import read_binding
from codeplane.workspace.errors import no_index_error, owned_elsewhere_error
from codeplane.workspace.freshness import Compatibility

REQUIRED = "reindex_required"
IGNORE_ONLY = "reindex_unnecessary_ignore_only"
UNKNOWN = "unknown"
PROBE_FAILED = "probe_failed"


@dataclass(frozen=True)
class Preflight:
    """Answer to "is a rebuild needed?"."""

    outcome: str
    """reindex_required, reindex_unnecessary_ignore_only, unknown or probe_failed."""
    compatibility: Compatibility
    diagnostics: dict[str, object] = field(default_factory=dict)


@cache
def runtime() -> Fingerprint:
    """Return the fingerprint of this program. Cached: reading the version of every grammar is slower than a read."""
    return runtime_fingerprint()


def has_current(state: StateDirectory | None) -> bool:
    """True if there is an index. A corrupt one counts: it is rebuilt without a request."""
    if state is None:
        return False
    try:
        return state.current() is not None
    except CodePlaneError as error:
        if error.code is not ErrorCode.INDEX_CORRUPT:
            raise
        return True


def inspect(options: IndexOptions) -> Compatibility:
    """Check the index on disk without taking the lock."""
    root = options.real_root
    return describe(verify(open_state(root), runtime(), read_binding(options.user_state, root)))


def describe(check: IndexCheck) -> Compatibility:
    current = _fields(runtime())
    indexed = {**current, **{name: values[0] for name, values in check.differences.items()}}
    known = check.generation is not None and check.verdict is not Verdict.CORRUPT
    return Compatibility(check.verdict.value, check.reason, current, indexed if known else {}, dict(check.differences))


def usable() -> Compatibility:
    """Return the verdict on an index that this program has just built."""
    current = _fields(runtime())
    return Compatibility(Verdict.OK.value, None, current, current)


def incompatible_error(found: Compatibility, phase: str) -> CodePlaneError:
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
        remedy="rebuild it: manage_index with action 'reindex', or 'cpl init'",
    )


def diagnostics(found: Compatibility) -> dict[str, object]:
    """Return the differing fingerprint fields, as indexed and as of this program."""
    differing = sorted(found.differences)
    return {
        "differences": differing,
        "indexed_fingerprint": {name: found.indexed[name] for name in differing if name in found.indexed},
        "runtime_fingerprint": {name: found.runtime[name] for name in differing if name in found.runtime},
    }


def require_ours(snapshot: Snapshot, options: IndexOptions, owner: int | None) -> None:
    """Raise if this index must not be read without the lock: its owner may be replacing it for that very reason."""
    meta = snapshot.reader.meta
    binding = read_binding(options.user_state, options.real_root)
    if binding is None or not binding.covers(meta("repo_uuid") or "", meta("index_id") or ""):
        raise owned_elsewhere_error("the index was not built here by this user; it is being replaced", owner)
    indexed = parse_fingerprint(meta("fingerprint") or "")
    differing = differences(indexed, runtime())
    if differing:
        verdict = Verdict.NEWER if is_newer(indexed, runtime()) else Verdict.REQUIRES_REINDEX
        found = Compatibility(verdict.value, None, _fields(runtime()), _fields(indexed), differing)
        raise incompatible_error(found, "waiting")
    if meta("pending") not in (None, "0") and meta("pending_why") != "full":
        raise owned_elsewhere_error("the index is not finished", owner)


def preflight(options: IndexOptions) -> Preflight:
    """Predict whether a rebuild is needed; reads only.

    Corruption and other versions need one. Changed ignore rules do not: the next sync removes what they exclude.
    """
    options = effective_options(options)
    try:
        found = inspect(options)
    except CodePlaneError as error:
        return Preflight(PROBE_FAILED, Compatibility("unknown", None, {}, {}), {"error": error.code.name})
    if found.verdict != Verdict.OK:
        return Preflight(REQUIRED, found, {"verdict": found.verdict})
    try:
        built, current = _ignore_signatures(options)
    except CodePlaneError as error:
        return Preflight(PROBE_FAILED, found, {"error": error.code.name})
    if built is not None and built != current:
        return Preflight(IGNORE_ONLY, found, {"ignore_rules_changed": True})
    return Preflight(UNKNOWN, found, {"ignore_rules_changed": False})


def _ignore_signatures(options: IndexOptions) -> tuple[str | None, str]:
    """Return the signatures of the ignore rules at build time and now."""
    state = open_state(options.root)
    if state is None:
        raise no_index_error()
    with open_current(state, lexical=False) as snapshot:
        built = snapshot.reader.meta("ignore_signature_built")
    with Root.open(options.root) as root:
        scan = walk(root, IgnoreRules(options.ignore))
    if any(basename(path) in IGNORE_FILES for path in scan.unreadable):
        raise CodePlaneError(ErrorCode.FILE_UNREADABLE, "an ignore file cannot be read")
    return built, scan.ignore_signature


def _fields(fingerprint: Fingerprint) -> dict[str, str]:
    """Return the fields that are compared: all except the product version."""
    return {name: value for name, value in fingerprint.as_dict().items() if name != "product"}
