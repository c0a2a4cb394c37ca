"""Commands that ask the index: each calls its own tool."""

from __future__ import annotations

from support.sandbox import Sandbox

QUERIES = {
    "refs": ("refs", "Order"),
    "call_graph": ("calls", "Order"),
    "defs": ("defs", "Order"),
    "imports": ("imports", "shop/orders.py"),
    "unused": ("unused",),
    "units": ("units",),
    "roles": ("roles",),
}


def test_commands_record_their_own_calls_and_succeed(indexed: Sandbox) -> None:
    """Every query leaves one row of its own tool, prints the envelope of that row, and its task ends as success."""
    for tool, command in QUERIES.items():
        envelope = indexed.json(*command)
        row = indexed.json("ledger", "show", envelope["meta"]["request_id"])["result"]
        assert (row["tool"], row["status"]) == (tool, "ok")
    tasks = indexed.json("ledger", "tasks")["result"]["tasks"]
    assert len(tasks) >= len(QUERIES)
    assert {task["state"] for task in tasks} == {"CLOSED_SUCCESS"}


def test_json_errors_outside_of_a_repository_are_envelopes(sandbox: Sandbox) -> None:
    outside = sandbox.home / "plain"
    outside.mkdir()
    for command in QUERIES.values():
        done = sandbox.run(*command, "--json", cwd=outside)
        assert (done.returncode, done.stdout.count("\n")) == (1, 1)
        assert '"NOT_A_REPOSITORY"' in done.stdout
