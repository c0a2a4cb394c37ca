"""The tables of an index: the only declaration of their columns.

A row of a file has the id `file_id << 20 | ordinal`: the rows of one file are one range of the primary key, so they
need neither a file column nor an index to be found or deleted. Other columns that name a row of the same file hold its
ordinal; `target_def` holds a whole id, because it may be in another file. Enumerations are the integers of the fact
model.

Scopes, bindings and references are numerous and are only read one file at a time, so they are packed into one row of
`blocks` per file. Tables for reads across files:

    name_files           names that occur in a file, with counts
    file_summaries       packed interface of a file, for the resolution of other files
    import_words         last words of imports: files with such a name may be imported
    out_of_line_members  owners whose members a file defines outside of them
    file_links           packed resolved references of a file
    def_references       places where a definition or attribute is used, by the number of its `def_uid`
    unresolved_members   places of members that could not be resolved, by name
    bases                inheritance, and overrides by members of `impl` blocks and anonymous classes
    file_imports         imports between files
    link_dependencies    what the links of a file depend on: a file, or a name that was looked up
    unresolved_files     files whose references must be resolved again
"""

from __future__ import annotations

import hashlib
import re
from functools import cache

from codeplane.store.records import BYTE_ENCODINGS

SCHEMA_VERSION = 8
KEPT_EPOCHS = 1000

DOCUMENT_DIGEST = (
    f"lower(hex(CASE WHEN encoding IN {BYTE_ENCODINGS} THEN coalesce(text_digest, digest) ELSE digest END))"
)
"""SQL for the digest in the text index document of a `files` row."""

FACT_TABLES = {
    "defs": "def_id",
    "imports": "import_id",
    "export_entries": "entry_id",
    "instance_attributes": "attribute_id",
    "problems": "problem_id",
}
"""Tables of rows that belong to one file, with their primary keys."""

_UNIT_BITS = 48
"""Few enough to be exact in JSON readers that use floats."""


def unit_of(family: str, root: str = "") -> int:
    """Return the id of a family's unit at a root: a hash of these two, independent of all other units."""
    digest = hashlib.sha256(f"{family}\0{root}".encode("utf-8", "surrogateescape")).digest()
    return int.from_bytes(digest[: _UNIT_BITS // 8]) | 1 << _UNIT_BITS


TABLES = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE units (
    unit_id INTEGER PRIMARY KEY,
    family TEXT NOT NULL,
    root TEXT NOT NULL,
    name TEXT NOT NULL,
    tier TEXT NOT NULL,
    marker TEXT NOT NULL,
    state TEXT NOT NULL,
    evidence TEXT NOT NULL,
    sample TEXT NOT NULL
) STRICT;

CREATE TABLE manifests (path TEXT PRIMARY KEY, declared TEXT NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE configurations (path TEXT PRIMARY KEY, content TEXT NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE attributes (path TEXT PRIMARY KEY, statements TEXT NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE files (
    file_id INTEGER PRIMARY KEY,
    path TEXT NOT NULL,
    unit_id INTEGER,
    language TEXT,
    family TEXT,
    size INTEGER NOT NULL,
    mtime_ns INTEGER NOT NULL,
    ctime_ns INTEGER NOT NULL,
    inode INTEGER NOT NULL,
    device INTEGER NOT NULL,
    observed_at_ns INTEGER NOT NULL,
    digest BLOB,
    text_digest BLOB,
    encoding TEXT,
    lines INTEGER NOT NULL,
    state TEXT NOT NULL,
    reason TEXT,
    role TEXT NOT NULL,
    evidence TEXT NOT NULL,
    header TEXT,
    lexical INTEGER NOT NULL,
    epoch INTEGER NOT NULL,
    scopes INTEGER NOT NULL,
    defs INTEGER NOT NULL,
    imports INTEGER NOT NULL,
    refs INTEGER NOT NULL,
    problems INTEGER NOT NULL
) STRICT;

CREATE TABLE blocks (file_id INTEGER PRIMARY KEY, block BLOB NOT NULL) STRICT;

CREATE TABLE name_files (
    name TEXT NOT NULL, file_id INTEGER NOT NULL, count INTEGER NOT NULL, PRIMARY KEY (name, file_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE file_summaries (file_id INTEGER PRIMARY KEY, interface BLOB NOT NULL, summary BLOB NOT NULL) STRICT;

CREATE TABLE import_words (
    word TEXT NOT NULL, file_id INTEGER NOT NULL, PRIMARY KEY (word, file_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE out_of_line_members (
    owner TEXT NOT NULL, file_id INTEGER NOT NULL, PRIMARY KEY (owner, file_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE file_links (file_id INTEGER PRIMARY KEY, links BLOB NOT NULL) STRICT;

CREATE TABLE def_references (
    target INTEGER NOT NULL, file_id INTEGER NOT NULL, places BLOB NOT NULL, PRIMARY KEY (target, file_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE unresolved_members (
    token TEXT NOT NULL, file_id INTEGER NOT NULL, places BLOB NOT NULL, PRIMARY KEY (token, file_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE bases (
    derived INTEGER NOT NULL, base INTEGER NOT NULL, file_id INTEGER NOT NULL, PRIMARY KEY (derived, base, file_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE file_imports (
    target INTEGER NOT NULL, file_id INTEGER NOT NULL, PRIMARY KEY (target, file_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE unresolved_files (file_id INTEGER PRIMARY KEY) STRICT;

CREATE TABLE link_dependencies (
    key INTEGER NOT NULL, file_id INTEGER NOT NULL, PRIMARY KEY (key, file_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE defs (
    def_id INTEGER PRIMARY KEY,
    def_uid TEXT NOT NULL,
    parent INTEGER,
    scope INTEGER NOT NULL,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    qualified_name TEXT NOT NULL,
    lexical_path TEXT NOT NULL,
    start_line INTEGER NOT NULL,
    start_col INTEGER NOT NULL,
    end_line INTEGER NOT NULL,
    end_col INTEGER NOT NULL,
    name_line INTEGER NOT NULL,
    name_col INTEGER NOT NULL,
    signature TEXT NOT NULL,
    signature_hash TEXT NOT NULL,
    doc TEXT,
    visibility TEXT NOT NULL,
    decorators TEXT
) STRICT;

CREATE TABLE imports (
    import_id INTEGER PRIMARY KEY,
    import_uid TEXT NOT NULL,
    scope INTEGER NOT NULL,
    imported_name TEXT NOT NULL,
    alias TEXT,
    source_literal TEXT,
    import_kind TEXT NOT NULL,
    certainty INTEGER NOT NULL,
    start_line INTEGER NOT NULL,
    start_col INTEGER NOT NULL,
    end_line INTEGER NOT NULL,
    end_col INTEGER NOT NULL
) STRICT;

CREATE TABLE instance_attributes (
    attribute_id INTEGER PRIMARY KEY,
    def_uid TEXT NOT NULL,
    parent INTEGER NOT NULL,
    name TEXT NOT NULL,
    line INTEGER NOT NULL,
    col INTEGER NOT NULL
) STRICT;

CREATE TABLE export_entries (
    entry_id INTEGER PRIMARY KEY,
    exported_name TEXT NOT NULL,
    target_def INTEGER,
    certainty INTEGER NOT NULL,
    evidence_kind TEXT NOT NULL
) STRICT;

CREATE TABLE problems (
    problem_id INTEGER PRIMARY KEY, code TEXT NOT NULL, line INTEGER NOT NULL, message TEXT NOT NULL
) STRICT;

CREATE TABLE epochs (
    epoch INTEGER PRIMARY KEY,
    published_ns INTEGER NOT NULL,
    merkle_root TEXT NOT NULL,
    head TEXT,
    repo_version TEXT NOT NULL,
    files INTEGER NOT NULL,
    lexical_opstamp INTEGER NOT NULL,
    lexical_state TEXT
) STRICT;

CREATE TABLE epoch_files (
    epoch INTEGER NOT NULL,
    path TEXT NOT NULL,
    change TEXT NOT NULL,
    old_path TEXT,
    digest BLOB,
    PRIMARY KEY (epoch, path)
) STRICT, WITHOUT ROWID;

CREATE TABLE def_snapshots (
    path TEXT NOT NULL,
    until_epoch INTEGER NOT NULL,
    ordinal INTEGER NOT NULL,
    from_epoch INTEGER NOT NULL,
    def_uid TEXT NOT NULL,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    lexical_path TEXT NOT NULL,
    signature_hash TEXT NOT NULL,
    display_name TEXT NOT NULL,
    start_line INTEGER NOT NULL,
    end_line INTEGER NOT NULL,
    PRIMARY KEY (path, until_epoch, ordinal)
) STRICT, WITHOUT ROWID;
"""

INDEXES = """
CREATE UNIQUE INDEX files_path ON files (path);
CREATE INDEX defs_uid ON defs (def_uid);
CREATE INDEX defs_lower_name ON defs (lower(name));
CREATE INDEX imports_uid ON imports (import_uid);
CREATE INDEX bases_base ON bases (base);
CREATE INDEX instance_attributes_uid ON instance_attributes (def_uid);
CREATE INDEX instance_attributes_name ON instance_attributes (lower(name));
CREATE INDEX export_entries_target ON export_entries (target_def) WHERE target_def IS NOT NULL;
CREATE INDEX def_snapshots_until ON def_snapshots (until_epoch);
"""
"""Created after a bulk load: sorting once is far cheaper than keeping sorted."""

CREATE_LOADED_NAMES = (
    "CREATE TEMP TABLE loaded_names (name TEXT NOT NULL, file_id INTEGER NOT NULL, count INTEGER NOT NULL)"
)
SORT_NAMES = """
INSERT INTO name_files SELECT name, file_id, count FROM loaded_names ORDER BY name, file_id;
DROP TABLE loaded_names;
"""
"""A bulk load writes names file by file; sorting them once at the end is cheaper than keeping them sorted."""


@cache
def column_names(table: str) -> tuple[str, ...]:
    """Return the columns of a table in the order of their declaration."""
    found = re.search(rf"CREATE TABLE {table} \((.*?)\) STRICT", TABLES, re.DOTALL)
    assert found is not None, table
    columns = re.sub(r"\([^)]*\)", "", found[1]).split(",")
    return tuple(column.split()[0] for column in columns if "PRIMARY KEY" not in column or len(column.split()) > 2)


@cache
def insert_sql(table: str, *, replace: bool = False, into: str | None = None) -> str:
    """Return an INSERT with all columns of a table by name; `into` is a table with the same columns."""
    names = column_names(table)
    verb = "INSERT OR REPLACE" if replace else "INSERT"
    return f"{verb} INTO {into or table} ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})"
