"""All that an index says, as sorted text: two indexes of the same files give the same lines.

Ids, times, epochs and history are left out, since they tell how an index came about. Paths
and names stand for ids, so an index kept up to date can be compared with one built afresh.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

import orjson

from codeplane.facts.blocks import unpack
from codeplane.store.codec import path_from_text
from codeplane.store.database import Row
from codeplane.store.reader import Reader


def dump(reader: Reader) -> Iterator[str]:
    """Lines of `table<TAB>JSON`, sorted within each table, tables in a fixed order."""
    for table, sql in _TABLES.items():
        lines = (_line(table, row) for row in reader.stream(sql))
        yield from sorted(lines) if table in _SORT_HERE else lines
    yield from _block_lines(reader)
    documents = sorted((path, digest) for _, digest, path in reader.documents())
    yield from (_line("documents", document) for document in documents)
    yield from sorted(chain.from_iterable(_group_lines(reader)))


def _line(table: str, row: Row) -> str:
    path = path_from_text(row[0]).encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    return f"{table}\t{orjson.dumps((path, *row[1:])).decode()}"


def _block_lines(reader: Reader) -> Iterator[str]:
    for path, block in reader.stream("SELECT path, block FROM blocks JOIN files USING (file_id) ORDER BY path"):
        held = unpack(block)
        for table, rows in (("scopes", held.scopes), ("binds", held.binds)):
            yield from (_line(table, (path, *row)) for row in rows)
        yield from (_line("refs", (path, held.names[row.name], *row)) for row in held.refs)


def _group_lines(reader: Reader) -> Iterator[list[str]]:
    """Exemplars of a group by where they stand, because their ids hold file ids."""
    sql = "SELECT unit_id, member_token, receiver_shape, total_count, exemplar_ids FROM anchor_groups"
    place = "SELECT path, ?1 & 1048575 FROM files WHERE file_id = ?1 >> 20"
    for unit_id, token, shape, total, exemplars in reader.rows(sql):
        places = [reader.row(place, (ref_id,)) for ref_id in orjson.loads(exemplars)]
        yield [f"anchor_groups\t{orjson.dumps((unit_id, token, shape, total, places)).decode()}"]


def _facts_sql(table: str, key: str, columns: str, joins: str = "") -> str:
    return (
        f"SELECT files.path, {key} & 1048575, {columns} FROM files"
        f" JOIN {table} ON {key} BETWEEN files.file_id << 20 AND files.file_id << 20 | 1048575 {joins}"
        f" ORDER BY files.path, {key}"
    )


_TARGET = "(SELECT path || '#' || (target_def & 1048575) FROM files AS other WHERE other.file_id = target_def >> 20)"

_SORT_HERE = frozenset({"surfaces", "units"})

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
        "export_entries", "entry_id", f"surface_id, exported_name, {_TARGET}, certainty, evidence_kind"
    ),
    "thunks": _facts_sql(
        "export_thunks",
        "thunk_id",
        "source_unit, target_unit, source_literal, mode, explicit_names, alias_map, evidence_kind",
    ),
    "dynamic_sites": _facts_sql(
        "dynamic_sites", "site_id", "start_line, start_col, pattern_type, extracted_literals, has_non_literal_key"
    ),
    "links": _facts_sql("ref_links", "ref_id", f"{_TARGET}, tier, certainty"),
    "names": "SELECT path, name, count FROM name_files JOIN files USING (file_id) ORDER BY path, name",
    "problems": _facts_sql("problems", "problem_id", "code, line, message"),
    "surfaces": "SELECT root, family, surface_hash FROM export_surfaces JOIN units USING (unit_id)",
    "units": "SELECT root, family, unit_id, name, tier, marker, state, evidence, sample FROM units",
    "manifests": "SELECT path, declared FROM manifests ORDER BY path",
    "attributes": "SELECT path, statements FROM attributes ORDER BY path",
}
