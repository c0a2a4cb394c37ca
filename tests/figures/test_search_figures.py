"""The measure of search can be trusted: its score, its trees, its peers, and that a run goes on where it stopped."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from benchmarks.search.bm25 import Bm25
from benchmarks.search.data import Data, Place, Question
from benchmarks.search.grep import Grep
from benchmarks.search.runs import answers_of
from benchmarks.search.score import interval, judge, score

PROJECT = Path(__file__).resolve().parents[2]
RULES = """
MAX_BYTES = 1000
def is_code(path):
    return path.endswith(".py")
"""


def a_question(identity: str = "q", *, query: str = "", commit: str = "", **more: Any) -> Question:
    files = frozenset(more.pop("files", ("a.py",)))
    gold = more.pop("gold", ())
    return Question(identity, more.pop("set", "A"), "own/repo", commit, query, files, gold, "", "")


@pytest.mark.parametrize(
    ("ranked", "expected"),
    [
        (["a.py", "b.py"], 1.0),
        (["x.py", "a.py", "b.py"], (1 / math.log2(3) + 1 / math.log2(4)) / (1 + 1 / math.log2(3))),
        (["x.py", "x.py", "x.py", "a.py"], (1 / math.log2(3)) / (1 + 1 / math.log2(3))),
        ([f"{number}.py" for number in range(10)] + ["a.py"], 0.0),
        ([], 0.0),
    ],
)
def test_file_counts_at_its_first_rank(ranked: list[str], expected: float) -> None:
    found = judge(a_question(files=("a.py", "b.py")), [Place(path) for path in ranked])
    assert found["NDCG@10"] == pytest.approx(expected)
    assert "span MRR" not in found


@pytest.mark.parametrize(
    ("place", "hit"),
    [
        (Place("a.py", 14, 14), 1.0),
        (Place("a.py", 1, 120), 1.0),
        (Place("a.py", 1, 121), 0.0),
        (Place("a.py", 15, 20), 0.0),
        (Place("b.py", 10, 14), 0.0),
        (Place("a.py"), 0.0),
    ],
)
def test_overlapping_span_counts_unless_it_is_a_whole_file(place: Place, hit: float) -> None:
    found = judge(a_question(gold=(Place("a.py", 10, 14),)), [place])
    assert found["span Hit@1"] == hit


def test_missing_answer_counts_as_empty() -> None:
    questions = [a_question("1"), a_question("2")]
    found = score(questions, {"1": [Place("a.py")]})
    assert (found.ndcg, found.answered) == (0.5, 1)
    assert found.low <= 0.5 <= found.high


def test_an_interval_is_the_same_each_time_and_narrows_with_more_questions() -> None:
    few, many = [0.0, 1.0] * 10, [0.0, 1.0] * 500
    assert interval(few) == interval(few)
    assert interval(many)[1] - interval(many)[0] < interval(few)[1] - interval(few)[0]


def test_grep_puts_a_definition_before_uses_whatever_its_style(tmp_path: Path) -> None:
    (tmp_path / "use.py").write_text("readPart()\nread_part()\nread_part()\n")
    (tmp_path / "zz.py").write_text("import os\n\ndef read_part(x):\n    return x\n")
    grep = Grep()
    grep.turn_to(tmp_path)
    for query in ("read_part", "readPart", "read part"):
        assert grep.ask(query)[0] == Place("zz.py", 3, 3), query
    assert [place.path for place in grep.ask("where does os return")] == ["zz.py"]


def test_bm25_weighs_rare_words_and_sees_what_changed(tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        (tmp_path / f"{name}.py").write_text(f"common common {'rareWord' if name == 'b' else 'other'}\n")
    peer = Bm25()
    peer.turn_to(tmp_path)
    assert peer.ask("common rare word")[0] == Place("b.py")
    (tmp_path / "b.py").write_text("common common nothing else of it\n")
    (tmp_path / "c.py").write_text("common rareWord\n")
    peer.turn_to(tmp_path)
    assert peer.ask("common rare word")[0] == Place("c.py")


@pytest.fixture
def data(tmp_path: Path) -> Data:
    folder = tmp_path / "data"
    (folder / "lib").mkdir(parents=True)
    (folder / "lib" / "evlib.py").write_text(RULES)
    return Data(folder, tmp_path / "mirror", tmp_path / "work")


@pytest.fixture
def commit(data: Data, tmp_path: Path) -> Callable[[dict[str, str]], str]:
    """Commits a whole tree to the clone, later than the last one."""
    tree = tmp_path / "tree"
    clone = data.mirror / "own+repo" / "repo"
    clone.mkdir(parents=True)
    subprocess.run(["git", "init", "-q", "--bare", str(clone)], check=True)
    made: list[str] = []

    def add(files: dict[str, str]) -> str:
        for old in sorted(tree.rglob("*"), reverse=True):
            old.rmdir() if old.is_dir() else old.unlink()
        for path, text in files.items():
            (tree / path).parent.mkdir(parents=True, exist_ok=True)
            (tree / path).write_text(text)
        when = f"{1_700_000_000 + len(made)} +0000"
        own = {"GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when, "GIT_CONFIG_GLOBAL": "/dev/null"}
        git = ["git", f"--git-dir={clone}", f"--work-tree={tree}", "-c", "user.name=t", "-c", "user.email=t@localhost"]
        for words in (["add", "-A"], ["commit", "-q", "-m", "x"]):
            subprocess.run([*git, *words], check=True, env={**os.environ, **own})
        head = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True)
        made.append(head.stdout.strip())
        return made[-1]

    return add


FIRST = {"same.py": "same\n", "gone.py": "gone\n", "turn/into.py": "1\n", "README.md": "text\n", "big.py": "x" * 1001}
SECOND = {"same.py": "same\n", "turn": "no code\n", "new/deep/file.py": "2\n"}
THIRD = {"same.py": "same\n", "turn/into.py": "3\n", "new/deep/file.py": "2\n"}


def test_snapshots_are_written_over_each_other_oldest_first(
    data: Data, commit: Callable[[dict[str, str]], str]
) -> None:
    commits = [commit(files) for files in (FIRST, SECOND, THIRD)]
    questions = [a_question(str(number), commit=sha) for number, sha in reversed(list(enumerate(commits)))]
    seen = []
    written = set()
    for tree, (question,) in data.trees(questions):
        files = {file.relative_to(tree).as_posix(): file.read_text() for file in tree.rglob("*.py")}
        seen.append((question.id, files))
        written.add((tree / "same.py").stat().st_mtime_ns)
    assert seen == [
        ("0", {"same.py": "same\n", "gone.py": "gone\n", "turn/into.py": "1\n"}),
        ("1", {"same.py": "same\n", "new/deep/file.py": "2\n"}),
        ("2", {"same.py": "same\n", "turn/into.py": "3\n", "new/deep/file.py": "2\n"}),
    ]
    assert len(written) == 1, "a file that did not change was written again"


def test_interrupted_checkout_is_discarded_and_index_kept(data: Data, commit: Callable[[dict[str, str]], str]) -> None:
    first, second = commit(FIRST), commit(SECOND)
    ((tree, _),) = list(data.trees([a_question(commit=first)]))
    (tree / ".codeplane").mkdir()
    (tree / "left.py").write_text("left over\n")
    (tree / "same.py").write_text("half wri")
    tree.with_name(f"{tree.name}.json").unlink()
    list(data.trees([a_question(commit=second)]))
    found = {file.relative_to(tree).as_posix() for file in tree.rglob("*")}
    assert found == {".codeplane", "same.py", "new", "new/deep", "new/deep/file.py"}
    assert (tree / "same.py").read_text() == "same\n"


class Counting:
    """A contender that notes what it is asked."""

    def __init__(self, asked: list[str], fails_at: str = "") -> None:
        self._asked = asked
        self._fails_at = fails_at

    def turn_to(self, tree: Path) -> None:
        assert (tree / "same.py").exists()

    def ask(self, query: str) -> list[Place]:
        if query == self._fails_at:
            raise KeyboardInterrupt
        self._asked.append(query)
        return [Place("same.py", 1, 1), Place(f"{query}.py")]

    def close(self) -> None:
        self._asked.append("closed")


def test_interrupted_run_resumes(data: Data, commit: Callable[[dict[str, str]], str]) -> None:
    shas = [commit({"same.py": str(number)}) for number in range(3)]
    questions = [a_question(str(number), query=str(number), commit=sha) for number, sha in enumerate(shas)]
    asked: list[str] = []
    with pytest.raises(KeyboardInterrupt):
        answers_of(data, "own", lambda: Counting(asked, fails_at="1"), "A", questions)
    kept = data.work / "runs" / "own" / "A.jsonl"
    kept.write_text(kept.read_text() + '{"id": "1", "ran')
    found = answers_of(data, "own", lambda: Counting(asked), "A", questions)
    assert asked == ["0", "closed", "1", "2", "closed"]
    assert found == {str(n): [Place("same.py", 1, 1), Place(f"{n}.py")] for n in range(3)}
    assert answers_of(data, "own", lambda: pytest.fail("started again"), "A", questions) == found


def test_the_command_prints_a_row_for_each_contender(data: Data, commit: Callable[[dict[str, str]], str]) -> None:
    sha = commit(
        {"store.py": "def open_store():\n    pass\n", "use.py": "from store import open_store\nopen_store()\n"}
    )
    row = {"id": "A/1", "repo": "own/repo", "base_commit": sha, "query": "open_store", "gold_files": ["store.py"]}
    (data.folder / "A.jsonl").write_text(json.dumps(row) + "\n")
    words = [str(data.folder), "--mirror", str(data.mirror), "--work", str(data.work), "--sets", "A", "--json"]
    command = [sys.executable, "-m", "benchmarks.search.quality", *words, "--peers", "bm25,grep", "--without-ours"]
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)["data"]
    assert found["grep"]["A"]["NDCG@10"] == 1.0
    assert found["bm25"]["A"]["R@10"] == 1.0
