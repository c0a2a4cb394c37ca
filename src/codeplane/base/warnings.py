"""All warning codes, in one table.

A warning accompanies an answer; an error replaces it. The sentence of a code is fixed, so text from a repository can
never pose as advice. Names and values are in separate fields.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from codeplane.base.paths import display


class WarningCode(Enum):
    CONFIG_IGNORED = "A setting in the repository's configuration file is invalid and was ignored."
    CONFIG_UNTRUSTED = "A setting in the repository's configuration file is ignored until the repository is trusted."
    DEPRECATED_TOOL = "This tool name is deprecated."
    EDIT_UNDONE = "An interrupted write was rolled back, except for the files in `left`."
    FILES_IGNORED = "These files are excluded from the index by ignore rules, so searches do not find them."
    FILES_UNREADABLE = "These files could not be read; their indexed content may be out of date."
    FILES_NOT_PARSED = "These files could not be parsed yet; their symbols and references are missing."
    FILE_IGNORED = "The file is excluded from the index by an ignore rule; it was read because its path was given."
    FILE_NOT_PARSED_WHOLE = "The file has syntax errors; some of its symbols may be missing."
    FILTER_MUST_UNSATISFIED = "No result contains all `must:` words."
    FILE_ATTRIBUTES_LOST = "The owner or extended attributes of these files could not be preserved."
    FRESHNESS_UNCHECKED = "Another process holds the index, so it was read without checking for changes."
    HIDDEN_UNICODE = "The text contains invisible or bidirectional control characters."
    HARD_LINK_BROKEN = "These files were hard-linked; their other links keep the old content."
    IGNORE_POLICY_PROBE_FAILED = "Could not determine whether only ignore rules changed."
    IN_OTHER_REPOSITORY = "These files belong to another repository inside this one (a submodule or a nested clone)."
    INDEX_AT_CAP = "The index has reached its size limit; some files are not indexed."
    INDEX_NOT_BOUND = "The ownership of the index could not be recorded; it will be rebuilt at the next start."
    INDEX_NOT_FRESH = "The files were written; the index does not contain the change yet."
    INDEX_REBUILT = "The index was rebuilt."
    INDEX_REPAIRED = "An interrupted index update was repaired."
    LOW_RELEVANCE = "The file is not among the results of recent searches, nor close to them."
    NO_PROGRESS = "The failure is the same as before the last change in this task."
    OUTLINE_MISSING_SYMBOL_METADATA = "Symbols without a name or a position are not listed."
    REINDEX_PREFLIGHT_UNKNOWN = "No reason for a rebuild was found; rebuilding because it was requested."
    REINDEX_UNNECESSARY_IGNORE_ONLY = "Only ignore rules changed; a sync is enough."
    REPEATED_MUTATION = "This change is identical to an earlier change in this task."
    SEARCH_INCOMPLETE = "Some files could not be searched and may contain more matches."
    SEARCH_MATCHES_NO_FILE = "No indexed file matches the given paths and languages."
    SECRETS_IN_TEXT = "The text seems to contain keys or tokens; do not repeat them."
    SECRETS_REDACTED = (
        "Keys or tokens are replaced by [redacted:KIND]; the file has them. "
        "read with show_secrets: true shows them, if the user asked for it."
    )
    TASK_INTERRUPTED = "The server stopped while your task was open; the task is closed."
    WRITE_IN_DOUBT = "An interrupted write could not be rolled back, because its plan is damaged; check `left`."
    SENSITIVE_PATH = "These files are sensitive (CI, hooks, agent or editor configuration)."

    @property
    def sentence(self) -> str:
        return self.value


@dataclass(frozen=True)
class Notice:
    """One warning of one answer. `about` contains names from the repository, as data."""

    code: WarningCode
    about: Mapping[str, object] = field(default_factory=dict)

    def as_dict(self) -> dict[str, object]:
        return {"code": self.code.name, "message": self.code.sentence, **self.about}

    def as_line(self) -> str:
        """Return the sentence with its data, for a person."""
        about = [", ".join(map(str, value)) if isinstance(value, list) else str(value) for value in self.about.values()]
        return f"{self.code.sentence} ({display('; '.join(about))})" if about else self.code.sentence
