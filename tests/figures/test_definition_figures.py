"""The comparison with ctags can be trusted: what counts, what is left out, and what explains a difference.

The tags are written here as ctags would give them, so that it need not be installed.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.definitions.level import parent_by_ctags
from benchmarks.definitions.quality import Comparison, show, tally, wilson
from benchmarks.definitions.read_tags import Tag, read_ours

PYTHON = """\
class Shape:
    def area(self):
        return 0


def draw(shape):
    def line():
        return shape

    return line
"""


def compare(root: Path, sources: dict[str, str], tags: list[Tag], readable: bool = True) -> list[Comparison]:
    for name, text in sources.items():
        (root / name).write_text(text)
    ours, languages = read_ours(root)
    return tally(root, ours, languages, tags, frozenset(sources if readable else ()))


def tag(
    path: str, name: str, line: int, kind: str, language: str = "Python", scope: str = "", scope_kind: str = ""
) -> Tag:
    return Tag(path, name, line, kind, language, scope, scope_kind)


def test_each_share_counts_what_it_says(tmp_path: Path) -> None:
    tags = [
        tag("a.py", "Shape", 1, "class"),
        tag("a.py", "area", 2, "member", scope="Shape", scope_kind="class"),
        tag("a.py", "line", 7, "function", scope="Shape", scope_kind="class"),
        tag("a.py", "shape", 8, "function"),
        tag("a.py", "shape", 6, "parameter"),
    ]
    (row,) = compare(tmp_path, {"a.py": PYTHON}, tags)
    assert (row.repository, row.language) == (tmp_path.name, "Python")
    assert (row.recall.of, row.recall.agreed, row.recall.explained, row.recall.unexplained) == (4, 3, 0, 1)
    assert row.recall.differences == ["miss function shape a.py:8"]
    assert (row.precision.of, row.precision.agreed) == (4, 3)
    assert row.precision.reasons == {"a keyword declares it, and ctags passes over it": 1}
    assert (row.precision.share, row.precision.adjusted) == (0.75, 1.0)
    assert row.precision.interval == wilson(3, 4)
    assert (row.level.of, row.level.agreed) == (3, 2)
    assert row.level.reasons == {"ctags loses the scope: the line is indented under our parent": 1}


def test_a_table_shows_the_share_with_and_without_what_is_explained(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = compare(tmp_path, {"a.py": PYTHON}, [tag("a.py", "Shape", 1, "class"), tag("a.py", "shape", 8, "function")])
    show(rows, {"recall": 1, "precision": 1, "level": 1})
    recall, miss, precision, reason, level = capsys.readouterr().out.splitlines()[1:]
    assert recall.split()[2:6] == ["recall", "2", "1", "0.5000"] and recall.endswith("missed")
    assert miss.strip() == "miss function shape a.py:8"
    assert precision.split()[2:6] == ["precision", "4", "1", "0.2500"] and precision.split()[-2:] == ["1.0000", "0.98"]
    assert reason.split()[0] == "3"
    assert level.split()[2:6] == ["level", "1", "1", "1.0000"] and level.split()[-1] == "0.95"


EXTRAS = {
    "a body behind parameters": ("a.java", "class A {\n  int a() {\n    return 1;\n  }\n}\n", "a", "parameters"),
    "a type and no body": ("a.h", "int a(int b);\n", "a", "parameters"),
    "a macro that is called with a body": ("a.cpp", 'TEST("x") {\n}\n', "TEST", None),
    "a function behind a key": ("a.js", "run({ a: async (b) => b });\n", "a", "a function as a value"),
    "a function behind a type": ("a.ts", "const a: Made<One> = (b) => b;\n", "a", "a function as a value"),
    "a receiver before the name": ("a.go", "package p\n\nfunc (b *B[T]) a() {}\n", "a", "a keyword"),
    "a name of many parts": ("a.cs", "namespace A.B;\n", "A.B", "a keyword"),
    "a receiver that has parameters": ("a.kt", "fun <T> List<T>.a() = 1\n", "a", "a keyword"),
    "a macro": ("a.rs", "macro_rules! a {\n    () => {};\n}\n", "a", "a keyword"),
    "a class that is made": ("a.rb", "A = Struct.new(:b)\n", "A", "a class as a value"),
    "an equation": ("a.hs", "a b = b\n", "a", "a signature or an equation"),
}
LANGUAGES = {
    "java": ("Java", "class"),
    "h": ("C", "function"),
    "cpp": ("C++", "function"),
    "js": ("JavaScript", "function"),
    "ts": ("TypeScript", "function"),
    "go": ("Go", "func"),
    "cs": ("C#", "class"),
    "kt": ("Kotlin", "class"),
    "rb": ("Ruby", "class"),
    "hs": ("Haskell", "function"),
    "rs": ("Rust", "function"),
}


@pytest.mark.parametrize("case", EXTRAS)
def test_extra_definitions_are_explained_by_their_text(tmp_path: Path, case: str) -> None:
    path, text, name, reason = EXTRAS[case]
    language, kind = LANGUAGES[path.partition(".")[2]]
    # a tag of nothing lets the language take part
    (row,) = compare(tmp_path, {path: text}, [tag(path, "nothing", 1, kind, language)])
    named = [line for line in row.precision.differences if line.split()[2].endswith(name)]
    assert row.precision.of >= 1 and row.precision.agreed == 0
    if reason is None:
        assert len(named) == 1
    else:
        assert not named and any(found.startswith((reason, f"it has {reason}")) for found in row.precision.reasons)


def test_another_kind_another_line_and_a_file_that_is_not_read_are_reasons(tmp_path: Path) -> None:
    text = "def one():\n    pass\n\n\ndef two():\n    pass\n"
    tags = [tag("a.py", "one", 1, "variable"), tag("a.py", "two", 7, "function")]
    (row,) = compare(tmp_path, {"a.py": text}, tags)
    assert row.precision.reasons == {"ctags has it a few lines apart": 1, "ctags has it as another kind": 1}
    (row,) = compare(tmp_path, {"a.py": text}, tags, readable=False)
    assert row.precision.reasons == {"ctags does not read the file": 2}


def test_a_kind_that_ctags_has_no_word_for_is_not_counted(tmp_path: Path) -> None:
    text = "<?php\nclass A {}\nenum B {}\n"
    (row,) = compare(tmp_path, {"a.php": text}, [tag("a.php", "A", 2, "class", "PHP")])
    assert (row.precision.of, row.precision.agreed) == (1, 1)


LEVELS = {
    "a scope that was lost": (
        "a.java",
        "class A {\n    int one() {\n        return 1;\n    }\n}\n",
        tag("a.java", "one", 2, "method", "Java"),
        "ctags loses the scope: the line is indented under our parent",
    ),
    "a header of many lines": (
        "a.java",
        "class A\n    extends B<C>\n{\n    int one() {\n        return 1;\n    }\n}\n",
        tag("a.java", "one", 4, "method", "Java"),
        "ctags loses the scope: the line is indented under our parent",
    ),
    "a scope that has ended": (
        "a.rb",
        "class A\nend\n\ndef one\nend\n",
        tag("a.rb", "one", 4, "method", "Ruby", "A", "class"),
        "ctags keeps a scope that has ended, or that is no definition",
    ),
    "a parent before the name": (
        "a.go",
        "package p\n\ntype Ring[T any] struct{}\n\nfunc (r *Ring[T]) one() {}\n",
        tag("a.go", "one", 5, "func", "Go", "p.T", "unknown"),
        "our parent is written before the name",
    ),
    "a namespace for the rest of the file": (
        "a.cs",
        "namespace A.B;\n\nclass One { }\n",
        tag("a.cs", "One", 3, "class", "C#"),
        "ctags does not know a namespace without a block",
    ),
    "nothing that is indented": (
        "a.java",
        "class A {\nint one() {\nreturn 1;\n}\n}\n",
        tag("a.java", "one", 2, "method", "Java"),
        None,
    ),
}


@pytest.mark.parametrize("case", LEVELS)
def test_another_parent_is_explained_by_indentation(tmp_path: Path, case: str) -> None:
    path, text, found, reason = LEVELS[case]
    (row,) = compare(tmp_path, {path: text}, [found])
    assert (row.level.of, row.level.agreed) == (1, 0)
    assert row.level.reasons == ({} if reason is None else {reason: 1})
    assert row.level.unexplained == int(reason is None)


def test_missed_parent_explains_nothing(tmp_path: Path) -> None:
    text = "build(Thing) {\n    function one() {}\n}\n"
    one = tag("a.js", "one", 2, "function", "JavaScript", "Thing", "function")
    (row,) = compare(tmp_path, {"a.js": text}, [one])
    assert row.level.explained == 1
    (row,) = compare(tmp_path, {"a.js": text}, [one, tag("a.js", "Thing", 1, "function", "JavaScript")])
    assert (row.recall.unexplained, row.level.of, row.level.unexplained) == (1, 1, 1)


@pytest.mark.parametrize(
    ("language", "scope", "kind", "parent"),
    [
        ("Go", "p", "package", None),
        ("PHP", "A\\B", "namespace", None),
        ("PHP", "A\\B::C", "class", "C"),
        ("C#", "A.B", "namespace", "B"),
        ("C", "__anon12", "struct", None),
        ("PHP", "A::AnonymousClass12", "class", None),
        ("Kotlin", "a.b.<lambda>", "method", None),
        ("C++", "a::B<C<D>>", "class", "B"),
        ("Python", "", "", ""),
    ],
)
def test_scopes_without_a_name_are_left_out(language: str, scope: str, kind: str, parent: str | None) -> None:
    assert parent_by_ctags(tag("a", "b", 1, "function", language, scope, kind)) == parent


def test_empty_sample_has_no_interval() -> None:
    assert wilson(0, 0) == (0.0, 1.0)
    low, high = wilson(98, 100)
    assert 0.92 < low < 0.98 < high < 1
