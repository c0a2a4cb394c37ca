from __future__ import annotations

import gc
import sys
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import pytest

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.tasks.handles import HandleStore, estimate_bytes


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def refusal(handles: HandleStore, session_id: str, handle: str, kind: str = "cursor") -> ErrorCode:
    with pytest.raises(CodePlaneError) as raised:
        handles.take(kind, session_id, handle)
    return raised.value.code


def test_handle_can_be_used_repeatedly() -> None:
    handles = HandleStore(Clock())
    value = ("rows", 3)
    handle = handles.mint("cursor", "s1", value)
    assert handle.startswith("c_") and len(handle) - 2 >= 12
    assert handles.take("cursor", "s1", handle) is value
    assert handles.take("cursor", "s1", handle) is value


def test_handle_of_another_session_is_refused() -> None:
    handles = HandleStore(Clock())
    handle = handles.mint("cursor", "s1", 1)
    assert refusal(handles, "s2", handle) is ErrorCode.HANDLE_NOT_YOURS


def test_use_does_not_extend_the_lifetime_of_a_handle() -> None:
    clock = Clock()
    handles = HandleStore(clock)
    handle = handles.mint("cursor", "s1", 1)
    clock.now = 3599.0
    assert handles.take("cursor", "s1", handle) == 1
    clock.now = 3600.0
    assert refusal(handles, "s1", handle) is ErrorCode.HANDLE_EXPIRED
    assert handles.count == 0 and handles.total_bytes == 0


def test_handles_end_with_their_session() -> None:
    handles = HandleStore(Clock())
    gone, stays = handles.mint("cursor", "s1", 1), handles.mint("cursor", "s2", 2)
    handles.drop("s1")
    handles.drop("never")
    assert refusal(handles, "s1", gone) is ErrorCode.HANDLE_EXPIRED
    assert handles.take("cursor", "s2", stays) == 2


def test_sweep_removes_expired_handles() -> None:
    clock = Clock()
    handles = HandleStore(clock)
    handles.mint("cursor", "s1", 1)
    clock.now = 1800.0
    handles.mint("cursor", "s1", 2)
    clock.now = 3600.0
    assert handles.sweep() == 1


@pytest.mark.parametrize("handle", ["", "c_", "c_short", "x_" + "a" * 12, "c_" + "a" * 13, "c_" + "a" * 11 + "/"])
def test_malformed_cursor_is_an_invalid_argument(handle: str) -> None:
    assert refusal(HandleStore(Clock()), "s1", handle) is ErrorCode.ARGUMENT_INVALID


def test_handle_of_another_kind_is_rejected() -> None:
    handles = HandleStore(Clock())
    plan = handles.mint("plan", "s1", 1)
    assert handles.take("plan", "s1", plan) == 1
    assert refusal(handles, "s1", plan) is ErrorCode.ARGUMENT_INVALID


def test_unknown_handle_is_expired() -> None:
    assert refusal(HandleStore(Clock()), "s1", "c_" + "a" * 12) is ErrorCode.HANDLE_EXPIRED


def test_lru_handle_of_the_same_session_is_evicted() -> None:
    handles = HandleStore(Clock(), capacity=3)
    other = handles.mint("cursor", "s2", "other")
    first, second, third = (handles.mint("cursor", "s1", number) for number in range(3))
    handles.take("cursor", "s1", first)
    fourth = handles.mint("cursor", "s1", 3)
    assert refusal(handles, "s1", second) is ErrorCode.HANDLE_EXPIRED
    assert [handles.take("cursor", "s1", handle) for handle in (first, third, fourth)] == [0, 2, 3]
    assert handles.take("cursor", "s2", other) == "other"


def test_total_number_of_handles_is_bounded() -> None:
    handles = HandleStore(Clock(), total=50)
    for number in range(500):
        handles.mint("cursor", f"s{number}", number)
    assert handles.count == 50


def test_bytes_are_bounded_per_session_and_in_total() -> None:
    handles = HandleStore(Clock(), max_bytes=400_000)
    for _ in range(20):
        handles.mint("cursor", "greedy", "x" * 30_000)
    assert handles.count == 3
    for number in range(50):
        handles.mint("cursor", f"s{number}", "x" * 30_000)
    assert 300_000 < handles.total_bytes <= 400_000


def test_too_large_value_is_refused_without_evictions() -> None:
    handles = HandleStore(Clock(), max_bytes=400_000)
    small = handles.mint("cursor", "s1", 1)
    with pytest.raises(CodePlaneError) as raised:
        handles.mint("cursor", "s1", "x" * 200_000)
    assert raised.value.code is ErrorCode.TOO_BUSY
    assert handles.take("cursor", "s1", small) == 1


def test_memory_stays_flat_over_100000_cursors() -> None:
    handles = HandleStore(Clock())

    def flood(count: int) -> None:
        for number in range(count):
            handles.mint("cursor", f"s{number % 3}", (number, "page"))

    flood(2_000)
    gc.collect()
    blocks, kept = sys.getallocatedblocks(), handles.total_bytes
    flood(100_000)
    gc.collect()
    assert handles.count == 300
    assert sys.getallocatedblocks() - blocks < 300
    assert handles.total_bytes - kept < 300 * 32


@dataclass(frozen=True)
class _Line:
    path: str
    line: int


def test_size_estimate_is_close() -> None:
    gc.collect()
    tracemalloc.start()
    try:
        value = [_Line(f"src/module_{number}.py", number + 1000) for number in range(5000)]
        real = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert real / 2 < estimate_bytes(value) < real * 2


def test_concurrent_handles() -> None:
    handles = HandleStore(Clock(), capacity=10, total=35)

    def work(number: int) -> None:
        session = f"s{number % 5}"
        handle = handles.mint("cursor", session, number)
        try:
            assert handles.take("cursor", session, handle) == number
        except CodePlaneError as error:
            assert error.code is ErrorCode.HANDLE_EXPIRED
        if number % 50 == 0:
            handles.drop(session)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(4000)))
    assert handles.count <= 35
    for number in range(5):
        handles.drop(f"s{number}")
    assert (handles.count, handles.total_bytes) == (0, 0)
