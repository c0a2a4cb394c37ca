"""Test directories and frameworks."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from codeplane.languages.role_paths import Role, find_test_folder, find_test_roots, match_test_name
from codeplane.query.overview import FileOverview, ImportBrief, list_inner_modules
from codeplane.query.snapshot import Snapshot


class TestLayout(NamedTuple):
    test_count: int
    """Test files that contain code."""
    places: Mapping[str, int]
    """File counts by directory, or by name pattern for tests next to sources; largest first."""
    frameworks: Mapping[str, int]
    """File counts by imported framework; largest first."""
    inline_count: int
    """Source files with inline tests."""


_FRAMEWORKS = {
    "pytest": "pytest",
    "unittest": "unittest",
    "django.test": "django.test",
    "tornado.testing": "tornado.testing",
    "hypothesis": "hypothesis",
    "testing": "testing",
    "github.com/stretchr/testify": "testify",
    "github.com/onsi/ginkgo": "ginkgo",
    "org.junit.jupiter": "junit5",
    "org.junit": "junit4",
    "org.testng": "testng",
    "org.mockito": "mockito",
    "com.google.common.truth": "truth",
    "org.assertj": "assertj",
    "org.springframework.boot.test": "spring-boot-test",
    "vitest": "vitest",
    "@jest/globals": "jest",
    "jest": "jest",
    "mocha": "mocha",
    "chai": "chai",
    "sinon": "sinon",
    "supertest": "supertest",
    "node:test": "node:test",
    "node:assert": "node:assert",
    "@playwright/test": "playwright",
    "cypress": "cypress",
    "tap": "tap",
    "ava": "ava",
    "proptest": "proptest",
    "trybuild": "trybuild",
    "rstest": "rstest",
    "@angular/core/testing": "@angular/core/testing",
}
_SEPARATOR = re.compile(r"::|[./]")
_INLINE = ("tests", "test")


def find_test_layout(
    snapshot: Snapshot, files: Sequence[FileOverview], roles: Mapping[int, str], imports: Sequence[ImportBrief]
) -> TestLayout:
    roots = find_test_roots(file.path for file in files)
    places: Counter[str] = Counter()
    tests: set[int] = set()
    for file in files:
        if roles[file.file_id] != Role.TEST or (not file.definitions and match_test_name(file.path) is None):
            continue
        tests.add(file.file_id)
        folder = find_test_folder(file.path, roots)
        places[f"{folder}/" if folder else match_test_name(file.path) or file.path] += 1
    sources = [(each.file_id, each.source) for each in imports if each.file_id in tests]
    known = {source: _framework(source) for source in {source for _, source in sources}}
    used = {(file_id, framework) for file_id, source in sources if (framework := known[source])}
    sources_here = {file.file_id for file in files if roles[file.file_id] == Role.SOURCE}
    inline = {file_id for file_id, _ in list_inner_modules(snapshot, _INLINE) if file_id in sources_here}
    return TestLayout(
        len(tests), _by_count(places), _by_count(Counter(framework for _, framework in used)), len(inline)
    )


def _framework(source: str) -> str | None:
    """Return the framework of the longest matching module prefix."""
    known = _FRAMEWORKS.get(source)
    if known is not None or not _SEPARATOR.search(source):
        return known
    for found in reversed(list(_SEPARATOR.finditer(source))):
        known = _FRAMEWORKS.get(source[: found.start()])
        if known is not None:
            return known
    return None


def _by_count(counts: Mapping[str, int]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))
