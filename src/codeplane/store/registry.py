"""Which index belongs to this user: a small file per repository, outside of the repository.

A `.codeplane/` that arrives with a clone carries ids that are not written here, so it is
not trusted and is rebuilt. The caller says where the user's state directory is.
"""

from __future__ import annotations

import hashlib
import os
import secrets
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import orjson

from codeplane.base.errors import CodePlaneError
from codeplane.store.layout import write_atomic


@dataclass(frozen=True)
class Binding:
    """The ids that the index of one repository must carry.

    The id of the generation before stays valid, so that a kill between writing the binding
    and switching to the new generation does not cost the old one.
    """

    root: str
    repo_uuid: str
    index_id: str
    previous_index_id: str | None = None

    def covers(self, repo_uuid: str, index_id: str) -> bool:
        return repo_uuid == self.repo_uuid and index_id in (self.index_id, self.previous_index_id)


@dataclass(frozen=True)
class NotBound:
    """The binding could not be kept: the next process will not trust this index and rebuild it."""

    path: str
    reason: str

    @property
    def message(self) -> str:
        return f"{self.path} cannot be written ({self.reason}): the index will be rebuilt at every start"


def new_id() -> str:
    return secrets.token_hex(16)


def next_binding(root: Path, known: Binding | None) -> Binding:
    """The binding of a new generation: a new index id, the same repository id."""
    if known is None:
        return Binding(_root_text(root), new_id(), new_id())
    return Binding(known.root, known.repo_uuid, new_id(), known.index_id)


def binding_path(user_state: Path, root: Path) -> Path:
    return user_state / "indexes" / f"{hashlib.sha256(os.fsencode(root)).hexdigest()}.json"


def read_binding(user_state: Path, root: Path) -> Binding | None:
    """The binding of the repository at the canonical path `root`; None when missing, damaged or another's."""
    try:
        handle = os.open(binding_path(user_state, root), os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
        with os.fdopen(handle, "rb") as file:
            if os.fstat(file.fileno()).st_uid != os.geteuid():
                return None
            fields = orjson.loads(file.read(65536))
        binding = Binding(fields["root"], fields["repo_uuid"], fields["index_id"], fields["previous_index_id"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
    texts = (binding.repo_uuid, binding.index_id)
    valid = all(isinstance(text, str) and len(text) == 32 for text in texts)
    return binding if valid and binding.root == _root_text(root) else None


def write_binding(user_state: Path, root: Path, binding: Binding) -> NotBound | None:
    """Keep the binding; returns why not where the directory cannot be written."""
    path = binding_path(user_state, root)
    fields = {
        "root": binding.root,
        "repo_uuid": binding.repo_uuid,
        "index_id": binding.index_id,
        "previous_index_id": binding.previous_index_id,
    }
    try:
        os.makedirs(path.parent, mode=0o700, exist_ok=True)
        handle = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            write_atomic(handle, path.name, orjson.dumps(fields))
        finally:
            os.close(handle)
    except OSError as error:
        return NotBound(str(path), error.strerror or str(error))
    except CodePlaneError as error:
        return NotBound(str(path), error.message)
    return None


def remove_binding(user_state: Path, root: Path) -> None:
    with suppress(OSError):
        os.unlink(binding_path(user_state, root))


def _root_text(root: Path) -> str:
    return os.fsencode(root).decode("utf-8", "backslashreplace")
