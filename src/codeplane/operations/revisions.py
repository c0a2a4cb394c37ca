"""What files of the repository define in other revisions than the one that is checked out.

Nothing of this is in the index: the text is read out of git's objects and parsed by a worker, as files of the working
tree are, unless that very text was parsed before. The worker is started when it is first needed, and stays.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from contextlib import closing
from dataclasses import dataclass

from codeplane.base.digests import digest_bytes
from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import RepoPath, display
from codeplane.disk.policy import refuse_closed
from codeplane.facts.pool import Job, Parsed, ParserPool
from codeplane.git.revisions import read_version
from codeplane.index.classify import judge
from codeplane.index.fingerprint import runtime_fingerprint
from codeplane.index.options import IndexOptions, effective
from codeplane.index.remembered import Remembered
from codeplane.operations.context import Context
from codeplane.operations.outline import Outlined, unsupported
from codeplane.operations.settings import index_options
from codeplane.query.outline import outline_rows
from codeplane.store.extractions import Extractions
from codeplane.store.records import FileState

_CLOSE_SECONDS = 1.0
_MAX_KEPT = 64
_MAX_KEPT_ROWS = 50_000


@dataclass(frozen=True)
class Past:
    commit: str
    """The commit that a revision named; empty for what is staged."""
    outlined: Outlined


class PastFiles:
    """Safe from many threads: one file is parsed at a time."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._lock = threading.Lock()
        self._pool: ParserPool | None = None
        self._kept: OrderedDict[tuple[RepoPath, str, str], Outlined] = OrderedDict()

    def find(self, revision: str, path: RepoPath) -> Past:
        """The definitions of a file as a revision has it."""
        refuse_closed(path)
        options = effective(index_options(self._context))
        version = read_version(options.root, revision, path, options.max_lexical_bytes)
        judged = judge(path, version.data, options)
        if judged is None:
            raise unsupported(path, "binary")
        if judged.state is not FileState.INDEXED:
            raise unsupported(path, judged.reason)
        key = (path, judged.job.language, digest_bytes(judged.job.source))
        with self._lock:
            outlined = self._kept.get(key)
            if outlined is None:
                parsed = self._parse(judged.job, options)
                rows = outline_rows(parsed.facts.defs)
                outlined = Outlined(
                    path, judged.job.language, judged.lines, len(version.data), rows, *_problems(parsed)
                )
                self._keep(key, outlined)
            self._kept.move_to_end(key)
        return Past(version.commit, outlined)

    def close(self) -> None:
        """A text that takes long to parse is not waited for: its worker ends with this process."""
        if not self._lock.acquire(timeout=_CLOSE_SECONDS):
            return
        try:
            if self._pool is not None:
                self._pool.close()
                self._pool = None
        finally:
            self._lock.release()

    def _parse(self, job: Job, options: IndexOptions) -> Parsed:
        with closing(Extractions(options.user_state, options.extractions_bytes)) as extractions:
            remembered = Remembered(extractions, runtime_fingerprint())
            known = remembered.find(job)
            if known is not None:
                return known
            if self._pool is None:
                self._pool = ParserPool(1, seconds=options.parse_seconds)
            (parsed,) = self._pool.parse([job])
            if parsed.failure is not None:
                raise CodePlaneError(
                    ErrorCode.LANGUAGE_UNSUPPORTED,
                    f"'{display(job.path)}' cannot be parsed",
                    details={"reason": parsed.failure},
                    remedy="Read the file itself.",
                )
            remembered.keep(parsed)
            return parsed

    def _keep(self, key: tuple[RepoPath, str, str], outlined: Outlined) -> None:
        self._kept[key] = outlined
        while len(self._kept) > 1 and (len(self._kept) > _MAX_KEPT or self._count_rows() > _MAX_KEPT_ROWS):
            self._kept.popitem(last=False)

    def _count_rows(self) -> int:
        return sum(len(outlined.rows) for outlined in self._kept.values())


def _problems(parsed: Parsed) -> tuple[int, int]:
    lines = [problem.line for problem in parsed.problems]
    return len(lines), min(lines, default=0)
