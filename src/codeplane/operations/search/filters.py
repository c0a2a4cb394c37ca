"""What a search keeps: scope, language, path, words. One order for all ways of searching.

Scope, language, included paths, excluded paths, kind, required words, forbidden words: a candidate is counted at the
first that rejects it. Paths are matched with the patterns of an ignore file, relative to the root of the repository; a
pattern that is simply the path of a file or of a directory matches it, whatever signs it holds.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import basename, display, is_inside, parent
from codeplane.disk.ignore_patterns import MAX_PATTERN_BYTES, MAX_WILDCARD_PATTERNS, PatternList
from codeplane.languages.roles import Scope, in_scope
from codeplane.operations.search.operators import LanguageFilter, ParsedQuery, find_language_filter


class FilterCandidate(Protocol):
    @property
    def path(self) -> str: ...
    @property
    def language(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def role(self) -> str: ...


C = TypeVar("C", bound=FilterCandidate)


@dataclass(frozen=True)
class FilterSummary:
    removed_by_scope: int = 0
    removed_by_language: int = 0
    removed_by_path_include: int = 0
    removed_by_path_exclude: int = 0
    removed_by_kind: int = 0
    removed_by_must: int = 0
    removed_by_exclude: int = 0
    outside_scope: Mapping[str, int] = field(default_factory=dict)
    """By role, those that only the scope keeps out."""

    def as_dict(self) -> dict[str, object]:
        return {name: value for name, value in vars(self).items() if name != "outside_scope"}


class PathPatterns:
    """A list of patterns, the last match deciding. Directories are judged once each."""

    def __init__(self, patterns: Iterable[str]) -> None:
        given = tuple(map(_checked, patterns))
        self._list = PatternList([os.fsencode(_as_line(pattern)) for pattern in given])
        if not self._list.complete:
            raise _invalid(f"at most {MAX_WILDCARD_PATTERNS} patterns", f"{len(given)} patterns")
        plain = [pattern.removeprefix("/") for pattern in given if not pattern.startswith("!")]
        self._plain_files = frozenset(pattern for pattern in plain if not pattern.endswith("/"))
        self._plain_folders = frozenset(pattern.removesuffix("/") for pattern in plain)
        # A list that only takes away takes away from everything.
        self._folders: dict[str, bool] = {"": bool(given) and not plain}

    def match(self, path: str) -> bool:
        folder, _, name = path.rpartition("/")
        return path in self._plain_files or self._judge(path, name, self._match_folder(folder), is_directory=False)

    def _match_folder(self, folder: str) -> bool:
        unknown: list[str] = []
        while folder not in self._folders:
            unknown.append(folder)
            folder = parent(folder)
        found = self._folders[folder]
        for folder in reversed(unknown):
            name = basename(folder)
            found = self._judge(folder, name, found, is_directory=True) or folder in self._plain_folders
            if len(self._folders) < _MAX_FOLDERS:
                self._folders[folder] = found
        return found

    def _judge(self, path: str, name: str, above: bool, is_directory: bool) -> bool:
        pattern = self._list.find_last(os.fsencode(path), os.fsencode(name), is_directory=is_directory)
        return above if pattern is None else not pattern.negated


class Filters:
    """Everything that a search was asked to keep to, compiled once."""

    def __init__(
        self,
        scope: Scope = "mixed",
        languages: Iterable[str] = (),
        paths: Iterable[str] = (),
        excluded_paths: Iterable[str] = (),
        must: Iterable[str] = (),
        exclude: Iterable[str] = (),
        kinds: Iterable[str] = (),
        directory: str = "",
    ) -> None:
        self.scope: Scope = scope
        self.must = tuple(word.lower() for word in must)
        self.exclude = tuple(word.lower() for word in exclude)
        self._tongues: tuple[LanguageFilter, ...] = tuple(map(find_language_filter, languages))
        included, excluded = tuple(paths), tuple(excluded_paths)
        self._included = PathPatterns(included) if included else None
        self._excluded = PathPatterns(excluded) if excluded else None
        self._kinds = frozenset(kind.lower() for kind in kinds)
        self._directory = directory

    @classmethod
    def of(
        cls,
        parsed: ParsedQuery,
        scope: Scope,
        languages: Iterable[str] = (),
        paths: Iterable[str] = (),
        kinds: Iterable[str] = (),
        directory: str = "",
    ) -> Filters:
        """Those of a query's operators together with those of a call's arguments."""
        return cls(
            scope,
            (*languages, *parsed.languages),
            (*paths, *parsed.paths),
            parsed.excluded_paths,
            parsed.must,
            parsed.exclude,
            kinds,
            directory,
        )

    @property
    def reads_paths(self) -> bool:
        """Whether it matters where a file lies or what it is written in, its scope aside."""
        return bool(self._tongues or self._included or self._excluded or self._directory)

    @property
    def reads_text(self) -> bool:
        """Whether the text of a candidate is asked for at all."""
        return bool(self.must or self.exclude)

    def accepts_elsewhere(self, path: str, language: str) -> bool:
        """What can be said of a file before it is read, its scope aside."""
        return self._reject_path(path, language) is None

    def accepts_role(self, role: str) -> bool:
        return in_scope(role, self.scope)

    def accepts_text(self, text: str) -> bool:
        return self._reject_text(text) is None

    def apply(self, candidates: Iterable[C], text_of: Callable[[C], str]) -> tuple[list[C], FilterSummary]:
        """Those that pass, in their order, and how many each filter rejected."""
        kept: list[C] = []
        counts = dict.fromkeys(_COUNTED, 0)
        outside: dict[str, int] = {}
        for candidate in candidates:
            aside = not self.accepts_role(candidate.role)
            reason = self._reject(candidate, text_of)
            if aside:
                counts["removed_by_scope"] += 1
                if reason is None:
                    outside[candidate.role] = outside.get(candidate.role, 0) + 1
            elif reason is not None:
                counts[reason] += 1
            else:
                kept.append(candidate)
        return kept, FilterSummary(**counts, outside_scope=dict(sorted(outside.items())))

    def _reject(self, candidate: C, text_of: Callable[[C], str]) -> str | None:
        reason = self._reject_path(candidate.path, candidate.language)
        if reason is None and self._kinds and candidate.kind.lower() not in self._kinds:
            reason = "removed_by_kind"
        if reason is None and self.reads_text:
            reason = self._reject_text(text_of(candidate))
        return reason

    def _reject_path(self, path: str, language: str) -> str | None:
        if self._tongues and not any(_speaks(tongue, path, language) for tongue in self._tongues):
            return "removed_by_language"
        if not is_inside(path, self._directory) or (self._included is not None and not self._included.match(path)):
            return "removed_by_path_include"
        if self._excluded is not None and self._excluded.match(path):
            return "removed_by_path_exclude"
        return None

    def _reject_text(self, text: str) -> str | None:
        if not self.reads_text:
            return None
        lowered = text.lower()
        if not all(word in lowered for word in self.must):
            return "removed_by_must"
        return "removed_by_exclude" if any(word in lowered for word in self.exclude) else None


_COUNTED = (
    "removed_by_scope",
    "removed_by_language",
    "removed_by_path_include",
    "removed_by_path_exclude",
    "removed_by_kind",
    "removed_by_must",
    "removed_by_exclude",
)
_MAX_FOLDERS = 100_000


def _speaks(tongue: LanguageFilter, path: str, language: str) -> bool:
    if language in tongue.languages:
        return True
    dot = path.rfind(".")
    return dot > path.rfind("/") + 1 and path[dot:].lower() in tongue.extensions


def _checked(pattern: str) -> str:
    bare = pattern.strip().removeprefix("./")
    if bare in ("", "!", "/") or "\0" in bare or not _is_encodable(bare):
        raise _invalid("a pattern as in .gitignore, or a path", display(pattern[:60]))
    if len(os.fsencode(bare)) > MAX_PATTERN_BYTES:
        raise _invalid(f"a pattern of at most {MAX_PATTERN_BYTES} bytes", f"{len(bare)} characters")
    return bare


def _is_encodable(text: str) -> bool:
    try:
        os.fsencode(text)
    except UnicodeEncodeError:
        return False
    return True


def _as_line(pattern: str) -> str:
    # In an ignore file this would be a comment.
    return f"\\{pattern}" if pattern.startswith("#") else pattern


def _invalid(expected: str, received: str) -> CodePlaneError:
    return CodePlaneError(
        ErrorCode.ARGUMENT_INVALID,
        "a path pattern cannot be used",
        expected=expected,
        received=received,
        example="src/**/*.py",
    )
