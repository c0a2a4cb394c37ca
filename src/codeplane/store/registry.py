"""The user's registry of indexes, and per-repository settings: small files outside the repository.

A `.codeplane/` that arrives with a clone has ids that are not registered here, so it is not trusted and is rebuilt.
"""

from __future__ import annotations

import hashlib
import os
import secrets
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from codeplane.base.errors import CodePlaneError
from codeplane.store.state_files import write_atomic

_MAX_BYTES = 256 * 1024


@dataclass(frozen=True)
class Binding:
    """The ids that the index of one repository must have.

    The previous id stays valid, so that a kill between writing the binding and switching to the new generation does
    not invalidate the old one.
    """

    root: str
    repo_uuid: str
    index_id: str
    previous_index_id: str | None = None

    def covers(self, repo_uuid: str, index_id: str) -> bool:
        return repo_uuid == self.repo_uuid and index_id in (self.index_id, self.previous_index_id)


@dataclass(frozen=True)
class NotBound:
    """The binding could not be written: the next process will not trust this index, and rebuild it."""

    path: str
    reason: str

    @property
    def message(self) -> str:
        return f"{self.path} cannot be written ({self.reason}): the index will be rebuilt at every start"


@dataclass(frozen=True)
class RootSettings:
    """Settings of the user for one repository, outside of it, so that a clone cannot bring its own."""

    ignore_patterns: tuple[str, ...] = ()
    extensions: tuple[tuple[str, str], ...] = ()
    """(".ext", language name) pairs, sorted."""


def new_id() -> str:
    return secrets.token_hex(16)


def next_binding(root: Path, known: Binding | None) -> Binding:
    """Return the binding of a new generation: a new index id, the same repository id."""
    if known is None:
        return Binding(_root_text(root), new_id(), new_id())
    return Binding(known.root, known.repo_uuid, new_id(), known.index_id)


def binding_path(user_state: Path, root: Path) -> Path:
    return user_state / "indexes" / f"{hashlib.sha256(os.fsencode(root)).hexdigest()}.json"


def settings_path(user_state: Path, root: Path) -> Path:
    return binding_path(user_state, root).with_suffix(".settings.json")


def read_binding(user_state: Path, root: Path) -> Binding | None:
    """Return the binding of the repository at a canonical path; None if it is missing, damaged or another user's."""
    fields = read_small_file(binding_path(user_state, root))
    try:
        binding = Binding(fields["root"], fields["repo_uuid"], fields["index_id"], fields["previous_index_id"])
    except (KeyError, TypeError):
        return None
    texts = (binding.repo_uuid, binding.index_id)
    valid = all(isinstance(text, str) and len(text) == 32 for text in texts)
    return binding if valid and binding.root == _root_text(root) else None


def write_binding(user_state: Path, root: Path, binding: Binding) -> NotBound | None:
    """Write the binding. Return the reason if the directory is not writable."""
    fields = {
        "root": binding.root,
        "repo_uuid": binding.repo_uuid,
        "index_id": binding.index_id,
        "previous_index_id": binding.previous_index_id,
    }
    return write_small_file(binding_path(user_state, root), fields)


def remove_binding(user_state: Path, root: Path) -> None:
    with suppress(OSError):
        os.unlink(binding_path(user_state, root))


def read_settings(user_state: Path, root: Path) -> RootSettings:
    """Return the settings of the repository at a canonical path; defaults if they are missing or damaged."""
    fields = read_small_file(settings_path(user_state, root))
    try:
        if fields["root"] != _root_text(root):
            return RootSettings()
        patterns = tuple(str(pattern) for pattern in fields["ignore_patterns"])
        extensions = tuple(sorted((str(suffix), str(name)) for suffix, name in fields["extensions"].items()))
        return RootSettings(patterns, extensions)
    except (KeyError, TypeError, ValueError, AttributeError):
        return RootSettings()


def write_settings(user_state: Path, root: Path, settings: RootSettings) -> NotBound | None:
    """Write the settings. Return the reason if the directory is not writable."""
    fields = {
        "root": _root_text(root),
        "ignore_patterns": list(settings.ignore_patterns),
        "extensions": dict(settings.extensions),
    }
    return write_small_file(settings_path(user_state, root), fields)


def remove_settings(user_state: Path, root: Path) -> None:
    with suppress(OSError):
        os.unlink(settings_path(user_state, root))


def read_small_file(path: Path) -> Any:
    """Return the fields of a small file; none if it is missing, damaged or another user's."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
        with os.fdopen(handle, "rb") as file:
            if os.fstat(file.fileno()).st_uid != os.geteuid():
                return {}
            return orjson.loads(file.read(_MAX_BYTES))
    except (OSError, ValueError):
        return {}


def write_small_file(path: Path, fields: Mapping[str, object], *, sync: bool = True) -> NotBound | None:
    """Replace the fields of a small file. Return the reason if the directory is not writable."""
    try:
        os.makedirs(path.parent, mode=0o700, exist_ok=True)
        handle = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            write_atomic(handle, path.name, orjson.dumps(fields), sync=sync)
        finally:
            os.close(handle)
    except OSError as error:
        return NotBound(str(path), error.strerror or str(error))
    except CodePlaneError as error:
        return NotBound(str(path), error.message)
    return None


def _root_text(root: Path) -> str:
    return os.fsencode(root).decode("utf-8", "backslashreplace")
