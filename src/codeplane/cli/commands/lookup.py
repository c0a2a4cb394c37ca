"""`cpl defs`, `cpl outline`, `cpl languages`: a look at what was found."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from codeplane.base.limits import MAX_LIMIT
from codeplane.base.paths import display
from codeplane.cli.answer import Reply, answer, tool_reply
from codeplane.cli.assemble import Assembly, Invocation, assemble, load_config
from codeplane.cli.lines import lines_reply
from codeplane.cli.terminal import Style, columns, facts, fit, number, plural, table, wrapped

if TYPE_CHECKING:
    from codeplane.operations.lookup import Answer
    from codeplane.query.defs import DefRow


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


def _defs(invocation: Invocation, name: str, kind: str | None, path: str | None, limit: int) -> Reply:
    from codeplane.cli.reach import reading
    from codeplane.operations.lookup import find_definitions

    assembly = assemble(invocation)
    inside = repository_path(assembly.context.root, invocation.start, path) if path else None
    with reading(assembly.context, invocation) as reads:
        found = find_definitions(reads, name, kind=kind, path=inside or None, limit=limit)
    style = Style.of(sys.stdout)
    shown = display(name)
    if not found.rows:
        text = f"No definition of {shown}."
        if found.similar:
            text += f" Names that begin so: {', '.join(map(display, found.similar))}."
        hints: dict[str, object] = {"similar": list(found.similar)} if found.similar else {}
        return _reply(assembly, found, text, _defs_rows(found), status="not_found", message=text, hints=hints)
    places = [display(f"{row.path}:{row.name_line}") for row in found.rows]
    kinds = [display(row.kind) for row in found.rows]
    place_width, kind_width = max(map(len, places)), max(map(len, kinds))
    room = columns() - place_width - kind_width - 4
    lines = [
        f"{place.ljust(place_width)}  {style.dim(kind_.ljust(kind_width))}  {fit(_shown(row), room)}".rstrip()
        for place, kind_, row in zip(places, kinds, found.rows, strict=True)
    ]
    left_out = found.total - len(found.rows)
    if left_out > 0:
        how = f"--limit {found.total} shows them" if found.total <= MAX_LIMIT else "--kind and --path narrow it down"
        lines.append(style.dim(f"and {number(left_out)} more; {how}"))
    message = plural(found.total, "definition")
    return _reply(assembly, found, "\n".join(lines), _defs_rows(found), message=message)


def _shown(row: DefRow) -> str:
    """The signature; for what is nested also in what."""
    signature = row.signature or row.qualified_name
    container = row.lexical_path.rpartition(".")[0]
    return f"{container}: {signature}" if container else signature


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


def _defs_rows(found: Answer) -> dict[str, object]:
    return {"results": [_row(row) for row in found.rows], "total": found.total}


def _reply(
    assembly: Assembly,
    found: Answer,
    text: str,
    result: dict[str, object],
    *,
    status: str = "ok",
    message: str,
    hints: dict[str, object] | None = None,
) -> Reply:
    return Reply(
        result=result,
        text=text,
        status=status,
        message=message,
        warnings=(*assembly.warnings, *found.warnings),
        hints=hints or {},
        meta={"epoch": found.epoch, "freshness": found.freshness.as_dict()},
    )


def _row(row: DefRow, *left_out: str) -> dict[str, object]:
    shown: dict[str, object] = {
        "path": row.path,
        "line_start": row.start_line,
        "line_end": row.end_line,
        "kind": row.kind,
        "name": row.name,
        "qualified_name": row.qualified_name,
        "signature": row.signature,
        "language": row.language,
        "visibility": row.visibility,
        "doc": row.doc,
        "decorators": list(row.decorators),
        "symbol_ref": f"{row.path}#{row.lexical_path}@{row.start_line}",
        "def_uid": row.def_uid,
    }
    return {name: value for name, value in shown.items() if value not in (None, "", []) and name not in left_out}
