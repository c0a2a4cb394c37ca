"""Handler of file_outline, and the reduction of a JSON outline to the default size if the caller set no limit.

Top-level symbols come first, then as many nested ones as fit. If not even the top-level symbols fit, the remaining ones
are listed by name, so that a reader sees that they exist; what does not fit by name is counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import accumulate
from shlex import quote
from typing import Literal

from codeplane.base.call_record import CallRecord
from codeplane.base.envelope import Answer
from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.limits import CHARS_PER_TOKEN, MAX_LIMIT
from codeplane.base.paths import RepoPath, display, normalize
from codeplane.base.text_lines import TextLine
from codeplane.base.warnings import Notice, WarningCode
from codeplane.disk.policy import refuse_restricted
from codeplane.operations import outline
from codeplane.operations.missing_paths import explain_missing
from codeplane.operations.outline import FileOutlineRows, Outline, OutlineNode, main_type
from codeplane.operations.read_meta import read_meta
from codeplane.operations.symbols.presenter import unresolved_lines, unresolved_message
from codeplane.tools.arguments import Arguments, shown
from codeplane.tools.body import json_size
from codeplane.tools.calls import Call, path_argument
from codeplane.tools.handler import Handler
from codeplane.tools.text.outline import (
    DEFAULT_TOKENS,
    MAX_TOKENS,
    NAMED_TOKENS,
    UNLIMITED,
    outline_lines,
    symbol_lines,
    version_words,
)

_WORKTREE = "WORKTREE"
_UNLIMITED_CHARS = 1 << 40


@dataclass(frozen=True, kw_only=True)
class FileOutlineArguments(Arguments):
    file: str
    path: str | None = None
    symbol: str | None = None
    depth: Literal["all", "top"] = "all"
    resolve_mode: str = "outline"
    symbol_id: str | None = None
    symbol_label: str | None = None
    start_line: int | None = None
    end_line: int | None = None
    ref: str | None = None
    limit_symbols: int | None = None
    language: str | None = None
    freshness_policy: str | None = None

    @property
    def name(self) -> str | None:
        """The symbol, by any of the parameters that can name it."""
        return self.symbol_id or self.symbol or self.symbol_label


@dataclass(frozen=True)
class _FileVersion:
    """Definitions of one version of a file, and their freshness."""

    outlined: FileOutlineRows
    version: Mapping[str, object]
    notices: tuple[Notice, ...]
    meta: Mapping[str, object]


def file_outline(call: Call, args: FileOutlineArguments) -> Answer:
    file = normalize(call.file(args.file))
    is_exact = args.resolve_mode == "exact" or args.name is not None
    window = _window(args, file, is_exact=is_exact)
    found = _find_version(call, args, file)
    result, is_reduced = _show(call, found.outlined, args, window, is_exact=is_exact)
    if args.language is not None and args.language.lower() != result.language:
        raise CodePlaneError(
            ErrorCode.ARGUMENT_INVALID,
            f"the file is not in {shown(args.language)}",
            expected=result.language,
            received=shown(args.language),
            example={"file": file, "language": result.language},
        )
    return Answer(
        {**found.version, **result.as_dict()},
        status=result.status,
        message=unresolved_message(result.unresolved) if result.unresolved is not None else None,
        warnings=(*found.notices, *_notices(result)),
        hints={} if is_exact or call.wants_text else _hints(call, args, result, is_reduced=is_reduced),
        meta=found.meta,
        record=CallRecord((file,), found.outlined.size // CHARS_PER_TOKEN),
        lines=_lines(call, args, result, found, is_exact=is_exact) if call.wants_text else None,
    )


def _window(args: FileOutlineArguments, file: RepoPath, *, is_exact: bool) -> tuple[int, int] | None:
    """Return the range of lines. Reject arguments that contradict each other."""
    example = {"file": file, "symbol": "Server.start"}
    if is_exact and args.name is None:
        message = "an exact outline needs a symbol"
        raise CodePlaneError(ErrorCode.ARGUMENT_INVALID, message, expected="symbol", received="none", example=example)
    if args.start_line is None and args.end_line is None:
        return None
    first, last = args.start_line or 1, args.end_line or 2**31
    if last < first:
        raise CodePlaneError(
            ErrorCode.ARGUMENT_INVALID,
            "end_line is before start_line",
            expected=f"end_line of at least {first}",
            received=str(last),
        )
    if is_exact:
        raise CodePlaneError(
            ErrorCode.ARGUMENT_INVALID,
            "start_line and end_line have no effect with a symbol",
            expected="a symbol, or lines",
            received="both",
            example=example,
        )
    return first, last


def _find_version(call: Call, args: FileOutlineArguments, file: RepoPath) -> _FileVersion:
    refuse_restricted(call.root.path, file)
    ref = args.ref or _WORKTREE
    if ref != _WORKTREE:
        past = call.root.past.find(ref, file)
        return _FileVersion(past.outlined, {"commit": past.commit} if past.commit else {"ref": ref}, (), {})
    try:
        read = call.root.workspace.read(
            lambda snapshot: outline.find_outlined(snapshot, file, args.name),
            args.freshness_policy,
            file=file,
            cancelled=call.cancelled,
        )
    except CodePlaneError as error:
        if error.code is ErrorCode.NOT_READY:
            return _FileVersion(call.root.parse(file), {}, (), {"source": "disk"})
        # A symbol reference may name another file, which is missing.
        if error.code is not ErrorCode.FILE_NOT_FOUND or error.received != display(file):
            raise
        raise explain_missing(call.root.context, file, error) from None
    return _FileVersion(read.value, {}, read.notices, read_meta(read))


def _show(
    call: Call, outlined: FileOutlineRows, args: FileOutlineArguments, window: tuple[int, int] | None, *, is_exact: bool
) -> tuple[Outline, bool]:
    """Return the outline, and True if it was reduced to the size of a default answer. Text is truncated later."""
    options = outline.OutlineOptions(
        depth=args.depth,
        limit=args.limit_symbols or MAX_LIMIT,
        symbol=args.name if is_exact else None,
        window=window,
    )
    if call.wants_text:
        options = replace(options, max_chars=_UNLIMITED_CHARS, full_signatures=True)
        return outline.show_outline(outlined, options), False
    if args.limit_symbols is not None or is_exact:
        return outline.show_outline(outlined, options), False
    options = replace(options, max_chars=_UNLIMITED_CHARS)
    found = outline.show_outline(outlined, options)
    reduced = fit_outline(found, lambda: outline.show_outline(outlined, replace(options, depth="top")))
    return reduced, reduced is not found


def _lines(
    call: Call, args: FileOutlineArguments, result: Outline, found: _FileVersion, *, is_exact: bool
) -> list[TextLine]:
    if result.unresolved is not None and not result.symbols:
        return unresolved_lines(result.unresolved)
    commit, ref = str(found.version.get("commit", "")), str(found.version.get("ref", ""))
    version = version_words(found.outlined.digest, commit, ref)
    tokens = MAX_TOKENS if args.limit_symbols is not None else DEFAULT_TOKENS
    # Answers for people go to a terminal, not into the context of a model.
    tokens = UNLIMITED if call.surface.everything else tokens
    if is_exact:
        return symbol_lines(result, version, max(tokens, NAMED_TOKENS))
    return outline_lines(result, version, tokens)


def _hints(call: Call, args: FileOutlineArguments, result: Outline, *, is_reduced: bool) -> dict[str, object]:
    """Calls for more of the same version: the same lines in full, or the lines that follow."""
    calls: dict[str, dict[str, object]] = {}
    if args.depth == "all" and is_reduced:
        calls["whole"] = {"start_line": args.start_line, "limit_symbols": MAX_LIMIT}
    if result.next_line > (args.start_line or 1):
        depth = args.depth if args.depth != "all" else None
        calls["next"] = {"start_line": result.next_line, "depth": depth, "limit_symbols": args.limit_symbols}
    hints: dict[str, object] = {}
    for name, changed in calls.items():
        arguments = {"file": result.file, "ref": args.ref, **changed, "end_line": args.end_line}
        arguments = {key: value for key, value in arguments.items() if value is not None}
        words = " ".join(quote(f"{key}={value}") for key, value in arguments.items())
        hints[name] = call.next_call(
            "file_outline", {**arguments, **path_argument(args.path)}, f"cpl call file_outline {words}"
        )
    return hints


def _notices(result: Outline) -> tuple[Notice, ...]:
    notices = []
    if result.missing_metadata:
        notices.append(Notice(WarningCode.OUTLINE_MISSING_SYMBOL_METADATA, {"count": result.missing_metadata}))
    if result.syntax_errors:
        about = {"errors": result.syntax_errors, "first_line": result.first_error_line}
        notices.append(Notice(WarningCode.FILE_NOT_PARSED_WHOLE, about))
    return tuple(notices)


HANDLERS = {"file_outline": Handler(FileOutlineArguments, file_outline)}


DEFAULT_CHARS = 7_500
"""Size of the result as JSON; with the rest of the envelope about 2,000 tokens."""

_NAMES_CHARS = 5_000
"""Part of it for the names of symbols that are not shown."""
_MEMBERS_CHARS = 1_500
"""Part of it for the names of the members of the main class."""
_NAME_CHARS = 3
"""Quotes and comma of a name."""
_FEW = 3
_GROUPS = frozenset({"impl", "receiver", "container"})
"""Kinds of nodes that group symbols and are not symbols themselves."""
_BY_NAME_FIRST = frozenset({"macro"})
"""Kinds that are listed by name first when space runs out."""


def fit_outline(whole: Outline, find_top: Callable[[], Outline]) -> Outline:
    """Return the first form that fits: everything, two levels, two levels without signatures in the second, one
    level, or some symbols with the names of the others. `find_top` returns the top level of a truncated outline."""
    if not whole.has_more and _fits(whole):
        return whole
    total = whole.left_out + _count(whole.symbols)
    two = replace(whole, symbols=tuple(_without_grandchildren(node) for node in whole.symbols))
    bare = replace(two, symbols=tuple(_without_signatures(node) for node in two.symbols))
    top = find_top() if whole.has_more else replace(whole, symbols=tuple(map(_without_children, whole.symbols)))
    # In a file with one class, the class alone says nothing.
    is_one = len(top.symbols) <= _FEW
    shapes = () if whole.has_more else (two, bare) if is_one else (two, bare, top)
    main = None if is_one else main_type(whole.symbols)
    members = [name for name, _ in _names(main.children, f"{_path(main)}.")] if main is not None else []
    reserved = min(sum(map(_name_size, members)), _MEMBERS_CHARS)
    found = next((shape for shape in shapes if _fits(shape)), None)
    if found is None:
        found = _with_others(bare if is_one else top, reserved)
    if found is top or found.others:
        found = replace(found, others=(*found.others, *_fitting(members, DEFAULT_CHARS - json_size(found.as_dict()))))
    return replace(found, left_out=total - _count(found.symbols) - len(found.others))


def _name_size(name: str) -> int:
    return len(name) + _NAME_CHARS


def _fitting(names: Iterable[str], room: int) -> list[str]:
    """Return the first names that fit."""
    sizes = accumulate(map(_name_size, names := list(names)))
    return [name for name, size in zip(names, sizes, strict=True) if size <= room]


def _fits(found: Outline) -> bool:
    return json_size(found.as_dict()) <= DEFAULT_CHARS


def _count(nodes: Iterable[OutlineNode]) -> int:
    return sum((node.kind not in _GROUPS) + _count(node.children) for node in nodes)


def _without_grandchildren(node: OutlineNode) -> OutlineNode:
    if not any(child.children for child in node.children):
        return node
    return replace(node, children=tuple(map(_without_children, node.children)))


def _without_children(node: OutlineNode) -> OutlineNode:
    # Most have no children, and copying is expensive.
    if not node.children:
        return node
    return replace(node, children=(), child_count=node.child_count + len(node.children))


def _without_signatures(node: OutlineNode) -> OutlineNode:
    """Drop the signatures of the children."""
    return replace(node, children=tuple(replace(child, signature="") for child in node.children))


def _with_others(found: Outline, reserved: int) -> Outline:
    """Keep as many symbols as fit together with the names of the others, or of as many as possible.

    `reserved` characters are left for the members of the main class.
    """
    names = sum(_name_size(name) for name, _ in _names(found.symbols))
    frame = json_size(replace(found, symbols=()).as_dict())
    room = DEFAULT_CHARS - frame - reserved - min(names, _NAMES_CHARS - reserved)
    shown: list[OutlineNode] = []
    rest: list[tuple[str, int]] = []
    for node in found.symbols:
        size = json_size(_without_children(node).as_dict())
        if room < size or node.kind in _BY_NAME_FIRST:
            room = room if node.kind in _BY_NAME_FIRST else 0
            rest += _names([node])
            continue
        room -= size
        sizes = [json_size(child.as_dict()) for child in node.children]
        count = 0
        while count < len(sizes) and sizes[count] <= room:
            room -= sizes[count]
            count += 1
        hidden = len(sizes) - count
        shown.append(replace(node, children=node.children[:count], child_count=node.child_count + hidden))
        rest += _names(node.children[count:], f"{_path(node)}.")
        room = 0 if hidden else room
    others: list[str] = []
    left = _NAMES_CHARS - reserved
    while rest and left >= _name_size(rest[0][0]):
        name, _ = rest.pop(0)
        others.append(name)
        left -= _name_size(name)
    next_line = min((line for _, line in rest), default=found.next_line)
    return replace(found, symbols=tuple(shown), others=tuple(others), next_line=next_line)


def _names(nodes: Iterable[OutlineNode], above: str = "") -> Iterator[tuple[str, int]]:
    """Yield symbol references without the file, and their first lines."""
    for node in nodes:
        path = _path(node, above)
        if node.kind not in _GROUPS:
            yield f"{path}@{node.line_start}", node.line_start
        yield from _names(node.children, f"{path}.")


def _path(node: OutlineNode, above: str = "") -> str:
    """Return the lexical path: from the node if it has a reference, else from the tree."""
    return node.symbol_ref.partition("#")[2].rpartition("@")[0] or f"{above}{node.name}"
