"""Every way in which an answer can be less than was asked for, in one table.

A warning comes with an answer; an error comes instead of one. The sentence of a code is
fixed, so that no text of a repository ever reads like advice; what it is about stands in
fields of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum


class WarningCode(Enum):
    CONFIG_IGNORED = "A setting of the repository's own file cannot be used, and is ignored."
    CONFIG_UNTRUSTED = "A setting of the repository's own file is ignored until the repository is trusted."
    DEPRECATED_TOOL = "This name is kept for older clients; the tool has another one."
    EDIT_UNDONE = "An earlier change was cut off; what it had done was undone, but for the files that are left."
    FILES_IGNORED = "These files are left out of the index by ignore rules, so that no search finds them."
    FILES_UNREADABLE = "These could not be read, so what is known of them may be old."
    FILE_IGNORED = "A rule leaves the file out of the index; it was read because it was named."
    FILE_NOT_PARSED_WHOLE = "The file has syntax errors, so that parts of it may be missing."
    FILTER_MUST_UNSATISFIED = "Nothing that was found holds every word that must be there."
    FILE_ATTRIBUTES_LOST = "These files could not keep their owner or attributes."
    FRESHNESS_UNCHECKED = "Another process is using the index, so it was read as it is."
    HIDDEN_UNICODE = "The text holds characters that are not seen or change the order of others; it is as it is."
    HARD_LINK_BROKEN = "These files had other names, under which they stay what they were."
    IGNORE_POLICY_PROBE_FAILED = "Whether only ignore rules changed could not be found out."
    IN_OTHER_REPOSITORY = "These files belong to a repository within this one, a submodule or a clone."
    INDEX_AT_CAP = "The index has reached its largest size, and some files are not in it."
    INDEX_NOT_BOUND = "The index could not be noted as yours, and will be built again at the next start."
    INDEX_NOT_FRESH = "The files are changed; the index has not seen it yet."
    INDEX_REBUILT = "The index was built anew."
    INDEX_REPAIRED = "An update that was cut off was mended."
    LOW_RELEVANCE = "The file is not among what the last searches found, nor near it."
    NO_PROGRESS = "The failure is the same as before the last change of this task."
    OUTLINE_MISSING_SYMBOL_METADATA = "Some symbols lack a name or a position and are not listed."
    REINDEX_PREFLIGHT_UNKNOWN = "Nothing shows that a new index is needed; it is built because it was asked for."
    REINDEX_UNNECESSARY_IGNORE_ONLY = "Only ignore rules changed, for which a sync is enough."
    REPEATED_MUTATION = "The change is the same as the one before it in this task."
    SEARCH_INCOMPLETE = "Some files could not be searched, and may hold more matches."
    SEARCH_MATCHES_NO_FILE = "No indexed file is left by the paths and languages that were named."
    SECRETS_IN_TEXT = "The text holds what looks like keys or tokens; do not repeat them."
    TASK_INTERRUPTED = "The server ended while a task of yours was open; it is closed, and its limits with it."
    SENSITIVE_PATH = "These files decide what is run on somebody's machine."

    @property
    def sentence(self) -> str:
        return self.value


@dataclass(frozen=True)
class Notice:
    """One warning of one answer. `about` holds names of the repository, as data."""

    code: WarningCode
    about: Mapping[str, object] = field(default_factory=dict)

    def as_dict(self) -> dict[str, object]:
        return {"code": self.code.name, "message": self.code.sentence, **self.about}
