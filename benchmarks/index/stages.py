"""A cold index, and each stage of its floor, one per process: `python -m benchmarks.index.stages STAGE ROOT [SCRATCH]`.

    index    the product itself, with its state of the user in SCRATCH
    look     one look at a tree whose user has indexed others before, and a first search
    read     read and sha256 of every file that the index knows
    parse    tree-sitter alone on every file that was parsed
    insert   the same rows into a new database of the same kind, then its indexes
    lexical  the same documents into a new text index of the same kind
    extract  what the workers do for each file, by language; no part of the floor
    walk     scandir and lstat of the tree

The floor stages read the finished index under ROOT. The input of a stage is prepared before
its clock starts; CPU is that of the process, all threads, while the clock ran.
"""

from __future__ import annotations

import gc
import hashlib
import json
import resource
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from benchmarks.measure import cores
from benchmarks.trees import bare_walk, pruned_directories

from codeplane.config.model import Config
from codeplane.disk.encoding import decode
from codeplane.facts.blocks import unpack
from codeplane.facts.extract import extract
from codeplane.facts.grammar import load_reader
from codeplane.facts.model import Def, Extraction, Facts
from codeplane.facts.passages import may_define, read_searchable
from codeplane.facts.wire import encode
from codeplane.facts.words import terms_of
from codeplane.index.indexer import Indexer
from codeplane.index.options import SyncReport
from codeplane.languages.registry import by_name
from codeplane.operations.context import Context
from codeplane.operations.init import initialize
from codeplane.operations.settings import index_options
from codeplane.query.snapshot import Snapshot, open_current
from codeplane.query.text import rank_passages
from codeplane.store.codec import path_from_text, split_row_id
from codeplane.store.database import create_database
from codeplane.store.layout import open_state
from codeplane.store.lexical_reader import LexicalReader
from codeplane.store.lexical_writer import LexicalWriter
from codeplane.store.records import FileState
from codeplane.store.schema import INDEXES, TABLES

Found = dict[str, Any]

MARK = "otherbranchofbenchmark"
"""A word of a branch that the benchmarks make."""


def main() -> None:
    stage, root = sys.argv[1], Path(sys.argv[2]).resolve()
    place = Path(sys.argv[3]) if len(sys.argv) > 3 else root
    print(json.dumps(STAGES[stage](root, place)))


def index(root: Path, place: Path) -> Found:
    context = Context(root=root, config=Config(), user_state=place / "state")
    found, report = _clocked(lambda: initialize(context), prepared=False)
    with open_current(_state(root), lexical=False) as snapshot:
        text_bytes = snapshot.reader.count("SELECT coalesce(sum(size), 0) FROM files WHERE lexical")
        parsed = snapshot.reader.row("SELECT count(*), coalesce(sum(size), 0) FROM files WHERE state = 'indexed'")
    assert parsed is not None
    return found | {
        "decision": report.decision,
        "files": report.files,
        "bytes": report.bytes,
        "text_bytes": text_bytes,
        "parsed_files": parsed[0],
        "parsed_bytes": parsed[1],
        "definitions": report.definitions,
        "references": report.references,
        "index_bytes": report.index_bytes,
        "pending": report.pending,
        "cores": cores(),
    }


def look(root: Path, place: Path) -> Found:
    """Until the first search is answered; `marked` says whether it finds MARK."""

    def work() -> tuple[SyncReport, bool]:
        options = index_options(Context(root=root, config=Config(), user_state=place / "state"))
        with Indexer.open(options) as indexer:
            report = indexer.sync()
            with open_current(indexer.state) as snapshot:
                ranked = rank_passages(snapshot, dict.fromkeys(terms_of(MARK), 1), 1, per_file=1)
        return report, bool(ranked)

    found, (report, marked) = _clocked(work, prepared=False)
    return found | {
        "decision": report.decision,
        "files": report.files,
        "changed": report.changed,
        "parsed": report.parsed,
        "hashed": report.hashed,
        "pending": report.pending,
        "marked": marked,
    }


def read(root: Path, place: Path) -> Found:
    paths = [root / row[0] for row in list_files(root)]

    def work() -> int:
        total = 0
        for path in paths:
            data = path.read_bytes()
            hashlib.sha256(data).digest()
            total += len(data)
        return total

    found, total = _clocked(work)
    return found | {"files": len(paths), "bytes": total}


def parse(root: Path, place: Path) -> Found:
    sources = []
    for path, language, state, _ in list_files(root):
        if state == FileState.INDEXED:
            text = decode((root / path).read_bytes())
            assert text is not None and language is not None
            # Some documents are read without a grammar.
            if grammar := by_name(language).grammar:
                sources.append((load_reader(grammar).parser, text.data.replace(b"\r\n", b"\n")))

    def work() -> None:
        for parser, source in sources:
            parser.parse(source)

    found, _ = _clocked(work)
    return found | {"files": len(sources), "bytes": sum(len(source) for _, source in sources)}


def insert(root: Path, place: Path) -> Found:
    """The rows as they are stored."""
    return _insert(_stored_rows(root), place / "floor.db", TABLES, INDEXES)


def insert_plain(root: Path, place: Path) -> Found:
    """The same with a plain row for each scope, binding and reference, which the product packs; indexed by name."""
    numbers: dict[str, int] = {}
    refs: list[tuple[int | None, ...]] = []
    tables = _stored_rows(root)
    scopes: list[tuple[Any, ...]] = []
    binds: list[tuple[Any, ...]] = []
    for file_id, block in tables.pop("blocks"):
        held, base = unpack(block), file_id << 20
        ids = [numbers.setdefault(name, len(numbers)) for name in held.names]
        refs += ((at, ref[0], ids[ref[1]], *ref[2:]) for at, ref in enumerate(held.refs, base))
        scopes += ((at, *scope) for at, scope in enumerate(held.scopes, base))
        binds += ((at, *bind) for at, bind in enumerate(held.binds, base))
    del tables["name_files"]
    tables |= {"plain_refs": refs, "plain_names": [(number, name) for name, number in numbers.items()]}
    tables |= {"plain_scopes": scopes, "plain_binds": binds}
    return _insert(tables, place / "floor-plain.db", TABLES + _PLAIN_TABLES, INDEXES + _PLAIN_INDEXES)


def _stored_rows(root: Path) -> dict[str, list[Any]]:
    with open_current(_state(root), lexical=False) as snapshot:
        names = snapshot.reader.rows("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
        return {name: snapshot.reader.rows(f"SELECT * FROM {name}") for (name,) in names}


def _insert(tables: dict[str, list[Any]], path: Path, schema: str, indexes: str) -> Found:
    connection = create_database(path)

    def work() -> None:
        # As the product does, in a transaction of its own: until the first page is on disk, pages that leave
        # the cache get no checksum, and cannot be read again.
        connection.execute("BEGIN IMMEDIATE")
        connection.execute(schema)
        connection.execute("COMMIT")
        connection.execute("BEGIN IMMEDIATE")
        for name, rows in tables.items():
            if rows:
                connection.executemany(f"INSERT INTO {name} VALUES ({','.join('?' * len(rows[0]))})", rows)
        connection.execute(indexes)
        connection.execute("COMMIT")

    found, _ = _clocked(work)
    kept = sum(connection.execute(f"SELECT count(*) FROM {name}").get for name in tables)
    connection.close()
    return found | {"rows": kept, "bytes": path.stat().st_size}


_PLAIN_TABLES = """
CREATE TABLE plain_names (name_id INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT;
CREATE TABLE plain_refs (
    ref_id INTEGER PRIMARY KEY, scope INTEGER, name_id INTEGER, start_line INTEGER, start_col INTEGER, end_col INTEGER,
    role INTEGER, usage INTEGER, tier INTEGER, certainty INTEGER, bind INTEGER
) STRICT;
CREATE TABLE plain_scopes (
    scope_id INTEGER PRIMARY KEY, parent INTEGER, kind TEXT, start_line INTEGER, start_col INTEGER, end_line INTEGER,
    end_col INTEGER
) STRICT;
CREATE TABLE plain_binds (
    bind_id INTEGER PRIMARY KEY, scope INTEGER, name TEXT, namespace INTEGER, target_kind INTEGER, target INTEGER,
    certainty INTEGER, reason TEXT
) STRICT;
"""
_PLAIN_INDEXES = """
CREATE UNIQUE INDEX plain_names_name ON plain_names (name);
CREATE INDEX plain_refs_name ON plain_refs (name_id);
"""


def text_index(root: Path, place: Path) -> Found:
    with open_current(_state(root), lexical=False) as snapshot:
        files = snapshot.reader.rows(
            "SELECT file_id, path, lower(hex(digest)), family, language IS NULL FROM files WHERE lexical"
        )
        spans = _definitions(snapshot)
    documents = []
    for file_id, path, digest, family, is_text in files:
        text = decode((root / path_from_text(path)).read_bytes())
        assert text is not None
        hints = bool(is_text) and may_define(path)
        searchable = read_searchable(text.data.replace(b"\r\n", b"\n"), spans[file_id], hints=hints)
        documents.append((file_id, path, digest, family, searchable))
    directory = place / "floor.lexical"
    directory.mkdir()
    # Documents are made by the product, so that the floor cannot drift away from it.
    writer = LexicalWriter(directory, create=True)

    def work() -> None:
        for document in documents:
            writer.add(*document)
        writer.commit()
        writer.settle()

    found, _ = _clocked(work)
    return found | {"documents": LexicalReader(directory).document_count}


def extraction(root: Path, place: Path) -> Found:
    """CPU seconds of the work of a parse worker, by language; a file of none is read for its words alone."""
    sources = list_sources(root)
    found, languages = _clocked(lambda: extract_all(sources))
    return found | {"languages": languages}


def list_sources(root: Path) -> list[tuple[str, str, bytes]]:
    """Return (language, path, text) of every file that the workers read, and load the grammars."""
    sources = []
    for path, language, state, _ in list_files(root):
        text = decode((root / path).read_bytes()) if state in (FileState.INDEXED, FileState.TEXT) else None
        if text is not None:
            name = language if language is not None and state == FileState.INDEXED else ""
            sources.append((name, path, text.data.replace(b"\r\n", b"\n")))
    for name in {name for name, _, _ in sources if name}:
        extract(name, "", b"")
    return sources


def extract_all(
    sources: Sequence[tuple[str, str, bytes]], done: Callable[[str], None] = lambda language: None
) -> dict[str, list[float]]:
    """Do the work of a parse worker; return files, bytes and CPU seconds by language. `done` is called per file."""
    taken: dict[str, list[float]] = defaultdict(lambda: [0, 0, 0.0])
    for name, path, source in sources:
        started = time.process_time()
        found = extract(name, path, source) if name else Extraction(Facts(), ())
        encode(0, found, read_searchable(source, found.facts.defs, hints=not name and may_define(path)))
        row = taken[name]
        row[0] += 1
        row[1] += len(source)
        row[2] += time.process_time() - started
        done(name)
    return {name: taken[name] for name in sorted(taken)}


def walk(root: Path, place: Path) -> Found:
    pruned = pruned_directories(root)
    found, entries = _clocked(lambda: bare_walk(root, pruned))
    return found | {"entries": entries}


def list_files(root: Path) -> list[tuple[str, str | None, str, int]]:
    """(path, language, state, size) of every file."""
    with open_current(_state(root), lexical=False) as snapshot:
        rows = snapshot.reader.rows("SELECT path, language, state, size FROM files ORDER BY path")
    return [(path_from_text(row[0]), *row[1:]) for row in rows]


STAGES: dict[str, Callable[[Path, Path], Found]] = {
    "index": index,
    "look": look,
    "read": read,
    "parse": parse,
    "insert": insert,
    "insert_plain": insert_plain,
    "lexical": text_index,
    "extract": extraction,
    "walk": walk,
}


def _clocked(work: Callable[[], Any], prepared: bool = True) -> tuple[Found, Any]:
    """Seconds of wall and of CPU, children that ended meanwhile included."""
    if prepared:
        # What was made ready is not to be looked at again and again for cycles.
        gc.collect()
        gc.freeze()
    before, started = _cpu(), time.perf_counter()
    result = work()
    seconds = time.perf_counter() - started
    own, children = (after - since for after, since in zip(_cpu(), before, strict=True))
    return {"seconds": seconds, "cpu": own + children, "cpu_workers": children}, result


def _cpu() -> tuple[float, float]:
    """Return CPU seconds of this process and its ended children."""
    own, children = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime, children.ru_utime + children.ru_stime


def _state(root: Path) -> Any:
    state = open_state(root)
    if state is None:
        raise SystemExit(f"{root} has no index")
    return state


def _definitions(snapshot: Snapshot) -> dict[int, list[Def]]:
    """Definitions of each file as far as passages need them, by file id."""
    found: dict[int, list[Def]] = defaultdict(list)
    rows = snapshot.reader.stream("SELECT def_id, kind, name, start_line, end_line FROM defs ORDER BY def_id")
    for def_id, kind, name, first, last in rows:
        row = Def("", None, 0, kind, name, "", "", first, 0, last, 0, first, 0, "", "", None, "", ())
        found[split_row_id(def_id)[0]].append(row)
    return found


if __name__ == "__main__":
    main()
