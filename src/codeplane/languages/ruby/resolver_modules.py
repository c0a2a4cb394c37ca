"""Ruby constants: by their enclosing modules, with all openings of a class or module.

The first opening represents the class.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from codeplane.base.paths import basename
from codeplane.index.resolve.evaluator import Evaluator
from codeplane.index.resolve.file_scope import FileScope
from codeplane.index.resolve.queries import Query, QueryKind
from codeplane.index.resolve.types import ClassType, Instance, Site, Types, definition_site, union

CLASS_KINDS = frozenset({"class", "module"})
_TEST_FOLDERS = frozenset({"test", "tests", "spec", "specs", "features"})
_CORE = frozenset(
    {
        "Array", "BasicObject", "Binding", "Class", "Comparable", "Complex", "Data", "Date", "DateTime", "Dir",
        "Encoding", "Enumerable", "Enumerator", "Exception", "FalseClass", "Fiber", "File", "FileUtils", "Float",
        "Hash", "IO", "Integer", "Kernel", "Logger", "Marshal", "MatchData", "Math", "Method", "Module", "Mutex",
        "NilClass", "Numeric", "Object", "OpenStruct", "Pathname", "Proc", "Process", "Queue", "Random", "Range",
        "Rational", "Regexp", "Set", "Signal", "StandardError", "String", "StringIO", "Struct", "Symbol", "Tempfile",
        "Thread", "Time", "TrueClass", "URI",
    }
)  # fmt: skip
"""Classes of the standard library that a repository reopens without defining them."""
MAX_OPENINGS = 8
"""A module with more openings is a namespace: only a file of the same name defines it."""

Opening = tuple[str, int]


class RubyConstants:
    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator

    def definitions(self, full: str) -> Sequence[Opening]:
        """Definitions of a constant by its path; of a namespace the defining ones, or the first."""
        return self._evaluator.memo_tracked(("ruby", full), lambda: self._find_definitions(full))

    def _find_definitions(self, full: str) -> list[Opening]:
        found = self._evaluator.definitions.at(full) if full not in _CORE else ()
        if self.is_namespace(full):
            own = full.rpartition(".")[2].lower()
            defining = [opening for opening in found if _stem(opening[0]) == own and not is_test(opening[0])]
            found = defining[:MAX_OPENINGS] or found[:1]
        found = [
            (path, number)
            for path, number in found
            if (file := self._evaluator.library.file(path)) is not None
            and file.language == "ruby"
            and (file.defs[number].kind in CLASS_KINDS or file.defs[number].kind == "constant")
        ]
        if len({path for path, _ in found}) < 2:
            return found
        # An opening with a base class defines the class: several of them are several classes of one name.
        if len({path for path, number in found if self._is_definition(self._evaluator.file(path), number)}) > 1:
            return []
        return [opening for opening in found if not is_test(opening[0])]

    def is_namespace(self, full: str) -> bool:
        return len(self._evaluator.definitions.at(full)) > MAX_OPENINGS

    def _is_definition(self, file: FileScope, definition: int) -> bool:
        return file.defs[definition].kind == "constant" or bool(file.bases(definition))

    def full_name(self, value: ClassType | Instance) -> str:
        return self._evaluator.file(value.path).defs[value.definition].lexical_path

    def openings(self, value: ClassType) -> Sequence[Opening]:
        return self.definitions(self.full_name(value)) or ((value.path, value.definition),)

    def _enclosing_modules(self, file: FileScope, scope: int | None) -> Iterator[int]:
        """Classes and modules around a scope, innermost first."""
        while scope is not None and file.summary.scopes:
            owner = file.owner.get(scope)
            if owner is not None and file.defs[owner].kind in CLASS_KINDS:
                yield owner
            scope = file.parent(scope)

    def path(self, file: FileScope, name: str, scope: int) -> str:
        """Path of a constant: in an enclosing module, in a base of the innermost one, or at the top."""
        if name.startswith("::"):
            return name[2:]
        innermost: int | None = None
        for owner in self._enclosing_modules(file, scope):
            innermost = owner if innermost is None else innermost
            full = f"{file.defs[owner].lexical_path}.{name}"
            if self.definitions(full):
                return full
        if innermost is None:
            return name
        return self.inherited(ClassType(*self._evaluator.definitions.canonical(file.path, innermost)), name) or name

    def inherited(self, value: ClassType | Instance, name: str) -> str | None:
        for base in self._evaluator.mro(value.path, value.definition):
            if isinstance(base, ClassType) and self.definitions(full := f"{self.full_name(base)}.{name}"):
                return full
        return None

    def sites(self, full: str) -> list[Site]:
        found = self.definitions(full)
        own = full.rpartition(".")[2].lower()
        if not any(_stem(path) == own for path, _ in found):
            # Opened only for what is nested in it: it is defined elsewhere, or by no file in particular.
            is_external = "." not in full and all(
                self._evaluator.file(path).defs[number].kind == "module" and self._only_nests(path, number)
                for path, number in found
            )
            if is_external or self.is_namespace(full):
                return []
        # An opening only for nested definitions is not the definition.
        defining = [opening for opening in found if not self._only_nests(*opening)]
        return [definition_site(*opening) for opening in defining or found]

    def _only_nests(self, path: str, definition: int) -> bool:
        file = self._evaluator.file(path)
        if file.defs[definition].kind not in CLASS_KINDS:
            return False
        if file.bases(definition) or file.mixins(definition) or file.extended(definition):
            return False
        members = file.members.get(definition, {}).values()
        return all(file.defs[inner].kind in CLASS_KINDS for numbers in members for inner in numbers)

    def types(self, full: str) -> Types:
        found = list(self.definitions(full))
        if len(found) > 1 and self._evaluator.file(found[0][0]).defs[found[0][1]].kind in CLASS_KINDS:
            found = found[:1]
        return union(self._evaluator.query(Query(QueryKind.DEFINITION, *opening)) for opening in found)


def is_test(path: str) -> bool:
    return not _TEST_FOLDERS.isdisjoint(path.split("/")[:-1])


def _stem(path: str) -> str:
    return basename(path).partition(".")[0].replace("_", "")
