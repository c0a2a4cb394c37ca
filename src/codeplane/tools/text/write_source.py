"""Text form of write_source and rollback: one line per file, affected tests, the mutation id.

shop/settings.py +1 -1 sha 81c02e77a1d4 m_7Q2xk0pW

m_7Q2xk0pW 2 files
shop/settings.py +1 -1
docs/new.md created +2 sha 0c9f33b1d8e0
tests: tests/test_upload.py

In a batch, only files that were written whole or checked by digest have one: edits by text need none, and it costs as
much as the rest of the line.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

from codeplane.base.envelope import Answer
from codeplane.base.paths import display
from codeplane.base.text_lines import TextLine, note, text
from codeplane.operations.write_source.messages import RECOVERED, REPEATED
from codeplane.tools.arguments import Arguments
from codeplane.tools.text.common import short_digest

if TYPE_CHECKING:
    from codeplane.tools.handlers.write_source_edits import WriteSourceArguments

MAX_TESTS = 2
MAX_TESTS_CHARS = 80
"""Maximum characters of two test paths; if they are longer, only the first is named."""
MAX_UNCHANGED = 5
_ACTIONS = {"created": "created ", "deleted": "deleted ", "moved": "", "updated": ""}


def render_rollback(arguments: Arguments, answer: Answer) -> list[TextLine]:
    return render_delta(answer)


def render_write_source(arguments: WriteSourceArguments, answer: Answer) -> list[TextLine]:
    edits = arguments.edits or ()
    return render_delta(answer, {edit.path for edit in edits if edit.expected_file_sha256 is not None})


def render_delta(answer: Answer, checked: Collection[str | None] = frozenset()) -> list[TextLine]:
    """`checked` are the paths whose digest the caller sent; it gets the new one."""
    result: Mapping[str, Any] = answer.result
    delta: Mapping[str, Any] = result.get("delta", {})
    if result.get("dry_run"):
        return _preview(result, delta)
    if "rolled_back_by" in result:
        return [note(answer.message or "")]
    if not result.get("applied"):
        return [text(f"no changes: {_listed(result.get('unchanged', []), MAX_UNCHANGED)} already as requested")]
    files, mutation_id = delta.get("files", ()), result["mutation_id"]
    if len(files) == 1 == delta.get("files_changed"):
        rows = [text(f"{_file_row(files[0], with_digest=True)} {mutation_id}")]
    else:
        totals = _totals(delta) if delta.get("files_left_out") else f"{delta.get('files_changed', 0):,} files"
        rows = [text(f"{mutation_id} {totals}")]
        rows += [
            text(_file_row(row, with_digest=row["action"] == "created" or row["path"] in checked)) for row in files
        ]
    return [*rows, *_notes(answer, delta)]


def _preview(result: Mapping[str, Any], delta: Mapping[str, Any]) -> list[TextLine]:
    lines = [text(line) for line in str(result.get("diff", "")).removesuffix("\n").split("\n") if "diff" in result]
    if result.get("diff_lines_left_out"):
        lines.append(note(f"more: {result['diff_lines_left_out']:,} lines of the diff"))
    if not delta.get("files_changed"):
        return [text(f"no changes: {_listed(result.get('unchanged', []), MAX_UNCHANGED)} already as requested")]
    return [*lines, *_corrections(result), note(f"dry run: {_totals(delta)}; nothing was changed")]


def _file_row(row: Mapping[str, Any], *, with_digest: bool) -> str:
    """Render `path +3 -1 sha 81c02e77a1d4`, with the old path of a moved file and deviations from the request."""
    source = f"{display(row['from'])} -> " if "from" in row else ""
    counts = [f"+{row['insertions']}"] if "insertions" in row else []
    counts += [f"-{row['deletions']}"] if "deletions" in row else []
    digest = [f"sha {short_digest(row['file_sha256'])}"] if with_digest and "file_sha256" in row else []
    if row.get("replacements", 1) > max(1, row.get("insertions", 0)):
        counts.append(f"({row['replacements']} places)")
    words = [f"{source}{display(row['path'])}", *filter(None, [_ACTIONS[row["action"]].strip()]), *counts, *digest]
    reindented = [edit["new_lines"] for edit in row.get("edits", ()) if edit.get("reindented")]
    if reindented:
        words.append(f"re-indented {', '.join(reindented[:3])}")
    moved = [each["corrected"] for each in row.get("line_corrections", ())]
    if moved:
        words.append(f"found at line {', '.join(moved[:3])}")
    return " ".join(words)


def _corrections(result: Mapping[str, Any]) -> list[TextLine]:
    return [
        note(f"{display(row['path'])}: found at line {row['corrected']}, not {row['original']}")
        for row in result.get("line_corrections", ())
    ]


def _totals(delta: Mapping[str, Any]) -> str:
    files = delta.get("files_changed", 0)
    return f"{files:,} file{'' if files == 1 else 's'} +{delta.get('insertions', 0)} -{delta.get('deletions', 0)}"


def _notes(answer: Answer, delta: Mapping[str, Any]) -> list[TextLine]:
    lines: list[TextLine] = []
    if delta.get("files_left_out"):
        lines.append(note(f"more: {delta['files_left_out']:,} files"))
    tests = delta.get("tests_affected", [])
    if tests:
        total = delta.get("tests_affected_total", len(tests))
        is_short = len(", ".join(tests[:MAX_TESTS])) <= MAX_TESTS_CHARS
        lines.append(text(f"tests: {_listed(tests, MAX_TESTS if is_short else 1, total)}"))
    unchanged = answer.result.get("unchanged")
    if isinstance(unchanged, list):
        lines.append(note(f"unchanged: {_listed(unchanged, MAX_UNCHANGED)}"))
    if answer.message == REPEATED:
        lines.append(note("already applied under this idempotency_key; nothing was changed now"))
    elif answer.message == RECOVERED:
        lines.append(note(RECOVERED))
    return lines


def _listed(paths: list[str], most: int, total: int | None = None) -> str:
    more = (len(paths) if total is None else total) - most
    return ", ".join(map(display, paths[:most])) + (f" and {more:,} more" if more > 0 else "")
