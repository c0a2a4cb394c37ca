"""Origins of JavaScript and TypeScript imports."""

from __future__ import annotations

from collections import Counter

from codeplane.base.paths import basename, parent
from codeplane.languages.imports import INSIDE, STANDARD, ImportContext, OriginFinder

_NODE_WORDS = """
assert async_hooks buffer child_process cluster console constants crypto dgram diagnostics_channel dns domain
events fs http http2 https inspector module net os path perf_hooks process punycode querystring readline repl
stream string_decoder sys timers tls trace_events tty url util v8 vm wasi worker_threads zlib
"""
_NODE = frozenset(_NODE_WORDS.split())
_WORKSPACES = frozenset({"packages", "libs", "apps", "modules", "plugins", "projects", "crates"})
_LANGUAGES = frozenset({"javascript", "typescript", "tsx"})


def find_origins(context: ImportContext) -> OriginFinder:
    package_roots = {parent(file.path) for file in context.files if file.path.endswith("package.json")}
    names = {basename(root) for root in package_roots if root}
    members = {basename(root) for root in package_roots if not _WORKSPACES.isdisjoint(root.split("/")[:-1])}
    folders = {
        file.path.partition("/")[0] for file in context.files if "/" in file.path and file.language in _LANGUAGES
    }
    scopes = Counter(
        package.partition("/")[0]
        for package in {_package_name(source) for source in context.sources if source.startswith("@")}
        if package.partition("/")[2] in (members or names)
    )
    # One package of a scope may match a directory of ours by chance; two are unlikely to.
    own_scopes = {scope for scope, count in scopes.items() if count > 1 or len(scopes) == 1}

    def find(folder: str, source: str) -> str:
        if source.startswith("node:") or source.partition("/")[0] in _NODE:
            return STANDARD
        if not source or source[0] in "./#~$" or source.startswith(("@/", "virtual:")) or "://" in source:
            return INSIDE
        package = _package_name(source)
        scope, _, name = package.rpartition("/")
        if scope:
            inside = scope in own_scopes and name in names
        else:
            inside = name in members or name in folders or name == context.repo_name
        return INSIDE if inside else package

    return find


def _package_name(source: str) -> str:
    parts = source.split("/")
    return "/".join(parts[:2]) if source.startswith("@") else parts[0]
