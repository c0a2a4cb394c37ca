"""Text form of health_check."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from codeplane.base.envelope import Answer
from codeplane.base.paths import display
from codeplane.base.text_lines import TextLine, text
from codeplane.tools.arguments import Arguments
from codeplane.tools.text.common import hint_lines, job_lines, spaced

Fields = Mapping[str, Any]


def render_health_check(arguments: Arguments, answer: Answer) -> list[TextLine]:
    result: Fields = answer.result
    words = [str(result["status"])]
    checks: Fields = result["startup_checks"]["index"]
    if checks["status"] != "compatible":
        words.append(f"index {spaced(checks['status'])}")
    if result["prewarm_status"] == "failed":
        words.append("prewarm failed")
    if result["watcher"] == "limit":
        # The other states are normal for the platform.
        words.append("file watcher stopped at the inotify limit")
    if result["grammars"].get("missing"):
        words.append(f"grammars missing: {', '.join(result['grammars']['missing'])}")
    if "files_not_parsed" in result:
        words.append(f"{result['files_not_parsed']} files could not be parsed yet")
    for found in result.get("unfinished_writes", ()):
        files = ", ".join(map(display, found["left"])) or "files unknown"
        words.append(f"write {found['mutation_id']} is unfinished: {found['reason']} ({files})")
    if "lock_owner" in result:
        words.append(f"index held by process {result['lock_owner']}")
    if "last_error" in result:
        words.append(f"last error {result['last_error']['error']}")
    return [text("; ".join(words)), *job_lines(result), *hint_lines(answer, *answer.hints)]
