"""What a file is there for, judged by its path and by its neighbours: source, test, docs, example or generated."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from enum import Enum

from codeplane.query.overview import FileBrief


class Role(Enum):
    SOURCE = "source"
    TEST = "test"
    DOCS = "docs"
    EXAMPLE = "example"
    """Examples, demos and benchmarks: code that shows the code."""
    TOOL = "tool"
    """Scripts for those who work on the repository."""
    GENERATED = "generated"


TEST_FOLDERS = frozenset({"tests", "__tests__", "spec", "specs", "e2e", "testdata", "__mocks__", "__fixtures__"})
"""Everything beneath one of these belongs to tests."""

_TEST_FOLDER = re.compile(r"test[-_].+|.+[-_]tests?|testsuite")
"""And everything beneath folders called so."""

_MAYBE_TEST_FOLDERS = frozenset({"test", "integration"})
"""So does what lies beneath these, if anything there is called like a test (Django's `django/test` is a product)."""

_DOCS_FOLDERS = frozenset({"docs", "documentation", "site", "website"})
_EXAMPLE_FOLDERS_WORDS = """
example examples sample samples demo demos playground playgrounds fixtures bench benches benchmark benchmarks
benchsuite
"""
_EXAMPLE_FOLDERS = frozenset(_EXAMPLE_FOLDERS_WORDS.split())

_TOOL_FOLDERS_WORDS = """
script scripts tool tools tooling hack ci .github .circleci maint dev devtools
"""
_TOOL_FOLDERS = frozenset(_TOOL_FOLDERS_WORDS.split())

_TEST_NAMES: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("**/*_test.go", re.compile(r".+_test\.go")),
    ("**/test_*.py", re.compile(r"test_.*\.py")),
    ("**/*_test.py", re.compile(r".+_tests?\.py")),
    ("**/tests.py", re.compile(r"tests\.py|conftest\.py")),
    ("**/*.spec.*", re.compile(r".+[._]spec\.[cm]?[jt]sx?")),
    ("**/*.test.*", re.compile(r".+[._]test(?:-d)?\.[cm]?[jt]sx?")),
    ("**/*Test.java", re.compile(r"(?:.+Tests?|.+TestCase|.+IT|Test[A-Z].*)\.(?:java|kt)")),
    ("**/tests.rs", re.compile(r"tests?\.rs|.+_tests?\.rs")),
)
_SUSPECT = re.compile(r"[Tt]est|[._]spec\.|IT\.")

_GENERATED = re.compile(
    r".+\.pb\.go|.+\.pb\.gw\.go|.+_pb2(?:_grpc)?\.pyi?|.+\.min\.(?:js|css)|.+[._]generated\..+|.+_gen\.go|mock_.+\.go"
    r"|.+\.bundle\.js|zz_generated.+"
)


def match_test_name(path: str) -> str | None:
    """How a test file that lies beside the sources is recognised, as a glob; None for other names."""
    name = path.rpartition("/")[2]
    if _SUSPECT.search(name) is None:
        return None
    return next((glob for glob, pattern in _TEST_NAMES if pattern.fullmatch(name)), None)


def find_test_folder(path: str, test_roots: frozenset[str]) -> str | None:
    """The outermost folder of tests that a path lies in."""
    parts = path.split("/")
    for number, part in enumerate(parts[:-1], 1):
        folder = "/".join(parts[:number])
        if part.lower() in TEST_FOLDERS or folder in test_roots or _TEST_FOLDER.fullmatch(part):
            return folder
    return None


def find_test_roots(files: Iterable[FileBrief]) -> frozenset[str]:
    """Folders called `test` and the like in which something is called like a test, or that Maven keeps tests in."""
    found: set[str] = set()
    for file in files:
        if "test/" not in file.path and "integration/" not in file.path:
            continue
        parts = file.path.split("/")
        for number, part in enumerate(parts[:-1], 1):
            if part not in _MAYBE_TEST_FOLDERS:
                continue
            # At the top a folder of that name is never the product itself.
            if number == 1 or parts[number - 2] == "src" or match_test_name(file.path) is not None:
                found.add("/".join(parts[:number]))
    return frozenset(found)


def find_roles(files: Iterable[FileBrief], test_roots: frozenset[str]) -> Mapping[int, Role]:
    """The role of every file by its id."""
    folders: dict[str, Role] = {}
    roles: dict[int, Role] = {}
    for file in files:
        folder, _, name = file.path.rpartition("/")
        role = folders.get(folder)
        if role is None:
            role = folders[folder] = _folder_role(folder, test_roots)
        if role is not Role.TEST:
            if match_test_name(file.path) is not None:
                role = Role.TEST
            elif role is Role.SOURCE:
                role = _file_role(file, name)
        roles[file.file_id] = role
    return roles


def _folder_role(folder: str, test_roots: frozenset[str]) -> Role:
    if find_test_folder(f"{folder}/", test_roots) is not None:
        return Role.TEST
    # Further down such a name is one of a package (`org.example`), not of a place.
    parts = folder.lower().split("/")[:3]
    if not _EXAMPLE_FOLDERS.isdisjoint(parts):
        return Role.EXAMPLE
    if not _DOCS_FOLDERS.isdisjoint(parts):
        return Role.DOCS
    # Deeper down a folder of tools is often part of the product.
    return Role.TOOL if parts[0] in _TOOL_FOLDERS else Role.SOURCE


def _file_role(file: FileBrief, name: str) -> Role:
    if file.language == "markdown":
        return Role.DOCS
    return Role.GENERATED if _GENERATED.fullmatch(name) else Role.SOURCE
