"""A change of many files as a value: what each was, what each becomes, and where its other half lies.

The value is written into the ledger before anything is touched, so that whoever finds it
there without an outcome can undo it. It holds names and digests, never content.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from codeplane.base.digests import Digest
from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import RepoPath

MUTATION_ID = re.compile(r"m_[A-Za-z0-9_-]{8,64}")
"""It is the name of a directory as well."""

_VERSION = 1


class Change(NamedTuple):
    """One file. It is created without `old`, deleted without `new`, updated with both."""

    path: RepoPath
    old: Digest | None
    new: Digest | None
    slot: str
    """Name in the batch's own directory: of the new content before, of the old one after."""

    @property
    def saved(self) -> str:
        """Name of the old file where names cannot be exchanged."""
        return f"{self.slot}.old"


@dataclass(frozen=True)
class Batch:
    mutation_id: str
    changes: tuple[Change, ...]
    made: tuple[RepoPath, ...] = ()
    """Directories that do not exist yet, each after the one that holds it."""
    about: Mapping[str, Any] = field(default_factory=dict)
    """What a caller who lost the answer is told again. No content."""

    @property
    def paths(self) -> tuple[RepoPath, ...]:
        return tuple(change.path for change in self.changes)

    def as_text(self) -> str:
        """ASCII, so that names that are not UTF-8 survive."""
        fields = {
            "v": _VERSION,
            "mutation_id": self.mutation_id,
            "changes": [list(change) for change in self.changes],
            "made": list(self.made),
            "about": dict(self.about),
        }
        return json.dumps(fields, separators=(",", ":"), sort_keys=True)


def parse_batch(text: str) -> Batch:
    """The value that was written; LEDGER_DAMAGED for anything else."""
    try:
        fields = json.loads(text)
        if fields["v"] != _VERSION:
            raise ValueError
        changes = tuple(_change(*values) for values in fields["changes"])
        made = tuple(RepoPath(_text(path)) for path in fields["made"])
        if not MUTATION_ID.fullmatch(fields["mutation_id"]):
            raise ValueError
        return Batch(fields["mutation_id"], changes, made, dict(fields["about"]))
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise CodePlaneError(
            ErrorCode.LEDGER_DAMAGED,
            "the ledger tells of a change of files that cannot be understood",
            remedy="Look at '.codeplane/txn', where the files from before lie, and run 'cpl doctor'.",
        ) from error


def _change(path: object, old: object, new: object, slot: object) -> Change:
    name = _text(slot)
    if not name.isdecimal() or (old is None and new is None):
        raise ValueError
    return Change(
        RepoPath(_text(path)),
        None if old is None else Digest(_text(old)),
        None if new is None else Digest(_text(new)),
        name,
    )


def _text(value: object) -> str:
    if not isinstance(value, str) or not value:
        raise ValueError
    return value
