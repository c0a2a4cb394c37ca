"""Small real git repositories for tests, and indexes of them."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
from pathlib import Path

from codeplane.index.indexer import Indexer
from codeplane.index.options import IndexOptions, SyncReport
from codeplane.query.snapshot import open_current
from support.index_dump import dump

_GIT = ("git", "-c", "user.name=Test", "-c", "user.email=test@example.org", "-c", "commit.gpgsign=false")


def git(root: Path, *arguments: str) -> str:
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    done = subprocess.run([*_GIT, *arguments], cwd=root, env=environment, capture_output=True, text=True, check=True)
    return done.stdout


def make_repository(root: Path, files: dict[str, str | bytes]) -> Path:
    root.mkdir(parents=True, exist_ok=True)
    git(root, "init", "-q", "-b", "main")
    for path, content in files.items():
        write(root, path, content)
    git(root, "add", "-A")
    git(root, "commit", "-qm", "start", "--allow-empty")
    return root


def write(root: Path, path: str, content: str | bytes) -> None:
    target = root / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(content.encode() if isinstance(content, str) else content)


def options_for(root: Path, **changes: object) -> IndexOptions:
    """Options of a repository whose user directory lies beside it."""
    return IndexOptions(**{"root": root, "user_state": root.parent / "user-state", "workers": 1} | changes)  # type: ignore[arg-type]


def scratch_dump(root: Path, tmp_path: Path, **changes: object) -> list[str]:
    """The dump of an index of the same tree, made by a user who never indexed it."""
    copy = tmp_path / "scratch" / "repo"
    shutil.rmtree(copy.parent, ignore_errors=True)
    shutil.copytree(root, copy, symlinks=True, ignore=_not_to_copy)
    with Indexer.open(options_for(copy, **changes)) as indexer:
        indexer.sync()
        return logical_dump(indexer)


def relinked_dump(root: Path, tmp_path: Path) -> list[str]:
    """Dump an index built with a warm extraction cache: units and links are computed, nothing is parsed."""
    return scratch_dump(root, tmp_path, user_state=options_for(root).user_state)


def _not_to_copy(folder: str, names: list[str]) -> set[str]:
    """The index itself, and what cannot be copied: FIFOs, sockets, devices."""
    plain = (stat.S_IFREG, stat.S_IFDIR, stat.S_IFLNK)
    special = {name for name in names if stat.S_IFMT(os.lstat(os.path.join(folder, name)).st_mode) not in plain}
    return special | ({".codeplane"} & set(names))


def state_files(root: Path) -> dict[str, bytes]:
    """Every file of the state directory with its bytes."""
    state = root / ".codeplane"
    return {str(path.relative_to(state)): path.read_bytes() for path in sorted(state.rglob("*")) if path.is_file()}


def sync(root: Path, **changes: object) -> SyncReport:
    with Indexer.open(options_for(root, **changes), rebuild=True) as indexer:
        return indexer.sync()


def logical_dump(indexer: Indexer) -> list[str]:
    with open_current(indexer.state) as snapshot:
        return list(dump(snapshot.reader))
