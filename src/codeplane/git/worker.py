"""Git worker: a process that runs one libgit2 operation at a time, until end of input.

libgit2 blocks on a FIFO, and a repository can make it use any amount of time and memory. Here that ends a process that
holds nothing: the parent kills it and reports an error. A request is JSON: operation, root and arguments.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pygit2
from pygit2.enums import ConfigLevel

from codeplane.base.errors import CodePlaneError, ErrorCode, internal_error
from codeplane.git.blame import read_blame
from codeplane.git.diffs import read_commit_diff, read_diff
from codeplane.git.errors import translate_errors
from codeplane.git.git_directory import open_repository
from codeplane.git.head import NOT_THIS_REPOSITORY, is_own
from codeplane.git.line_history import read_line_history
from codeplane.git.log import describe_commit, names_of_commits, read_log
from codeplane.git.status import read_status
from codeplane.git.tags import list_tags
from codeplane.git.trees import resolve_commit
from codeplane.processes.children import read_frame, take_pipes, write_frame
from codeplane.processes.confinement import confine, set_cpu_limit

_MAPPED_BYTES = 1 << 30
_ATTEMPTS = 5
"""Attempts while files change during a comparison."""


def _show(repository: pygit2.Repository, ref: str, paths: list[str], context: int, limits: list[int]) -> object:
    commit = resolve_commit(repository, ref)
    described = describe_commit(commit, names_of_commits(repository))
    return described, read_commit_diff(repository, commit, paths, context, limits)


def _resolve(repository: pygit2.Repository, ref: str) -> str:
    return str(resolve_commit(repository, ref).id)


OPERATIONS: Mapping[str, Callable[..., object]] = {
    "status": read_status,
    "diff": read_diff,
    "log": read_log,
    "line_history": read_line_history,
    "blame": read_blame,
    "show": _show,
    "tags": list_tags,
    "resolve": _resolve,
}


def main() -> None:
    confine(int(sys.argv[1]))
    seconds = float(sys.argv[2])
    pygit2.settings.mwindow_mapped_limit = _MAPPED_BYTES
    for level, places in json.loads(sys.argv[3]).items():
        pygit2.settings.search_path[ConfigLevel(int(level))] = places
    pygit2.settings.set_extensions(["partialclone"])
    requests, answers = take_pipes()
    while (request := read_frame(requests)) is not None:
        set_cpu_limit(seconds)
        # json carries undecodable bytes of paths, unlike orjson.
        answer = json.dumps(_answer(json.loads(request)), separators=(",", ":")).encode("ascii")
        set_cpu_limit(0)
        write_frame(answers, answer)


def _answer(request: Mapping[str, Any], attempts: int = _ATTEMPTS) -> dict[str, object]:
    root = Path(request["root"])
    try:
        with translate_errors(root):
            repository = open_repository(root)
            if not is_own(root, repository):
                raise CodePlaneError(ErrorCode.GIT_UNSUPPORTED, NOT_THIS_REPOSITORY)
            return {"result": OPERATIONS[request["operation"]](repository, **request["arguments"])}
    except CodePlaneError as error:
        if error.code is ErrorCode.FILE_CHANGED and attempts > 1:
            return _answer(request, attempts - 1)
        return {"error": error.as_dict()}
    except MemoryError:
        return {"error": CodePlaneError(ErrorCode.GIT_UNSUPPORTED, "the operation needs too much memory").as_dict()}
    except Exception as unexpected:
        return {"error": internal_error(unexpected).as_dict()}
