"""Text form of `read`, `read_file_full` and `reset_budget`.

A passage is a header, `path:41-58 sha 3fa9c1d20b7e`, and the lines as they are in the file, so that an edit can copy
them. Lines have no numbers: `cat -n` costs 15 % more tokens (cl100k, o200k) to 25 % (Anthropic), and edits go by text.
A long passage has a mark, `@@ 96 @@`, in front of a line every 30 lines or more, which costs 1 %. Marks follow a blank
line, where an edit seldom copies across.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from codeplane.base.envelope import Answer
from codeplane.base.paths import display
from codeplane.base.symbols import parse_symbol_ref
from codeplane.base.text_lines import LineKind, TextLine, diff, heading, note, source, symbol, text
from codeplane.tools.arguments import Arguments
from codeplane.tools.text.common import call_text, hint_lines, short_digest
from codeplane.tools.text.outline import outline_rows

LEAST_MARKED = 45
"""Minimum lines of a passage with marks."""
MARK_EVERY = 30
"""Minimum distance of marks; a mark precedes the first line after a blank one."""
MARK_ANYWAY = 60
"""Maximum distance of marks, if there are no blank lines."""

Item = Mapping[str, Any]


def render_read(arguments: Arguments, answer: Answer) -> list[TextLine]:
    result = answer.result
    items = result.get("items")
    if isinstance(items, list):
        lines = [line for item in items for line in _item_lines(item, item.get("status", "ok"), item.get("message"))]
        lines += _targets_left(result)
    else:
        lines = _item_lines(result, answer.status, answer.message)
        lines += _next_lines(answer, result)
    return [*lines, *_token_lines(result, answer), *_budget_lines(answer)]


def render_read_file_full(arguments: Arguments, answer: Answer) -> list[TextLine]:
    result: Item = answer.result
    if answer.status != "ok":
        return _item_lines(result, answer.status, answer.message)
    if "content" in result:
        lines = _item_lines(result, "ok", None)
        cursor = _cursor(result)
        if cursor:
            last = result["line_end"]
            whole = str(result["content"]).endswith("\n")
            left = f"{last + 1}-{result['line_count']}" if whole else f"the rest of line {last}"
            lines.append(note(f"more: {left} (read_file_full cursor={cursor})"))
        return [*lines, *_budget_lines(answer)]
    about = (
        f"{result['line_count']:,} lines, {result['size']:,} bytes, {result['token_estimate']:,} tokens"
        f"{_pages(result['pages'])} sha {short_digest(result['file_sha256'])}"
    )
    return [heading(result["path"], about), *hint_lines(answer, "confirm", "outline")]


def render_reset_budget(arguments: Arguments, answer: Answer) -> list[TextLine]:
    return [text("read budget reset")]


def _item_lines(item: Item, status: str, message: str | None) -> list[TextLine]:
    if "error" in item:
        words = f"{display(str(item['target']))}: error {item['error']}: {item['message']}"
        return [TextLine(LineKind.NOTE, words, str(item["target"]))]
    if status != "ok":
        return _not_read(item, message)
    if "change" in item:
        return _diff_lines(item)
    if "already_served" in item:
        return [_header(item, "unchanged since you read it (fresh=true to read it again)"), *_left_lines(item)]
    lines = list(_context_lines(item))
    if "parts" in item:
        lines += _part_lines(item)
    elif "content" in item:
        lines += _source_lines(item["path"], item.get("line_start", 1), item["content"])
    about = "" if item.get("content") or "parts" in item else "empty" if "content" in item else _costs(item)
    return [_header(item, about), *lines, *_left_lines(item), *_outline_lines(item)]


def _costs(item: Item) -> str:
    """Return the number of lines of a passage that is shown without text."""
    count = item.get("line_count", 0) if item.get("mode") == "file" else 0
    return f"{count or item.get('line_end', 0) - item.get('line_start', 1) + 1:,} lines"


def _header(item: Item, about: str = "") -> TextLine:
    digest = item.get("file_sha256") if "already_served" not in item else None
    words = [about, *_unusual(item), f"sha {short_digest(digest)}" if digest else ""]
    suffix = " ".join(word for word in words if word)
    span = _span(item)
    return TextLine(LineKind.HEADING, f"{display(item['path'])}{span} {suffix}".rstrip(), item["path"])


def _span(item: Item) -> str:
    if "line_start" not in item:
        return ""
    first, last = item["line_start"], item["line_end"]
    return f":{first}-{last}" if last > first else f":{first}"


def _unusual(item: Item) -> Iterator[str]:
    """Yield the encoding and line endings, if they are unusual."""
    if "encoding" in item:
        yield str(item["encoding"])
    if item.get("bom"):
        yield "bom"
    if "line_ending" in item:
        yield str(item["line_ending"])
    if item.get("lossy"):
        yield "lossy"


def _part_lines(item: Item) -> Iterator[TextLine]:
    """Yield new lines, and ranges of lines that the session has."""
    runs = sorted((*item["parts"], *item["given_before"]), key=lambda run: int(run["line_start"]))
    for run in runs:
        if "content" in run:
            yield from _source_lines(item["path"], run["line_start"], run["content"], marked=run is not runs[0])
        else:
            yield note(f"{_span(run)[1:]} unchanged since you read it (fresh=true to read it again)")


def _source_lines(path: str, first: int, content: str, *, marked: bool = False) -> Iterator[TextLine]:
    """Yield lines of a file. The header has the number of the first line, unless that line is `marked`."""
    if not content:
        return
    rows = content.removesuffix("\n").split("\n")
    last = first if len(rows) >= LEAST_MARKED else 1 << 40
    last = first - MARK_ANYWAY if marked else last
    before = ""
    for number, row in enumerate(rows, first):
        body = row.removesuffix("\r")
        far = number - last
        mark = far >= MARK_ANYWAY or (far >= MARK_EVERY and bool(body.strip()) and not before.strip())
        if mark:
            last = number if len(rows) >= LEAST_MARKED else 1 << 40
        yield source(path, number, body, mark=mark)
        before = body


def _context_lines(item: Item) -> Iterator[TextLine]:
    """Yield what `include_context` adds, and other declarations of the symbol."""
    if item.get("declarations"):
        yield note(f"declared: {', '.join(display(str(place)) for place in item['declarations'])}")
    for parent in item.get("parents", ()):
        words = parent.get("signature") or f"{parent['kind']} {parent['name']}"
        yield text(f"in {display(words)} {parent['line_start']}")
    if item.get("imports"):
        yield text(f"imports: {'; '.join(map(str, item['imports']))}")
    if item.get("comment"):
        yield from map(text, str(item["comment"]).removesuffix("\n").split("\n"))
    if item.get("comment_lines_left"):
        yield note(f"… {item['comment_lines_left']:,} lines of the comment more")


def _left_lines(item: Item) -> Iterator[TextLine]:
    """Yield the call that continues one of several targets; `_next_lines` handles a single one."""
    if "next" in item:
        yield note(f"more: {item.get('lines_left', 0):,} lines (read target={display(item['next'])})")


def _next_lines(answer: Answer, item: Item) -> Iterator[TextLine]:
    hint = answer.hints.get("next")
    if isinstance(hint, Mapping):
        yield note(f"more: {_left(item)} ({_next_call(hint, item)})")
    members = answer.hints.get("members")
    if isinstance(members, Mapping):
        yield note(f"members: {_members_call(members, item)}")
    if answer.status == "not_found" and not item.get("similar"):
        yield from hint_lines(answer, "search")


def _left(item: Item) -> str:
    if item.get("within_line") or not item.get("lines_left"):
        return f"the rest of line {item['line_end']}" if "line_end" in item else "the rest"
    if "line_end" not in item:
        return f"{item['lines_left']:,} lines"
    return f"{item['line_end'] + 1}-{item['line_end'] + item['lines_left']}"


def _next_call(hint: Item, item: Item) -> str:
    """Return the call that continues, by lines if possible."""
    if hint.get("tool") != "read" or "line_end" not in item:
        return call_text(hint)
    given = {name: value for name, value in hint["args"].items() if name not in ("target", "offset")}
    return call_text({"tool": "read", "args": {"target": f"{item['path']}:{_left(item)}", **given}})


def _members_call(hint: Item, item: Item) -> str:
    """Return a call for the outline of the class by name, which is shorter than by lines."""
    name = str(item.get("symbol_ref", "")).partition("#")[2].rpartition("@")[0]
    if hint.get("tool") != "file_outline" or not name:
        return call_text(hint)
    given = {name: value for name, value in hint["args"].items() if name not in ("start_line", "end_line")}
    return call_text({"tool": "file_outline", "args": {**given, "symbol": name}})


def _targets_left(result: Item) -> Iterator[TextLine]:
    left = result.get("left_out")
    cursor = _cursor(result)
    if cursor:
        count = result["pagination"]["total_estimate"]
        yield note(f"more: {count:,} {'target' if count == 1 else 'targets'} (read cursor={cursor})")
    elif left:
        yield note(f"more: {', '.join(display(str(target)) for target in left)}")


def _diff_lines(item: Item) -> list[TextLine]:
    change = str(item["change"])
    words = ["" if change == "modified" else change]
    if "insertions" in item or "deletions" in item:
        words.append(f"+{item.get('insertions', 0)} -{item.get('deletions', 0)}")
    if "line_endings" in item:
        words.append(f"line endings {' -> '.join(item['line_endings'])}")
    if change == "unchanged":
        words = [f"unchanged against {item.get('against', 'HEAD')}"]
    lines = [_header(item, " ".join(word for word in words if word))]
    rows = str(item.get("content", "")).removesuffix("\n")
    return [*lines, *(diff(row.removesuffix("\r")) for row in rows.split("\n") if rows)]


def _not_read(item: Item, message: str | None) -> list[TextLine]:
    """Render the message of the resolver, then candidates that it does not name. A note with a path is about that
    target."""
    if "size" in item:
        words = f"{display(item['path'])} binary, {item['size']:,} bytes, sha {short_digest(item['file_sha256'])}"
        return [TextLine(LineKind.NOTE, words, item["path"])]
    target = str(item.get("target", ""))
    lines = [TextLine(LineKind.NOTE, message or f"{display(target)}: not found", target)]
    candidates = item.get("candidates", ())
    if any(_without_line(str(candidate["symbol_ref"])) not in lines[0].text for candidate in candidates):
        lines += _candidate_lines(candidates)
    if item.get("left_out"):
        lines.append(note(f"more: {item['left_out']:,}"))
    return lines


def _without_line(reference: str) -> str:
    return display(reference.rpartition("@")[0])


def _candidate_lines(candidates: Sequence[Item]) -> Iterator[TextLine]:
    path = ""
    for candidate in candidates:
        reference = parse_symbol_ref(str(candidate["symbol_ref"]))
        if reference.path != path:
            path = reference.path
            yield heading(path)
        container, _, name = (reference.lexical_path or "").rpartition(".")
        words = display(candidate.get("signature") or f"{candidate['kind']} {name}")
        suffix = f"[{display(container)}]" if container else ""
        yield symbol(path, reference.line or 0, candidate.get("line_end", 0), words, suffix)


def _outline_lines(item: Item) -> Iterator[TextLine]:
    status = item.get("outline_status")
    if status is None:
        return
    if status != "ok":
        yield note(f"no outline: {status}")
        return
    yield note("outline:")
    yield from outline_rows(item["path"], item["outline"])
    if item.get("left_out"):
        yield note(f"… {item['left_out']:,} symbols more")


def _token_lines(result: Item, answer: Answer) -> Iterator[TextLine]:
    """Yield the token estimate, if the text was not requested."""
    items = result.get("items") or [result]
    text_fields = ("content", "parts", "already_served")
    if any("line_start" not in item or any(name in item for name in text_fields) for item in items):
        return
    yield note(f"about {answer.meta.get('token_estimate', 0):,} tokens")


def _budget_lines(answer: Answer) -> Iterator[TextLine]:
    budget = answer.meta.get("stabilization")
    if not isinstance(budget, Mapping) or budget.get("budget_state") in (None, "ok"):
        return
    metrics = budget.get("metrics_snapshot")
    count = f" ({metrics['reads_count']} reads, {metrics['reads_lines_total']:,} lines)" if metrics else ""
    yield note(f"read budget used up{count}: search for what you need, then read one symbol")


def _cursor(result: Item) -> str:
    pagination = result.get("pagination")
    return str(pagination.get("next_cursor", "")) if isinstance(pagination, Mapping) else ""


def _pages(count: int) -> str:
    return f", {count} pages" if count > 1 else ""
