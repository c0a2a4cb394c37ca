"""Origins of imported modules, by the rules in the language folders."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from codeplane.languages.imports import ImportContext, ImportingFile, OriginFinder
from codeplane.languages.registry import languages
from codeplane.languages.role_paths import Role
from codeplane.query.overview import FileOverview, ImportBrief

_PRODUCT_ROLES = frozenset({Role.SOURCE, Role.GENERATED, Role.CONFIG, Role.BUILD})


def origin_finders(
    files: Sequence[FileOverview], imports: Iterable[ImportBrief], roles: Mapping[int, str], repo_name: str
) -> dict[str, OriginFinder]:
    """Return the origin finder of each language that has one; languages that share one share their imports."""
    rules = {language.name: language.find_origins for language in languages() if language.find_origins is not None}
    language_of = {file.file_id: file.language for file in files}
    sources: dict[object, set[str]] = {rule: set() for rule in rules.values()}
    for each in imports:
        rule = rules.get(language_of.get(each.file_id, ""))
        if rule is not None:
            sources[rule].add(each.source)
    briefs = [ImportingFile(file.path, file.language, roles[file.file_id] in _PRODUCT_ROLES) for file in files]
    finders = {rule: rule(ImportContext(briefs, frozenset(sources[rule]), repo_name)) for rule in set(rules.values())}
    return {name: finders[rule] for name, rule in rules.items()}
