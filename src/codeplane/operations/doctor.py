"""Checks of everything that an index depends on; each failure says how to mend it. Changes nothing."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from codeplane.base.errors import CodePlaneError
from codeplane.disk.locks import find_owner
from codeplane.facts.extract import extract
from codeplane.git.repository import repo_version
from codeplane.index.fingerprint import runtime_fingerprint
from codeplane.languages.registry import languages
from codeplane.operations.context import Context
from codeplane.operations.settings import index_options
from codeplane.query.files import summary
from codeplane.query.snapshot import open_current
from codeplane.store.database import sqlite_version
from codeplane.store.integrity import Integrity, Verdict, verify
from codeplane.store.layout import StateDirectory, open_state
from codeplane.store.registry import read_binding

MINIMUM_PYTHON = (3, 11)


@dataclass(frozen=True)
class Check:
    name: str
    ok: bool
    severity: str
    """error: something does not work; warning: it works, but not as well as it could; info."""
    message: str
    remedy: str = ""


def diagnose(context: Context) -> tuple[Check, ...]:
    return tuple(check for group in (_program, _repository, _index) for check in _guarded(group, context))


def _guarded(group: Callable[[Context], Iterator[Check]], context: Context) -> Iterator[Check]:
    """The checks of a group; one that cannot be carried out is itself a finding."""
    try:
        yield from group(context)
    except CodePlaneError as error:
        yield Check(group.__name__.strip("_"), False, "error", error.message, error.remedy or "")


def _program(context: Context) -> Iterator[Check]:
    python = ".".join(map(str, sys.version_info[:3]))
    wanted = ".".join(map(str, MINIMUM_PYTHON))
    yield Check(
        "python", sys.version_info >= MINIMUM_PYTHON, "error", f"Python {python}", f"Use Python {wanted} or later."
    )
    yield Check("sqlite", True, "info", f"SQLite {sqlite_version()} with checksummed pages")
    broken = []
    for language in languages():
        try:
            extract(language.name, "probe", 0, b"")
        except Exception as error:
            broken.append(f"{language.name} ({type(error).__name__})")
    names = ", ".join(language.name for language in languages())
    message = f"cannot be used: {', '.join(broken)}" if broken else names
    yield Check("grammars", not broken, "error", message, "Reinstall CodePlane with its pinned grammars.")
    writable = _can_write(context)
    message = str(context.user_state) if writable else f"{context.user_state} cannot be written"
    remedy = "Make it writable; until then the index is rebuilt at every start."
    yield Check("user directory", writable, "warning", message, remedy)


def _can_write(context: Context) -> bool:
    directory = context.user_state
    while not directory.exists() and directory != directory.parent:
        directory = directory.parent
    return os.access(directory, os.W_OK)


def _repository(context: Context) -> Iterator[Check]:
    version = repo_version(context.root)
    if version is None:
        yield Check("git", True, "info", "not a git repository: everything that is not ignored is indexed")
        return
    head = version.head[:12] if version.head else "no commit yet"
    submodules = f", {len(version.submodules)} submodules" if version.submodules else ""
    yield Check("git", True, "info", f"HEAD {head}{submodules}")


def _index(context: Context) -> Iterator[Check]:
    state = open_state(context.root)
    owner = find_owner(state.lock_path) if state is not None else None
    yield Check("lock", True, "info", f"held by process {owner}" if owner else "free")
    found = verify(state, runtime_fingerprint(), read_binding(context.user_state, context.root), depth="full")
    yield _verdict(found)
    if found.verdict is not Verdict.OK or state is None or found.epoch is None:
        return
    version = repo_version(context.root)
    if version is not None:
        same = version.head == found.epoch.head
        message = "the index is of HEAD" if same else f"the index is of {(found.epoch.head or 'no commit')[:12]}"
        yield Check("commit", same, "warning", message, "Run 'cpl init'; any query does it too.")
    yield _size(context, state)


def _verdict(found: Integrity) -> Check:
    messages = {
        Verdict.OK: ("every page and segment is intact", ""),
        Verdict.ABSENT: ("there is no index", "Run 'cpl init'."),
        Verdict.BUILDING: ("an index is being built, or was interrupted", "Wait for it, or run 'cpl init'."),
        Verdict.REQUIRES_REINDEX: ("made by other rules", "Run 'cpl init'."),
        Verdict.NEWER: ("made by a newer CodePlane", "Upgrade CodePlane, or run 'cpl clear'."),
        Verdict.CORRUPT: ("damaged", "Run 'cpl init'; it is rebuilt."),
    }
    message, remedy = messages[found.verdict]
    text = f"{message}: {found.reason}" if found.reason else message
    if found.needs_mending:
        return Check("index", False, "warning", "an update was cut off", "Run 'cpl init'; any query does it too.")
    return Check("index", found.verdict is Verdict.OK, "error", text, remedy)


def _size(context: Context, state: StateDirectory) -> Check:
    with open_current(state, lexical=False) as snapshot:
        source_bytes = summary(snapshot).source_bytes
    size, cap = state.size_bytes(), index_options(context).cap_bytes(source_bytes)
    message = f"{size // 1024:,} KiB of at most {cap // 1024:,} KiB"
    return Check("size", size <= cap, "warning", message, "Raise index.max_bytes, or ignore more in .cplignore.")
