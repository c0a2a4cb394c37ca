"""Whether a new index is needed, before one is built: looks only.

Ignore rules alone never need one, since a look takes away what they leave out. Damage and
other rules of indexing do. Anything else cannot be told.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import basename
from codeplane.disk.ignore import IGNORE_FILES, IgnoreRules
from codeplane.disk.safe_open import Root
from codeplane.disk.walk import walk
from codeplane.index.options import IndexOptions, effective_options
from codeplane.query.snapshot import open_current
from codeplane.store.integrity import Verdict
from codeplane.store.layout import open_state
from codeplane.workspace.compatibility import inspect
from codeplane.workspace.freshness import Compatibility

REQUIRED = "reindex_required"
IGNORE_ONLY = "reindex_unnecessary_ignore_only"
UNKNOWN = "unknown"
PROBE_FAILED = "probe_failed"


@dataclass(frozen=True)
class Preflight:
    outcome: str
    """reindex_required, reindex_unnecessary_ignore_only, unknown or probe_failed."""
    compatibility: Compatibility
    diagnostics: dict[str, object] = field(default_factory=dict)


def preflight(options: IndexOptions) -> Preflight:
    """Compare the index with the program and with the ignore rules under which it was built."""
    options = effective_options(options)
    try:
        found = inspect(options)
    except CodePlaneError as error:
        found = Compatibility("unknown", None, {}, {})
        return Preflight(PROBE_FAILED, found, {"error": error.code.name})
    if found.verdict != Verdict.OK:
        return Preflight(REQUIRED, found, {"verdict": found.verdict})
    try:
        built, now = _signatures(options)
    except CodePlaneError as error:
        return Preflight(PROBE_FAILED, found, {"error": error.code.name})
    if built is not None and built != now:
        return Preflight(IGNORE_ONLY, found, {"ignore_rules_changed": True})
    return Preflight(UNKNOWN, found, {"ignore_rules_changed": False})


def _signatures(options: IndexOptions) -> tuple[str | None, str]:
    """The ignore rules under which the index was built, and those of now."""
    state = open_state(options.root)
    if state is None:
        raise CodePlaneError(ErrorCode.NOT_INDEXED, "this repository has no index")
    with open_current(state, lexical=False) as snapshot:
        built = snapshot.reader.meta("ignore_signature_built")
    with Root.open(options.root) as root:
        scan = walk(root, IgnoreRules(options.ignore))
    if any(basename(path) in IGNORE_FILES for path in scan.unreadable):
        raise CodePlaneError(ErrorCode.FILE_UNREADABLE, "an ignore file cannot be read")
    return built, scan.ignore_signature
