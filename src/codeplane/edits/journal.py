"""Journal of a mutation: the entry that is written before any file is touched, and the log of one call.

The entry is the `plan` of the durable intent in the ledger: paths and digests, never content. An entry without an
outcome belongs to an interrupted mutation and is rolled back from it. A copy with a checksum, the manifest, is staged
with the new content, so that a damaged or deleted ledger does not hide an interrupted mutation.
"""

from __future__ import annotations

import hmac
import json
import re
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from codeplane.base.call_record import CallRecord
from codeplane.base.digests import Digest
from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.limits import CHARS_PER_TOKEN
from codeplane.base.paths import RepoPath
from codeplane.ledger.events import Event
from codeplane.ledger.ledger import Ledger
from codeplane.ledger.queries import MutationRow
from codeplane.ledger.recovery import RolledBackMutation

MUTATION_ID = re.compile(r"m_[A-Za-z0-9_-]{8,64}")
"""A mutation id is also the name of a directory."""

_VERSION = 1
_PATH_OF_FILE = re.compile(r'\[("(?:[^"\\]|\\.)*"),(?:null|"[0-9a-f]*"),(?:null|"[0-9a-f]*"),"[0-9]+"\]')


class FileEntry(NamedTuple):
    """One file of a mutation: created if `old` is None, deleted if `new` is None, updated otherwise."""

    path: RepoPath
    old: Digest | None
    new: Digest | None
    slot: str
    """Name in the directory of the mutation: holds the new content before the exchange, the old content after it."""

    @property
    def backup(self) -> str:
        """Name of the old file where the file system cannot exchange two names."""
        return f"{self.slot}.old"


@dataclass(frozen=True)
class JournalEntry:
    mutation_id: str
    files: tuple[FileEntry, ...]
    new_directories: tuple[RepoPath, ...] = ()
    """Directories to create, parents first."""
    about: Mapping[str, Any] = field(default_factory=dict)
    """Fields to replay a lost answer: `key`, `asked`, `delta`; and `undoes`. No content."""

    @property
    def paths(self) -> tuple[RepoPath, ...]:
        return tuple(file.path for file in self.files)

    def as_text(self) -> str:
        """Return JSON in ASCII, so that names that are not UTF-8 survive."""
        fields = {
            "v": _VERSION,
            "mutation_id": self.mutation_id,
            "changes": [list(file) for file in self.files],
            "made": list(self.new_directories),
            "about": dict(self.about),
        }
        return json.dumps(fields, separators=(",", ":"), sort_keys=True)

    def as_manifest(self, owner: str) -> bytes:
        """Return the text after its checksum. `owner` is an id that no clone can know."""
        text = self.as_text().encode("ascii")
        return b"%s\n%s" % (_checksum(text, owner), text)


def parse_entry(text: str) -> JournalEntry:
    """Parse the text of an entry. LEDGER_DAMAGED if it is not one."""
    try:
        fields = json.loads(text)
        if fields["v"] != _VERSION:
            raise ValueError
        files = tuple(_file_entry(*values) for values in fields["changes"])
        directories = tuple(RepoPath(_text(path)) for path in fields["made"])
        if not MUTATION_ID.fullmatch(fields["mutation_id"]):
            raise ValueError
        return JournalEntry(fields["mutation_id"], files, directories, dict(fields["about"]))
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise CodePlaneError(
            ErrorCode.LEDGER_DAMAGED,
            "the ledger holds a journal entry that cannot be parsed",
            remedy="The original files are in '.codeplane/txn'; run 'cpl doctor'.",
        ) from error


def parse_manifest(data: bytes, owner: str) -> JournalEntry | None:
    """Parse a manifest; None if it is damaged or has another owner."""
    checksum, _, text = data.partition(b"\n")
    if not hmac.compare_digest(checksum, _checksum(text, owner)):
        return None
    try:
        return parse_entry(text.decode("ascii"))
    except CodePlaneError:
        return None


def readable_paths(manifest: bytes) -> tuple[RepoPath, ...]:
    """Return the paths that can still be read in a damaged manifest."""
    found: list[RepoPath] = []
    for quoted in _PATH_OF_FILE.findall(manifest.decode("ascii", "replace")):
        with suppress(ValueError):
            found.append(RepoPath(json.loads(quoted)))
    return tuple(found)


class MutationJournal:
    """Ledger events of one call that changes files.

    The outcome is written at the commit point of the mutation, before the answer is ready, so it records only what is
    known of the answer by then.
    """

    def __init__(self, ledger: Ledger | None, event: Event, started: float) -> None:
        self._ledger = ledger
        self._event = event
        self._started = started
        self.intent: int | None = None
        """Number of the intent, once written."""
        self.is_finished = False
        """True if the outcome is written, or will be by the rollback."""

    def ensure_settled(self) -> None:
        """Raise unless files may be changed: the ledger is writable and no interrupted mutation is pending."""
        self._require_ledger().ensure_settled()

    def begin(self, entry: JournalEntry) -> None:
        """Write the intent; on disk when this returns."""
        record = CallRecord(mutation_id=entry.mutation_id, changed_paths=entry.paths)
        self.intent = self._require_ledger().intent(replace(self._event, plan=entry.as_text(), record=record))

    def commit(self, record: CallRecord, answer_chars: int) -> None:
        """Write the outcome: the mutation is committed when this returns, and is not if it raises."""
        event = replace(
            self._event,
            intent=self.intent,
            status="ok",
            duration_ms=round((time.monotonic() - self._started) * 1000),
            tokens_given=answer_chars // CHARS_PER_TOKEN,
            record=record,
        )
        self._require_ledger().commit(event)
        self.is_finished = True

    def abandon(self) -> None:
        """Leave the rollback to the next mutation."""
        if self.intent is not None:
            self.is_finished = True
            self._require_ledger().abandon(self.intent)

    def list_mutations(
        self, limit: int, *, mutation_id: str | None = None, key: str | None = None, undoes: str | None = None
    ) -> list[MutationRow]:
        return self._require_ledger().list_mutations(limit, mutation_id=mutation_id, key=key, undoes=undoes)

    def take_rolled_back(self) -> tuple[RolledBackMutation, ...]:
        """Return the interrupted mutations that were rolled back since the last call."""
        return self._ledger.take_rolled_back() if self._ledger is not None else ()

    def _require_ledger(self) -> Ledger:
        if self._ledger is None:
            raise CodePlaneError(
                ErrorCode.STATE_DIRECTORY_READ_ONLY,
                "writes cannot be recorded in '.codeplane', so files cannot be changed",
                remedy="Make '.codeplane' in the repository writable for you; 'cpl doctor' says more.",
            )
        return self._ledger


def _checksum(text: bytes, owner: str) -> bytes:
    return hmac.new(owner.encode(), text, "sha256").hexdigest().encode("ascii")


def _file_entry(path: object, old: object, new: object, slot: object) -> FileEntry:
    name = _text(slot)
    if not name.isdecimal() or (old is None and new is None):
        raise ValueError
    return FileEntry(
        RepoPath(_text(path)),
        None if old is None else Digest(_text(old)),
        None if new is None else Digest(_text(new)),
        name,
    )


def _text(value: object) -> str:
    if not isinstance(value, str) or not value:
        raise ValueError
    return value
