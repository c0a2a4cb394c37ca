"""What names are bound to in a scope, as written when indexing."""

from __future__ import annotations

from typing import NamedTuple

from codeplane.base.paths import RepoPath
from codeplane.facts.model import Bind, BindReason, Certainty, Namespace, Target
from codeplane.query.rows import find_block
from codeplane.query.snapshot import Page, Snapshot, check_limit
from codeplane.store.codec import row_id, split_row_id


class BindRow(NamedTuple):
    bind_id: int
    path: RepoPath
    unit_id: int | None
    scope: int
    name: str
    namespace: Namespace
    target_kind: Target
    target: int | None
    """Ordinal of the definition or import in the same file."""
    target_uid: str | None
    certainty: Certainty
    reason_code: BindReason


def get_local_bind(snapshot: Snapshot, scope_id: int, name: str, namespace: Namespace | None = None) -> BindRow | None:
    """The binding of a name in this very scope; of several namespaces the first, unless one is named."""
    found = [
        row
        for row in _rows_in_scope(snapshot, scope_id)
        if row.name == name and (namespace is None or row.namespace is namespace)
    ]
    return min(found, key=lambda row: (row.namespace, row.bind_id), default=None)


def list_binds_in_scope(snapshot: Snapshot, scope_id: int, limit: int) -> Page[BindRow]:
    check_limit(limit)
    rows = _rows_in_scope(snapshot, scope_id)
    return Page(tuple(rows[:limit]), len(rows))


def _rows_in_scope(snapshot: Snapshot, scope_id: int) -> list[BindRow]:
    file_id, scope = split_row_id(scope_id)
    block = find_block(snapshot, file_id)
    if block is None:
        return []
    return [
        BindRow(
            row_id(file_id, ordinal),
            block.path,
            block.unit_id,
            bind.scope,
            bind.name,
            Namespace(bind.namespace),
            Target(bind.target_kind),
            bind.target,
            _target_uid(snapshot, file_id, bind),
            Certainty(bind.certainty),
            BindReason(bind.reason_code),
        )
        for ordinal, bind in enumerate(block.held.binds)
        if bind.scope == scope
    ]


def _target_uid(snapshot: Snapshot, file_id: int, bind: Bind) -> str | None:
    sql = _UIDS.get(bind.target_kind)
    if sql is None or bind.target is None:
        return None
    found = snapshot.reader.row(sql, (row_id(file_id, bind.target),))
    return None if found is None else str(found[0])


_UIDS = {
    int(Target.DEF): "SELECT def_uid FROM defs WHERE def_id = ?",
    int(Target.IMPORT): "SELECT import_uid FROM imports WHERE import_id = ?",
}
