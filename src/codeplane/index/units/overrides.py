"""`.codeplane/contexts.yaml`: units that the user adds, renames or disables.

    version: 1
    contexts:
      - id: core-java
        language: java            # or a family: jvm
        workspace_roots: [core]
        enabled: true             # false disables the unit: its files have no unit

The file is untrusted: it may come with a clone. It is read within limits and names paths of the repository only. An
invalid entry is ignored, with a note.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from codeplane.base.errors import CodePlaneError
from codeplane.base.paths import RepoPath, display, normalize
from codeplane.config.files import parse_document
from codeplane.index.units.model import Candidate, MarkerTier, Note
from codeplane.languages.registry import families, languages

CONTEXTS_FILE = ".codeplane/contexts.yaml"
MAX_CONTEXTS_BYTES = 64 * 1024
SUPPORTED_VERSION = 1
MAX_ID_CHARS = 100
MAX_ENTRIES = 1000

_KEYS = ("id", "language", "workspace_roots", "enabled")
_WITHOUT_EFFECT = ("env", "indexer")


@dataclass(frozen=True)
class UnitOverride:
    family: str
    root: RepoPath
    name: str
    enabled: bool = True


@dataclass(frozen=True)
class Overrides:
    statements: tuple[UnitOverride, ...] = ()
    notes: tuple[Note, ...] = ()

    def apply(self, candidates: Iterable[Candidate]) -> list[Candidate]:
        found = {(each.family, each.root): each for each in candidates}
        for statement in self.statements:
            key = (statement.family, statement.root)
            known = found.get(key)
            base = known or Candidate(
                statement.family, statement.root, MarkerTier.STATED, CONTEXTS_FILE, statement.name, ""
            )
            said = f"named by {CONTEXTS_FILE}" if statement.enabled else f"left out by {CONTEXTS_FILE}"
            evidence = f"{known.evidence}; {said}" if known is not None and not known.detached else said
            found[key] = replace(base, name=statement.name, evidence=evidence, detached=not statement.enabled)
        return list(found.values())


NO_OVERRIDES = Overrides()


def read_overrides(data: bytes | None) -> Overrides:
    """Parse the content of the file; None if it does not exist."""
    if data is None:
        return NO_OVERRIDES
    try:
        document = parse_document(data, CONTEXTS_FILE)
    except CodePlaneError as error:
        return Overrides(notes=(Note(CONTEXTS_FILE, f"it {error.details.get('reason', 'cannot be read')}"),))
    version = document.get("version")
    if version != SUPPORTED_VERSION or isinstance(version, bool):
        said = f"it says {_shown(version)}" if version is not None else "it says none"
        return _wrong([f"'version' must be {SUPPORTED_VERSION}; {said}, and nothing of it is used"])
    contexts = document.get("contexts", [])
    if not isinstance(contexts, list) or len(contexts) > MAX_ENTRIES:
        return _wrong([f"'contexts' must be a list of at most {MAX_ENTRIES} entries"])
    problems = [_unknown(str(key), "", ("version", "contexts")) for key in document if key not in _TOP]
    statements: dict[tuple[str, str], UnitOverride] = {}
    for number, entry in enumerate(contexts, 1):
        for statement in _read_entry(entry, f"contexts[{number}]", problems):
            key = (statement.family, statement.root)
            if key in statements:
                problems.append(
                    f"contexts[{number}] speaks of '{display(statement.root)}' again; the first entry counts"
                )
            else:
                statements[key] = statement
    ordered = tuple(statements[key] for key in sorted(statements))
    return Overrides(ordered, _wrong(problems).notes)


_TOP = ("version", "contexts", "defaults")


def _read_entry(entry: object, where: str, problems: list[str]) -> Iterable[UnitOverride]:
    if not isinstance(entry, dict):
        problems.append(f"{where} must be a mapping with {', '.join(_KEYS[:3])}")
        return
    wrong = [_unknown(str(key), f"{where}.", _KEYS) for key in entry if key not in _KEYS + _WITHOUT_EFFECT]
    problems += [f"{where}.{key} has no effect here" for key in _WITHOUT_EFFECT if key in entry]
    name, enabled, roots = entry.get("id"), entry.get("enabled", True), entry.get("workspace_roots")
    if not isinstance(name, str) or not 0 < len(name.strip()) <= MAX_ID_CHARS:
        wrong.append(f"{where}.id must be a text of 1 to {MAX_ID_CHARS} characters")
    family = _family(entry.get("language"))
    if family is None:
        shown = _shown(entry.get("language"))
        wrong.append(f"{where}.language must be a language or a family ({', '.join(families())}), not {shown}")
    if not isinstance(enabled, bool):
        wrong.append(f"{where}.enabled must be true or false, not {_shown(enabled)}")
    if not isinstance(roots, list) or not roots or not all(isinstance(root, str) for root in roots):
        wrong.append(f"{where}.workspace_roots must be a list of paths, such as [core, tools/build]")
        roots = []
    if wrong:
        problems += [f"{problem}; the entry is not used" for problem in wrong]
        return
    assert isinstance(name, str) and family is not None
    for root in roots:
        try:
            place = normalize(root)
        except CodePlaneError as error:
            problems.append(f"{where}.workspace_roots: {error.message}")
            continue
        yield UnitOverride(family, place, name.strip().encode("utf-8", "replace").decode(), bool(enabled))


def _family(value: object) -> str | None:
    if value in families():
        return str(value)
    return next((each.family for each in languages() if each.name == value), None)


def _unknown(key: str, where: str, known: tuple[str, ...]) -> str:
    return f"'{display(where + key[:80])}' is not known; known are {', '.join(known)}"


def _shown(value: object) -> str:
    return f"'{display(str(value)[:40])}'"


def _wrong(problems: list[str]) -> Overrides:
    return Overrides(notes=tuple(Note(CONTEXTS_FILE, problem) for problem in problems))
