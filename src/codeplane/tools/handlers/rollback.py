"""Handler of rollback."""

from __future__ import annotations

from dataclasses import dataclass

from codeplane.base.envelope import Answer
from codeplane.operations.rollback import roll_back
from codeplane.tools.arguments import Arguments
from codeplane.tools.calls import Call
from codeplane.tools.handler import Handler
from codeplane.tools.handlers.write_source import edit_context
from codeplane.tools.text.write_source import render_rollback


@dataclass(frozen=True, kw_only=True)
class RollbackArguments(Arguments):
    mutation_id: str


def rollback(call: Call, args: RollbackArguments) -> Answer:
    return roll_back(edit_context(call), args.mutation_id, call.session.scope)


HANDLERS = {"rollback": Handler(RollbackArguments, rollback, render=render_rollback)}
