from __future__ import annotations

import re
import time
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeplane.facts.extract import extract
from codeplane.facts.model import Def
from codeplane.facts.passages import (
    GAP_LINES,
    LEVELS,
    MARK,
    MAX_COMMENT_LINES,
    Passage,
    Searchable,
    may_define,
    read_searchable,
)
from codeplane.facts.pool import Job, ParserPool
from codeplane.facts.words import normalize_text, terms_of
from codeplane.languages.registry import detect

PYTHON = """\
import os

LIMIT = 3


# Counts what is counted.
# In two lines.
class Counter:
    size = 0

    def grow(self, by):
        def checked():
            return by
        self.size += checked()

    def shrink(self):
        self.size -= 1


def main():
    Counter().grow(LIMIT)
"""

CODE = {
    "a.py": PYTHON,
    "a.go": "package a\n\n// Price is paid.\ntype Price struct {\n\tCents int\n}\n\n"
    "func (p *Price) Add(o Price) Price {\n\treturn o\n}\n",
    "a.rs": "use std::fmt;\n\n/// An item.\npub struct Item {\n    count: u32,\n}\n\n"
    "impl Item {\n    fn take(&self) -> u32 {\n        1\n    }\n}\n",
    "A.java": "package a;\n\npublic class A {\n    private int size;\n\n    public int grow(int by) {\n"
    "        return by;\n    }\n}\n",
    "a.ts": "export interface Shape {\n  area(): number;\n}\n\nexport class Box implements Shape {\n"
    "  area(): number {\n    return 1;\n  }\n}\n",
    "a.js": "const x = 1;\n\nfunction start() {\n  return x;\n}\n\nmodule.exports = { start };\n",
}


def read(path: str, text: str) -> Searchable:
    language = detect(path)
    source = text.encode()
    if language is None:
        return read_searchable(source, (), hints=may_define(path))
    return read_searchable(source, extract(language.name, path, source).facts.defs)


def named(found: Searchable) -> dict[str, Passage]:
    return {passage.name: passage for passage in found.passages if passage.name}


def levels(terms: str) -> dict[str, int]:
    return {term: int(level) for term, level in (each.rsplit(MARK, 1) for each in terms.split())}


def test_passages_exclude_nested_definitions() -> None:
    found = named(read("a.py", PYTHON))
    assert {name: passage[:2] for name, passage in found.items()} == {
        "LIMIT": (3, 3),
        "Counter": (8, 17),
        "size": (9, 9),
        "grow": (11, 14),
        "checked": (12, 13),
        "shrink": (16, 17),
        "main": (20, 21),
    }
    assert {"grow", "siz"} <= set(levels(found["grow"].terms))
    assert "return" not in levels(found["grow"].terms)
    assert "return" in levels(found["checked"].terms)
    assert "shrink" not in levels(found["Counter"].terms)


def test_comments_above_belong_to_the_definition() -> None:
    assert {"count", "lin"} <= set(levels(named(read("a.py", PYTHON))["Counter"].terms))
    found = named(read("a.rb", "require 'x'\n\n# Says hello.\ndef greet\n  puts 1\nend\n"))
    assert {"hello", "greet"} <= set(levels(found["greet"].terms))
    # With a blank line between them it is a comment on something else.
    found = named(read("a.rb", "# Says hello.\n\ndef greet\n  puts 1\nend\n"))
    assert "hello" not in levels(found["greet"].terms)


def test_unterminated_comments_are_truncated() -> None:
    count = 2 * MAX_COMMENT_LINES
    text = "".join(f"# {_word(number)}\n" for number in range(count)) + "def f():\n    pass\n"
    mine = levels(named(read("a.py", text))["f"].terms)
    assert _word(count - 1) in mine
    assert sum(_word(number) in mine for number in range(count)) == MAX_COMMENT_LINES


def test_test_modules_in_product_files_are_marked() -> None:
    text = "fn take() -> u32 {\n    1\n}\n\n#[cfg(test)]\nmod tests {\n    fn takes() {\n        take();\n    }\n}\n"
    found = named(read("a.rs", text))
    assert {name: passage.aside for name, passage in found.items()} == {"take": False, "tests": True, "takes": True}


def test_small_definitions_are_found_by_name_only() -> None:
    found = named(read("a.py", PYTHON))
    assert found["LIMIT"].terms == found["size"].terms == ""
    assert "siz" in levels(found["Counter"].terms)


def test_definitions_on_one_line_keep_all_names() -> None:
    found = named(read("a.js", "class Box { open() { return key; } }\nfunction one() {} function two() {}\n"))
    assert set(found) == {"Box", "open", "one", "two"}
    assert all(passage.first == passage.last for passage in found.values())
    assert sum("key" in levels(passage.terms) for passage in found.values()) == 1


def test_passages_refer_to_their_definition() -> None:
    source = PYTHON.encode()
    definitions = extract("python", "a.py", source).facts.defs
    for passage in read_searchable(source, definitions).passages:
        if passage.definition >= 0:
            row = definitions[passage.definition]
            assert (passage.first, passage.last, passage.name) == (row.start_line, row.end_line, row.name)
    assert sorted(p.definition for p in read_searchable(source, definitions).passages if p.name) == list(
        range(len(definitions))
    )


def test_lines_between_definitions_are_split_into_runs() -> None:
    text = "".join(f"{_word(number)} = 1\n" for number in range(100))
    found = read("a.txt", text).passages
    assert [(passage.first, passage.last, passage.name) for passage in found] == [
        (1, GAP_LINES, ""),
        (GAP_LINES + 1, 2 * GAP_LINES, ""),
        (2 * GAP_LINES + 1, 100, ""),
    ]


@pytest.mark.parametrize("path", [*CODE, "a.rb", "a.txt"])
def test_each_line_belongs_to_one_passage(path: str) -> None:
    """Insert a word in every line that may end with a comment."""
    comment = "#" if path in ("a.py", "a.rb") else "//"
    lines = CODE.get(path, PYTHON).splitlines()
    text = "\n".join(f"{line} {comment} {_word(number)}" for number, line in enumerate(lines))
    found = read(path, text)
    for number in range(len(lines)):
        owners = [passage for passage in found.passages if _word(number) in levels(passage.terms)]
        assert len(owners) == 1, (number, lines[number], owners)
    assert set(levels(found.terms)) == {term for p in found.passages for term in levels(p.terms)}


def _word(number: int) -> str:
    """A word that is its own stem."""
    return "q" + "".join("bcdfghjklm"[int(digit)] for digit in f"{number:03}") + "q"


def _definition(first: int, last: int, name: str = "f") -> Def:
    return Def(name, None, 0, "function", name, name, name, first, 0, last, 0, first, 0, "", "", None, "", ())


@given(
    st.binary(max_size=300),
    st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), max_size=6),
    st.booleans(),
)
def test_arbitrary_bytes_and_definitions_are_accepted(source: bytes, spans: list[tuple[int, int]], hints: bool) -> None:
    definitions = [_definition(*span, f"f{number}") for number, span in enumerate(spans)]
    found = read_searchable(source, definitions, hints=hints)
    assert {passage.definition for passage in found.passages} >= set(range(len(spans)))
    words = normalize_text(source).split()
    assert set(levels(found.terms)) == {term for word in words for term in terms_of(word)}
    assert found == read_searchable(source, definitions, hints=hints)
    for passage in found.passages:
        assert passage.first <= passage.last
        assert set(levels(passage.terms)) <= set(levels(found.terms))
    assert list(found.passages) == sorted(found.passages)


def test_tf_buckets_grow_with_count_and_shrink_with_length() -> None:
    def level(count: int, others: int) -> int:
        text = " ".join(["wanted"] * count + [_word(number % 1000) for number in range(others)])
        return levels(read_searchable(text.encode(), ()).terms)["want"]

    growing = [level(count, 50) for count in (1, 2, 4, 8, 30, 3000)]
    assert growing == sorted(growing)
    assert growing[0] < growing[-1] == LEVELS
    shrinking = [level(2, others) for others in (0, 2_000, 30_000)]
    assert shrinking == sorted(shrinking, reverse=True)
    assert shrinking[0] > shrinking[-1] >= 1


def test_every_identifier_once_and_in_lower_case() -> None:
    words = read("a.py", "Alpha = alpha_beta(Alpha, ALPHA)\n").words.split()
    assert sorted(set(words)) == ["alpha", "alpha_beta"]


HEADS = {
    "Crystal": (
        "a.cr",
        "module Shop\n  LIMIT = 3\n  class Cart < Base\n    def self.build(x)\n      new(x)\n    end\n"
        "    def empty?\n      true\n    end\n  end\nend\n",
        {"Shop", "LIMIT", "Cart", "build", "empty?"},
    ),
    "Groovy": (
        "a.groovy",
        "class Cart {\n  def total(int tax) {\n    for (x in items) { add(x) }\n    return sum(tax)\n  }\n"
        "  static int build(x) {\n    return free(x)\n  }\n}\ninterface Priced {}\ntrait Counts {}\n",
        {"Cart", "total", "build", "Priced", "Counts"},
    ),
    "Perl": (
        "a.pl",
        "package Shop;\n\nsub total {\n  my ($x) = @_;\n  foreach my $y (@x) { add($y); }\n  return sum($x);\n}\n",
        {"Shop", "total"},
    ),
}


@pytest.mark.parametrize("language", HEADS)
def test_definition_heads_are_guessed_without_a_grammar(language: str) -> None:
    path, text, expected = HEADS[language]
    assert detect(path) is None
    found = named(read(path, text))
    assert expected <= set(found), expected - set(found)
    assert not {"if", "for", "foreach", "return", "Sum", "add", "free", "sum", "sort"} & set(found)
    assert all(passage.definition == -1 for passage in found.values())


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("README.rst", "Shop\n====\n\nThe class Cart (see below) is a function of price.\ndef x\nclass Cart\n"),
        ("data.csv", "class Cart,1\ndef x,2\nfunction f(a) {,3\n"),
        ("notes.txt", "class Cart\ndef total(x)\n"),
        ("Makefile", "all:\n\tfunction x\n"),
    ],
)
def test_prose_and_data_define_nothing(path: str, text: str) -> None:
    assert named(read(path, text)) == {}
    assert read(path, text).passages


def test_code_without_definition_heads_is_indexed() -> None:
    found = read("a.dart", "hello;\n")
    assert [passage.name for passage in found.passages] == [""]
    assert "hello" in levels(found.terms)
    assert read("a.dart", "") == Searchable("", "", [])


@pytest.mark.parametrize(
    "line",
    [
        "a(" * 150,
        "x<" * 150,
        "A_" * 149,
        "public " * 42,
        "int " * 70,
        "\t" * 300,
        "a:" * 150,
        "T<U, " * 60 + "x(",
        "a::" * 100,
        "int " + "a<b>::" * 49,
        "a " * 148 + "f(",
    ],
)
def test_adversarial_lines_take_linear_time(line: str) -> None:
    source = "\n".join([line] * 300).encode()
    begun = time.process_time()
    read_searchable(source, (), hints=True)
    assert time.process_time() - begun < 10


@pytest.fixture(scope="module")
def pool() -> Iterator[ParserPool]:
    pool = ParserPool(1)
    yield pool
    pool.close()


@pytest.mark.parametrize(
    ("language", "path", "text"),
    [
        ("python", "p/a.py", PYTHON),
        ("", "p/a.cr", HEADS["Crystal"][1]),
        ("", "p/a.pl", "print hello\n"),
        ("", "README.rst", "Größe\n"),
        ("", "a.csv", ""),
    ],
)
def test_workers_return_the_same_words(pool: ParserPool, language: str, path: str, text: str) -> None:
    (parsed,) = pool.parse([Job(language, path, text.encode())])
    assert parsed.failure is None
    here = read(path, text)
    assert (parsed.searchable.terms, parsed.searchable.words) == (here.terms, here.words)
    assert [tuple(passage) for passage in parsed.searchable.passages] == [tuple(passage) for passage in here.passages]
    assert bool(parsed.facts.defs) == bool(language)


def test_bucket_separator_occurs_in_no_term() -> None:
    found = read("a.py", "a~b = x ~ y\nz = '~~'\n")
    assert not any(re.search(re.escape(MARK), term) for term in levels(found.terms))
