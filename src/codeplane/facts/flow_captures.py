"""Reads the captures of `flow.scm`: expressions by span, and flows in the order of their matches.

`facts.flow` documents the captures and builds the flows.
"""

from __future__ import annotations

from collections.abc import Container
from typing import NamedTuple

from tree_sitter import Node, Query, QueryCursor

from codeplane.facts.flow_exprs import Parts, Span
from codeplane.facts.ir import FlowKind, ParameterKind
from codeplane.facts.structure import MAX_OPEN_MATCHES

BASE_KINDS = {"class": FlowKind.BASE, "mixed": FlowKind.MIXIN, "extended": FlowKind.EXTENDED}
VALUE_KINDS = {"for": FlowKind.FOR, "with": FlowKind.WITH}
TYPE_KINDS = {"catch": FlowKind.CATCH, "narrow": FlowKind.NARROW, "bound": FlowKind.BOUND}
OUT_KINDS = {
    "return": FlowKind.RETURN,
    "yield": FlowKind.YIELD,
    "yield.from": FlowKind.YIELD_FROM,
    "raise": FlowKind.RAISE,
}
RUN_KINDS = {"reads": FlowKind.ACCESSOR, "called": FlowKind.CALL_OPERATOR, "makes": FlowKind.CONSTRUCTOR}
PARAM_KINDS = {
    "param": ParameterKind.PLAIN,
    "param.rest": ParameterKind.REST,
    "param.keys": ParameterKind.KEYS,
    "param.self": ParameterKind.SELF,
    "param.result": ParameterKind.RESULT,
    "param.type": ParameterKind.TYPE,
}


class FlowMatch(NamedTuple):
    capture: str
    span: Span
    parts: Parts


class FlowCaptures(NamedTuple):
    exprs: dict[Span, tuple[str, Parts]]
    flows: list[FlowMatch]


_PART_NAMES = frozenset(
    {"of", "name", "callee", "arg", "label", "key", "type", "to", "from", "base", "body", "decorator", "definition"}
)
_OVERRIDING = frozenset({"member.put", "member.called", "here", "cast"})
"""Expressions that their surroundings distinguish from others with the same span."""


def read_matches(query: Query, root: Node, flow_captures: Container[str]) -> FlowCaptures:
    """Run the flow query. `flow_captures` are the captures of flows; any other is an expression."""
    exprs: dict[Span, tuple[str, Parts]] = {}
    flows: list[FlowMatch] = []
    subjects: dict[int, str] = {}
    for pattern, captures in QueryCursor(query, match_limit=MAX_OPEN_MATCHES).matches(root):
        subject = subjects.get(pattern)
        if subject is None:
            subject = subjects[pattern] = next(
                name for name in captures if name not in _PART_NAMES and not name.startswith("_")
            )
        node = captures[subject][0]
        span = (node.start_byte, node.end_byte)
        parts = {
            name: [(part.start_byte, part.end_byte) for part in nodes]
            for name, nodes in captures.items()
            if name != subject and name[0] != "_"
        }
        if subject in flow_captures:
            flows.append(FlowMatch(subject, span, parts))
        elif subject in _OVERRIDING or (span not in exprs and parts.get("of") != [span]):
            exprs[span] = (subject, parts)
    return FlowCaptures(exprs, flows)
