"""Worker process: reads ids of files of an index that another process is writing, and writes their links."""

from __future__ import annotations

import gc
import sys
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import orjson

from codeplane.index.resolve.parallel import Found, encode
from codeplane.index.resolve.session import resolve_files
from codeplane.processes.children import read_frame, take_pipes, write_frame
from codeplane.processes.confinement import confine
from codeplane.store.codec import path_from_text
from codeplane.store.database import ReadOnlyDatabase


def main() -> None:
    confine(0)
    gc.disable()
    gc.freeze()
    requests, answers = take_pipes()
    index = ReadOnlyDatabase(Path(sys.argv[1]))
    paths = [path_from_text(path) for (path,) in index.rows("SELECT path FROM files")]
    sizes: deque[int] = deque()
    found: list[Found] = []
    for links in resolve_files(index, paths, _ids(requests, sizes)):
        found.append(links)
        if len(found) == sizes[0]:
            write_frame(answers, encode(found))
            found.clear()
            sizes.popleft()


def _ids(requests: BinaryIO, sizes: deque[int]) -> Iterator[int]:
    while (request := read_frame(requests)) is not None:
        file_ids = orjson.loads(request)
        sizes.append(len(file_ids))
        yield from file_ids
