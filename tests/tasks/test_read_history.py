"""Read history of sessions."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from codeplane.tasks.read_history import RECENT_READS, TOP_PATHS, BudgetState, ReadBudget, ReadHistory, ReadMetrics
from codeplane.tasks.sessions import Session

ONE = Session("s_1", "me", "t_1")
TWO = Session("s_2", "you", "t_2")
SMALL = ReadBudget(max_reads=2, max_total_lines=100)


def test_reads_are_counted() -> None:
    history = ReadHistory()
    assert history.metrics(ONE) == ReadMetrics()
    history.record_read(ONE, "a.py", 10, 400, degraded=False)
    history.record_search(ONE, ["b.py", "c.py"])
    history.record_read(ONE, "b.py", 30, 600, degraded=True)
    history.record_read(ONE, "d.py", 2, 10, degraded=False)
    assert history.metrics(ONE) == ReadMetrics(3, 42, 1010, 1, 0.33, 14, 30, 1)
    assert history.metrics(TWO) == ReadMetrics()
    assert "search_count" not in ReadMetrics(1).as_dict()


def test_history_is_deterministic() -> None:
    def told() -> list[object]:
        history = ReadHistory()
        found: list[object] = []
        for n in range(60):
            if n % 7 == 0:
                history.record_search(ONE, [f"d{n}/a.py", f"d{n + 1}/a.py"])
            history.begin(ONE, f"request {n % 5}")
            found.append(history.suggest_instead(ONE, f"d{n % 9}/a.py"))
            found.append(history.find_shown(ONE, f"d{n % 9}/a.py", "x", n % 4, n % 4 + 3))
            history.record_shown(ONE, f"d{n % 9}/a.py", "x", n % 6, n % 6 + 5, f"r_{n}")
            history.record_read(ONE, f"d{n % 9}/a.py", n, n * 30, degraded=n % 3 == 0)
            found.append((history.budget_state(ONE, SMALL), history.metrics(ONE)))
        return found

    assert told() == told()


def test_budget_is_soft_when_used_up_and_hard_at_twice_that() -> None:
    for lines, reads in ((1, 2), (50, 2)):
        history = ReadHistory()
        standings = []
        for _ in range(2 * reads + 1):
            standings.append(history.budget_state(ONE, SMALL))
            history.record_read(ONE, "a.py", lines, 1, degraded=False)
        assert standings == [BudgetState.OK] * 2 + [BudgetState.SOFT] * 2 + [BudgetState.HARD]
        history.reset(ONE)
        assert history.budget_state(ONE, SMALL) is BudgetState.OK


def test_new_task_restarts_counts_and_keeps_shown_lines() -> None:
    history = ReadHistory()
    history.record_shown(ONE, "a.py", "x", 1, 9, "r_1")
    history.record_read(ONE, "a.py", 9, 100, degraded=False)
    task = replace(ONE, task_id="t_9", explicit=True)
    assert history.metrics(task).reads_count == 0
    assert given(history, task, "a.py", "x", 2, 3) == [(2, 3, 1)]


def test_budget_is_mentioned_at_intervals() -> None:
    history = ReadHistory()
    said = []
    for _ in range(30):
        history.record_read(ONE, "a.py", 1, 1, degraded=False)
        said.append(
            history.should_mention(ONE, history.budget_state(ONE, ReadBudget(max_reads=5, max_total_lines=1000)))
        )
    assert [number for number, worth in enumerate(said, 1) if worth] == [5, 10, 20, 30]


def test_unrelated_files_are_questioned_once() -> None:
    history = ReadHistory()
    assert history.suggest_instead(ONE, "far/a.py") == (), "no search yet"
    history.record_search(ONE, ["src/a.py", "lib/b.py", "lib/c.py", "lib/d.py"])
    assert history.suggest_instead(ONE, "lib/b.py") == ()
    assert history.suggest_instead(ONE, "lib/other.py") == (), "sibling of a search result"
    assert history.suggest_instead(ONE, "far/a.py") == ("src/a.py", "lib/b.py", "lib/c.py")
    assert history.suggest_instead(ONE, "far/a.py") == (), "questioned once"
    history.record_shown(ONE, "more/a.py", "x", 1, 2, "r_1")
    assert history.suggest_instead(ONE, "more/a.py") == (), "read before"
    for n in range(3):
        history.record_search(ONE, [f"new/{n}.py"])
    assert history.suggest_instead(ONE, "lib/b.py") == ("new/2.py", "new/1.py", "new/0.py"), (
        "an old search is forgotten"
    )
    history.record_search(TWO, [f"d{n}/x.py" for n in range(100)])
    assert history.suggest_instead(TWO, f"d{TOP_PATHS}/x.py") != ()
    assert history.suggest_instead(TWO, f"d{TOP_PATHS - 1}/x.py") == ()


def given(
    history: ReadHistory, session: Session, path: str, digest: str, first: int, last: int
) -> list[tuple[int, ...]]:
    found = history.find_shown(session, path, digest, first, last)
    return [(lines.first, lines.last, int(lines.request_id.removeprefix("r_"))) for lines in found]


def test_find_shown_lines() -> None:
    history = ReadHistory()
    history.begin(ONE, "first")
    history.record_shown(ONE, "a.py", "x", 10, 20, "r_1")
    history.record_shown(ONE, "a.py", "x", 15, 40, "r_2")
    assert given(history, ONE, "a.py", "x", 10, 20) == [(10, 20, 1)], "one answer showed all of them"
    assert given(history, ONE, "a.py", "x", 15, 20) == [(15, 20, 2)], "the latest answer that showed them"
    assert given(history, ONE, "a.py", "x", 10, 40) == [(10, 14, 1), (15, 40, 2)]
    assert given(history, ONE, "a.py", "x", 1, 50) == [(10, 14, 1), (15, 40, 2)]
    assert given(history, ONE, "a.py", "x", 41, 50) == []
    assert given(history, ONE, "a.py", "y", 10, 20) == [], "another content"
    assert given(history, ONE, "b.py", "x", 10, 20) == []
    assert given(history, TWO, "a.py", "x", 10, 20) == []
    history.record_shown(ONE, "a.py", "y", 1, 2, "r_3")
    assert given(history, ONE, "a.py", "x", 10, 20) == [], "the previous content is forgotten"
    for n in range(RECENT_READS):
        history.begin(ONE, str(n))
    assert given(history, ONE, "a.py", "y", 1, 2) == [(1, 2, 3)]
    history.begin(ONE, "one more")
    assert given(history, ONE, "a.py", "y", 1, 2) == [], "not recent"


def test_shown_lines_equal_a_naive_model() -> None:
    random = Random(3)
    for _ in range(50):
        history, model = ReadHistory(), dict[int, int]()
        for number in range(random.randint(1, 30)):
            first = random.randint(1, 100)
            last = first + random.randint(0, 30)
            history.record_shown(ONE, "a.py", "x", first, last, f"r_{number}")
            model |= dict.fromkeys(range(first, last + 1), number)
        first = random.randint(1, 100)
        last = first + random.randint(0, 60)
        found = given(history, ONE, "a.py", "x", first, last)
        lines = [line for start, end, _ in found for line in range(start, end + 1)]
        assert lines == [line for line in range(first, last + 1) if line in model], "each line once, in order"
        if len(found) > 1:
            assert all(model[line] == number for start, end, number in found for line in range(start, end + 1))


def test_repeated_request_is_detected() -> None:
    history = ReadHistory()
    assert [history.begin(ONE, request) for request in ("a", "a", "b", "a", "a")] == [
        False,
        True,
        False,
        False,
        True,
    ]
    assert history.begin(TWO, "a") is False


def test_history_is_bounded() -> None:
    history = ReadHistory(capacity=10)
    for n in range(100):
        history.record_read(Session(f"s_{n}", "me", f"t_{n}"), "a.py", 1, 1, degraded=False)
    assert len(history._states) == 10
    last = Session("s_99", "me", "t_99")
    for n in range(2000):
        history.record_shown(last, f"f{n}.py", "x", 1, 2, "r")
        for line in range(3):
            history.record_shown(last, "same.py", "x", line, n, "r")
    state = history._states["s_99"]
    assert len(state.served) <= 500 and len(state.served["same.py"].spans) <= 64
    history.drop("s_99")
    assert history.metrics(last) == ReadMetrics()
