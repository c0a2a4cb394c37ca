"""Checkouts of the repositories: one tree for each side, so that neither sees files or edits of the other."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

from benchmarks.agent_tasks.model import Repository, TaskError
from benchmarks.trees import commit_all, git

DIGEST_DIGITS = 12


class Trees(NamedTuple):
    server: Path
    shell: Path


def check_out(repository: Repository, mirror: Path, work: Path) -> Trees:
    """Both trees of a repository at its commit, without changes; kept in `work` from one run to the next."""
    folder = work / repository.folder
    stamp = folder / "commit"
    trees = Trees(folder / "server", folder / "shell")
    if not stamp.exists() or stamp.read_text() != repository.commit:
        shutil.rmtree(folder, ignore_errors=True)
        clone = mirror / repository.folder / "repo"
        for tree in trees:
            tree.mkdir(parents=True)
            _write_files(clone, repository, tree)
            _keep_line_endings(tree)
            commit_all(tree)
        stamp.write_text(repository.commit)
    for tree in trees:
        reset(tree)
    return trees


def reset(tree: Path) -> None:
    """Undo every change of a task. Ignored files stay, the index among them."""
    git(tree, "checkout", "-q", "--", ".")
    git(tree, "clean", "-fdq")


def changed_lines(tree: Path) -> dict[str, tuple[int, int]]:
    """Lines added and removed by path, against the commit."""
    rows = (line.split("\t") for line in _git_output(tree, "diff", "--numstat", "HEAD").splitlines())
    return {path: (int(added), int(removed)) for added, removed, path in rows}


def diff(tree: Path) -> str:
    return _git_output(tree, "diff", "--no-color", "--no-ext-diff", "-U0", "HEAD")


def diff_digest(text: str) -> str:
    """Digest of the changed lines with their places, without git object ids and hunk titles."""
    lines = [line for line in text.splitlines() if not line.startswith("index ")]
    places = [" ".join(line.split()[:4]) if line.startswith("@@") else line for line in lines]
    return hashlib.sha256("\n".join(places).encode()).hexdigest()[:DIGEST_DIGITS]


def _write_files(clone: Path, repository: Repository, tree: Path) -> None:
    """Unlike `git archive`, this leaves out nothing that .gitattributes exempts from releases."""
    if not clone.is_dir():
        raise TaskError(f"no clone of {repository.name} at {clone}")
    index = tree.with_name(f"{tree.name}.index")
    environment = os.environ | {"GIT_INDEX_FILE": str(index), "GIT_DIR": str(clone), "GIT_WORK_TREE": str(tree)}
    for words in (("read-tree", repository.commit), ("checkout-index", "-a", "-q")):
        done = subprocess.run(["git", *words], env=environment, cwd=tree, capture_output=True, text=True)
        if done.returncode:
            raise TaskError(f"{repository.name} at {repository.commit}: {done.stderr.strip()}")
    index.unlink()


def _keep_line_endings(tree: Path) -> None:
    """Let git store every file as it is, whatever .gitattributes says of line endings."""
    git(tree, "init", "-q")
    (tree / ".git" / "info").mkdir(exist_ok=True)
    (tree / ".git" / "info" / "attributes").write_text("* -text -filter\n")


def _git_output(tree: Path, *words: str) -> str:
    return subprocess.run(["git", *words], cwd=tree, check=True, capture_output=True, text=True).stdout
