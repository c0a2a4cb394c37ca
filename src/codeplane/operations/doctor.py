"""Checks of everything that CodePlane depends on, each with a remedy. Read-only, except that findings about the
ledger are recorded in the user's state directory.

Checks of higher layers (clients, server) are passed in as further groups.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from codeplane.base.errors import CodePlaneError
from codeplane.base.paths import display
from codeplane.base.warnings import WarningCode
from codeplane.config.model import Config, TrustState
from codeplane.disk.locks import find_owner
from codeplane.disk.safe_open import Root
from codeplane.edits.recover import LeftoverReason, list_leftovers
from codeplane.facts.extract import extract
from codeplane.facts.grammar import load_reader
from codeplane.git.repository import repo_version
from codeplane.index.fingerprint import runtime_fingerprint
from codeplane.languages.registry import languages
from codeplane.languages.versions import grammar_pins, grammar_versions
from codeplane.ledger.anchor import LedgerAnchor
from codeplane.ledger.chain import ChainReport
from codeplane.ledger.chain import verify_chain as verify_ledger
from codeplane.ledger.paths import ARCHIVE_NAME, LOCK_NAME
from codeplane.operations.context import Context
from codeplane.operations.settings import index_options
from codeplane.query.files import list_files, summarize_index
from codeplane.query.snapshot import open_current
from codeplane.store.database import sqlite_version
from codeplane.store.identity import find_identity
from codeplane.store.integrity import IndexCheck, Verdict, verify
from codeplane.store.layout import StateDirectory, open_state
from codeplane.store.records import FileState
from codeplane.store.registry import read_binding
from codeplane.store.state_files import STATE_NAME

MINIMUM_PYTHON = (3, 11)
_MAX_FAILED = 20


@dataclass(frozen=True)
class DoctorCheck:
    name: str
    ok: bool
    severity: str
    """error: something does not work; warning: it works, but not as well as it could; info."""
    message: str
    remedy: str = ""
    about: tuple[str, ...] = ()
    """Names from the repository: data, not part of a sentence."""


CheckGroup = Callable[[Context], Iterable[DoctorCheck]]


def diagnose(context: Context, further: Iterable[CheckGroup] = ()) -> tuple[DoctorCheck, ...]:
    groups = (_program, _repository, _settings, _index, _ledger, _writes, *further)
    return tuple(check for group in groups for check in _guarded(group, context))


def _guarded(group: CheckGroup, context: Context) -> Iterator[DoctorCheck]:
    """Run a group; a check that raises is a finding itself."""
    name = getattr(group, "__name__", "check").strip("_").replace("_", " ")
    try:
        yield from group(context)
    except CodePlaneError as error:
        yield DoctorCheck(name, False, "error", error.message, error.remedy or "")
    except OSError as error:
        yield DoctorCheck(name, False, "error", f"the check failed: {error.strerror or type(error).__name__}")


def _program(context: Context) -> Iterator[DoctorCheck]:
    python = ".".join(map(str, sys.version_info[:3]))
    wanted = ".".join(map(str, MINIMUM_PYTHON))
    yield DoctorCheck(
        "python", sys.version_info >= MINIMUM_PYTHON, "error", f"Python {python}", f"Use Python {wanted} or later."
    )
    yield DoctorCheck("sqlite", True, "info", f"SQLite {sqlite_version()} with checksummed pages")
    broken = list(_broken_grammars())
    names = ", ".join(language.name for language in languages())
    message = f"not usable: {', '.join(broken)}" if broken else names
    yield DoctorCheck("grammars", not broken, "error", message, "Reinstall CodePlane with its pinned grammars.")
    writable = _can_write(context)
    message = str(context.user_state) if writable else f"{context.user_state} is not writable"
    remedy = "Make it writable; until then the index is rebuilt at every start."
    yield DoctorCheck("user directory", writable, "warning", message, remedy)


def _broken_grammars() -> Iterator[str]:
    """Yield grammars that cannot be loaded, or differ from the pinned version, for which the queries are tested."""
    installed, pins = grammar_versions(), grammar_pins()
    for language in languages():
        try:
            if language.grammar:
                load_reader(language.grammar)
            else:
                extract(language.name, "probe", b"")
        except Exception as error:
            yield f"{language.name} ({type(error).__name__})"
            continue
        found, wanted = installed.get(language.distribution), pins.get(language.distribution)
        if found != wanted:
            yield f"{language.name} ({language.distribution} {found} in place of {wanted})"


def _can_write(context: Context) -> bool:
    directory = context.user_state
    while not directory.exists() and directory != directory.parent:
        directory = directory.parent
    return os.access(directory, os.W_OK)


def _repository(context: Context) -> Iterator[DoctorCheck]:
    version = repo_version(context.root)
    if version is None:
        yield DoctorCheck("git", True, "info", "not a git repository; all files that are not ignored are indexed")
        return
    head = version.head[:12] if version.head else "no commit yet"
    submodules = f", {len(version.submodules)} submodules" if version.submodules else ""
    yield DoctorCheck("git", True, "info", f"HEAD {head}{submodules}")


def _settings(context: Context) -> Iterator[DoctorCheck]:
    """Check the repository's settings file: invalid settings, and trust."""
    config = context.config
    useless = [ignored for ignored in config.ignored if ignored.code is WarningCode.CONFIG_IGNORED]
    whole = [ignored for ignored in useless if not ignored.key]
    if whole:
        message = f"{whole[0].origin} cannot be read; none of its settings has an effect"
        remedy = "Correct the file, or remove it."
        yield DoctorCheck("repository file", False, "error", message, remedy, (f"it {whole[0].reason}",))
    elif useless:
        message = f"{len(useless)} settings are not valid" if len(useless) > 1 else "a setting is not valid"
        remedy = f"Correct or remove them in {useless[0].origin}."
        about = tuple(f"{ignored.key}: {ignored.reason}" for ignored in useless)
        yield DoctorCheck("repository file", False, "error", message, remedy, about)
    if not whole:
        yield _trust(config)


def _trust(config: Config) -> DoctorCheck:
    waiting = [ignored for ignored in config.ignored if ignored.code is WarningCode.CONFIG_UNTRUSTED]
    if waiting:
        names = ", ".join(ignored.key for ignored in waiting)
        why = "the repository's file changed after approval" if config.trust is TrustState.VOID else "not trusted"
        remedy = "Review with 'cpl trust --show', then approve with 'cpl trust'."
        return DoctorCheck("trust", False, "warning", f"{why}; settings without effect: {names}", remedy)
    messages = {
        TrustState.ABSENT: "the repository has no settings of its own",
        TrustState.UNTRUSTED: "the repository's settings need no trust",
        TrustState.VOID: "the repository's file changed after approval and needs no trust now",
        TrustState.TRUSTED: "the repository's settings are trusted",
    }
    return DoctorCheck("trust", True, "info", messages[config.trust])


def _index(context: Context) -> Iterator[DoctorCheck]:
    state = open_state(context.root)
    owner = find_owner(state.lock_path) if state is not None else None
    yield DoctorCheck("lock", True, "info", f"held by process {owner}" if owner else "free")
    found = verify(state, runtime_fingerprint(), read_binding(context.user_state, context.root), depth="full")
    yield _verdict(found)
    if found.verdict is not Verdict.OK or state is None or found.epoch is None:
        return
    version = repo_version(context.root)
    if version is not None:
        same = version.head == found.epoch.head
        head = (found.epoch.head or "no commit")[:12]
        message = "the index is at HEAD" if same else f"the index is at {head}, not at HEAD"
        yield DoctorCheck("commit", same, "warning", message, "Run 'cpl init'; the next query updates it too.")
    yield _parsed(state)
    yield _size(context, state)


def _verdict(found: IndexCheck) -> DoctorCheck:
    messages = {
        Verdict.OK: ("all pages and segments are intact", ""),
        Verdict.ABSENT: ("no index", "Run 'cpl init'."),
        Verdict.BUILDING: ("an index is being built, or was interrupted", "Wait for it, or run 'cpl init'."),
        Verdict.REQUIRES_REINDEX: ("built by an incompatible version", "Run 'cpl init'."),
        Verdict.NEWER: ("built by a newer CodePlane", "Upgrade CodePlane, or run 'cpl clear'."),
        Verdict.CORRUPT: ("corrupt", "Run 'cpl init' to rebuild it."),
    }
    message, remedy = messages[found.verdict]
    text = f"{message}: {found.reason}" if found.reason else message
    if found.needs_repair:
        return DoctorCheck(
            "index", False, "warning", "an update was interrupted", "Run 'cpl init'; the next query repairs it too."
        )
    return DoctorCheck("index", found.verdict is Verdict.OK, "error", text, remedy)


def _parsed(state: StateDirectory) -> DoctorCheck:
    with open_current(state, lexical=False) as snapshot:
        failed = list_files(snapshot, _MAX_FAILED, state=FileState.FAILED)
    if not failed.total:
        return DoctorCheck("parsing", True, "info", "every file that has a grammar was parsed")
    message = f"{failed.total} files could not be parsed; their symbols and references are missing"
    remedy = "They are retried at the next syncs; raise index.parse_timeout_sec for files that need more CPU time."
    return DoctorCheck(
        "parsing", False, "warning", message, remedy, tuple(f"{file.path}: {file.reason}" for file in failed.rows)
    )


def _size(context: Context, state: StateDirectory) -> DoctorCheck:
    with open_current(state, lexical=False) as snapshot:
        totals = summarize_index(snapshot)
    size, cap = state.size_bytes(), index_options(context).cap_bytes(totals.source_bytes, totals.files)
    message = f"{size / 1_000_000:,.1f} MB of at most {cap / 1_000_000:,.1f} MB"
    return DoctorCheck("size", size <= cap, "warning", message, "Raise index.max_bytes, or ignore more in .cplignore.")


def _ledger(context: Context) -> Iterator[DoctorCheck]:
    """Verify the chain and compare it with its anchor. A finding is kept until the operator acknowledges it."""
    state = open_state(context.root)
    anchor = LedgerAnchor(context.user_state, context.root)
    found = verify_ledger(state.path) if state is not None else None
    for problem in _ledger_problems(context, found, anchor):
        anchor.record(problem, time.time_ns() // 1_000_000)
    known = anchor.findings()
    opened = [finding for finding in known if finding.acknowledged_at_ms is None]
    if opened:
        message = f"the ledger is damaged or was modified: {opened[0].text}"
        remedy = "Keep a copy if you need it, then accept the ledger as it is with 'cpl ledger acknowledge'."
        about = tuple(f"{_moment(finding.found_at_ms)}: {finding.text}" for finding in opened[1:])
        yield DoctorCheck("ledger", False, "error", message, remedy, about)
        return
    if found is None or not found.files:
        yield DoctorCheck("ledger", True, "info", "no calls recorded")
        return
    files = f" in {found.files} files" if found.files > 1 else ""
    state_words = "hash chain intact" if found.is_intact else "acknowledged damage"
    yield DoctorCheck("ledger", True, "info", f"{found.rows:,} events{files}, {state_words}")
    if found.damaged:
        message = (
            f"{len(found.damaged)} damaged files were set aside"
            if len(found.damaged) > 1
            else "a damaged file was set aside"
        )
        yield DoctorCheck("older ledger", False, "warning", message, "Inspect or remove them.", found.damaged)


def _writes(context: Context) -> Iterator[DoctorCheck]:
    """Check for writes that are neither committed nor completely rolled back."""
    state = open_state(context.root)
    if state is None:
        return
    with Root.open(context.root) as root:
        found = list_leftovers(root, state.path, find_identity(context.user_state))
    if find_owner(state.path / ARCHIVE_NAME / LOCK_NAME) is not None:
        # It may be running now, and the server rolls it back.
        found = tuple(leftover for leftover in found if leftover.reason is not LeftoverReason.INTERRUPTED)
    if not found:
        yield DoctorCheck("writes", True, "info", "no write is unfinished")
    for leftover in found:
        kept_in = f".codeplane/txn/{leftover.mutation_id}"
        about = tuple(map(display, leftover.paths[:_MAX_FAILED])) or ("its files are unknown",)
        message = f"write {leftover.mutation_id} is unfinished: {leftover.reason.value}"
        remedy = f"Compare the files with those in {kept_in}, then remove that directory."
        if leftover.reason is LeftoverReason.INTERRUPTED:
            remedy = "Start a server, or run any 'cpl' command that writes."
        yield DoctorCheck("writes", False, "error", message, remedy, about)


def _ledger_problems(context: Context, found: ChainReport | None, anchor: LedgerAnchor) -> Iterator[str]:
    if found is not None and found.broken is not None:
        row = f"row {found.broken.seq} of " if found.broken.seq is not None else ""
        yield f"{row}{found.broken.file}: {found.broken.reason}"
    missing = anchor.missing_row(context.root / STATE_NAME)
    if missing:
        yield missing


def _moment(at_ms: int) -> str:
    return datetime.fromtimestamp(at_ms / 1000).strftime("%Y-%m-%d %H:%M")
