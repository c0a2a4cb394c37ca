"""Scope tree of one file, the bindings of each scope, and lexical name look-up.

Look-up stays inside the file; whatever it cannot prove is left unresolved.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Set
from types import MappingProxyType

from codeplane.facts.model import BindReason, Certainty, Namespace, Target
from codeplane.facts.structure import Range, ScopeSite
from codeplane.languages.spec import CALLABLE, MEMBER, TYPE, VALUE, Language

NON_LOCAL = frozenset({"file", "class", "namespace"})
"""Kinds of scope whose variables are definitions, and in which declaration order does not matter."""

PARAM, LOCAL_ASSIGN = BindReason.PARAM.value, BindReason.LOCAL_ASSIGN.value
DEF_IN_SCOPE, IMPORT_ALIAS = BindReason.DEF_IN_SCOPE.value, BindReason.IMPORT_ALIAS.value
"""Plain strings: reading the value of an enum member takes longer."""

_FUNCTIONS = frozenset({"function", "lambda", "file", "namespace"})
"""Scopes to which a hoisted name climbs."""

_SEALED: Mapping[str, frozenset[int]] = MappingProxyType(
    {
        "": frozenset({VALUE, TYPE, CALLABLE, MEMBER}),
        "values": frozenset({VALUE}),
        "calls": frozenset({VALUE, CALLABLE}),
    }
)
"""Namespaces that are not visible in a sealed scope."""

_NOTHING_SEALED: Mapping[Range, str] = MappingProxyType({})


class ScopeTree:
    """Scopes in document order; number 0 is the file. `parents[n] < n` for every other.

    `outer` are parts of a scope whose names are looked up outside of it; a scope that starts in such a part has the
    outside as its parent, and `around` is the scope that contains it.
    """

    def __init__(self, sites: Iterable[ScopeSite], outer: Iterable[Range], size: int) -> None:
        unique = {(site.start, site.end): site for site in sites}
        ordered = sorted(unique.values(), key=lambda site: (site.start, -site.end))
        self.sites = [ScopeSite(0, size, "file"), *ordered]
        self.starts = [site.start for site in self.sites]
        self.kinds = [site.kind for site in self.sites]
        self.parents = [0] * len(self.sites)
        self.around = [0] * len(self.sites)
        self.regions = [(site.start, -site.end, number) for number, site in enumerate(self.sites) if number]
        self.regions.extend((start, -end, -1) for start, end in set(outer))
        self.regions.sort()
        stack = [(size + 1, 0, 0)]
        for start, negative_end, number in self.regions:
            while stack[-1][0] <= start:
                stack.pop()
            _, seen_from, around = stack[-1]
            if number > 0:
                self.parents[number] = seen_from
                self.around[number] = around
                stack.append((-negative_end, number, number))
            else:
                stack.append((-negative_end, self.parents[seen_from], around))

    def function_of(self, scope: int) -> int:
        while self.kinds[scope] not in _FUNCTIONS:
            scope = self.parents[scope]
        return scope

    def conditional_of(self, scope: int) -> int:
        """Return the conditional type around `scope`, which binds its inferred names."""
        found = scope
        while found and self.kinds[found] != "conditional":
            found = self.parents[found]
        return found or scope

    def enclosing_function(self, scope: int) -> int:
        """Return the function around the function of `scope`, the target of `nonlocal`."""
        scope = self.parents[self.function_of(scope)]
        while self.kinds[scope] == "class":
            scope = self.parents[scope]
        return self.function_of(scope)


def locate(tree: ScopeTree, offsets: list[int]) -> tuple[list[int], list[int]]:
    """Return, for each of the sorted offsets, the innermost scope, and the scope in which its name is looked up."""
    regions = tree.regions
    innermost: list[int] = []
    lookup: list[int] = []
    parents = tree.parents
    stack: list[tuple[int, int, int]] = [(tree.sites[0].end + 1, 0, 0)]
    following, count = 0, len(regions)
    next_start = regions[0][0] if regions else 1 << 62
    end, scope, seen_from = stack[0]
    for offset in offsets:
        if offset >= next_start or offset >= end:
            while following < count and regions[following][0] <= offset:
                _, negative_end, number = regions[following]
                following += 1
                if -negative_end <= offset:
                    continue
                while stack[-1][0] <= regions[following - 1][0]:
                    stack.pop()
                _, scope, seen_from = stack[-1]
                if number >= 0:
                    stack.append((-negative_end, number, number))
                else:
                    stack.append((-negative_end, scope, parents[seen_from]))
            next_start = regions[following][0] if following < count else 1 << 62
            while stack[-1][0] <= offset:
                stack.pop()
            end, scope, seen_from = stack[-1]
        innermost.append(scope)
        lookup.append(seen_from)
    return innermost, lookup


class Bindings:
    """Bindings of a file: (scope, namespace, name), in order of first occurrence."""

    def __init__(
        self,
        tree: ScopeTree,
        language: Language,
        open_ranges: set[Range],
        sealed: Mapping[Range, str] = _NOTHING_SEALED,
        receivers: Set[Range] = frozenset(),
    ) -> None:
        self._tree = tree
        self._language = language
        self._by_scope: list[dict[tuple[int, str], int]] = [{} for _ in tree.kinds]
        self._redirects: dict[tuple[int, str], int] = {}
        self._open = [(site.start, site.end) in open_ranges for site in tree.sites]
        self._sealed = (
            {
                number: _SEALED[how]
                for number, site in enumerate(tree.sites)
                if (how := sealed.get((site.start, site.end))) is not None
            }
            if sealed
            else {}
        )
        self._receivers = (
            {number for number, site in enumerate(tree.sites) if (site.start, site.end) in receivers}
            if receivers
            else set()
        )
        self._hides: dict[int, int] = {}
        # Type parameters (the scope around a generic class) precede inherited types.
        self._open_to_types = [
            language.inherits_types and opened and tree.kinds[parent] != "generic"
            for opened, parent in zip(self._open, tree.parents, strict=True)
        ]
        self.rows: list[list[object]] = []
        self.variables: set[object] = set()
        """Ordinals of definitions that are variables."""
        self._visible_from: list[int] = []
        self._identities: list[str] = []
        self._ordered = [
            (language.sequential and (language.sequential_throughout or kind not in NON_LOCAL))
            or (language.class_scope_hidden and kind == "class")
            for kind in tree.kinds
        ]
        """A class body is executed in order; if it hides its names from functions, `x = x` reads an outer one."""
        self._chains: tuple[dict[int, list[int]], ...] = ({}, {}, {}, {})
        """By namespace."""
        self._plain = not (self._receivers or any(self._open))
        """True if no scope is open or has a receiver, so that the first match is the target."""

    def redirect(self, scope: int, name: str, target: int) -> None:
        """Apply `global` or `nonlocal`: in `scope` the name means the one of `target`."""
        self._redirects[scope, name] = target

    def add(
        self,
        scope: int,
        namespace: int,
        name: str,
        target_kind: Target,
        target: int | None,
        reason: str,
        *,
        certain: bool = True,
        visible_from: int = 0,
        identity: str = "",
        hides: bool = False,
    ) -> int:
        """Add a site that binds `name`; two imports of one `identity` are the same binding.

        One that `hides` is a variable of its own: an earlier one is visible only before it.
        """
        scope = self._redirects.get((scope, name), scope)
        names = self._by_scope[scope]
        number = names.get((namespace, name))
        if number is None or (hides and visible_from > self._visible_from[number]):
            if number is not None:
                self._hides[len(self.rows)] = number
            names[namespace, name] = len(self.rows)
            self._visible_from.append(visible_from)
            self._identities.append(identity)
            self.rows.append([scope, name, namespace, int(target_kind), target, int(certain), reason])
            return len(self.rows) - 1
        self._visible_from[number] = min(self._visible_from[number], visible_from)
        row = self.rows[number]
        if identity and identity == self._identities[number]:
            return number
        if target_kind is Target.UNKNOWN:
            # Another assignment to a variable is the same variable; for an import or a function it is not.
            if row[3] == Target.IMPORT or (row[3] == Target.DEF and row[4] not in self.variables):
                row[5] = int(Certainty.UNCERTAIN)
        elif row[3] == Target.UNKNOWN:
            row[3:] = [int(target_kind), target, int(Certainty.UNCERTAIN), reason]
        elif not (self._language.redefinition_is_same and row[3] == target_kind == Target.DEF):
            row[5] = int(Certainty.UNCERTAIN)
        return number

    def add_local(self, scope: int, namespace: int, name: str, reason: str, visible_from: int) -> int:
        """Add a parameter or a variable: `add` for the most frequent sites."""
        if not self._redirects:
            names = self._by_scope[scope]
            key = (namespace, name)
            if key not in names:
                number = names[key] = len(self.rows)
                self._visible_from.append(visible_from)
                self._identities.append("")
                self.rows.append([scope, name, namespace, 0, None, 1, reason])
                return number
        return self.add(scope, namespace, name, Target.UNKNOWN, None, reason, visible_from=visible_from)

    def add_member(self, scope: int, name: str, definition: int) -> int:
        """Add a method declared outside of its type: it has a binding, but no look-up finds it."""
        self._visible_from.append(0)
        self._identities.append("")
        self.rows.append([scope, name, int(Namespace.MEMBER), int(Target.DEF), definition, 1, DEF_IN_SCOPE])
        return len(self.rows) - 1

    def resolve(self, scope: int, namespace: int, name: str, offset: int) -> tuple[int, bool] | None:
        """Return the binding of `name` at `offset`, and whether it is certain."""
        key = (namespace, name)
        chain = self._chains[namespace].get(scope)
        if chain is None:
            chain = self._chains[namespace][scope] = self._chain(scope, namespace)
        redirects = self._redirects
        if namespace == VALUE and self._plain and not redirects:
            return self._resolve_plain(chain, key, offset)
        certain = True
        unseen = self._open_to_types if namespace == TYPE else self._open
        receivers, received = (self._receivers if namespace != TYPE else None), False
        value = (VALUE, name) if namespace == CALLABLE and self._language.calls_reach_values else None
        for candidate in chain:
            if redirects and (elsewhere := redirects.get((candidate, name), candidate)) != candidate:
                found = self.resolve(elsewhere, namespace, name, offset)
                return found and (found[0], found[1] and certain)
            number = self._by_scope[candidate].get(key)
            if number is None and value is not None:
                number = self._by_scope[candidate].get(value)
            if number is not None and self._ordered[candidate]:
                while number is not None and self._visible_from[number] > offset:
                    number = self._hides.get(number)
            if number is not None:
                if namespace == CALLABLE and (unseen[candidate] or self._language.calls_dispatched):
                    certain = False  # An inherited overload may fit better.
                elif value is not None and self._falls_through(chain, candidate, number):
                    certain = False
                elif candidate and namespace == TYPE and self._language.lexical_types_first:
                    certain = True
                if received and self._tree.kinds[candidate] in NON_LOCAL:
                    certain = certain and name[0].isupper() and (TYPE, name) in self._by_scope[candidate]
                return number, certain and self.rows[number][5] == 1
            # The header of a generic class, which shares its scope, does not see inherited names.
            if unseen[candidate] and not (candidate == scope and self._tree.kinds[scope] == "generic"):
                certain = False
            if receivers and candidate in receivers:
                received = True
        return None

    def _resolve_plain(self, chain: list[int], key: tuple[int, str], offset: int) -> tuple[int, bool] | None:
        """Like `resolve`, if only the order of declarations matters."""
        by_scope = self._by_scope
        for candidate in chain:
            number = by_scope[candidate].get(key)
            if number is None:
                continue
            if self._ordered[candidate]:
                while number is not None and self._visible_from[number] > offset:
                    number = self._hides.get(number)
                if number is None:
                    continue
            return number, self.rows[number][5] == 1
        return None

    def _falls_through(self, chain: list[int], candidate: int, number: int) -> bool:
        if not self._language.calls_fall_through:
            return False
        _, name, namespace, *_ = self.rows[number]
        further = chain[chain.index(candidate) + 1 :]
        return namespace == VALUE or any((CALLABLE, name) in self._by_scope[outer] for outer in further)

    def find(self, scope: int, namespace: int, name: str) -> int | None:
        """Return the binding of exactly this scope (after `global` and `nonlocal`)."""
        return self._by_scope[self._redirects.get((scope, name), scope)].get((namespace, name))

    def assigned_in(self, scope: int, name: str, offset: int) -> int:
        """Return the scope whose variable an assignment at `offset` writes: an enclosing one with it, or this one."""
        for candidate in self._chain(scope, VALUE):
            number = self._by_scope[candidate].get((VALUE, name))
            if number is not None and self._visible_from[number] <= offset:
                return candidate
        return scope

    def _chain(self, scope: int, namespace: int) -> list[int]:
        chain = [scope]
        hidden = self._language.class_scope_hidden
        while scope and namespace not in self._sealed.get(scope, ()):
            scope = self._tree.parents[scope]
            if not (hidden and self._tree.kinds[scope] == "class"):
                chain.append(scope)
        return chain


def scope_before(tree: ScopeTree, start: int, end: int) -> int:
    """Return the innermost scope strictly around the node from `start` to `end`: the scope that binds a definition's
    name.
    """
    number = bisect_right(tree.starts, start) - 1
    while number > 0:
        site = tree.sites[number]
        if site.end >= end and (site.start, site.end) != (start, end):
            return number
        number = tree.around[number]
    return 0
