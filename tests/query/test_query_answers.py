"""Every query, on hand-made rows, including rows that only resolution across files produces."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

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
    ReferenceRole,
    Scope,
    Target,
    Tier,
    Usage,
)
from codeplane.facts.passages import read_searchable
from codeplane.query.anchors import list_anchor_groups_of
from codeplane.query.defs import (
    get_def,
    list_defs_by_name,
    list_defs_by_prefix,
    list_defs_by_qualified_name,
    list_defs_in_file,
)
from codeplane.query.files import get_file, list_files, list_problems, summarize_index
from codeplane.query.imports import list_imports
from codeplane.query.occurrences import list_occurrences
from codeplane.query.refs import list_uses_of
from codeplane.query.snapshot import Snapshot, open_snapshot
from codeplane.query.text import rank_files, weigh_terms
from codeplane.store.layout import create_state
from codeplane.store.link_table import make_links
from codeplane.store.records import FileState
from codeplane.store.schema import unit_of
from support.store_sample import Sample
from support.text_search import search_files

PYTHON = unit_of("python")
GO = unit_of("go")


def _definition(uid: str, name: str, line: int, kind: str = "function", parent: int | None = None) -> Def:
    span = (line, 0, line + 1, 9, line, 4)
    hidden = ("h", "Says what.", "public", ("cached", "staticmethod"))
    return Def(uid, parent, 0, kind, name, f"pkg.{name}", name, *span, f"def {name}()", *hidden)


def _reference(name: int, line: int, tier: Tier, bind: int | None, usage: Usage = Usage.CALL) -> Ref:
    return Ref(0, name, line, 4, 8, ReferenceRole.REFERENCE, usage, tier, Certainty.CERTAIN, bind)


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
        strong = Use(4, 0, Tier.STRONG, ReferenceRole.REFERENCE, Usage.CALL, NAMES | CALLS)
        proven = [Use(line, 0, Tier.PROVEN, ReferenceRole.REFERENCE, Usage.NAME, NAMES) for line in (10, 12)]
        saved = [
            Use(line, 4, Tier.ANCHORED, ReferenceRole.REFERENCE, Usage.MEMBER, SHAPES.index("self.")) for line in (5, 6)
        ]
        closed = [
            Use(line, 0, Tier.ANCHORED, ReferenceRole.REFERENCE, Usage.MEMBER, SHAPES.index("obj."))
            for line in range(70)
        ]
        links = Links([target], [1], [0], [int(Tier.STRONG)], tokens=["close", "save"])
        unresolved = {"save": pack_uses(saved), "close": pack_uses(closed)}
        writer.links.put(user, make_links(links, {target: pack_uses([strong])}, unresolved))
        links = Links([target], [2, 3], [0, 0], [int(Tier.PROVEN)] * 2)
        writer.links.put(library, make_links(links, {target: pack_uses(proven)}, {}))
        sample.publish(writer)
    with open_snapshot(writer.generation) as opened:
        yield opened


def test_definitions(snapshot: Snapshot) -> None:
    found = get_def(snapshot, "00000000000000a1")
    assert found is not None
    assert (found.path, found.name, found.unit_id, found.ordinal) == ("pkg/lib.py", "load", PYTHON, 0)
    assert (found.decorators, found.doc) == (("cached", "staticmethod"), "Says what.")
    assert found.display_name == "def load()"
    assert get_def(snapshot, "00000000000000ff") is None
    by_name = list_defs_by_name(snapshot, "load", 10)
    assert [row.def_uid for row in by_name.rows] == ["00000000000000a1", "00000000000000a2"]
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


def test_definitions_of_a_file_are_in_order(snapshot: Snapshot) -> None:
    found = list_defs_in_file(snapshot, "pkg/lib.py", 2)
    assert ([row.start_line for row in found.rows], found.total, found.left_out) == ([1, 4], 3, 1)


def test_uses_of_a_definition(snapshot: Snapshot) -> None:
    found = list_uses_of(snapshot, uid_number("00000000000000a1"))
    assert [(use.path, use.start_line, use.tier) for use in found] == [
        ("app/use.py", 4, Tier.STRONG),
        ("pkg/lib.py", 10, Tier.PROVEN),
        ("pkg/lib.py", 12, Tier.PROVEN),
    ]
    assert [use.calls for use in found] == [True, False, False]
    assert list_uses_of(snapshot, uid_number("00000000000000ff")) == []


def test_occurrences_of_a_name_in_a_file(snapshot: Snapshot) -> None:
    library, user = get_file(snapshot, "pkg/lib.py"), get_file(snapshot, "app/use.py")
    assert library is not None and user is not None
    found = list_occurrences(snapshot, library.file_id, "load")
    assert [(each.line, each.tier) for each in found] == [(12, Tier.PROVEN), (10, Tier.PROVEN), (14, Tier.PROVEN)]
    bound = list_occurrences(snapshot, user.file_id, "load")
    assert [(each.line, each.bound, each.tier) for each in bound] == [
        (3, Target.IMPORT, Tier.UNKNOWN),
        (4, Target.IMPORT, Tier.STRONG),
    ]
    assert list_occurrences(snapshot, library.file_id, "nothing") == []
    assert list_occurrences(snapshot, 12345, "load") == []


def test_imports(snapshot: Snapshot) -> None:
    rows = list_imports(snapshot, "app/use.py", 10).rows
    assert [(row.import_uid, row.path, row.imported_name, row.alias, row.certainty) for row in rows] == [
        ("imp-1", "app/use.py", "load", None, Certainty.CERTAIN),
        ("imp-2", "app/use.py", "save", "keep", Certainty.CERTAIN),
    ]
    assert list_imports(snapshot, "none.py", 10).rows == ()


def test_anchor_groups(snapshot: Snapshot) -> None:
    (closed,), (saved,) = list_anchor_groups_of(snapshot, "close"), list_anchor_groups_of(snapshot, "save")
    assert (closed.member_token, closed.receiver_shape, closed.total_count) == ("close", "obj.", 70)
    assert (saved.member_token, saved.receiver_shape, saved.total_count) == ("save", "self.", 2)
    assert [place.line for place in closed.exemplars] == list(range(10))
    assert list_anchor_groups_of(snapshot, "nothing") == []


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
    found = summarize_index(snapshot)
    assert (found.files, found.definitions, found.references, found.imports) == (4, 4, 7, 2)
    assert found.states == {"indexed": 3, "skipped": 1}
    assert found.reasons == {"binary": 1}
    assert found.languages == (("go", 1, 1, 0), ("python", 2, 3, 7))
    assert (found.problems, found.scopes) == (2, 3)


def test_text(snapshot: Snapshot) -> None:
    matches = rank_files(snapshot, weigh_terms(snapshot, ["load"]), 10)
    assert {match.file.path for match in matches} == {"app/use.py", "cmd/main.go", "pkg/lib.py"}
    assert [match.score for match in matches] == sorted((match.score for match in matches), reverse=True)
    assert search_files(snapshot, "file", 10) == ["pkg/lib.py"]
    assert len(search_files(snapshot, "load", 2)) == 2
