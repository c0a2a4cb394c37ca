"""Places that make an object count as calls of its class; members of `impl` blocks and anonymous classes override."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from codeplane.facts.links import CALLS, uid_number, unpack_uses
from codeplane.index.indexer import Indexer
from codeplane.query.snapshot import Snapshot, open_current
from support.repositories import make_repository, options_for


@dataclass(frozen=True)
class Case:
    files: dict[str, str | bytes]
    constructions: dict[str, list[int]]
    """Lexical path of a class -> lines that make an object of it."""
    overrides: dict[str, list[str | None]] = field(default_factory=dict)
    """Lexical path of a member -> those that it overrides; None for one that is not in the repository."""


CASES = {
    "python": Case(
        {
            "a.py": (
                "class A:\n    def __init__(self, x): ...\nclass B(A):\n    pass\nclass E(Exception):\n"
                "    def __init__(self): ...\ndef f():\n    A(1)\n    B(2)\n    raise E\n"
            ),
        },
        {"A": [8], "B": [9], "E": [10]},
    ),
    "java": Case(
        {
            "A.java": (
                "class A {\n  A(int x) {}\n  A() {}\n}\ninterface I { void run(); }\nclass Use {\n  void f() {\n"
                "    new A(1);\n    new A();\n    I i = new I() {\n      public void run() {}\n    };\n"
                "    Object r = new Runnable() {\n      public void run() {}\n    };\n  }\n}\n"
            ),
        },
        {"A": [8, 9]},
        {"Use.f.run": ["I.run", None]},
    ),
    "kotlin": Case(
        {
            "a.kt": (
                'interface I { fun go() }\nclass A(val x: String) { constructor(n: Int) : this("") }\nfun f() {\n'
                '  A("")\n  A(1)\n  val i = object : I {\n    override fun go() {}\n  }\n}\n'
            ),
        },
        {"A": [4, 5]},
        {"f.go": ["I.go"]},
    ),
    "csharp": Case(
        {"a.cs": "class A {\n  public A(int x) {}\n}\nclass U {\n  void F() {\n    new A(1);\n  }\n}\n"},
        {"A": [6]},
    ),
    "go": Case(
        {
            "go.mod": "module m\n",
            "a.go": (
                "package a\n\ntype A struct{ x int }\ntype H map[string]int\n\nfunc f(v any) {\n\t_ = A{x: 1}\n"
                "\t_ = &A{2}\n\t_ = H{}\n\t_ = v.(A)\n\t_ = []A{}\n}\n"
            ),
        },
        {"A": [7, 8], "H": [9]},
    ),
    "rust": Case(
        {
            "Cargo.toml": '[package]\nname = "m"\nversion = "0.1.0"\n',
            "src/lib.rs": (
                "pub trait Load { fn load(&self); }\npub struct A { x: i32 }\nimpl Load for A {\n"
                "    fn load(&self) {}\n}\nimpl Load for i32 {\n    fn load(&self) {}\n}\n"
                "impl std::fmt::Display for A {\n    fn fmt(&self, f: &mut Formatter) -> Result { Ok(()) }\n}\n"
                "impl<T: Clone> Load for Vec<T> {\n    fn load(&self) {}\n}\nimpl A {\n    fn own(&self) {}\n}\n"
                "fn f() {\n    let a = A { x: 1 };\n}\n"
            ),
        },
        {"A": [19]},
        {"A.load": ["Load.load"], "i32.load": ["Load.load"], "Vec.load": ["Load.load"], "A.fmt": [None], "A.own": []},
    ),
    "typescript": Case(
        {
            "a.ts": (
                "export class A { constructor(x: number) {} }\nexport class B extends A {}\nfunction f() {\n"
                "  new A(1);\n  new B(2);\n}\n"
            ),
        },
        {"A": [4], "B": [5]},
    ),
    "cpp": Case(
        {
            "a.cpp": (
                "class A {\n public:\n  A(int x);\n};\nstruct P { int x; };\ntypedef int number;\nvoid f() {\n"
                "  A a(1);\n  P p{1};\n  P q;\n  A* b = new A(2);\n  number n;\n  A* none;\n}\n"
            ),
        },
        {"A": [8, 11], "P": [9, 10]},
    ),
    "php": Case(
        {"a.php": "<?php\nclass A { function __construct($x) {} }\nclass B extends A {}\nnew A(1);\nnew B(2);\n"},
        {"A": [4], "B": [5]},
    ),
    "ruby": Case(
        {"a.rb": "class A\n  def initialize(x)\n  end\nend\nclass B < A\nend\nA.new(1)\nB.new(2)\n"},
        {"A": [7], "B": [8]},
    ),
}


@pytest.mark.parametrize("language", sorted(CASES))
def test_constructions_are_calls_of_the_class(language: str, tmp_path: Path) -> None:
    case = CASES[language]
    root = make_repository(tmp_path / "repo", case.files)
    with Indexer.open(options_for(root), rebuild=True) as indexer:
        indexer.sync()
        with open_current(indexer.state) as snapshot:
            assert {name: _calls(snapshot, name) for name in case.constructions} == case.constructions
            assert {name: _overridden(snapshot, name) for name in case.overrides} == case.overrides


def _numbers(snapshot: Snapshot, lexical_path: str) -> list[int]:
    rows = snapshot.reader.rows("SELECT def_uid FROM defs WHERE lexical_path = ? ORDER BY def_id", (lexical_path,))
    return [uid_number(uid) for (uid,) in rows]


def _calls(snapshot: Snapshot, lexical_path: str) -> list[int]:
    (number,) = _numbers(snapshot, lexical_path)
    rows = snapshot.reader.rows("SELECT places FROM def_references WHERE target = ?", (number,))
    return sorted(use.line for (places,) in rows for use in unpack_uses(places) if use.how & CALLS)


def _overridden(snapshot: Snapshot, lexical_path: str) -> list[str | None]:
    names = {uid_number(uid): name for uid, name in snapshot.reader.rows("SELECT def_uid, lexical_path FROM defs")}
    found: list[str | None] = []
    for number in _numbers(snapshot, lexical_path):
        rows = snapshot.reader.rows("SELECT base FROM bases WHERE derived = ?", (number,))
        found += [names.get(base) for (base,) in rows]
    return found
