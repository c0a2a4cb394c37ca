"""Python sources without their annotations, every other character at its place.

Annotations of parameters, of results and of variables become blanks. Those in the body of a class stay: fields of a
data class are made by them. A declaration without a value (`x: int`) keeps its colon and gets a `0` for a type, so
that it still declares. A file whose stripped text does not parse to the same tree is left as it was.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path

Span = tuple[tuple[int, int], tuple[int, int]]
"""From (line, column) to (line, column), the end not included; lines from 1, columns from 0, in characters."""
Blanked = dict[str, list[Span]]
"""By path."""

_Offset = Callable[[int, int], int]
"""Return the text offset of a line and byte column."""
_COLON = re.compile(r"[\s\\)]*:")
_CLOSING = re.compile(r"[\s\\]*\)")


def strip_tree(tree: Path) -> Blanked:
    """Rewrite every Python file under a folder; return the removed annotations."""
    found: Blanked = {}
    for file in sorted(tree.rglob("*.py")):
        if file.is_symlink() or not file.is_file() or ".git" in file.parts:
            continue
        try:
            source = file.read_bytes().decode("utf-8")
            bare, spans = strip(source)
        except (UnicodeDecodeError, SyntaxError, ValueError):
            continue
        if spans:
            file.write_bytes(bare.encode("utf-8"))
            found[file.relative_to(tree).as_posix()] = spans
    return found


def strip(source: str) -> tuple[str, list[Span]]:
    """The bare text and what was taken out of it. SyntaxError where it is no Python that this interpreter reads."""
    if "\r" in source.replace("\r\n", "\n") or "\f" in source:
        return source, []
    tree = ast.parse(source)
    lines = source.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)

    def at(line: int, byte: int) -> int:
        return starts[line - 1] + len(lines[line - 1].encode("utf-8")[:byte].decode("utf-8"))

    cuts = sorted(_cuts(tree, source, at))
    text = source
    for start, end, keeps_colon in reversed(cuts):
        text = text[:start] + _blank(source[start:end], keeps_colon) + text[end:]
    if ast.dump(ast.parse(text)) != ast.dump(_Bare().visit(tree)):
        return source, []
    spans = []
    for start, end, _ in cuts:
        first, last = (source.count("\n", 0, offset) + 1 for offset in (start, end))
        spans.append(((first, start - starts[first - 1]), (last, end - starts[last - 1])))
    return text, spans


def _cuts(tree: ast.Module, source: str, at: _Offset) -> Iterator[tuple[int, int, bool]]:
    """From where to where, and whether it must stay a declaration."""
    for node, in_class in _walk(tree, in_class=False):
        if isinstance(node, ast.arg) and node.annotation is not None:
            name = at(node.lineno, node.col_offset) + len(node.arg)
            yield (*_annotation(node.annotation, source, at, name, ":"), False)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.returns is not None:
            begin = source.rindex("->", 0, at(node.returns.lineno, node.returns.col_offset))
            yield (*_annotation(node.returns, source, at, begin, "->"), False)
        elif isinstance(node, ast.AnnAssign) and not in_class:
            assert node.target.end_lineno is not None and node.target.end_col_offset is not None
            target = at(node.target.end_lineno, node.target.end_col_offset)
            yield (*_annotation(node.annotation, source, at, target, ":"), node.value is None)


def _annotation(node: ast.expr, source: str, at: _Offset, begin: int, mark: str) -> tuple[int, int]:
    """From its colon or arrow to its end, with the brackets around it."""
    assert node.end_lineno is not None and node.end_col_offset is not None
    start, end = at(node.lineno, node.col_offset), at(node.end_lineno, node.end_col_offset)
    if mark == ":" and (colon := _COLON.match(source, begin)):
        begin = colon.end() - 1
    for _ in range(source[begin:start].count("(")):
        if closing := _CLOSING.match(source, end):
            end = closing.end()
    return begin, end


def _blank(text: str, keeps_colon: bool) -> str:
    """Line ends stay; outside of brackets they need a backslash, and within them it does no harm."""
    lines = [" " * len(line) for line in text.split("\n")]
    if keeps_colon:
        lines[0] = ":0" + lines[0][2:] if len(lines[0]) > 1 else ":"
    return "\\\n".join(lines)


def _walk(node: ast.AST, *, in_class: bool) -> Iterator[tuple[ast.AST, bool]]:
    """Every node, and whether its statement stands in the body of a class."""
    for child in ast.iter_child_nodes(node):
        yield child, in_class
        if isinstance(child, ast.ClassDef):
            yield from _walk(child, in_class=True)
        elif isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            yield from _walk(child, in_class=False)
        else:
            yield from _walk(child, in_class=in_class)


class _Bare(ast.NodeTransformer):
    """Return the syntax tree that the stripped text must have."""

    def __init__(self) -> None:
        self._in_class = False

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        return self._within(node, in_class=True)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        return self._within(node, in_class=False)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        node.returns = None
        return self._within(node, in_class=False)

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.annotation = None
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        self.generic_visit(node)
        if self._in_class:
            return node
        if node.value is None:
            node.annotation = ast.Constant(0)
            return node
        return ast.Assign([node.target], node.value)

    def _within(self, node: ast.AST, *, in_class: bool) -> ast.AST:
        before, self._in_class = self._in_class, in_class
        self.generic_visit(node)
        self._in_class = before
        return node
