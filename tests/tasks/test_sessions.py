from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.ledger.events import TaskState
from codeplane.tasks.sessions import Session, Sessions


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class Heard:
    def __init__(self) -> None:
        self.opened: list[str] = []
        self.ended: list[tuple[str, TaskState]] = []

    def on_opened(self, session: Session) -> None:
        self.opened.append(session.task_id)

    def on_ended(self, session: Session, state: TaskState) -> None:
        self.ended.append((session.task_id, state))


def make(clock: Clock, capacity: int = 1000) -> tuple[Sessions, Heard]:
    heard = Heard()
    return Sessions(clock, capacity=capacity, opened=heard.on_opened, ended=heard.on_ended), heard


def refusal(sessions: Sessions, principal: str, session_id: str) -> ErrorCode:
    with pytest.raises(CodePlaneError) as raised:
        sessions.resolve(principal, session_id)
    return raised.value.code


def test_a_principal_has_one_default_session_with_an_open_task() -> None:
    sessions, heard = make(Clock())
    first = sessions.resolve("a")
    second = sessions.resolve("a")
    assert (first.fresh, second.fresh) == (True, False)
    assert (first.id, first.task_id) == (second.id, second.task_id)
    assert (second.task_state, second.explicit) == (TaskState.OPEN, False)
    assert sessions.resolve("a", first.id) == second
    assert sessions.resolve("b").id != first.id
    assert heard.opened[0] == first.task_id and len(heard.opened) == 2


def test_ids_carry_at_least_128_bits_and_never_repeat() -> None:
    sessions, _ = make(Clock())
    ids = {sessions.resolve(f"p{number}").id for number in range(500)}
    assert len(ids) == 500
    assert all(session_id.startswith("s_") and len(session_id) - 2 >= 22 for session_id in ids)


def test_session_of_another_principal_is_refused_and_not_extended() -> None:
    clock = Clock()
    sessions, _ = make(clock)
    mine = sessions.resolve("a").id
    clock.now = 1799.0
    assert refusal(sessions, "b", mine) is ErrorCode.HANDLE_NOT_YOURS
    clock.now = 1800.0
    assert refusal(sessions, "a", mine) is ErrorCode.HANDLE_EXPIRED


@pytest.mark.parametrize("session_id", ["", "s_", "x", "c_" + "a" * 24, "s_" + "a" * 23 + "\n", "s_" + "é" * 24])
def test_malformed_session_id_is_an_invalid_argument(session_id: str) -> None:
    assert refusal(make(Clock())[0], "a", session_id) is ErrorCode.ARGUMENT_INVALID


def test_unknown_session_id_is_expired() -> None:
    assert refusal(make(Clock())[0], "a", "s_" + "a" * 24) is ErrorCode.HANDLE_EXPIRED


def test_session_ends_30_minutes_after_its_last_call() -> None:
    clock = Clock()
    sessions, heard = make(clock)
    first = sessions.resolve("a")
    clock.now = 1799.0
    sessions.resolve("a")
    clock.now = 1799.0 + 1799.0
    assert sessions.resolve("a").id == first.id
    clock.now += 1800.0
    later = sessions.resolve("a")
    assert later.id != first.id and later.fresh
    assert heard.ended == [(first.task_id, TaskState.CLOSED_SUCCESS)]


def test_sweep_ends_idle_sessions() -> None:
    clock = Clock()
    sessions, heard = make(clock)
    sessions.resolve("a")
    clock.now = 900.0
    sessions.resolve("b")
    clock.now = 1800.0
    assert sessions.sweep() == 1
    assert len(heard.ended) == 1


def test_lru_session_is_ended_to_make_room() -> None:
    sessions, heard = make(Clock(), capacity=2)
    first, second = sessions.resolve("a"), sessions.resolve("b")
    sessions.resolve("a")
    sessions.resolve("c")
    assert heard.ended == [(second.task_id, TaskState.CLOSED_INTERRUPTED)]
    assert sessions.resolve("a", first.id).id == first.id
    assert refusal(sessions, "b", second.id) is ErrorCode.HANDLE_EXPIRED
    assert sessions.sweep() == 2


def test_end_closes_only_the_sessions_of_that_principal() -> None:
    sessions, heard = make(Clock())
    gone, stays = sessions.resolve("a"), sessions.resolve("b")
    sessions.end("a")
    assert heard.ended == [(gone.task_id, TaskState.CLOSED_SUCCESS)]
    assert sessions.resolve("b").id == stays.id


def test_closing_interrupts_every_task_once() -> None:
    sessions, heard = make(Clock())
    tasks = {sessions.resolve(principal).task_id for principal in "abc"}
    sessions.close()
    sessions.close()
    assert {task for task, _ in heard.ended} == tasks and len(heard.ended) == 3
    assert {state for _, state in heard.ended} == {TaskState.CLOSED_INTERRUPTED}


def test_concurrent_first_calls_share_one_session() -> None:
    sessions, heard = make(Clock())
    with ThreadPoolExecutor(16) as pool:
        found = list(pool.map(lambda number: sessions.resolve(f"p{number % 4}"), range(2000)))
    assert len({session.id for session in found}) == 4
    assert sum(session.fresh for session in found) == 4
    assert len(heard.opened) == 4
