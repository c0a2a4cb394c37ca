from __future__ import annotations

from pathlib import Path

import pytest

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import RepoPath
from codeplane.store.lexical import MAX_QUERY_TERMS, LexicalDoc, LexicalReader, LexicalWriter

FILES = {
    1: ("a/server.py", 1, "python", "class HTTPServer: pass"),
    2: ("a/client.py", 1, "python", "server = connect(HTTPServer)"),
    3: ("b/main.go", 2, "go", "func finishCheckout(order Order) {}"),
    4: ("b/größe.py", 1, "python", "größe = ΟΔΟΣ + переменная"),
}


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    writer = LexicalWriter(tmp_path, create=True)
    for file_id, (path, unit, family, text) in FILES.items():
        writer.add(file_id, unit, path, f"{file_id:064x}", family, LexicalDoc(text, text.replace("(", " ").split()))
    writer.commit()
    writer.close()
    return tmp_path


def _found(directory: Path, query: str, **filters: object) -> list[int]:
    hits = LexicalReader(directory).search(query, 10, **filters)  # type: ignore[arg-type]
    return [hit.file_id for hit in hits]


@pytest.mark.parametrize(
    ("query", "files"),
    [
        ("HTTPServer", {1, 2}),
        ("httpserver", {1, 2}),
        ("http server", {1, 2}),
        ("finish checkout", {3}),
        ("finishCheckout(order)", {3}),
        ("GRÖSSE größe", {4}),
        ("ΟΔΟΣ", {4}),
        ("Переменная", {4}),
        ("nothing_like_it", set()),
    ],
)
def test_what_is_found(directory: Path, query: str, files: set[int]) -> None:
    assert set(_found(directory, query)) == files


@pytest.mark.parametrize(
    "query", ["", "   ", "((((((", "*:*", "-", '"', "\x00", "\udcff", "~99", "[a TO b]", "/.*/", "+++---", "🙂"]
)
def test_garbage_finds_nothing_and_raises_nothing(directory: Path, query: str) -> None:
    assert not [hit for hit in _found(directory, query) if hit not in FILES]


def test_a_query_is_bounded(directory: Path) -> None:
    many = " ".join(f"word{number}" for number in range(MAX_QUERY_TERMS * 3))
    assert _found(directory, f"{many} HTTPServer") == []
    assert _found(directory, "x" * 1_000_000) == []
    assert set(_found(directory, f"HTTPServer {many}")) == {1, 2}


def test_filters(directory: Path) -> None:
    assert _found(directory, "server order", unit_id=2) == [3]
    assert set(_found(directory, "server order", family="python")) == {1, 2}
    assert _found(directory, "server order", unit_id=2, family="python") == []


def test_a_filter_does_not_change_scores(directory: Path) -> None:
    reader = LexicalReader(directory)
    assert reader.search("HTTPServer", 9) == reader.search("HTTPServer", 9, unit_id=1, family="python")


def test_ties_are_ordered_by_path_also_across_the_limit(tmp_path: Path) -> None:
    writer = LexicalWriter(tmp_path, create=True)
    for number in range(200):
        writer.add(number, 1, f"f{(number * 77) % 200:03}.py", "0", "python", LexicalDoc("same text"))
        if number % 50 == 0:
            writer.commit()
    writer.commit()
    writer.close()
    paths = [hit.path for hit in LexicalReader(tmp_path).search("same", 5)]
    assert paths == ["f000.py", "f001.py", "f002.py", "f003.py", "f004.py"]


def test_a_file_is_replaced_and_removed_by_its_number(directory: Path) -> None:
    writer = LexicalWriter(directory, create=False)
    writer.delete(1)
    writer.delete(2)
    writer.add(2, 1, "a/client.py", "new", "python", LexicalDoc("rewritten"))
    writer.commit()
    writer.close()
    assert _found(directory, "HTTPServer") == []
    assert _found(directory, "rewritten") == [2]
    documents = {(file_id, digest) for file_id, digest, _ in LexicalReader(directory).documents()}
    assert documents == {(2, "new"), (3, f"{3:064x}"), (4, f"{4:064x}")}


def test_uncommitted_changes_are_rolled_back(directory: Path) -> None:
    writer = LexicalWriter(directory, create=False)
    writer.delete(1)
    writer.rollback()
    writer.add(9, 1, "z.py", "0", "python", LexicalDoc("kept"))
    writer.commit()
    writer.close()
    assert set(_found(directory, "HTTPServer kept")) == {1, 2, 9}


def test_a_second_writer_is_locked_out(directory: Path) -> None:
    first = LexicalWriter(directory, create=False)
    first.delete(1)
    second = LexicalWriter(directory, create=False)
    with pytest.raises(CodePlaneError) as raised:
        second.delete(2)
    assert raised.value.code is ErrorCode.INDEX_LOCKED
    first.close()


def test_paths_that_are_not_utf8_come_back(tmp_path: Path) -> None:
    path = RepoPath("d/\udcff\U0010ffff.py")
    writer = LexicalWriter(tmp_path, create=True)
    writer.add(1, None, path, "0", None, LexicalDoc("text"))
    writer.commit()
    writer.close()
    assert LexicalReader(tmp_path).search("text", 1)[0].path == path
