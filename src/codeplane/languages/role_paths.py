"""Roles of files by path, from the naming conventions of their ecosystems.

Directory names are listed here; file names are declared by the languages (`Language.roles`). A directory name that is
used for tests and products alike (`django/test` is a product, `packages/core/test` is not) counts only where the
file's own ecosystem puts tests. In doubt a file is a source: a source taken for a test is hidden by default, while a
test taken for a source only ranks too high. `find_test_roots` finds more, given the whole tree.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from enum import StrEnum
from fnmatch import fnmatchcase
from functools import cache, lru_cache
from typing import NamedTuple

from codeplane.base.paths import basename, parent
from codeplane.languages import text_only
from codeplane.languages.registry import languages


class Role(StrEnum):
    SOURCE = "source"
    TEST = "test"
    FIXTURE = "fixture"
    """Data that tests read, outside of test directories."""
    DOCS = "docs"
    EXAMPLE = "example"
    """Examples, demos and benchmarks."""
    TOOL = "tool"
    """Scripts for developers of the repository."""
    GENERATED = "generated"
    VENDORED = "vendored"
    CONFIG = "config"
    BUILD = "build"


class RoleDecision(NamedTuple):
    role: Role
    evidence: str
    """The reason, in a few words; empty for a source, the role that no rule assigns."""


def claim_purpose(path: str) -> Iterator[RoleDecision]:
    """Yield roles that take precedence over authorship: tests, their data, documents; best first."""
    folder, _, name = path.rpartition("/")
    claims = _claims_of_folder(folder, _extension(name)) if folder else ()
    yield from (claim for claim in claims if claim.role is Role.TEST)
    glob = match_test_name(path)
    if glob is not None:
        # One glob represents all names of its ecosystem; this name may be another of them.
        bare = glob.removeprefix("**/")
        yield RoleDecision(Role.TEST, f"name {bare if fnmatchcase(name, bare) else name}")
    yield from (claim for claim in claims if claim.role in (Role.FIXTURE, Role.DOCS))
    if name.endswith(".snap"):
        yield RoleDecision(Role.FIXTURE, "name *.snap")
    yield from _claim_document(folder, name)


def claim_generated(path: str) -> Iterator[RoleDecision]:
    name = basename(path)
    glob = _tables().generated.find(name)
    if glob is not None:
        yield RoleDecision(Role.GENERATED, f"name {glob}")


def claim_place(path: str) -> Iterator[RoleDecision]:
    """Yield the other roles of a path, by directory or by name; best first."""
    folder, _, name = path.rpartition("/")
    claims = _claims_of_folder(folder, _extension(name)) if folder else ()
    yield from (claim for claim in claims if claim.role not in (Role.TEST, Role.FIXTURE, Role.DOCS))
    glob = _tables().build.find(name)
    if glob is not None:
        yield RoleDecision(Role.BUILD, f"name {glob}")
    if _EXAMPLE_NAME.fullmatch(name) is not None:
        yield RoleDecision(Role.EXAMPLE, "name *.stories.*")
    extension = _extension(name)
    if extension in _CONFIG_EXTENSIONS:
        yield RoleDecision(Role.CONFIG, f"extension {extension}")
    elif name.startswith("."):
        # `.eslintrc` and the like have a leading dot and no extension.
        yield RoleDecision(Role.CONFIG, "name .*")
    elif _CONFIG_NAME.fullmatch(name):
        yield RoleDecision(Role.CONFIG, f"name {name}")


def is_generated(path: str) -> bool:
    """True if the path says that the file is generated, whatever its role."""
    folder = parent(path)
    return any(claim_generated(path)) or not _GENERATED_FOLDERS.isdisjoint(folder.lower().split("/"))


def match_test_name(path: str) -> str | None:
    """Return the glob of a test file beside the sources; None for other names."""
    folder, _, name = path.rpartition("/")
    if _SUSPECT.search(name) is None:
        return None
    for glob, pattern in _tables().tests:
        if pattern.fullmatch(name):
            # Test frameworks have products called `TestCase.java` and `test_request.rb`.
            return None if _is_product(folder, _extension(name)) else glob
    return None


def find_test_folder(path: str, test_roots: frozenset[str] = frozenset()) -> str | None:
    """Return the outermost test directory of a path."""
    parts = path.split("/")
    extension = _extension(parts.pop())
    lowered = [part.lower() for part in parts]
    for number in range(1, len(parts) + 1):
        folder = "/".join(parts[:number])
        if folder in test_roots or _is_test_folder(lowered, number - 1, extension):
            return folder
    return None


def find_test_roots(paths: Iterable[str]) -> frozenset[str]:
    """Return directories called `test` or `integration` that contain a file named like a test."""
    found: set[str] = set()
    for path in paths:
        if "test/" not in path and "integration/" not in path:
            continue
        parts = path.split("/")
        for number, part in enumerate(parts[:-1], 1):
            if part not in _MAYBE_TEST_FOLDERS:
                continue
            # At the top level, a directory of that name is never the product itself.
            if number == 1 or parts[number - 2] == "src" or match_test_name(path) is not None:
                found.add("/".join(parts[:number]))
    return frozenset(found)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


class _Globs:
    """Names, and globs combined into one regular expression."""

    def __init__(self, patterns: Iterable[str]) -> None:
        words = [word for each in patterns for word in each.split()]
        self._names = frozenset(word for word in words if "*" not in word)
        self._globs = [word for word in words if "*" in word]
        self._any = re.compile("|".join(f"({re.escape(glob).replace(chr(92) + '*', '.*')})" for glob in self._globs))

    def find(self, name: str) -> str | None:
        """Return the name or glob that matches a file name."""
        if name in self._names:
            return name
        found = self._any.fullmatch(name)
        return self._globs[found.lastindex - 1] if found is not None and found.lastindex is not None else None


class _Tables(NamedTuple):
    tests: tuple[tuple[str, re.Pattern[str]], ...]
    generated: _Globs
    build: _Globs


@cache
def _tables() -> _Tables:
    """Return the patterns of all languages; those that serve many languages first."""
    declared = (text_only.ROLES, *(language.roles for language in languages()))
    return _Tables(
        tuple((glob, re.compile(pattern)) for roles in declared for glob, pattern in roles.tests),
        _Globs(roles.generated for roles in declared),
        _Globs(roles.build for roles in declared),
    )


# Folders. All are compared in lower case.
_TEST_FOLDERS = _words("tests __tests__ __test__ __mocks__ e2e testsuite unittests unit-tests step_definitions")
_TEST_FOLDER = re.compile(r"test[-_].+|.+[-_]tests|.+\.(?:unit|integration|functional|acceptance)?tests?(?:\..+)?")
"""Everything under such a directory belongs to tests: `integration-tests`, `Shop.Tests`."""
_TEST_MODULE = re.compile(r".+[-_]test")
"""Likewise under these, unless they are modules with sources of their own: `spring-test/src/main` is a product."""
_TOP_TEST_FOLDERS = _words("t test spec specs integration cypress")
"""At the top level these are test directories, except for specifications."""
_SRC_TEST_FOLDERS = _words(
    "test commontest jvmtest jstest nativetest iostest androidtest androidunittest integrationtest functionaltest"
    " inttest"
)
"""Directly in `src`, the layout of Maven and Gradle."""
_NESTED_TEST_FOLDERS = {
    "test": _words(".py .pyi .go"),
    "spec": _words(".py .pyi .go .rs .java .kt .scala .c .h .cc .cpp .cs .swift"),
    "specs": _words(".py .pyi .go .rs .java .kt .scala .c .h .cc .cpp .cs .swift"),
}
"""Deeper in the tree they are test directories, except for files of these ecosystems, whose tests are elsewhere."""
_SPECIFICATIONS = _words("spec specs")
"""Specifications of an interface (`spec/api.json`), as well as tests of behaviour."""
_DATA = _words(".json .yaml .yml .proto .graphql .tsp")
_NOT_OF_TESTS = _words("command commands cmd")
"""`commands/test` is the command that runs tests."""
_MAYBE_TEST_FOLDERS = _words("test integration")
_FIXTURE_FOLDERS = _words(
    "fixture fixtures __fixtures__ _fixtures testdata test_data test-data testfixtures test-fixtures __snapshots__"
    " .snapshots __image_snapshots__"
)
_DOCS_FOLDERS = _words("docs documentation")
_TOP_DOCS_FOLDERS = _words("doc man site website wiki")
_NOT_IN_DOC = _words(".go .rs")
"""A directory `doc` may be a package in these languages."""
_SOURCE_FOLDERS = _words("src lib app internal pkg source")
"""Under these, `docs` is a part of the product that handles documents."""
_EXAMPLE_FOLDERS = _words(
    "example examples sample samples demo demos docs_src playground playgrounds"
    " bench benches benchmark benchmarks benchsuite"
)
_TOP_TOOL_FOLDERS = _words(
    "script scripts tool tools tooling hack ci maint dev"
    " .github .gitlab .circleci .buildkite .devcontainer .husky .agents"
)
"""Deeper in the tree a tool directory is often part of the product."""
_GENERATED_FOLDERS = _words("generated __generated__ autogenerated generated-sources generated_sources")
_VENDORED_FOLDERS = _words(
    "vendor vendored _vendor _vendored third_party third-party thirdparty 3rdparty extern"
    " node_modules bower_components godeps pods carthage site-packages"
)
_TOP_VENDORED_FOLDERS = _words("deps external")

_DEEP = 3
"""Deeper in the tree a name such as `example` is part of a package (`org.example`)."""


@lru_cache(maxsize=1 << 14)
def _claims_of_folder(folder: str, extension: str) -> tuple[RoleDecision, ...]:
    return tuple(_claim_folder(folder, extension))


def _claim_folder(folder: str, extension: str) -> Iterator[RoleDecision]:
    written = folder.split("/")
    parts = folder.lower().split("/")
    tests = next((at for at in range(len(parts)) if _is_test_folder(parts, at, extension)), None)
    if tests is not None:
        before = "src/" if tests and parts[tests - 1] == "src" else ""
        yield RoleDecision(Role.TEST, f"folder {before}{written[tests]}/")
    product = _product_begins(parts)
    top, high = parts[0], parts[: min(_DEEP, product)]
    fixtures = _find(_FIXTURE_FOLDERS, parts[:product])
    if fixtures is not None:
        yield RoleDecision(Role.FIXTURE, f"folder {written[fixtures]}/")
    docs = 0 if top in _TOP_DOCS_FOLDERS and extension not in _NOT_IN_DOC else _find_docs(high)
    if docs is not None:
        yield RoleDecision(Role.DOCS, f"folder {written[docs]}/")
    for role, names, within in (
        (Role.GENERATED, _GENERATED_FOLDERS, parts),
        (Role.VENDORED, _VENDORED_FOLDERS, parts),
        (Role.VENDORED, _TOP_VENDORED_FOLDERS, parts[:1]),
        (Role.EXAMPLE, _EXAMPLE_FOLDERS, high),
        (Role.TOOL, _TOP_TOOL_FOLDERS, parts[:1]),
    ):
        at = _find(names, within)
        if at is not None:
            yield RoleDecision(role, f"folder {written[at]}/")


def _find(names: frozenset[str], parts: list[str]) -> int | None:
    if names.isdisjoint(parts):
        return None
    return next(at for at, part in enumerate(parts) if part in names)


def _is_nested_test_folder(parts: list[str], position: int, extension: str) -> bool:
    if position and parts[position - 1] in _NOT_OF_TESTS:
        return False
    if extension in _NESTED_TEST_FOLDERS[parts[position]]:
        return False
    return extension != ".rb" or "lib" not in parts[:position]


def _is_test_folder(parts: list[str], position: int, extension: str) -> bool:
    part = parts[position]
    if "test" not in part and part not in _TEST_FOLDERS and part not in _TOP_TEST_FOLDERS:
        return False
    product = _product_begins(parts)
    if position >= product or part in _FIXTURE_FOLDERS:
        return False
    before = parts[position - 1] if position else ""
    if part in _TEST_FOLDERS or (before == "src" and part in _SRC_TEST_FOLDERS):
        return True
    if position == 0 and part in _TOP_TEST_FOLDERS:
        return not (part in _SPECIFICATIONS and (extension in _NESTED_TEST_FOLDERS[part] or _is_data(parts, extension)))
    if parts[0] == ".github":
        # `.github/actions/test_all` is the action that runs tests.
        return False
    if part in _NESTED_TEST_FOLDERS:
        return _is_nested_test_folder(parts, position, extension)
    if _TEST_FOLDER.fullmatch(part) is not None:
        return True
    return product == len(parts) and _TEST_MODULE.fullmatch(part) is not None


def _is_data(parts: list[str], extension: str) -> bool:
    """True for data directly in a directory at the top level."""
    return len(parts) == 1 and extension in _DATA


def _product_begins(parts: list[str]) -> int:
    """Return the depth from which directory names say nothing: everything under `src/main` is the product."""
    for position in range(1, len(parts)):
        if parts[position] == "main" and parts[position - 1] == "src":
            return position
    return len(parts)


def _is_product(folder: str, extension: str) -> bool:
    parts = folder.lower().split("/")
    return _product_begins(parts) < len(parts) or (extension == ".rb" and "lib" in parts)


def _find_docs(high: list[str]) -> int | None:
    for position, part in enumerate(high):
        if part in _DOCS_FOLDERS:
            return position
        if part == "src" and high[position + 1 : position + 2] == ["site"]:
            return position + 1
        if part in _SOURCE_FOLDERS:
            return None
    return None


# Names of files.
_SUSPECT = re.compile(r"[Tt]est|[Ss]pec|IT\.|S(?:UITE|uite)|Cest|\.bats$|\.t$|\.cy\.|\.e2e\.|\.feature$|rails_helper")
_DOCUMENT_EXTENSIONS = _words(
    ".md .mdx .markdown .livemd .cheatmd .rst .adoc .asciidoc .org .textile .pod .rdoc .po .pot .xlf .xliff"
)
_DOCUMENT_SUFFIXES = _words(".lesser .lib .apache .mit .bsd .python .in .cff") | {""}
_DOCUMENT_NAME = re.compile(
    r"(?i:readme|changelog|changes|history|news|authors|contributors|contributing|copying|licen[cs]e|notice|install|todo"
    r"|security|code_of_conduct|maintainers|thanks|citation)(?:[-.].*)?"
)
_NO_DOCUMENT = re.compile(r".*requirements.*\.txt|CMakeLists\.txt|constraints.*\.txt")

_EXAMPLE_NAME = re.compile(r".+\.stories\.(?:[cm]?[jt]sx?|mdx|svelte|vue)")
_CONFIG_EXTENSIONS = _words(
    ".toml .yaml .yml .json .jsonc .json5 .ini .cfg .conf .config .properties .editorconfig .plist .env .xml .tfvars"
)
_CONFIG_NAME = re.compile(
    r"(?:webpack|rollup|vite|vitest|jest|babel|eslint|prettier|stylelint|commitlint|tailwind|postcss|next|nuxt|svelte"
    r"|astro|karma|playwright|cypress|tsup|metro|wdio|protractor)(?:\.[\w-]+)*\.(?:config|conf)\.[cm]?[jt]s"
)


def _extension(name: str) -> str:
    dot = name.rfind(".")
    return name[dot:].lower() if dot > 0 else ""


def _claim_document(folder: str, name: str) -> Iterator[RoleDecision]:
    extension = _extension(name)
    if extension == ".txt":
        # Text templates are part of the program that fills them in.
        if _NO_DOCUMENT.fullmatch(name) is None and "templates" not in folder.split("/"):
            yield RoleDecision(Role.DOCS, "extension .txt")
    elif extension in _DOCUMENT_EXTENSIONS:
        yield RoleDecision(Role.DOCS, f"extension {extension}")
    elif extension in _DOCUMENT_SUFFIXES and _DOCUMENT_NAME.fullmatch(name) is not None:
        # `license.py` is code; `LICENSE`, `LICENSE-MIT` and `COPYING.LESSER` are not.
        yield RoleDecision(Role.DOCS, f"name {name}")
