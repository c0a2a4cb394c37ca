"""What the path of a file says of its role: by the names that ecosystems have agreed on.

The rules are data: names of folders, and patterns of file names. Where a name is used for tests and for products
alike (`django/test` is a product, `packages/core/test` is not), it counts only where the convention of the file's own
ecosystem puts tests; a doubt leaves the file a source, because a source taken for a test is hidden by default, while a
test taken for a source only stands too high. Who has seen the whole tree can say more: `find_test_roots`.
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
    """Data that tests read, outside the folders of the tests themselves."""
    DOCS = "docs"
    EXAMPLE = "example"
    """Examples, demos and benchmarks: code that shows the code."""
    TOOL = "tool"
    """Scripts for those who work on the repository."""
    GENERATED = "generated"
    VENDORED = "vendored"
    CONFIG = "config"
    BUILD = "build"


class RoleDecision(NamedTuple):
    role: Role
    evidence: str
    """What it follows from, in a few words; empty for a source, which is what no rule says anything of."""


def claim_purpose(path: str) -> Iterator[RoleDecision]:
    """What the path says that weighs more than who wrote the file: tests, their data, documents; best first."""
    folder, _, name = path.rpartition("/")
    claims = _claims_of_folder(folder, _extension(name)) if folder else ()
    yield from (claim for claim in claims if claim.role is Role.TEST)
    glob = match_test_name(path)
    if glob is not None:
        # One glob stands for all names of its ecosystem; this one may be another of them.
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
    """What else the path says: whose folder it lies in, what it builds or sets; best first."""
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
        # `.eslintrc` and the like have a leading dot and nothing else.
        yield RoleDecision(Role.CONFIG, "name .*")
    elif _CONFIG_NAME.fullmatch(name):
        yield RoleDecision(Role.CONFIG, f"name {name}")


def is_generated(path: str) -> bool:
    """Whether its path says that a program wrote the file, whatever else it is."""
    folder = parent(path)
    return any(claim_generated(path)) or not _GENERATED_FOLDERS.isdisjoint(folder.lower().split("/"))


def match_test_name(path: str) -> str | None:
    """How a test file that lies beside the sources is recognised, as a glob; None for other names."""
    folder, _, name = path.rpartition("/")
    if _SUSPECT.search(name) is None:
        return None
    for glob, pattern in _tables().tests:
        if pattern.fullmatch(name):
            # Frameworks for tests have products called `TestCase.java` and `test_request.rb`.
            return None if _is_product(folder, _extension(name)) else glob
    return None


def find_test_folder(path: str, test_roots: frozenset[str] = frozenset()) -> str | None:
    """The outermost folder of tests that a path lies in."""
    parts = path.split("/")
    extension = _extension(parts.pop())
    lowered = [part.lower() for part in parts]
    for number in range(1, len(parts) + 1):
        folder = "/".join(parts[:number])
        if folder in test_roots or _is_test_folder(lowered, number - 1, extension):
            return folder
    return None


def find_test_roots(paths: Iterable[str]) -> frozenset[str]:
    """Folders called `test` or `integration` in which something is called like a test."""
    found: set[str] = set()
    for path in paths:
        if "test/" not in path and "integration/" not in path:
            continue
        parts = path.split("/")
        for number, part in enumerate(parts[:-1], 1):
            if part not in _MAYBE_TEST_FOLDERS:
                continue
            # At the top a folder of that name is never the product itself.
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
"""Everything beneath folders called so belongs to tests: `integration-tests`, `Shop.Tests`."""
_TEST_MODULE = re.compile(r".+[-_]test")
"""And beneath these, unless they are modules with sources of their own: `spring-test/src/main` is a product."""
_TOP_TEST_FOLDERS = _words("t test spec specs integration cypress")
"""At the top these are nothing else, specifications aside."""
_SRC_TEST_FOLDERS = _words(
    "test commontest jvmtest jstest nativetest iostest androidtest androidunittest integrationtest functionaltest"
    " inttest"
)
"""Directly in `src`, as Maven and Gradle have it."""
_NESTED_TEST_FOLDERS = {
    "test": _words(".py .pyi .go"),
    "spec": _words(".py .pyi .go .rs .java .kt .scala .c .h .cc .cpp .cs .swift"),
    "specs": _words(".py .pyi .go .rs .java .kt .scala .c .h .cc .cpp .cs .swift"),
}
"""Further down they are of tests except for files of these ecosystems, whose tests have other places."""
_SPECIFICATIONS = _words("spec specs")
"""Of an interface (`spec/api.json`), as well as of behaviour."""
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
"""A folder `doc` may be a package there."""
_SOURCE_FOLDERS = _words("src lib app internal pkg source")
"""Beneath these `docs` is a part of the product that deals with documents."""
_EXAMPLE_FOLDERS = _words(
    "example examples sample samples demo demos docs_src playground playgrounds"
    " bench benches benchmark benchmarks benchsuite"
)
_TOP_TOOL_FOLDERS = _words(
    "script scripts tool tools tooling hack ci maint dev"
    " .github .gitlab .circleci .buildkite .devcontainer .husky .agents"
)
"""Deeper down a folder of tools is often part of the product."""
_GENERATED_FOLDERS = _words("generated __generated__ autogenerated generated-sources generated_sources")
_VENDORED_FOLDERS = _words(
    "vendor vendored _vendor _vendored third_party third-party thirdparty 3rdparty extern"
    " node_modules bower_components godeps pods carthage site-packages"
)
_TOP_VENDORED_FOLDERS = _words("deps external")

_DEEP = 3
"""Further down a name such as `example` is one of a package (`org.example`), not of a place."""


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
        # `.github/actions/test_all` is what runs tests.
        return False
    if part in _NESTED_TEST_FOLDERS:
        if before in _NOT_OF_TESTS or extension in _NESTED_TEST_FOLDERS[part]:
            return False
        return extension != ".rb" or "lib" not in parts[:position]
    if _TEST_FOLDER.fullmatch(part) is not None:
        return True
    return product == len(parts) and _TEST_MODULE.fullmatch(part) is not None


def _is_data(parts: list[str], extension: str) -> bool:
    """Whether it is data that lies directly in a folder at the top."""
    return len(parts) == 1 and extension in _DATA


def _product_begins(parts: list[str]) -> int:
    """From which folder on names say nothing: what lies beneath `src/main` is the product."""
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
        # Texts that a program fills in are part of it.
        if _NO_DOCUMENT.fullmatch(name) is None and "templates" not in folder.split("/"):
            yield RoleDecision(Role.DOCS, "extension .txt")
    elif extension in _DOCUMENT_EXTENSIONS:
        yield RoleDecision(Role.DOCS, f"extension {extension}")
    elif extension in _DOCUMENT_SUFFIXES and _DOCUMENT_NAME.fullmatch(name) is not None:
        # `license.py` is code; `LICENSE`, `LICENSE-MIT` and `COPYING.LESSER` are not.
        yield RoleDecision(Role.DOCS, f"name {name}")
