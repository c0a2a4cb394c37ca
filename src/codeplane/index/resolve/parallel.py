"""All files of a new index, resolved by processes of their own.

Each begins with a part of the tree of its own, since files of a directory look up the same; whoever is done first
takes over from the one that has most left. When a process dies, what it had is resolved here.
"""

from __future__ import annotations

import selectors
import struct
from collections import deque
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

import orjson

from codeplane.index.resolve.session import resolve_files
from codeplane.processes.children import Child
from codeplane.store.link_rows import FileLinks
from codeplane.store.writer import Writer

_MODULE = "codeplane.index.resolve.worker"
_BATCH = 16
_LENGTH = struct.Struct(">I")

Found = tuple[int, FileLinks]


@dataclass
class _Worker:
    child: Child
    left: deque[Sequence[int]]
    at: deque[Sequence[int]] = field(default_factory=deque)


def resolve_in_workers(
    writer: Writer, paths: Collection[str], file_ids: Sequence[int], workers: int
) -> Iterator[Found]:
    """The links of files, in no order. Nothing may be published meanwhile."""
    batches = [file_ids[start : start + _BATCH] for start in range(0, len(file_ids), _BATCH)]
    share = -(-len(batches) // workers)
    database = str(writer.generation.database.absolute())
    crew = [
        _Worker(Child(_MODULE, (database,)), deque(batches[start : start + share]))
        for start in range(0, len(batches), share)
    ]
    lost: list[int] = []
    try:
        for worker in crew:
            _feed(worker, crew)
        while busy := [worker for worker in crew if worker.at]:
            with selectors.DefaultSelector() as selector:
                for worker in busy:
                    selector.register(worker.child.output, selectors.EVENT_READ)
                selector.select()
            for worker in busy:
                frames, is_alive = worker.child.receive()
                for frame in frames:
                    worker.at.popleft()
                    _feed(worker, crew)
                    yield from decode(frame)
                if not is_alive:
                    worker.child.kill()
                    crew.remove(worker)
                    lost += [file_id for batch in worker.at for file_id in batch]
                    worker.at.clear()
                    if not crew:
                        lost += [file_id for batch in worker.left for file_id in batch]
                    else:
                        crew[0].left.extend(worker.left)
                        _feed(crew[0], crew)
    finally:
        for worker in crew:
            worker.child.kill()
    if lost:
        yield from resolve_files(writer, paths, lost)


def _feed(worker: _Worker, crew: Sequence[_Worker]) -> None:
    """Two batches at a time, so that it need not wait for us."""
    while len(worker.at) < 2:
        if worker.left:
            batch = worker.left.popleft()
        else:
            richest = max(crew, key=lambda other: len(other.left))
            if not richest.left:
                return
            batch = richest.left.pop()
        worker.at.append(batch)
        worker.child.send(orjson.dumps(batch))


def encode(found: Sequence[Found]) -> bytes:
    head = [
        (
            file_id,
            len(links.packed),
            [(key, len(places)) for key, places in links.uses.items()],
            [(key, len(places)) for key, places in links.anchored.items()],
            *links[3:],
        )
        for file_id, links in found
    ]
    text = orjson.dumps(head)
    blobs = [blob for _, links in found for blob in (links.packed, *links.uses.values(), *links.anchored.values())]
    return b"".join((_LENGTH.pack(len(text)), text, *blobs))


def decode(frame: bytes) -> Iterator[Found]:
    (length,) = _LENGTH.unpack_from(frame)
    at = _LENGTH.size + length

    def take(size: int) -> bytes:
        nonlocal at
        at += size
        return frame[at - size : at]

    for file_id, packed, uses, anchored, *rest in orjson.loads(frame[_LENGTH.size : at]):
        yield (
            file_id,
            FileLinks(
                take(packed),
                {key: take(size) for key, size in uses},
                {key: take(size) for key, size in anchored},
                *rest,
            ),
        )
