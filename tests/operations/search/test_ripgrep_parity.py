"""Literals and patterns find what ripgrep finds: the same lines, columns and numbers of matches.

Where we differ from it on purpose is said in a test of its own. The long version takes a folder with sources:
`CPL_FOLDER=... CPL_ROUNDS=300 CPL_SEED=1 pytest -m sweep -s tests/operations/search/test_ripgrep_parity.py`.
"""

from __future__ import annotations

import os
import random
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codeplane.base.errors import CodePlaneError
from codeplane.disk.safe_open import Root
from codeplane.index.indexer import Indexer
from codeplane.operations.search.patterns import compile_query
from codeplane.operations.search.scan_cache import ScanCache
from codeplane.operations.search.search_task import SearchSources
from codeplane.operations.search.text_search import TextQuery, find_text
from codeplane.query.contents import list_searchable_files
from codeplane.query.snapshot import Snapshot, open_current
from codeplane.store.layout import open_state
from operations.search.ripgrep import Refused, Row, ripgrep
from support.repositories import make_repository, options_for

LONG = "x = '" + "abc " * 150 + "needle" + " déf" * 150 + "'"
FILES: dict[str, str | bytes] = {
    "a.py": (
        "def finish_checkout(order):\n    total = order.total  # total of totals\n    return total\n\n\n"
        "class Cart: pass\n"
    ),
    "b/crlf.txt": b"first line\r\nfoo\r\nfoobar foo\r\n\r\nlast foo\r\n",
    "b/no_end.txt": "one\ntwo\nthree foo",
    "b/one_line.txt": "foo",
    "b/empty.txt": "",
    "b/blank.txt": "\n\n  \n\t\n",
    "c/unicode.md": (
        "Straße naïve café\nGROẞE STRASSE\nΑΒΓ αβγ ς σ Σ\n日本語 foo 日本語foo\ne\u0301 combining\n١٢٣ digits 123\n"
    ),
    "c/fold.txt": "Kelvin \u212aelvin kelvin\nlong \u017ftop stop STOP\nİstanbul ıstanbul istanbul\n",
    "c/space.txt": "a\u00a0b\na\u2003b\na b\na\tb\na\u3000b\n",
    "d/long.js": LONG + "\nshort needle needle\n",
    "d/utf16.txt": b"\xff\xfe" + "wide foo\r\nsecond w\u00efde\n".encode("utf-16-le"),
    "d/utf16be.txt": b"\xfe\xff" + "big foo\nend\n".encode("utf-16-be"),
    "d/bom.txt": b"\xef\xbb\xbfmarked foo\nfoo again\n",
    "d/mixed.txt": b"one\r\ntwo\nthree\r\nfoo\n",
    "e/code.go": (
        "func Sum(cents int) int {\n\treturn cents + cents\n}\n\n// TODO: foo(bar)[baz] {x} a.b a+b a|b $HOME C:\\dir\n"
    ),
    "e/table.csv": "2024-01-02,1.5,ok\n2024-02-30,,fail\n1999-12-31,3e10,ok\n",
    "e/marks.txt": "a-b_c d$e\n'quoted' \"double\"\n(())[]{}\n^start end$\n\\back\\slash\\\n",
}

LITERALS = r"""
foo FOO Foo total needle x e straße STRASSE GROẞE αβγ σ 日本語 日本語foo é kelvin stop istanbul a.b a+b
(bar)[baz] {x} $HOME C:\dir ^start end$ 'quoted' ,, wïde marked totals
"""
ODD_LITERALS = (" ", "no such text", "\\", "\t", "\u00a0", "abc abc", "e\u0301", "\u212a")
PATTERNS = r"""
foo ^foo foo$ ^foo$ \btotal\b \Btotals?\b fo+ f.o f[aeiou]{2} (foo|bar) foo|bar|baz (?i)FOO ^$ ^ $ . .* \s
\S+ \w+ \W \d+ \D ^\s*$ \s+$ a\sb [^a-z]+ x* a*b (a|b)*c (?:t.t)al total.*total tot(?:al)?s? \d{4}-\d{2}
^\d{4} [0-9]{1,3}, e{2,} \(\w+\) \[ \\ \. \$\w+ [[:alpha:]]+$ [[:digit:]]- \pL+ \p{Lu} \p{Greek}+ \x41
[\w.]+\( [^\s]+$ [\d,]+ \u{3b1} [ςσΣ] straße [K]elvin k ſ (?i)ß [é-ï] n[aï]+ve (?P<x>foo) (?<x>foo)
(?:^|,)ok a\.b []a] [^]a] [a-] T(?i)odo
"""
ACROSS = r"""
foo\nfoobar two\nthree total\n \n\n (?s)first.*last (?s)o.t foo\s*\n one\n(two|x)\nthree \}\n\n//
(?s)\{.*?\} class[\s\n]+Cart
"""


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Snapshot, Root]]:
    root = make_repository(tmp_path_factory.mktemp("like") / "tree", FILES)
    with indexed(root) as snapshot, Root.open(root) as opened:
        yield root, snapshot, opened


def indexed(root: Path) -> Snapshot:
    with Indexer.open(options_for(root)) as indexer:
        indexer.sync()
    state = open_state(root)
    assert state is not None
    return open_current(state)


def alike(query: str, mine: list[Row], theirs: list[Row]) -> bool:
    """Assert the same rows; for a pattern that matches empty text, only the same lines."""
    if compile_query(query, regex=True, case_sensitive=True).narrow(b"", 0, 0) is None:
        return mine == theirs
    return _complete_lines(mine) == _complete_lines(theirs)


def _complete_lines(rows: list[Row]) -> list[tuple[str, int]]:
    return [(row.path, row.line) for row in rows if row.path not in {"b/no_end.txt", "b/one_line.txt"}]


def ours(snapshot: Snapshot, root: Root, query: str, *, regex: bool, case_sensitive: bool | None) -> list[Row]:
    sources = SearchSources(snapshot, root, ScanCache(max_bytes=0))
    found = find_text(sources, TextQuery(query, regex, case_sensitive, limit=10**9, seconds=60))
    assert not found.not_searched
    assert sum(found.counts.values()) == found.lines == len(found.rows)
    return [Row(row.path, row.match.line, row.match.column) for row in found.rows]


@pytest.mark.parametrize("case_sensitive", [None, True, False])
def test_literals(tree: tuple[Path, Snapshot, Root], case_sensitive: bool | None) -> None:
    root, snapshot, opened = tree
    for query in (*LITERALS.split(), *ODD_LITERALS):
        mine = ours(snapshot, opened, query, regex=False, case_sensitive=case_sensitive)
        assert mine == ripgrep(root, query, regex=False, case_sensitive=case_sensitive), query


@pytest.mark.parametrize("case_sensitive", [None, True, False])
def test_patterns(tree: tuple[Path, Snapshot, Root], case_sensitive: bool | None) -> None:
    root, snapshot, opened = tree
    for query in (*PATTERNS.split(), "need|abc n"):
        mine = ours(snapshot, opened, query, regex=True, case_sensitive=case_sensitive)
        assert alike(query, mine, ripgrep(root, query, regex=True, case_sensitive=case_sensitive)), query


def test_multiline_patterns(tree: tuple[Path, Snapshot, Root]) -> None:
    root, snapshot, opened = tree
    for query in ACROSS.split():
        # Ripgrep keeps the CR of a line end in the text, so a pattern must allow for it.
        theirs = ripgrep(root, query.replace(r"\n", r"\r?\n"), regex=True, case_sensitive=True, across=True)
        assert ours(snapshot, opened, query, regex=True, case_sensitive=True) == theirs, query


def test_multiline_literal(tree: tuple[Path, Snapshot, Root]) -> None:
    root, snapshot, opened = tree
    query = "return total\n\n\nclass"
    mine = ours(snapshot, opened, query, regex=False, case_sensitive=True)
    assert mine == ripgrep(root, query, regex=False, case_sensitive=True, across=True) == [Row("a.py", 3, 5)]
    found = ours(snapshot, opened, "foo\r\nfoobar", regex=False, case_sensitive=True)
    assert found == [Row("b/crlf.txt", 2, 1)]


ATOMS = st.sampled_from(
    [
        *"abcefotx 0129_=",
        r"\(",
        ".",
        r"\w",
        r"\d",
        r"\s",
        r"\S",
        "[a-f]",
        "[^a-z]",
        "é",
        "ß",
        r"\.",
        "foo",
        "total",
        "[xyz]",
    ]
)
REPEATS = st.sampled_from(["", "", "", "?", "*", "+", "{2}", "{1,2}", "*?", "+?"])


def compounds(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    sequences = st.lists(inner, min_size=1, max_size=3).map("".join)
    groups = st.lists(inner, min_size=1, max_size=3).map(lambda parts: f"(?:{'|'.join(parts)})")
    return st.tuples(sequences | groups, REPEATS).map(lambda pair: f"(?:{pair[0]}){pair[1]}" if pair[1] else pair[0])


REGEXES = st.tuples(
    st.sampled_from(["", "", "^"]), st.recursive(ATOMS, compounds, max_leaves=6), st.sampled_from(["", "", "$"])
).map("".join)


@settings(max_examples=40, derandomize=True)
@given(REGEXES, st.sampled_from([None, True, False]))
def test_any_pattern(tree: tuple[Path, Snapshot, Root], query: str, case_sensitive: bool | None) -> None:
    root, snapshot, opened = tree
    theirs = ripgrep(root, query, regex=True, case_sensitive=case_sensitive)
    assert alike(query, ours(snapshot, opened, query, regex=True, case_sensitive=case_sensitive), theirs)


def test_latin_1_is_decoded_unlike_ripgrep(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "tree", {"old.txt": "caf\u00e9 cr\u00e8me\nplain foo\n".encode("latin-1")})
    with indexed(root) as snapshot, Root.open(root) as opened:
        assert ours(snapshot, opened, "café", regex=False, case_sensitive=True) == [Row("old.txt", 1, 1)]
        assert ripgrep(root, "café", regex=False, case_sensitive=True) == []
        plain = ours(snapshot, opened, "foo", regex=False, case_sensitive=True)
        assert plain == ripgrep(root, "foo", regex=False, case_sensitive=True)


def test_word_boundary_is_ascii_only(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "tree", {"a.txt": "éfoo\n foo\n"})
    with indexed(root) as snapshot, Root.open(root) as opened:
        mine = ours(snapshot, opened, r"\bfoo", regex=True, case_sensitive=True)
        assert [row.line for row in mine] == [1, 2]
        assert [row.line for row in ripgrep(root, r"\bfoo", regex=True, case_sensitive=True)] == [2]


def test_explicit_carriage_return_matches(tree: tuple[Path, Snapshot, Root]) -> None:
    _, snapshot, opened = tree
    found = ours(snapshot, opened, r"foo\r$", regex=True, case_sensitive=True)
    assert [(row.path, row.line) for row in found] == [
        ("b/crlf.txt", 2),
        ("b/crlf.txt", 3),
        ("b/crlf.txt", 5),
        ("d/utf16.txt", 1),
    ]


@pytest.mark.sweep
@pytest.mark.timeout(0)
def test_sweep_of_a_folder(tmp_path: Path) -> None:
    """Return literals that occur in the folder, and patterns made of them."""
    folder = os.environ.get("CPL_FOLDER")
    if folder is None:
        pytest.skip("CPL_FOLDER is not set to a folder")
    seed, rounds = int(os.environ.get("CPL_SEED", "1")), int(os.environ.get("CPL_ROUNDS", "300"))
    print(f"seed {seed}, {rounds} rounds")
    root = tmp_path / "tree"
    shutil.copytree(folder, root, symlinks=True, ignore=shutil.ignore_patterns(".git", ".codeplane"))
    make_repository(root, {})
    rng = random.Random(seed)
    refused = 0
    with indexed(root) as snapshot, Root.open(root) as opened:
        known = {str(row.path): row.encoding for row in list_searchable_files(snapshot) if row.lexical}
        compared = sorted(path for path, encoding in known.items() if encoding != "latin-1")
        for number in range(rounds):
            text = (root / rng.choice(compared)).read_bytes()[:100_000].decode("utf-8", "ignore")
            lines = [line for line in text.splitlines() if line.strip()] or ["x"]
            query, regex = _made(rng, rng.choice(lines))
            case_sensitive = rng.choice([None, True, False])
            try:
                pattern = compile_query(query, regex=regex, case_sensitive=True)
                if pattern.narrow(b"", 0, 0) is not None:
                    # It matches everywhere; reading all of that from ripgrep takes minutes.
                    continue
                across = pattern.across
                theirs = ripgrep(root, query, regex=regex, case_sensitive=case_sensitive, across=across)
            except (CodePlaneError, Refused):
                refused += 1
                continue
            mine = ours(snapshot, opened, query, regex=regex, case_sensitive=case_sensitive)
            wanted = [row for row in theirs if known.get(row.path, "latin-1") != "latin-1"]
            ours_too = [row for row in mine if known[row.path] != "latin-1"]
            assert ours_too == wanted, (number, query, regex, case_sensitive)
    print(f"{refused} were refused by one of the two")


def _made(rng: random.Random, line: str) -> tuple[str, bool]:
    start = rng.randrange(len(line))
    part = line[start : start + rng.randint(3, 20)] or "x"
    if rng.random() < 0.4:
        return part, False
    pieces = [rng.choice([re.escape(char), re.escape(char), ".", _class(char)]) for char in part]
    for at in rng.sample(range(len(pieces)), min(len(pieces), rng.randint(0, 2))):
        pieces[at] += rng.choice(["+", "*", "?", "{1,3}", "*?"])
    return rng.choice(["", "", "^.*"]) + "".join(pieces) + rng.choice(["", "", ".*$"]), True


def _class(char: str) -> str:
    return r"\d" if char.isdigit() else r"\w" if char.isalpha() else r"\s" if char.isspace() else "[^a-z]"
