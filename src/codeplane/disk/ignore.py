"""Ignore rules: which entries of the tree are excluded from the index, and why.

Sources from lowest to highest precedence:

1. `.git/info/exclude` and nested `.gitignore` files, as git reads them
2. built-in directories and files (dependencies, caches, build output)
3. the operator's patterns
4. nested `.satoriignore` and `.cplignore` files

Patterns of 3 and 4 may re-include files and directories with `!`. As in git, everything in an ignored directory is
ignored. Secrets are checked separately, and no file of the tree can re-include them; the operator can.
"""

from __future__ import annotations

import os
import stat as modes
from dataclasses import dataclass
from typing import NamedTuple

from codeplane.base.digests import Digest, digest_bytes, merkle_root
from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import ROOT, RepoPath, basename, join, parent
from codeplane.disk import stats
from codeplane.disk.allowed_secrets import allowed_patterns, is_blocked_secret
from codeplane.disk.ignore_patterns import MAX_LINES, PatternList
from codeplane.disk.safe_open import Root, read_up_to
from codeplane.disk.stats import FileStat

IGNORE_FILES = (".gitignore", ".satoriignore", ".cplignore")
MAX_IGNORE_BYTES = 1024 * 1024

PROTECTED = frozenset({".git", ".hg", ".svn", ".jj", ".sl", ".bzr", ".pijul", "_darcs", ".codeplane"})
"""Never entered and never re-included."""

_PRUNABLE = """
node_modules bower_components jspm_packages .yarn .pnpm-store
.venv venv __pycache__ __pypackages__ site-packages .eggs .tox .nox .ipynb_checkpoints
.mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache .pytype .pyre
.gradle .idea .vscode-test .vs .settings .metals .bloop .bsp
.next .nuxt .svelte-kit .astro .angular .parcel-cache .turbo .nx .expo .docusaurus .vercel .netlify .serverless
dist build target vendor coverage htmlcov .nyc_output
.terraform .terragrunt-cache .cache .sass-cache .dart_tool .pub-cache .bundle .stack-work elm-stuff _build
"""
PRUNABLE = PROTECTED | frozenset(_PRUNABLE.split())
"""Directories of dependencies, caches and build output. Only `.cplignore` re-includes them."""

NOISE_SUFFIXES = (".pyc", ".pyo", ".class", ".o", ".so", ".dylib", ".dll", ".log", ".swp", "~")
NOISE_NAMES = frozenset({".DS_Store"})


@dataclass(frozen=True)
class IgnoreRules:
    """The operator's rules: patterns as in a `.cplignore` of the root, but weaker, and whether to block secrets."""

    patterns: tuple[str, ...] = ()
    block_secrets: bool = True

    def digest(self) -> Digest:
        built_in = (*sorted(PRUNABLE), *NOISE_SUFFIXES, *sorted(NOISE_NAMES))
        words = ("\0".join(built_in), "\0".join(self.patterns), str(self.block_secrets), *allowed_patterns())
        return digest_bytes("\n".join(words).encode("utf-8", "surrogateescape"))


class IgnoreReason(NamedTuple):
    kind: str
    where: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.where}" if self.where else self.kind


class IgnoreLayer(NamedTuple):
    """Patterns of one ignore file, matched against paths without their first `skip` bytes, the file's directory."""

    kind: str
    source: str
    skip: int
    patterns: PatternList


class IgnoreFile(NamedTuple):
    """An ignore file that was found; `stat` is None if it could not be read."""

    path: RepoPath
    stat: FileStat | None
    digest: Digest
    observed_at_ns: int
    complete: bool = True
    """False if it exceeds a limit; the patterns after the limit are skipped."""


class IgnoreChain:
    """Immutable list of the ignore files that apply to a directory, highest precedence first."""

    __slots__ = ("cpl", "git")

    def __init__(self, git: tuple[IgnoreLayer, ...] = (), cpl: tuple[IgnoreLayer, ...] = ()) -> None:
        self.git = git
        self.cpl = cpl

    def find_reason(self, path: str, name: str, *, is_directory: bool) -> IgnoreReason | None:
        """Return why an entry is ignored, given that its directory is not. Does not check for secrets."""
        if name.lower() in PROTECTED:
            return IgnoreReason("protected", name)
        cpl, git = self.cpl, self.git
        if not cpl and not git:
            return _find_built_in(name, is_directory=is_directory)
        path_bytes = os.fsencode(path)
        name_bytes = os.fsencode(name)
        decided, reason = _match(cpl, path_bytes, name_bytes, is_directory=is_directory)
        if decided:
            return reason
        reason = _find_built_in(name, is_directory=is_directory)
        if reason is not None:
            return reason
        return _match(git, path_bytes, name_bytes, is_directory=is_directory)[1]


def base_chain(root: Root, rules: IgnoreRules, now_ns: int) -> tuple[IgnoreChain, tuple[IgnoreFile, ...]]:
    """Return the rules from outside the tree: operator patterns and `.git/info/exclude`."""
    lines = [pattern.encode("utf-8", "surrogateescape") for pattern in rules.patterns]
    cpl = (IgnoreLayer("operator pattern", "configuration", 0, PatternList(lines)),) if lines else ()
    source = RepoPath(".git/info/exclude")
    patterns, file = _read(root, source, now_ns)
    if file is None:
        return IgnoreChain((), cpl), ()
    return IgnoreChain((IgnoreLayer("gitignore", source, 0, patterns),) if len(patterns) else (), cpl), (file,)


def extend_chain(
    root: Root, chain: IgnoreChain, directory: str, names: tuple[str, ...], now_ns: int
) -> tuple[IgnoreChain, tuple[IgnoreFile, ...]]:
    """Return the chain for `directory`, which contains the ignore files `names` (in the order of IGNORE_FILES)."""
    git, cpl = chain.git, chain.cpl
    files: list[IgnoreFile] = []
    skip = len(os.fsencode(directory)) + 1 if directory else 0
    for name in names:
        source = join(directory, name)
        patterns, file = _read(root, source, now_ns)
        if file is None:
            continue
        files.append(file)
        if not len(patterns):
            continue
        if name == ".gitignore":
            git = (IgnoreLayer("gitignore", source, skip, patterns), *git)
        else:
            cpl = (IgnoreLayer(name.removeprefix("."), source, skip, patterns), *cpl)
    return (IgnoreChain(git, cpl) if git is not chain.git or cpl is not chain.cpl else chain), tuple(files)


def rules_signature(rules: IgnoreRules, files: list[IgnoreFile]) -> Digest:
    """Return a digest of the operator's rules and all ignore files."""
    entries = [("", rules.digest()), *((file.path, file.digest) for file in files)]
    return merkle_root(sorted(entries))


def why_ignored(root: Root, rules: IgnoreRules, path: RepoPath) -> str | None:
    """Return one line that says why `path` is not indexed, or None if it is not ignored."""
    if rules.block_secrets and is_blocked_secret(root.path, path):
        return "secret"
    chain, reason = load_chain(root, rules, parent(path))
    if reason is None:
        reason = chain.find_reason(path, basename(path), is_directory=_is_directory(root, path))
    return str(reason) if reason is not None else None


def load_chain(root: Root, rules: IgnoreRules, directory: RepoPath) -> tuple[IgnoreChain, IgnoreReason | None]:
    """Return the chain for a directory, and the reason if it or one of its parents is ignored."""
    chain, _ = base_chain(root, rules, 0)
    current = ROOT
    for folder in directory.split("/") if directory else ():
        chain = extend_chain(root, chain, current, IGNORE_FILES, 0)[0]
        current = join(current, folder)
        reason = chain.find_reason(current, folder, is_directory=True)
        if reason is not None:
            return chain, reason
    return extend_chain(root, chain, current, IGNORE_FILES, 0)[0], None


def _match(
    layers: tuple[IgnoreLayer, ...], path: bytes, name: bytes, *, is_directory: bool
) -> tuple[bool, IgnoreReason | None]:
    """Return whether a pattern matches, and why the entry is ignored; None if the pattern re-includes it."""
    for layer in layers:
        pattern = layer.patterns.find_last(path[layer.skip :], name, is_directory=is_directory)
        if pattern is not None:
            reason = IgnoreReason(layer.kind, f"{layer.source}:{pattern.line} {pattern.text}")
            return True, None if pattern.negated else reason
    return False, None


def _find_built_in(name: str, *, is_directory: bool) -> IgnoreReason | None:
    if is_directory:
        return IgnoreReason("prunable directory", name) if name in PRUNABLE else None
    if name.endswith(NOISE_SUFFIXES) or name in NOISE_NAMES:
        return IgnoreReason("built-in pattern", name)
    return None


_NO_PATTERNS = PatternList(())


def _read(root: Root, path: RepoPath, now_ns: int) -> tuple[PatternList, IgnoreFile | None]:
    """Read patterns up to the limits. A link is not an ignore file; an unreadable file has no patterns."""
    unreadable = IgnoreFile(path, None, digest_bytes(b""), now_ns)
    try:
        fd = root.open_file(path)
    except CodePlaneError as error:
        return _NO_PATTERNS, unreadable if error.code is ErrorCode.FILE_UNREADABLE else None
    try:
        stat = stats.file_stat(os.fstat(fd))
        data = read_up_to(fd, MAX_IGNORE_BYTES + 1, stat.size)
    except OSError:
        return _NO_PATTERNS, unreadable
    finally:
        os.close(fd)
    is_whole = len(data) <= MAX_IGNORE_BYTES
    if not is_whole:
        data = data[: data.rfind(b"\n", 0, MAX_IGNORE_BYTES) + 1]
    lines = data.split(b"\n")
    patterns = PatternList(lines)
    complete = is_whole and patterns.complete and len(lines) <= MAX_LINES + 1
    return patterns, IgnoreFile(path, stat, digest_bytes(data), now_ns, complete)


def _is_directory(root: Root, path: RepoPath) -> bool:
    try:
        fd = root.open_directory(parent(path))
    except CodePlaneError:
        return False
    try:
        name = basename(path)
        return modes.S_ISDIR(os.stat(name, dir_fd=fd, follow_symlinks=False).st_mode)
    except OSError:
        return False
    finally:
        os.close(fd)
