"""Handler of list_codebases."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from codeplane.base.envelope import Answer
from codeplane.operations import codebases
from codeplane.tools.calls import Call


def list_codebases(call: Call, args: Mapping[str, Any]) -> Answer:
    return Answer(codebases.list_codebases(call.roots))
