"""Include graph of C and C++: the files that a file sees."""

from __future__ import annotations

from posixpath import basename, dirname, join, normpath

from codeplane.index.resolve.evaluator import Evaluator
from codeplane.index.resolve.proximity import shared_folders

_STANDARD_NAMES = """
    assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal stdalign stdarg
    stdatomic stdbit stdbool stdckdint stddef stdint stdio stdlib stdnoreturn string tgmath threads time uchar
    wchar wctype aio cpio dirent dlfcn endian fcntl fmtmsg fnmatch ftw glob grp iconv langinfo libgen malloc
    memory monetary mqueue ndbm netdb nl_types poll pthread pwd regex sched search semaphore spawn strings
    stropts syslog tar termios ulimit unistd utime utmpx varargs wordexp direct io process share windows winsock
    winsock2 ws2tcpip
"""
_STANDARD_HEADERS = frozenset(f"{name}.h" for name in _STANDARD_NAMES.split())
"""C, POSIX and Windows headers: a file of that name in the repository is likely replaces it elsewhere."""
_INCLUDE_KINDS = frozenset({"c_include", "c_include_system"})


class Includes:
    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator

    def find(self, path: str, literal: str, *, system: bool) -> str | None:
        """The file that an include names. The include path of the compiler is unknown: the match must be unique."""
        beside = normpath(join(dirname(path), literal))
        by_name = self._evaluator.memo_tracked("paths by name", self._read_names)
        candidates = by_name.get(basename(literal), [])
        if not system and beside in candidates:
            return beside
        literal = normpath(literal)
        matches = [file for file in candidates if file == literal or file.endswith(f"/{literal}")]
        if system and literal in _STANDARD_HEADERS:
            return None
        if len(matches) < 2:
            return matches[0] if matches else None
        ranked = sorted((-shared_folders(file, path), file) for file in matches)
        return ranked[0][1] if ranked[0][0] < ranked[1][0] else None

    def _read_names(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for path in sorted(self._evaluator.library.paths()):
            found.setdefault(basename(path), []).append(path)
        return found

    def direct(self, path: str) -> tuple[str, ...]:
        """Files of the repository that a file includes itself."""
        return self._evaluator.memo_tracked(("includes", path), lambda: self._read_direct(path))

    def _read_direct(self, path: str) -> tuple[str, ...]:
        file = self._evaluator.library.file(path)
        found = {
            included
            for row in (file.imports if file is not None else ())
            if row.kind in _INCLUDE_KINDS and row.source
            if (included := self.find(path, row.source, system=row.kind != "c_include")) is not None
        }
        return tuple(sorted(found))

    def visible(self, path: str) -> frozenset[str]:
        """The file itself and everything that it includes, transitively."""
        return self._evaluator.memo_tracked(("visible files", path), lambda: self._closure(path))

    def _closure(self, path: str) -> frozenset[str]:
        found, waiting = {path}, [path]
        while waiting:
            for included in self.direct(waiting.pop()):
                if included not in found:
                    found.add(included)
                    waiting.append(included)
        return frozenset(found)
