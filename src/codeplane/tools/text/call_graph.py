"""Text form of call_graph: the symbol, then one row per call with its source line.

    BodyLimiter.limit_body  shop/http/limits.py:41
    < shop/http/form.py:61 return await limiter.limit_body(request)  FormReader.read  via Limiter.limit_body

`<` marks a caller, `>` a callee; indentation is depth. A row without a path belongs to the file of the row above. A
file heads its rows, a deep directory its files, and a symbol that many calls go through those calls.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from codeplane.base.paths import display, parent
from codeplane.base.symbols import short_name, short_name_in
from codeplane.base.text_lines import INDENT, LineKind, TextLine, note, plural
from codeplane.facts.model import Tier
from codeplane.operations.call_graph import CallGraph, GraphEdge, NoCallers
from codeplane.query.overrides import CLASSES
from codeplane.query.relations import FILE, Symbol

TOP_LEVEL = "(top level)"
MAX_LINES = 4
"""Maximum source lines shown for the calls of one caller; the line numbers of the others follow."""
MAX_ROWS_WITH_TESTS = 12
"""Maximum rows with calls of tests listed; beyond it they are counted. If only tests call, the first ones are listed.
"""
MAX_IMPLEMENTATIONS = 3
MIN_GROUP = 3
"""Minimum calls through one symbol that are grouped under it; fewer are marked individually."""
MIN_FOLDERS = 3
"""Minimum depth of a directory that heads its files; shorter paths are repeated."""


_IMPLICIT = re.compile(r"\A__\w+|^operator\W|[^\w$?!]")
"""Members that are called implicitly: `__call__`, `operator+`, `[]`."""


class GraphView(NamedTuple):
    """A call graph, and the lookups that its text form needs."""

    graph: CallGraph
    direction: str
    depth: int
    source_line: Callable[[str, int], str]
    """Return a line of a file; empty if it cannot be read."""
    is_test: Callable[[str], bool]
    references_call: Callable[[str], str]
    """Return the call that lists the references of a root."""
    more_call: str
    """Argument that shows the edges that were left out."""


def render_call_graph(view: GraphView) -> list[TextLine]:
    lines: list[TextLine] = []
    symbols = {root: view.graph.nodes[root] for root in view.graph.roots}
    classes = {symbol.lexical_path for symbol in symbols.values() if symbol.kind in CLASSES}
    hidden = _overload_signatures(view.graph, symbols)
    for root, symbol in symbols.items():
        # A constructor and its class have the same callers.
        is_told = symbol.kind == "constructor" and _owner_name(symbol) in classes
        if not is_told and root not in hidden:
            lines.append(_heading(symbol))
            if view.direction != "callees":
                lines += _callers(view, root, symbol)
            if view.direction != "callers":
                lines += _callees(view, root, symbol)
    if view.graph.left_out:
        call = f" ({view.more_call})" if view.more_call else ""
        lines.append(note(f"more: {view.graph.left_out:,}{call}"))
    return lines


def _overload_signatures(graph: CallGraph, symbols: Mapping[str, Symbol]) -> set[str]:
    """Return the roots whose callers and callees a later root of the same name and file has, too."""
    incoming: dict[str, set[tuple[str, tuple[int, ...]]]] = {root: set() for root in symbols}
    outgoing: dict[str, set[str]] = {root: set() for root in symbols}
    for edge in graph.edges:
        if edge.callee in incoming:
            incoming[edge.callee].add((edge.caller, edge.lines))
        if edge.caller in outgoing:
            outgoing[edge.caller].add(edge.callee)
    last: dict[tuple[str, str], str] = {}
    hidden: set[str] = set()
    for root, symbol in symbols.items():
        before = last.get((symbol.path, symbol.lexical_path))
        if before is not None and incoming[before] == incoming[root] != set() and outgoing[before] <= outgoing[root]:
            hidden.add(before)
        last[symbol.path, symbol.lexical_path] = root
    return hidden


def _heading(symbol: Symbol) -> TextLine:
    text = f"{_name(symbol)}  {display(symbol.path)}:{symbol.line}"
    return TextLine(LineKind.HEADING, text, symbol.path, symbol.line)


def _name(symbol: Symbol) -> str:
    return display(symbol.lexical_path) or TOP_LEVEL


# Callers


def _callers(view: GraphView, root: str, symbol: Symbol) -> Iterator[TextLine]:
    edges = [edge for edge in view.graph.edges if edge.callee == root]
    tests = [edge for edge in edges if view.is_test(edge.path)]
    others = [edge for edge in edges if not view.is_test(edge.path)]
    listed = _first_rows(_ordered(tests), MAX_ROWS_WITH_TESTS - _count_rows(others))
    if others and len(listed) < len(tests):
        listed = []
    for batch in (_ordered(others), listed):
        if view.depth > 1:
            yield from _caller_tree(view, batch, 0, {root})
        else:
            yield from _caller_list(view, batch, symbol.path)
    counted: list[str] = []
    rest = [edge for edge in tests if edge not in listed]
    if rest:
        calls = sum(len(edge.lines) for edge in rest)
        files = plural(len({edge.path for edge in rest}), "file")
        counted.append(f"tests: {calls:,} more in {files}")
    reasons = view.graph.no_callers.get(root)
    if symbol.kind == FILE:
        yield TextLine(LineKind.TEXT, "no callers; the top level of a file runs when it is imported or started")
    if reasons is not None:
        yield TextLine(LineKind.TEXT, no_callers_text(symbol, reasons, view.references_call(root)))
    elif view.graph.maybe.get(root):
        count = plural(view.graph.maybe[root], "use")
        counted.append(f"unresolved: {count} of .{display(symbol.name)} on an unknown receiver")
    if counted:
        yield note(f"{'; '.join(counted)} ({view.references_call(root)})")


def _ordered(edges: Iterable[GraphEdge]) -> list[GraphEdge]:
    return sorted(edges, key=lambda edge: (edge.path, edge.lines))


def _first_rows(edges: Sequence[GraphEdge], room: int) -> list[GraphEdge]:
    """Return the first edges that fit into `room` rows."""
    found: list[GraphEdge] = []
    for edge in edges:
        room -= _count_rows([edge])
        if room < 0:
            break
        found.append(edge)
    return found


def _count_rows(edges: Iterable[GraphEdge]) -> int:
    return sum(min(len(edge.lines), MAX_LINES) for edge in edges)


def _caller_list(view: GraphView, edges: Sequence[GraphEdge], home: str) -> Iterator[TextLine]:
    """Yield direct calls, then those through other symbols; a symbol with many calls heads them."""
    by_via: dict[str, list[GraphEdge]] = {"": []}
    for edge in edges:
        by_via.setdefault(short_name(edge.via.lexical_path) if edge.via is not None else "", []).append(edge)
    few = [edge for group in by_via.values() if _count_rows(group) < MIN_GROUP for edge in group]
    yield from _in_files(view, _ordered({*few, *by_via.pop("")}), home, says_via=True)
    for via, group in by_via.items():
        if _count_rows(group) >= MIN_GROUP:
            yield TextLine(LineKind.HEADING, f"via {via}")
            yield from _in_files(view, group, "", says_via=False)


def _in_files(view: GraphView, edges: Sequence[GraphEdge], home: str, *, says_via: bool) -> Iterator[TextLine]:
    """Yield rows by file. Rows of `home`, the file named last, need no path; a file or directory heads its rows."""
    own = [edge for edge in edges if edge.path == home]
    others = [edge for edge in edges if edge.path != home]
    for edge in own:
        yield from _call_rows(view, edge, "", 0, says_via)
    for folder, group in groupby(others, key=lambda edge: parent(edge.path)):
        here = list(group)
        paths = {edge.path for edge in here}
        if len(paths) == 1 and _count_rows(here) > 1:
            prefix = str(here[0].path)
            yield TextLine(LineKind.HEADING, display(prefix), prefix)
        elif len(paths) > 1 and folder.count("/") >= MIN_FOLDERS - 1:
            yield TextLine(LineKind.HEADING, f"{display(folder)}/", folder)
            prefix = f"{folder}/"
        else:
            prefix = ""
        last = ""
        for edge in here:
            place = "" if edge.path == last else edge.path.removeprefix(prefix)
            yield from _call_rows(view, edge, place, 0, says_via)
            last = edge.path


def _caller_tree(view: GraphView, edges: Sequence[GraphEdge], depth: int, above: set[str]) -> Iterator[TextLine]:
    """Yield callers, with their own callers nested. A caller that is shown above is not expanded again."""
    for edge in edges:
        yield from _call_rows(view, edge, edge.path, depth, True)
        if depth + 1 < view.depth and edge.caller not in above:
            below = _ordered(other for other in view.graph.edges if other.callee == edge.caller)
            yield from _caller_tree(view, below, depth + 1, above | {edge.caller})


def _call_rows(view: GraphView, edge: GraphEdge, path: str, depth: int, says_via: bool) -> Iterator[TextLine]:
    """Yield the rows of the calls of one caller, which the first row names. `path` is the path as shown in the row."""
    caller = view.graph.nodes[edge.caller]
    name = short_name(caller.lexical_path) or TOP_LEVEL
    shown, more = edge.lines[:MAX_LINES], edge.lines[MAX_LINES:]
    via = [f"via {short_name(edge.via.lexical_path)}"] if edge.via is not None else []
    tier = [edge.tier.name.lower()] if edge.tier < Tier.STRONG else []
    for line in shown:
        is_first = line == shown[0]
        place = path if is_first or depth else ""
        rest = [f"also {', '.join(map(str, more))}"] if more and line == shown[-1] else []
        words = [*([name, *(via if says_via else []), *tier] if is_first else []), *rest]
        full = [name, *via, *tier, *rest]
        yield _call_row(view, "<", edge.path, place, line, "  ".join(words), "  ".join(full), depth)


def _call_row(
    view: GraphView, mark: str, path: str, shown: str, line: int, suffix: str, full: str, depth: int
) -> TextLine:
    """Make a row. `shown` is the path as displayed; a pipe gets the whole path and the `full` suffix."""
    source = display(view.source_line(path, line))
    place = f"{display(shown)}:{line} " if shown else f"{line}\t"
    text = f"{INDENT * depth}{mark} {place}{source}" + (f"  {suffix}" if suffix else "")
    return TextLine(LineKind.CALL, text, path, line, f"{source}  {full}")


def no_callers_text(symbol: Symbol, reasons: NoCallers, where: str) -> str:
    """Explain why no caller is listed, with the call that lists candidates. Never a bare zero."""
    is_member = symbol.kind == "method" and "." in symbol.lexical_path
    name = f"{'.' if is_member else ''}{display(symbol.name)}"
    found: list[str] = []
    if reasons.references:
        verb = "is not a call" if reasons.references == 1 else "are not calls"
        found.append(f"{plural(reasons.references, 'reference')} that {verb}")
    if reasons.unresolved:
        is_called = reasons.unresolved == reasons.unresolved_calls
        what = f"{plural(reasons.unresolved, 'call' if is_called else 'use')} of {name}{'()' if is_called else ''}"
        found.append(f"{what} could not be resolved")
    if reasons.skipped_files:
        found.append(f"{plural(reasons.skipped_files, 'file')} with this name not searched")
    if found:
        text = f"no callers found; {' and '.join(found)} ({where})"
    elif reasons.elsewhere:
        many = "both" if reasons.elsewhere == 2 else f"all {reasons.elsewhere:,}"
        count = "the only call" if reasons.elsewhere == 1 else f"{many} calls"
        text = f"no callers; {count} of this name {'resolves' if reasons.elsewhere == 1 else 'resolve'} elsewhere"
    elif _IMPLICIT.search(symbol.name):
        text = f"no callers found; {name} is called implicitly, which is seen only where types are known"
    else:
        text = "no callers; the name is not called anywhere"
    if reasons.implements_outside:
        return f"{text}; it implements a member from outside the repository, whose callers are not seen"
    return f"{text}; a base class outside the repository may call it" if reasons.open_base else text


# Callees


def _callees(view: GraphView, root: str, symbol: Symbol) -> Iterator[TextLine]:
    edges = _edges_from(view.graph, root)
    yield from _callee_rows(view, edges, 0, {root}, is_headed=True)
    counts = ((view.graph.unresolved, "not resolved"), (view.graph.outside, "other libraries"))
    words = [f"{what}: {plural(found[root], 'call')}" for found, what in counts if found.get(root)]
    if words:
        yield note("; ".join(words))
    elif not edges:
        yield TextLine(LineKind.TEXT, "no calls")


def _edges_from(graph: CallGraph, caller: str) -> list[GraphEdge]:
    """Return the calls of a symbol, and those of the lambdas in its code."""
    callers = {caller} | {inner for inner in graph.lambdas if _is_inside(graph, inner, caller)}
    return [edge for edge in graph.edges if edge.caller in callers]


def _is_inside(graph: CallGraph, inner: str, outer: str) -> bool:
    while inner in graph.lambdas:
        inner = graph.lambdas[inner]
        if inner == outer:
            return True
    return False


def _callee_rows(
    view: GraphView, edges: Sequence[GraphEdge], depth: int, above: set[str], *, is_headed: bool
) -> Iterator[TextLine]:
    """Yield one row per calling line; callees on the same line share it."""
    by_line: dict[int, list[GraphEdge]] = {}
    for edge in edges:
        for line in edge.lines[:MAX_LINES]:
            by_line.setdefault(line, []).append(edge)
    listed: set[str] = set()
    for line, here in sorted(by_line.items()):
        named = ", ".join(_callee_words(view.graph, edge, listed) for edge in here)
        path = here[0].path
        yield _call_row(view, ">", path, "" if is_headed else path, line, named, named, depth)
        for edge in here:
            if edge.callee not in listed and edge.callee not in above and depth + 1 < view.depth:
                below = _edges_from(view.graph, edge.callee)
                yield from _callee_rows(view, below, depth + 1, above | {edge.callee}, is_headed=False)
            listed.add(edge.callee)


def _callee_words(graph: CallGraph, edge: GraphEdge, listed: set[str]) -> str:
    """Name and location of a callee, the location only once; the tier if it is less than strong."""
    callee = graph.nodes[edge.callee]
    words = [short_name(callee.lexical_path)]
    if edge.callee not in listed:
        words.append(f":{callee.line}" if callee.path == edge.path else f"{display(callee.path)}:{callee.line}")
        overriding = [short_name_in(name) for name in graph.implementations.get(edge.callee, ())]
        if overriding:
            more = len(overriding) - MAX_IMPLEMENTATIONS
            shown = ", ".join(overriding[:MAX_IMPLEMENTATIONS])
            words.append(f"(or {shown}{f' and {more} more' if more > 0 else ''})")
    return " ".join(words + ([edge.tier.name.lower()] if edge.tier < Tier.STRONG else []))


def _owner_name(symbol: Symbol) -> str:
    return symbol.lexical_path.rpartition(".")[0]
