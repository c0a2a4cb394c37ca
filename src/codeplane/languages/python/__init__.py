"""Python. Class bodies hide their names from methods; a name assigned in a function is local to all of it."""

from __future__ import annotations

import re

from codeplane.languages.names import NameRules, Reach, words
from codeplane.languages.python.origins import find_origins
from codeplane.languages.python.packaging import FAMILY as FAMILY
from codeplane.languages.spec import DefinitionHead, EntryPoints, Language, MainFunction, RolePatterns


def module_name(path: str) -> str:
    stem = path.rpartition(".")[0] or path
    if stem.startswith("src/"):
        stem = stem[4:]
    return stem.removesuffix("/__init__").replace("/", ".")


def visibility(head: DefinitionHead) -> str:
    name = head.name
    if name.startswith("__") and name.endswith("__"):
        return "public"
    return "private" if name.startswith("_") else "public"


def import_binding(source: str, name: str) -> tuple[str, bool]:
    """Return the bound name: `a` for `import a.b.c`, `n` for `from m import n`."""
    return (name if source and source != name else name.partition(".")[0]), True


def is_main(main: MainFunction) -> bool:
    return not main.is_nested and (main.has_guard or main.path.endswith(("__main__.py", "manage.py")))


def reach(name: str) -> Reach:
    if name.startswith("__") and not name.endswith("__"):
        return Reach.CLASS
    return Reach.NAMED if name.startswith("_") else Reach.ANYWHERE


_NAME_RULES = NameRules(
    reserved=words(
        "False None True and as assert async await break class continue def del elif else except finally for from"
        " global if import in is lambda nonlocal not or pass raise return try while with yield"
    ),
    keyword_mark="=",
    name_lists=("__all__", "__slots__", "__match_args__"),
    name_readers=words("getattr setattr hasattr delattr object setitem delitem attrgetter methodcaller"),
    reach=reach,
    called_by_convention=re.compile(r"__\w+__|test_\w+|pytest_\w+"),
)

LANGUAGES = (
    Language(
        name="python",
        resolver="codeplane.languages.python.resolver:PythonResolver",
        name_rules=_NAME_RULES,
        aliases=("py", "python3", "pyi"),
        roles=RolePatterns(
            tests=(
                ("**/test_*.py", r"test_.*\.py"),
                ("**/*_test.py", r".+_tests?\.py"),
                ("**/tests.py", r"tests\.py|conftest\.py"),
            ),
            generated="*_pb2.py *_pb2.pyi *_pb2_grpc.py *_pb2_grpc.pyi",
            build=(
                "setup.py setup.cfg pyproject.toml MANIFEST.in tox.ini noxfile.py Pipfile *requirements*.txt"
                " *requirements*.in constraints*.txt"
            ),
        ),
        family="python",
        extensions=(".py", ".pyi", ".pyw"),
        interpreters=("python", "pypy"),
        grammar="tree_sitter_python:language",
        distribution="tree-sitter-python",
        module_name=module_name,
        find_origins=find_origins,
        entry_points=EntryPoints(
            scripts=(
                r"(?:.*/)?__main__\.py|(?:.*/)?manage\.py|(?:[^/]+/)?(?:wsgi|asgi)\.py"
                r"|(?:[^/]+/)?(?:src/)?(?:[^/]+/)?(?:cli|app)\.py"
            ),
            is_main=is_main,
            main_guard="__name__",
            glue=("wsgi.py", "asgi.py"),
        ),
        visibility=visibility,
        comments=("#",),
        doc_style="docstring",
        class_scope_hidden=True,
        attributes_through="parameter",
        export_evidence="default_module",
        explicit_exports="__all__literal",
        import_binding=import_binding,
    ),
)
