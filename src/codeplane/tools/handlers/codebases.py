"""Handler of list_codebases."""

from __future__ import annotations

from codeplane.base.envelope import Answer
from codeplane.operations import codebases
from codeplane.tools.arguments import Arguments
from codeplane.tools.calls import Call
from codeplane.tools.handler import Handler
from codeplane.tools.text.codebases import render_list_codebases


def list_codebases(call: Call, args: Arguments) -> Answer:
    return Answer(codebases.list_codebases(call.roots))


HANDLERS = {"list_codebases": Handler(Arguments, list_codebases, render=render_list_codebases)}
