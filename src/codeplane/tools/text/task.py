"""Text form of `task`: the id and the state, then counters and limits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from codeplane.base.envelope import Answer
from codeplane.base.paths import display
from codeplane.base.text_lines import TextLine, note, text
from codeplane.tools.arguments import Arguments


def render_task(arguments: Arguments, answer: Answer) -> list[TextLine]:
    result: Mapping[str, Any] = answer.result
    words = [f"{result['task_id']} {str(result['state']).lower()}"]
    if "limit_triggered" in result:
        words.append(f"limit {result['limit_triggered']} reached")
    counters: Mapping[str, int] = result.get("counters", {})
    words += [_counter_words(name, count) for name, count in counters.items()]
    lines = [text(", ".join(words))]
    limits: Mapping[str, int] = result.get("limits", {})
    if limits:
        lines.append(text(f"limits: {', '.join(f'{name} {value:,}' for name, value in limits.items())}"))
    if result.get("paths"):
        lines.append(text(f"paths: {', '.join(display(str(pattern)) for pattern in result['paths'])}"))
    if answer.message:
        lines.append(note(f"hint: {answer.message[:1].lower()}{answer.message[1:].removesuffix('.')}"))
    return lines


def _counter_words(name: str, count: int) -> str:
    if name == "duration_sec":
        return f"{count:,} s"
    word = name.replace("_", " ")
    return f"{count:,} {word.removesuffix('s') if count == 1 else word}"
