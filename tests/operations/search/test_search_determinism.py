"""The same epoch and request give the same answer, in any process and for any index history."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Iterator
from pathlib import Path

import orjson
import pytest

from codeplane.index.indexer import Indexer
from codeplane.operations.search.finder import Finder
from codeplane.operations.search.model import SearchRequest, SearchResult
from codeplane.query.snapshot import Snapshot, open_current
from codeplane.query.text import list_candidate_files, read_file_briefs
from codeplane.store.layout import StateDirectory
from operations.search.bookshop import FILES, opened
from support.children import start
from support.repositories import git, make_repository, options_for, write

REQUESTS = (
    SearchRequest("how is the discount of a book computed"),
    SearchRequest("compute_discount", scope="mixed"),
    SearchRequest("compute_discuont", mode="symbol"),
    SearchRequest("close", mode="definitions"),
    SearchRequest("handle_order", scope="mixed"),
    SearchRequest("return order total", limit=5),
    SearchRequest("order", scope="mixed", result_mode="raw"),
    SearchRequest("order handler", group_by="file"),
    SearchRequest("must:total handle", scope="mixed"),
    SearchRequest("lang:python order"),
    SearchRequest("order", mode="lexical"),
    SearchRequest(r"def \w+_order", mode="regex"),
    SearchRequest("compute_discount", mode="references"),
    SearchRequest('File "/srv/shop/handler.py", line 3, in handle_order\nKeyError: total'),
)

SCRIPT = """
from codeplane.operations.search.finder import Finder
from operations.search.test_search_determinism import REQUESTS, answer
from codeplane.store.layout import StateDirectory
finder = Finder(root)
with open_current(StateDirectory(root / ".codeplane")) as snapshot:
    sys.stdout.buffer.write(answer(finder, snapshot))
"""


def plain(found: SearchResult) -> bytes:
    """Return every byte of the results and their metadata."""
    return orjson.dumps((found.hits, found.total, found.outside_scope, found.suppressed, found.similar), default=repr)


def _candidates(snapshot: Snapshot) -> tuple[str, ...]:
    found = list_candidate_files(snapshot, [["handle"], ["otal"]])
    return tuple(sorted(file.path for file in read_file_briefs(snapshot, found or ()).values()))


def answer(finder: Finder, snapshot: Snapshot) -> bytes:
    return b"\n".join(plain(finder.find(snapshot, request)) for request in REQUESTS)


def texts(chance: random.Random) -> dict[str, str | bytes]:
    """Similar files, so that many scores are tied."""
    words = ("order", "total", "price", "handle", "book", "cart", "close", "load", "row", "key")
    files: dict[str, str | bytes] = {}
    for number in range(45):
        folder, ending = chance.choice(["shop/", "shop/deep/", "tests/", ""]), chance.choice(["py", "rb", "go", "md"])
        files[f"{folder}f{number}.{ending}"] = _text(chance, words, ending)
    for folder in ("aa", "bb", "cc", "tests"):
        files[f"{folder}/handler.py"] = "def handle_order(order):\n    return order.total\n"
    return files


def _text(chance: random.Random, words: tuple[str, ...], ending: str) -> str:
    parts: list[str] = []
    for _ in range(chance.randint(0, 8)):
        name, other = "_".join(chance.choices(words, k=chance.randint(1, 2))), chance.choice(words)
        if ending == "go":
            parts.append(f"// {other}\nfunc {name.title().replace('_', '')}() int {{\n\treturn {other}\n}}\n")
        elif ending == "md":
            parts.append(f"The {name} of {other}.\n")
        else:
            parts.append(
                f"# {other}\ndef {name}({other})\n  return {other}\n\n" if ending == "rb" else _python(name, other)
            )
    return ("package p\n\n" if ending == "go" else "") + "".join(parts)


def _python(name: str, other: str) -> str:
    return f"def {name}({other}):\n    return {other}\n\n\n"


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with opened(tmp_path_factory.mktemp("same") / "repo", {**FILES, **texts(random.Random(5))}) as shop:
        yield shop.root


def test_repeated_searches_are_identical(places: Path) -> None:
    finder = Finder(places)
    with open_current(options_state(places)) as snapshot:
        first = answer(finder, snapshot)
        assert all(len(line) > 50 for line in first.split(b"\n"))
        for number in range(49):
            if number % 10 == 0:
                finder.close()
                finder = Finder(places)
            assert answer(finder, snapshot) == first
    finder.close()


def test_other_processes_and_hash_seeds(places: Path) -> None:
    finder = Finder(places)
    with open_current(options_state(places)) as snapshot:
        expected = answer(finder, snapshot)
    finder.close()
    children = [start(places, SCRIPT, environment={"PYTHONHASHSEED": seed}) for seed in ("0", "1", "4711", "random")]
    for child in children:
        output, errors = child.communicate(timeout=60)
        assert child.returncode == 0, errors
        assert output.encode() == expected


def options_state(root: Path) -> StateDirectory:
    return StateDirectory(root / ".codeplane")


def compare_after_edits(directory: Path, seed: int, steps: int) -> None:
    """An incrementally updated index answers like a fresh one."""
    chance = random.Random(seed)
    wanted = texts(chance)
    root = make_repository(directory / "edited" / "repo", dict(chance.sample(sorted(wanted.items()), 20)))
    spare = [content for content in texts(chance).values() if content]
    with Indexer.open(options_for(root)) as indexer:
        indexer.sync()
        for _ in range(steps):
            _edit(root, wanted, spare, chance)
            if chance.random() < 0.6:
                indexer.sync()
            if chance.random() < 0.2:
                indexer.settle()
        for found in root.rglob("*"):
            inside = found.relative_to(root)
            if found.is_file() and not {".git", ".codeplane"} & set(inside.parts) and str(inside) not in wanted:
                found.unlink()
        for path, content in chance.sample(sorted(wanted.items()), len(wanted)):
            write(root, path, content)
        git(root, "add", "-A")
        git(root, "commit", "-qm", "done", "--allow-empty")
        indexer.sync()
    scratch = directory / "scratch" / "repo"
    shutil.copytree(root, scratch, ignore=shutil.ignore_patterns(".codeplane"))
    with Indexer.open(options_for(scratch)) as indexer:
        indexer.sync()
    answers: list[bytes] = []
    counts: list[tuple[int, tuple[str, ...]]] = []
    for place in (root, scratch):
        finder = Finder(place)
        with open_current(options_state(place)) as snapshot:
            answers.append(answer(finder, snapshot))
            counts.append((snapshot.reader.lexical.document_count, _candidates(snapshot)))
        finder.close()
    assert counts[0] == counts[1], f"seed {seed}"
    for request, one, other in zip(REQUESTS, *(each.split(b"\n") for each in answers), strict=True):
        assert one == other, f"seed {seed}: {request}"


def _edit(root: Path, wanted: dict[str, str | bytes], spare: list[str | bytes], chance: random.Random) -> None:
    path = chance.choice(sorted(wanted))
    action = chance.random()
    if action < 0.15:
        (root / path).unlink(missing_ok=True)
    elif action < 0.3:
        write(root, f"gone/{chance.randint(0, 9)}.py", chance.choice(spare))
    elif action < 0.6:
        write(root, path, chance.choice(spare))
    else:
        write(root, path, wanted[path])


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_incremental_index_answers_like_a_fresh_one(tmp_path: Path, seed: int) -> None:
    compare_after_edits(tmp_path, seed, 25)


@pytest.mark.sweep
@pytest.mark.timeout(0)
def test_many_histories_give_identical_answers(tmp_path: Path) -> None:
    rounds, seed = int(os.environ.get("CPL_ROUNDS", "1000")), int(os.environ.get("CPL_SEED", "1"))
    print(f"\nseed {seed}, {rounds} rounds")
    for number in range(max(1, rounds // 20)):
        compare_after_edits(tmp_path / str(number), seed + number, 60)
        shutil.rmtree(tmp_path / str(number))
    with opened(tmp_path / "repo", {**FILES, **texts(random.Random(seed))}) as shop:
        first = answer(shop.finder, shop.snapshot)
        for number in range(rounds):
            assert answer(shop.finder, shop.snapshot) == first
            if number % 50 == 0:
                environment = {"PYTHONHASHSEED": str(number)}
                output, errors = start(shop.root, SCRIPT, environment=environment).communicate(timeout=60)
                assert output.encode() == first, errors
