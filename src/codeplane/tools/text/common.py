"""Text that all tools share: stale paths, warnings, hints, errors, and a default form for any result."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from codeplane.base.envelope import Answer
from codeplane.base.errors import CodePlaneError
from codeplane.base.paths import display
from codeplane.base.text_lines import TextLine, note, text
from codeplane.base.warnings import Notice

if TYPE_CHECKING:
    from codeplane.tools.arguments import Arguments

MAX_PATHS = 5
"""Maximum paths named in a stale line or a warning; the others are counted."""
SHORT_DIGEST = 12
"""Hexadecimal digits of a digest that answers show; tools accept as many or more."""

_STALE = {
    "deferred": "changes on disk are being indexed",
    "unchecked": "not checked for changes on disk",
    "failed": "the check for changes on disk failed",
}
_BARE = re.compile(r"[^\s\"'=,()\[\]{}]+")


def call_text(hint: Mapping[str, Any]) -> str:
    """Return a suggested call as `tool key=value`, or a command for people."""
    if "command" in hint:
        return str(hint["command"])
    words = [str(hint["tool"]), *argument_words(hint["args"])]
    return " ".join(words)


def argument_words(arguments: Mapping[str, Any]) -> list[str]:
    return [f"{name}={_value(value)}" for name, value in arguments.items()]


def hint_lines(answer: Answer, *names: str) -> list[TextLine]:
    """Render the hints with these names."""
    return [note(f"hint: {call_text(hint)}") for name in names if isinstance(hint := answer.hints.get(name), Mapping)]


def short_digest(digest: str) -> str:
    return digest[:SHORT_DIGEST]


def trailing_lines(answer: Answer, shown: Collection[str]) -> list[TextLine]:
    """Render freshness if stale, and warnings. `shown` are the paths in the answer."""
    return [*_stale_lines(answer.meta.get("freshness"), shown), *warning_lines(answer.warnings)]


def warning_lines(warnings: Sequence[Notice]) -> list[TextLine]:
    return [note(f"warning {notice.code.name}: {_warning_text(notice)}") for notice in warnings]


def error_lines(error: CodePlaneError, tool: str, hints: Mapping[str, object]) -> list[TextLine]:
    """Render the problem, the expected value and an example call."""
    lines = [text(f"error {error.code.name}: {error.message}")]
    if error.expected and error.expected not in error.message:
        lines.append(note(f"expected: {error.expected}"))
    lines += [note(line) for line in _detail_lines(error.details)]
    if isinstance(error.example, Mapping):
        lines.append(note("example: " + " ".join([tool, *argument_words(error.example)])))
    elif error.example is not None:
        lines.append(note(f"example: {error.example}"))
    calls = [call_text(hint) for hint in hints.values() if isinstance(hint, Mapping)]
    if calls:
        lines += [note(f"hint: {call}") for call in calls]
    elif error.remedy:
        lines.append(note(f"hint: {error.remedy}"))
    return lines


def render_result(arguments: Arguments, answer: Answer) -> list[TextLine]:
    """Render any result as `key: value` lines; default for tools without a form of their own."""
    lines = [text(answer.message)] if answer.message else []
    lines += [text(line) for line in _fields(answer.result, "")]
    return [*(lines or [text(answer.status)]), *hint_lines(answer, *answer.hints)]


def _fields(value: Mapping[str, object], indent: str) -> Iterator[str]:
    for name, item in value.items():
        if isinstance(item, Mapping):
            yield f"{indent}{name}:"
            yield from _fields(item, indent + "  ")
        elif isinstance(item, list | tuple) and any(isinstance(part, Mapping) for part in item):
            yield f"{indent}{name}:"
            yield from (f"{indent}  {_inline(part)}" for part in item)
        else:
            yield f"{indent}{name}: {_inline(item)}"


def _inline(value: object) -> str:
    if isinstance(value, Mapping):
        return " ".join(f"{name}={_inline(item)}" for name, item in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(_inline, value))
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:,}" if isinstance(value, int) and value >= 10_000 else display(str(value))


def _value(value: object) -> str:
    if isinstance(value, str):
        return value if _BARE.fullmatch(value) else json.dumps(value, ensure_ascii=False)
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)


def _stale_lines(freshness: object, shown: Collection[str]) -> list[TextLine]:
    """Name stale files that the answer contains, and count the others."""
    if not isinstance(freshness, Mapping) or freshness.get("status") != "stale":
        return []
    paths = [display(str(path)) for path in freshness.get("stale_paths", ()) if path in shown]
    total = int(freshness.get("stale_total", 0))
    if total and not paths:
        return [note(f"stale: {total:,} changed {'file is' if total == 1 else 'files are'} being indexed")]
    if not paths:
        return [note(f"stale: {_STALE.get(str(freshness.get('decision')), 'the index may be out of date')}")]
    more = total - min(len(paths), MAX_PATHS)
    return [note(f"stale: {', '.join(paths[:MAX_PATHS])}" + (f" and {more:,} more" if more > 0 else ""))]


def _warning_text(notice: Notice) -> str:
    about = "; ".join(_about(name, value) for name, value in notice.about.items())
    sentence = notice.code.sentence.removesuffix(".")
    return f"{sentence} ({about})" if about else sentence


def _about(name: str, value: object) -> str:
    if isinstance(value, list | tuple):
        more = len(value) - MAX_PATHS
        return ", ".join(map(_inline, value[:MAX_PATHS])) + (f" and {more:,} more" if more > 0 else "")
    return f"{name} {_inline(value)}" if isinstance(value, int | Mapping) else _inline(value)


def _detail_lines(details: Mapping[str, object]) -> Iterator[str]:
    """Yield source lines that an error quotes."""
    shown = details.get("excerpt")
    if isinstance(shown, list | tuple):
        yield from map(str, shown)


def job_lines(result: Mapping[str, Any]) -> Iterator[TextLine]:
    job = result.get("active_job")
    if not job:
        return
    done = f" {job['files_done']:,} of {job['files_total']:,} files" if job.get("files_total") else ""
    yield text(f"{job['kind']}: {job.get('phase', 'waiting')}{done}")


def spaced(name: object) -> str:
    return str(name).replace("_", " ")
