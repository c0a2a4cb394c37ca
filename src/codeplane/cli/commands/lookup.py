"""`cpl defs`, `cpl outline`, `cpl languages`: a look at what was found."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from codeplane.base.limits import MAX_LIMIT
from codeplane.base.text_lines import TextLine, note
from codeplane.cli.answer import Reply, answer, tool_reply
from codeplane.cli.assemble import Invocation, assemble, load_config
from codeplane.cli.lines import lines_reply
from codeplane.cli.terminal import Style, facts, plural, table, wrapped

if TYPE_CHECKING:
    from codeplane.operations.lookup import Definition, DefinitionsAnswer


def defs(invocation: Invocation, name: str, *, kind: str | None, path: str | None, limit: int, json: bool) -> int:
    return answer("defs", lambda: _defs(invocation, name, kind, path, limit), json=json)


def outline(invocation: Invocation, file: str, *, ref: str | None = None, symbol: str | None = None, json: bool) -> int:
    return answer("outline", lambda: _outline(invocation, file, ref, symbol, as_json=json), json=False)


def languages(invocation: Invocation, *, json: bool) -> int:
    return answer("languages", lambda: _languages(invocation), json=json)


def repository_path(root: Path, start: Path | None, given: str) -> str:
    """What a person types is relative to where they stand; what is not there is taken as a path of the repository."""
    absolute = os.path.normpath((start or Path()).resolve() / given)
    if (os.path.lexists(absolute) or given.startswith("/")) and f"{absolute}/".startswith(f"{root}/"):
        return os.path.relpath(absolute, root) if absolute != str(root) else ""
    return given


def typed_symbol(root: Path, start: Path | None, written: str) -> str:
    """A symbol as a person types it: the path in front of `#name` or `:line` is relative to the current directory."""
    for mark in ("#", ":"):
        head, found, tail = written.partition(mark)
        if found and (mark == "#" or tail[:1].isdigit()):
            return f"{repository_path(root, start, head)}{mark}{tail}"
    return written


def _defs(invocation: Invocation, name: str, kind: str | None, path: str | None, limit: int) -> Reply:
    from codeplane.cli.reach import reading
    from codeplane.operations.lookup import find_definitions
    from codeplane.operations.symbols.presenter import not_found_lines, not_found_message, symbol_rows

    assembly = assemble(invocation)
    inside = repository_path(assembly.context.root, invocation.start, path) if path else None
    written = typed_symbol(assembly.context.root, invocation.start, name)
    with reading(assembly.context, invocation) as reads:
        found = find_definitions(reads, written, kind=kind, path=inside or None, limit=limit)
    status, warnings = "ok", (*assembly.warnings, *found.warnings)
    hints: dict[str, object] = {}
    if found.missing is not None:
        status, message = "not_found", not_found_message(found.missing)
        lines = not_found_lines(found.missing)
        hints = {"similar": list(found.missing.suggestions)} if found.missing.suggestions else {}
    else:
        message = plural(found.total, "definition")
        lines = [*symbol_rows([each.symbol for each in found.definitions]), *_left_out(found)]
    return replace(
        lines_reply(status, lines, warnings),
        result={"results": [_row(each) for each in found.definitions], "total": found.total},
        message=message,
        hints=hints,
        meta={"epoch": found.epoch, "freshness": found.freshness.as_dict()},
    )


def _left_out(found: DefinitionsAnswer) -> Iterator[TextLine]:
    left = found.total - len(found.definitions)
    if left > 0:
        how = f"--limit {found.total}" if found.total <= MAX_LIMIT else "narrow it down with --kind or --path"
        yield note(f"more: {left:,} ({how})")


def _outline(invocation: Invocation, file: str, ref: str | None, symbol: str | None, *, as_json: bool) -> Reply:
    from codeplane.cli.reach import call_lines, call_tool

    assembly = assemble(invocation)
    path = repository_path(assembly.context.root, invocation.start, file)
    arguments = {"file": path, "limit_symbols": MAX_LIMIT, "ref": ref, "symbol": symbol}
    arguments = {name: value for name, value in arguments.items() if value}
    if as_json:
        found, _ = call_tool(assembly.context, invocation, "file_outline", arguments)
        return tool_reply(found)
    status, lines = call_lines(assembly.context, invocation, "file_outline", arguments)
    return lines_reply(status, lines, assembly.warnings)


def _languages(invocation: Invocation) -> Reply:
    from codeplane.languages.matrix import COVERAGES, supported, text_only

    # This needs no repository, but an unknown setting is still an error.
    load_config(None, invocation, os.environ)
    known, texts = supported(), text_only()
    style = Style.of(sys.stdout)
    rows = [(row.name, row.coverage, row.grammar or "built in") for row in known]
    heads = table([("language", "coverage", "grammar"), *rows], indent="")
    width = max(map(len, heads)) + 2
    lines = [style.dim(heads[0].ljust(width) + "files")]
    for head, row in zip(heads[1:], known, strict=True):
        lines += wrapped(" ".join(row.files), " " * width, head.ljust(width))
    meanings = facts(COVERAGES.items(), style, indent="")
    plain_text = wrapped(" ".join(name for row in texts for name in row.files), "      ", "Text: ")
    text = "\n".join((*lines, "", *meanings, "", *plain_text, "Other text files are indexed by their words and names."))
    result = {
        "languages": [
            {
                "name": row.name,
                "family": row.family,
                "coverage": row.coverage,
                "extensions": list(row.extensions),
                "filenames": list(row.filenames),
                "grammar": row.grammar or None,
            }
            for row in known
        ],
        "text": [{"family": row.family, "files": list(row.files)} for row in texts],
        "coverages": COVERAGES,
    }
    return Reply(result=result, text=text, message=plural(len(known), "language"))


def _row(definition: Definition) -> dict[str, object]:
    symbol, row = definition.symbol, definition.row
    shown: dict[str, object] = {
        "path": symbol.path,
        "line_start": symbol.start_line,
        "line_end": symbol.end_line,
        "kind": symbol.kind,
        "name": symbol.name,
    }
    if row is not None:
        shown |= {
            "qualified_name": row.qualified_name,
            "signature": row.signature,
            "language": row.language,
            "visibility": row.visibility,
            "doc": row.doc,
            "decorators": list(row.decorators),
        }
    shown |= {"symbol_ref": symbol.reference, "def_uid": symbol.def_uid}
    return {name: value for name, value in shown.items() if value not in (None, "", [])}
