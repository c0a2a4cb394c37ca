from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from codeplane.base.call_record import EMPTY_RECORD, CallRecord
from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.warnings import WarningCode
from codeplane.ledger.events import TaskState
from codeplane.tasks.fingerprints import failure_fingerprint
from codeplane.tasks.model import UNRESTRICTED, Task, TaskLimits, TaskScope
from codeplane.tasks.open_tasks import MAX_OPEN, OpenTasks
from codeplane.tasks.sessions import Session

MINE = Session("s_" + "a" * 24, "p", "t_" + "a" * 24)
OTHER = Session("s_" + "b" * 24, "q", "t_" + "b" * 24)


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def make(clock: Clock | None = None) -> tuple[OpenTasks, list[Task]]:
    closed: list[Task] = []
    return OpenTasks(clock or Clock(), closed=closed.append), closed


def refusal(action: object) -> CodePlaneError:
    assert callable(action)
    with pytest.raises(CodePlaneError) as raised:
        action()
    return raised.value


def test_calls_belong_to_the_task_opened_last() -> None:
    tasks, closed = make()
    assert tasks.bind(MINE, None) == MINE
    first = tasks.open(MINE, TaskLimits(), UNRESTRICTED)
    second = tasks.open(MINE, TaskLimits(), TaskScope(("src/",), lambda path: path.startswith("src/")))
    bound = tasks.bind(MINE, None)
    assert (bound.task_id, bound.explicit, bound.task_state) == (second.id, True, TaskState.OPEN)
    assert bound.scope.accepts("src/a.py") and not bound.scope.accepts("b.py")
    assert refusal(lambda: bound.scope.require("b.py")).code is ErrorCode.TASK_SCOPE
    assert tasks.bind(MINE, first.id).task_id == first.id
    tasks.close(bound, None, TaskState.CLOSED_SUCCESS)
    assert tasks.bind(MINE, None).task_id == first.id
    tasks.close(MINE, first.id, TaskState.CLOSED_FAILED)
    assert tasks.bind(MINE, None) == MINE
    assert [(task.id, task.state) for task in closed] == [
        (second.id, TaskState.CLOSED_SUCCESS),
        (first.id, TaskState.CLOSED_FAILED),
    ]


def test_shared_session_binds_tasks_by_name_only() -> None:
    tasks, _ = make()
    task = tasks.open(MINE, TaskLimits(), UNRESTRICTED)
    assert tasks.bind(MINE, None, by_name=True) == MINE
    assert tasks.bind(MINE, task.id, by_name=True).explicit


def test_task_of_another_session_and_malformed_id_are_refused() -> None:
    tasks, _ = make()
    task = tasks.open(MINE, TaskLimits(), UNRESTRICTED)
    assert refusal(lambda: tasks.bind(OTHER, task.id)).code is ErrorCode.HANDLE_NOT_YOURS
    assert refusal(lambda: tasks.close(OTHER, task.id, TaskState.CLOSED_SUCCESS)).code is ErrorCode.HANDLE_NOT_YOURS
    assert refusal(lambda: tasks.bind(MINE, "t_x")).code is ErrorCode.ARGUMENT_INVALID
    assert refusal(lambda: tasks.close(MINE, None, TaskState.CLOSED_SUCCESS)).code is ErrorCode.ARGUMENT_INVALID


def test_naming_a_closed_task_does_not_reopen_it() -> None:
    known = {"t_" + "z" * 24: TaskState.OPEN}
    tasks = OpenTasks(Clock(), find_state=known.get)
    task = tasks.open(MINE, TaskLimits(), UNRESTRICTED)
    bound = tasks.bind(MINE, None)
    tasks.close(MINE, task.id, TaskState.CLOSED_SUCCESS)
    assert refusal(lambda: tasks.bind(MINE, task.id)).code is ErrorCode.TASK_CLOSED
    # A call that was running when the task was closed.
    assert refusal(lambda: tasks.admit(bound, None)).code is ErrorCode.TASK_CLOSED
    tasks.spend(bound, 5)
    assert tasks.note(bound, EMPTY_RECORD, "mutations") is None
    left = refusal(lambda: tasks.bind(MINE, "t_" + "z" * 24))
    assert left.details == {"task_state": "CLOSED_INTERRUPTED"}, "it was open in a server that died"


@pytest.mark.parametrize("counts", ["mutations", "test_runs"])
def test_exceeding_a_budget_refuses_the_call_and_closes_the_task(counts: str) -> None:
    tasks, closed = make()
    tasks.open(MINE, TaskLimits(max_mutations=2, max_test_runs=2), UNRESTRICTED)
    session = tasks.bind(MINE, None)
    for _ in range(2):
        tasks.admit(session, counts)  # type: ignore[arg-type]
    error = refusal(lambda: tasks.admit(session, counts))  # type: ignore[arg-type]
    assert error.code is ErrorCode.TASK_BUDGET_EXCEEDED
    assert error.details == {"budget_type": counts, "limit": 2, "current": 2}
    assert [(task.state, task.limit_triggered) for task in closed] == [(TaskState.CLOSED_FAILED, f"max_{counts}")]
    # Continuing, or another kind of call, does not escape the limit; reads are allowed; the task closes once.
    for other in ("mutations", "test_runs"):
        again = refusal(lambda other=other: tasks.admit(tasks.bind(MINE, None), other))
        assert again.details["budget_type"] == counts
    tasks.admit(tasks.bind(MINE, None), None)
    assert len(closed) == 1
    assert tasks.close(session, None, TaskState.CLOSED_SUCCESS).state is TaskState.CLOSED_FAILED
    assert len(closed) == 1
    tasks.admit(tasks.bind(MINE, None), "mutations")


def test_duration_limit_closes_the_task_and_refuses_effects() -> None:
    clock = Clock()
    tasks, closed = make(clock)
    tasks.open(MINE, TaskLimits(max_duration_sec=60), UNRESTRICTED)
    session = tasks.bind(MINE, None)
    clock.now = 59.0
    tasks.admit(session, "mutations")
    clock.now = 60.0
    tasks.admit(session, None)
    assert [task.limit_triggered for task in closed] == ["max_duration_sec"]
    assert refusal(lambda: tasks.admit(session, "mutations")).details["budget_type"] == "duration_sec"


def test_token_limit_refuses_every_call() -> None:
    tasks, closed = make()
    tasks.open(MINE, TaskLimits(max_tokens=100), UNRESTRICTED)
    session = tasks.bind(MINE, None)
    for tokens in (99, 50):
        tasks.admit(session, None)
        tasks.spend(session, tokens)
    error = refusal(lambda: tasks.admit(session, None))
    assert error.details == {"budget_type": "tokens", "limit": 100, "current": 149}
    assert tasks.find(session).calls == 2 and len(closed) == 1


def test_tasks_end_with_their_session() -> None:
    tasks, closed = make()
    task = tasks.open(MINE, TaskLimits(), UNRESTRICTED)
    tasks.drop(MINE)
    tasks.drop(MINE)
    assert [(one.id, one.state) for one in closed] == [(task.id, TaskState.CLOSED_INTERRUPTED)]
    assert refusal(lambda: tasks.bind(MINE, task.id)).code is ErrorCode.TASK_CLOSED


def test_open_tasks_are_bounded_and_idle_ones_are_closed() -> None:
    clock = Clock()
    tasks, closed = make(clock)
    for _ in range(MAX_OPEN):
        clock.now += 1
        task = tasks.open(MINE, TaskLimits(), UNRESTRICTED)
    assert refusal(lambda: tasks.open(MINE, TaskLimits(), UNRESTRICTED)).code is ErrorCode.TOO_BUSY
    tasks.close(MINE, task.id, TaskState.CLOSED_SUCCESS)
    first = tasks.open(MINE, TaskLimits(), UNRESTRICTED)
    clock.now += 1799
    tasks.spend(tasks.bind(MINE, first.id), 1)
    clock.now += 1
    tasks.open(MINE, TaskLimits(), UNRESTRICTED)
    assert [task.state for task in closed] == [TaskState.CLOSED_SUCCESS, TaskState.CLOSED_INTERRUPTED]
    assert first.id != closed[1].id


def test_repeated_mutation_is_reported() -> None:
    tasks, _ = make()
    change, other = CallRecord(mutation_fingerprint="aa"), CallRecord(changed_paths=["a.py"], repo_after_hash="x")
    said = []
    for record in (change, change, other, other, change):
        tasks.admit(MINE, "mutations")
        said.append(tasks.note(MINE, record, "mutations"))
    again = WarningCode.REPEATED_MUTATION
    assert said == [None, again, None, again, again]
    assert (tasks.find(MINE).repeated_mutations, tasks.find(MINE).mutations) == (3, 5), "repetitions count too"


def test_same_failure_after_a_change_is_no_progress() -> None:
    tasks, _ = make()
    fails, passes = CallRecord(failure_fingerprint="ff"), EMPTY_RECORD
    tasks.admit(MINE, None)

    def run(record: CallRecord) -> WarningCode | None:
        return tasks.note(MINE, record, "test_runs")

    assert run(fails) is None
    assert run(fails) is None, "no change in between"
    tasks.note(MINE, CallRecord(mutation_fingerprint="1"), "mutations")
    tasks.note(MINE, EMPTY_RECORD, None)
    assert run(fails) is WarningCode.NO_PROGRESS
    tasks.note(MINE, CallRecord(mutation_fingerprint="2"), "mutations")
    assert run(passes) is None
    tasks.note(MINE, CallRecord(mutation_fingerprint="3"), "mutations")
    assert run(fails) is None, "a passing run in between"
    assert tasks.find(MINE).repeated_failures == 1


def test_budget_is_exact_under_concurrency() -> None:
    tasks, closed = make()
    tasks.open(MINE, TaskLimits(max_mutations=50), UNRESTRICTED)
    session = tasks.bind(MINE, None)

    def work(_: int) -> bool:
        try:
            tasks.admit(session, "mutations")
        except CodePlaneError:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(work, range(200))) == 50
    assert len(closed) == 1


def test_failure_fingerprint_ignores_addresses_lines_and_directories() -> None:
    first = failure_fingerprint(["t1", "t2"], "ValueError: at 0x7f01", 'File "/home/a/x.py", line 3, in f  12.5 s', 1)
    again = failure_fingerprint(["t2", "t1"], "ValueError: at 0x7aff", 'File "/tmp/b/x.py", line 9, in f 0.1 s', 1)
    assert first == again
    for other in (
        failure_fingerprint(["t1"], "ValueError: at 0x7f01", 'File "/home/a/x.py", line 3, in f 1.0 s', 1),
        failure_fingerprint(["t1", "t2"], "KeyError: at 0x7f01", 'File "/home/a/x.py", line 3, in f 1.0 s', 1),
        failure_fingerprint(["t1", "t2"], "ValueError: at 0x7f01", 'File "/home/a/x.py", line 3, in g 1.0 s', 1),
        failure_fingerprint(["t1", "t2"], "ValueError: at 0x7f01", 'File "/home/a/x.py", line 3, in f 1.0 s', 2),
    ):
        assert other != first
