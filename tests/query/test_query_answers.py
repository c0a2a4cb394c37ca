"""Every question, on hand-made rows that include those whose producers resolve across files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from codeplane.base.paths import RepoPath
from codeplane.facts.blocks import PackedFacts, pack
from codeplane.facts.links import CALLS, NAMES, SHAPES, Links, Use, pack_uses, uid_number
from codeplane.facts.model import (
    Bind,
    BindReason,
    Certainty,
    Def,
    Export,
    Facts,
    Import,
    Namespace,
    Problem,
    Ref,
    Role,
    Scope,
    Target,
    Tier,
    Usage,
)
from codeplane.facts.passages import read_searchable
from codeplane.query.anchors import get_anchor_group, list_anchor_groups, list_anchor_groups_of
from codeplane.query.binds import get_local_bind, list_binds_in_scope
from codeplane.query.defs import (
    get_def,
    list_defs_by_name,
    list_defs_by_prefix,
    list_defs_by_qualified_name,
    list_defs_in_file,
)
from codeplane.query.files import get_file, list_files, list_problems, summary
from codeplane.query.imports import get_import, list_imports
from codeplane.query.refs import list_proven_refs, list_refs_by_def_uid, list_refs_by_name, list_refs_in_file
from codeplane.query.scopes import get_scope, list_scopes_in_file
from codeplane.query.snapshot import Snapshot, open_snapshot
from codeplane.query.text import lexical_search
from codeplane.store.layout import create_state
from codeplane.store.link_rows import make_links
from codeplane.store.records import FileState
from codeplane.store.schema import unit_of
from support.store_sample import Sample

PYTHON = unit_of("python")
GO = unit_of("go")


def _definition(uid: str, name: str, line: int, kind: str = "function", parent: int | None = None) -> Def:
    span = (line, 0, line + 1, 9, line, 4)
    hidden = ("h", "Says what.", "public", ("cached", "staticmethod"))
    return Def(uid, parent, 0, kind, name, f"pkg.{name}", name, *span, f"def {name}()", *hidden)


def _reference(name: int, line: int, tier: Tier, bind: int | None, usage: Usage = Usage.CALL) -> Ref:
    return Ref(0, name, line, 4, 8, Role.REFERENCE, usage, tier, Certainty.CERTAIN, bind)


LIBRARY = Facts(
    names=("load", "Loader", "save"),
    scopes=(Scope(None, "file", 1, 0, 20, 0), Scope(0, "class", 2, 0, 9, 0)),
    defs=(
        _definition("00000000000000a1", "load", 1),
        _definition("00000000000000a3", "Loader", 4, "class"),
        _definition("00000000000000a2", "load", 6, "method", 1),
    ),
    binds=(
        Bind(0, "load", Namespace.VALUE, Target.DEF, 0, 1, BindReason.DEF_IN_SCOPE),
        Bind(0, "Loader", Namespace.VALUE, Target.DEF, 1, 1, BindReason.DEF_IN_SCOPE),
        Bind(1, "load", Namespace.CALLABLE, Target.DEF, 2, 1, BindReason.DEF_IN_SCOPE),
        Bind(1, "load", Namespace.VALUE, Target.UNKNOWN, None, 0, BindReason.LOCAL_ASSIGN),
    ),
    refs=(
        _reference(0, 12, Tier.PROVEN, 0),
        _reference(0, 10, Tier.PROVEN, 0),
        _reference(0, 14, Tier.UNKNOWN, None, Usage.MEMBER),
        _reference(1, 15, Tier.PROVEN, 1),
        _reference(2, 16, Tier.ANCHORED, None, Usage.MEMBER_CALL),
    ),
    exports=(Export("load", 0, 1, "__all__literal"), Export("ghost", None, 0, "__all__literal")),
)
USER = Facts(
    names=("load",),
    scopes=(Scope(None, "file", 1, 0, 5, 0),),
    imports=(
        Import("imp-2", 0, "save", "keep", "pkg.lib", "python_from", 1, 2, 0, 2, 20),
        Import("imp-1", 0, "load", None, "pkg.lib", "python_from", 1, 1, 0, 1, 20),
    ),
    binds=(Bind(0, "load", Namespace.VALUE, Target.IMPORT, 1, 1, BindReason.IMPORT_ALIAS),),
    refs=(_reference(0, 3, Tier.UNKNOWN, 0), _reference(0, 4, Tier.UNKNOWN, 0)),
    exports=(Export("load", None, 1, "reexport"),),
)


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Snapshot]:
    root: Path = tmp_path_factory.mktemp("repo")
    sample = Sample()
    with sample.create(create_state(root)) as writer:
        library = writer.put_file(
            sample.row("pkg/lib.py", "load"), pack(LIBRARY), (), read_searchable(b"load save loadFile", ())
        )
        problems = [Problem("syntax", 9, "second"), Problem("syntax", 2, "first")]
        user = writer.put_file(
            sample.row("app/use.py", "use"), pack(USER), problems, read_searchable(b"load twice load", ())
        )
        go = sample.row("cmd/main.go", "go")._replace(language="go", family="go", unit_id=GO)
        writer.put_file(
            go,
            pack(Facts(("load",), defs=(_definition("00000000000000a4", "Load", 3),))),
            (),
            read_searchable(b"load go", ()),
        )
        skipped = sample.row("big.bin", "big")._replace(state=FileState.SKIPPED, reason="binary", language=None)
        writer.put_file(skipped._replace(family=None, unit_id=None), PackedFacts())
        target = uid_number("00000000000000a1")
        strong = Use(4, 0, Tier.STRONG, Role.REFERENCE, Usage.CALL, NAMES | CALLS)
        proven = [Use(line, 0, Tier.PROVEN, Role.REFERENCE, Usage.NAME, NAMES) for line in (10, 12)]
        saved = [Use(line, 4, Tier.ANCHORED, Role.REFERENCE, Usage.MEMBER, SHAPES.index("self.")) for line in (5, 6)]
        closed = [Use(line, 0, Tier.ANCHORED, Role.REFERENCE, Usage.MEMBER, SHAPES.index("obj.")) for line in range(70)]
        links = Links([target], [1], [0], [int(Tier.STRONG)], tokens=["close", "save"])
        unresolved = {"save": pack_uses(saved), "close": pack_uses(closed)}
        writer.put_links(user, make_links(links, {target: pack_uses([strong])}, unresolved))
        links = Links([target], [2, 3], [0, 0], [int(Tier.PROVEN)] * 2)
        writer.put_links(library, make_links(links, {target: pack_uses(proven)}, {}))
        sample.publish(writer)
    with open_snapshot(writer.generation) as opened:
        yield opened


def _path_and_line(rows: tuple[object, ...]) -> list[tuple[str, int]]:
    return [(row.path, row.start_line) for row in rows]  # type: ignore[attr-defined]


def test_definitions(snapshot: Snapshot) -> None:
    found = get_def(snapshot, "00000000000000a1")
    assert found is not None
    assert (found.path, found.name, found.unit_id, found.ordinal) == ("pkg/lib.py", "load", PYTHON, 0)
    assert (found.decorators, found.doc) == (("cached", "staticmethod"), "Says what.")
    assert found.display_name == "def load()"
    assert get_def(snapshot, "00000000000000ff") is None
    by_name = list_defs_by_name(snapshot, "load", 10)
    assert [row.def_uid for row in by_name.rows] == ["00000000000000a1", "00000000000000a2"]
    assert list_defs_by_name(snapshot, "load", 10, unit_id=GO).total == 0
    assert list_defs_by_name(snapshot, "Load", 10, unit_id=GO).total == 1
    assert list_defs_by_name(snapshot, "load", 10, path="pkg/lib.py").total == 2
    assert list_defs_by_name(snapshot, "load", 10, path="app/use.py").rows == ()
    assert list_defs_by_name(snapshot, "load", 10, path="no/such.py").rows == ()
    assert [row.def_uid for row in list_defs_by_qualified_name(snapshot, "pkg.Load", 5).rows] == ["00000000000000a4"]


def test_definitions_by_prefix(snapshot: Snapshot) -> None:
    found = list_defs_by_prefix(snapshot, "LO", 10)
    assert [(row.name, row.path) for row in found.rows] == [
        ("Load", "cmd/main.go"),
        ("load", "pkg/lib.py"),
        ("load", "pkg/lib.py"),
        ("Loader", "pkg/lib.py"),
    ]
    assert [row.name for row in list_defs_by_prefix(snapshot, "loade", 10).rows] == ["Loader"]
    assert list_defs_by_prefix(snapshot, "", 10).rows == ()
    assert list_defs_by_prefix(snapshot, "%", 10).rows == ()
    assert [row.path for row in list_defs_by_prefix(snapshot, "load", 10, unit_id=GO).rows] == ["cmd/main.go"]


def test_definitions_of_a_file_stand_in_order(snapshot: Snapshot) -> None:
    found = list_defs_in_file(snapshot, "pkg/lib.py", 2)
    assert ([row.start_line for row in found.rows], found.total, found.left_out) == ([1, 4], 3, 1)


def test_references_of_a_definition(snapshot: Snapshot) -> None:
    proven = [("pkg/lib.py", 10), ("pkg/lib.py", 12)]
    strong = [("app/use.py", 4)]
    assert _path_and_line(list_proven_refs(snapshot, "00000000000000a1", 9).rows) == proven
    assert _path_and_line(list_refs_by_def_uid(snapshot, "00000000000000a1", Tier.STRONG, 9).rows) == strong
    everything = list_refs_by_def_uid(snapshot, "00000000000000a1", None, 9)
    assert _path_and_line(everything.rows) == strong + proven
    assert [row.tier for row in everything.rows] == [Tier.STRONG, Tier.PROVEN, Tier.PROVEN]
    assert list_refs_by_def_uid(snapshot, "00000000000000a1", Tier.UNKNOWN, 9).rows == ()
    assert list_refs_by_def_uid(snapshot, "00000000000000a1", Tier.ANCHORED, 9).rows == ()
    assert list_refs_by_def_uid(snapshot, "00000000000000ff", None, 9).rows == ()
    first = list_refs_by_def_uid(snapshot, "00000000000000a1", None, 1)
    assert (_path_and_line(first.rows), first.total) == (strong, 3)


def test_references_by_name_and_file(snapshot: Snapshot) -> None:
    found = list_refs_by_name(snapshot, "load", 10)
    assert [line for _, line in _path_and_line(found.rows)] == [3, 4, 10, 12, 14]
    assert list_refs_by_name(snapshot, "load", 10, tier=Tier.UNKNOWN).total == 1
    assert list_refs_by_name(snapshot, "load", 10, unit_id=GO).total == 0
    assert list_refs_by_name(snapshot, "nothing", 10).total == 0
    in_file = list_refs_in_file(snapshot, "pkg/lib.py", 10)
    assert [(row.start_line, row.name) for row in in_file.rows][:3] == [(10, "load"), (12, "load"), (14, "load")]
    assert list_refs_in_file(snapshot, "none.py", 10).rows == ()


def test_scopes_and_bindings(snapshot: Snapshot) -> None:
    scopes = list_scopes_in_file(snapshot, "pkg/lib.py", 10).rows
    assert [(row.parent, row.kind) for row in scopes] == [(None, "file"), (0, "class")]
    assert get_scope(snapshot, scopes[1].scope_id) == scopes[1]
    assert get_scope(snapshot, 12345) is None
    bind = get_local_bind(snapshot, scopes[0].scope_id, "load")
    assert bind is not None
    assert (bind.target_kind, bind.target_uid, bind.reason_code) == (
        Target.DEF,
        "00000000000000a1",
        BindReason.DEF_IN_SCOPE,
    )
    inner = get_local_bind(snapshot, scopes[1].scope_id, "load")
    assert inner is not None and (inner.namespace, inner.target_uid) == (Namespace.VALUE, None)
    method = get_local_bind(snapshot, scopes[1].scope_id, "load", Namespace.CALLABLE)
    assert method is not None and method.target_uid == "00000000000000a2"
    assert get_local_bind(snapshot, scopes[1].scope_id, "Loader") is None
    assert [row.name for row in list_binds_in_scope(snapshot, scopes[0].scope_id, 10).rows] == ["load", "Loader"]
    user = list_scopes_in_file(snapshot, "app/use.py", 10).rows[0]
    imported = get_local_bind(snapshot, user.scope_id, "load")
    assert imported is not None and (imported.target_kind, imported.target_uid) == (Target.IMPORT, "imp-1")


def test_imports(snapshot: Snapshot) -> None:
    assert [row.import_uid for row in list_imports(snapshot, "app/use.py", 10).rows] == ["imp-1", "imp-2"]
    found = get_import(snapshot, "imp-2")
    assert found is not None
    assert (found.path, found.imported_name, found.alias, found.certainty) == (
        "app/use.py",
        "save",
        "keep",
        Certainty.CERTAIN,
    )
    assert get_import(snapshot, "imp-9") is None


def test_anchor_groups(snapshot: Snapshot) -> None:
    groups = list_anchor_groups(snapshot, PYTHON, 10).rows
    assert [(row.member_token, row.receiver_shape, row.total_count) for row in groups] == [
        ("close", "obj.", 70),
        ("save", "self.", 2),
    ]
    assert [place.line for place in groups[0].exemplars] == list(range(10))
    assert get_anchor_group(snapshot, PYTHON, "save", "self.") == groups[1]
    assert get_anchor_group(snapshot, PYTHON, "save", "other.") is None
    assert list_anchor_groups_of(snapshot, "close") == [groups[0]]


def test_files_and_problems(snapshot: Snapshot) -> None:
    assert [row.path for row in list_files(snapshot, 10).rows] == ["app/use.py", "big.bin", "cmd/main.go", "pkg/lib.py"]
    assert [row.path for row in list_files(snapshot, 10, directory="pkg").rows] == ["pkg/lib.py"]
    assert list_files(snapshot, 10, directory="pk").rows == ()
    assert [row.path for row in list_files(snapshot, 10, language="go").rows] == ["cmd/main.go"]
    assert [row.path for row in list_files(snapshot, 10, state=FileState.SKIPPED).rows] == ["big.bin"]
    assert [row.path for row in list_files(snapshot, 1, after="big.bin").rows] == ["cmd/main.go"]
    found = get_file(snapshot, "big.bin")
    assert found is not None and (found.state, found.reason, found.unit_id) == (FileState.SKIPPED, "binary", None)
    assert get_file(snapshot, "none") is None
    assert [row.message for row in list_problems(snapshot, 10).rows] == ["first", "second"]
    assert list_problems(snapshot, 10, path="pkg/lib.py").total == 0
    assert list_problems(snapshot, 10, path="none").total == 0


def test_summary(snapshot: Snapshot) -> None:
    found = summary(snapshot)
    assert (found.files, found.definitions, found.references, found.imports) == (4, 4, 7, 2)
    assert found.states == {"indexed": 3, "skipped": 1}
    assert found.reasons == {"binary": 1}
    assert found.languages == (("go", 1, 1, 0), ("python", 2, 3, 7))
    assert (found.problems, found.scopes) == (2, 3)


def test_text(snapshot: Snapshot) -> None:
    hits = lexical_search(snapshot, "load", 10)
    assert {hit.path for hit in hits} == {"app/use.py", "cmd/main.go", "pkg/lib.py"}
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert [hit.path for hit in lexical_search(snapshot, "load", 10, family="go")] == ["cmd/main.go"]
    assert [hit.path for hit in lexical_search(snapshot, "file", 10, unit_id=PYTHON)] == [RepoPath("pkg/lib.py")]
    assert len(lexical_search(snapshot, "load", 2)) == 2
