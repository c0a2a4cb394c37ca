"""Search filters: scope, language, path, kind, words; the same for all search modes.

One vocabulary of predicates, from cheap to expensive:

- `accepts_file(path, language)`: languages, included and excluded paths, directory; needs no role and no text
- `accepts_role(role)`: scope; a file outside of it may still be counted
- `accepts_text(text)`: `must:` and `exclude:` words

A candidate is counted at the first filter that rejects it, in the order of `Rejection`. Path patterns use .gitignore
syntax, relative to the repository root; a pattern that is the literal path of a file or directory always matches it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from enum import StrEnum
from typing import Protocol, TypeVar

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import basename, display, is_inside, parent
from codeplane.disk.ignore_patterns import MAX_PATTERN_BYTES, MAX_WILDCARD_PATTERNS, PatternList
from codeplane.languages.filters import LanguageFilter
from codeplane.languages.roles import Scope, in_scope
from codeplane.operations.search.model import SearchRequest
from codeplane.operations.search.operators import ParsedQuery, find_language_filter

_MAX_FOLDERS = 100_000


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


class Rejection(StrEnum):
    SCOPE = "removed_by_scope"
    LANGUAGE = "removed_by_language"
    PATH_INCLUDE = "removed_by_path_include"
    PATH_EXCLUDE = "removed_by_path_exclude"
    KIND = "removed_by_kind"
    MUST = "removed_by_must"
    EXCLUDE = "removed_by_exclude"


def count_rejections(**counts: int) -> dict[str, int]:
    """Return rejected candidates by filter, for the debug payload."""
    return {**{reason.value: 0 for reason in Rejection}, **counts}


class PathPatterns:
    """Pattern list in which the last match decides. The verdict on each directory is cached."""

    def __init__(self, patterns: Iterable[str]) -> None:
        checked = tuple(map(_checked, patterns))
        self._list = PatternList([os.fsencode(_as_line(pattern)) for pattern in checked])
        if not self._list.complete:
            raise _invalid(f"at most {MAX_WILDCARD_PATTERNS} patterns", f"{len(checked)} patterns")
        plain = [pattern.removeprefix("/") for pattern in checked if not pattern.startswith("!")]
        self._plain_files = frozenset(pattern for pattern in plain if not pattern.endswith("/"))
        self._plain_folders = frozenset(pattern.removesuffix("/") for pattern in plain)
        # A list of exclusions alone excludes from everything.
        self._folders: dict[str, bool] = {"": bool(checked) and not plain}

    def match(self, path: str) -> bool:
        return path in self._plain_files or self._decide(path, self._match_folder(parent(path)), is_directory=False)

    def _match_folder(self, folder: str) -> bool:
        unknown: list[str] = []
        while folder not in self._folders:
            unknown.append(folder)
            folder = parent(folder)
        found = self._folders[folder]
        for folder in reversed(unknown):
            found = self._decide(folder, found, is_directory=True) or folder in self._plain_folders
            if len(self._folders) < _MAX_FOLDERS:
                self._folders[folder] = found
        return found

    def _decide(self, path: str, inherited: bool, is_directory: bool) -> bool:
        pattern = self._list.find_last(os.fsencode(path), os.fsencode(basename(path)), is_directory=is_directory)
        return inherited if pattern is None else not pattern.negated


class Filters:
    """Compiled filters of one search."""

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
        self._languages: tuple[LanguageFilter, ...] = tuple(map(find_language_filter, languages))
        included, excluded = tuple(paths), tuple(excluded_paths)
        self._included = PathPatterns(included) if included else None
        self._excluded = PathPatterns(excluded) if excluded else None
        self._kinds = frozenset(kind.lower() for kind in kinds)
        self._directory = directory

    @classmethod
    def of(cls, parsed: ParsedQuery, scope: Scope, request: SearchRequest | None = None) -> Filters:
        """Combine the operators of a query with the arguments of its request."""
        request = request or SearchRequest("")
        return cls(
            scope,
            (*request.languages, *parsed.languages),
            (*request.paths, *parsed.paths),
            parsed.excluded_paths,
            parsed.must,
            parsed.exclude,
            request.kinds,
            request.directory,
        )

    @property
    def has_file_filters(self) -> bool:
        return bool(self._languages or self._included or self._excluded or self._directory)

    @property
    def has_text_filters(self) -> bool:
        return bool(self.must or self.exclude)

    def accepts_file(self, path: str, language: str) -> bool:
        return self._reject_file(path, language) is None

    def accepts_role(self, role: str) -> bool:
        return in_scope(role, self.scope)

    def accepts_text(self, text: str) -> bool:
        return self._reject_text(text) is None

    def apply(self, candidates: Iterable[C], text_of: Callable[[C], str]) -> tuple[list[C], dict[str, int]]:
        """Return the accepted candidates, in their order, and the number that each filter rejected."""
        accepted: list[C] = []
        counts = count_rejections()
        for candidate in candidates:
            reason = self._reject(candidate, text_of)
            if reason is None:
                accepted.append(candidate)
            else:
                counts[reason] += 1
        return accepted, counts

    def _reject(self, candidate: C, text_of: Callable[[C], str]) -> Rejection | None:
        if not self.accepts_role(candidate.role):
            return Rejection.SCOPE
        reason = self._reject_file(candidate.path, candidate.language)
        if reason is None and self._kinds and candidate.kind.lower() not in self._kinds:
            reason = Rejection.KIND
        if reason is None and self.has_text_filters:
            reason = self._reject_text(text_of(candidate))
        return reason

    def _reject_file(self, path: str, language: str) -> Rejection | None:
        if self._languages and not any(_is_language(each, path, language) for each in self._languages):
            return Rejection.LANGUAGE
        if not is_inside(path, self._directory) or (self._included is not None and not self._included.match(path)):
            return Rejection.PATH_INCLUDE
        if self._excluded is not None and self._excluded.match(path):
            return Rejection.PATH_EXCLUDE
        return None

    def _reject_text(self, text: str) -> Rejection | None:
        if not self.has_text_filters:
            return None
        lowered = text.lower()
        if not all(word in lowered for word in self.must):
            return Rejection.MUST
        return Rejection.EXCLUDE if any(word in lowered for word in self.exclude) else None


def _is_language(wanted: LanguageFilter, path: str, language: str) -> bool:
    if language in wanted.languages:
        return True
    dot = path.rfind(".")
    return dot > path.rfind("/") + 1 and path[dot:].lower() in wanted.extensions


def _checked(pattern: str) -> str:
    plain = pattern.strip().removeprefix("./")
    if plain in ("", "!", "/") or "\0" in plain or not _is_encodable(plain):
        raise _invalid("a pattern in .gitignore syntax, or a path", display(pattern[:60]))
    if len(os.fsencode(plain)) > MAX_PATTERN_BYTES:
        raise _invalid(f"a pattern of at most {MAX_PATTERN_BYTES} bytes", f"{len(plain)} characters")
    return plain


def _is_encodable(text: str) -> bool:
    try:
        os.fsencode(text)
    except UnicodeEncodeError:
        return False
    return True


def _as_line(pattern: str) -> str:
    # In an ignore file, a leading # starts a comment.
    return f"\\{pattern}" if pattern.startswith("#") else pattern


def _invalid(expected: str, received: str) -> CodePlaneError:
    return CodePlaneError(
        ErrorCode.ARGUMENT_INVALID,
        "invalid path pattern",
        expected=expected,
        received=received,
        example="src/**/*.py",
    )
