"""Logical dump of an index as sorted text: indexes of the same files have equal dumps.

Ids, times, epochs and history are omitted or replaced by paths and names, since they depend on how the index was built.
So an incrementally updated index can be compared with one built from scratch.
"""

from __future__ import annotations

from collections.abc import Iterator

import orjson

from codeplane.facts.blocks import unpack
from codeplane.facts.links import unpack_links, unpack_uses
from codeplane.store.codec import path_from_text
from codeplane.store.database import Row
from codeplane.store.reader import EpochReader


def dump(reader: EpochReader) -> Iterator[str]:
    """Yield lines of `table<TAB>JSON`, sorted within each table, tables in a fixed order."""
    for table, sql in _TABLES.items():
        lines = (_line(table, row) for row in reader.stream(sql))
        yield from sorted(lines) if table in _SORT_HERE else lines
    yield from _block_lines(reader)
    documents = sorted((path, digest) for _, digest, path in reader.documents())
    yield from (_line("documents", document) for document in documents)
    yield from _link_lines(reader)
    yield from _place_lines(reader, "uses", "def_references", "target")
    yield from _place_lines(reader, "anchored", "unresolved_members", "token")


def _line(table: str, row: Row) -> str:
    path = path_from_text(row[0]).encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    return f"{table}\t{orjson.dumps((path, *row[1:])).decode()}"


def _block_lines(reader: EpochReader) -> Iterator[str]:
    for path, block in reader.stream("SELECT path, block FROM blocks JOIN files USING (file_id) ORDER BY path"):
        held = unpack(block)
        for table, rows in (("scopes", held.scopes), ("binds", held.binds)):
            yield from (_line(table, (path, *row)) for row in rows)
        yield from (_line("refs", (path, held.names[row.name], *row)) for row in held.refs)


def _link_lines(reader: EpochReader) -> Iterator[str]:
    files: dict[object, object] = dict(reader.rows("SELECT file_id, path FROM files"))
    for path, links in reader.stream("SELECT path, links FROM file_links JOIN files USING (file_id) ORDER BY path"):
        *held, imports, seen = unpack_links(links)
        named = sorted(str(files.get(file_id, file_id)) for file_id in imports)
        yield _line("links", (path, *held, named, sorted(str(files.get(key, key)) for key in seen)))


def _place_lines(reader: EpochReader, label: str, table: str, key: str) -> Iterator[str]:
    sql = f"SELECT path, {key}, places FROM {table} JOIN files USING (file_id) ORDER BY path, {key}"
    for path, what, places in reader.stream(sql):
        yield _line(label, (path, what, [tuple(use) for use in unpack_uses(places)]))


def _facts_sql(table: str, key: str, columns: str, joins: str = "") -> str:
    return (
        f"SELECT files.path, {key} & 1048575, {columns} FROM files"
        f" JOIN {table} ON {key} BETWEEN files.file_id << 20 AND files.file_id << 20 | 1048575 {joins}"
        f" ORDER BY files.path, {key}"
    )


_TARGET = "(SELECT path || '#' || (target_def & 1048575) FROM files AS other WHERE other.file_id = target_def >> 20)"

_SORT_HERE = frozenset({"units"})

_TABLES = {
    "files": (
        "SELECT path, unit_id, language, family, size, lower(hex(digest)), lower(hex(coalesce(text_digest, digest))),"
        " encoding, lines, state, reason, role, evidence, header, lexical FROM files ORDER BY path"
    ),
    "defs": _facts_sql(
        "defs",
        "def_id",
        "def_uid, parent, scope, kind, name, qualified_name, lexical_path, start_line, start_col, end_line, end_col,"
        " name_line, name_col, signature, signature_hash, doc, visibility, decorators",
    ),
    "imports": _facts_sql(
        "imports",
        "import_id",
        "import_uid, scope, imported_name, alias, source_literal, import_kind, certainty,"
        " start_line, start_col, end_line, end_col",
    ),
    "exports": _facts_sql(
        "export_entries", "entry_id", f"coalesce(files.unit_id, -1), exported_name, {_TARGET}, certainty, evidence_kind"
    ),
    "given_attributes": _facts_sql("instance_attributes", "attribute_id", "def_uid, parent, name, line, col"),
    "sketches": "SELECT path, lower(hex(interface)) FROM file_summaries JOIN files USING (file_id) ORDER BY path",
    "import_words": "SELECT path, word FROM import_words JOIN files USING (file_id) ORDER BY path, word",
    "detached": "SELECT path, owner FROM out_of_line_members JOIN files USING (file_id) ORDER BY path, owner",
    "configurations": "SELECT path, content FROM configurations ORDER BY path",
    "names": "SELECT path, name, count FROM name_files JOIN files USING (file_id) ORDER BY path, name",
    "problems": _facts_sql("problems", "problem_id", "code, line, message"),
    "units": "SELECT root, family, unit_id, name, tier, marker, state, evidence, sample FROM units",
    "manifests": "SELECT path, declared FROM manifests ORDER BY path",
    "attributes": "SELECT path, statements FROM attributes ORDER BY path",
}
