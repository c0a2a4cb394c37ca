from __future__ import annotations

import random
import shutil
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import RepoPath
from codeplane.facts.passages import Passage, Searchable, read_searchable
from codeplane.facts.words import fold_case, normalize_text, terms_of
from codeplane.store.lexical_reader import FileHit, LexicalReader
from codeplane.store.lexical_writer import LexicalWriter

FILES = {
    1: ("a/server.py", "python", "class HTTPServer: pass"),
    2: ("a/client.py", "python", "server = connect(HTTPServer)"),
    3: ("b/main.go", "go", "func finishCheckout(order Order) {}"),
    4: ("b/größe.py", "python", "größe = ΟΔΟΣ + переменная"),
}


def _searchable(text: str) -> Searchable:
    return read_searchable(text.encode(), (), hints=True)


def _terms(text: str) -> dict[str, int]:
    return {term: 1 for word in normalize_text(text).split() for term in terms_of(word)}


def _write(directory: Path, files: Mapping[int, tuple[str, str]]) -> None:
    writer = LexicalWriter(directory, create=True)
    for file_id, (path, text) in files.items():
        writer.add(file_id, path, f"{file_id}", "python", _searchable(text))
    writer.commit()
    writer.close()


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    writer = LexicalWriter(tmp_path, create=True)
    for file_id, (path, family, text) in FILES.items():
        writer.add(file_id, path, f"{file_id:064x}", family, _searchable(text))
    writer.commit()
    writer.close()
    return tmp_path


def _found(directory: Path, query: str, *filters: tuple[str, int | str]) -> list[int]:
    return [hit.file_id for hit in LexicalReader(directory).rank_files(_terms(query), 10, filters=filters)]


@pytest.mark.parametrize(
    ("query", "files"),
    [
        ("HTTPServer", {1, 2}),
        ("httpserver", {1, 2}),
        ("http server", {1, 2}),
        ("servers", {1, 2}),
        ("finish checkout", {3}),
        ("finishCheckout(order)", {3}),
        ("GRÖSSE größe", {4}),
        ("ΟΔΟΣ", {4}),
        ("Переменная", {4}),
        ("nothing_like_it", set()),
    ],
)
def test_ranked_files(directory: Path, query: str, files: set[int]) -> None:
    assert set(_found(directory, query)) == files


ODD = [
    "",
    "   ",
    "((((((",
    "*:*",
    "-",
    '"',
    "\x00",
    "~99",
    "server~8",
    "[a TO b]",
    "/.*/",
    "+++---",
    "🙂",
    "x" * 70_000,
]


@pytest.mark.parametrize("term", ODD)
def test_terms_are_never_parsed_as_queries(directory: Path, term: str) -> None:
    reader = LexicalReader(directory)
    assert reader.count_files(term) == 0
    assert reader.rank_files({term: 1}, 5, path_weights={term: 1}) == []
    assert reader.rank_passages({term: 1}, 5, per_file=1) == []
    assert reader.passages_named({term: 1}, 5) == []
    assert reader.passages_named_by_words({term: 1}, 5) == []


def test_empty_query_finds_nothing(directory: Path) -> None:
    reader = LexicalReader(directory)
    assert reader.rank_files({}, 5) == []
    assert reader.rank_files(_terms("server"), 0) == []
    assert reader.rank_files(_terms("server"), 5, among=()) == []
    assert reader.files_with_grams([]) == []


def test_filters(directory: Path) -> None:
    assert _found(directory, "server order", ("language_family", "go")) == [3]
    assert set(_found(directory, "server order", ("language_family", "python"))) == {1, 2}
    assert _found(directory, "server order", ("beside", 1), ("language_family", "python")) == []


def test_filters_do_not_change_scores(directory: Path) -> None:
    reader = LexicalReader(directory)
    whole = reader.rank_files(_terms("HTTPServer"), 9)
    assert reader.rank_files(_terms("HTTPServer"), 9, filters=[("language_family", "python")]) == whole
    assert reader.rank_files(_terms("HTTPServer"), 9, among=[2, 3]) == [hit for hit in whole if hit.file_id == 2]


def test_score_is_the_sum_of_idf_times_tf_bucket(tmp_path: Path) -> None:
    writer = LexicalWriter(tmp_path, create=True)
    writer.add(1, "alpha/one.py", "1", "python", Searchable("alpha~3 beta~8", "", [Passage(1, 1, -1, "", "alpha~2")]))
    writer.add(2, "two.py", "2", "python", Searchable("alpha~1", "", ()))
    writer.commit()
    writer.close()
    reader = LexicalReader(tmp_path)
    assert reader.rank_files({"alpha": 10, "beta": 7, "gamma": 99}, 5) == [FileHit(1, 86), FileHit(2, 10)]
    assert reader.rank_files({"alpha": 10}, 5, path_weights={"alpha": 5}) == [FileHit(1, 35), FileHit(2, 10)]
    assert [(hit.file_id, hit.score) for hit in reader.rank_passages({"alpha": 10}, 5, per_file=1)] == [(1, 20)]
    assert [reader.count_files(term) for term in ("alpha", "beta", "gamma")] == [2, 1, 0]


def test_ties_with_the_last_hit_are_included(tmp_path: Path) -> None:
    """So that the caller can order them independently of segments."""
    writer = LexicalWriter(tmp_path, create=True)
    for number in range(200):
        writer.add(number, f"f{(number * 77) % 200:03}.py", "0", "python", _searchable("same text"))
        if number % 50 == 0:
            writer.commit()
    writer.add(500, "best.py", "0", "python", _searchable("same same same text"))
    writer.commit()
    writer.close()
    reader = LexicalReader(tmp_path)
    for limit in (1, 5, 64, 150):
        found = reader.rank_files(_terms("same"), limit)
        assert found[0].file_id == 500
        assert len(found) == 201 if limit > 1 else len(found) >= 1


def test_passages_are_limited_per_file(tmp_path: Path) -> None:
    writer = LexicalWriter(tmp_path, create=True)
    levels = {1: (3, 8, 5, 5, 5), 2: (1,), 3: (2, 2)}
    for file_id, own in levels.items():
        passages = [Passage(line, line, -1, "", f"word~{level}") for line, level in enumerate(own, 1)]
        writer.add(file_id, f"{file_id}.py", "0", "python", Searchable("word~1", "word", passages))
    writer.commit()
    writer.close()
    reader = LexicalReader(tmp_path)
    found = reader.rank_passages({"word": 1}, 50, per_file=2)
    assert [(hit.file_id, hit.first, hit.score) for hit in found] == [
        (1, 2, 8),
        (1, 3, 5),
        (3, 1, 2),
        (3, 2, 2),
        (2, 1, 1),
    ]
    assert [hit.file_id for hit in reader.rank_passages({"word": 1}, 2, per_file=1)] == [1, 3]


def test_files_are_replaced_and_removed_by_id(directory: Path) -> None:
    writer = LexicalWriter(directory, create=False)
    writer.delete(1)
    writer.delete(2)
    writer.add(2, "a/client.py", "new", "python", _searchable("def rewritten(): pass"))
    writer.commit()
    writer.close()
    assert _found(directory, "HTTPServer") == []
    assert _found(directory, "rewritten") == [2]
    reader = LexicalReader(directory)
    documents = {(file_id, digest) for file_id, digest, _ in reader.documents()}
    assert documents == {(2, "new"), (3, f"{3:064x}"), (4, f"{4:064x}")}
    assert {hit.file_id for hit in reader.rank_passages(_terms("HTTPServer rewritten"), 9, per_file=9)} == {2}
    assert [hit.file_id for hit in reader.passages_named({"rewritten": 1, "httpserver": 1}, 9)] == [2]
    assert reader.files_with_grams([["httpserver"]]) == []


def test_uncommitted_changes_are_rolled_back(directory: Path) -> None:
    writer = LexicalWriter(directory, create=False)
    writer.delete(1)
    writer.rollback()
    writer.add(9, "z.py", "0", "python", _searchable("kept"))
    writer.commit()
    writer.close()
    assert set(_found(directory, "HTTPServer kept")) == {1, 2, 9}


def test_second_writer_is_locked_out(directory: Path) -> None:
    first = LexicalWriter(directory, create=False)
    first.delete(1)
    second = LexicalWriter(directory, create=False)
    with pytest.raises(CodePlaneError) as raised:
        second.delete(2)
    assert raised.value.code is ErrorCode.INDEX_LOCKED
    first.close()


def test_non_utf8_paths_round_trip(tmp_path: Path) -> None:
    path = RepoPath("d/\udcff\U0010ffff.py")
    _write(tmp_path, {1: (path, "text")})
    assert [found for _, _, found in LexicalReader(tmp_path).documents()] == [path]


def test_names_round_trip(tmp_path: Path) -> None:
    names = ["operator ==", "größeÄndern", "名前", "a b c", "", "x" * 5_000]
    writer = LexicalWriter(tmp_path, create=True)
    passages = [Passage(number, number + 1, number, name, "word~1") for number, name in enumerate(names, 1)]
    writer.add(7, "a.py", "0", "python", Searchable("word~1", "word", passages))
    writer.commit()
    writer.close()
    found = LexicalReader(tmp_path).rank_passages({"word": 1}, 9, per_file=9)
    assert sorted((hit.first, hit.last, hit.definition, hit.name) for hit in found) == [
        (number, number + 1, number, name) for number, name in enumerate(names, 1)
    ]


def test_names_by_key_fuzzy_part_and_words(tmp_path: Path) -> None:
    text = "def loadUserList():\ndef load_user_list_twice():\ndef LoadUserList():\ndef reload():\n"
    _write(tmp_path, {1: ("a.rb", text)})
    reader = LexicalReader(tmp_path)

    def names(hits: list[object]) -> list[str]:
        return sorted(hit.name for hit in hits)  # type: ignore[attr-defined]

    assert names([*reader.passages_named({"loaduserlist": 1}, 9)]) == ["LoadUserList", "loadUserList"]
    assert names([*reader.passages_named_like("laoduserlist", 9, edits=1)]) == ["LoadUserList", "loadUserList"]
    assert names([*reader.passages_named_like("loaduserli", 9, edits=1)]) == []
    assert names([*reader.passages_named_like("", 9, pattern="loaduser.*")]) == [
        "LoadUserList",
        "loadUserList",
        "load_user_list_twice",
    ]
    assert names([*reader.passages_named_like("", 9, pattern=".*oad")]) == ["reload"]
    assert names([*reader.passages_named_by_words(_terms("twice"), 9)]) == ["load_user_list_twice"]


def _answers(reader: LexicalReader, paths: Mapping[int, str], words: list[str]) -> list[object]:
    """All that a reader says, with paths in place of ids, which depend on how an index came about."""
    weights = {term: 3 + number for number, term in enumerate(dict.fromkeys(t for w in words for t in terms_of(w)))}
    return [
        [reader.count_files(term) for term in weights],
        sorted((paths[hit.file_id], hit.score) for hit in reader.rank_files(weights, 5, path_weights=weights)),
        sorted((paths[hit.file_id], *hit[1:]) for hit in reader.rank_passages(weights, 5, per_file=2)),
        sorted((paths[hit.file_id], *hit[1:]) for hit in reader.passages_named(dict.fromkeys(words, 2), 5)),
        sorted((paths[hit.file_id], *hit[1:]) for hit in reader.passages_named_by_words(weights, 5)),
        sorted(paths[file_id] for file_id in reader.files_with_grams([[words[0]], [words[1], words[2]]])),
    ]


@pytest.mark.parametrize("seed", range(4))
def test_results_do_not_depend_on_index_history(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    words = [f"{first}{second}" for first in ("alpha", "beta", "gamma") for second in ("One", "_two", "Three")]

    def text() -> str:
        return "".join(f"def {chance.choice(words)}({chance.choice(words)})\n" for _ in range(chance.randint(0, 9)))

    texts = {f"d{number % 3}/f{number}.rb": text() for number in range(40)}
    edited = LexicalWriter(_made(tmp_path / "edited"), create=True)
    ids: dict[str, int] = {}
    next_id = 0
    for path in chance.sample(sorted(texts), len(texts)):
        # First something else, now and then twice, and only then what it is to be.
        for content in [text() for _ in range(chance.randint(0, 2))] + [texts[path]]:
            if path in ids:
                edited.delete(ids[path])
            if path not in ids or chance.random() < 0.5:
                ids[path], next_id = next_id, next_id + 1
            edited.add(ids[path], path, "0", "ruby", _searchable(content))
            if chance.random() < 0.4:
                edited.commit()
    for number in range(20):
        edited.add(1000 + number, f"gone{number}.rb", "0", "ruby", _searchable(text() + "def alphaOne()\n"))
    edited.commit()
    for number in range(20):
        edited.delete(1000 + number)
    edited.commit()
    edited.settle()
    edited.close()
    fresh = LexicalWriter(_made(tmp_path / "fresh"), create=True)
    for number, path in enumerate(sorted(texts)):
        fresh.add(number, path, "0", "ruby", _searchable(texts[path]))
    fresh.commit()
    fresh.close()
    one, other = LexicalReader(tmp_path / "edited"), LexicalReader(tmp_path / "fresh")
    assert one.document_count == other.document_count
    edited_paths = {file_id: path for path, file_id in ids.items()}
    for _ in range(10):
        asked = [word.lower() for word in chance.sample(words, 3)]
        expected = _answers(other, dict(enumerate(sorted(texts))), asked)
        assert _answers(one, edited_paths, asked) == expected
        assert any(expected)


def _made(directory: Path) -> Path:
    directory.mkdir()
    return directory


LETTERS = "abkKsS0_$\u017f\u212aéßИ"


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    names=st.lists(st.text(LETTERS, min_size=1, max_size=9), min_size=1, max_size=6),
    data=st.data(),
)
def test_fragments_of_identifiers_are_always_found(
    tmp_path_factory: pytest.TempPathFactory, names: list[str], data: st.DataObject
) -> None:
    """Without case, as a search takes it: the long s is an s, and the sign of the Kelvin a k."""
    directory = tmp_path_factory.mktemp("grams")
    _write(directory, {number: (f"{number}.py", f"x = {name} + 1") for number, name in enumerate(names)})
    reader = LexicalReader(directory)
    for number, name in enumerate(names):
        start = data.draw(st.integers(0, max(0, len(name) - 3)))
        fragment = fold_case(name[start : start + data.draw(st.integers(3, 9))])
        if len(fragment) < 3 or not fragment.isascii():
            continue
        found = reader.files_with_grams([[fragment]])
        assert number in found, (name, fragment)
        for other in found:
            grams = {fragment[at : at + 3] for at in range(len(fragment) - 2)}
            assert all(gram in fold_case(names[other]) for gram in grams)


@pytest.mark.parametrize(
    "name", ["ma\u017fk", "\u212aelvin", "foo\u212abar", "\u017f\u017f\u017f", "cla\u017f\u017f\u212aey"]
)
def test_case_insensitive_letters_that_fold_to_ascii(tmp_path: Path, name: str) -> None:
    _write(tmp_path, {1: ("a.py", f"{name} = 1"), 2: ("b.py", "other = 2")})
    plain = name.replace("\u017f", "s").replace("\u212a", "k").lower()
    assert LexicalReader(tmp_path).files_with_grams([[plain]]) == [1]


def test_alternatives_match_any_and_fragments_all(tmp_path: Path) -> None:
    _write(tmp_path, {1: ("a.py", "alphaBeta"), 2: ("b.py", "alpha gamma"), 3: ("c.py", "beta")})
    reader = LexicalReader(tmp_path)
    assert reader.files_with_grams([["alpha"]]) == [1, 2]
    assert reader.files_with_grams([["alpha", "beta"]]) == [1]
    assert reader.files_with_grams([["alpha", "beta"], ["gamma"]]) == [1, 2]
    # Two identifiers side by side are not one.
    assert reader.files_with_grams([["phagam"]]) == []


@pytest.mark.parametrize("open_it", [lambda place: LexicalWriter(place, create=False), LexicalReader])
def test_open_index_does_not_touch_a_replaced_directory(directory: Path, open_it: Callable[[Path], object]) -> None:
    held = open_it(directory)
    time.sleep(0.7)  # Right after it was opened, a first look may still be under way.
    shutil.rmtree(directory)
    directory.mkdir()
    (directory / "meta.json").write_text("another's")
    time.sleep(1.2)  # Tantivy's watchers look twice a second.
    assert [path.name for path in directory.iterdir()] == ["meta.json"], held
