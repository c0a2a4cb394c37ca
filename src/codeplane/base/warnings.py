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
    FILES_UNREADABLE = "These could not be read, so what is known of them may be old."
    FILE_NOT_PARSED_WHOLE = "The file has syntax errors, so that parts of it may be missing."
    FILTER_MUST_UNSATISFIED = "Nothing that was found holds every word that must be there."
    FRESHNESS_UNCHECKED = "Another process is using the index, so it was read as it is."
    IGNORE_POLICY_PROBE_FAILED = "Whether only ignore rules changed could not be found out."
    INDEX_AT_CAP = "The index has reached its largest size, and some files are not in it."
    INDEX_NOT_BOUND = "The index could not be noted as yours, and will be built again at the next start."
    INDEX_REBUILT = "The index was built anew."
    INDEX_REPAIRED = "An update that was cut off was mended."
    OUTLINE_MISSING_SYMBOL_METADATA = "Some symbols lack a name or a position and are not listed."
    REINDEX_PREFLIGHT_UNKNOWN = "Nothing shows that a new index is needed; it is built because it was asked for."
    REINDEX_UNNECESSARY_IGNORE_ONLY = "Only ignore rules changed, for which a sync is enough."
    SEARCH_INCOMPLETE = "Some files could not be searched, and may hold more matches."
    SEARCH_MATCHES_NO_FILE = "No indexed file is left by the paths and languages that were named."

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
