"""Resolves all files of a new index in worker processes.

Each worker starts with its own part of the tree, since files of one directory look up the same names; an idle worker
steals batches from the one with the longest queue. The batches of a worker that dies are resolved in this process.
"""

from __future__ import annotations

import selectors
import struct
from collections import deque
from collections.abc import Collection, Generator, Iterator, Sequence
from dataclasses import dataclass, field

import orjson

from codeplane.index.resolve.session import resolve_files
from codeplane.processes.children import Child
from codeplane.store.link_table import FileLinks
from codeplane.store.writer import Writer

_MODULE = "codeplane.index.resolve.worker"
_BATCH = 16
_LENGTH = struct.Struct(">I")

Found = tuple[int, FileLinks]


@dataclass
class _Worker:
    child: Child
    queue: deque[Sequence[int]]
    running: deque[Sequence[int]] = field(default_factory=deque)


def resolve_in_workers(
    writer: Writer, paths: Collection[str], file_ids: Sequence[int], workers: int
) -> Generator[Found, None, None]:
    """Yield the links of files, in no order. No epoch may be published meanwhile."""
    batches = [file_ids[start : start + _BATCH] for start in range(0, len(file_ids), _BATCH)]
    share = -(-len(batches) // workers)
    database = str(writer.generation.database.absolute())
    workers_left = [
        _Worker(Child(_MODULE, (database,)), deque(batches[start : start + share]))
        for start in range(0, len(batches), share)
    ]
    lost: list[int] = []
    try:
        for worker in workers_left:
            _feed(worker, workers_left)
        while busy := [worker for worker in workers_left if worker.running]:
            with selectors.DefaultSelector() as selector:
                for worker in busy:
                    selector.register(worker.child.output, selectors.EVENT_READ)
                selector.select()
            for worker in busy:
                frames, is_alive = worker.child.receive()
                for frame in frames:
                    worker.running.popleft()
                    _feed(worker, workers_left)
                    yield from decode(frame)
                if not is_alive:
                    worker.child.kill()
                    workers_left.remove(worker)
                    lost += [file_id for batch in worker.running for file_id in batch]
                    worker.running.clear()
                    if not workers_left:
                        lost += [file_id for batch in worker.queue for file_id in batch]
                    else:
                        workers_left[0].queue.extend(worker.queue)
                        _feed(workers_left[0], workers_left)
    finally:
        for worker in workers_left:
            worker.child.kill()
    if lost:
        yield from resolve_files(writer, paths, lost)


def _feed(worker: _Worker, workers_left: Sequence[_Worker]) -> None:
    """Keep two batches in flight, so that the worker never waits."""
    while len(worker.running) < 2:
        if worker.queue:
            batch = worker.queue.popleft()
        else:
            longest = max(workers_left, key=lambda other: len(other.queue))
            if not longest.queue:
                return
            batch = longest.queue.pop()
        worker.running.append(batch)
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
