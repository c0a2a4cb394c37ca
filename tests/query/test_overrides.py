"""Members that override or implement each other, in every language whose names are resolved."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from codeplane.base.symbols import short_name
from codeplane.index.indexer import Indexer
from codeplane.query.overrides import list_overridden, list_overriding
from codeplane.query.relations import DEFINITIONS, Symbol, symbol_from_row
from codeplane.query.snapshot import Snapshot, open_current
from support.repositories import make_repository, options_for


@dataclass(frozen=True)
class Case:
    files: dict[str, str | bytes]
    overridden: dict[str, list[str]]
    """Member -> members that it overrides or implements; `?` marks those that are only possible."""
    overriding: dict[str, list[str]] = field(default_factory=dict)
    outside: tuple[str, ...] = ()
    """Members that implement one outside of the repository."""


CASES = {
    "python base class": Case(
        {
            "a.py": (
                "class A:\n    def load(self): ...\n    def __init__(self): ...\nclass B(A):\n    pass\nclass C(B):\n"
                "    def load(self): ...\n    def __init__(self): ...\nclass D:\n    def load(self): ...\n"
            )
        },
        {"C.load": ["A.load"], "C.__init__": [], "D.load": [], "A.load": []},
        {"A.load": ["C.load"]},
    ),
    "python protocol": Case(
        {
            "a.py": (
                "from typing import Protocol\nclass P(Protocol):\n    size: int\n    def load(self): ...\nclass Yes:\n"
                "    def __init__(self):\n        self.size = 1\n    def load(self): ...\nclass No:\n"
                "    def load(self): ...\n"
            )
        },
        {"Yes.load": ["P.load"], "No.load": []},
        {"P.load": ["Yes.load"]},
    ),
    "member that a derived class gives to an interface": Case(
        {
            "A.java": "class A { public void load() {} }\n",
            "I.java": "interface I { void load(); }\n",
            "B.java": "class B extends A implements I {}\n",
        },
        {"A.load": ["I.load"]},
    ),
    "java overloads": Case(
        {
            "I.java": "interface I { void load(int a); void load(int a, int b); }\n",
            "A.java": "class A implements I { public void load(int a) {} public void load(int a, int b) {} }\n",
        },
        {"A.load": ["I.load"]},
    ),
    "anonymous class": Case(
        {
            "I.java": "interface I { void load(int a); void load(int a, int b); }\n",
            "A.java": "class A { I make() { return new I() { public void load(int a) {} }; } }\n",
        },
        {"A.make.load": ["I.load"]},
    ),
    "kotlin": Case(
        {"a.kt": "interface I { fun load() }\nopen class A : I { override fun load() {} }\n"},
        {"A.load": ["I.load"]},
        {"I.load": ["A.load"]},
    ),
    "csharp partial class": Case(
        {
            "a.cs": "partial class A : I {}\ninterface I { void Load(); }\n",
            "b.cs": "partial class A { public void Load() {} }\n",
        },
        {"A.Load": ["I.Load"]},
        {"I.Load": ["A.Load"]},
    ),
    "go": Case(
        {
            "go.mod": "module m\n",
            "a/a.go": (
                "package a\n\ntype Closer interface{ Close() error }\ntype Loader interface {\n\tCloser\n"
                "\tLoad(name string) (int, error)\n}\n"
            ),
            "b/b.go": (
                "package b\n\ntype Base struct{}\n\nfunc (b Base) Close() error { return nil }\n\n"
                "type Good struct{ Base }\n\nfunc (g *Good) Load(n string) (int, error) { return 0, nil }\n\n"
                "type Other struct{ Base }\n\nfunc (o *Other) Load(n int) (int, error) { return 0, nil }\n\n"
                "type Half struct{}\n\nfunc (h Half) Load(n string) (int, error) { return 0, nil }\n"
            ),
            "b/c.go": "package b\n\nfunc (g *Good) Close() error { return nil }\n",
        },
        {"Good.Load": ["Loader.Load"], "Other.Load": [], "Half.Load": [], "Good.Close": ["Closer.Close"]},
        {"Loader.Load": ["Good.Load"], "Closer.Close": ["Base.Close", "Good.Close"]},
    ),
    "rust": Case(
        {
            "Cargo.toml": '[package]\nname = "m"\nversion = "0.1.0"\n',
            "src/lib.rs": (
                "pub trait Load { fn load(&self); }\npub struct A;\nimpl Load for A {\n    fn load(&self) {}\n}\n"
                "impl std::fmt::Display for A {\n    fn fmt(&self, f: &mut Formatter) -> Result { Ok(()) }\n}\n"
                "impl A {\n    fn own(&self) {}\n}\n"
            ),
        },
        {"A.load": ["Load.load"], "A.own": [], "A.fmt": []},
        {"Load.load": ["A.load"]},
        ("A.fmt",),
    ),
    "typescript": Case(
        {
            "a.ts": (
                "interface I { load(): void; extra?: number }\nabstract class B { abstract size(): number }\n"
                "class A extends B implements I { load() {} size() { return 1 } }\nclass Like { load() {} }\n"
                "interface Big { load(): void; more(): void }\nconst literal = { load() {} }\n"
            )
        },
        {"A.load": ["I.load"], "A.size": ["B.size"], "Like.load": ["I.load?"]},
        {"I.load": ["A.load"]},
    ),
    "cpp": Case(
        {
            "a.h": (
                "class B {\n public:\n  virtual int load(int n) = 0;\n  int plain();\n};\n"
                "class A : public B {\n public:\n  int load(int n) override;\n  int plain();\n};\n"
            ),
            "a.cpp": '#include "a.h"\nint A::load(int n) { return n; }\n',
        },
        {"A.load": ["B.load"], "A.plain": []},
        {"B.load": ["A.load"]},
    ),
    "php": Case(
        {
            "a.php": (
                "<?php\ninterface I { function load(); }\nabstract class B { abstract function size(); }\n"
                "class A extends B implements I { function load() {} function size() {} }\n"
            )
        },
        {"A.load": ["I.load"], "A.size": ["B.size"]},
    ),
    "ruby": Case(
        {
            "a.rb": (
                "module M\n  def load\n  end\nend\nclass B\n  def size\n  end\nend\n"
                "class A < B\n  include M\n  def load\n  end\n  def size\n  end\nend\n"
            )
        },
        {"A.load": ["M.load"], "A.size": ["B.size"]},
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_members_override_and_implement(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    root = make_repository(tmp_path / "repo", case.files)
    with Indexer.open(options_for(root), rebuild=True) as indexer:
        indexer.sync()
        with open_current(indexer.state) as snapshot:
            assert {member: _overridden(snapshot, member) for member in case.overridden} == case.overridden
            assert {member: _overriding(snapshot, member) for member in case.overriding} == case.overriding
            assert all(list_overridden(snapshot, each).outside for each in _outside(snapshot, case))


def _outside(snapshot: Snapshot, case: Case) -> list[Symbol]:
    return [symbol for member in case.outside for symbol in _symbols(snapshot, member)]


def _overridden(snapshot: Snapshot, member: str) -> list[str]:
    names: set[str] = set()
    for symbol in _symbols(snapshot, member):
        found = list_overridden(snapshot, symbol)
        names |= {
            short_name(other.lexical_path) + ("?" if other.number in found.possible else "") for other in found.members
        }
    return sorted(names)


def _overriding(snapshot: Snapshot, member: str) -> list[str]:
    found = [other for symbol in _symbols(snapshot, member) for other in list_overriding(snapshot, symbol)]
    return sorted({short_name(other.lexical_path) for other in found})


def _symbols(snapshot: Snapshot, member: str) -> list[Symbol]:
    rows = snapshot.reader.rows(f"{DEFINITIONS} WHERE lexical_path = ? ORDER BY path, def_id", (member,))
    assert rows, member
    return [symbol_from_row(row) for row in rows]
