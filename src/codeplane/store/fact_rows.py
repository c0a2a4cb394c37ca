"""Facts of one file as rows: made in one pass per table, deleted as one range.

This is the hot path of a cold index, hence plain tuples and few calls. Facts are sequences in the column order of the
model, because they come from another process. All rows are made before the first is written, so that malformed facts
write nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import apsw
import orjson

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.facts.blocks import PackedFacts, unpack
from codeplane.facts.model import Problem
from codeplane.store.codec import ORDINAL_BITS, ORDINAL_MASK, row_range, storable
from codeplane.store.link_table import delete_links
from codeplane.store.schema import FACT_TABLES, insert_sql


class FactRows(NamedTuple):
    file_id: int
    block: bytes
    interface: bytes
    summary: bytes
    names: list[tuple[str, int, int]]
    """(name, file id, count)."""
    inserts: list[tuple[str, list[Any]]]
    """SQL and values for the other tables."""


def make_rows(file_id: int, facts: PackedFacts, problems: Sequence[Problem]) -> FactRows:
    """Return the rows of one file. Raises INTERNAL for facts that do not have the shape of the model."""
    try:
        try:
            return _make_rows(file_id, facts, problems)
        except (UnicodeEncodeError, orjson.JSONEncodeError):
            return _make_rows(file_id, storable_facts(facts), problems)
    except (TypeError, ValueError, IndexError, KeyError) as error:
        raise CodePlaneError(ErrorCode.INTERNAL, f"facts of an unexpected shape: {error}") from error


def insert_rows(connection: apsw.Connection, rows: FactRows, *, bulk: bool) -> None:
    if rows.block:
        connection.execute(insert_sql("blocks"), (rows.file_id, rows.block))
        connection.executemany(insert_sql("name_files", into="loaded_names" if bulk else None), rows.names)
    if rows.summary:
        connection.execute(insert_sql("file_summaries"), (rows.file_id, rows.interface, rows.summary))
    for sql, values in rows.inserts:
        connection.executemany(sql, values)


def delete_rows(connection: apsw.Connection, file_id: int) -> None:
    """Delete all rows of a file, and references to them from other files."""
    names = unpack(connection.execute("SELECT block FROM blocks WHERE file_id = ?", (file_id,)).get or b"").names
    connection.executemany("DELETE FROM name_files WHERE name = ? AND file_id = ?", [(name, file_id) for name in names])
    connection.execute("DELETE FROM blocks WHERE file_id = ?", (file_id,))
    connection.execute("DELETE FROM file_summaries WHERE file_id = ?", (file_id,))
    delete_links(connection, file_id)
    connection.execute("DELETE FROM unresolved_files WHERE file_id = ?", (file_id,))
    span = row_range(file_id)
    for imported, source in list(
        connection.execute("SELECT imported_name, source_literal FROM imports WHERE import_id BETWEEN ? AND ?", span)
    ):
        for word in _words(imported, source):
            connection.execute("DELETE FROM import_words WHERE word = ? AND file_id = ?", (word, file_id))
    owners = connection.execute(
        "SELECT DISTINCT lexical_path, name FROM defs WHERE parent IS NULL AND def_id BETWEEN ? AND ?", span
    )
    for path, name in list(owners):
        owner = path[: -len(name) - 1].rpartition(".")[2]
        connection.execute("DELETE FROM out_of_line_members WHERE owner = ? AND file_id = ?", (owner, file_id))
    for sql in _DELETE_SQL:
        connection.execute(sql, span)


def storable_facts(facts: PackedFacts) -> PackedFacts:
    """Return the facts with lone surrogates replaced, for the rare source that has them."""
    return PackedFacts(*(_storable(part) for part in facts))


def _make_rows(file_id: int, facts: PackedFacts, problems: Sequence[Problem]) -> FactRows:
    base = file_id << ORDINAL_BITS
    if max(facts.ref_count, len(facts.defs), len(facts.imports), len(facts.exports)) > ORDINAL_MASK:
        raise ValueError("too many rows for one file")
    counted = zip(facts.names, facts.counts, strict=True) if facts.counts else ()
    names = [(name, file_id, count) for name, count in counted if count]
    rows_by_table: dict[str, list[Any]] = {
        "defs": [(row_id, *row[:-1], _json(row[-1])) for row_id, row in enumerate(facts.defs, base)],
        "imports": [(row_id, *row) for row_id, row in enumerate(facts.imports, base)],
        "export_entries": [
            (row_id, name, None if definition is None else base | definition, certainty, evidence)
            for row_id, (name, definition, certainty, evidence, *_) in enumerate(facts.exports, base)
        ],
        "instance_attributes": [(row_id, *row) for row_id, row in enumerate(facts.attributes, base)],
        "import_words": [(word, file_id) for word in _import_words(facts)],
        "out_of_line_members": [(owner, file_id) for owner in _outer_owners(facts)],
        "problems": [(row_id, *row) for row_id, row in enumerate(problems, base)],
    }
    inserts = [(insert_sql(table), rows) for table, rows in rows_by_table.items() if rows]
    return FactRows(file_id, facts.block, facts.interface, facts.summary, names, inserts)


def _import_words(facts: PackedFacts) -> list[str]:
    return sorted({word for row in facts.imports for word in _words(row[2], row[4])})


def _outer_owners(facts: PackedFacts) -> list[str]:
    """Return the owners of definitions that are not nested in their owner."""
    paths = (row[6][: -len(row[4]) - 1] for row in facts.defs if row[1] is None)
    return sorted({path.rpartition(".")[2] for path in paths if path})


def _words(imported: str, source: str | None) -> Iterator[str]:
    """Yield the last words of an import: the imported file is named like one of them."""
    for text in (imported, source or ""):
        pieces = [piece for piece in _SEPARATORS.split(text) if piece]
        yield from pieces[-2:]


def _json(values: Sequence[object]) -> str | None:
    return orjson.dumps(values).decode() if values else None


def _storable(value: Any) -> Any:
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, list | tuple):
        return tuple(_storable(item) for item in value)
    return value


_SEPARATORS = re.compile(r"[./\\:]+")

_DELETE_SQL = (
    *(f"DELETE FROM {table} WHERE {key} BETWEEN ?1 AND ?2" for table, key in FACT_TABLES.items()),
    "UPDATE export_entries SET target_def = NULL WHERE target_def BETWEEN ?1 AND ?2",
)
