"""Where imported modules come from: the repository itself, the standard library, or a package from outside.

Judged by paths and by the imports alone, for no manifest is read. What looks like a module of
the repository counts as one, so that the list of outside packages can be trusted.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from codeplane.base.paths import basename, parent
from codeplane.languages.registry import by_name
from codeplane.languages.role_paths import Role
from codeplane.query.overview import FileOverview, ImportBrief

INSIDE = ""
"""The origin of what the repository itself holds."""
STANDARD = "*"
"""The origin of everything in the standard library."""

Judge = Callable[[str, str], str]
"""(folder of the importing file, module as written) -> INSIDE, STANDARD, or the name of the package."""

_REMOVED_FROM_PYTHON_WORDS = """
asynchat asyncore distutils imp smtpd cgi cgitb crypt imghdr pipes telnetlib uu
"""
_REMOVED_FROM_PYTHON = frozenset(_REMOVED_FROM_PYTHON_WORDS.split())
_PYTHON = frozenset(sys.stdlib_module_names) | _REMOVED_FROM_PYTHON
_NODE_WORDS = """
assert async_hooks buffer child_process cluster console constants crypto dgram diagnostics_channel dns domain
events fs http http2 https inspector module net os path perf_hooks process punycode querystring readline repl
stream string_decoder sys timers tls trace_events tty url util v8 vm wasi worker_threads zlib
"""
_NODE = frozenset(_NODE_WORDS.split())
_RUST = frozenset({"std", "core", "alloc", "proc_macro", "test"})
_RUST_INSIDE = frozenset({"crate", "self", "super", "Self", "$crate"})
_JAVA = frozenset({"java", "javax", "jdk", "sun"})
_GO_HOSTS = frozenset({"github.com", "gitlab.com", "bitbucket.org", "golang.org", "codeberg.org", "sigs.k8s.io"})
"""Hosts whose modules have two more segments; elsewhere one is usual."""
_WORKSPACES_WORDS = """
packages libs apps modules plugins projects crates
"""
_WORKSPACES = frozenset(_WORKSPACES_WORDS.split())
_OF_THE_PRODUCT = frozenset({Role.SOURCE, Role.GENERATED, Role.CONFIG, Role.BUILD})


def find_judges(
    files: Sequence[FileOverview], imports: Iterable[ImportBrief], roles: Mapping[int, str], repo_name: str
) -> dict[str, Judge]:
    """A judge for each language; `repo_name` is how the repository may call itself."""
    sources: dict[str, set[str]] = {"go": set(), "javascript": set()}
    language_of = {file.file_id: file.language for file in files}
    for each in imports:
        language = language_of.get(each.file_id, "")
        group = "javascript" if language in ("typescript", "tsx") else language
        if group in sources:
            sources[group].add(each.source)
    javascript = _javascript(files, sources["javascript"], repo_name)
    return {
        "python": _python(files, roles),
        "go": _go(files, sources["go"], repo_name),
        "rust": _rust(files, repo_name),
        "java": _java(files),
        "javascript": javascript,
        "typescript": javascript,
        "tsx": javascript,
    }


def _python(files: Sequence[FileOverview], roles: Mapping[int, str]) -> Judge:
    inside: dict[str, set[str]] = {}
    """Folder -> modules and packages in it."""
    packages: set[str] = set()
    everywhere: set[str] = set()
    for file in files:
        if file.language != "python":
            continue
        folder, _, name = file.path.rpartition("/")
        inside.setdefault(folder, set()).add(name.partition(".")[0])
        if name == "__init__.py":
            packages.add(folder)
        while folder:
            above, _, name = folder.rpartition("/")
            known = inside.setdefault(above, set())
            if name in known:
                break
            known.add(name)
            folder = above
    aside = {parent(file.path) for file in files if roles[file.file_id] not in _OF_THE_PRODUCT}
    for package in packages - aside:
        if parent(package) not in packages:
            everywhere.add(package.rpartition("/")[2])

    def judge(folder: str, source: str) -> str:
        first = source.partition(".")[0]
        if not first or first in everywhere:
            return INSIDE
        if first in _PYTHON:
            return STANDARD
        while True:
            if first in inside.get(folder, ()):
                return INSIDE
            if not folder:
                return first
            folder = parent(folder)

    return judge


def go_modules(files: Sequence[FileOverview], sources: Iterable[str], repo_name: str) -> set[str]:
    """Paths of the repository's own Go modules."""
    folders = {parent(file.path) for file in files if file.language == "go"}
    votes: Counter[str] = Counter()
    for source in sources:
        parts = source.split("/")
        if "." not in parts[0]:
            continue
        # The longest end of the path that is a folder here: what stands before it may be our module.
        for number in range(1, len(parts)):
            if "/".join(parts[number:]) in folders:
                votes["/".join(parts[:number])] += 1
                break
    most = max(votes.values(), default=0)
    ours = {prefix for prefix, count in votes.items() if count == most and (count > 1 or len(votes) == 1)}
    return ours | {source for source in sources if repo_name and _go_name(source) == repo_name.lower()}


def _go(files: Sequence[FileOverview], sources: set[str], repo_name: str) -> Judge:
    ours = go_modules(files, sources, repo_name)

    def judge(folder: str, source: str) -> str:
        parts = source.split("/")
        if "." not in parts[0]:
            return STANDARD
        if any(source == prefix or source.startswith(f"{prefix}/") for prefix in ours):
            return INSIDE
        return "/".join(parts[: 3 if parts[0] in _GO_HOSTS else 2])

    return judge


def _go_name(source: str) -> str:
    """How a module path would be checked out: `github.com/go-chi/chi/v5` as `chi`."""
    parts = source.lower().split("/")
    if len(parts) > 1 and parts[-1][:1] == "v" and parts[-1][1:].isdigit():
        parts.pop()
    return parts[-1] if len(parts) > 2 else ""


def _rust(files: Sequence[FileOverview], repo_name: str) -> Judge:
    crates = {repo_name.lower().replace("-", "_")}
    beside: dict[str, set[str]] = {}
    for file in files:
        if file.language != "rust":
            continue
        folder, _, name = file.path.rpartition("/")
        beside.setdefault(folder, set()).add(name.removesuffix(".rs"))
        beside.setdefault(parent(folder), set()).add(basename(folder))
        if name in ("lib.rs", "main.rs"):
            home = parent(folder) if folder.endswith("src") else folder
            crates.add(basename(home).replace("-", "_"))
    crates.discard("")

    def judge(folder: str, source: str) -> str:
        first = source.removeprefix("::").partition("::")[0].strip()
        if first in _RUST:
            return STANDARD
        # Crates are written small; `use Kind::*` is about a type of the file.
        if not first or first in _RUST_INSIDE or first[:1].isupper() or first in crates:
            return INSIDE
        # A workspace often puts its own name before that of the folder: `grep_matcher` in `matcher`.
        if any(first.endswith(f"_{crate}") for crate in crates) or first in beside.get(folder, ()):
            return INSIDE
        return first

    return judge


def _java(files: Sequence[FileOverview]) -> Judge:
    package_of = by_name("java").module_name
    packages = {package_of(file.path) for file in files if file.language == "java"}
    packages.discard("")

    def judge(folder: str, source: str) -> str:
        parts = source.split(".")
        if parts[0] in _JAVA:
            return STANDARD
        # A nested or static import names a class where others name the package.
        while len(parts) > 1 and parts[-1][:1].isupper():
            parts.pop()
        if any(".".join(parts[:number]) in packages for number in range(len(parts), 1, -1)):
            return INSIDE
        return ".".join(parts[:3])

    return judge


def _javascript(files: Sequence[FileOverview], sources: set[str], repo_name: str) -> Judge:
    homes = {parent(file.path) for file in files if file.path.endswith("package.json")}
    names = {basename(home) for home in homes if home}
    members = {basename(home) for home in homes if not _WORKSPACES.isdisjoint(home.split("/")[:-1])}
    folders = {file.path.partition("/")[0] for file in files if "/" in file.path and file.language in _SCRIPTS}
    scopes = Counter(
        package.partition("/")[0]
        for package in {_npm_name(source) for source in sources if source.startswith("@")}
        if package.partition("/")[2] in (members or names)
    )
    # One package of a scope may be called like a folder of ours by chance; of two this is unlikely.
    ours = {scope for scope, count in scopes.items() if count > 1 or len(scopes) == 1}

    def judge(folder: str, source: str) -> str:
        if source.startswith("node:") or source.partition("/")[0] in _NODE:
            return STANDARD
        if not source or source[0] in "./#~$" or source.startswith(("@/", "virtual:")) or "://" in source:
            return INSIDE
        package = _npm_name(source)
        scope, _, name = package.rpartition("/")
        inside = scope in ours and name in names if scope else name in members or name in folders or name == repo_name
        return INSIDE if inside else package

    return judge


_SCRIPTS = frozenset({"javascript", "typescript", "tsx"})


def _npm_name(source: str) -> str:
    parts = source.split("/")
    return "/".join(parts[:2]) if source.startswith("@") else parts[0]
