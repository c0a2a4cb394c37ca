"""Hint for results dominated by tests, fixtures, docs and generated files.

The sentences are fixed and say what to do: use another scope, or add patterns to `.cplignore`. Patterns that the root
`.gitignore` already has are not suggested; only that file is read, and the sentences say so.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping
from functools import cache
from itertools import islice
from typing import Literal, NamedTuple

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.disk import stats
from codeplane.disk.ignore import MAX_IGNORE_BYTES
from codeplane.disk.ignore_patterns import PatternList
from codeplane.disk.safe_open import Root, read_up_to
from codeplane.languages.role_paths import Role, is_generated

TOP_K = 5
THRESHOLD = 0.60
DEBOUNCE_MS = 5000
RELOAD_EVERY = 25
"""Reads after which the file is parsed again although it seems unchanged: some file systems have coarse timestamps."""

PATTERNS = (
    "**/generated/**",
    "**/*.generated.*",
    "**/*.min.js",
    "**/*_pb2.py",
    "**/*.pb.go",
    "**/*.lock",
    "**/test/**",
    "**/tests/**",
    "**/__tests__/**",
    "**/spec/**",
    "**/test_*.py",
    "**/*_test.*",
    "**/*.test.*",
    "**/*.spec.*",
    "**/fixtures/**",
    "**/__fixtures__/**",
    "**/testdata/**",
    "**/docs/**",
    "**/*.md",
    "**/*.rst",
)
"""Patterns that can be suggested, in this order."""

Category = Literal["generated", "tests", "fixtures", "docs", "runtime"]
CATEGORIES: tuple[Category, ...] = ("generated", "tests", "fixtures", "docs", "runtime")
"""Categories in order of precedence."""

_FIRST = 'Use scope="runtime" to reduce noise.'
_EDIT = (
    "If you edit ignores, add only patterns not already ignored by root .gitignore (root-only check), then run {sync}."
)
_COVERED = (
    "Top noisy files appear already covered by root .gitignore (root-only check);"
    " .cplignore changes may be unnecessary."
)
_CHANGED = "If you changed ignores, run {sync} for immediate convergence."
_LAST = "Reindex is only required when you see requires_reindex (fingerprint mismatch)."


class GitignoreState(NamedTuple):
    """State of the root `.gitignore`; it has patterns only if it is ready."""

    state: Literal["ready", "absent", "error"]
    patterns: PatternList | None = None

    def ignores(self, path: str) -> bool:
        return self.patterns is not None and _is_ignored(self.patterns, path)


class RootGitignore:
    """Root `.gitignore`, parsed again when its mtime or size changes, and after RELOAD_EVERY reads."""

    def __init__(self, root: Root, reload_every: int = RELOAD_EVERY) -> None:
        self._root = root
        self._reload_every = reload_every
        self._lock = threading.Lock()
        self._state = GitignoreState("absent")
        self._stamp: tuple[int, int] | None = None
        self._checks = 0

    def read(self) -> GitignoreState:
        """Return the current state. A file that is absent or unreadable is tried again like any other."""
        with self._lock:
            self._checks += 1
            try:
                fd = self._root.open_file(".gitignore")
            except CodePlaneError as error:
                absent = error.code is ErrorCode.FILE_NOT_FOUND
                self._state, self._stamp = GitignoreState("absent" if absent else "error"), None
                return self._state
            try:
                stat = stats.file_stat(os.fstat(fd))
                stamp = (stat.mtime_ns, stat.size)
                if stamp != self._stamp or self._checks % self._reload_every == 0:
                    self._state, self._stamp = _parse(read_up_to(fd, MAX_IGNORE_BYTES + 1, stat.size)), stamp
                    if self._state.state == "ready":
                        self._checks = 0
            except OSError:
                self._state, self._stamp = GitignoreState("error"), None
            finally:
                os.close(fd)
            return self._state


def noise_hint(
    files: Mapping[str, str],
    gitignore: GitignoreState,
    tool_visible: Callable[[str], bool],
    debounce_ms: int = DEBOUNCE_MS,
) -> dict[str, object] | None:
    """Return the hint for results in these files (path to role, in result order); None if most are source files."""
    head = list(islice(files.items(), TOP_K))
    categories = [category_of(path, role) for path, role in head]
    noisy = [path for (path, _), category in zip(head, categories, strict=True) if category != "runtime"]
    if not is_noisy(files):
        return None
    valid = tuple(dict.fromkeys(filter(_is_relative, noisy)))
    covered = tuple(path for path in valid if gitignore.ignores(path))
    fresh = tuple(path for path in valid if path not in covered)
    ready = gitignore.state == "ready"
    suggested = [text for text in PATTERNS if not ready or any(_is_ignored(_compiled(text), path) for path in fresh)]
    sync = "manage_index sync" if tool_visible("manage_index") else "'cpl init'"
    if suggested:
        middle = [_EDIT]
    else:
        middle = [_COVERED, _CHANGED] if covered else [_CHANGED]
    return {
        "version": 1,
        "reason": "top_results_noise_dominant",
        "top_k": len(head),
        "ratios": {name: round(categories.count(name) / len(head), 2) for name in CATEGORIES},
        "recommended_scope": "runtime",
        "suggested_ignore_patterns": suggested,
        "debounce_ms": debounce_ms,
        "next_step": " ".join((_FIRST, *(sentence.format(sync=sync) for sentence in middle), _LAST)),
        "already_ignored": sorted(covered),
        "new_ignore_only": sorted(fresh) if ready else [],
        "confidence": "high" if ready else "low",
    }


def is_noisy(files: Mapping[str, str]) -> bool:
    """True if most of the first results are not in source files."""
    head = list(islice(files.items(), TOP_K))
    return bool(head) and sum(category_of(path, role) != "runtime" for path, role in head) / len(head) >= THRESHOLD


def category_of(path: str, role: str) -> Category:
    category = _CATEGORY.get(role, "runtime")
    return "generated" if category != "runtime" and is_generated(path) else category


_CATEGORY: dict[str, Category] = {
    Role.GENERATED: "generated",
    Role.TEST: "tests",
    Role.FIXTURE: "fixtures",
    Role.DOCS: "docs",
}


@cache
def _compiled(pattern: str) -> PatternList:
    return PatternList([pattern.encode()])


def _parse(data: bytes) -> GitignoreState:
    """Parse the file; a list that is truncated is an error."""
    if len(data) > MAX_IGNORE_BYTES:
        return GitignoreState("error")
    patterns = PatternList(data.split(b"\n"))
    return GitignoreState("ready", patterns) if patterns.complete else GitignoreState("error")


def _is_ignored(patterns: PatternList, path: str) -> bool:
    """True if the path or one of its directories is ignored, as in git."""
    parts = os.fsencode(path).split(b"/")
    for number, name in enumerate(parts, 1):
        found = patterns.find_last(b"/".join(parts[:number]), name, is_directory=number < len(parts))
        if found is not None and not found.negated:
            return True
    return False


def _is_relative(path: str) -> bool:
    return path != "" and not path.startswith("/") and ".." not in path.split("/")
