"""What names are bound to in a scope, as written when indexing."""

from __future__ import annotations

from typing import NamedTuple

from codeplane.base.paths import RepoPath
from codeplane.facts.model import BindReason, Certainty, Namespace, Target
from codeplane.query.rows import first, page
from codeplane.query.snapshot import Page, Snapshot
from codeplane.store.codec import path_from_text, row_range, split_row_id
from codeplane.store.database import Row, Value
from codeplane.store.schema import BIND_REASONS


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
    where, parameters = _in_scope(scope_id)
    where += " AND binds.name = ?"
    parameters.append(name)
    if namespace is not None:
        where += " AND namespace = ?"
        parameters.append(int(namespace))
    return first(snapshot, _make, _SELECT, f"{_FROM} {where}", "namespace, bind_id", parameters)


def list_binds_in_scope(snapshot: Snapshot, scope_id: int, limit: int) -> Page[BindRow]:
    where, parameters = _in_scope(scope_id)
    return page(snapshot, _make, _SELECT, f"{_FROM} {where}", "bind_id", parameters, limit)


def _in_scope(scope_id: int) -> tuple[str, list[Value]]:
    file_id, ordinal = split_row_id(scope_id)
    return "WHERE bind_id BETWEEN ? AND ? AND scope = ?", [*row_range(file_id), ordinal]


def _make(row: Row) -> BindRow:
    bind_id, path, unit_id, scope, name, namespace, kind, target, uid, certainty, reason = row
    place = (bind_id, path_from_text(path), unit_id, scope, name, Namespace(namespace))
    return BindRow(*place, Target(kind), target, uid, Certainty(certainty), BindReason(BIND_REASONS[reason]))


_SELECT = (
    "bind_id, files.path, files.unit_id, scope, binds.name,"
    " namespace, target_kind, target, CASE target_kind"
    " WHEN 1 THEN (SELECT def_uid FROM defs WHERE def_id = (bind_id & ~1048575) | target)"
    " WHEN 2 THEN (SELECT import_uid FROM imports WHERE import_id = (bind_id & ~1048575) | target) END,"
    " certainty, binds.reason"
)
_FROM = "FROM binds JOIN files ON files.file_id = bind_id >> 20"
