"""Repeated reads: lines that are not sent twice, warnings, and budgets."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.config.model import Config, ReadingConfig
from codeplane.operations.roots import Roots, open_root
from codeplane.tasks.handles import HandleStore
from codeplane.tasks.open_tasks import OpenTasks
from codeplane.tasks.read_history import ReadHistory
from codeplane.tasks.sessions import Session
from codeplane.tools.arguments import validate
from codeplane.tools.calls import Call
from codeplane.tools.catalog.read import READ
from codeplane.tools.handlers.read import read
from codeplane.tools.handlers.read_request import ReadArguments
from codeplane.tools.surface import EVERYTHING, Surface
from support.repositories import make_repository, sync, write
from support.tooling import AGENT, QUIET, Envelope, Server, context_for, error_of, follow, serving

TEXT = "".join(f"def function_{n}(argument):\n    return argument + {n}\n" for n in range(200))
FILES: dict[str, str | bytes] = {
    "src/a.py": TEXT,
    "src/b.py": TEXT + "# b\n",
    "far/c.py": TEXT + "# c\n",
    "s.py": "x\n",
}


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with serving(make_repository(tmp_path / "repo", FILES)) as found:
        yield found


def strict(**changes: int) -> Config:
    return replace(QUIET, reading=ReadingConfig(True, **changes))


def test_lines_already_sent_are_referenced(server: Server) -> None:
    first = server.call("read", {"target": "src/a.py:1-100"})
    assert "already_served" not in first["result"]
    second = server.call("read", {"target": "src/a.py:11-90"})
    assert second["result"]["already_served"] == first["meta"]["request_id"]
    assert "content" not in second["result"] and second["meta"]["token_estimate"] == 0
    assert (second["result"]["line_start"], second["result"]["line_end"]) == (11, 90)
    assert second["result"]["file_sha256"] == first["result"]["file_sha256"]
    again = follow(server, second["hints"]["again"])
    assert again["result"]["content"] == "".join(TEXT.splitlines(keepends=True)[10:90])


def test_repeated_call_resends_the_lines(server: Server) -> None:
    """A context may have been lost; no rule of ours must stand between an agent and the text."""
    asked = {"target": "src/a.py:1-100"}
    text = server.call("read", asked)["result"]["content"]
    assert server.call("read", asked)["result"]["content"] == text, "asked again at once"
    server.call("read", {"target": "src/b.py:1-50"})
    assert "already_served" in server.call("read", asked)["result"]
    assert server.call("read", asked)["result"]["content"] == text
    assert server.call("read", {**asked, "fresh": True})["result"]["content"] == text


def test_changed_text_and_other_sessions_get_the_lines(server: Server) -> None:
    server.call("read", {"target": "src/a.py:1-100"})
    assert "content" in server.call("read", {"target": "src/a.py:1-99"}, principal="another")["result"]
    write(server.root, "src/a.py", TEXT.replace("function_1(", "function_one("))
    assert "content" in server.call("read", {"target": "src/a.py:1-98"})["result"], "it was changed meanwhile"
    server.call("read", {"target": "s.py"})
    assert server.call("read", {"target": "s.py:1-1"})["result"]["content"] == "x\n", "too short to refer to"
    server.call("reset_budget")
    assert "content" in server.call("read", {"target": "src/a.py:2-98"})["result"]


def lines(first: int, last: int) -> str:
    return "".join(TEXT.splitlines(keepends=True)[first - 1 : last])


def text_of(result: dict[str, Any]) -> str:
    """Return the lines that an answer sends, and those that it references."""
    parts = {part["line_start"]: part["content"] for part in result.get("parts", [])}
    parts |= {run["line_start"]: lines(run["line_start"], run["line_end"]) for run in result.get("given_before", [])}
    return "".join(parts[line] for line in sorted(parts))


def test_overlapping_lines_are_not_resent(server: Server) -> None:
    first = server.call("read", {"target": "src/a.py:1-100"})["meta"]["request_id"]
    second = server.call("read", {"target": "src/a.py:50-150"})
    result = second["result"]
    assert "content" not in result and "already_served" not in result
    assert result["parts"] == [{"line_start": 101, "line_end": 150, "content": lines(101, 150)}]
    assert result["given_before"] == [{"line_start": 50, "line_end": 100, "request_ids": [first]}]
    assert (result["line_start"], result["line_end"], result["line_count"]) == (50, 150, 400)
    assert second["meta"]["token_estimate"] == len(lines(101, 150)) // 4
    assert follow(server, second["hints"]["again"])["result"]["content"] == lines(50, 150)


def test_lines_are_new_on_both_sides_of_an_earlier_read(server: Server) -> None:
    server.call("read", {"target": "src/a.py:100-150"})
    result = server.call("read", {"target": "src/a.py:80-190"})["result"]
    assert [(part["line_start"], part["line_end"]) for part in result["parts"]] == [(80, 99), (151, 190)]
    assert text_of(result) == lines(80, 190)


def test_several_earlier_reads_together_hold_the_lines(server: Server) -> None:
    ids = [
        server.call("read", {"target": f"src/a.py:{first}-{last}"})["meta"]["request_id"]
        for first, last in ((1, 60), (61, 120), (121, 180))
    ]
    result = server.call("read", {"target": "src/a.py:20-170"})["result"]
    assert result["already_served"] == ids[-1] and "content" not in result and "parts" not in result
    assert result["given_before"] == [{"line_start": 20, "line_end": 170, "request_ids": ids}]
    gap = server.call("read", {"target": "src/a.py:1-200"})["result"]
    assert [(part["line_start"], part["line_end"]) for part in gap["parts"]] == [(181, 200)]
    again = server.call("read", {"target": "src/a.py:175-190"})["result"]
    assert again["content"] == lines(175, 190), "too short to refer to"


def test_short_runs_of_known_lines_are_resent(server: Server) -> None:
    server.call("read", {"target": "src/a.py:50-60"})
    result = server.call("read", {"target": "src/a.py:1-120"})["result"]
    assert result["content"] == lines(1, 120)


def test_known_lines_do_not_count_against_the_size(server: Server) -> None:
    whole = server.call("read", {"target": "src/a.py"})
    assert whole["result"]["line_end"] == 300 and whole["result"]["lines_left"] == 100
    result = server.call("read", {"target": "src/a.py:1-400"})["result"]
    assert "lines_left" not in result and text_of(result) == lines(1, 400)
    assert [(part["line_start"], part["line_end"]) for part in result["parts"]] == [(301, 400)]


def test_a_limit_counts_known_lines_too(server: Server) -> None:
    server.call("read", {"target": "src/a.py:1-100"})
    result = server.call("read", {"target": "src/a.py", "limit": 120})["result"]
    assert (result["line_end"], result["lines_left"]) == (120, 280)
    assert [(part["line_start"], part["line_end"]) for part in result["parts"]] == [(101, 120)]
    only = server.call("read", {"target": "src/a.py", "limit": 90})["result"]
    assert "already_served" in only and only["lines_left"] == 310


def test_truncated_lines_count_as_new(server: Server) -> None:
    cut = server.call("read", {"target": "src/a.py:1-200", "max_preview_chars": 3000})["result"]
    last = cut["line_end"]
    assert last < 200
    result = server.call("read", {"target": "src/a.py:1-200"})["result"]
    assert [(part["line_start"], part["line_end"]) for part in result["parts"]] == [(last + 1, 200)]
    assert text_of(result) == lines(1, 200)


def test_partially_sent_line_counts_as_new(server: Server) -> None:
    long = "x = '" + "a" * 5000 + "'\n"
    write(server.root, "long.py", lines(1, 60) + long)
    server.call("read", {"target": "long.py:61-61", "max_preview_chars": 1000})
    server.call("read", {"target": "long.py:1-61", "max_preview_chars": 4000})
    result = server.call("read", {"target": "long.py:30-61"})["result"]
    assert result["parts"] == [{"line_start": 61, "line_end": 61, "content": long}]


def test_overlaps_among_the_targets_of_one_call(server: Server) -> None:
    found = server.call("read", {"targets": ["src/a.py:1-100", "src/a.py:60-160"]})
    first, second = found["result"]["items"]
    assert first["content"] == lines(1, 100)
    assert second["parts"] == [{"line_start": 101, "line_end": 160, "content": lines(101, 160)}]
    (again,) = follow(server, found["hints"]["again"])["result"]["items"]
    assert again["content"] == lines(60, 160)


def test_any_sequence_of_reads_gives_every_line(server: Server) -> None:
    """Property: sent and referenced lines together are the requested lines."""
    random = Random(7)
    for _ in range(60):
        first = random.randint(1, 390)
        last = min(400, first + random.randint(0, 150))
        result = server.call("read", {"target": f"src/a.py:{first}-{last}"})["result"]
        if "parts" in result or "given_before" in result:
            assert text_of(result) == lines(first, last)
        elif "content" in result:
            assert result["content"] == lines(first, last)
        else:
            assert result["already_served"]


def test_overlaps_within_one_call(server: Server) -> None:
    found = server.call("read", {"targets": ["src/a.py:1-100", "src/a.py:20-60", "src/a.py#function_3"]})
    whole, part, small = found["result"]["items"]
    assert "content" in whole and part["already_served"] == found["meta"]["request_id"]
    assert "content" in small
    again = follow(server, found["hints"]["again"])
    assert [item["line_start"] for item in again["result"]["items"]] == [20]


def test_the_same_calls_have_the_same_answers(tmp_path: Path) -> None:
    def told(name: str) -> list[str]:
        root = make_repository(tmp_path / name / "repo", FILES)
        seen: dict[str, str] = {}
        answers = []
        with serving(root) as server:
            for n in range(40):
                if n % 9 == 4:
                    server.call("search", {"query": f"function_{n}", "mode": "lexical"})
                path = ("src/a.py", "src/b.py", "far/c.py")[n % 3]
                found = server.call("read", {"target": f"{path}:{n % 5 + 1}-{n % 7 + 60}"})
                seen[found["meta"]["request_id"]] = f"request {n}"
                answer = json.dumps([found["result"], found["meta"].get("stabilization")])
                answers.append(re.sub(r"r_[0-9a-f]{12}", lambda request: seen[request[0]], answer))
        return answers

    first = told("one")
    assert first == told("two")
    assert any('already_served": "request 1' in answer for answer in first)
    assert any('given_before": [' in answer for answer in first)


def test_budgets_are_advisory_outside_a_task(server: Server) -> None:
    answers = [server.call("read", {"target": f"src/a.py:{n}-{n + 99}", "fresh": True}) for n in range(1, 61)]
    assert all(answer["result"]["content"].count("\n") == 100 for answer in answers)
    assert not any("preview_degraded" in answer["meta"] for answer in answers)
    advised = [n for n, answer in enumerate(answers, 1) if "stabilization" in answer["meta"]]
    assert advised == [25, 35, 45, 50, 60], "when the budget is used up, at twice that, and now and then"
    said = answers[24]["meta"]["stabilization"]
    assert said["budget_state"] == "soft_limit" and "search" in said["suggested_next_action"]
    assert said["metrics_snapshot"] == {
        "reads_count": 25,
        "reads_lines_total": 2500,
        "reads_chars_total": said["metrics_snapshot"]["reads_chars_total"],
        "avg_read_span": 100,
        "max_read_span": 100,
    }
    assert answers[49]["meta"]["stabilization"]["budget_state"] == "hard_limit"


def test_enforced_budget_shortens_then_refuses_answers(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "repo", FILES)
    with serving(root, config=strict(max_reads=2, max_single_lines=90, max_preview_chars=3000)) as server:
        answers = [
            server.call("read", {"target": f"src/a.py:{n}-400", "limit": 200, "fresh": True}) for n in range(1, 5)
        ]
        counts = [answer["result"]["content"].count("\n") for answer in answers]
        assert counts == [90, 90, 30, 30]
        assert all(answer["meta"]["preview_degraded"] for answer in answers)
        assert [answer["meta"].get("stabilization", {}).get("budget_state") for answer in answers] == [
            None,
            "soft_limit",
            "soft_limit",
            "hard_limit",
        ]
        assert answers[2]["meta"]["stabilization"] == {"budget_state": "soft_limit"}, "the advice is not repeated"
        error = error_of(server.call("read", {"target": "s.py"}), ErrorCode.BUDGET_EXCEEDED)
        assert error["message"].startswith("Read budget exceeded. Use search to narrow scope: ")
        assert error["details"]["next"]["tool"] == "search"
        assert server.call("search", error["details"]["next"]["args"])["status"] in ("ok", "not_found")
        error_of(server.call("read_file_full", {"file": "s.py", "confirm": True}), ErrorCode.BUDGET_EXCEEDED)
        hidden = error_of(server.call("read", {"target": "s.py"}, surface=Surface()), ErrorCode.BUDGET_EXCEEDED)
        assert "reset_budget" in error["remedy"] and "reset_budget" not in hidden["remedy"]
        assert server.call("read", {"target": "s.py"}, principal="another")["status"] == "ok"
        assert server.call("read", {"target": "s.py"}, surface=EVERYTHING)["status"] == "ok", "a person is not stopped"
        server.call("reset_budget")
        assert server.call("read", {"target": "s.py"})["status"] == "ok"


def test_lines_count_too(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "repo", FILES)
    with serving(root, config=strict(max_total_lines=100)) as server:
        assert (
            server.call("read", {"target": "src/a.py:1-100"})["meta"]["stabilization"]["budget_state"] == "soft_limit"
        )
        found = server.call("read", {"target": "src/b.py:1-300"})
        assert found["result"]["line_end"] == 100 and found["meta"]["preview_degraded"] is True


def test_budget_is_enforced_in_an_opened_task(tmp_path: Path) -> None:
    """Answers differ only by the state of the session."""
    root = make_repository(tmp_path / "repo", FILES)
    sync(root)
    config = replace(QUIET, reading=ReadingConfig(max_reads=1, max_single_lines=30))
    opened = open_root(context_for(root, config), once=True)
    try:
        roots = Roots(opened, lambda path: context_for(path))
        read_history = ReadHistory()

        def ask(session: Session, first: int) -> dict[str, object]:
            call = Call(opened, roots, session, HandleStore(lambda: 0.0), read_history, OpenTasks(lambda: 0.0), AGENT)
            arguments = ReadArguments.parse(validate(READ, {"target": f"src/a.py:{first}-400", "limit": 60}))
            return dict(read(call, arguments).result)

        implicit = Session("s_1", "me", "t_1")
        assert [ask(implicit, n)["line_end"] for n in (1, 2, 3, 4)] == [60, 61, 62, 63]
        explicit = Session("s_2", "me", "t_2", explicit=True)
        assert ask(explicit, 1)["line_end"] == 30
        assert ask(explicit, 2)["line_end"] == 11
        with pytest.raises(CodePlaneError) as caught:
            ask(explicit, 3)
        assert caught.value.code is ErrorCode.BUDGET_EXCEEDED
    finally:
        opened.close()


def doubts(found: Envelope) -> list[dict[str, Any]]:
    told: list[dict[str, Any]] = found["meta"].get("stabilization", {}).get("warnings", [])
    return told


def test_file_unrelated_to_searches_warns(server: Server) -> None:
    assert doubts(server.call("read", {"target": "far/c.py:1-3"})) == [], "nothing was searched for yet"
    server.call("reset_budget")
    server.call("search", {"query": "function_7", "mode": "lexical", "paths": ["src/"]})
    assert doubts(server.call("read", {"target": "src/a.py:1-3"})) == []
    (doubt,) = doubts(server.call("read", {"target": "far/c.py:1-3"}))
    assert (doubt["code"], doubt["path"], doubt["found"]) == ("LOW_RELEVANCE", "far/c.py", ["src/a.py", "src/b.py"])
    assert doubts(server.call("read", {"target": "far/c.py:4-5"})) == [], "told once"


def test_ended_session_is_forgotten(server: Server) -> None:
    server.call("read", {"target": "src/a.py:1-100"})
    server.pipeline.leave("test")
    assert "content" in server.call("read", {"target": "src/a.py:2-99"})["result"]
